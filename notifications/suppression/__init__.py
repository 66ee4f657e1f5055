"""Addresses that get no bulk mail, because it does not arrive there or is not wanted there."""

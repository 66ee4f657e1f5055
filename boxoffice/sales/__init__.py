"""What was taken and sold: a read model that jobs keep, the proof that it is right, and the dashboard. See
``docs/sales.md``."""

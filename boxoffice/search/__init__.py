"""Finding orders by whatever a caller can tell: ``find_orders.find_orders``."""

"""Files that follow from the tables of queues and pools (``config/queues.py``): ``python -m deploy.derived``."""

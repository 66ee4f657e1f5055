"""``manage.py spike``: a spike of clicks, played against counters, beside what arithmetic says of it."""

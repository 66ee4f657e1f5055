"""Who fails to log in five times from one address waits. django-axes, in PostgreSQL, with no more data than it needs.

django-axes brings the model, the backend's and the middleware's place, and the checks. What it would store and log of
a failure (the browser, what was sent, the page) is left out, and time is the database's.
"""

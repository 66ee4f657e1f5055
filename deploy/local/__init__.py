"""BoxOffice on one machine, without Docker and without root.

PostgreSQL, Redis and RabbitMQ run as private servers whose data lies under ``.local/`` in the checkout. They
listen on 127.0.0.1 only, on ports that are free, behind generated passwords. Each use (``demo``, ``test``,
``smoke``) is an instance of its own and never meets the data of another.

The guarantee: a service that this package started is recorded with its process id and start time before it is
used, and ended by that record. A run that was killed leaves its services behind; the next one ends them first.
Nothing else is ever ended, and no folder outside ``.local/`` changes its mode.
"""

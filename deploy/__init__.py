"""How BoxOffice is run: on one machine (``deploy.local``), and later in containers."""

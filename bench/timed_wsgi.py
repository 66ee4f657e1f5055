"""The web application as it is sold, and its own time on each answer."""

from bench.server_time import timed
from config.wsgi import application as box_office

application = timed(box_office)

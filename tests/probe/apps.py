from django.apps import AppConfig

from tests import failpoints, sabotage
from tests.probe import deafness


class ProbeConfig(AppConfig):
    name = "tests.probe"
    label = "probe"

    def ready(self) -> None:
        sabotage.commit()
        failpoints.install()
        deafness.install()

from django.apps import AppConfig

from tests import failpoints, sabotage


class ProbeConfig(AppConfig):
    name = "tests.probe"
    label = "probe"

    def ready(self) -> None:
        sabotage.commit()
        failpoints.install()

from django.apps import AppConfig

from tests import failpoints


class ProbeConfig(AppConfig):
    name = "tests.probe"
    label = "probe"

    def ready(self) -> None:
        failpoints.install()

"""Compiles every template, so that a wrong tag shows in ``make lint`` and not in front of a fan.

python -m deploy.local.compile_templates
"""

from __future__ import annotations

import os
import subprocess
import sys

from deploy.local.checkout import ROOT

# The sandbox is a site of its own, with settings of its own.
SITES = {
    "config.settings": ("boxoffice", "tickets", "notifications", "snip", "inventory", "jobs"),
    "sandbox.settings": ("sandbox",),
}


def main(arguments: list[str]) -> int:
    if arguments:
        return _compile(arguments[0])
    # One process for each site: Django takes one settings module in its life.
    return max(
        subprocess.run([sys.executable, "-m", __spec__.name, settings], cwd=ROOT, check=False).returncode
        for settings, apps in SITES.items()
        if any((ROOT / app / "templates").is_dir() for app in apps)
    )


def _compile(settings: str) -> int:
    os.environ["DJANGO_SETTINGS_MODULE"] = settings
    import django
    from django.template import TemplateSyntaxError, engines

    django.setup()
    wrong = 0
    for app in SITES[settings]:
        for file in sorted((ROOT / app / "templates").rglob("*")):
            if file.is_file():
                try:
                    engines["django"].from_string(file.read_text())
                except TemplateSyntaxError as error:
                    wrong += 1
                    print(f"{file.relative_to(ROOT)}: {error}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

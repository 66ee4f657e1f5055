"""The German catalogue: complete, and compiled from the texts beside it."""

from __future__ import annotations

import gettext
import re
from pathlib import Path

import pytest

from config.destinations import DESTINATIONS
from config.queues import QUEUES
from config.schedule import SCHEDULE

CATALOGUE = Path(__file__).parents[3] / "locale/de/LC_MESSAGES/django.po"
ENTRY = re.compile(r"^msgid |^msgstr(?:\[\d\])? ", re.MULTILINE)
PLACEHOLDER = re.compile(r"%\((\w+)\)")


@pytest.fixture(scope="module")
def compiled() -> dict[str, str]:
    with CATALOGUE.with_suffix(".mo").open("rb") as file:
        catalogue = gettext.GNUTranslations(file)
    texts = {key: text for key, text in catalogue._catalog.items() if key != ""}  # type: ignore[attr-defined]
    return {key if isinstance(key, str) else key[0]: text for key, text in texts.items()}


def test_no_text_is_left_untranslated_or_in_doubt() -> None:
    text = CATALOGUE.read_text()

    assert "fuzzy" not in text
    untranslated = re.findall(r'^msgid (".*")\n(?:".*"\n)*msgstr ""\n\n', text, re.MULTILINE)
    assert untranslated == []


def test_the_compiled_catalogue_has_every_text(compiled: dict[str, str]) -> None:
    entries = CATALOGUE.read_text().count("\nmsgid ") - 1  # the first one is the header

    assert len(compiled) == entries


def test_a_translation_names_the_same_values_as_its_original(compiled: dict[str, str]) -> None:
    for original, german in compiled.items():
        assert set(PLACEHOLDER.findall(german)) <= set(PLACEHOLDER.findall(original)) | {"n", "count"}, original


def test_no_text_writes_a_decimal_mark_itself_which_differs_between_languages(compiled: dict[str, str]) -> None:
    assert [original for original in compiled if re.search(r"%(\(\w+\))?[\d.]*[feg]\b", original)] == []


def test_what_each_periodic_job_is_for_is_told_in_german(compiled: dict[str, str]) -> None:
    assert [periodic.name for periodic in SCHEDULE if periodic.why not in compiled] == []


def test_what_each_queue_and_provider_is_for_is_told_in_german(compiled: dict[str, str]) -> None:
    assert [each.name for each in (*QUEUES, *DESTINATIONS) if each.purpose not in compiled] == []

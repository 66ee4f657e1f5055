"""A variable that is missing or wrong stops the start with a sentence that says what to set."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.environment import VARIABLES, Variable, read

ROOT = Path(__file__).parents[3]
REQUIRED = [variable for variable in VARIABLES if variable.required]
OPTIONAL = [variable for variable in VARIABLES if not variable.required]


def name_of(variable: Variable) -> str:
    return variable.name


@pytest.mark.parametrize("value", [None, ""])
@pytest.mark.parametrize("variable", REQUIRED, ids=name_of)
def test_a_required_variable_that_is_missing_or_empty_is_named_and_explained(
    variable: Variable, value: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(variable.name, raising=False)
    if value is not None:
        monkeypatch.setenv(variable.name, value)
    with pytest.raises(ImproperlyConfigured) as refusal:
        read(variable.name)
    assert str(refusal.value).startswith(f"Set {variable.name}: {variable.purpose}")


@pytest.mark.parametrize("value", [None, ""])
@pytest.mark.parametrize("variable", OPTIONAL, ids=name_of)
def test_an_optional_variable_that_is_missing_or_empty_has_its_default(
    variable: Variable, value: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(variable.name, raising=False)
    if value is not None:
        monkeypatch.setenv(variable.name, value)
    assert read(variable.name) == variable.default


def test_a_value_that_cannot_be_read_is_named_and_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_POOL_SIZE", "many")
    with pytest.raises(ImproperlyConfigured, match="DATABASE_POOL_SIZE cannot be read as int: Connections that"):
        read("DATABASE_POOL_SIZE")


def test_a_list_is_separated_by_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLOWED_HOSTS", "a.example,b.example")
    assert read("ALLOWED_HOSTS") == ["a.example", "b.example"]


def test_a_variable_that_the_table_does_not_list_is_a_fault_of_ours() -> None:
    with pytest.raises(KeyError):
        read("SOMETHING_ELSE")


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"DATABASE_URL": ""}, "Set DATABASE_URL: PostgreSQL 15 or newer."),
        ({"SECRET_KEY": "changeme"}, "SECRET_KEY is a default or too weak"),
        ({"DEBUG": "1", "PUBLIC_URL": "https://tickets.example.org"}, "DEBUG shows settings and code to everybody"),
    ],
)
def test_the_start_is_refused_with_that_sentence(wrong: dict[str, str], sentence: str) -> None:
    started = subprocess.run(
        [sys.executable, "-c", "import django; django.setup()"],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", **wrong},
        capture_output=True,
        text=True,
    )
    assert started.returncode != 0
    assert sentence in started.stderr

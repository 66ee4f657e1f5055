"""The pages of the documentation speak of files and tests that exist."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from django.core.management import get_commands

ROOT = Path(__file__).parents[3]
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])

LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)(?:#[^)\s]*)?\)")
ANCHOR = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)#([^)\s]+)\)")
COMMAND = re.compile(r"manage\.py ([a-z_]+)")
TEST = re.compile(r"`(test_[a-z0-9_]+)`")


@cache
def names_of_tests() -> set[str]:
    sources = (ROOT / "tests").rglob("test_*.py")
    return {
        name for source in sources for name in re.findall(r"^\s*def (test_\w+)\(", source.read_text(), re.MULTILINE)
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_relative_link_of_a_page_leads_to_a_file(page: Path) -> None:
    broken = [link for link in LINK.findall(page.read_text()) if not (page.parent / link).exists()]
    assert broken == []


@cache
def anchors(page: Path) -> set[str]:
    """Of its headings, as GitHub makes them: no marks but hyphens and low lines, blanks as hyphens."""
    headings = re.findall(r"^#+ +(.+?) *$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_to_a_heading_leads_to_one(page: Path) -> None:
    links = [(page.parent / file if file else page, anchor) for file, anchor in ANCHOR.findall(page.read_text())]
    assert [(file.name, anchor) for file, anchor in links if anchor not in anchors(file)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_that_a_page_names_exists(page: Path) -> None:
    assert set(COMMAND.findall(page.read_text())) <= get_commands().keys()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_test_that_a_page_names_exists(page: Path) -> None:
    assert set(TEST.findall(page.read_text())) <= names_of_tests()

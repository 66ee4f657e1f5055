"""The modules of the seat map are all asked for at once, by the names that they import each other under."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles.finders import find
from django.contrib.staticfiles.storage import ManifestStaticFilesStorage
from django.core.files.storage import FileSystemStorage
from django.utils.module_loading import import_string

SCRIPTS = Path(__file__).parents[3] / "boxoffice" / "templates" / "boxoffice" / "_seat_map_scripts.html"
ENTRY = "boxoffice/js/seat-picker.js"
IMPORT = re.compile(r'^import .* from "(\.[^"]+)";', re.MULTILINE)


def reached_from(name: str) -> set[str]:
    """The module and all that it imports, directly or not, by their names among the static files."""
    reached: set[str] = set()
    to_read = [name]
    while to_read:
        module = to_read.pop()
        if module not in reached:
            reached.add(module)
            source = Path(str(find(module))).read_text()
            here = Path("/") / module
            to_read += [str((here.parent / other).resolve())[1:] for other in IMPORT.findall(source)]
    return reached


def test_every_module_that_the_seat_picker_needs_is_preloaded_and_no_other() -> None:
    preloaded = set(re.findall(r"modulepreload\" href=\"{% static '([^']+)' %}", SCRIPTS.read_text()))
    assert preloaded == reached_from(ENTRY) - {ENTRY}


def test_a_module_imports_others_by_the_names_of_their_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = import_string("config.static_files.HashedStaticFiles")
    assert issubclass(kind, ManifestStaticFilesStorage)
    storage = kind(location=tmp_path, base_url=settings.STATIC_URL)
    monkeypatch.setattr(storage, "manifest_storage", storage)
    for name in ("page.js", "part.js"):
        (tmp_path / name).write_text(
            'import { a } from "./part.js";\n' if name == "page.js" else "export const a = 1;\n"
        )
    source = FileSystemStorage(location=tmp_path)
    for _ in storage.post_process({name: (source, name) for name in ("page.js", "part.js")}):
        pass
    (page,) = tmp_path.glob("page.*.js")
    (part,) = tmp_path.glob("part.*.js")
    assert f'"./{part.name}"' in page.read_text()

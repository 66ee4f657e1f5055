"""All objects of the stand-in, in one SQLite file, or in memory when it is given no folder.

Everything that changes something runs in ``changing()``: one at a time, whole or not at all.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

Body = dict[str, Any]

MOST_OBJECTS = 100_000
"""Of all kinds together, about 350 MB, and as many deliveries. The oldest beyond it are forgotten."""
TRIM_EVERY = 1_000  # new objects

TABLES = """
CREATE TABLE IF NOT EXISTS objects (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, created INTEGER NOT NULL,
    due_at INTEGER, body TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS objects_of_a_kind ON objects (kind, seq);
CREATE INDEX IF NOT EXISTS objects_due ON objects (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS objects_of_a_payment ON objects (kind, json_extract(body, '$.payment_intent'));
CREATE TABLE IF NOT EXISTS keys (
    key TEXT PRIMARY KEY, path TEXT NOT NULL, parameters TEXT NOT NULL, used_at INTEGER NOT NULL,
    request_id TEXT NOT NULL, status INTEGER, body TEXT);
CREATE TABLE IF NOT EXISTS deliveries (
    id INTEGER PRIMARY KEY AUTOINCREMENT, event TEXT NOT NULL, type TEXT NOT NULL, url TEXT NOT NULL,
    state TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, created_at REAL NOT NULL, due_at REAL NOT NULL,
    turn INTEGER NOT NULL, outcome TEXT NOT NULL DEFAULT '');
CREATE INDEX IF NOT EXISTS deliveries_due ON deliveries (due_at, turn) WHERE state = 'waiting';
CREATE INDEX IF NOT EXISTS deliveries_of_an_event ON deliveries (event);
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""


class State:
    """The objects by their ids, each a dictionary in the form of the API. Keys that begin with ``_`` are our own."""

    def __init__(self, folder: Path | None) -> None:
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
        file = str(folder / "stripe.sqlite3") if folder else ":memory:"
        self._lock = threading.RLock()
        self._depth = 0
        self._added = 0
        self.database = sqlite3.connect(file, check_same_thread=False, isolation_level=None)
        # A crash of the machine may cost the last payments of a demo; a crash of the process costs nothing.
        self.database.executescript(f"PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; {TABLES}")
        self.database.row_factory = sqlite3.Row

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Nobody else reads or writes during the block; what it wrote is kept, or undone when it raises."""
        with self._lock:
            name = f"level_{self._depth}"  # the first is the transaction, those inside can be undone alone
            self._depth += 1
            self.database.execute(f"SAVEPOINT {name}")
            try:
                yield
            except BaseException:
                self.database.execute(f"ROLLBACK TO {name}")
                raise
            finally:
                self.database.execute(f"RELEASE {name}")
                self._depth -= 1

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """Run one statement."""
        with self._lock:
            return self.database.execute(sql, values).fetchall()

    def add(self, body: Body, *, due_at: int | None = None) -> Body:
        """Keep a new object; it falls due at an instant of the stand-in's clock."""
        self.rows(
            "INSERT INTO objects (id, kind, created, due_at, body) VALUES (?, ?, ?, ?, ?)",
            (body["id"], body["object"], body["created"], due_at, json.dumps(body)),
        )
        self._added += 1
        if self._added % TRIM_EVERY == 0:
            self.rows("DELETE FROM objects WHERE seq <= (SELECT max(seq) FROM objects) - ?", (MOST_OBJECTS,))
            self.rows("DELETE FROM deliveries WHERE id <= (SELECT max(id) FROM deliveries) - ?", (MOST_OBJECTS,))
        return body

    def save(self, body: Body, *, due_at: int | None = None) -> Body:
        """Keep an object as it is now; it falls due at ``due_at`` or no more."""
        self.rows("UPDATE objects SET body = ?, due_at = ? WHERE id = ?", (json.dumps(body), due_at, body["id"]))
        return body

    def find(self, kind: str, id: str) -> Body | None:
        """An object by its id."""
        found = self.rows("SELECT body FROM objects WHERE id = ? AND kind = ?", (id, kind))
        return json.loads(found[0]["body"]) if found else None

    def get(self, kind: str, id: str) -> Body:
        """An object that must be there: another one names it."""
        body = self.find(kind, id)
        if body is None:
            raise LookupError(f"{kind} {id}")
        return body

    def due(self, now: int) -> Body | None:
        """The object that fell due first."""
        found = self.rows(
            "SELECT body FROM objects WHERE due_at IS NOT NULL AND due_at <= ? ORDER BY due_at, seq LIMIT 1", (now,)
        )
        return json.loads(found[0]["body"]) if found else None

    def setting(self, name: str) -> Any:
        """A value that is kept beside the objects; None when there is none."""
        found = self.rows("SELECT value FROM settings WHERE name = ?", (name,))
        return json.loads(found[0]["value"]) if found else None

    def set(self, name: str, value: Any) -> None:
        """Keep a value beside the objects."""
        self.rows("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", (name, json.dumps(value)))

    def forget_everything(self) -> None:
        """As on the first day, the settings excepted."""
        with self.changing():
            for table in ("objects", "keys", "deliveries"):
                self.rows(f"DELETE FROM {table}")  # noqa: S608 - names of our own

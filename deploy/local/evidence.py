"""What proves that a purchase reached its end: the mail, its PDF, the codes in it, and the ledger's times."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass

import psycopg
import pypdfium2
import zxingcpp

from deploy.local.checkout import ROOT
from deploy.local.errors import LocalError
from deploy.local.processes import wait_until

MAIL_SECONDS = 60
VERIFY_SECONDS = 120
PDF_SCALE = 3  # 216 dots per inch, what a phone's camera sees of a printed ticket


class EvidenceMissing(LocalError):
    """Something that the fan was promised did not come. The message says what."""


@dataclass(frozen=True)
class LedgerTimes:
    """Milliseconds after the transaction that confirmed the order, by the database's clock."""

    started: float
    rendered: float
    accepted: float


# The jobs of one order with their times; uses the index job_subject.
JOBS_OF_ORDER = """
SELECT job.task,
       1000 * extract(epoch FROM job.started_at - confirmed.created_at),
       1000 * extract(epoch FROM job.finished_at - confirmed.created_at)
FROM boxoffice_order AS placed
JOIN jobs_job AS job ON job.subject = 'order:' || placed.code
CROSS JOIN LATERAL (
    SELECT min(first.created_at) AS created_at FROM jobs_job AS first
    WHERE first.subject = 'order:' || placed.code AND first.task = 'tickets.issue_tickets'
) AS confirmed
WHERE placed.token = %s AND job.state = 'done'
"""

# How many mails of one order the provider says it delivered; uses notification_once.
DELIVERED_OF_ORDER = """
SELECT count(*)
FROM boxoffice_order AS placed
JOIN notifications_notification AS told
  ON told.kind = 'tickets_ready' AND told.subject = 'order:' || placed.code
WHERE placed.token = %s AND told.channel = 'email' AND told.status = 'delivered'
"""


def wait_for_mail(mailbox_url: str, *, to: str) -> dict[str, object]:
    """Return the newest mail to the address. Raises EvidenceMissing after a minute."""
    address = f"{mailbox_url}/api/messages?{urllib.parse.urlencode({'to': to})}"
    found: list[dict[str, object]] = []

    def came() -> bool:
        found[:] = json.loads(_read(address))
        return bool(found)

    if not wait_until(came, seconds=MAIL_SECONDS):
        raise EvidenceMissing(f"No mail to {to} came within {MAIL_SECONDS} s.")
    return found[0]


def attached_pdf(mail: Mapping[str, object]) -> bytes:
    """Return the one PDF that is attached to the mail."""
    attachments = mail["attachments"]
    assert isinstance(attachments, list)
    pdfs = [part["url"] for part in attachments if part["content_type"] == "application/pdf"]
    if len(pdfs) != 1:
        raise EvidenceMissing(f"The mail has {len(pdfs)} PDFs attached, and should have one.")
    return _read(str(pdfs[0]))


def read_codes(pdf: bytes) -> list[str]:
    """Draw each page of the PDF and read the QR codes from the drawing, as a camera would."""
    document = pypdfium2.PdfDocument(pdf)
    try:
        pages = [page.render(scale=PDF_SCALE).to_pil() for page in document]
    finally:
        document.close()
    return [code.text for page in pages for code in zxingcpp.read_barcodes(page)]


def verify(code: str, *, environment: Mapping[str, str]) -> None:
    """Check the code as the door does. Raises EvidenceMissing when it does not admit."""
    command = [sys.executable, "manage.py", "verify_ticket", code]
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=dict(environment),
            capture_output=True,
            text=True,
            check=False,
            timeout=VERIFY_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise EvidenceMissing(f"Nobody says whether a ticket of the mail admits within {VERIFY_SECONDS} s.") from error
    if done.returncode != 0:
        raise EvidenceMissing(f"A ticket of the mail does not admit: {done.stdout}{done.stderr}")


def ledger_times(token: str, *, environment: Mapping[str, str]) -> LedgerTimes:
    """Read from the ledger when the order's jobs ran. Waits for the last one's row, which follows the mail."""
    deadline = time.monotonic() + MAIL_SECONDS
    with psycopg.connect(environment["DATABASE_URL"], autocommit=True) as connection:
        while True:
            rows = connection.execute(JOBS_OF_ORDER, [token]).fetchall()
            done = {task: (float(started), float(finished)) for task, started, finished in rows}
            if {"tickets.issue_tickets", "boxoffice.send_message"} <= done.keys():
                break
            if time.monotonic() > deadline:
                raise EvidenceMissing(f"The ledger knows only these jobs of the order as done: {sorted(done)}")
            time.sleep(0.02)
    started, rendered = done["tickets.issue_tickets"]
    return LedgerTimes(started=started, rendered=rendered, accepted=done["boxoffice.send_message"][1])


def await_delivery(token: str, *, environment: Mapping[str, str]) -> None:
    """Wait until the ESP has told us that the order's mail arrived. Raises EvidenceMissing after a minute."""
    with psycopg.connect(environment["DATABASE_URL"], autocommit=True) as connection:

        def delivered() -> bool:
            row = connection.execute(DELIVERED_OF_ORDER, [token]).fetchone()
            return row is not None and row[0] == 1

        if not wait_until(delivered, seconds=MAIL_SECONDS):
            raise EvidenceMissing("The mail came, and its delivery was not told at /webhooks/mail/.")


def _read(address: str) -> bytes:
    with urllib.request.urlopen(address, timeout=30) as response:
        return bytes(response.read())

"""All processes of the Procfile, up and answering: what the demo, the smoke test and the benches run against."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from deploy.local.checkout import ROOT, Instance
from deploy.local.errors import LocalError, ServiceFailed
from deploy.local.instance_lock import announce
from deploy.local.leftovers import STOP_SECONDS, end_recorded, processes_folder
from deploy.local.log_tail import log_tail
from deploy.local.ports import HOST, Ports, is_free
from deploy.local.preparation import MAIL_DOMAIN
from deploy.local.processes import wait_until
from deploy.local.signals import undisturbed

READY_SECONDS = 90
ANSWER_SECONDS = 30
"""Of the workers, the start of whoever asks them included."""
# How BoxOffice sends its mails: through the ESP's API, or to the mail server. Both are there, and share the mailbox.
WayOfMail = Literal["esp", "smtp"]
ESP_KEY = "re_local"
BROWSERS = ("fcm.googleapis.com", "*.push.services.mozilla.com", "*.notify.windows.com", "web.push.apple.com")


@dataclass(frozen=True)
class Stack:
    """The running processes, and where they answer."""

    environment: Mapping[str, str]
    supervisor: subprocess.Popen[bytes]

    @property
    def url(self) -> str:
        return self.environment["PUBLIC_URL"]

    @property
    def mailbox_url(self) -> str:
        return self.environment["MAILBOX_URL"]

    @property
    def mails_are_reported(self) -> bool:
        """Whether somebody tells what became of a mail: an ESP does, and by SMTP nobody."""
        return not self.environment["EMAIL_URL"].startswith("smtp")

    @property
    def mail_knobs_url(self) -> str:
        """Of the way that mails go."""
        return f"{self.mailbox_url}/{'esp/knobs' if self.mails_are_reported else 'knobs'}/"

    @property
    def esp_url(self) -> str:
        return f"http://{HOST}:{self.environment['SANDBOX_ESP_PORT']}"

    @property
    def push_url(self) -> str:
        return f"http://{HOST}:{self.environment['SANDBOX_PUSH_PORT']}"

    @property
    def links_url(self) -> str:
        """What short links begin with."""
        return self.environment["SNIP_BASE_URL"]

    @property
    def payments_url(self) -> str:
        return self.environment["STRIPE_API_BASE"]

    def wait(self) -> None:
        """Block until the processes end. Raises ServiceFailed, since they are meant to run until told to stop."""
        status = self.supervisor.wait()
        raise ServiceFailed(f"A process ended with status {status}, so all were stopped. Its last words are above.")


def stack_environment(
    services: Mapping[str, str],
    *,
    instance: Instance,
    port: int | None = None,
    prefer_port: int | None = None,
    mail: WayOfMail = "esp",
) -> dict[str, str]:
    """Add to the services' environment what the processes need: their ports, and the addresses made of them.

    ``port`` is the web server's, and LocalError is raised when it is taken. Without it the remembered one serves,
    or ``prefer_port``, or any other that is free.
    """
    ports = Ports(file=instance.folder / "ports.json")
    if port is not None and not is_free(port):
        raise LocalError(
            f"Port {port} of {HOST} is taken or not for you. Choose another one with PORT=, or leave it out."
        )
    web = port if port is not None else ports.port_for("web", prefer=prefer_port)
    smtp, esp, mailbox, stripe, push = map(ports.port_for, ("smtp", "esp", "mailbox", "stripe", "push"))
    redirect = ports.port_for("redirect")
    defaults = {
        "LOG_FORMAT": "console",
        "LOG_LEVEL": "WARNING",
        "STATIC_ROOT": str(instance.folder / "static"),
        # The mailbox's knobs make it slow on purpose, and one wants to look at a job that waits for it. Less than
        # what the queue of the mails lets a job run.
        "EMAIL_TIMEOUT_SECONDS": "40",
        # Of the login of that name: what it is told of each day's reconciliation shows in the mailbox.
        "FINANCE_EMAIL": f"finance@{MAIL_DOMAIN}",
        "STAFF_SECOND_FACTOR": "false",  # for a look around; STAFF_SECOND_FACTOR=true tries it out
    }
    return {
        **defaults,
        **services,
        "PORT": str(web),
        "PUBLIC_URL": f"http://{HOST}:{web}",
        "ALLOWED_HOSTS": f"{HOST},localhost",
        "REDIRECT_PORT": str(redirect),
        "SNIP_BASE_URL": f"http://{HOST}:{redirect}",
        "SMTP_PORT": str(smtp),
        "SANDBOX_ESP_PORT": str(esp),
        "SANDBOX_ESP_KEY": ESP_KEY,
        "SANDBOX_ESP_WEBHOOK_URL": f"http://{HOST}:{web}/webhooks/mail/",
        "SANDBOX_PORT": str(mailbox),
        "SANDBOX_MAILDIR": str(instance.folder / "mail"),
        "SANDBOX_STRIPE_PORT": str(stripe),
        "SANDBOX_STRIPE_DIR": str(instance.folder / "stripe"),
        "SANDBOX_STRIPE_WEBHOOK_URL": f"http://{HOST}:{web}/webhooks/stripe/",
        "STRIPE_API_BASE": f"http://{HOST}:{stripe}",
        "SANDBOX_PUSH_PORT": str(push),
        # A browser that looks at the demo has the push service of its maker.
        "PUSH_SERVICES": ",".join((*BROWSERS, f"http://{HOST}:{push}")),
        "EMAIL_URL": f"smtp://{HOST}:{smtp}" if mail == "smtp" else f"resend+http://{ESP_KEY}@{HOST}:{esp}",
        "PROMETHEUS_MULTIPROC_DIR": str(instance.folder / "metrics"),
        "MAILBOX_URL": f"http://{HOST}:{mailbox}",
        "PYTHONUNBUFFERED": "1",
        # Celery's, for root. What it warns of, a message that runs code, needs pickle, and only JSON is accepted.
        "PYTHONWARNINGS": "ignore:You're running the worker with superuser privileges",
    }


@contextmanager
def running_stack(environment: Mapping[str, str], *, instance: Instance, log: Path | None = None) -> Iterator[Stack]:
    """Run the Procfile while the block runs; enters it once the web answers and workers consume all queues.

    The processes print to our output, or into ``log``. Raises ServiceFailed when they do not come up.
    """
    folder = processes_folder(instance)
    folder.mkdir(exist_ok=True)
    # What is counted begins anew with the processes; a later one may get the number of one that is gone.
    shutil.rmtree(environment["PROMETHEUS_MULTIPROC_DIR"], ignore_errors=True)
    output = log.open("wb") if log else None
    supervisor = subprocess.Popen(
        [sys.executable, "-m", "deploy.local.supervisor", folder],
        cwd=ROOT,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        start_new_session=True,  # Ctrl-C reaches us alone, and we stop it
    )
    stack = Stack(environment, supervisor)
    try:
        if not wait_until(lambda: supervisor.poll() is not None or _is_ready(stack), seconds=READY_SECONDS, every=0.1):
            raise ServiceFailed(f"The processes are not ready after {READY_SECONDS} s.{_log(log)}")
        if supervisor.poll() is not None:
            raise ServiceFailed(f"A process ended before all were ready.{_log(log)}")
        announce(instance, environment)
        yield stack
    finally:
        with undisturbed():
            _stop(supervisor)
            end_recorded(folder)
        if output:
            output.close()


def _is_ready(stack: Stack) -> bool:
    return (
        _answers(f"{stack.url}/healthz")
        and _answers(stack.mailbox_url)
        and _answers(f"{stack.esp_url}/sandbox/esp/requests")
        and _answers(stack.payments_url)
        and _answers(stack.push_url)
        and _answers(f"{stack.links_url}/healthz")
        and _workers_consume(stack)
    )


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _workers_consume(stack: Stack) -> bool:
    """Ask the workers themselves, through the broker, whether every queue is consumed."""
    question = ["-m", "celery", "-A", "config", "inspect", "active_queues", "--timeout", "2", "--json"]
    try:
        answer = subprocess.run(
            [sys.executable, *question],
            cwd=ROOT,
            env=dict(stack.environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=ANSWER_SECONDS,
        )
    except subprocess.TimeoutExpired:  # a broker that says nothing
        return False
    if answer.returncode != 0:
        return False
    consumed = {queue["name"] for queues in json.loads(answer.stdout).values() for queue in queues}
    return consumed >= _queues_to_consume()


def _queues_to_consume() -> set[str]:
    """Those that the Procfile's workers are started for."""
    named = re.findall(r"--queues (\S+)", (ROOT / "Procfile").read_text())
    return {queue for names in named for queue in names.split(",")}


def _stop(supervisor: subprocess.Popen[bytes]) -> None:
    supervisor.terminate()
    try:
        supervisor.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        supervisor.kill()
        supervisor.wait(STOP_SECONDS)


def _log(log: Path | None) -> str:
    return f"\n{log_tail(log, lines=60)}" if log else " What they printed above says why."

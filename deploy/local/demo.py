"""``make demo``: everything on this machine, with shows to buy tickets for."""

from __future__ import annotations

from collections.abc import Mapping

from deploy.local.checkout import Instance
from deploy.local.environment import local_services
from deploy.local.stack import Stack, manage, running_stack, stack_environment

STAFF = "staff"


def run_demo(*, broker: str, port: int | None) -> None:
    """Start services and processes, print READY and the logins, and run until Ctrl-C."""
    instance = Instance("demo")
    print(f"Starting PostgreSQL, Redis and the broker ({broker}) ...", flush=True)
    with local_services(instance=instance, brokers=[broker]) as services:
        environment = stack_environment(services, instance=instance, port=port)
        prepare(environment)
        with running_stack(environment, instance=instance) as stack:
            print(_welcome(stack), flush=True)
            stack.wait()


def prepare(environment: Mapping[str, str]) -> None:
    """Bring the database up to date, with the demo's shows and a staff account, and gather the static files."""
    print("Preparing the database and the demo's shows ...", flush=True)
    manage(environment, "migrate", "--verbosity", "0")
    manage(environment, "collectstatic", "--no-input", "--verbosity", "0")
    manage(environment, "seed_demo", quiet=True)
    password = environment["STAFF_PASSWORD"]
    manage(environment, "seed_staff", "--username", STAFF, "--password", password, quiet=True)


def _welcome(stack: Stack) -> str:
    return "\n".join(
        [
            "",
            f"READY {stack.url}",
            f"  support desk  {stack.url}/admin/   user: {STAFF}   password: {stack.environment['STAFF_PASSWORD']}",
            f"  mailbox       {stack.mailbox_url}/",
            "  Ctrl-C stops everything; the data stays in .local/demo.",
            "",
        ]
    )

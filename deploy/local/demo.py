"""``make demo``: everything on this machine, with shows to buy tickets for."""

from __future__ import annotations

from deploy.local.checkout import Instance
from deploy.local.environment import local_services
from deploy.local.preparation import STAFF, prepare
from deploy.local.stack import Stack, WayOfMail, running_stack, stack_environment

PREFERRED_PORT = 8000
ROLES = "support, finance, promoter, operator"


def run_demo(*, broker: str, port: int | None, mail: WayOfMail) -> None:
    """Start services and processes, print READY and the logins, and run until Ctrl-C."""
    instance = Instance("demo")
    print(f"Starting PostgreSQL, Redis and the broker ({broker}) ...", flush=True)
    with local_services(instance=instance, brokers=[broker]) as services:
        environment = stack_environment(services, instance=instance, port=port, prefer_port=PREFERRED_PORT, mail=mail)
        print("Preparing the database and the demo's shows ...", flush=True)
        prepare(environment)
        with running_stack(environment, instance=instance) as stack:
            print(_welcome(stack), flush=True)
            stack.wait()


def _welcome(stack: Stack) -> str:
    return "\n".join(
        [
            "",
            f"READY {stack.url}",
            f"  support desk  {stack.url}/admin/   user: {STAFF}   password: {stack.environment['STAFF_PASSWORD']}",
            f"  a role each   {stack.url}/admin/   users: {ROLES}   password: {stack.environment['ROLE_PASSWORD']}",
            f"  door          {stack.url}/door/   user: door   password: {stack.environment['DOOR_PASSWORD']}",
            f"  short links   {stack.links_url}/CODE",
            f"  mailbox       {stack.mailbox_url}/",
            "  to make a provider slow, failing or silent:",
            f"    mail        {stack.mail_knobs_url}",
            f"    payments    {stack.payments_url}/",
            f"    push        {stack.push_url}/",
            "  Ctrl-C stops everything; the data stays in .local/demo.",
            "",
        ]
    )

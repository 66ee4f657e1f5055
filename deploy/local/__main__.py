"""``python -m deploy.local demo | smoke | services | run``: see ``--help``."""

from __future__ import annotations

import signal

# Until main() takes over there is nothing to stop, and a traceback of half an import helps nobody.
signal.signal(signal.SIGINT, signal.SIG_DFL)

# ruff: noqa: E402
import argparse
import os
import shlex
import sys
import time
from collections.abc import Sequence
from typing import get_args

from deploy.local.checkout import Instance
from deploy.local.demo import run_demo
from deploy.local.environment import BROKERS, local_services
from deploy.local.errors import LocalError
from deploy.local.instance_lock import SHARED, join
from deploy.local.rabbitmq import is_installed as rabbitmq_is_installed
from deploy.local.run_command import run_command, with_our_terminal
from deploy.local.signals import end_in_good_order
from deploy.local.smoke import run_smoke
from deploy.local.stack import WayOfMail

INTERRUPTED = 130
MAIL = get_args(WayOfMail)


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    end_in_good_order()
    try:
        return int(options.act(options) or 0)
    except LocalError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    except PermissionError as error:
        print(f"\n{error.filename} belongs to another user. Start as that user, or remove it.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        # For the demo and the services this is how they end; for a test run it means that it is not finished.
        return 0 if options.act in (_demo, _services) else INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m deploy.local", description=__doc__)
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    default_broker = os.environ.get("BROKER") or BROKERS[0]
    default_mail = os.environ.get("MAIL") or MAIL[0]
    if default_mail.startswith("/"):
        default_mail = MAIL[0]  # login shells keep the path of their user's mailbox in this variable

    demo = verbs.add_parser("demo", help="everything, with shows to buy tickets for, until Ctrl-C")
    demo.add_argument("--broker", default=default_broker)
    demo.add_argument("--port", type=int, default=os.environ.get("PORT") or None)
    demo.add_argument("--mail", type=_way_of_mail, default=default_mail, help=" or ".join(MAIL))
    demo.set_defaults(act=_demo)

    smoke = verbs.add_parser("smoke", help="buy two tickets over HTTP and follow them to the QR code")
    smoke.add_argument("--broker", default=default_broker)
    smoke.add_argument("--mail", type=_way_of_mail, default=default_mail, help=" or ".join(MAIL))
    smoke.set_defaults(act=_smoke)

    services = verbs.add_parser("services", help="the servers alone, until Ctrl-C; prints how to reach them")
    services.add_argument("--in", dest="instance", default="demo", help="which data: demo by default")
    services.add_argument("--broker", action="append")
    services.set_defaults(act=_services)

    run = verbs.add_parser("run", help="run a command with the servers up; joins them when they run already")
    run.add_argument("--in", dest="instance", default="demo", help="which data: demo by default")
    run.add_argument("--broker", action="append")
    run.add_argument("--all-brokers", action="store_true", help="both brokers, or what is installed of them")
    run.add_argument("--fresh", action="store_true", help="begin without data, and join nobody")
    run.add_argument("--test-processes", type=int, default=1, metavar="N", help="as many may run tests at once")
    run.add_argument("command", nargs="+", help="after --")
    run.set_defaults(act=_run)
    return parser


def _way_of_mail(given: str) -> str:
    if given not in MAIL:
        raise argparse.ArgumentTypeError(f"mails do not go by {given!r}; set MAIL to {' or '.join(MAIL)}")
    return given


def _demo(options: argparse.Namespace) -> None:
    run_demo(broker=options.broker, port=options.port, mail=options.mail)


def _smoke(options: argparse.Namespace) -> int:
    return run_smoke(broker=options.broker, mail=options.mail)


def _services(options: argparse.Namespace) -> None:
    brokers = options.broker or [os.environ.get("BROKER") or BROKERS[0]]
    with local_services(instance=Instance(options.instance), brokers=brokers) as environment:
        for name in sorted(SHARED & environment.keys()):
            print(f"export {name}={shlex.quote(environment[name])}")
        print("# Ctrl-C stops the servers.", flush=True)
        while True:
            time.sleep(3600)


def _run(options: argparse.Namespace) -> int:
    instance = Instance(options.instance)
    brokers = _all_brokers() if options.all_brokers else options.broker or [os.environ.get("BROKER") or BROKERS[0]]
    running = None if options.fresh else join(instance)
    if running is not None:
        return run_command(options.command, environment=with_our_terminal(running))
    with local_services(
        instance=instance,
        brokers=brokers,
        fresh=options.fresh,
        safe_against_power_loss=not options.fresh,
        test_processes=options.test_processes,
    ) as environment:
        return run_command(options.command, environment=environment)


def _all_brokers() -> list[str]:
    if rabbitmq_is_installed():
        return list(BROKERS)
    print("!! SKIPPED: every test on RabbitMQ. Install it with: sudo apt-get install rabbitmq-server", file=sys.stderr)
    return ["redis"]


if __name__ == "__main__":
    sys.exit(main())

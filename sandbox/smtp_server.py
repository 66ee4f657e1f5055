"""The mail server: takes every mail, keeps it in the mailbox, and fails as its knobs say."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable

from aiosmtpd.smtp import SMTP, Envelope, Session

from sandbox.knobs import KnobFile, Knobs, smtp_knobs
from sandbox.mailbox import Mailbox
from sandbox.settings import HOST, SANDBOX_MAILDIR, SMTP_PORT

LARGEST_MAIL = 35 * 1024 * 1024  # bytes, about what real providers take

_WORDS = {4: "Try again later, please", 5: "This mail is refused"}


class Handler:
    """aiosmtpd calls these for each command; the returned text is the server's answer."""

    def __init__(self, mailbox: Mailbox, knobs: KnobFile[Knobs]) -> None:
        self.mailbox = mailbox
        self.knobs = knobs

    async def handle_RCPT(  # noqa: N802 - aiosmtpd finds it by this name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Take a recipient, unless the knobs refuse it."""
        refusal = self._refusal("recipient", address)
        if refusal:
            await self._take_time()
            return refusal
        envelope.rcpt_tos.append(address)
        envelope.rcpt_options.extend(options)
        return "250 OK"

    async def handle_DATA(  # noqa: N802 - likewise
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        """Keep the mail, unless the knobs refuse it."""
        await self._take_time()
        refusal = self._refusal("data", envelope.rcpt_tos[0])
        if refusal:
            return refusal
        content = envelope.original_content or b""
        message_id = self.mailbox.store(content=content, sender=envelope.mail_from or "", recipients=envelope.rcpt_tos)
        if isinstance(server.transport, asyncio.Transport) and self.knobs.use_up("lose_answers"):
            server.transport.abort()
        return f"250 Kept as {message_id}"

    async def _take_time(self) -> None:
        await asyncio.sleep(self.knobs.read().latency_ms / 1000)

    def _refusal(self, stage: str, address: str) -> str | None:
        knobs = self.knobs.read()
        if knobs.fail_at != stage or not self.knobs.use_up("fail_next"):
            return None
        # Real servers quote the address; so does this one, so that nobody logs it unawares.
        kind = knobs.fail_code // 100
        return f"{knobs.fail_code} {knobs.fail_text or f'{kind}.0.0 <{address}> {_WORDS[kind]}'}"


def serve() -> int:
    """Serve on 127.0.0.1 until SIGTERM or Ctrl-C."""
    return asyncio.run(_serve())


async def _serve() -> int:
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    handler = Handler(Mailbox(SANDBOX_MAILDIR), smtp_knobs(SANDBOX_MAILDIR))
    server = await loop.create_server(_protocol(handler), HOST, SMTP_PORT)
    port = server.sockets[0].getsockname()[1]
    sys.stdout.write(f"READY smtp://{HOST}:{port} keeping mails in {SANDBOX_MAILDIR}\n")
    sys.stdout.flush()
    await stopped.wait()
    server.close()
    return 0


def _protocol(handler: Handler) -> Callable[[], SMTP]:
    return lambda: SMTP(handler, hostname="sandbox.localhost", data_size_limit=LARGEST_MAIL, enable_SMTPUTF8=True)

"""What smtplib raises for each answer of a real SMTP server, and how it is classed."""

from __future__ import annotations

import smtplib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

from jobs.failures.classify import asked_delay, classify
from jobs.failures.retry import FailureClass
from tests.fixtures_failures import Behaviour

T, P = FailureClass.TRANSIENT, FailureClass.PERMANENT


class Answers:
    """aiosmtpd's handler: each step is answered as the test has set it, each recipient by the code in its name."""

    def __init__(self) -> None:
        self.sender = self.content = "250 OK"

    async def handle_MAIL(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:  # noqa: N802
        envelope.mail_from = address
        return self.sender

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:  # noqa: N802
        code = address.partition("@")[0]
        if code == "250":
            envelope.rcpt_tos.append(address)
        return f"{code} so it is"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        return self.content


class OnAnyFreePort(Controller):
    """aiosmtpd's own looks for its server at the port that it was told, which is 0."""

    def _trigger_server(self) -> None:
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[Answers, int]]:
    answers = Answers()
    controller = OnAnyFreePort(
        answers,
        hostname="127.0.0.1",
        port=0,
        auth_require_tls=False,
        authenticator=lambda *_: AuthResult(success=False, handled=False),
        server_hostname="mail.example",
    )
    controller.start()
    yield answers, controller.port
    controller.stop()


@pytest.fixture
def answers(server: tuple[Answers, int]) -> Answers:
    server[0].sender = server[0].content = "250 OK"
    return server[0]


def failure_of(call: Callable[[], Any]) -> Exception:
    try:
        call()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def send(port: int, *recipients: str, seconds: float = 10) -> Callable[[], Any]:
    def _send() -> None:
        with smtplib.SMTP("127.0.0.1", port, local_hostname="here.example", timeout=seconds) as client:
            client.sendmail("box@office.example", recipients or ["250@fan.example"], "Subject: tickets\n\n")

    return _send


@pytest.mark.parametrize(("code", "failure"), [(421, T), (451, T), (452, T), (530, P), (550, P), (552, P)])
def test_a_refused_sender_is_classed_by_the_servers_code(
    server: tuple[Answers, int], answers: Answers, code: int, failure: FailureClass
) -> None:
    answers.sender = f"{code} no"
    error = failure_of(send(server[1]))
    assert isinstance(error, smtplib.SMTPSenderRefused)
    assert classify(error) is failure
    assert asked_delay(error) is None


@pytest.mark.parametrize(("code", "failure"), [(421, T), (450, T), (451, T), (550, P), (554, P)])
def test_refused_content_is_classed_by_the_servers_code(
    server: tuple[Answers, int], answers: Answers, code: int, failure: FailureClass
) -> None:
    answers.content = f"{code} no"
    error = failure_of(send(server[1]))
    assert isinstance(error, smtplib.SMTPDataError)
    assert classify(error) is failure


@pytest.mark.parametrize(
    ("codes", "failure"),
    [((450,), T), ((550,), P), ((450, 451), T), ((550, 553), P), ((550, 450), T), ((451, 554), T)],
)
def test_of_several_refused_recipients_one_that_may_be_taken_later_is_enough(
    server: tuple[Answers, int], answers: Answers, codes: tuple[int, ...], failure: FailureClass
) -> None:
    error = failure_of(send(server[1], *(f"{code}@fan.example" for code in codes)))
    assert isinstance(error, smtplib.SMTPRecipientsRefused)
    assert classify(error) is failure


def test_a_wrong_password_stays_wrong(server: tuple[Answers, int], answers: Answers) -> None:
    def log_in() -> None:
        with smtplib.SMTP("127.0.0.1", server[1], local_hostname="here.example", timeout=10) as client:
            client.login("box", "wrong")

    error = failure_of(log_in)
    assert isinstance(error, smtplib.SMTPAuthenticationError)
    assert classify(error) is P


def test_a_server_that_lacks_what_the_message_needs_will_lack_it_again(
    server: tuple[Answers, int], answers: Answers
) -> None:
    def start_tls() -> None:
        with smtplib.SMTP("127.0.0.1", server[1], local_hostname="here.example", timeout=10) as client:
            client.starttls()

    error = failure_of(start_tls)
    assert isinstance(error, smtplib.SMTPNotSupportedError)
    assert classify(error) is P


@pytest.mark.parametrize(("greeting", "failure"), [(b"421 busy", T), (b"554 no mail here", P), (b"what?", T)])
def test_a_server_that_greets_with_a_refusal_is_classed_by_its_code(
    serve: Callable[[Behaviour], int], greeting: bytes, failure: FailureClass
) -> None:
    error = failure_of(send(serve(lambda connection: connection.sendall(greeting + b"\r\n"))))
    assert isinstance(error, smtplib.SMTPConnectError)
    assert classify(error) is failure


def test_a_server_that_hangs_up_may_not_next_time(serve: Callable[[Behaviour], int]) -> None:
    error = failure_of(send(serve(lambda connection: connection.sendall(b"220 hello\r\n"))))
    assert isinstance(error, smtplib.SMTPServerDisconnected)
    assert classify(error) is T


def test_nobody_answers(refusing_port: int) -> None:
    assert classify(failure_of(send(refusing_port))) is T


def test_no_answer_comes_in_time(hanging_port: int) -> None:
    assert classify(failure_of(send(hanging_port, seconds=0.2))) is T

"""Servers that fail in the ways in which providers fail, all on 127.0.0.1."""

from __future__ import annotations

import datetime
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

Behaviour = Callable[[socket.socket], object]


@dataclass
class AnsweringServer:
    """An HTTP server that gives every request the same answer: the one that the test has set last."""

    port: int = 0
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b"{}"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def answer(self, status: int, headers: dict[str, str] | None = None, body: bytes = b"{}") -> None:
        self.status, self.headers, self.body = status, headers or {}, body


@pytest.fixture(scope="session")
def answering_server() -> Iterator[AnsweringServer]:
    answers = AnsweringServer()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.send_response_only(answers.status)
            for name, value in {"Content-Length": str(len(answers.body)), **answers.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answers.body)

        do_GET = do_POST = do_PUT = answer  # noqa: N815

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    answers.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    yield answers
    server.shutdown()
    server.server_close()


@pytest.fixture
def refusing_port() -> Iterator[int]:
    """A port that is taken, so that nobody else gets it, and that nobody listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


@pytest.fixture
def hanging_port() -> Iterator[int]:
    """A server that takes connections and never says a word."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(8)
        yield silent.getsockname()[1]


@pytest.fixture
def serve() -> Iterator[Callable[[Behaviour], int]]:
    """Start a server that treats each connection like this; return its port."""
    with ExitStack() as servers:
        yield lambda behaviour: servers.enter_context(_each_connection(behaviour))


@pytest.fixture
def closing_port(serve: Callable[[Behaviour], int]) -> int:
    """A server that hangs up as soon as it has heard something."""
    return serve(lambda connection: connection.recv(65536))


@pytest.fixture
def half_answering_port(serve: Callable[[Behaviour], int]) -> int:
    """An HTTP server that hangs up in the middle of its answer."""

    def answer_by_half(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")

    return serve(answer_by_half)


@pytest.fixture(scope="session")
def self_signed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate that nobody has vouched for, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("tls") / "self-signed.pem"
    file.write_bytes(
        certificate.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return file


@pytest.fixture
def wrongly_certified_port(self_signed: Path, serve: Callable[[Behaviour], int]) -> int:
    """A TLS server whose certificate cannot be verified."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(self_signed)
    return serve(lambda connection: context.wrap_socket(connection, server_side=True).close())


@contextmanager
def _each_connection(behave: Behaviour) -> Iterator[int]:
    """A server that treats each connection like this, until the block ends."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(8)

        def serve() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return  # the test is over
                with connection:
                    try:
                        behave(connection)
                    except OSError:
                        continue  # the client has hung up

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)  # ends accept
    thread.join(5)

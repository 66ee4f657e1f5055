"""Certificates and names as a scan asks for them."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from snip.scan import resolve
from snip.scan.follow import Scanner
from snip.scan.policy import Policy
from snip.scan.refusals import Reason
from snip.scan.resolve import NameUnanswered, NameUnknown, ask_system
from tests.fixtures_link_scanner import Names
from tests.processes import wait_for_end
from tests.scanned_targets import why


@pytest.fixture
def tls_port(tmp_path: Path) -> Iterator[tuple[int, Path, list[str | None]]]:
    """A TLS server for ``site.example.com``: its port, its certificate, and the names that it was asked for."""
    certificate = tmp_path / "site.pem"
    certificate.write_bytes(_certificate("site.example.com"))
    context, asked = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), list[str | None]()
    context.load_cert_chain(certificate)
    context.sni_callback = lambda _socket, name, _context: asked.append(name)
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection = listener.accept()[0]
            except OSError:
                return
            try:
                with context.wrap_socket(connection, server_side=True) as secured:
                    secured.recv(4096)
                    secured.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            except OSError:
                connection.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield listener.getsockname()[1], certificate, asked
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    wait_for_end(thread)


def _certificate(name: str) -> bytes:
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    signed = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return private + signed.public_bytes(serialization.Encoding.PEM)


def test_the_certificate_is_asked_for_by_name_though_the_connection_goes_to_the_address(
    tls_port: tuple[int, Path, list[str | None]], scanned_names: Names
) -> None:
    port, certificate, asked = tls_port
    scanned_names.answers["other.example.com"] = [["127.0.0.1"]]
    policy = Policy(ports=frozenset({port}), networks=(ip_network("127.0.0.1/32"),), seconds=5)
    scanner = Scanner(policy=policy, is_blocked=lambda _: False, resolver=scanned_names)
    assert why(scanner, f"https://site.example.com:{port}/") == (Reason.CERTIFICATE, 0)
    trusting = replace(scanner, trust=ssl.create_default_context(cafile=str(certificate)))
    assert trusting.follow(f"https://site.example.com:{port}/").hops == 0
    assert asked == ["site.example.com"] * 2
    assert why(trusting, f"https://other.example.com:{port}/") == (Reason.CERTIFICATE, 0)


@pytest.mark.parametrize(
    ("failure", "raised"),
    [
        (socket.gaierror(socket.EAI_NONAME, "no name"), NameUnknown),
        (socket.gaierror(socket.EAI_AGAIN, "try again"), NameUnanswered),
        (OSError("out of files"), NameUnanswered),
        (UnicodeError("label too long"), NameUnanswered),
    ],
)
def test_a_name_that_nobody_knows_differs_from_one_that_nobody_could_look_up(
    monkeypatch: pytest.MonkeyPatch, failure: Exception, raised: type[Exception]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise failure

    monkeypatch.setattr(resolve.socket, "getaddrinfo", fail)
    with pytest.raises(raised):
        ask_system("site.example.com", 2)


def test_a_look_up_that_hangs_is_not_waited_for_and_the_name_is_absolute(monkeypatch: pytest.MonkeyPatch) -> None:
    free, asked = threading.Event(), list[str]()

    def hang(host: str, *_: object, **__: object) -> list[object]:
        asked.append(host)
        free.wait(10)
        return []

    monkeypatch.setattr(resolve.socket, "getaddrinfo", hang)
    with pytest.raises(NameUnanswered, match="did not answer"):
        ask_system("site.example.com", 0.05)
    free.set()
    assert asked == ["site.example.com."]

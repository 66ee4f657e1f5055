"""The sandbox as programs and people meet it: real processes, real SMTP, real HTTP."""

from __future__ import annotations

import json
import smtplib
import socket
from email.message import EmailMessage
from http.client import HTTPConnection, HTTPResponse
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest

from tests.fixtures_notifications import MailServer


def send(server: MailServer, to: str = "ada@example.org", *, html: str = "<p>Hello</p>", **headers: str) -> bytes:
    """Send a mail with text, HTML and a file, and return the file."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "BoxOffice <t@boxoffice.example>", to, "Hello"
    for name, value in headers.items():
        del message[name]
        message[name] = value
    message.set_content("Hello, see https://example.org/a?b=1.\n")
    message.add_alternative(html, subtype="html")
    file = bytes(range(256)) * 40
    message.add_attachment(file, maintype="application", subtype="octet-stream", filename="Ä file.bin")
    with smtplib.SMTP("127.0.0.1", server.port, timeout=10) as client:
        client.send_message(message)
    return file


def ask(
    server: MailServer, path: str, *, method: str = "GET", body: bytes | None = None, **headers: str
) -> HTTPResponse:
    """One request with a path exactly as given."""
    client = HTTPConnection(urlsplit(server.address).netloc, timeout=10)
    client.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
    return client.getresponse()


def test_mails_are_listed_newest_first_and_found_by_their_address(mail_server: MailServer) -> None:
    for to in ("ada@example.org", "alan@example.org", "Ada@Example.org"):
        send(mail_server, to)
    found = mail_server.messages()
    assert [message["to"] for message in found] == [["ada@example.org"], ["alan@example.org"], ["ada@example.org"]]
    assert [message["received_at"] for message in found] == sorted(
        (message["received_at"] for message in found), reverse=True
    )
    assert len(mail_server.messages(to="ADA@example.org")) == 2
    assert mail_server.messages(to="grace@example.org") == []
    assert len(mail_server.messages(limit=1)) == 1


def test_a_message_tells_its_text_links_and_attachments(mail_server: MailServer) -> None:
    file = send(mail_server)
    message = mail_server.only_message()
    assert message["from"] == "BoxOffice <t@boxoffice.example>"
    assert message["received_at"].endswith("+00:00")
    assert message["links"] == ["https://example.org/a?b=1"]
    (attachment,) = message["attachments"]
    assert (attachment["name"], attachment["content_type"]) == ("Ä file.bin", "application/octet-stream")
    assert attachment["size"] == len(file)
    assert mail_server.fetch(attachment["url"]) == file
    raw = mail_server.fetch(message["raw_url"])
    assert raw.startswith(b"Return-Path: <t@boxoffice.example>\r\nDelivered-To: ada@example.org\r\n")
    assert b"\r\n\r\n" in raw


def test_people_see_the_list_the_mail_and_its_files(mail_server: MailServer) -> None:
    assert "No mail yet" in mail_server.fetch(mail_server.address).decode()
    send(mail_server)
    assert "Hello" in mail_server.fetch(mail_server.address).decode()
    page = mail_server.fetch(mail_server.only_message()["url"]).decode()
    assert "Hello, see https://example.org/a?b=1." in page
    assert "Ä file.bin" in page
    assert (
        "No mail to grace@example.org yet" in mail_server.fetch(f"{mail_server.address}?to=grace@example.org").decode()
    )


def test_a_mail_is_shown_in_a_frame_where_no_script_runs_and_nothing_is_fetched(mail_server: MailServer) -> None:
    send(mail_server, html="<script>alert(1)</script><img src=http://127.0.0.1:1/x><form action=/knobs/>")
    message = mail_server.only_message()
    page = mail_server.fetch(message["url"]).decode()
    assert "<script>alert" not in page
    frame = page.partition("<iframe")[2].partition(">")[0]
    assert "sandbox=" in frame
    assert "allow-scripts" not in frame
    assert "allow-same-origin" not in frame
    answer = ask(mail_server, urlsplit(message["url"]).path + "html")
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "allow-scripts" not in policy
    assert "<script>alert(1)</script>" in answer.read().decode()  # as it came; it is the policy that disarms it


def test_html_in_a_header_is_text(mail_server: MailServer) -> None:
    send(mail_server, Subject="<script>alert(1)</script>")
    for address in (mail_server.address, mail_server.only_message()["url"]):
        assert "<script>alert" not in mail_server.fetch(address).decode()


@pytest.mark.parametrize("path", ["/", "/knobs/", "/nowhere"])
def test_every_page_has_a_policy_without_inline_script_or_style(mail_server: MailServer, path: str) -> None:
    policy = ask(mail_server, path).headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_a_file_is_saved_and_never_shown(mail_server: MailServer) -> None:
    send(mail_server)
    message = mail_server.only_message()
    for address in (message["raw_url"], message["attachments"][0]["url"]):
        answer = ask(mail_server, urlsplit(address).path)
        assert answer.headers["Content-Disposition"].startswith("attachment")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    "path",
    [
        "/messages/../../../../etc/passwd/",
        "/messages/..%2f..%2f..%2fetc%2fpasswd/",
        "/messages/%2e%2e/raw.eml",
        "/messages/knobs.json/raw.eml",
        "/messages/0000000000000.000000000000/",
        "/messages/0000000000000.000000000000%00/raw.eml",
        "/assets/..%2fsettings.py",
        "/assets/%2e%2e/settings.py",
        "/assets/settings.py",
        "/api/messages/..%2fknobs.json",
    ],
)
def test_no_address_leads_out_of_the_mailbox(mail_server: MailServer, path: str) -> None:
    answer = ask(mail_server, path)
    assert answer.status == 404
    assert "root:" not in answer.read().decode()


def test_an_attachment_that_is_not_there_is_not_found(mail_server: MailServer) -> None:
    send(mail_server)
    address = urlsplit(mail_server.only_message()["attachments"][0]["url"]).path
    assert ask(mail_server, address[:-1] + "7").status == 404


def test_a_mail_that_is_still_being_written_is_not_shown(mail_server: MailServer) -> None:
    (mail_server.folder / "tmp" / "1795976074346.a89a1714ab7f").write_bytes(b"Subject: half")
    (mail_server.folder / "new" / "notes.txt").write_text("not a mail")
    assert mail_server.messages() == []


def test_a_broken_mail_is_shown_as_far_as_it_goes(mail_server: MailServer) -> None:
    with smtplib.SMTP("127.0.0.1", mail_server.port, timeout=10) as client:
        client.sendmail("a@b.org", ["ada@example.org"], b"\xff\xfe no header at all\r\nContent-Type: nonsense; =\r\n")
    assert "(no subject)" in mail_server.fetch(mail_server.address).decode()
    assert ask(mail_server, urlsplit(mail_server.messages()[0]["url"]).path).status == 200


def test_the_knobs_make_the_next_mails_fail_and_count_down(mail_server: MailServer) -> None:
    mail_server.turn(fail_next=2, fail_code=451)
    for _ in range(2):
        with pytest.raises(smtplib.SMTPDataError) as refused:
            send(mail_server)
        assert refused.value.smtp_code == 451
    assert mail_server.get("api/knobs")["fail_next"] == 0
    send(mail_server)
    assert len(mail_server.messages()) == 1


def test_minus_one_refuses_all_mails_until_it_is_turned_back(mail_server: MailServer) -> None:
    mail_server.turn(fail_next=-1, fail_code=550, fail_at="recipient")
    for _ in range(3):
        with pytest.raises(smtplib.SMTPRecipientsRefused):
            send(mail_server)
    mail_server.turn(fail_next=0)
    send(mail_server)


def test_latency_makes_a_client_with_less_patience_give_up(mail_server: MailServer) -> None:
    mail_server.turn(latency_ms=5000)
    with smtplib.SMTP("127.0.0.1", mail_server.port, timeout=0.3) as client:
        with pytest.raises((TimeoutError, smtplib.SMTPServerDisconnected)):
            client.sendmail("a@b.org", ["ada@example.org"], b"Subject: x\r\n\r\nx")
        client.close()


def test_a_lost_answer_keeps_the_mail_and_breaks_the_connection(mail_server: MailServer) -> None:
    mail_server.turn(lose_answers=1)
    with pytest.raises(smtplib.SMTPServerDisconnected):
        send(mail_server)
    assert len(mail_server.messages()) == 1


@pytest.mark.parametrize(
    "knobs",
    [{"latency_ms": -1}, {"latency_ms": "300"}, {"latency_ms": True}, {"fail_code": 250}, {"fail_at": "nowhere"},
     {"fail_next": -2}, {"fail_text": "a\r\nb"}, {"fail_text": 7}, {"volume": 11}],
)  # fmt: skip
def test_a_knob_turned_too_far_is_refused_and_nothing_changes(mail_server: MailServer, knobs: dict[str, Any]) -> None:
    before = mail_server.get("api/knobs")
    with pytest.raises(HTTPError) as refused:
        mail_server.turn(**knobs)
    assert refused.value.code == 422
    assert json.load(refused.value)["error"]
    assert mail_server.get("api/knobs") == before


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [(b"{", "application/json", 400), (b"[]", "application/json", 422), (b"{}", "text/plain", 415)],
)
def test_what_is_no_json_object_is_refused(
    mail_server: MailServer, body: bytes, content_type: str, status: int
) -> None:
    answer = ask(mail_server, "/api/knobs", method="POST", body=body, Content_Type=content_type)
    assert answer.status == status


def test_the_form_turns_the_knobs_only_with_its_own_token(mail_server: MailServer) -> None:
    answer = urlopen(f"{mail_server.address}knobs/", timeout=10)
    cookie = answer.headers["Set-Cookie"].partition(";")[0]
    token = answer.read().decode().partition('csrfmiddlewaretoken" value="')[2].partition('"')[0]
    form = "latency_ms=7&fail_next=0&fail_code=451&fail_text=&fail_at=data&lose_answers=0"
    with pytest.raises(HTTPError) as refused:
        urlopen(Request(f"{mail_server.address}knobs/", form.encode()), timeout=10)
    assert refused.value.code == 403
    turned = urlopen(
        Request(f"{mail_server.address}knobs/", f"{form}&csrfmiddlewaretoken={token}".encode(), {"Cookie": cookie}),
        timeout=10,
    )
    assert "Turned" in turned.read().decode()
    assert mail_server.get("api/knobs")["latency_ms"] == 7


def test_another_name_for_this_machine_is_refused(mail_server: MailServer) -> None:
    assert ask(mail_server, "/api/messages", Host="evil.example").status == 400


@pytest.mark.parametrize("limit", ["0", "-1", "501", "many"])
def test_a_limit_that_is_none_is_refused(mail_server: MailServer, limit: str) -> None:
    with pytest.raises(HTTPError) as refused:
        mail_server.messages(limit=limit)
    assert refused.value.code == 400


def test_both_listen_on_this_machine_only(mail_server: MailServer) -> None:
    addresses = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for address in addresses - {"127.0.0.1"}:
        for port in (mail_server.port, urlsplit(mail_server.address).port):
            with pytest.raises(OSError), socket.create_connection((address, port), timeout=1):
                pass

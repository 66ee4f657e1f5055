"""The stand-in is as strict as the RFCs allow: what is not right is not taken, and what waits follows its headers."""

from __future__ import annotations

import json
import time
import urllib.error
from typing import Any
from urllib.request import Request, urlopen

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from py_vapid import Vapid02
from pywebpush import WebPusher

from sandbox.push.base64url import decoded, encoded
from sandbox.push.browser_keys import BrowserKeys, Unreadable
from tests.fixtures_push import PushService

HEADERS = {"TTL": "60", "Content-Encoding": "aes128gcm", "Content-Type": "application/octet-stream"}


def signer() -> Vapid02:
    vapid = Vapid02()
    vapid.generate_keys()
    return vapid


def authorization(service: PushService, vapid: Vapid02 | None = None, **claims: Any) -> str:
    given = {"sub": "mailto:ada@example.org", "aud": service.address, "exp": int(time.time()) + 3600, **claims}
    return (vapid or signer()).sign(given)["Authorization"]


def send(
    browser: dict[str, Any], headers: dict[str, str | None], body: bytes | None = None, method: str = "POST"
) -> tuple[int, Any]:
    body = WebPusher(browser).encode(b"hello")["body"] if body is None else body
    given = {name: value for name, value in {**HEADERS, **headers}.items() if value is not None}
    request = Request(browser["endpoint"], body, given, method=method)
    try:
        with urlopen(request, timeout=10) as answer:
            return answer.status, answer.headers
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_the_example_of_rfc_8291_is_read() -> None:
    private = ec.derive_private_key(
        int.from_bytes(decoded("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"), "big"), ec.SECP256R1()
    )
    keys = BrowserKeys(private=private, auth=decoded("BTBZMqHH6r4Tts7J_aSIgg"))
    assert encoded(keys.point) == (
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    )
    body = decoded(
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_"
        "yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )
    assert keys.read(body) == b"When I grow up, I want to be a watermelon"
    with pytest.raises(Unreadable):
        keys.read(body[:-1] + bytes([body[-1] ^ 1]))


def test_what_the_library_sends_is_taken_and_answered_as_the_rfc_says(push_service: PushService) -> None:
    browser = push_service.new_browser()
    status, headers = send(browser, {"Authorization": authorization(push_service), "Topic": "a" * 32})
    assert (status, headers["TTL"]) == (201, "60")
    assert headers["Location"].startswith(f"{push_service.address}/message/")
    (message,) = push_service.messages(browser["endpoint"])
    assert (message["text"], message["urgency"], message["state"]) == ("hello", "normal", "delivered")


@pytest.mark.parametrize(
    ("headers", "status", "words"),
    [
        ({"TTL": None}, 400, "TTL"),
        ({"TTL": "-1"}, 400, "TTL"),
        ({"TTL": "soon"}, 400, "TTL"),
        ({"Urgency": "now"}, 400, "Urgency"),
        ({"Topic": "a" * 33}, 400, "Topic"),
        ({"Topic": "a b"}, 400, "Topic"),
        ({"Content-Encoding": "aesgcm"}, 400, "aes128gcm"),
        ({"Content-Encoding": None}, 400, "aes128gcm"),
        ({"Authorization": None}, 401, "Authorization"),
        ({"Authorization": "Bearer abc"}, 401, "vapid"),
        ({"Authorization": "vapid t=a.b.c,k=d"}, 401, "read"),
    ],
)
def test_a_header_that_is_wrong_or_missing_is_refused(
    headers: dict[str, str | None], status: int, words: str, push_service: PushService
) -> None:
    answer, said = send(push_service.new_browser(), {"Authorization": authorization(push_service), **headers})
    assert answer == status
    assert words in said
    assert push_service.messages() == []


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ({"aud": "https://push.example.org"}, "aud"),
        ({"exp": 1}, "exp"),
        ({"exp": int(time.time()) + 100_000}, "exp"),
    ],
)
def test_a_token_for_others_or_past_its_time_is_refused(
    claims: dict[str, Any], words: str, push_service: PushService
) -> None:
    answer, said = send(push_service.new_browser(), {"Authorization": authorization(push_service, **claims)})
    assert answer == 401
    assert words in said


def test_a_token_that_another_key_signed_is_refused(push_service: PushService) -> None:
    ours, theirs = authorization(push_service), authorization(push_service)
    forged = ours.partition(",k=")[0] + ",k=" + theirs.partition(",k=")[2]
    answer, said = send(push_service.new_browser(), {"Authorization": forged})
    assert (answer, "not by k" in said) == (401, True)


def test_a_subscription_takes_messages_of_the_key_that_it_was_made_with_alone(push_service: PushService) -> None:
    ours = signer()
    key = authorization(push_service, ours).partition(",k=")[2]
    browser = push_service.new_browser(application_server_key=key)
    assert send(browser, {"Authorization": authorization(push_service)})[0] == 403
    assert send(browser, {"Authorization": authorization(push_service, ours)})[0] == 201


def test_what_a_browser_could_not_read_is_refused(push_service: PushService) -> None:
    browser, other = push_service.new_browser(), push_service.new_browser()
    signed = {"Authorization": authorization(push_service)}
    for_another = WebPusher(other).encode(b"hello")["body"]
    assert send(browser, signed, for_another)[0] == 400
    assert send(browser, signed, b"hello")[0] == 400
    assert send(browser, signed, b"x" * 4097)[0] == 413
    assert send(browser, signed, method="PUT")[0] == 405
    assert push_service.messages() == []


def test_an_unknown_subscription_and_an_ended_one_are_told_apart(push_service: PushService) -> None:
    browser = push_service.new_browser()
    signed = {"Authorization": authorization(push_service)}
    push_service.end(browser["endpoint"])
    assert send(browser, signed)[0] == 410
    assert send({**browser, "endpoint": f"{push_service.address}/push/unknown"}, signed)[0] == 404


def test_a_message_waits_for_its_browser_as_long_as_its_ttl(push_service: PushService) -> None:
    browser = push_service.new_browser()
    push_service.turn(offline=True)
    for ttl in ("0", "60", "3600"):
        assert send(browser, {"Authorization": authorization(push_service), "TTL": ttl})[0] == 201
    assert [message["state"] for message in push_service.messages()] == ["expired", "waiting", "waiting"]
    push_service.turn(clock_offset_s=100)
    push_service.turn(offline=False)
    assert [message["state"] for message in push_service.messages()] == ["expired", "expired", "delivered"]


def test_the_pages_show_what_arrived_and_turn_the_knobs(push_service: PushService) -> None:
    browser = push_service.new_browser()
    words = json.dumps({"title": "Your <b>tickets</b>", "body": "Row 1"}).encode()
    send(browser, {"Authorization": authorization(push_service)}, WebPusher(browser).encode(words)["body"])
    with urlopen(f"{push_service.address}/", timeout=10) as answer:
        page = answer.read().decode()
    assert "Your &lt;b&gt;tickets&lt;/b&gt;" in page
    assert "mailto:ada@example.org" in page
    with urlopen(f"{push_service.address}/knobs/", timeout=10) as answer:
        assert 'name="fail_status"' in answer.read().decode()
    with pytest.raises(urllib.error.HTTPError) as raised:
        push_service.turn(fail_status=200)
    assert raised.value.code == 422

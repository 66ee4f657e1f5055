"""Which addresses a push message may be sent to."""

from __future__ import annotations

import pytest

from notifications.channels.push.endpoint import is_of_a_push_service

SERVICES = ["fcm.googleapis.com", "*.push.services.mozilla.com", "*.notify.windows.com", "web.push.apple.com"]
STAND_IN = "http://127.0.0.1:8027"


@pytest.mark.parametrize(
    "endpoint",
    [
        "https://fcm.googleapis.com/fcm/send/dQw4w9WgXcQ:APA91bF-_x",
        "https://fcm.googleapis.com/wp/dQw4w9WgXcQ",
        "https://updates.push.services.mozilla.com/wpush/v2/gAAAAABk_x-Y=",
        "https://wns2-par02p.notify.windows.com/w/?token=BQYAAAD%2bx%3d%3d",
        "https://web.push.apple.com/QGuQyavXutnMH",
        "https://fcm.googleapis.com/wp/a@b",
    ],
)
def test_the_services_of_the_known_browsers_are_taken(endpoint: str) -> None:
    assert is_of_a_push_service(endpoint, services=SERVICES)


@pytest.mark.parametrize(
    "endpoint",
    [
        "",
        "fcm.googleapis.com/x",
        "//fcm.googleapis.com/x",
        "http://fcm.googleapis.com/x",
        "ftp://fcm.googleapis.com/x",
        "file:///etc/passwd",
        "https://evil.example/x",
        "https://fcm.googleapis.com.evil.example/x",
        "https://evil-fcm.googleapis.com/x",
        "https://sub.fcm.googleapis.com/x",
        "https://googleapis.com/x",
        "https://storage.googleapis.com/x",
        # Below a name means below it, and by a label of its own.
        "https://push.services.mozilla.com/x",
        "https://evilpush.services.mozilla.com/x",
        "https://.push.services.mozilla.com/x",
        "https://a..push.services.mozilla.com/x",
        "https://*.push.services.mozilla.com/x",
        # Userinfo, which some read as the host.
        "https://fcm.googleapis.com@evil.example/x",
        "https://user@fcm.googleapis.com/x",
        "https://user:password@fcm.googleapis.com/x",
        "https://evil.example\\@fcm.googleapis.com/x",
        "https://fcm.googleapis.com\\@evil.example/x",
        "https://fcm.googleapis.com\\.evil.example/x",
        "https://evil.example#@fcm.googleapis.com/x",
        "https://evil.example?@fcm.googleapis.com/x",
        "https://evil.example/@fcm.googleapis.com/x",
        # Ports, and what is none.
        "https://fcm.googleapis.com:443/x",
        "https://fcm.googleapis.com:80/x",
        "https://fcm.googleapis.com:6379/x",
        "https://fcm.googleapis.com:/x",
        "https://fcm.googleapis.com:443@evil.example/x",
        # Addresses of machines.
        "https://127.0.0.1/x",
        "https://[::1]/x",
        "https://[::ffff:127.0.0.1]/x",
        "https://2130706433/x",
        "https://0x7f000001/x",
        "https://0177.0.0.1/x",
        "https://169.254.169.254/latest/meta-data/",
        "https://localhost/x",
        "https://127.0.0.1.fcm.googleapis.com/x",
        # The same name in another form: a browser writes it in small letters and without a dot at its end.
        "https://FCM.googleapis.com/x",
        "HTTPS://fcm.googleapis.com/x",
        "https://fcm.googleapis.com./x",
        "https://fcm.googleapis.com../x",
        "https://updates.push.services.mozilla.com./x",
        "https://xn--fcm.googleapis.com/x",
        "https://fcm.googleapis。com/x",
        "https://fcm.googleapis．com/x",
        "https://ｆcm.googleapis.com/x",
        "https://fcm.googleapıs.com/x",
        "https://fcm%2egoogleapis.com/x",
        "https://fcm.googleapis.com%00.evil.example/x",
        "https://fcm.googleapis.com%2f@evil.example/x",
        # White space and line breaks, of which one program is left with another address than the other.
        " https://fcm.googleapis.com/x",
        "https://fcm.googleapis.com/x\n",
        "https://fcm.googleapis.com/x y",
        "https://fcm.goo\ngleapis.com/x",
        "https://fcm.googleapis.com/x\r\nHost: evil.example",
        "https://fcm.googleapis.com\t/x",
        "https://fcm.googleapis.com/\x00",
        # Nothing to send to, or more than anybody needs.
        "https://fcm.googleapis.com",
        "https://fcm.googleapis.com/",
        "https://fcm.googleapis.com/x#fragment",
        "https://fcm.googleapis.com/" + "x" * 1000,
        # A stand-in that is not listed.
        f"{STAND_IN}/push/x",
    ],
)
def test_every_other_address_is_refused(endpoint: str) -> None:
    assert not is_of_a_push_service(endpoint, services=SERVICES)


@pytest.mark.parametrize(
    ("endpoint", "is_taken"),
    [
        (f"{STAND_IN}/push/x", True),
        ("http://127.0.0.1:8028/push/x", False),
        ("http://127.0.0.1:80271/push/x", False),
        ("http://127.0.0.1/push/x", False),
        ("https://127.0.0.1:8027/push/x", False),
        ("http://127.0.0.1:8027@evil.example/x", False),
        ("http://user@127.0.0.1:8027/push/x", False),
        ("http://localhost:8027/push/x", False),
        ("http://127.1:8027/push/x", False),
        ("http://127.0.0.1:08027/push/x", False),
    ],
)
def test_a_stand_in_is_taken_with_its_whole_address_and_no_other(endpoint: str, is_taken: bool) -> None:
    assert is_of_a_push_service(endpoint, services=[*SERVICES, STAND_IN]) is is_taken

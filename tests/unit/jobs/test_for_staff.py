"""What staff see of a job's arguments and errors names nobody and opens nothing."""

from __future__ import annotations

import time
from typing import Any

import pytest

from jobs.redact import for_eyes, for_staff, without_rows


@pytest.mark.parametrize(
    "name",
    [
        *(
            "password",
            "accessToken",
            "api_key",
            "X-Auth",
            "CLIENT_SECRET",
            "buyer_email",
            "firstName",
            "recipients",
            "to",
        ),
        *("emailaddress", "phonenumber", "username", "refreshtoken", "passwordHash", "holder", "dateofbirth"),
    ],
)
def test_a_key_that_names_a_secret_or_a_person_hides_its_value_however_it_is_written(name: str) -> None:
    for value in ("Ada", ["Ada"], {"first": "Ada"}, 1815):
        assert "Ada" not in str(for_staff({"deep": [{name: value}]}))
        assert "1815" not in str(for_staff({name: value}))


@pytest.mark.parametrize(
    "given",
    [
        {"order_id": 5, "order_code": "ABCD2345", "key": "a", "address_ids": [7, 8], "name": None, "email": ""},
        {"uuid": "0b5117f4-6ef2-4c55-9f0d-9f1d1c2b3a4d", "path": "tickets/2026/A2345.pdf", "total": 8400},
        {"due": "2026-12-01T12:00:00.123456+00:00", "with_tokens": True, "schedule": "*/5 * * * *"},
    ],
)
def test_ids_codes_instants_and_paths_stay(given: dict[str, Any]) -> None:
    assert for_staff(given) == given


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("refused: {'ada.l+x@example.co.uk': (550, b'no')}", "refused: {'[an e-mail address]': (550, b'no')}"),
        ("amqp://guest:s3cret@host/x is away", "amqp://[a secret]@host/x is away"),
        ("Authorization: Bearer abcdef0123456789", "Authorization: Bearer [a secret]"),
        ("key sk_live_abcdefghijklmnop was refused", "key [a secret] was refused"),
        ("page kZ9_aB3cD4eF5gH6iJ7kL8mN9oP0qR1sT2uV3wX4yZ5 of", "page [a secret] of"),
        ("card 4111 1111 1111 1111 declined", "card [a number] declined"),
        ("call +49 170 1234567 back", "call [a number] back"),
        ("-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\nend", "[a secret]\nend"),
        ("DETAIL:  Failing row contains (1, Ada).", "DETAIL: left out"),
        ("GET /subscribers?email=ada%40example.org HTTP/1.1", "GET /subscribers?email=[an e-mail address] HTTP/1.1"),
        ("GET /reset?token=abc123&lang=de", "GET /reset?token=[a secret]&lang=de"),
        ("host=db password=s3cret dbname=x", "host=db password=[a secret] dbname=x"),
        ("answered {'client_secret': 'abc', 'id': 5}", "answered {'client_secret': [a secret], 'id': 5}"),
        ("Authorization: Basic dXNlcjpwYXNz", "Authorization: [a secret]"),
        ("redis://:s3cret@host/0 is away", "redis://[a secret]@host/0 is away"),
        ("iban DE89 3704 0044 0532 0130 00 refused", "iban [a number] refused"),
        ("call 0171 2345678 back", "call [a number] back"),
        ("mark_done(using=using, token=token)", "mark_done(using=using, token=token)"),
        ("ValueError: nobody expected this", "ValueError: nobody expected this"),
    ],
)
def test_what_gives_itself_away_is_left_out_wherever_it_stands(text: str, left: str) -> None:
    assert for_eyes(text) == left


ROW = "DETAIL:  Failing row contains (1, Ada\n\nLovelace, 12 Main Street).\n"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"IntegrityError: no\n{ROW}", "IntegrityError: no\nDETAIL: left out"),
        (f"no\n{ROW}HINT:  none", "no\nDETAIL: left out\nHINT:  none"),
        (
            f"no\n{ROW}\nThe above exception was the direct",
            "no\nDETAIL: left out\n\nThe above exception was the direct",
        ),
        ("  | no\n  | DETAIL:  (Ada)\n  +---", "  | no\n  | DETAIL: left out\n  +---"),
    ],
)
def test_a_row_that_is_quoted_is_left_out_to_its_end_however_many_lines_it_has(text: str, left: str) -> None:
    assert without_rows(text) == left


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "a@",
        "@a.",
        "1 ",
        "+1",
        "://a",
        "eyJ",
        "-----BEGIN KEY-----",
        "aA1-",
        "bearer ",
        "token=",
        "DETAIL:\n",
        "AA00 AAAA ",
    ],
)
def test_a_hostile_text_costs_no_more_than_its_length(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    began = time.process_time()
    for_eyes(text)
    assert time.process_time() - began < 2


def test_keys_of_arguments_are_looked_through_too() -> None:
    assert for_staff({"ada@example.org": 1}) == {"[an e-mail address]": 1}

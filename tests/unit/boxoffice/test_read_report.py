"""The provider's report is read rightly, or refused with the line: a table of files, and a round trip."""

from __future__ import annotations

import csv
from datetime import UTC, datetime
from io import BytesIO, StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boxoffice.reconciliation.amounts import decimals_there
from boxoffice.reconciliation.errors import ReportRefused
from boxoffice.reconciliation.read_report import ALSO, LONGEST_LINE, NEEDED, read_report
from boxoffice.reconciliation.told import Told

HEAD = ",".join(NEEDED)
ONE = "txn_1,2026-11-29 12:00:00,eur,84.00,1.51,82.49,charge,ch_1,pi_1"
TWO = "txn_2,2026-11-29 12:00:01,eur,-42.00,0.00,-42.00,refund,re_1,pi_1"
AMOUNTS = [(8_400, 151, 8_249), (-4_200, 0, -4_200)]


def told(text: str | bytes) -> list[Told]:
    return list(read_report(BytesIO(text if isinstance(text, bytes) else text.encode())))


def table(*lines: str, end: str = "\n") -> str:
    return "".join(f"{line}{end}" for line in lines)


def turned(head: str, *rows: str, order: list[int]) -> str:
    return table(*(",".join(line.split(",")[place] for place in order) for line in (head, *rows)))


READ = {
    "plain": table(HEAD, ONE, TWO),
    "the columns in another order": turned(HEAD, ONE, TWO, order=[8, 6, 4, 2, 0, 1, 3, 5, 7]),
    "unknown columns": table(f"x,{HEAD},net_of_tax", f"1,{ONE},€", f",{TWO},"),
    "unknown columns of one name": table(f"x,{HEAD},x", f"1,{ONE},2", f",{TWO},"),
    "a byte-order mark": "\ufeff" + table(HEAD, ONE, TWO),
    "a byte-order mark before a quote": "\ufeff" + table('"balance_transaction_id"' + HEAD[22:], ONE, TWO),
    "lines of Windows": table(HEAD, ONE, TWO, end="\r\n"),
    "blank lines": table(HEAD, "", ONE, "", TWO, "", ""),
    "semicolons and decimal commas": table(HEAD, ONE, TWO).replace(",", ";").replace(".", ","),
    "decimal commas in quotes": table(
        HEAD,
        ONE.replace("84.00,1.51,82.49", '"84,00","1,51","82,49"'),
        TWO.replace("-42.00,0.00,-42.00", '"-42,00",0,"-42"'),
    ),
    "tabs": table(HEAD, ONE, TWO).replace(",", "\t"),
    "every cell in quotes": table(*(",".join(f'"{cell}"' for cell in line.split(",")) for line in (HEAD, ONE, TWO))),
    "names in capitals, with spaces": table(" , ".join(NEEDED).upper(), ONE, TWO),
    "currencies in capitals": table(HEAD, ONE, TWO).replace("eur", "EUR"),
    "fewer decimals": table(HEAD, ONE.replace("84.00", "84"), TWO.replace("-42.00", "-42.0")),
    "instants with a T and a zone": table(HEAD, ONE, TWO).replace("29 12:00:00", "29T12:00:00Z"),
    "a description of several lines": table(
        f"{HEAD},description", f'{ONE},"two\nlines, and a ""quote"""', f"{TWO},plain"
    ),
}


@pytest.mark.parametrize("name", READ)
def test_a_report_is_read_rightly(name: str) -> None:
    first, second = told(READ[name])
    assert [(each.amount, each.fee, each.net) for each in (first, second)] == AMOUNTS
    assert (first.provider_id, first.currency, first.category, first.source, first.intent_id) == (
        "txn_1",
        "EUR",
        "charge",
        "ch_1",
        "pi_1",
    )
    assert (second.provider_id, second.category) == ("txn_2", "refund")
    assert first.created_at == datetime(2026, 11, 29, 12, tzinfo=UTC)


REFUSED = {
    "empty": (b"", 1, "empty"),
    "an empty first line": (table("", HEAD, ONE), 1, "first line is empty"),
    "needed columns that are missing": (
        table(HEAD.replace("net", "nett").replace(",fee", ",fees"), ONE),
        1,
        "fee, net",
    ),
    "a needed column twice": (table(f"{HEAD},Net ", f"{ONE},82.49"), 1, "net"),
    "no head": (table(ONE, TWO), 1, "balance_transaction_id"),
    "a cut last line": (table(HEAD, ONE) + TWO[:30], 3, "cut off"),
    "a last line without an end": (table(HEAD, ONE) + TWO, 3, "cut off"),
    "a last line that was cut to fewer cells": (table(HEAD, ONE, TWO[:-5]), 3, "8 cells, and 9 columns"),
    "a cell too many": (table(HEAD, f"{ONE},x", TWO), 2, "10 cells, and 9 columns"),
    "an open quote": (table(HEAD, ONE, TWO.replace("re_1", '"re_1')), 3, "no CSV"),
    "an open quote far above": (table(HEAD, ONE.replace("ch_1", '"ch_1'), *([TWO] * 3_000)), 2, "no CSV"),
    "a quote that ends too soon": (table(HEAD, ONE.replace("ch_1", '"ch"_1')), 2, "no CSV"),
    "lines of an old Mac": (table(HEAD, ONE, TWO, end="\r") + "\n", 1, "no CSV"),
    "UTF-16": (table(HEAD, ONE).encode("utf-16"), 1, "UTF-8"),
    "Latin-1": (table(HEAD, ONE, TWO.replace("re_1", "ré")).encode("latin-1"), 3, "UTF-8"),
    "a NUL": (table(HEAD, ONE.replace("ch_1", "ch\0_1")), 2, "NUL"),
    "a huge line": (table(HEAD, ONE, TWO + "x" * LONGEST_LINE), 3, "too long"),
    "a huge file of one line": (b"x" * 3 * LONGEST_LINE, 1, "too long"),
    "more decimals than cents": (table(HEAD, ONE.replace("84.00", "84.000")), 2, "more decimals"),
    "thousands": (table(HEAD, ONE.replace("84.00,1.51,82.49", '"1,084.00",1.51,"1,082.49"')), 2, "one way only"),
    "thousands without decimals": (
        table(HEAD, ONE.replace("84.00,1.51,82.49", '"1,084",0,"1,084"')),
        2,
        "more decimals",
    ),
    "two decimal signs": (table(HEAD, ONE, TWO.replace("-42.00,", '"-42,00",')), 3, "another decimal sign"),
    "an amount in words": (table(HEAD, ONE.replace("84.00", "€84.00")), 2, "one way only"),
    "an amount in brackets": (table(HEAD, ONE, TWO.replace("-42.00,", "(42.00),")), 3, "one way only"),
    "an exponent": (table(HEAD, ONE.replace("84.00", "84e2")), 2, "one way only"),
    "Arabic figures": (table(HEAD, ONE.replace("84.00", "٨٤.00")), 2, "one way only"),
    "no amount": (table(HEAD, ONE.replace("84.00", "")), 2, "one way only"),
    "a net that is not the rest": (table(HEAD, ONE.replace("82.49", "82.94")), 2, "less the fee"),
    "a fraction of a yen": (table(HEAD, ONE.replace("eur,84.00,1.51,82.49", "jpy,84.50,0,84.50")), 2, "more decimals"),
    "thousands of yen": (table(HEAD, ONE.replace("eur,84.00,1.51,82.49", 'jpy,"1,000",0,"1,000"')), 2, "more decimals"),
    "four decimals of a dinar": (table(HEAD, ONE.replace("eur,84.00", "kwd,84.0000")), 2, "one way only"),
    "no currency": (table(HEAD, ONE.replace("eur", "euro")), 2, "currency"),
    "no category": (table(HEAD, ONE, TWO.replace("refund", "")), 3, "category"),
    "no id": (table(HEAD, ONE.replace("txn_1", "")), 2, "no id"),
    "an id with a space": (table(HEAD, ONE.replace("ch_1", "ch 1")), 2, "“ch 1” in the column source_id is no id"),
    "a payment's id with a space": (table(HEAD, ONE.replace("pi_1", "pi 1")), 2, "the column payment_intent_id"),
    "a charge's id with a space": (table(f"{HEAD},charge_id", f"{ONE},ch 1"), 2, "the column charge_id"),
    "no instant": (table(HEAD, ONE.replace("2026-11-29 12:00:00", "29.11.2026 12:00")), 2, "instant"),
    "a day that is none": (table(HEAD, ONE.replace("11-29", "11-31")), 2, "instant"),
    "another zone": (table(HEAD, ONE.replace("12:00:00", "12:00:00+01:00")), 2, "instant"),
    "a bad line after a cell of several lines": (
        table(f"{HEAD},description", f'{ONE},"a\nb\nc"', f"{TWO.replace('eur', 'e')},"),
        5,
        "currency",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_report_that_cannot_be_read_in_one_way_is_refused_with_its_line(name: str) -> None:
    text, line, problem = REFUSED[name]
    with pytest.raises(ReportRefused) as refused:
        told(text)
    assert (refused.value.line, problem in refused.value.problem) == (line, True), refused.value
    assert f"Line {line}: " in str(refused.value)


@pytest.mark.parametrize(
    ("currency", "text", "amount"),
    [
        ("JPY", "1200", 1_200),
        ("JPY", "1200.00", 1_200),
        ("KWD", "1200.340", 1_200_340),
        ("KWD", "0.250", 250),
        ("KWD", "12.3", 12_300),
        ("ISK", "5000.00", 500_000),
        ("UGX", "5000", 500_000),
        ("EUR", "-0.01", -1),
        ("EUR", "99999999999999.99", 9_999_999_999_999_999),
        ("HUF", "007.50", 750),
    ],
)
def test_an_amount_is_exact_in_the_providers_smallest_unit(currency: str, text: str, amount: int) -> None:
    (one,) = told(table(HEAD, ONE.replace("eur,84.00,1.51,82.49", f"{currency},{text},0,{text}")))
    assert (one.amount, one.net, one.currency) == (amount, amount, currency)


KWD = ONE.replace("eur,84.00,1.51,82.49", 'kwd,"1,234","0","1,234"')
SHOWS_A_COMMA = TWO.replace("eur,-42.00,0.00,-42.00", 'kwd,"-0,250","0,000","-0,250"')
THOUSANDS = TWO.replace("eur,-42.00,0.00,-42.00", 'kwd,"-2,000","0","-2,000"')


@pytest.mark.parametrize("rows", [(KWD, SHOWS_A_COMMA), (SHOWS_A_COMMA, KWD)])
def test_three_figures_behind_a_sign_are_decimals_of_a_dinar_where_another_amount_shows_it(rows: tuple[str]) -> None:
    assert {one.provider_id: one.amount for one in told(table(HEAD, *rows))} == {"txn_1": 1_234, "txn_2": -250}


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ((KWD,), 2),
        ((KWD, THOUSANDS), 2),
        ((KWD.replace("1,234", "1.234"),), 2),
        ((KWD, TWO), 2),  # the decimals of the second have a point, so that the first has a thousand
        ((TWO, KWD), 3),
        ((THOUSANDS, KWD.replace("1,234", "1.234")), 3),
    ],
)
def test_where_nothing_shows_whether_they_are_thousands_the_report_is_refused_with_the_line(
    rows: tuple[str, ...], line: int
) -> None:
    with pytest.raises(ReportRefused) as refused:
        told(table(HEAD, *rows))
    assert refused.value.line == line, refused.value


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ("XK7R2M", "XK7R2M"),
        ("", ""),
        ("Order 12", ""),
        ("Bestellung Nº 12", ""),
        ("table 4\nby the window", ""),
        ("x" * 255, "x" * 255),
        ("x" * 500, ""),
    ],
)
def test_what_others_wrote_along_with_their_money_is_no_id_of_ours_and_refuses_nothing(given: str, taken: str) -> None:
    columns = ("payment_metadata[payment]", "refund_metadata[refund]", "payment_metadata[order]")
    (one,) = told(table(f"{HEAD},{','.join(columns)}", f'{ONE},"{given}","{given}","{given}"'))
    assert (one.payment_key, one.refund_number, one.order_code) == (taken, taken, taken)


def test_a_head_alone_is_a_report_without_transactions() -> None:
    assert told(table(HEAD)) == []


CURRENCIES = st.sampled_from(["EUR", "JPY", "KWD", "ISK", "USD"])
IDS = st.text("abcXYZ019_", min_size=1, max_size=20)
SECONDS = st.integers(946_684_800, 4_102_444_799)  # the years 2000 to 2099: others are refused
AMOUNT = st.integers(-(10**13), 10**13)


@st.composite
def transactions(draw: st.DrawFn) -> Told:
    amount, fee = draw(AMOUNT), draw(st.integers(0, 10**6))
    return Told(
        0,
        draw(IDS),
        draw(st.sampled_from(["charge", "refund", "payout", "dispute"])),
        amount,
        fee,
        amount - fee,
        draw(CURRENCIES),
        datetime.fromtimestamp(draw(SECONDS), UTC),
        draw(st.none() | SECONDS.map(lambda seconds: datetime.fromtimestamp(seconds, UTC))),
        draw(IDS | st.just("")),
        *(draw(IDS | st.just("")) for _ in range(5)),
    )


def written(all_told: list[Told], *, names: list[str], delimiter: str, sign: str, end: str, junk: str) -> bytes:
    out = StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end)
    writer.writerow(names)
    for one in all_told:
        places = decimals_there(one.currency)
        cells = {
            "balance_transaction_id": one.provider_id,
            "created_utc": f"{one.created_at:%Y-%m-%d %H:%M:%S}",
            "available_on_utc": f"{one.available_at:%Y-%m-%d %H:%M:%S}" if one.available_at else "",
            "currency": one.currency.lower(),
            "gross": _major(one.amount, places, sign),
            "fee": _major(one.fee, places, sign),
            "net": _major(one.net, places, sign),
            "reporting_category": one.category,
            "source_id": one.source,
            "charge_id": one.charge_id,
            "payment_intent_id": one.intent_id,
            "payment_metadata[payment]": one.payment_key,
            "refund_metadata[refund]": one.refund_number,
            "payment_metadata[order]": one.order_code,
        }
        writer.writerow([cells.get(name, junk) for name in names])
    return out.getvalue().encode()


# Dinars alone may be read in two ways.
SHOWS_THE_SIGN = Told(
    0, "txn_last", "payout", -5_025, 0, -5_025, "EUR", datetime(2026, 11, 29, tzinfo=UTC), None, *[""] * 6
)  # fmt: skip


def _major(amount: int, places: int, sign: str) -> str:
    digits = f"{abs(amount):0{places + 1}}"
    whole, part = (digits[:-places], sign + digits[-places:]) if places else (digits, "")
    return f"{'-' if amount < 0 else ''}{whole}{part}"


@given(
    all_told=st.lists(transactions(), max_size=5),
    names=st.permutations([*NEEDED, *ALSO, "description", "customer_name"]),
    delimiter=st.sampled_from(",;\t"),
    sign=st.sampled_from(".,"),
    end=st.sampled_from(["\n", "\r\n"]),
    # Python's writer leaves a carriage return of its own unquoted, and no reader could tell it from an end of line.
    junk=st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=10),
)
def test_whatever_is_written_as_a_report_is_read_as_it_was(
    all_told: list[Told], names: list[str], delimiter: str, sign: str, end: str, junk: str
) -> None:
    in_all = [*all_told, SHOWS_THE_SIGN]
    report = written(in_all, names=names, delimiter=delimiter, sign=sign, end=end, junk=junk)
    assert [one._replace(line=0) for one in told(report)] == in_all

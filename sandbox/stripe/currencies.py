"""Currencies as Stripe counts them (docs.stripe.com, "Supported currencies").

Amounts are integers in the smallest unit, with two exceptions that bite: ISK and UGX have no decimals but are written
with two of them, always ``00``; and three-decimal currencies are charged to the second decimal, so the last digit is 0.
"""

from __future__ import annotations

from sandbox.stripe.errors import invalid

_CODES = (
    "usd aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bhd bif bmd bnd bob brl bsd bwp byn bzd cad cdf "
    "chf clp cny cop crc cve czk djf dkk dop dzd egp etb eur fjd fkp gbp gel gip gmd gnf gtq gyd hkd hnl htg huf "
    "idr ils inr isk jmd jod jpy kes kgs khr kmf krw kwd kyd kzt lak lbp lkr lrd lsl mad mdl mga mkd mmk mnt mop "
    "mur mvr mwk mxn myr mzn nad ngn nio nok npr nzd omr pab pen pgk php pkr pln pyg qar ron rsd rub rwf sar sbd "
    "scr sek sgd shp sle sos srd std szl thb tjs tnd top try ttd twd tzs uah ugx uyu uzs vnd vuv wst xaf xcd xof "
    "xpf yer zar zmw"
)
CURRENCIES = tuple(_CODES.split())
NO_DECIMALS = frozenset("bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf".split())  # noqa: SIM905
THREE_DECIMALS = frozenset("bhd jod kwd omr tnd".split())  # noqa: SIM905
WRITTEN_WITH_TWO = frozenset({"isk", "ugx"})

LARGEST = 99_999_999  # in the smallest unit: eight digits
LEAST = {
    "aed": 200, "aud": 50, "bgn": 100, "brl": 50, "cad": 50, "chf": 50, "czk": 1500, "dkk": 250, "eur": 50, "gbp": 30,
    "hkd": 400, "huf": 17500, "inr": 50, "jpy": 50, "mxn": 1000, "myr": 200, "nok": 300, "nzd": 50, "pln": 200,
    "ron": 200, "sek": 300, "sgd": 50, "thb": 1000, "usd": 50,
}  # fmt: skip
"""Smallest charge. A currency that is not listed takes what is worth 0.50 USD; we know no rates and take anything."""


def decimals(currency: str) -> int:
    """How many digits of an amount stand behind the point."""
    return 0 if currency in NO_DECIMALS else 3 if currency in THREE_DECIMALS else 2


def in_words(amount: int, currency: str) -> str:
    """``12.50 EUR``, ``1,200 JPY``."""
    places = decimals(currency)
    sign, digits = "-" if amount < 0 else "", str(abs(amount)).rjust(places + 1, "0")
    whole = f"{int(digits[: len(digits) - places]):,}"
    return f"{sign}{whole}{'.' + digits[-places:] if places else ''} {currency.upper()}"


def check_form(amount: int, currency: str, *, param: str) -> None:
    """Refuse an amount that no coin or card network knows. Raises ApiError."""
    if currency in WRITTEN_WITH_TWO and amount % 100:
        raise invalid(
            f"Invalid amount: {currency.upper()} has no decimals and is written with two, so it must end in 00.",
            param=param,
        )
    if currency in THREE_DECIMALS and amount % 10:
        raise invalid(
            f"Invalid amount: the last digit of an amount in {currency.upper()} must be 0 (it is rounded to tens).",
            param=param,
        )


def check_total(total: int, currency: str) -> None:
    """Refuse a session that costs too little or too much. Raises ApiError."""
    least = LEAST.get(currency, 1)
    if total < least:
        raise invalid(
            f"The Checkout Session's total amount due must add up to at least {in_words(least, currency)}",
            code="amount_too_small",
        )
    if total > LARGEST:
        raise invalid(
            f"The Checkout Session's total amount due must be no more than {in_words(LARGEST, currency)}",
            code="amount_too_large",
        )

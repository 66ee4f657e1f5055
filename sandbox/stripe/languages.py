"""The payment page's words, in English and in German: what its customer reads. The knobs are for us, in English."""

from __future__ import annotations

from sandbox.stripe.currencies import in_words
from sandbox.stripe.state import Body

ENGLISH = {
    "payment": "Payment",
    "stand_in": "A stand-in for a payment provider. No real money moves, and no real card is asked for.",
    "pay": "Pay",
    "book": "Book",
    "donate": "Donate",
    "to_pay": "To pay",
    "back": "Back to the shop",
    "email": "E-mail",
    "name": "Name on the card",
    "card": "The card",
    "bank": "Bank",
    "bad_email": "Enter an e-mail address such as ada@example.org.",
    "no_card": "Choose how to pay.",
    "nothing": "Nothing to pay here",
    "unknown": "There is no such payment",
    "unknown_advice": "Look at the address again, or begin anew in the shop.",
    "paid": "This is paid already",
    "paid_advice": "Nothing is paid twice here.",
    "go_on": "Go on to your order",
    "over": "The time for this payment is over",
    "over_advice": "Nothing was paid. Begin again in the shop if you still want to.",
    "your_bank": "Your bank",
    "bank_stand_in": "A stand-in for the bank's own page. No real money moves.",
    "confirm": "Confirm the payment",
    "confirm_of": "Confirm the payment of",
    "asks": "Your bank asks whether it is you who pays (3‑D Secure).",
    "not_me": "That is not me",
}

GERMAN = {
    "payment": "Bezahlen",
    "stand_in": "Ein Ersatz für einen Zahlungsdienst. Es fließt kein echtes Geld, und keine echte Karte wird verlangt.",
    "pay": "Bezahlen:",
    "book": "Buchen:",
    "donate": "Spenden:",
    "to_pay": "Zu zahlen",
    "back": "Zurück zum Shop",
    "email": "E-Mail",
    "name": "Name auf der Karte",
    "card": "Die Karte",
    "bank": "Bank",
    "bad_email": "Geben Sie eine E-Mail-Adresse ein, zum Beispiel ada@example.org.",
    "no_card": "Wählen Sie, wie Sie zahlen.",
    "nothing": "Hier ist nichts zu zahlen",
    "unknown": "Diese Zahlung gibt es nicht",
    "unknown_advice": "Prüfen Sie die Adresse, oder beginnen Sie im Shop von vorn.",
    "paid": "Das ist schon bezahlt",
    "paid_advice": "Nichts wird hier zweimal bezahlt.",
    "go_on": "Weiter zu Ihrer Bestellung",
    "over": "Die Zeit für diese Zahlung ist vorbei",
    "over_advice": "Es wurde nichts bezahlt. Beginnen Sie im Shop noch einmal, wenn Sie noch möchten.",
    "your_bank": "Ihre Bank",
    "bank_stand_in": "Ein Ersatz für die Seite der Bank. Es fließt kein echtes Geld.",
    "confirm": "Zahlung bestätigen",
    "confirm_of": "Bestätigen Sie die Zahlung von",
    "asks": "Ihre Bank fragt, ob Sie es sind, der zahlt (3‑D Secure).",
    "not_me": "Das bin nicht ich",
}

IN_GERMAN = {
    "Pays at once": "Zahlt sofort",
    "Pays after 3-D Secure": "Zahlt nach 3-D Secure",
    "Is declined by its bank": "Wird von der Bank abgelehnt",
    "Has not enough funds": "Ist nicht gedeckt",
    "Has expired": "Ist abgelaufen",
    "Pays; a refund stays pending for a while": "Zahlt; eine Erstattung bleibt eine Weile offen",
    "Pays; a refund fails later": "Zahlt; eine Erstattung scheitert später",
    "Pays; the owner disputes it": "Zahlt; der Inhaber widerspricht",
    "Pays; the owner’s bank inquires about it": "Zahlt; die Bank des Inhabers fragt nach",
    "Bank debit; the money comes later": "Lastschrift; das Geld kommt später",
    "Bank debit; the money never comes": "Lastschrift; das Geld kommt nie",
    "Your card was declined.": "Ihre Karte wurde abgelehnt.",
    "Your card has insufficient funds.": "Ihre Karte ist nicht gedeckt.",
    "Your card has expired.": "Ihre Karte ist abgelaufen.",
    "An error occurred while processing your card. Try again in a little bit.": (
        "Mit Ihrer Karte ging etwas schief. Versuchen Sie es gleich noch einmal."
    ),
    "We are unable to authenticate your payment method. Please choose a different payment method and try again.": (
        "Ihre Bank hat nicht bestätigt, dass Sie es sind. Wählen Sie eine andere Karte, oder versuchen Sie es noch."
    ),
}
"""What the cards do, and the words with which the API declines them."""


class Language:
    """One of the two. words: by their names, for the templates."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.words = GERMAN if code == "de" else ENGLISH

    def say(self, english: str) -> str:
        """A card's or the API's words."""
        return IN_GERMAN.get(english, english) if self.code == "de" else english

    def amount(self, amount: int, currency: str) -> str:
        """``1,234.50 EUR``, and in German ``1.234,50 EUR``."""
        words = in_words(amount, currency)
        return words.translate(str.maketrans(",.", ".,")) if self.code == "de" else words


def language_of(session: Body | None, *, accepted: str) -> Language:
    """The session's ``locale``; where it is ``auto`` or none, what the browser asks for. English for all but German."""
    locale = (session or {}).get("locale") or "auto"
    return Language("de" if (accepted if locale == "auto" else locale).lower().startswith("de") else "en")

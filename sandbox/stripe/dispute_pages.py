"""A dispute for people, as the provider's dashboard would show it, with buttons for what the bank says next."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from sandbox.stripe.currencies import in_words
from sandbox.stripe.dispute_payment import MAY_BECOME, NoSuchStep, move_dispute
from sandbox.stripe.stand_in import the_stand_in

BUTTONS = {
    "warning_under_review": "The box office has answered",
    "warning_closed": "The bank is content: no dispute",
    "needs_response": "The bank makes a dispute of it",
    "under_review": "The box office has sent its evidence",
    "won": "The bank decides for the box office",
    "lost": "The bank decides for its customer",
}
"""What each button says; in this order."""


@require_http_methods(["GET", "POST"])
def dispute(request: HttpRequest, dispute_id: str) -> HttpResponseBase:
    """How a dispute stands; a POST lets it become something else."""
    stand_in = the_stand_in()
    with stand_in.state.changing():
        body = stand_in.state.find("dispute", dispute_id)
        if body is None:
            raise Http404
        if request.method == "POST":
            with suppress(NoSuchStep):  # somebody pressed twice; the page shows how it stands
                move_dispute(stand_in, body, status=request.POST.get("status", ""))
            return redirect("dispute", dispute_id=dispute_id)
    context = {
        "dispute": body,
        "words": in_words(body["amount"], body["currency"]),
        "due": datetime.fromtimestamp(body["evidence_details"]["due_by"], UTC),
        "money": [
            {
                **one,
                "words": in_words(abs(one["amount"]), one["currency"]),
                "fees": in_words(one["fee"], one["currency"]),
            }
            for one in body["balance_transactions"]
        ],
        "buttons": [(status, words) for status, words in BUTTONS.items() if status in MAY_BECOME[body["status"]]],
    }
    response: HttpResponse = render(request, "sandbox/stripe/dispute.html", context)
    response.headers["Cache-Control"] = "no-store"
    return response

"""The knobs and the buttons for tests: JSON in and out, under ``/sandbox/stripe/``."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt

from sandbox.stripe import deliver
from sandbox.stripe.cards import CARDS
from sandbox.stripe.dispute_payment import NoSuchStep, move_dispute, open_dispute
from sandbox.stripe.knobs import BadKnob
from sandbox.stripe.pay_out import pay_out
from sandbox.stripe.pay_session import NotOpen, answer_the_bank, pay_session
from sandbox.stripe.refund_payment import fail_refund
from sandbox.stripe.render import rendered
from sandbox.stripe.seed_payments import seed_payments
from sandbox.stripe.settle import catch_up
from sandbox.stripe.settle import settle as settle_now
from sandbox.stripe.stand_in import StandIn, the_stand_in

MOST_DELIVERIES = 1_000  # in one answer


class Refused(ValueError):
    """What was asked for cannot be done; the message says why."""


def _json(*, get: bool = False) -> Callable[[Callable[..., Any]], Callable[..., HttpResponse]]:
    """A view whose function takes the JSON object of a POST (None for a GET) and returns what is answered."""

    def decorate(function: Callable[..., Any]) -> Callable[..., HttpResponse]:
        @csrf_exempt
        @wraps(function)
        def view(request: HttpRequest, **parts: Any) -> HttpResponse:
            if request.method == "GET" and get:
                return JsonResponse(function(request, None, **parts), safe=False)
            if request.method != "POST":
                return JsonResponse({"error": f"{request.method} is not for this address."}, status=405)
            # A browser sends this type to another site only after asking, and we never say yes: no token is needed.
            if request.content_type != "application/json":
                return JsonResponse({"error": "Send application/json."}, status=415)
            try:
                given = json.loads(request.body or "{}")
                if not isinstance(given, dict):
                    raise Refused("Send a JSON object.")
                return JsonResponse(function(request, given, **parts), safe=False)
            except (BadKnob, Refused) as error:
                return JsonResponse({"error": str(error)}, status=422)
            except ValueError as error:
                return JsonResponse({"error": str(error)}, status=400)

        return view

    return decorate


@_json(get=True)
def knobs(request: HttpRequest, given: dict[str, Any] | None) -> dict[str, Any]:
    """How the knobs stand; a POST turns those that its object names. ``advance_s`` moves the clock ahead by so much."""
    stand_in = the_stand_in()
    if given:
        by = given.pop("advance_s", 0)
        if by:
            if type(by) is not int:
                raise BadKnob("advance_s is a whole number of seconds.")
            given["clock_offset_s"] = stand_in.board.knobs.clock_offset_s + by
        stand_in.board.turn(given)
        _let_happen(stand_in)
    return {**asdict(stand_in.board.knobs), "now": stand_in.now()}


@_json()
def reset_knobs(request: HttpRequest, given: dict[str, Any]) -> dict[str, Any]:
    """All knobs as made."""
    return asdict(the_stand_in().board.reset())


@_json()
def reset(request: HttpRequest, given: dict[str, Any]) -> dict[str, Any]:
    """As on the first day: no objects, no keys, no deliveries, all knobs as made. The endpoint stays."""
    stand_in = the_stand_in()
    stand_in.state.forget_everything()
    return asdict(stand_in.board.reset())


@_json()
def pay(request: HttpRequest, given: dict[str, Any]) -> dict[str, Any]:
    """Pay without a browser: ``{"session": "cs_…", "card": "pays"}``; ``agrees`` answers the bank at once."""
    card = CARDS.get(given.get("card", "pays"))
    if card is None:
        raise Refused(f"There is no such card. There are {', '.join(CARDS)}.")
    stand_in, session_id = the_stand_in(), str(given.get("session"))
    catch_up(stand_in)
    session = stand_in.state.find("checkout.session", session_id)
    email = given.get("email") or (session and session["customer_email"]) or "ada@example.org"
    page = request.build_absolute_uri(reverse("three_d_secure", kwargs={"session_id": session_id}))
    try:
        attempt = pay_session(stand_in, session_id, card=card, email=email, name=str(given.get("name", "")), page=page)
        if attempt.state == "authenticate" and "agrees" in given:
            attempt = answer_the_bank(stand_in, session_id, agrees=bool(given["agrees"]))
    except NotOpen as error:
        raise Refused("The session is complete, expired or unknown.") from error
    return {"state": attempt.state, "message": attempt.message}


@_json()
def payments(request: HttpRequest, given: dict[str, Any]) -> dict[str, Any]:
    """Payments that were made before: ``{"payments": [{"id": "pi_…", "amount": 4200, "currency": "eur"}, …]}``."""
    return {"made": seed_payments(the_stand_in(), given.get("payments", []))}


@_json()
def settle(request: HttpRequest, given: dict[str, Any]) -> dict[str, Any]:
    """Decide a pending refund or bank debit now: ``{"id": "re_…"}``; with ``"fails": true`` a refund fails."""
    stand_in, id = the_stand_in(), str(given.get("id"))
    with stand_in.state.changing():
        for kind in ("refund", "charge"):
            body = stand_in.state.find(kind, id)
            if body is not None:
                if kind == "refund" and given.get("fails"):
                    fail_refund(stand_in, body)
                else:
                    settle_now(stand_in, body)
                return {"status": stand_in.state.get(kind, id)["status"]}
    raise Refused(f"There is no refund and no charge {id}.")


@_json()
def dispute(request: HttpRequest, given: dict[str, Any]) -> dict[str, Any]:
    """Dispute a payment, ``{"payment_intent": "pi_…"}`` with ``inquiry``, ``amount``, ``reason`` at will; or let one
    become something else, ``{"id": "du_…", "status": "won"}``. Answers the dispute as it stands then.
    """
    stand_in = the_stand_in()
    with stand_in.state.changing():
        if "id" in given:
            body = stand_in.state.find("dispute", str(given["id"]))
            if body is None:
                raise Refused(f"There is no dispute {given['id']}.")
            try:
                return rendered(move_dispute(stand_in, body, status=str(given.get("status"))))
            except NoSuchStep as error:
                raise Refused(str(error)) from error
        intent = stand_in.state.find("payment_intent", str(given.get("payment_intent")))
        charge = stand_in.state.find("charge", (intent and intent["latest_charge"]) or "")
        if charge is None or not charge["paid"]:
            raise Refused("There is no such payment, or nobody has paid it.")
        wishes = {name: given[name] for name in ("inquiry", "amount", "reason") if name in given}
        return rendered(open_dispute(stand_in, charge, **wishes))


@_json()
def payout(request: HttpRequest, given: dict[str, Any]) -> dict[str, Any]:
    """Pay out what is available: ``{"payouts": ["po_…"]}``, one for each currency."""
    catch_up(the_stand_in())
    return {"payouts": [body["id"] for body in pay_out(the_stand_in())]}


@_json(get=True)
def endpoint(request: HttpRequest, given: dict[str, Any] | None) -> dict[str, Any]:
    """Where events are sent: ``{"url": "http://…", "secret": "whsec_…", "enabled_events": ["*"]}``."""
    stand_in = the_stand_in()
    if given is not None:
        events = given.get("enabled_events", ["*"])
        if set(given) - {"url", "secret", "enabled_events"} or not isinstance(events, list):
            raise Refused("An endpoint has url, secret and enabled_events.")
        secret = given.get("secret") or stand_in.endpoint["secret"]
        stand_in.set_endpoint(url=str(given.get("url", "")), secret=secret, enabled_events=tuple(events))
    return stand_in.endpoint


@_json(get=True)
def deliveries(request: HttpRequest, given: dict[str, Any] | None) -> list[dict[str, Any]]:
    """The newest deliveries first."""
    rows = the_stand_in().state.rows("SELECT * FROM deliveries ORDER BY id DESC LIMIT ?", (MOST_DELIVERIES,))
    return [dict(row) for row in rows]


@_json()
def send_again(request: HttpRequest, given: dict[str, Any], delivery_id: int) -> dict[str, Any]:
    """Send one again, now."""
    if not deliver.send_again(the_stand_in(), delivery_id):
        raise Refused("There is no such delivery.")
    return {"sent": True}


def _let_happen(stand_in: StandIn) -> None:
    """What a moved clock makes due has happened when the answer comes."""
    catch_up(stand_in)
    stand_in.something_happened.set()

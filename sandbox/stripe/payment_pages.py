"""The hosted payment page, and the page on which the bank asks its customer. Both work without a script."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from sandbox.content_security import POLICY
from sandbox.stripe.cards import CARDS, Card
from sandbox.stripe.errors import ApiError
from sandbox.stripe.languages import Language, language_of
from sandbox.stripe.pay_session import Attempt, NotOpen, answer_the_bank, pay_session
from sandbox.stripe.schema import Email
from sandbox.stripe.settle import catch_up
from sandbox.stripe.stand_in import the_stand_in
from sandbox.stripe.state import Body


@require_http_methods(["GET", "POST"])
def pay(request: HttpRequest, session_id: str) -> HttpResponseBase:
    """What is paid, with which card, and the button that pays."""
    session = _session(session_id)
    if session is None or session["status"] != "open":
        return _over(request, session)
    if request.method == "GET":
        return _form(request, session)
    email = session["customer_email"] or request.POST.get("email", "").strip()
    card = CARDS.get(request.POST.get("card", ""))
    problem = _problem(session, email, card)
    if problem or card is None:
        words = _language(request, session).words
        return _form(request, session, problem=words[problem], status=422)
    page = request.build_absolute_uri(reverse("three_d_secure", kwargs={"session_id": session_id}))
    name = request.POST.get("name", "").strip()[:200]
    try:
        attempt = pay_session(the_stand_in(), session_id, card=card, email=email, name=name, page=page)
    except NotOpen:
        return _over(request, _session(session_id))
    return _after(request, session, attempt)


@require_http_methods(["GET", "POST"])
def three_d_secure(request: HttpRequest, session_id: str) -> HttpResponseBase:
    """The bank's own page: confirm the payment, or not."""
    session = _session(session_id)
    if session is None or session["status"] != "open":
        return _over(request, session)
    if request.method == "GET":
        amount = _language(request, session).amount(session["amount_total"], session["currency"])
        context = {"session": session, "amount": amount}
        return _page(request, "sandbox/stripe/three_d_secure.html", context, session)
    try:
        attempt = answer_the_bank(the_stand_in(), session_id, agrees=request.POST.get("answer") == "confirm")
    except NotOpen:
        return _over(request, _session(session_id))
    return _after(request, session, attempt)


def _after(request: HttpRequest, session: Body, attempt: Attempt) -> HttpResponseBase:
    if attempt.state == "declined":
        problem = _language(request, session).say(attempt.message)
        return _form(request, session, problem=problem, status=402)
    if attempt.state == "authenticate":
        return redirect("three_d_secure", session_id=session["id"])
    return redirect(session["success_url"].replace("{CHECKOUT_SESSION_ID}", session["id"]))


def _session(session_id: str) -> Body | None:
    catch_up(the_stand_in())
    return the_stand_in().state.find("checkout.session", session_id)


def _language(request: HttpRequest, session: Body | None) -> Language:
    return language_of(session, accepted=request.headers.get("Accept-Language", ""))


def _problem(session: Body, email: str, card: Card | None) -> str:
    """The name of the words that say what is wrong, if anything is."""
    try:
        Email(800).read(email, "email")
    except ApiError:
        return "bad_email"
    if card is None or card.type not in session["payment_method_types"]:
        return "no_card"
    return ""


def _form(request: HttpRequest, session: Body, *, problem: str = "", status: int = 200) -> HttpResponse:
    currency, language = session["currency"], _language(request, session)
    items = [
        {**item, "about": item["_about"], "words": language.amount(item["amount_total"], currency)}
        for item in session["_line_items"]
    ]
    context = {
        "session": session,
        "items": items,
        "amount": language.amount(session["amount_total"], currency),
        "cards": [
            {"name": card.name, "type": card.type, "last4": card.last4, "words": language.say(card.words)}
            for card in CARDS.values()
            if card.type in session["payment_method_types"]
        ],
        "chosen": request.POST.get("card", "pays"),
        "email": request.POST.get("email", ""),
        "name": request.POST.get("name", ""),
        "problem": problem,
        "cancel_url": (session["cancel_url"] or "").replace("{CHECKOUT_SESSION_ID}", session["id"]),
        "verb": language.words.get(session["submit_type"] or "", language.words["pay"]),
    }
    return _page(request, "sandbox/stripe/pay.html", context, session, status=status)


def _page(
    request: HttpRequest, template: str, context: dict[str, Any], session: Body, *, status: int = 200
) -> HttpResponse:
    language = _language(request, session)
    response = render(request, template, {**context, "language": language, "words": language.words}, status=status)
    # A browser holds a form's redirect to the policy as well, and paying leads back to the shop.
    shop = urlsplit(session["success_url"])
    response.headers["Content-Security-Policy"] = POLICY.replace(
        "form-action 'self'", f"form-action 'self' {shop.scheme}://{shop.netloc}"
    )
    response.headers["Cache-Control"] = "no-store"
    return response


def _over(request: HttpRequest, session: Body | None) -> HttpResponse:
    language = _language(request, session)
    context: dict[str, Any] = {"session": session, "language": language, "words": language.words}
    if session:
        id = session["id"]
        context["success_url"] = (session["success_url"] or "").replace("{CHECKOUT_SESSION_ID}", id)
        context["cancel_url"] = (session["cancel_url"] or "").replace("{CHECKOUT_SESSION_ID}", id)
    status = 404 if session is None else 410
    response = render(request, "sandbox/stripe/over.html", context, status=status)
    response.headers["Cache-Control"] = "no-store"
    return response

"""The page on which staff cancel a show: it says first what will happen, and asks for its name and the reason."""

from __future__ import annotations

from collections.abc import Sequence

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from boxoffice.cancellation.errors import CancelledBefore, NameDiffers
from boxoffice.cancellation.preview import Preview, preview
from boxoffice.cancellation.start import cancel_show
from boxoffice.cancellation.workflow import LASTS
from boxoffice.models import Cancellation
from boxoffice.shows.show_desk import address_of_show, ask, refuse, show_for, why_not
from boxoffice.shows.telling_words import how_long, suppressed_in_words
from inventory.models import Show
from inventory.money import Money
from jobs.admin.reason_form import ReasonForm
from jobs.errors import JobsError
from jobs.spans import span_in_words

PERMISSION = "boxoffice.cancel_show"


class CancelForm(ReasonForm):
    """The show's name, typed, so that nobody cancels the one beside it; and why."""

    name = forms.CharField(
        label=gettext_lazy("The name of the show"),
        max_length=200,
        strip=True,
        widget=forms.TextInput(attrs={"class": "vTextField", "autocomplete": "off", "dir": "auto"}),
        help_text=gettext_lazy("Type it as it stands above."),
    )
    seen = forms.IntegerField(min_value=1, widget=forms.HiddenInput)
    field_order = ("name", "reason")


def can_be_cancelled(show: Show) -> bool:
    """Whether it is announced, with a time or without."""
    return show.status in (Show.Status.SCHEDULED, Show.Status.POSTPONED)


def address_of_cancellation(show_id: int) -> str:
    """Where it stands how far the cancellation of the show is."""
    return reverse("admin:inventory_show_cancellation", args=[show_id])


def cancel_page(page: admin.ModelAdmin, request: HttpRequest, show_id: int) -> HttpResponse:
    """Tell what will happen (GET), or begin it and lead to how far it is (POST). Pressed twice it begins once."""
    show = show_for(request, show_id=show_id, permission=PERMISSION)
    if Cancellation.objects.filter(show=show).exists():
        return refuse(request, CancelledBefore(), to=address_of_cancellation(show.pk))
    if not can_be_cancelled(show):
        return refuse(request, why_not(show), to=address_of_show(show))
    form = CancelForm(request.POST if request.method == "POST" else None, initial={"seen": show.version})
    if form.is_valid():
        try:
            cancel_show(show_id=show.pk, by=request.user.get_username(), **form.cleaned_data)
        except NameDiffers as refusal:
            form.add_error("name", str(refusal))
        except CancelledBefore as refusal:
            return refuse(request, refusal, to=address_of_cancellation(show.pk))
        except JobsError as refusal:
            return refuse(request, refusal, to=address_of_show(show))
        else:
            words = _("The show is cancelled. Nobody can buy or come in any more, and the refunds are being planned.")
            messages.success(request, words)
            return HttpResponseRedirect(address_of_cancellation(show.pk))
    return ask(
        page,
        request,
        show,
        title=_("Cancel “%(show)s” and give everybody’s money back?") % {"show": show.title},
        button=_("Cancel the show"),
        form=form,
        effects=effects_of(preview(show_id=show.pk)),
        template="cancel.html",
    )


def effects_of(seen: Preview) -> list[str]:
    """What will happen, in sentences."""
    return [
        _stops(seen),
        *_orders(seen),
        *_money(seen),
        *_mails(seen),
        _("After %(days)d days the accounting is closed, once all that was paid was given back or written off.")
        % {"days": LASTS.days},
        _("This cannot be undone. Refunds that were not sent yet can be paused."),
    ]


def _stops(seen: Preview) -> str:
    if not seen.holds:
        return _("Nobody can buy, hold seats or be let in, from this moment on.")
    words = ngettext(
        "Nobody can buy, hold seats or be let in, from this moment on; %(n)s hold ends.",
        "Nobody can buy, hold seats or be let in, from this moment on; %(n)s holds end.",
        seen.holds,
    )
    return words % {"n": _number(seen.holds)}


def _orders(seen: Preview) -> list[str]:
    if not seen.orders:
        words = [_("Nobody has tickets.")]
    else:
        each = ngettext(
            "%(n)s order is cancelled, and its tickets become void.",
            "%(n)s orders are cancelled, and their tickets become void.",
            seen.orders,
        )
        words = [each % {"n": _number(seen.orders)}]
    told = (
        (
            seen.free,
            ngettext("%(n)s of them was free: no money moves.", "%(n)s of them were free: no money moves.", seen.free),
        ),
        (
            seen.waiting,
            ngettext(
                "%(n)s order waits for its payment: money that comes for it all the same goes back.",
                "%(n)s orders wait for their payment: money that comes for them all the same goes back.",
                seen.waiting,
            ),
        ),
        (
            seen.disputed,
            ngettext(
                "%(n)s order is disputed with the bank, which has the money: nothing is given back a second time.",
                "%(n)s orders are disputed with the bank, which has the money: nothing is given back a second time.",
                seen.disputed,
            ),
        ),
    )
    return words + [text % {"n": _number(count)} for count, text in told if count]


def _money(seen: Preview) -> list[str]:
    words = []
    if seen.refunds:
        back = ngettext(
            "%(money)s go back through the payment provider, in %(n)s refund%(span)s.",
            "%(money)s go back through the payment provider, in %(n)s refunds%(span)s.",
            seen.refunds,
        )
        span = ""
        if seen.takes is not None:
            takes = span_in_words(max(1, round(seen.takes.total_seconds())))
            span = _("; at its rate that takes about %(span)s") % {"span": takes}
        words.append(back % {"money": sums_in_words(seen.money), "n": _number(seen.refunds), "span": span})
    if seen.by_hand:
        out = ngettext(
            "%(money)s are to be paid out by hand, in %(n)s refund: it was paid at the counter.",
            "%(money)s are to be paid out by hand, in %(n)s refunds: they were paid at the counter.",
            seen.by_hand,
        )
        words.append(out % {"money": sums_in_words(seen.money_by_hand), "n": _number(seen.by_hand)})
    if not words:
        words.append(_("No money moves."))
    return words


def _mails(seen: Preview) -> list[str]:
    words = []
    if seen.mails:
        told = ngettext(
            "%(n)s order is told by mail what comes back, with an entry that takes the show out of the "
            "calendar%(span)s.",
            "%(n)s orders are told by mail what comes back, with an entry that takes the show out of the "
            "calendar%(span)s.",
            seen.mails,
        )
        words.append(told % {"n": _number(seen.mails), "span": how_long(seen.mails)})
    if silent := seen.without_address:
        without = ngettext(
            "%(n)s order has no address: nobody can be written to about it.",
            "%(n)s orders have no address: nobody can be written to about them.",
            silent,
        )
        words.append(without % {"n": _number(silent)})
    if seen.suppressed:
        words.append(suppressed_in_words(seen.suppressed))
    return words


def sums_in_words(sums: Sequence[Money]) -> str:
    """One after the other, where there are several currencies."""
    return ", ".join(str(money) for money in sums)


def _number(count: int) -> str:
    return number_format(count, use_l10n=True, force_grouping=True)

"""Small matters of presentation for the storefront's templates."""

from __future__ import annotations

from html import escape

from django import template
from django.utils.formats import number_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from boxoffice.storefront.seat_plan import Row, SeatMark
from boxoffice.storefront.show_seats import layout_address
from inventory.models import Show

register = template.Library()

# Note [Markup of seats]: a hall has hundreds of seats, and as template code their markup took three quarters of the
# page's time, as format_html a third. So it is put together here, each text from outside escaped by hand.
BOX = (
    '<li><label class="chip %(state)s"><input type="checkbox" name="seats" value="%(id)d"%(attribute)s>'
    "<span>%(sign)s%(number)s%(kind)s%(why)s</span></label></li>\n"
)
ATTRIBUTES = {"free": "", "chosen": " checked"}


@register.filter
def one_line(text: str) -> str:
    """``{{ venue.address|one_line }}``: the lines of a text one after another, parted by commas."""
    return ", ".join(line.strip().rstrip(",") for line in text.splitlines() if line.strip())


@register.filter
def grouped(count: int) -> str:
    """``{{ part.free|grouped }}``: "1,123" in English and "1.123" in German."""
    return number_format(count, force_grouping=True)


@register.simple_tag
def seat_layout(show: Show) -> str:
    """``{% seat_layout show %}``: where a browser finds the layout of the show's seats. Its ``tiers`` are read."""
    return layout_address(show)


@register.simple_tag
def seat_boxes(row: Row) -> SafeString:
    """``{% seat_boxes row %}``: the row's seats as checkboxes in their labels. See Note [Markup of seats].

    Those that are taken say why, and those for a wheelchair say so.
    """
    why = {
        "held": _unseen(_("held by others")),
        "own": _unseen(_("held by you")),
        "sold": _unseen(_("sold")),
        "blocked": _unseen(_("not for sale")),
    }
    tiers_differ = len(row.tiers) > 1
    return SafeString("".join(BOX % _box(seat, why=why, with_letter=tiers_differ) for seat in row.seats))


def _box(seat: SeatMark, *, why: dict[str, str], with_letter: bool) -> dict[str, object]:
    return {
        "state": seat.state,
        "id": seat.id,
        "attribute": ATTRIBUTES.get(seat.state, " disabled"),
        "sign": f'<i aria-hidden="true">{seat.tier.sign}</i>' if with_letter or seat.tier.wheelchair else "",
        "number": escape(seat.number),
        "kind": _unseen(seat.tier.name) if seat.tier.wheelchair else "",
        "why": why.get(seat.state, ""),
    }


def _unseen(words: str) -> str:
    return f'<span class="unseen"> {escape(words)}</span>'

"""A subject is one line, whatever was pasted into the title of its show."""

from __future__ import annotations

import pytest
from django.utils import translation

from boxoffice.messages import tickets_late
from boxoffice.messages.base import lay_out
from boxoffice.messages.samples import sample_order
from notifications.channels.email.compose import compose


@pytest.mark.parametrize("between", ["\x07", "\x1b", "\x7f", "\x85", "\u2028", "\r\n", "\n\n", "\x00"])
def test_a_control_in_a_title_keeps_no_mail_back(between: str) -> None:
    order = sample_order()
    order.show.title = f"Der{between}Sturm"
    with translation.override("en"):
        mail = lay_out(tickets_late.worded(order=order, tickets=[]), to_address="ada@example.org")
    message = compose(content=mail, message_id="<1@example.org>")
    assert "Der Sturm, Sat 11 Dec 2032" in "".join(c for c in message["Subject"] if c not in "\u2068\u2069")

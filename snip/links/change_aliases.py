"""Giving a link a word of its own, and retiring one."""

from __future__ import annotations

from django.db import transaction

from jobs.audit import require_reason
from jobs.events import publish
from snip.events import LinkChanged
from snip.links import transitions
from snip.links.codes import clean_alias
from snip.links.errors import AliasTaken, LinkChangedMeanwhile, NotRetirable, TooManyAliases
from snip.links.trail import write_link_action
from snip.models import LinkAction, LinkCode

MOST = 10
"""Words of one link, retired ones too: a word is gone for everybody else, for ever."""


def add_alias(*, link_id: int, alias: str, by: str) -> str:
    """Let the word lead where the link leads; returns it as it is kept. One transaction.

    Raises ReasonMissing without ``by``, InvalidAlias, AliasTaken for a word that is or was any link's, TooManyAliases,
    and LinkChangedMeanwhile for a link that is blocked or deleted.
    """
    require_reason(by=by, reason="added")
    word = clean_alias(alias)
    with transaction.atomic():
        version = transitions.count_up(link_id=link_id)
        if version is None:
            raise LinkChangedMeanwhile
        if LinkCode.objects.filter(link_id=link_id, is_alias=True).count() >= MOST:
            raise TooManyAliases
        if not transitions.add_codes(codes=[word], link_ids=[link_id], is_alias=True):
            raise AliasTaken
        write_link_action(link_id=link_id, action=LinkAction.Action.ALIAS, by=by, what=word)
        publish(LinkChanged(link_id=link_id, version=version))
    return word


def retire_alias(*, link_id: int, code: str, by: str) -> None:
    """Let the word lead nowhere any more, for ever. One transaction.

    Raises ReasonMissing without ``by``, NotRetirable for what is no alias of this link or was retired already, and
    LinkChangedMeanwhile for a link that is blocked or deleted.
    """
    require_reason(by=by, reason="retired")
    with transaction.atomic():
        version = transitions.count_up(link_id=link_id)
        if version is None:
            raise LinkChangedMeanwhile
        if not transitions.retire_alias(link_id=link_id, code=code):
            raise NotRetirable
        write_link_action(link_id=link_id, action=LinkAction.Action.RETIRE, by=by, what=code)
        publish(LinkChanged(link_id=link_id, version=version))

"""Lists: newest first, paged by cursor (Stripe API reference, "Pagination")."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sandbox.stripe.errors import invalid, missing
from sandbox.stripe.stand_in import StandIn
from sandbox.stripe.state import Body

BOUNDS = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
ON_A_PAGE = 10
EVENTS_ARE_SHOWN_FOR = 30 * 86_400  # seconds (Stripe API reference, "Retrieve an event")
FIELDS = {
    "payment_intent": "$.payment_intent",
    "charge": "$.charge",
    "status": "$.status",
    "currency": "$.currency",
    "source": "$.source",
    "type": "$.type",
    "payout": "$._payout",
}
"""Parameters that narrow a list to the objects whose field has that value."""


def page_of(stand_in: StandIn, kind: str, parameters: Mapping[str, Any], *, url: str) -> Body:
    """One page of all objects of a kind that the parameters leave. Raises ApiError for a cursor that is none."""
    conditions: list[str] = ["kind = ?"]
    values: list[Any] = [kind]
    for name, path in FIELDS.items():
        if name in parameters:
            conditions.append(f"json_extract(body, '{path}') = ?")
            values.append(parameters[name])
    for name, column in (("created", "created"), ("arrival_date", "json_extract(body, '$.arrival_date')")):
        for bound, instant in parameters.get(name, {}).items():
            conditions.append(f"{column} {BOUNDS[bound]} ?")
            values.append(instant)
    if kind == "event":
        conditions.append("created >= ?")
        values.append(stand_in.now() - EVENTS_ARE_SHOWN_FOR)
    _add_the_rest(kind, parameters, conditions, values)
    backwards = _add_cursor(stand_in, kind, parameters, conditions, values)
    limit = parameters.get("limit", ON_A_PAGE)
    found = stand_in.state.rows(
        f"SELECT body FROM objects WHERE {' AND '.join(conditions)} "  # noqa: S608 - conditions of our own
        f"ORDER BY seq {'ASC' if backwards else 'DESC'} LIMIT ?",
        (*values, limit + 1),
    )
    page = [json.loads(row["body"]) for row in found[:limit]]
    return list_object(page[::-1] if backwards else page, has_more=len(found) > limit, url=url)


def _add_the_rest(kind: str, parameters: Mapping[str, Any], conditions: list[str], values: list[Any]) -> None:
    if kind == "event":
        types = parameters.get("types", [])
        if "type" in parameters and types:
            raise invalid("You may pass only one of these parameters: type, types.", param="type")
        if types:
            conditions.append(f"json_extract(body, '$.type') IN ({', '.join('?' * len(types))})")
            values.extend(types)
        if "*" in parameters.get("type", ""):
            conditions.remove("json_extract(body, '$.type') = ?")
            values.remove(parameters["type"])
            conditions.append("json_extract(body, '$.type') GLOB ?")
            values.append(parameters["type"])
        if "delivery_success" in parameters:
            conditions.append(
                f"json_extract(body, '$.pending_webhooks') {'=' if parameters['delivery_success'] else '>'} 0"
            )
    if "customer_details" in parameters:
        conditions.append("json_extract(body, '$.customer_details.email') = ?")
        values.append(parameters["customer_details"]["email"])


def _add_cursor(
    stand_in: StandIn, kind: str, parameters: Mapping[str, Any], conditions: list[str], values: list[Any]
) -> bool:
    """Whether the page is read from its end."""
    if "starting_after" in parameters and "ending_before" in parameters:
        raise invalid("You cannot parametrize both starting_after and ending_before.", param="starting_after")
    for name, sign in (("starting_after", "<"), ("ending_before", ">")):
        if name in parameters:
            if stand_in.state.find(kind, parameters[name]) is None:
                raise missing(kind, parameters[name], param=name, status=400)
            conditions.append(f"seq {sign} (SELECT seq FROM objects WHERE id = ?)")  # noqa: S608 - likewise
            values.append(parameters[name])
    return "ending_before" in parameters


def page_of_items(items: list[Body], parameters: Mapping[str, Any], *, url: str) -> Body:
    """One page of the line items of a session, in the order in which they were given."""
    ids = [item["id"] for item in items]
    for name in ("starting_after", "ending_before"):
        if name in parameters and parameters[name] not in ids:
            raise missing("item", parameters[name], param=name, status=400)
    limit = parameters.get("limit", ON_A_PAGE)
    if "ending_before" in parameters:
        items = items[: ids.index(parameters["ending_before"])]
        return list_object(items[-limit:], has_more=len(items) > limit, url=url)
    if "starting_after" in parameters:
        items = items[ids.index(parameters["starting_after"]) + 1 :]
    return list_object(items[:limit], has_more=len(items) > limit, url=url)


def list_object(page: list[Body], *, has_more: bool, url: str) -> Body:
    """A list as the API shows it; the objects are not yet rendered."""
    return {"object": "list", "data": page, "has_more": has_more, "url": url}

"""What on a Redis list can be read as kombu's envelope, and what cannot."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.broker.envelopes import LARGEST_ENVELOPE_BYTES, fault_of_envelope, fault_of_item

OURS: dict[str, Any] = {
    "body": "W1sxLCAiZGVmYXVsdCJdLCB7fSwge31d",
    "content-encoding": "utf-8",
    "content-type": "application/json",
    "headers": {"task": "probe.call", "id": "1"},
    "properties": {
        "body_encoding": "base64",
        "delivery_tag": "a tag",
        "delivery_info": {"exchange": "", "routing_key": "probe"},
    },
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*OURS, "priority"]), inner),
    max_leaves=20,
)


def test_an_envelope_of_ours_has_no_fault() -> None:
    assert fault_of_item(json.dumps(OURS).encode()) is None
    assert fault_of_envelope({**OURS, "headers": None, "body": None}) is None


@pytest.mark.parametrize("missing", ["delivery_tag", "delivery_info"])
def test_an_envelope_without_a_property_that_kombu_reads_has_one(missing: str) -> None:
    properties = {name: value for name, value in OURS["properties"].items() if name != missing}
    assert fault_of_envelope({**OURS, "properties": properties}) == "no message envelope"


def test_what_is_larger_than_any_envelope_is_not_even_parsed() -> None:
    assert fault_of_item(b"[" * (LARGEST_ENVELOPE_BYTES + 1)) == "envelope is too large"
    assert fault_of_item(b"[" * LARGEST_ENVELOPE_BYTES) == "envelope is not JSON"


def test_a_compressed_body_is_not_unpacked() -> None:
    assert fault_of_envelope({**OURS, "headers": {"compression": "application/x-gzip"}}) == "body is compressed"


@given(item=st.binary() | JSON.map(lambda value: json.dumps(value).encode()))
def test_nothing_that_anybody_pushes_raises(item: bytes) -> None:
    assert fault_of_item(item) is None or isinstance(fault_of_item(item), str)


@given(JSON)
def test_no_envelope_raises(envelope: Any) -> None:
    assert fault_of_envelope(envelope) is None or isinstance(fault_of_envelope(envelope), str)

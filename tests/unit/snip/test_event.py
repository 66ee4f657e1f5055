"""The click in bytes: small, without loss, and strict about what it reads."""

import contextlib
import os
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snip.event import (
    CODE_LENGTH,
    PACKED_LENGTH,
    REFERRER_LENGTH,
    AgentClass,
    Click,
    MalformedClick,
    id_in,
    instant_of,
    join,
    pack,
    pack_code,
    pack_visitor,
    unpack,
)
from snip.uuid7 import first_uuid7, uuid7, uuid7_bytes
from tests.processes import status_of_child

ASCII = st.characters(min_codepoint=33, max_codepoint=126)
CLICKS = st.builds(
    Click,
    id=st.builds(uuid7),
    code=st.text(ASCII, min_size=1, max_size=CODE_LENGTH),
    country=st.sampled_from(["", "DE", "FR", "US"]),
    agent=st.sampled_from(AgentClass),
    referrer=st.text(ASCII, max_size=REFERRER_LENGTH),
)


@given(CLICKS)
def test_a_click_is_read_as_it_was_written_and_is_small(click: Click) -> None:
    packed = pack(click)

    assert unpack(packed) == click
    assert len(packed) <= PACKED_LENGTH


@given(CLICKS)
def test_a_click_is_the_same_whether_packed_whole_or_joined_of_its_parts(click: Click) -> None:
    visitor = pack_visitor(agent=click.agent, country=click.country, referrer=click.referrer)
    joined = join(click.id.bytes, pack_code(click.code), visitor)

    assert (joined, unpack(joined)) == (pack(click), click)
    assert id_in(joined) == click.id.bytes


@given(st.binary(max_size=200))
def test_bytes_of_any_kind_are_a_click_or_malformed_and_nothing_else(packed: bytes) -> None:
    try:
        click = unpack(packed)
    except MalformedClick:
        return
    assert pack(click) == packed


@given(CLICKS, st.data())
def test_a_click_with_one_byte_changed_is_read_in_full_or_refused(click: Click, data: st.DataObject) -> None:
    packed = bytearray(pack(click))
    packed[data.draw(st.integers(0, len(packed) - 1))] = data.draw(st.integers(0, 255))

    with contextlib.suppress(MalformedClick):
        assert pack(unpack(bytes(packed))) == bytes(packed)


def test_a_click_cut_short_or_with_something_behind_it_is_malformed() -> None:
    packed = pack(Click(id=uuid7(), code="x7Kq", country="DE", referrer="example.org"))

    for wrong in [*(packed[:end] for end in range(len(packed))), packed + b"x"]:
        with pytest.raises(MalformedClick):
            unpack(wrong)


def test_an_id_that_tells_no_time_is_malformed() -> None:
    with pytest.raises(MalformedClick):
        unpack(pack(Click(id=uuid4(), code="x7Kq")))


@pytest.mark.parametrize("wrong", ["\0", "a\n", "\x1b[31m", "\x7f"])
def test_what_no_code_and_no_host_has_is_malformed(wrong: str) -> None:
    for click in (Click(id=uuid7(), code=wrong), Click(id=uuid7(), code="x7Kq", referrer=wrong)):
        with pytest.raises(MalformedClick):
            unpack(pack(click))


def test_a_long_referrer_keeps_its_end_where_the_registered_name_is() -> None:
    click = Click(id=uuid7(), code="x7Kq", referrer="a" * 100 + ".example.org")

    assert unpack(pack(click)).referrer.endswith("a.example.org")
    assert len(pack(Click(id=uuid7(), code="c" * CODE_LENGTH, referrer="r" * 300))) == PACKED_LENGTH


@pytest.mark.parametrize(("code", "country"), [("", ""), ("c" * 33, ""), ("größe", ""), ("x", "D"), ("x", "DEU")])
def test_what_does_not_fit_is_not_packed(code: str, country: str) -> None:
    with pytest.raises(MalformedClick):
        pack(Click(id=uuid7(), code=code, country=country))


def test_only_crawlers_and_previews_are_bots() -> None:
    assert {agent for agent in AgentClass if agent.is_bot} == {AgentClass.BOT, AgentClass.PREVIEW}


def test_an_id_tells_its_instant_and_bounds_sort_around_it() -> None:
    before = datetime.now(UTC)
    made = uuid7()

    assert made.version == 7
    assert abs(instant_of(made) - before) < timedelta(seconds=5)
    assert first_uuid7(instant_of(made)) <= made < first_uuid7(instant_of(made) + timedelta(milliseconds=1))
    assert first_uuid7(datetime(2022, 2, 22, 19, 22, 22, tzinfo=UTC)) == UUID("017f22e2-79b0-7000-8000-000000000000")


def test_ids_of_one_instant_differ() -> None:
    assert len({uuid7() for _ in range(10_000)}) == 10_000
    assert len({uuid7_bytes() for _ in range(10_000)}) == 10_000


def test_ids_made_as_bytes_are_of_version_7_and_random_in_each_other_bit() -> None:
    before = uuid7()
    made = [UUID(bytes=uuid7_bytes()) for _ in range(2_000)]
    after = first_uuid7(instant_of(uuid7()) + timedelta(milliseconds=1))

    assert {(each.version, each.variant) for each in made} == {(before.version, before.variant)}
    assert all(instant_of(before) <= instant_of(each) and each < after for each in made)
    random = [bit for bit in range(80) if bit not in (62, 63, 76, 77, 78, 79)]
    assert all(700 < sum(each.int >> bit & 1 for each in made) < 1_300 for bit in random)


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")  # where the tests' runner has threads
def test_a_forked_child_makes_other_ids_than_its_parent() -> None:
    uuid7_bytes()  # some more are ready now
    hears, says = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(says, b"".join(uuid7_bytes() for _ in range(100)))
        os._exit(0)
    status_of_child(child)
    told = os.read(hears, 1_600)
    os.close(hears)
    os.close(says)

    theirs = {told[at + 6 : at + 16] for at in range(0, len(told), 16)}
    assert len(theirs) == 100
    assert theirs.isdisjoint(uuid7_bytes()[6:] for _ in range(1_000))

"""What the redirect reads of a request: a class, a country, a site; and nothing that tells who somebody is."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snip.event import AgentClass, Click, pack, unpack
from snip.log.bounds import Bounds
from snip.redirect.agent import agent_class
from snip.redirect.country import CountryFile, address_told, country_told
from snip.redirect.producers import CODE
from snip.redirect.referrer import referrer_host
from snip.redirect.setup import Setup
from snip.redirect.visitor import Clicks
from tests.country_files import write_country_file

PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148"
AGENTS = {
    PHONE: AgentClass.MOBILE,
    "Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36": AgentClass.MOBILE,
    "Mozilla/5.0 (Linux; Android 13; CUBOT X70) AppleWebKit/537.36 Chrome/120 Mobile Safari/537.36": AgentClass.MOBILE,
    "Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) AppleWebKit/605.1.15": AgentClass.TABLET,
    "Mozilla/5.0 (Linux; Android 14; SM-X910) AppleWebKit/537.36 Chrome/140.0 Safari/537.36": AgentClass.TABLET,
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0": AgentClass.DESKTOP,
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.1 Safari/605.1.15": (
        AgentClass.DESKTOP
    ),
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 YaBrowser/25.1 Safari/537.36": AgentClass.DESKTOP,
    "SomethingNew/1.0": AgentClass.OTHER,
    "": AgentClass.BOT,
    " ": AgentClass.BOT,
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)": AgentClass.BOT,
    "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X) Mobile Safari/537.36 (compatible; Googlebot/2.1)": AgentClass.BOT,
    "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)": AgentClass.BOT,
    "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)": AgentClass.BOT,
    "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)": AgentClass.BOT,
    "curl/8.5.0": AgentClass.BOT,
    "python-requests/2.32": AgentClass.BOT,
    "Go-http-client/2.0": AgentClass.BOT,
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/140.0 Safari/537.36": AgentClass.BOT,
    "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)": AgentClass.PREVIEW,
    "WhatsApp/2.23.20.0": AgentClass.PREVIEW,
    "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)": AgentClass.PREVIEW,
    "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)": AgentClass.PREVIEW,
    "TelegramBot (like TwitterBot)": AgentClass.PREVIEW,
    "Twitterbot/1.0": AgentClass.PREVIEW,
    "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)": AgentClass.PREVIEW,
    "http.rb/5.1.1 (Mastodon/4.2.0; +https://mastodon.social/) Bot": AgentClass.PREVIEW,
}


@pytest.mark.parametrize(("user_agent", "agent"), AGENTS.items())
def test_programs_are_told_from_people_and_telephones_from_desks(user_agent: str, agent: AgentClass) -> None:
    assert agent_class(user_agent) is agent


@pytest.mark.parametrize(
    ("referer", "host"),
    [
        ("https://www.Example.org:8443/a/page?q=secret#x", "www.example.org"),
        ("https://user:password@example.org/", "example.org"),
        ("android-app://com.google.android.gm/", "com.google.android.gm"),
        ("https://bücher.example/", ""),
        ("http://[2001:db8::1]/x", "2001:db8::1"),
        ("https://example.org./", "example.org"),
        ("", ""),
        ("about:blank", ""),
        ("no address", ""),
        ("https://[", ""),
        ("https://exa mple.org/", ""),
        ("https://\x00/", ""),
    ],
)
def test_of_a_referrer_the_host_is_kept_and_nothing_else(referer: str, host: str) -> None:
    assert referrer_host(referer) == host


@pytest.mark.parametrize(
    ("header", "country"),
    [("DE", "DE"), (" de ", "DE"), ("XX", ""), ("T1", ""), ("", ""), ("DEU", ""), ("ß1", ""), ("ÄÖ", "")],
)
def test_a_proxys_country_is_two_letters_or_not_known(header: str, country: str) -> None:
    assert country_told(header) == country


@pytest.mark.parametrize(
    ("header", "address"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("10.0.0.1, 198.51.100.2", "198.51.100.2"),
        ("198.51.100.2:4711", "198.51.100.2"),
        ("[2001:db8::1]:4711", "2001:db8::1"),
        ("2001:db8::1", "2001:db8::1"),
    ],
)
def test_the_address_that_the_nearest_proxy_added_counts(header: str, address: str) -> None:
    assert address_told(header) == address


@pytest.fixture
def country_file(tmp_path: Path) -> Path:
    """A database in which 192.0.2.0/24 is in Germany and everything else nowhere."""
    return write_country_file(tmp_path / "country.mmdb", network="192.0.2.0/24", country="DE")


def test_the_country_of_an_address_is_in_the_file_or_not_known(country_file: Path) -> None:
    countries = CountryFile(country_file)

    assert countries.country_of("192.0.2.77") == "DE"
    assert [countries.country_of(address) for address in ("198.51.100.1", "2001:db8::1", "nonsense", "")] == [""] * 4
    countries.close()


def clicks(**setup: object) -> Clicks:
    addresses = {"database_url": "", "redis_url": "", "public_url": ""}
    return Clicks(Setup(**addresses, bounds=Bounds(), **setup))


def click(made: Clicks, *, code: str = "abc", headers: Sequence[tuple[bytes, bytes]], peer: str = "") -> Click:
    """The click of a request with these headers."""
    return unpack(made.pack(code, {"headers": headers, "client": (peer, 4711) if peer else None}))


def test_a_file_that_is_broken_tells_no_country_and_costs_no_click(country_file: Path) -> None:
    tree, found, rest = country_file.read_bytes().partition(bytes(16))
    country_file.write_bytes(tree + found + b"\xff" * 4 + rest[4:])

    read = click(clicks(geoip_file=country_file), headers=[], peer="192.0.2.77")

    assert (read.code, read.country) == ("abc", "")


def test_an_address_decides_the_country_and_is_not_in_the_click(country_file: Path) -> None:
    headers = [(b"user-agent", PHONE.encode()), (b"x-forwarded-for", b"203.0.113.9, 192.0.2.77")]

    believed = click(clicks(geoip_file=country_file, behind_proxy=True), headers=headers, peer="10.0.0.1")
    direct = click(clicks(geoip_file=country_file), headers=headers, peer="198.51.100.1")

    assert (believed.country, direct.country) == ("DE", "")
    assert b"192" not in pack(believed)
    assert len(pack(believed)) == 21 + len("abc") + 1


def test_a_country_header_counts_only_where_it_was_named() -> None:
    headers = [(b"cf-ipcountry", b"FR"), (b"user-agent", PHONE.encode())]

    assert click(clicks(country_header="cf-ipcountry"), headers=headers).country == "FR"
    assert click(clicks(), headers=headers).country == ""


def test_what_a_browser_fetches_before_anybody_clicks_is_a_preview() -> None:
    headers = [(b"user-agent", PHONE.encode()), (b"sec-purpose", b"prefetch;prerender")]

    assert click(clicks(), headers=headers).agent is AgentClass.PREVIEW


def test_an_empty_word_of_a_prefetch_says_nothing() -> None:
    headers = [(b"user-agent", PHONE.encode()), (b"purpose", b""), (b"x-moz", b"")]

    assert click(clicks(), headers=headers).agent is AgentClass.MOBILE
    assert click(clicks(), headers=[*headers, (b"x-purpose", b"preview")]).agent is AgentClass.PREVIEW


def test_headers_of_any_bytes_and_length_make_a_click_that_fits() -> None:
    headers = [(b"user-agent", b"\xff" * 9_000), (b"referer", b"https://" + b"a." * 5_000 + b"example/\xfe")]

    assert len(clicks().pack("c" * 32, {"headers": headers})) <= 120


MADE = clicks(country_header="cf-ipcountry")


@given(
    code=st.from_regex(CODE, fullmatch=True),
    user_agent=st.sampled_from([*AGENTS, "\xff"]),
    site=st.sampled_from(["", "https://www.example.org/a?b", "https://" + "a." * 50 + "example/", "no address"]),
    country=st.sampled_from(["", "DE", " fr ", "XX", "DEU"]),
    purpose=st.sampled_from(["", "prefetch"]),
)
def test_a_click_joined_of_remembered_parts_is_what_its_headers_say_one_by_one(
    code: str, user_agent: str, site: str, country: str, purpose: str
) -> None:
    named = {"user-agent": user_agent, "referer": site, "cf-ipcountry": country, "sec-purpose": purpose}
    headers = [(name.encode(), value.encode("latin-1")) for name, value in named.items() if value]

    made = MADE.pack(code, {"headers": headers})

    read = unpack(made)
    agent = agent_class(user_agent)
    if purpose and not agent.is_bot:
        agent = AgentClass.PREVIEW
    said = Click(read.id, code, country_told(country), agent, referrer_host(site))
    assert made == pack(said), "as the readable way packs it"
    assert abs(read.at - datetime.now(UTC)) < timedelta(seconds=5)


def test_each_click_of_one_visitor_on_one_code_has_an_id_of_its_own() -> None:
    headers = [(b"user-agent", PHONE.encode())]

    assert len({MADE.pack("abc", {"headers": headers}) for _ in range(2_000)}) == 2_000

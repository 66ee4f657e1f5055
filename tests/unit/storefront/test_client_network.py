"""Which network a request comes from, with and without a proxy."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import RequestFactory

from boxoffice.storefront.client_network import network_of


@pytest.mark.parametrize(
    ("connected", "network"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("203.0.113.7:51234", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2::1]:443", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("", ""),
        ("unix:", ""),
    ],
)
def test_addresses_of_one_network_are_one(connected: str, network: str, rf: RequestFactory) -> None:
    assert network_of(rf.get("/", REMOTE_ADDR=connected)) == network


def test_what_a_client_says_of_itself_is_not_believed_without_a_proxy(rf: RequestFactory) -> None:
    request = rf.get("/", REMOTE_ADDR="203.0.113.7", headers={"X-Forwarded-For": "198.51.100.1"})
    assert network_of(request) == "203.0.113.7"


@pytest.mark.parametrize(
    ("said", "network"),
    [
        ("198.51.100.1", "198.51.100.1"),
        ("made-up, 192.0.2.9, 198.51.100.1", "198.51.100.1"),
        ("192.0.2.9,2001:db8::1", "2001:db8::/64"),
        ("192.0.2.9, nonsense", "10.0.0.2"),
        ("", "10.0.0.2"),
    ],
)
def test_behind_a_proxy_its_own_word_counts_and_none_before_it(
    said: str, network: str, rf: RequestFactory, settings: Any
) -> None:
    settings.TRUSTED_PROXY = True
    request = rf.get("/", REMOTE_ADDR="10.0.0.2", headers={"X-Forwarded-For": said})
    assert network_of(request) == network

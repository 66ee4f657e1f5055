"""No address of a private network passes, in whatever spelling and inside of whatever other address."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address, IPv6Network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snip.scan.addresses import NOT_PUBLIC_V4, is_public
from snip.scan.policy import Policy
from snip.scan.refusals import Refused
from snip.scan.spelled_numbers import spelled_address
from snip.scan.targets import read_target

PRIVATE_V4 = st.sampled_from(NOT_PUBLIC_V4).flatmap(
    lambda network: st.integers(int(network[0]), int(network[-1])).map(IPv4Address)
)
CARRIERS = st.sampled_from(["::", "::ffff:0:0", "::ffff:0:0:0", "64:ff9b::", "64:ff9b:1::", "fe80::5efe:0:0"])


def spellings(address: IPv4Address) -> st.SearchStrategy[str]:
    """Every way to write it that ``inet_aton`` reads: one to four parts, each decimal, octal or hexadecimal."""
    number = int(address)

    def write(parts: int, forms: list[str]) -> str:
        heads = [(number >> 8 * (3 - place)) & 0xFF for place in range(parts - 1)]
        values = [*heads, number & (256 ** (5 - parts) - 1)]
        return ".".join(form.format(value) for form, value in zip(forms, values, strict=False))

    form = st.sampled_from(["{:d}", "0x{:x}", "0X{:X}", "0{:o}", "000{:o}", "0x000{:x}"])
    return st.builds(write, st.integers(1, 4), st.lists(form, min_size=4, max_size=4))


@given(PRIVATE_V4)
def test_no_private_ipv4_address_is_public(address: IPv4Address) -> None:
    assert not is_public(address)


@given(st.ip_addresses(v=4))
def test_what_python_calls_private_reserved_or_multicast_is_not_public(address: IPv4Address) -> None:
    if address.is_private or address.is_reserved or address.is_multicast or address.is_link_local:
        assert not is_public(address)


@given(st.ip_addresses(v=6))
def test_what_python_calls_private_reserved_or_local_is_not_public_in_ipv6_either(address: IPv6Address) -> None:
    if address.is_private or address.is_reserved or address.is_multicast or address.is_site_local:
        assert not is_public(address)


@given(PRIVATE_V4, CARRIERS, st.integers(0, 2**80 - 1))
def test_no_private_address_passes_inside_of_an_ipv6_address(address: IPv4Address, carrier: str, rest: int) -> None:
    number = int(address)
    assert not is_public(IPv6Address(int(IPv6Address(carrier)) | number))
    assert not is_public(IPv6Address((0x2002 << 112) | (number << 80) | rest))
    teredo = int(IPv6Network("2001::/32")[0]) | (rest << 16 & (2**96 - 1)) | (number ^ 0xFFFFFFFF)
    assert not is_public(IPv6Address(teredo))
    assert not is_public(IPv6Address((0x2606 << 112) | (0x5EFE << 32) | number))


@given(st.data(), st.ip_addresses(v=4))
def test_every_spelling_is_read_as_the_c_library_reads_it(data: st.DataObject, address: IPv4Address) -> None:
    spelling = data.draw(spellings(address))
    assert spelled_address(spelling) == address == IPv4Address(socket.inet_aton(spelling))


@given(st.data(), PRIVATE_V4)
def test_no_spelling_of_a_private_address_passes_as_a_target(data: st.DataObject, address: IPv4Address) -> None:
    for host in (data.draw(spellings(address)), f"[::ffff:{address}]", f"[64:ff9b::{address}]"):
        with pytest.raises(Refused, match="NOT_PUBLIC"):
            read_target(f"http://{host}/", policy=Policy())


@pytest.mark.parametrize("address", ["8.8.8.8", "1.1.1.1", "93.184.215.14", "172.32.0.1", "100.128.0.1", "11.0.0.1"])
def test_public_ipv4_addresses_pass(address: str) -> None:
    assert is_public(IPv4Address(address))


@pytest.mark.parametrize("address", ["2606:4700:4700::1111", "2a00:1450:4001::200e", "2001:4860:4860::8888"])
def test_public_ipv6_addresses_pass(address: str) -> None:
    assert is_public(IPv6Address(address))

"""Which IP addresses belong to the public Internet. Pure; everything that is not surely public is not.

Our own tables, since ``ipaddress.is_global`` means something else in each release of Python, says yes to multicast,
and looks at no IPv4 address that a tunnel's IPv6 address carries. Source: IANA's special-purpose registries (RFC 6890).
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

Address = IPv4Address | IPv6Address

NOT_PUBLIC_V4 = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network; many systems take it for this host
        "10.0.0.0/8",
        "100.64.0.0/10",  # carriers' own, and the metadata of some clouds
        "127.0.0.0/8",
        "169.254.0.0/16",  # link local, with the metadata of most clouds
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",  # relays to 6to4
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
)

PUBLIC_V6 = IPv6Network("2000::/3")
"""All that was ever given out. Outside lie loopback, mapped and translated IPv4 (NAT64), local and multicast."""

NOT_PUBLIC_V6 = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocols, Teredo with an IPv4 address inside, benchmarks, ORCHID
        "2001:db8::/32",
        "2002::/16",  # 6to4, with an IPv4 address inside
        "2620:4f:8000::/48",
        "3fff::/20",
        "3ffe::/16",  # the 6bone, given back
    )
)

ISATAP = (0x00005EFE, 0x02005EFE)
"""The third quarter of an address whose last quarter is the IPv4 address that a tunnel leads to."""


def is_public(address: Address) -> bool:
    """Whether anybody on the Internet may reach ``address``, and nobody by it what is behind a wall."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in NOT_PUBLIC_V4)
    if address.scope_id is not None or address not in PUBLIC_V6:
        return False
    if (int(address) >> 32) & 0xFFFFFFFF in ISATAP:
        return False
    return not any(address in network for network in NOT_PUBLIC_V6)

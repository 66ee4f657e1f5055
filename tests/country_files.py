"""A database of addresses in MaxMind's format, written by hand: one network that lies in one country."""

from __future__ import annotations

from ipaddress import ip_network
from pathlib import Path

STRING, MAP, UINT16, UINT32, UINT64, ARRAY = 2, 7, 5, 6, 9, 11
RECORD_BITS = 24


def write_country_file(file: Path, *, network: str, country: str) -> Path:
    """A file in which the addresses of ``network`` (IPv4) are in ``country``, and all others nowhere."""
    net = ip_network(network)
    bits = f"{int(net.network_address):032b}"[: net.prefixlen]
    nodes, nowhere = len(bits), len(bits)
    tree = b""
    for number, bit in enumerate(bits):
        onward = number + 1 if number + 1 < nodes else nodes + 16
        records = (onward, nowhere) if bit == "0" else (nowhere, onward)
        tree += b"".join(record.to_bytes(RECORD_BITS // 8) for record in records)
    data = _map({"country": _map({"iso_code": _string(country)})})
    metadata = _map(
        {
            "binary_format_major_version": _unsigned(UINT16, 2),
            "binary_format_minor_version": _unsigned(UINT16, 0),
            "build_epoch": _unsigned(UINT64, 1_700_000_000),
            "database_type": _string("Country of the tests"),
            "description": _map({"en": _string("One network.")}),
            "ip_version": _unsigned(UINT16, 4),
            "languages": _control(ARRAY, 0),
            "node_count": _unsigned(UINT32, nodes),
            "record_size": _unsigned(UINT16, RECORD_BITS),
        }
    )
    file.write_bytes(tree + bytes(16) + data + b"\xab\xcd\xefMaxMind.com" + metadata)
    return file


def _control(kind: int, size: int) -> bytes:
    return bytes((kind << 5 | size,)) if kind < 8 else bytes((size, kind - 7))


def _string(text: str) -> bytes:
    encoded = text.encode()
    if len(encoded) >= 29:
        raise ValueError("Short strings only.")
    return _control(STRING, len(encoded)) + encoded


def _unsigned(kind: int, number: int) -> bytes:
    encoded = number.to_bytes((number.bit_length() + 7) // 8)
    return _control(kind, len(encoded)) + encoded


def _map(values: dict[str, bytes]) -> bytes:
    return _control(MAP, len(values)) + b"".join(_string(name) + value for name, value in values.items())

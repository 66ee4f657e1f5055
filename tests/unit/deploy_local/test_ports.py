"""Ports stay the same from run to run, unless somebody else took them meanwhile."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.local.checkout import Instance
from deploy.local.errors import LocalError
from deploy.local.ports import HOST, Ports, is_free
from deploy.local.stack import stack_environment


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "ports.json"


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.create_server((HOST, 0)) as server:
        yield server.getsockname()[1]


def test_a_service_gets_the_port_of_the_last_run(file: Path) -> None:
    port = Ports(file=file).port_for("postgres")

    assert Ports(file=file).port_for("postgres") == port


def test_a_remembered_port_that_is_taken_is_chosen_anew(file: Path, taken_port: int) -> None:
    file.write_text(f'{{"postgres": {taken_port}}}')

    port = Ports(file=file).port_for("postgres")

    assert port != taken_port
    assert is_free(port)
    assert Ports(file=file).port_for("postgres") == port


def test_two_services_never_share_a_port_though_neither_listens_yet(file: Path) -> None:
    ports = Ports(file=file)
    preferred = ports.port_for("web")

    assert ports.port_for("mailbox", prefer=preferred) != preferred


def test_a_preferred_port_that_is_taken_is_no_obstacle(file: Path, taken_port: int) -> None:
    assert Ports(file=file).port_for("web", prefer=taken_port) != taken_port


@pytest.mark.parametrize("content", ["", "[]", '{"web": "many"}'])
def test_a_broken_memory_is_no_memory(file: Path, content: str) -> None:
    file.write_text(content)

    assert is_free(Ports(file=file).port_for("web"))


def test_a_port_that_a_person_asked_for_and_that_is_taken_is_refused_with_a_sentence(
    tmp_path: Path, taken_port: int
) -> None:
    instance = Instance("demo", root=tmp_path)
    instance.create()

    with pytest.raises(LocalError, match=f"Port {taken_port} of 127.0.0.1 is taken"):
        stack_environment({}, instance=instance, port=taken_port)


def test_the_port_that_people_know_is_taken_again_as_soon_as_it_is_free(file: Path) -> None:
    with socket.create_server((HOST, 0)) as server:
        known: int = server.getsockname()[1]
        assert Ports(file=file).port_for("web", prefer=known) != known

    assert Ports(file=file).port_for("web", prefer=known) == known

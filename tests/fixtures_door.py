"""A door that is open: a show tonight, its tickets, and people who may let others in."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.db import transaction
from django.test import Client

from inventory.models import Seat, Show
from jobs.clock import database_now
from tickets.create_tickets import create_tickets
from tickets.models import Ticket
from tickets.transitions import mark_issued

PASSWORD = "a long pass phrase"


@pytest.fixture
def show_tonight(make_show: Callable[..., Show]) -> Show:
    """It starts in an hour."""
    return make_show("Nightbirds", starts_at=database_now() + timedelta(hours=1))


@pytest.fixture
def tickets_tonight(show_tonight: Show) -> list[Ticket]:
    """Four tickets, issued without their file."""
    return issue_for(show_tonight)


@pytest.fixture
def door_user(db: None) -> Any:
    """Grace, who may scan tickets and do nothing else."""
    user = get_user_model().objects.create_user("grace", password=PASSWORD)
    user.user_permissions.add(Permission.objects.get(codename="scan_ticket"))
    return user


@pytest.fixture
def at_the_door(client: Client, door_user: Any) -> Client:
    """Her device."""
    client.force_login(door_user)
    return client


def issue_for(show: Show, *, seats: int = 4) -> list[Ticket]:
    """Issued tickets for the first seats of the show, without their file."""
    first = list(Seat.objects.filter(show=show).select_related("tier").order_by("position")[:seats])
    with transaction.atomic():
        tickets = create_tickets(
            order_id=show.pk * 1000, order_code="QH7K3XPW", holder_name="Ada Lovelace", seats=first, language="en"
        )
        mark_issued(ticket_ids=[ticket.pk for ticket in tickets])
    return list(
        Ticket.objects.filter(pk__in=[t.pk for t in tickets]).select_related("seat", "show__venue").order_by("id")
    )


def write_video(path: Path, *, pictures: list[Any], seconds: list[float], rate: int = 5) -> Path:
    """A film for Chromium's fake camera, which plays it again and again: each picture for so many seconds.

    pictures: grey ones of Pillow, all of one even size. The format is YUV4MPEG2, uncompressed.
    """
    width, height = pictures[0].size
    grey = bytes([128]) * (width * height // 2)  # both planes of colour
    with path.open("wb") as film:
        film.write(f"YUV4MPEG2 W{width} H{height} F{rate}:1 Ip A1:1 C420jpeg\n".encode())
        for picture, length in zip(pictures, seconds, strict=True):
            film.write((b"FRAME\n" + picture.tobytes() + grey) * round(length * rate))
    return path


def camera_that_shows(film: Path) -> list[str]:
    """Chromium's arguments for a camera that plays this film, and whose use nobody is asked about."""
    return [
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-video-capture={film}",
    ]

"""The second factor: nobody is anybody at the desk before it is given."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.core.checks import run_checks
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django_otp.plugins.otp_static.models import StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from boxoffice.models import AccessAction
from boxoffice.roles.second_factor.recovery_codes import HOW_MANY, draw_recovery_codes
from tests.fixtures_clock import Clock
from tests.fixtures_desk import login_as
from tests.fixtures_logins import Telephone, give_password

pytestmark = pytest.mark.django_db

ASK, SET_UP, CODES = "admin:second_factor", "admin:second_factor_set_up", "admin:recovery_codes"


@pytest.fixture(autouse=True)
def _is_required(settings: Any) -> None:
    settings.STAFF_SECOND_FACTOR = True


def is_in(client: Client) -> bool:
    return client.get(reverse("admin:index")).status_code == 200


def give_code(client: Client, code: str, **more: str) -> Any:
    return client.post(reverse(ASK), {"code": code, **more})


def set_it_up(client: Client, *, besides: TOTPDevice | None = None) -> tuple[Telephone, list[str]]:
    """Log in as anna for the first time; the telephone, and the recovery codes as the page shows them."""
    give_password(client)
    client.get(reverse(SET_UP))
    telephone = Telephone(TOTPDevice.objects.exclude(pk=besides and besides.pk).get(confirmed=False))
    page = client.post(reverse(SET_UP), {"code": telephone.code()}).content.decode()
    return telephone, re.findall(r"<li>((?:[a-z2-7]{4}-?){4})</li>", page)


def test_the_first_login_sets_one_up_and_shows_the_recovery_codes_once(
    client: Client, desk_login: Callable[..., Any]
) -> None:
    anna = desk_login()
    answer = give_password(client, next="/admin/boxoffice/order/")
    assert not is_in(client)
    page = client.get(answer.url, follow=True)
    assert page.redirect_chain[-1][0] == f"{reverse(SET_UP)}?next=%2Fadmin%2Fboxoffice%2Forder%2F"
    text = page.content.decode()
    assert 'src="data:image/svg+xml' in text
    device = TOTPDevice.objects.get(user=anna)
    assert not device.confirmed
    assert "no-store" in page.headers["Cache-Control"]
    assert client.get(page.redirect_chain[-1][0]).content.decode().count("data:image/svg") == 1
    assert TOTPDevice.objects.count() == 1

    wrong = client.post(reverse(SET_UP), {"code": "000000"})
    assert "does not fit" in wrong.content.decode()
    TOTPDevice.objects.update(throttling_failure_count=0, throttling_failure_timestamp=None)
    shown = client.post(reverse(SET_UP), {"code": Telephone(device).code(), "next": "/admin/boxoffice/order/"})
    codes = re.findall(r"<li>((?:[a-z2-7]{4}-?){4})</li>", shown.content.decode())
    assert len(codes) == HOW_MANY
    assert 'href="/admin/boxoffice/order/"' in shown.content.decode()
    assert is_in(client)
    assert not set(StaticToken.objects.values_list("token", flat=True)) & {code.replace("-", "") for code in codes}
    assert list(AccessAction.objects.values_list("action", "login", "by")) == [("set up", "anna", "anna")]


def test_who_had_the_password_earlier_has_not_seen_the_key_that_is_taken_into_use(
    client: Client, desk_login: Callable[..., Any]
) -> None:
    anna, thief = desk_login(), Client()
    give_password(thief)
    thief.get(reverse(SET_UP))
    seen = TOTPDevice.objects.get(user=anna)
    telephone, codes = set_it_up(client, besides=seen)
    assert len(codes) == HOW_MANY
    assert telephone.device.key != seen.key
    assert list(TOTPDevice.objects.filter(user=anna).values_list("key", "confirmed", "name")) == [
        (telephone.device.key, True, "telephone")
    ]
    # Nor can he take his own into use afterwards.
    assert thief.post(reverse(SET_UP), {"code": Telephone(seen).code()}).status_code == 302
    assert not is_in(thief)


def test_a_password_alone_opens_no_page_at_all(client: Client, desk_login: Callable[..., Any], telephone: Any) -> None:
    anna = desk_login()
    anna.user_permissions.add(Permission.objects.get(codename="scan_ticket"))
    telephone(anna)
    give_password(client)
    for address in ("/admin/", "/admin/boxoffice/order/", "/door/", "/metrics", "/admin/password_change/"):
        assert client.get(address).status_code in (302, 401, 403, 404), address
    assert client.get(reverse(CODES)).status_code == 302
    assert not is_in(client)


def test_password_and_code_let_in_and_lead_on(client: Client, desk_login: Callable[..., Any], telephone: Any) -> None:
    phone = telephone(desk_login())
    asked = client.get(give_password(client, next="/admin/tickets/ticket/").url, follow=True)
    assert asked.redirect_chain[-1][0] == f"{reverse(ASK)}?next=%2Fadmin%2Ftickets%2Fticket%2F"
    before = client.session.session_key
    answer = give_code(client, phone.code(), next="/admin/tickets/ticket/")
    assert (answer.status_code, answer.url) == (302, "/admin/tickets/ticket/")
    assert client.session.session_key != before
    assert is_in(client)


def test_nobody_is_led_to_another_site(client: Client, desk_login: Callable[..., Any], telephone: Any) -> None:
    phone = telephone(desk_login())
    give_password(client)
    assert give_code(client, phone.code(), next="https://evil.example/").url == reverse("admin:index")


def test_a_code_is_good_once(client: Client, desk_login: Callable[..., Any], telephone: Any) -> None:
    phone = telephone(desk_login())
    code = phone.code()
    give_password(client)
    give_code(client, code)
    other = Client()
    give_password(other)
    assert "does not fit" in give_code(other, code).content.decode()
    assert not is_in(other)


def test_who_guesses_codes_waits_longer_each_time(
    client: Client, desk_login: Callable[..., Any], telephone: Any
) -> None:
    phone = telephone(desk_login())
    give_password(client)
    give_code(client, "000000")
    page = give_code(client, phone.code()).content.decode()
    assert "Too many wrong codes" in page
    assert not is_in(client)


def test_a_recovery_code_lets_in_once_however_it_is_typed_and_stands_in_the_trail(
    client: Client, desk_login: Callable[..., Any], telephone: Any
) -> None:
    anna = desk_login()
    telephone(anna)
    code = draw_recovery_codes(user=anna)[0]
    give_password(client)
    assert give_code(client, code.upper().replace("-", " ")).status_code == 302
    assert is_in(client)
    assert "9 of your recovery codes are left" in client.get(reverse(CODES)).content.decode()
    other = Client()
    give_password(other)
    assert "does not fit" in give_code(other, code).content.decode()
    assert list(AccessAction.objects.values_list("action", flat=True)) == ["code used"]


def test_new_recovery_codes_make_the_old_ones_void(client: Client, desk_login: Callable[..., Any]) -> None:
    desk_login()
    _phone, old = set_it_up(client)
    page = client.post(reverse(CODES)).content.decode()
    assert all(code not in page for code in old)
    other = Client()
    give_password(other)
    assert "does not fit" in give_code(other, old[0]).content.decode()


def test_an_operator_resets_a_lost_one_and_whoever_was_in_by_it_is_out(
    client: Client, desk_login: Callable[..., Any]
) -> None:
    anna = desk_login()
    set_it_up(client)
    operator = desk_login("otto", role="Operator")
    other = Client()
    TOTPDevice.objects.create(user=operator, name="telephone", confirmed=True)
    give_password(other, "otto")
    give_code(other, Telephone(TOTPDevice.objects.get(user=operator)).code())
    page = reverse("admin:auth_user_reset-second-factor", args=[anna.pk])
    assert "was reset" in other.post(page, {"reason": "telephone in the sea"}, follow=True).content.decode()

    assert not TOTPDevice.objects.filter(user=anna).exists()
    assert not is_in(client)
    assert "Nothing was changed" in other.post(page, {"reason": "again"}, follow=True).content.decode()
    trail = AccessAction.objects.filter(action="reset").values_list("login", "by", "reason")
    assert list(trail) == [("anna", "otto", "telephone in the sea")]


def test_a_session_that_was_left_open_sets_up_nothing_after_a_reset(
    client: Client, desk_login: Callable[..., Any], clock: Clock
) -> None:
    desk_login()
    give_password(client)
    clock.advance(timedelta(minutes=16))
    answer = client.get(reverse(SET_UP), follow=True)
    assert "Log in once more" in answer.content.decode()
    assert not TOTPDevice.objects.exists()


def test_nobody_resets_his_own_and_an_operator_not_a_superusers(settings: Any, telephone: Any) -> None:
    settings.STAFF_SECOND_FACTOR = False
    operator = login_as(Client(), role="Operator")
    own, root = get_user_model().objects.get(), get_user_model().objects.create_superuser("root")
    for user, words in ((own, "reset by somebody else"), (root, "only another one")):
        telephone(user)
        page = reverse("admin:auth_user_reset-second-factor", args=[user.pk])
        assert words in operator.post(page, {"reason": "why not"}, follow=True).content.decode()
    assert TOTPDevice.objects.count() == 2


def test_where_nobody_is_left_who_could_the_command_resets_it_and_says_so(telephone: Any) -> None:
    telephone(get_user_model().objects.create_superuser("root"))
    call_command("reset_second_factor", "root", "--by", "cleo", "--reason", "the only one", stdout=StringIO())
    assert not TOTPDevice.objects.exists()
    assert list(AccessAction.objects.values_list("action", "login", "by")) == [("reset", "root", "cleo")]
    for wrong in ("root", "nobody"):
        with pytest.raises(CommandError):
            call_command("reset_second_factor", wrong, "--by", "cleo", "--reason", "again")


def test_the_door_asks_for_a_password_alone_and_opens_nothing_else(client: Client, door_user: Any) -> None:
    give_password(client, "grace", at="door_login")
    assert client.get(reverse("door")).status_code == 200
    assert not is_in(client)


def test_staff_at_the_door_give_both(client: Client, desk_login: Callable[..., Any], telephone: Any) -> None:
    anna = desk_login(role="Door")
    phone = telephone(anna)
    answer = give_password(client, at="door_login")
    asked = client.get(answer.url, follow=True)
    assert asked.redirect_chain[-1][0].startswith(reverse(ASK))
    assert give_code(client, phone.code(), next=reverse("door")).url == reverse("door")
    assert client.get(reverse("door")).status_code == 200


def test_where_nobody_has_to_who_has_set_one_up_is_asked(
    client: Client, desk_login: Callable[..., Any], telephone: Any, settings: Any
) -> None:
    settings.STAFF_SECOND_FACTOR = False
    phone = telephone(desk_login())
    give_password(client)
    assert not is_in(client)
    give_code(client, phone.code())
    assert is_in(client)
    desk_login("berta")
    other = Client()
    give_password(other, "berta")
    assert is_in(other)
    assert other.get(reverse(SET_UP)).status_code == 200


def test_halfway_in_one_can_start_over_as_somebody_else(
    client: Client, desk_login: Callable[..., Any], telephone: Any
) -> None:
    telephone(desk_login())
    give_password(client)
    assert client.post(reverse(ASK), {"leave": "yes"}).url == reverse("admin:login")
    assert "_auth_user_id" not in client.session


def test_a_deployment_without_it_is_told_so(settings: Any) -> None:
    def said() -> list[str]:
        return [str(found.id) for found in run_checks(include_deployment_checks=True)]

    assert "boxoffice.W001" not in said()
    settings.STAFF_SECOND_FACTOR = False
    assert "boxoffice.W001" in said()


def test_the_admin_shows_no_keys_of_telephones(staff: Client, settings: Any) -> None:
    settings.STAFF_SECOND_FACTOR = False
    assert staff.get("/admin/otp_totp/totpdevice/").status_code == 404
    assert staff.get("/admin/otp_static/staticdevice/").status_code == 404

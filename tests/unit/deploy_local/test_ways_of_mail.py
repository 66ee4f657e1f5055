"""How the mails of the demo go: through the ESP's stand-in, or by SMTP when it is asked for."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from deploy.local.__main__ import _parser, main
from deploy.local.checkout import Instance
from deploy.local.stack import stack_environment


def test_mails_go_through_the_esp_which_tells_the_web_server_what_became_of_them(instance: Instance) -> None:
    made = stack_environment({}, instance=instance, mail="esp")

    url = urlsplit(made["EMAIL_URL"])
    assert (url.scheme, url.username, str(url.port)) == (
        "resend+http",
        made["SANDBOX_ESP_KEY"],
        made["SANDBOX_ESP_PORT"],
    )
    assert made["SANDBOX_ESP_WEBHOOK_URL"] == f"{made['PUBLIC_URL']}/webhooks/mail/"


def test_the_mailbox_keeps_its_address_whichever_way_mails_go(instance: Instance) -> None:
    by_api, by_smtp = (stack_environment({}, instance=instance, mail=way) for way in ("esp", "smtp"))

    assert by_smtp["EMAIL_URL"] == f"smtp://127.0.0.1:{by_smtp['SMTP_PORT']}"
    assert {**by_api, "EMAIL_URL": ""} == {**by_smtp, "EMAIL_URL": ""}


def test_the_mail_about_a_days_reconciliation_goes_to_an_address_of_the_demo_unless_another_one_is_named(
    instance: Instance,
) -> None:
    assert stack_environment({}, instance=instance)["FINANCE_EMAIL"] == "finance@boxoffice.example"
    named = stack_environment({"FINANCE_EMAIL": "books@example.org"}, instance=instance)
    assert named["FINANCE_EMAIL"] == "books@example.org"


@pytest.mark.parametrize("verb", ["demo", "smoke"])
def test_the_variable_mail_chooses_and_the_path_that_login_shells_put_there_does_not(
    verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for given, chosen in (("smtp", "smtp"), ("esp", "esp"), ("", "esp"), ("/var/mail/ada", "esp")):
        monkeypatch.setenv("MAIL", given)
        assert _parser().parse_args([verb]).mail == chosen


def test_another_word_is_refused_before_anything_starts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MAIL", "pigeon")
    with pytest.raises(SystemExit):
        main(["demo"])
    assert "set MAIL to esp or smtp" in capsys.readouterr().err

"""``python -m config.environment_page`` prints ``docs/settings.md`` from the table of variables."""

from __future__ import annotations

from config.environment import VARIABLES, Variable

HEAD = """\
# Settings

BoxOffice is set up by environment variables alone, and only `config/` reads them. A variable that is missing or wrong
stops the start with a sentence that says what to set. `make demo` sets all of them for a local machine.

| variable | read as | default | what it is for |
|---|---|---|---|
"""

TAIL = """
## Ticket signing keys

One key is 32 random bytes in base64, the seed of an Ed25519 key:

    openssl rand -base64 32

To change keys, put the new one in front and keep the old one behind it until the last show with old tickets is over.

## Production

With a `PUBLIC_URL` that begins with `https://`, cookies are secure, HTTP is redirected and HSTS is on. These stop the
start: `DEBUG` with a public address, a `SECRET_KEY` that is short or a known default, an AMQP broker without publisher
confirms, a Redis visibility time-out that is not longer than every lease.
"""


def render() -> str:
    """The whole page."""
    return HEAD + "".join(_row(variable) for variable in VARIABLES) + TAIL


def _row(variable: Variable) -> str:
    example = f" Example: `{variable.example}`." if variable.example else ""
    return f"| `{variable.name}` | {variable.cast} | {_default(variable)} | {variable.purpose}{example} |\n"


def _default(variable: Variable) -> str:
    if variable.required:
        return "**required**"
    value = ",".join(variable.default) if isinstance(variable.default, list) else str(variable.default)
    return f"`{value}`" if value else "empty"


if __name__ == "__main__":
    print(render(), end="")  # noqa: T201

"""How the place of the ticket files is written in one variable: a folder, or a bucket of an S3 service.

s3://bucket/folder?region=eu-central-1                            Amazon's, with the credentials that the host lends
s3://key:secret@bucket?endpoint=https://minio.example.org:9000    any service that speaks S3
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from config.acceptable import site

CONNECT_SECONDS = 3
"""How long a connection to the service may take."""
READ_SECONDS = 10
"""How long it may be silent. With one repetition a call ends within half a minute, well inside the job's time limit."""
ATTEMPTS = 2
"""The ledger repeats what fails; this one repetition spares it a connection that was closed while it stood idle."""

IN_MEMORY = 5 * 2**20
"""Bytes of a file that a process holds while it is read: a large export goes on the way through a file on disk."""

_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_FOLDER = re.compile(r"(/[\w.-]+)*/?")
_OPTIONS = {"region", "endpoint"}


def is_ticket_storage(text: str) -> bool:
    """Whether the address names a bucket, key and secret or neither, and an endpoint that nobody can listen to."""
    parts = _split(text)
    if parts is None or parts.scheme != "s3" or not _BUCKET.fullmatch(parts.hostname or ""):
        return False
    options = parse_qs(parts.query, keep_blank_values=True)
    endpoint = options.get("endpoint", ["https://s3.amazonaws.com"])[0]
    return (
        bool(_FOLDER.fullmatch(parts.path))
        and bool(parts.username) == bool(parts.password)
        and set(options) <= _OPTIONS
        and all(len(values) == 1 and values[0] for values in options.values())
        and site(endpoint)
        and (endpoint.startswith("https://") or urlsplit(endpoint).hostname in {"127.0.0.1", "localhost", "::1"})
    )


def s3_storage(text: str) -> dict[str, Any]:
    """The entry of Django's STORAGES for this address: objects are private, replaced whole, and kept by no cache."""
    from boto3.s3.transfer import TransferConfig
    from botocore.config import Config

    parts = urlsplit(text)
    options = {name: values[0] for name, values in parse_qs(parts.query).items()}
    client = Config(
        signature_version="s3v4",
        connect_timeout=CONNECT_SECONDS,
        read_timeout=READ_SECONDS,
        retries={"mode": "standard", "total_max_attempts": ATTEMPTS},
        # Services other than Amazon's rarely give each bucket a host name of its own.
        s3={"addressing_style": "path" if "endpoint" in options else "virtual"},
    )
    return {
        "BACKEND": "storages.backends.s3.S3Storage",
        "OPTIONS": {
            "bucket_name": parts.hostname,
            "location": parts.path.strip("/"),
            "access_key": unquote(parts.username) if parts.username else None,
            "secret_key": unquote(parts.password) if parts.password else None,
            "region_name": options.get("region"),
            "endpoint_url": options.get("endpoint"),
            "client_config": client,
            "transfer_config": TransferConfig(use_threads=False),
            "file_overwrite": True,
            "max_memory_size": IN_MEMORY,
            "default_acl": None,  # no header: the bucket's own rule holds, and a bucket is private unless made public
            "querystring_auth": True,
            "querystring_expire": 60,
            "object_parameters": {"CacheControl": "private, no-store", "ContentDisposition": "attachment"},
        },
    }


def _split(text: str) -> SplitResult | None:
    try:
        parts = urlsplit(text)
        parts.port  # noqa: B018  (it is read only now, and may be no number)
    except ValueError:
        return None
    return None if re.search(r"\s", text) or parts.port else parts

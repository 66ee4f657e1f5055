"""An answer in JSON that many browsers get alike: written and compressed once."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

# Below this the header of a compressed answer costs more than compressing saves.
WORTH_IT = 200

_TAKES_GZIP = re.compile(r"\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))")


class PackedJson:
    """A document in JSON with its compressed form. Nothing secret may be in it: see BREACH."""

    def __init__(self, document: Mapping[str, Any], *, level: int) -> None:
        """level: how hard to compress, 1 to 9; 6 for what is sent for a second, 9 for what stays."""
        self.plain = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
        self.compressed = gzip.compress(self.plain, level, mtime=0) if len(self.plain) >= WORTH_IT else None

    def answer(self, request: HttpRequest) -> HttpResponse:
        """The document in the form that the browser takes."""
        response = HttpResponse(self.plain, content_type="application/json")
        if self.compressed is not None:
            patch_vary_headers(response, ["Accept-Encoding"])
            if _TAKES_GZIP.search(request.headers.get("Accept-Encoding", "")):
                response.content = self.compressed
                response.headers["Content-Encoding"] = "gzip"
        response.headers["Content-Length"] = str(len(response.content))
        return response

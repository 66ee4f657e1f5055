"""How static files are named when they are served."""

from __future__ import annotations

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticFiles(CompressedManifestStaticFilesStorage):
    """Each file under a name made of its content, and what files name of each other along with it.

    JavaScript modules too: a page that was opened during a deploy never mixes modules of two releases.
    """

    support_js_module_import_aggregation = True

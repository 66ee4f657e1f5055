"""Django's settings, by concern. Each module reads its variables through ``config.environment``."""

from config.settings.apps import *  # noqa: F403
from config.settings.database import *  # noqa: F403
from config.settings.language import *  # noqa: F403
from config.settings.ledger import *  # noqa: F403
from config.settings.logs import *  # noqa: F403
from config.settings.mail import *  # noqa: F403
from config.settings.metrics import *  # noqa: F403
from config.settings.payments import *  # noqa: F403
from config.settings.push import *  # noqa: F403
from config.settings.security import *  # noqa: F403
from config.settings.snip import *  # noqa: F403
from config.settings.staff import *  # noqa: F403
from config.settings.storage import *  # noqa: F403

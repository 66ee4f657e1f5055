"""What is installed, and the path of a request through it."""

from config.environment import read

DEBUG = read("DEBUG")
ALLOWED_HOSTS = read("ALLOWED_HOSTS")
PUBLIC_URL = read("PUBLIC_URL").rstrip("/")

INSTALLED_APPS = [
    "boxoffice",  # before the admin, whose templates it dresses
    "boxoffice.roles.admin_config.DeskConfig",  # django.contrib.admin, with our site
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "axes",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "django_otp.plugins.otp_static",
    "django_celery_beat",
    "jobs",
    "inventory",
    "tickets",
    "notifications",
    "snip",
    "config",
]

MIDDLEWARE = [
    "config.correlation.CorrelationMiddleware",
    # Around what turns requests away: its pages are held to the policies as well.
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "config.permissions_policy.PermissionsPolicyMiddleware",
    "config.no_nul.NoNulMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "boxoffice.roles.halfway.StaffMiddleware",  # who has not given his second factor is nobody
    "config.body_limit.BodyLimitMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

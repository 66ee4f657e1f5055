"""Those who work here: how they prove who they are, for how long, and what they see of fans."""

from datetime import timedelta

from config.environment import read

AUTHENTICATION_BACKENDS = [
    "boxoffice.roles.lockout.backend.LockoutBackend",  # first: whoever is locked out gets no further
    "django.contrib.auth.backends.ModelBackend",
]
STAFF_SECOND_FACTOR = read("STAFF_SECOND_FACTOR")
BEHIND_TRUSTED_PROXY = read("TRUSTED_PROXY")
OTP_TOTP_ISSUER = "BoxOffice"

# jobs/personal.py masks names and addresses for users without it.
PERSONAL_DATA_PERMISSION = "boxoffice.view_personal_data"

# The lockout: django-axes, with a handler of ours that keeps no more than it needs. See boxoffice/roles/lockout/.
AXES_HANDLER = "boxoffice.roles.lockout.handler.LockoutHandler"
AXES_LOCKOUT_CALLABLE = "boxoffice.roles.lockout.answer.locked_out"
AXES_CLIENT_IP_CALLABLE = "boxoffice.roles.lockout.address.address_of"
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False  # trying on does not make it longer
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False

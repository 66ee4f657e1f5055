"""Which class an exception belongs to, by its dotted name, and why. ``docs/failures.md`` is printed from it.

Names are enough, so the ledger needs none of these libraries. The nearest name in an exception's own line of ancestors
counts; private modules are left out of a name (``stripe._error.CardError`` is ``stripe.CardError``), since libraries
move them. What a number tells better than a name (an HTTP status, an SMTP code, a SQLSTATE) is in ``codes.py``.
"""

from __future__ import annotations

from jobs.failures.retry import FailureClass

T, R, P = FailureClass.TRANSIENT, FailureClass.RATE_LIMITED, FailureClass.PERMANENT

Verdict = tuple[FailureClass, str]

TABLE: dict[str, dict[str, Verdict]] = {
    "Python": {
        "builtins.ConnectionError": (T, "refused, reset or broken: the other side may come back"),
        "builtins.TimeoutError": (T, "no answer in time"),
        "builtins.MemoryError": (P, "the next attempt would need as much"),
        "socket.gaierror": (T, "name servers fail and recover"),
        "socket.herror": (T, "name servers fail and recover"),
        "ssl.SSLError": (T, "a handshake cut short looks like this"),
        "ssl.SSLCertVerificationError": (P, "a wrong certificate stays wrong"),
        "http.client.BadStatusLine": (T, "no HTTP: the server was cut off, or is starting"),
        "http.client.IncompleteRead": (T, "the connection broke within the answer"),
        "urllib.error.URLError": (P, "an address that cannot be opened; what it wraps says more"),
    },
    "Celery, its pool and its transports": {
        "billiard.exceptions.SoftTimeLimitExceeded": (T, "the job took too long; the next attempt may not"),
        "billiard.exceptions.TimeLimitExceeded": (T, "the job took too long; the next attempt may not"),
        "billiard.exceptions.WorkerLostError": (T, "a process died; the next one may not"),
        "billiard.exceptions.Terminated": (T, "the process was told to end; the job is not at fault"),
        "celery.exceptions.Retry": (P, "Celery's control flow, raised by hand: call self.retry() instead"),
        "celery.exceptions.Ignore": (P, "Celery's control flow, raised by a body: return, or raise what went wrong"),
        "celery.exceptions.Reject": (P, "Celery's control flow, raised by a body: the base task settles messages"),
        "celery.exceptions.TimeoutError": (T, "a result did not come in time"),
        "kombu.exceptions.OperationalError": (T, "the broker is away"),
        "kombu.exceptions.LimitExceeded": (T, "all connections are in use"),
        "amqp.exceptions.RecoverableConnectionError": (T, "RabbitMQ closed the connection and takes a new one"),
        "amqp.exceptions.RecoverableChannelError": (T, "RabbitMQ closed the channel and opens a new one"),
        "amqp.exceptions.MessageNacked": (T, "the queue was full"),
        "amqp.exceptions.AMQPError": (P, "RabbitMQ refuses what was asked of it"),
    },
    "redis": {
        "redis.exceptions.ConnectionError": (T, "Redis is away, or still loads its data"),
        "redis.exceptions.TimeoutError": (T, "no answer in time"),
        "redis.exceptions.AuthenticationError": (P, "a wrong password stays wrong"),
        "redis.exceptions.AuthorizationError": (P, "a right that is missing stays missing"),
        "redis.exceptions.ReadOnlyError": (T, "a replica, until the failover is over"),
        "redis.exceptions.ClusterDownError": (T, "the cluster, or its master, is away"),
        "redis.exceptions.TryAgainError": (T, "slots are on the move, says Redis itself"),
        "redis.exceptions.OutOfMemoryError": (T, "keys expire, and memory with them"),
        "redis.exceptions.WatchError": (T, "somebody else was first; the next attempt sees what he wrote"),
        "redis.exceptions.RedisError": (P, "Redis refuses what was asked of it"),
    },
    "requests": {
        "requests.exceptions.ConnectionError": (T, "refused, reset or broken"),
        "requests.exceptions.Timeout": (T, "no answer in time"),
        "requests.exceptions.SSLError": (T, "a handshake cut short; a wrong certificate within it is permanent"),
        "requests.exceptions.ChunkedEncodingError": (T, "the connection broke within the answer"),
        "requests.exceptions.RetryError": (T, "too many bad answers in a row, for the session's own retries"),
        "requests.exceptions.HTTPError": (P, "its status decides; this is for one without a response"),
        "requests.exceptions.RequestException": (P, "the request itself is wrong: address, header, body, redirects"),
    },
    "urllib3": {
        "urllib3.exceptions.TimeoutError": (T, "no answer in time, or no connection"),
        "urllib3.exceptions.ProtocolError": (T, "the connection broke"),
        "urllib3.exceptions.IncompleteRead": (T, "the connection broke within the answer"),
        "urllib3.exceptions.InvalidChunkLength": (T, "the connection broke within the answer"),
        "urllib3.exceptions.SSLError": (T, "a handshake cut short; a wrong certificate within it is permanent"),
        "urllib3.exceptions.ProxyError": (T, "the proxy is away"),
        "urllib3.exceptions.MaxRetryError": (T, "given up after its own retries; what it wraps says more"),
        "urllib3.exceptions.ResponseError": (T, "too many bad answers in a row"),
        "urllib3.exceptions.EmptyPoolError": (T, "all connections are in use"),
        "urllib3.exceptions.HTTPError": (P, "the request itself is wrong"),
    },
    "smtplib": {
        "smtplib.SMTPServerDisconnected": (T, "the server hung up"),
        "smtplib.SMTPConnectError": (T, "the server is not ready"),
        "smtplib.SMTPHeloError": (T, "the server is not ready"),
        "smtplib.SMTPResponseException": (T, "its code decides; this is for an answer without one, cut short"),
        "smtplib.SMTPRecipientsRefused": (P, "its codes decide, one for each recipient; this is for none"),
        "smtplib.SMTPNotSupportedError": (P, "the server lacks what the message needs"),
        "smtplib.SMTPException": (P, "the client and the server do not fit together"),
    },
    "stripe": {
        "stripe.APIConnectionError": (T, "no answer; the idempotency key makes asking again safe"),
        "stripe.APIError": (T, "an answer that nobody can read, or Stripe's own fault"),
        "stripe.RateLimitError": (R, "Stripe asks for patience, whatever the status"),
        "stripe.IdempotencyError": (P, "the key was used for another request: our fault"),
        "stripe.CardError": (P, "the bank has refused"),
        "stripe.InvalidRequestError": (P, "the request itself is wrong"),
        "stripe.AuthenticationError": (P, "a wrong key stays wrong"),
        "stripe.PermissionError": (P, "a right that is missing stays missing"),
        "stripe.SignatureVerificationError": (P, "the webhook was not signed by Stripe, or with another secret"),
        "stripe.StripeError": (P, "Stripe refuses what was asked of it"),
    },
    "anymail": {
        "anymail.exceptions.AnymailInvalidAddress": (P, "an address that nobody can send to"),
        "anymail.exceptions.AnymailUnsupportedFeature": (P, "the ESP lacks what the message needs"),
        "anymail.exceptions.AnymailSerializationError": (P, "what cannot be told to the ESP"),
        "anymail.exceptions.AnymailRecipientsRefused": (P, "the ESP sends to none of them"),
    },
    "pywebpush": {
        "pywebpush.WebPushException": (P, "its status decides; this is for keys that are wrong"),
        "pywebpush.NoData": (P, "a message without a word"),
        "py_vapid.VapidException": (P, "a wrong key or contact stays wrong"),
        "http_ece.ECEException": (P, "keys that nothing can be encrypted with"),
    },
    "botocore": {
        "botocore.exceptions.ConnectionError": (T, "refused, reset or broken"),
        "botocore.exceptions.EndpointConnectionError": (T, "the endpoint is away"),
        "botocore.exceptions.ConnectTimeoutError": (T, "no answer in time"),
        "botocore.exceptions.ReadTimeoutError": (T, "no answer in time"),
        "botocore.exceptions.ConnectionClosedError": (T, "the connection broke"),
        "botocore.exceptions.HTTPClientError": (T, "the HTTP client failed; botocore itself tries these again"),
        "botocore.exceptions.IncompleteReadError": (T, "the connection broke within the answer"),
        "botocore.exceptions.ResponseStreamingError": (T, "the connection broke within the answer"),
        "botocore.exceptions.SSLError": (T, "a handshake cut short; a wrong certificate within it is permanent"),
        "botocore.exceptions.CredentialRetrievalError": (T, "the service that lends credentials is away"),
        "botocore.exceptions.MetadataRetrievalError": (T, "the service that lends credentials is away"),
        "botocore.exceptions.NoCredentialsError": (P, "nobody has set any"),
        "botocore.exceptions.ParamValidationError": (P, "the request itself is wrong"),
        "botocore.exceptions.ClientError": (P, "its code and status decide; this is for neither"),
        "botocore.exceptions.BotoCoreError": (P, "the request or its settings are wrong"),
    },
    "psycopg": {
        "psycopg.OperationalError": (T, "without a SQLSTATE: no connection, or it broke"),
        "psycopg.InterfaceError": (T, "the connection was lost before the statement"),
        "psycopg.Error": (P, "PostgreSQL refuses the statement"),
    },
    "Django": {
        "django.db.utils.OperationalError": (T, "what it wraps says more: no connection, or it broke"),
        "django.db.utils.InterfaceError": (T, "the connection was lost before the statement"),
        "django.db.utils.Error": (P, "PostgreSQL refuses the statement"),
        "django.db.transaction.TransactionManagementError": (P, "a transaction that is used wrongly"),
        "django.core.exceptions.ObjectDoesNotExist": (P, "a job is committed with its row: what is gone stays gone"),
        "django.core.exceptions.MultipleObjectsReturned": (P, "the data, or the query, is wrong"),
        "django.core.exceptions.ValidationError": (P, "the data is wrong"),
        "django.core.exceptions.SuspiciousOperation": (P, "nobody should have asked for this"),
        "django.core.exceptions.PermissionDenied": (P, "a right that is missing stays missing"),
        "django.core.exceptions.ImproperlyConfigured": (P, "a setting is wrong until somebody mends it"),
    },
}  # fmt: skip

BY_NAME: dict[str, Verdict] = {name: verdict for names in TABLE.values() for name, verdict in names.items()}

# These only carry another exception to their caller, and it says more than they do: the certificate inside "connection
# failed", the SQLSTATE inside Django's error. Nothing else is looked through. A cause is, in general, what somebody was
# doing when something else went wrong: a KeyError that was raised while a time-out was handled is still a KeyError, and
# a domain error that was raised from a time-out has been given its class by its author.
WRAPPERS = frozenset(
    {
        "django.db.utils.Error",
        "requests.exceptions.ConnectionError",
        "urllib.error.URLError",
        "urllib3.exceptions.MaxRetryError",
        "urllib3.exceptions.ProtocolError",
        "urllib3.exceptions.ProxyError",
        "urllib3.exceptions.SSLError",
        "stripe.APIConnectionError",
        "botocore.exceptions.ConnectionError",
        "botocore.exceptions.HTTPClientError",
        "kombu.exceptions.OperationalError",
    }
)

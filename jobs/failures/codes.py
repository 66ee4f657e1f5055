"""Which class a failure belongs to by its number or code, and why. ``docs/failures.md`` is printed from it."""

from __future__ import annotations

from jobs.failures.table import P, R, T, Verdict

HTTP_STATUSES: dict[str, Verdict] = {
    "408": (T, "the request did not arrive in time"),
    "425": (T, "too early, says the server"),
    "429": (R, "too many requests, with or without Retry-After"),
    "4": (P, "the request itself is wrong"),
    "501": (P, "the server will not learn it by waiting"),
    "505": (P, "the server will not learn it by waiting"),
    "5": (T, "the server's fault, which may pass"),
}
"""By the longest beginning. A 503 with a Retry-After that can be believed is a rate limit."""

OTHER_STATUSES: dict[str, dict[str, Verdict]] = {
    "stripe": {
        "409": (T, "another request with this key, or for this object, is under way; the SDK tries it again too")
    }
}
"""Statuses by which one library means something else."""

PROVIDER_CODES: dict[str, dict[str, Verdict]] = {
    "stripe": {
        "rate_limit": (R, "too many requests; once sent with status 400"),
        "idempotency_key_in_use": (T, "the first request with this key is still under way"),
        "lock_timeout": (T, "another request holds the object"),
    },
    "botocore": {
        "BandwidthLimitExceeded": (R, "too much at once"),
        "EC2ThrottledException": (R, "too many requests"),
        "LimitExceededException": (R, "too many requests, as botocore reads it"),
        "ProvisionedThroughputExceededException": (R, "too many requests"),
        "RequestLimitExceeded": (R, "too many requests"),
        "RequestThrottled": (R, "too many requests"),
        "RequestThrottledException": (R, "too many requests"),
        "SlowDown": (R, "too many requests, as S3 says it with status 503"),
        "ThrottledException": (R, "too many requests"),
        "Throttling": (R, "too many requests"),
        "ThrottlingException": (R, "too many requests"),
        "TooManyRequestsException": (R, "too many requests"),
        "ConditionalRequestConflict": (T, "another request writes the same object"),
        "InternalError": (T, "the service's fault; S3 says so even with status 200"),
        "OperationAborted": (T, "another request is under way for the same thing"),
        "PriorRequestNotComplete": (T, "another request is under way for the same thing"),
        "RequestTimeout": (T, "the request did not arrive in time; sent with status 400"),
        "RequestTimeoutException": (T, "the request did not arrive in time"),
        "ServiceUnavailable": (T, "the service is away"),
        "TransactionInProgressException": (T, "another request is under way for the same thing"),
    },
}
"""By the library whose exception carries it. A code says more than the status that it came with."""

SMTP_CODES: dict[str, Verdict] = {
    "4": (T, "the server cannot now: busy, greylisted, out of space"),
    "5": (P, "the server will not: no such mailbox, refused content, wrong password"),
}
"""By the first digit, as RFC 5321 means it. Of several refused recipients, one that may be taken later is enough."""

SQLSTATES: dict[str, Verdict] = {
    "08": (T, "the connection failed"),
    "22": (P, "the data does not fit"),
    "23": (P, "a constraint is violated"),
    "25": (P, "not in this state of the transaction"),
    "25006": (T, "a read-only server: a standby, until the failover is over"),
    "25P03": (T, "the transaction stood idle for too long, and the session was ended"),
    "25P04": (T, "the transaction took too long, and the session was ended"),
    "28": (P, "a wrong user or password stays wrong"),
    "3D": (P, "there is no such database"),
    "40": (T, "rolled back for the sake of others: serialization failure, deadlock"),
    "40002": (P, "rolled back for a violated constraint"),
    "42": (P, "the statement is wrong, or a right is missing"),
    "53": (T, "the server is short of disk, memory or connections"),
    "53400": (P, "past a limit that somebody has set"),
    "54": (P, "too complex for PostgreSQL"),
    "55": (P, "not while the object is as it is"),
    "55006": (T, "the object is in use"),
    "55P03": (T, "the lock was not free in time"),
    "57014": (T, "cancelled: statement_timeout, or an operator"),
    "57P01": (T, "the server, or this session, is being shut down"),
    "57P02": (T, "the server has crashed and restarts"),
    "57P03": (T, "the server is starting or stopping"),
    "57P04": (P, "the database was dropped"),
    "57P05": (T, "the session stood idle for too long, and was ended"),
    "58": (T, "the system under the server failed"),
    "58P01": (P, "a file of the server is missing"),
    "58P02": (P, "a file of the server is there twice"),
}
"""By the longest beginning."""

ERRNOS: dict[str, Verdict] = {
    "EADDRNOTAVAIL": (T, "no port is free on this side"),
    "EHOSTDOWN": (T, "the host is away"),
    "EHOSTUNREACH": (T, "no route to the host"),
    "EMFILE": (T, "this process has too many files open"),
    "ENETDOWN": (T, "the network is away"),
    "ENETUNREACH": (T, "the network is away"),
    "ENFILE": (T, "this machine has too many files open"),
    "ENOBUFS": (T, "the kernel is short of memory"),
    "ENOSPC": (T, "the disk is full, and somebody will make room"),
}
"""Faults of the machine or its network, for which Python has no class of their own below OSError."""


def by_beginning(verdicts: dict[str, Verdict], code: str) -> Verdict | None:
    """The verdict of the longest beginning of ``code`` that is listed."""
    for length in range(len(code), 0, -1):
        if code[:length] in verdicts:
            return verdicts[code[:length]]
    return None

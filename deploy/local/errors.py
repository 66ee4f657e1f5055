"""What can go wrong on a developer's machine. Every message says what to do."""


class LocalError(Exception):
    """The local stack cannot start. The message is a whole sentence for the person at the terminal."""


class InstanceBusy(LocalError):
    """Another run holds this instance. Stop it with Ctrl-C in its terminal, then start again."""


class ProgramMissing(LocalError):
    """A server program is not installed. The message names the command that installs it."""


class ServiceFailed(LocalError):
    """A server did not start. The message ends with the last lines of its log."""

"""Stand-ins for outside providers that speak the real protocols, with knobs for faults.

A site of its own with settings of its own; nothing imports it and it imports nothing of the project.
``python -m sandbox smtp`` is a mail server, ``python -m sandbox web`` shows what it took, ``python -m sandbox
stripe`` is a payment provider, and ``python -m sandbox push`` is a push service with its browsers.
"""

"""The abuse scanner: whether a link may send people to its target. See docs/link-scanner.md.

Pure rules (``refusals``, ``addresses``, ``spelled_numbers``, ``hosts``, ``targets``), then what needs the network
(``resolve``, ``ask``, ``follow``), and the service that joins both with the ledger (``scan_link``).
"""

"""Money through the payment provider, one module for each verb. ``provider`` alone speaks to it.

How a payment goes, who may come first and what an unknown outcome becomes: docs/payments.md.
"""

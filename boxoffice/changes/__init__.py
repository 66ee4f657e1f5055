"""What staff change about an order or a hold, one module for each verb.

Each is one transaction with its line in the trail: who, when and why. Pressed twice it is done once: a row count
decides, or a number from the page that asked. What money does is left to ``boxoffice.refunds``, and what seats do to
``inventory``.
"""

"""What people do about findings, one module for each verb.

Guarantee: each is done once. The first statement of its transaction is the conditional UPDATE that resolves the
finding, and what was done, and its line in the trail, commit with it; so of two who press at once the second changes
nothing.
"""

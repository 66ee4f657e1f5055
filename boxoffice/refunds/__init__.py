"""Giving money back: planned with the change that causes it, sent by a job, settled by the provider's word.

Note [One attempt, one key]: a row is one attempt, and its key is stored before the provider hears of it. While the
outcome is unknown the same key is sent again, since the provider answers a key that it knows with its first answer.
Once the key is old, or the attempt is a later try, the payment's refunds are listed first; they carry the number of our
row in their metadata. A definite refusal ends the attempt.

Note [Money under way]: what an attempt asked for counts as given back until it is known not to be. So the sum of what
was refunded, is under way, or may have been refunded never exceeds what was paid.
"""

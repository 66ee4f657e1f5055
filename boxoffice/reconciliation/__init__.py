"""The books: what the payment provider says of our money, against what we say, to the smallest coin.

Note [Both sides]: each transaction of the provider stands in exactly one outcome, and each payment and refund of ours
in exactly one day: that of the transaction that it is matched with, whenever we heard of it, and its own where there is
none. So for each day and currency what is there, less findings, in flight, undone and other, is what is here, less
findings and in flight: both are what is matched. Clocks that differ, and midnight, move nothing.

Note [The same again]: nothing is added up as it goes along. What is read is kept once per transaction, a comparison
looks at all that is not settled and writes what is so now, and a day's result is counted from that. So whatever is read
twice, late or in another order, and whatever runs again, ends in the same rows.

Note [What was read]: that we know of something and the provider does not is said only of times that were read whole,
and long enough past them for what is in flight to have landed.
"""

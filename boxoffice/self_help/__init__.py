"""What fans do for themselves: find their orders, have tickets sent again, correct a slip, write to us."""

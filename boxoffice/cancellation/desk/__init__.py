"""The pages at the desk about a cancelled show: starting, how far it is, pausing, writing off, and its report."""

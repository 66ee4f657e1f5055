"""The desk's pages of the books: the days, a day, the findings, a finding. They present, and call services."""

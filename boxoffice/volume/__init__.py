"""A house that has sold for years, made in minutes: what measurements of searches and dashboards begin with."""

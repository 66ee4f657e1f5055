"""Who may do what at the support desk, and how they prove who they are. See ``docs/roles.md``."""

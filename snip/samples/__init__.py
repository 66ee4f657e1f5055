"""The group ``sampler``: how lively links are just now, told at once and not exactly. See ``docs/click-log.md``."""

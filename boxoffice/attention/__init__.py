"""What a human must look at, who does, and what is settled. See docs/attention.md."""

"""The life of links: made, changed, blocked, deleted; their codes, their short addresses and QR codes."""

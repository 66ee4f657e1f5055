"""What the ESP tells of mails that it took: delivered, bounced, complained of."""

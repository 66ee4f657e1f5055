"""What is kept of links and of their clicks."""

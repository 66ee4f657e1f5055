"""What a worker does with a message, how it stops, and how it notices that it hears nothing."""

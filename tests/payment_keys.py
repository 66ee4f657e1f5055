"""What the payment provider's stand-in and the box offices of the tests know each other by."""

API_KEY = "sk_test_of_the_tests"
WEBHOOK_SECRET = "whsec_of_the_tests"

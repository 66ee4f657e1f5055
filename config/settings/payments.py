"""The payment provider: its keys, where its API answers, and where its payment page is."""

from config.environment import read

STRIPE_API_KEY = read("STRIPE_API_KEY")
STRIPE_WEBHOOK_SECRET = read("STRIPE_WEBHOOK_SECRET")
STRIPE_API_BASE = read("STRIPE_API_BASE").rstrip("/")

DISPUTED_TICKETS = read("DISPUTED_TICKETS")
PAYMENT_FEES = read("PAYMENT_FEES")
FINANCE_EMAIL, FINANCE_LANGUAGE = read("FINANCE_EMAIL"), read("FINANCE_LANGUAGE")

# A browser holds the redirect of a form to the policy too, and the checkout's form leads to the payment page.
PAYMENT_PAGES = "https://checkout.stripe.com" if STRIPE_API_BASE == "https://api.stripe.com" else STRIPE_API_BASE

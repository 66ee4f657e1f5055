"""A stand-in for the part of Stripe's API that BoxOffice uses: ``python -m sandbox stripe``.

It is spoken to by the real ``stripe`` SDK; its address is the only difference. It is strict: what Stripe documents as
an error is an error here. Names of parameters, fields, codes and events are Stripe's ("Stripe API reference" and
docs.stripe.com, version ``errors.API_VERSION``); a page that is meant is named in the docstrings.
"""

"""A code from a telephone beside the password: setting it up, asking for it, recovery codes, and the way back in.

django-otp keeps the devices, checks the codes, takes none twice, and lets who guesses wait longer each time.
"""

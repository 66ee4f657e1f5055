"""A push service, and the browsers that listen to it, as RFC 8030, RFC 8291 and RFC 8292 have them.

It is stricter than those of browsers' makers: it knows the browsers' keys, so that it also looks at what they would
see, and answers 400 to whatever a browser could not read.
"""

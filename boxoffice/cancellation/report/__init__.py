"""The report of a cancelled show's accounting: one line for each order, as a file for spreadsheets and on paper.

It is read page by page from the rows themselves and kept nowhere, so that it says the same as the page of the
cancellation; nobody's name is in it.
"""

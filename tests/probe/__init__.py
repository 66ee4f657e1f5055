"""An app of the tests: jobs that leave marks, fail, hang and kill, and a table that counts."""

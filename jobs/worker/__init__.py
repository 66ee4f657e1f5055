"""What a worker does with a message: the guard before the dispatch, the base task, one run of one job."""

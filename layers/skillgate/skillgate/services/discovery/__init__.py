"""Finding the skills that nobody submitted, and looking again at those that are published.

discover (loop.py)        one run of one source: pages of candidates, a checkpoint after each
└── take (candidates.py)     candidates in batches: what is new is submitted, all of it is marked
preview (preview.py)      what a run would enqueue, without writing anything
hand_in (bulk.py)         candidates that somebody else found
recheck (recheck.py)      published skills whose repository has moved or is gone
run_log.py                what each of them writes down
"""

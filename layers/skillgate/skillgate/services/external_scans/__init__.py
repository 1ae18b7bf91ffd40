"""Scans by Semgrep, njsscan and TruffleHog on what was published.

`outbox` sends what publishing planned, `dispatch` hands it to a worker on a VM, `results` takes what comes back,
`quarantine` undoes what a result did, and `dispatch_state` says how it all is doing.
"""

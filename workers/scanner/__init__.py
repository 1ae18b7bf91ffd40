"""The VM side of external scans: takes signed jobs, scans what they name, and reports back by signed webhook.

Nothing of a scanned repository is ever run: its files are written under neutral names and read by the scanners.
"""

"""Services that run on VMs, each a package of its own that imports nothing of the rest."""

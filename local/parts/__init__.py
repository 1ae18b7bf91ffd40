"""The stores that the local stack runs as processes of its own, each started, watched and ended the same way."""

"""What several kinds of tests share."""

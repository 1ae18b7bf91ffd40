"""Generated requests against the running stack: nothing crashes, and every answer is one that the document allows."""

"""What the stand-ins for GitHub and Bedrock share: a small HTTP server and its life as a process."""

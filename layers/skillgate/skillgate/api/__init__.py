"""What the HTTP functions share: problems, models, authorisation, the router."""

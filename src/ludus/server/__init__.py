"""The arena's services: the page with its API, live bouts and human seats."""

"""The server: the page with its API, accounts, contests, live bouts and human seats."""

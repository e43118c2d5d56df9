"""The arena of many people: accounts, bots and their versions, ladders, contests, a desk."""

"""How strong is a bot, and how sure is that? Elo, Bradley-Terry, Plackett-Luce, SPRT."""

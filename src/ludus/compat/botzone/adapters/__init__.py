"""How the games of Ludus are spoken in Botzone's messages: one adapter per game, see ``table``."""

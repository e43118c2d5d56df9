"""Programs of Botzone (北大), unmodified: bots in ``bot_*``, judges in ``judge*`` and ``game``."""

"""The Saiblo judger: games and AIs of the Saiblo platform run here unmodified.

A *logic* (a game's rules as a program) talks with the judger, the judger with the AIs.

- The protocol: ``versions``, ``frames``, ``messages``.
- One match: ``match`` (begin there), ``logic_connection``, ``seat``, ``early_answers``, ``timers``;
  ``run`` starts everything that a match needs.
- Before a match: ``lobby``, with ``console`` for people and ``controller`` for programs; ``judger``
  is the original's command line.
- People over the network: ``remote_room``, ``remote_seat``, ``websocket_connection``.
- A Saiblo game as a Ludus game: ``game``, ``position``, ``turn_source`` (its bouts), ``verify``.
- A Ludus game as a Saiblo logic: ``game_as_logic``, and ``bot_as_ai`` for its bots.
"""

"""A bot of Botzone that plays tic-tac-toe: it takes the first free cell of its list."""

import json

ORDER = (4, 0, 2, 6, 8, 1, 3, 5, 7)

message = json.loads(input())
taken = {cell for cell in (*message["requests"], *message["responses"]) if cell >= 0}
print(json.dumps({"response": next(cell for cell in ORDER if cell not in taken)}))

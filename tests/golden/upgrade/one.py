class Bot:
    def start(self, seat, position):
        self.seat = seat

    def move(self, position, clock):
        return position.legal(self.seat)[0]

"""Looks for the code of its opponent wherever code may lie."""

import os
import tempfile

import attack

VERDICT = "rules"
MARK = b"THE OPPONENT'S CODE"
PLACES = ("/tmp", "/var/tmp", "/dev/shm", "/bot", "/home", "/root", "/srv", "/opt", "/mnt")


class Player(attack.Player):
    def attacks(self):
        for place in (*PLACES, os.getcwd(), tempfile.gettempdir(), os.path.dirname(__file__)):
            yield place, lambda place=place: self.search(place)

    def search(self, place):
        for folder, folders, files in os.walk(place):
            depth = folder.count("/") - place.count("/")
            if depth > 2:
                folders.clear()
            for name in files:
                if name == "opponent.py" and MARK in self.read(os.path.join(folder, name)):
                    return os.path.join(folder, name)

    def read(self, path):
        try:
            return attack.contents(path)
        except OSError:
            return b""

"""Asks for more of everything than it was given."""

import resource

import attack

VERDICT = "rules"
KINDS = ("CORE", "FSIZE", "NOFILE", "NPROC", "DATA", "MEMLOCK", "MSGQUEUE", "RTPRIO", "NICE")


class Player(attack.Player):
    def attacks(self):
        for name in KINDS:
            yield name, lambda name=name: self.raise_limit(getattr(resource, f"RLIMIT_{name}"))

    def raise_limit(self, kind):
        _, hard = resource.getrlimit(kind)
        if hard == resource.RLIM_INFINITY:
            return False
        resource.setrlimit(kind, (hard + 1, hard + 1))
        return hard + 1

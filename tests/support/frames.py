"""The beginning of a program that speaks ludus/1 without Ludus."""

FRAMES = """
import json, sys

def read():
    head = sys.stdin.buffer.read(4)
    return json.loads(sys.stdin.buffer.read(int.from_bytes(head, "big"))) if head else None

def say(**answer):
    body = json.dumps(answer).encode()
    sys.stdout.buffer.write(len(body).to_bytes(4, "big") + body)
    sys.stdout.buffer.flush()
"""

"""Proof against the real thing: the real clients, driven offline against the emulator.

`make conformance` installs pinned versions under `.conformance/`, cuts the network, starts each client and
judges what came back and what the emulator was asked. It ends with a table that hides nothing.
"""

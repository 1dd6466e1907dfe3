"""The faults an emulator can play, gathered from one module per family."""

from __future__ import annotations

from groundwire.emulator.faults.wire import WIRE_FAULTS

FAULTS = (*WIRE_FAULTS,)

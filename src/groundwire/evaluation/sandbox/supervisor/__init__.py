"""A program that runs one command under limits and tells how it ended. It needs only the standard library.

    program SPEC STATUS_FD

SPEC is JSON: command, folder, environment, writable (folders), seconds, memory, processes, file_size, and
walls (false: only limits). On STATUS_FD one JSON object is written: code, stopped (time, memory, processes,
or null), seconds, peak_memory, and isolation: which walls could be put up on this machine.

    program   from the specification to the status: the child, its limits, the command
    walls     what the command cannot get through: namespaces, mounts, Landlock
    watch     everything the command started, looked at until it ends or breaks a limit
    kernel    calls of the system that Python has no words for

It is started as a process of its own by a Python that knows nothing of groundwire but this folder, so its
modules import each other relatively and nothing else.
"""

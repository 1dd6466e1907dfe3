"""groundwire's tools for hosts that speak the Model Context Protocol: search and file tools, nothing else.

    versions      the protocol's versions, and what each of them knows
    shapes        how tools, and what they give, are told in a version
    protocol      a session without a wire: a message in, messages and calls out
    declarations  which tools a server offers, read from a file that is made from the tools
    declaring     makes that file
    outcomes      what a tool gave, as content of the protocol
    file_calls    carries out calls of file tools, on threads
    search_calls  carries out calls of search tools, on an event loop
    calls         the two of them behind one door, loaded when they are needed
    stdio         a session on standard input and output
    async_calls   carries out all calls for a server that has an event loop
    http          the same tools over streamable HTTP, on the official SDK

A host waits for the list of tools before its first prompt, so what is needed until then imports next to
nothing: no event loop, no dataclasses, no tool.
"""

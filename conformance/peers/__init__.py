"""One module per real client (or per family of clients that see the same): how it is driven and judged."""

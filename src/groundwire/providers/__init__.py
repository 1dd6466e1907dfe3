"""Who can answer a query. Each file turns a question into a Request and a Response into an answer; no I/O."""

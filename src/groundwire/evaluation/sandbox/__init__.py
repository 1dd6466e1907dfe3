"""Running what cannot be trusted: a task's tests, with limits on time, memory, processes and writes."""

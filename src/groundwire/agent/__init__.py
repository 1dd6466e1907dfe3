"""The agent: a model that searches, reads and edits in a workspace until a task is done."""

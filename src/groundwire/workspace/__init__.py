"""The workspace: one directory, one door to it, and text files that keep their bytes."""

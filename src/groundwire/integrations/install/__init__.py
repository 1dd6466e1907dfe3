"""`groundwire install`: groundwire is put into a host's configuration, and taken out again.

hosts.py       what each host wants: its files on each system, the key, the form of an entry
opencode.py    what only OpenCode gets: a plugin file and a provider
gemini_cli.py  what only Gemini CLI gets: an extension folder
parts.py       what can be put into a host: an entry, or a file of our own
machine.py     what a plan needs to know of a machine

jsonc*.py      adding to and removing from a JSON text that may have comments; no disk
toml.py        the same for TOML
host_file.py   a host's file with our entries, and without them
plan.py        what would change: texts before and after; writes nothing

carrying.py    a plan made and carried out
record.py      what was added, remembered so that exactly that can be removed
disk.py        reading, backing up and replacing a host's files
status.py      whether groundwire is in a host, and which
"""

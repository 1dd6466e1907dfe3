"""groundwire inside other programs: one folder or file per kind of program."""

"""The version, alone in a file so that `groundwire --version` reads nothing else."""

__version__ = "0.1.0"

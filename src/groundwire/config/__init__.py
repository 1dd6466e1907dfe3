"""Settings from files, environment and arguments, read once into one frozen Config and passed down.

`settings` holds the types, `load` the layers and their order, `toml` and `opencode` the two kinds of files,
`files` the bounded reading of any file, `checks` what each setting may hold, `urls` the rule that a key never
travels in the clear.
"""

from __future__ import annotations

from groundwire.config.checks import PROVIDERS
from groundwire.config.files import ConfigProblem
from groundwire.config.load import load_config
from groundwire.config.settings import (
    BaseUrls,
    Config,
    GoogleSettings,
    LocalSettings,
    Paths,
    ProviderSettings,
    SearchSettings,
    Upstream,
    VertexSettings,
)

__all__ = [
    "PROVIDERS",
    "BaseUrls",
    "Config",
    "ConfigProblem",
    "GoogleSettings",
    "LocalSettings",
    "Paths",
    "ProviderSettings",
    "SearchSettings",
    "Upstream",
    "VertexSettings",
    "load_config",
]

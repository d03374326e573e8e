"""Stand-ins for packages that a toolkit imports but that are never called here, so that it runs
without them."""

import sys
import types
from importlib.machinery import ModuleSpec

OPENNMT = ["spacy", "spacy.language", "spacy.util", "ahocorasick", "rapidfuzz", "bs4", "flask", "waitress", "fasttext",
              "sacrebleu"]


class Absent(types.ModuleType):
    """Every attribute is a class of that name."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {"__init__": lambda *_, **__: None})


def leave_out(packages):
    """Call this before the toolkit is imported."""
    for package in packages:
        sys.modules[package] = Absent(package)
        sys.modules[package].__spec__ = ModuleSpec(package, None)
        sys.modules[package].__path__ = []

"""The command lines of scripts/README.md: train.py takes them, and the models have the papers' sizes."""

import os
import pathlib
import re
import subprocess
import unittest

import torch
from trainings import ROOT, SCRIPTS

from attnscope_train.config import check_config, complete, merge, read_config
from attnscope_train.model import Transformer
from attnscope_train.options import config_of_options, parse_arguments

# What a shell makes of a block: the words of every command, one a line, and an empty line.
SHELL = 'show() { printf "%s\\n" "$@" ""; }; torchrun() { show "$@"; }; evaluate() { show "$@"; }\n'
SIZES = 32000, 32000
TEXTS = {"special": {"pad": 0, "eos": 2, "unk": 3}, "source": {"prefix": [], "suffix": [2]},
         "target": {"start": [1]}}


def command_lines():
    """The words after scripts/train.py of every command, in the order of the page."""
    page = pathlib.Path(SCRIPTS, "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"(?:^    .*\n)+", page, re.MULTILINE)
    # Others are not of trainings, and would be run.
    lines = SHELL + "".join(block for block in blocks if "scripts/train.py" in block and "..." not in block
                            or block.lstrip().startswith("BASE="))
    lines = re.sub(r"^ *scripts/train.py", "evaluate scripts/train.py", lines, flags=re.MULTILINE)
    out = subprocess.run(["bash", "-euc", lines], check=True, capture_output=True, text=True).stdout
    commands = [command.split("\n") for command in out.strip("\n").split("\n\n")]
    return [command[command.index("scripts/train.py") + 1:] for command in commands]


def parameters(options, with_config=True):
    path = options.config and os.path.join(ROOT, options.config)
    config = merge(read_config(path) if path and with_config else {}, config_of_options(options))
    config = merge(complete(config), TEXTS)
    check_config(config, SIZES)
    none = dict.fromkeys(("residual", "attention", "activation", "dhicm", "fixed"), 0.0)
    with torch.device("meta"):
        model = Transformer(config, SIZES, none, options.biases)
    return sum(p.numel() for p in model.parameters())


class Recipes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.options = {}
        for words in command_lines():
            options = parse_arguments("", words)
            if options.out:
                cls.options[os.path.basename(options.out)] = options

    def test_all_are_there(self):
        self.assertEqual(list(self.options), ["context", "fixed", "mma-small", "mma-base", "dhicm"])

    def test_parameters_are_those_of_the_papers(self):
        d, ff, head = 512, 2048, 64
        # Beyond the same model without the configuration, in thousands.
        wanted = {
            "context": 18900,                           # Yang et al. 2019, table 1: 106.9 M - 88.0 M
            "mma-base": 0, "mma-small": 0,              # Cui et al. 2019, section 3: none
            "fixed": -6 * 7 * 2 * (d + 1) * head / 1000,    # 7 heads' queries and keys in 6 layers
            "dhicm": 3 * (2 * 128 * d + 2 * d * d - d * d - d) / 1000}  # W, V, U, W_s for W_O
        for name, thousands in wanted.items():
            options = self.options[name]
            more = parameters(options) - parameters(options, with_config=False)
            self.assertAlmostEqual(more / 1000, thousands, delta=50 if thousands > 18000 else 0.001,
                                   msg=name)
        # Vaswani et al. 2017, figure 1 and table 3: weights, biases and norms of base.
        attention, feed_forward, norm = 4 * (d * d + d), 2 * d * ff + ff + d, 2 * d
        layers = 6 * (3 * attention + 2 * feed_forward + 5 * norm)
        self.assertEqual(parameters(self.options["mma-base"], with_config=False),
                         layers + 3 * SIZES[0] * d)

    def test_one_head_has_the_width_of_one(self):
        words = next(words for words in command_lines() if "runs/fixed" in words)
        words += ["--config", "scripts/recipes/one-head.json", "--heads", "1", "8"]
        fewer = parameters(self.options["fixed"], False) - parameters(parse_arguments("", words))
        self.assertEqual(fewer, 6 * 7 * 64 * (4 * 512 + 3))     # of W_Q, W_K, W_V, W_O


if __name__ == "__main__":
    unittest.main()

"""What the models of other toolkits have beside the plain Transformer, trained for a few steps: what the reference, the
training and the program say of each model.bin."""

import json
import os
import subprocess
import tempfile
import unittest

import numpy as np
import torch
from trainings import ROOT, SMALL

from attnscope_reference.checkpoint import read_checkpoint as reference_checkpoint
from attnscope_reference.model import Model
from attnscope_train.checkpoint import read_checkpoint, write_checkpoint
from attnscope_train.config import MODULES, ConfigError, check_config, merge, resolve
from attnscope_train.model import BIASES, Transformer
from attnscope_train.options import parse_arguments
from attnscope_train.prepare import Setup
from attnscope_train.search import Translator
from attnscope_train.workers import Workers
from train import load_weights, train

PROGRAM = os.environ.get("ATTNSCOPE", os.path.join(ROOT, "build", "attnscope"))
PAIR = "A man reads a book about the sea.", "Ein Mann liest ein Buch über das Meer."
NO_DROPOUT = dict.fromkeys(("residual", "attention", "activation", "dhicm", "fixed"), 0.0)
BIASED = {"kind": "none", "bias": {"buckets": 8, "max_distance": 12}}
POSITIONS = {"positions": {"encoder": BIASED, "decoder": BIASED}}
# An option is more than what the configuration says.
WIDTH = SMALL.index("--d-ff")
OPTIONS = SMALL[:WIDTH] + SMALL[WIDTH + 2:]
FEATURES = {
    "embedding norm": {"embedding_norm": True},
    "embedding norm of one stack": {"embedding_norm": {"encoder": False, "decoder": True}},
    "norms of outputs": {"output_norm": True},
    "norms of one stack's outputs": {"output_norm": {"encoder": True, "decoder": False}, "norm_kind": "rms"},
    "gelu of tanh": {"activation": "gelu_tanh"},
    "gelu of a sigmoid": {"activation": "gelu_sigmoid"},
    "widths and norms by stack": {"d_ff": {"encoder": 24, "decoder": 40}, "norm": {"encoder": "post", "decoder": "pre"}},
    "no last norm": {"norm": "pre", "last_norm": {"encoder": True, "decoder": False}},
    "last norm behind that of the last layer": {"norm": "post", "last_norm": True},
    "root mean square norm": {"norm_kind": "rms"},
    "position bias": POSITIONS,
    "gated feed-forward": {"gated_ffn": True, "activation": "swish"},
    "unscaled attention": {"attention_scale": 1.0, "output_scale": 0.25},
    "all of T5": {"norm_kind": "rms", "gated_ffn": True, "activation": "gelu_tanh", "attention_scale": 1.0,
                  "output_scale": 0.25, "embedding_scale": 1.0, **POSITIONS},
    "rotary positions": {"positions": {stack: {"kind": "rotary"} for stack in ("encoder", "decoder")}},
    "all of Gemma 2's attention": {
        "positions": {stack: {"kind": "rotary", "layout": "halves", "base": 100.0} for stack in ("encoder", "decoder")},
        "encoder": {"kv_heads": 1}, "decoder": {"kv_heads": 1}, "attention_cap": 2.0, "output_cap": 8.0,
        "output_norm": True, "norm": "pre", "norm_kind": "rms", "gated_ffn": True, "activation": "gelu_tanh"},
    "recurrent decoder": {"decoder": {"recurrence": "ssru"}, "norm": "post", "embedding_norm": True},
}


def ask(path, line):
    """What the program answers."""
    out = subprocess.run([PROGRAM, "--json", "--device", "cpu", path, "-e", line], check=True, capture_output=True)
    return json.loads(out.stdout)


def best(path):
    return ask(path, PAIR[0])["hypotheses"][0]


def translation(path):
    """By the training's own search."""
    config, weights, vocabularies, tokenizers = read_checkpoint(path)
    setup = Setup(config, vocabularies, tokenizers)
    model = Transformer(config, setup.sizes(), NO_DROPOUT, BIASES)
    load_weights(model, weights, path)
    return Translator(model.eval(), setup.texts(), config, "cpu").translate([PAIR[0]])[0]


class Features(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        torch.set_num_threads(1)

    def trained(self, name, changes):
        """The path of a model with these changes of the configuration."""
        out, config = os.path.join(self.folder, name), os.path.join(self.folder, f"{name}.json")
        with open(config, "w", encoding="utf-8") as file:
            json.dump({"d_ff": 32} | changes, file)
        options = parse_arguments("", [*OPTIONS, "--steps", "25", "--log-every", "1000", "--dtype", "fp32", "--out", out,
                                       "--config", config])
        self.assertEqual(train(options, Workers("cpu")), 0)
        return os.path.join(out, "model.bin")

    def compare(self, path):
        """Forced scores and the translation."""
        reference = Model(reference_checkpoint(path))
        source, target = reference.text.source(PAIR[0]), reference.text.target(PAIR[1])
        _, expected = reference.force(source, target)
        said = ask(path, f":score {PAIR[0]} ||| {PAIR[1]}")
        self.assertEqual(said["ids"], target)
        np.testing.assert_allclose(said["logprobs"], expected, atol=1e-4)
        self.assertEqual(best(path)["text"], translation(path))

    def test_a_model_with_each_of_them(self):
        for name, changes in FEATURES.items():
            with self.subTest(name):
                path = self.trained(name, changes)
                config = read_checkpoint(path)[0]
                self.assertEqual(merge(config, changes), config)
                self.compare(path)

    def test_rotary_positions_and_shared_keys_that_the_program_refuses(self):
        turned = {"kind": "rotary", "layout": "halves"}
        path = self.trained("plain", {})
        config, _, vocabularies, _ = read_checkpoint(path)
        for changes, message in (
                ({"positions": {"encoder": turned | {"offset": 2}}}, r"positions.encoder.offset: 2, expected 0"),
                ({"positions": {"encoder": turned | {"layout": "halves_fairseq"}}}, r"positions.encoder.layout"),
                ({"positions": {"decoder": turned}, "decoder": {"head_dim": 3}}, r"decoder.head_dim: 3, expected an e"),
                ({"positions": {"encoder": {"base": 100.0}}}, r"positions.encoder.base: 100.0, expected none"),
                ({"encoder": {"heads": 4, "kv_heads": 3}}, r"encoder.kv_heads: 3, expected a divisor of 4")):
            with self.subTest(message), self.assertRaisesRegex(ConfigError, message):
                check_config(merge(config, changes), [len(vocabulary) for vocabulary in vocabularies])

    def test_alphas_that_are_learned_and_given(self):
        learned = {"energy": "learned", "alpha": "learned"}
        path = self.trained("entmax", {"attention": [
            {"stack": "encoder", "kind": "self", "heads": [learned, {"energy": "learned", "mask": "backward"}]},
            {"stack": "decoder", "kind": "self", "heads": [{"energy": "fixed", "pattern": "previous"}, learned]},
            {"stack": "decoder", "kind": "cross", "heads": [{"energy": "learned", "alpha": 2.0}, learned]}]})
        modules = resolve(read_checkpoint(path)[0])
        alphas = [[head.get("alpha") for head in modules[module][0]["heads"]] for module in MODULES]
        moved = alphas[0].pop(0), alphas[1].pop(1), alphas[2].pop(1)
        self.assertEqual(alphas, [[None], [None], [2.0]])
        for alpha in moved:
            self.assertTrue(1 < alpha < 2 and alpha != 1.5, moved)
        self.compare(path)

    def test_excluded_tokens(self):
        path = self.trained("plain", {})
        first = best(path)["ids"][0]
        config, weights, vocabularies, tokenizers = read_checkpoint(path)
        config["search"]["excluded"] = [first]
        write_checkpoint(path, Setup(config, vocabularies, tokenizers), weights, "fp32")
        self.assertNotIn(first, best(path)["ids"])
        self.compare(path)


if __name__ == "__main__":
    unittest.main()

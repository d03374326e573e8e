"""A decoder with a recurrence, trained: what the reference and the program say of its model.bin."""

import json
import os
import subprocess
import tempfile
import unittest

import numpy as np
import torch
from trainings import ROOT, Training

from attnscope_reference.checkpoint import read_checkpoint as reference_checkpoint
from attnscope_reference.model import Model
from attnscope_train.checkpoint import read_checkpoint
from attnscope_train.config import ConfigError, check_config
from attnscope_train.data import Side
from attnscope_train.model import Transformer
from attnscope_train.recurrence import scan

PROGRAM = os.environ.get("ATTNSCOPE", os.path.join(ROOT, "build", "attnscope"))
PAIR = "A man reads a book about the sea.", "Ein Mann liest ein Buch über das Meer."


class Recurrence(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.folder.name, "model.bin")
        training = Training(cls.folder.name, "--recurrence", "ssru", "--dtype", "fp32").succeed()
        assert training.losses[60] < training.losses[1] - 0.2, training.output()
        reference = Model(reference_checkpoint(cls.path))
        cls.source, cls.target = reference.text.source(PAIR[0]), reference.text.target(PAIR[1])
        _, cls.expected = reference.force(cls.source, cls.target)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_the_trained_model_says_what_the_reference_says(self):
        config, weights, vocabularies, _ = read_checkpoint(self.path)
        none = dict.fromkeys(("residual", "attention", "activation", "dhicm", "fixed"), 0.0)
        model = Transformer(config, tuple(map(len, vocabularies)), none).eval()
        model.load_state_dict(weights)
        # Beside a shorter pair, so that there is padding.
        inputs = config["target"]["start"] + self.target[:-1]
        source, target = (Side(torch.tensor([ids, [1, 1, 2] + [0] * (len(ids) - 3)]),
                               torch.tensor([len(ids), 3])) for ids in (self.source.ids, inputs))
        with torch.no_grad():
            states = model.decode(target, source, model.encode(source))
            logprobs = model.logits(states)[0].log_softmax(-1)
        found = logprobs[torch.arange(len(self.target)), self.target].tolist()
        np.testing.assert_allclose(found, self.expected, atol=1e-4)

    def test_the_program_says_what_the_reference_says(self):
        out = subprocess.run([PROGRAM, "--json", "--device", "cpu", self.path, "-e",
                              f":score {PAIR[0]} ||| {PAIR[1]}"], check=True, capture_output=True)
        said = json.loads(out.stdout)
        self.assertEqual(said["ids"], self.target)
        np.testing.assert_allclose(said["logprobs"], self.expected, atol=1e-4)

    def test_the_scan_is_the_recurrence(self):
        generator = np.random.default_rng(5)
        for length in (1, 2, 7, 8, 33):
            f, u = generator.uniform(size=(2, length, 3)), generator.normal(size=(2, length, 3))
            state, states = np.zeros((2, 3)), []
            for t in range(length):
                state = f[:, t] * state + u[:, t]
                states.append(state)
            found = scan(torch.from_numpy(f), torch.from_numpy(u)).numpy()
            np.testing.assert_allclose(found, np.stack(states, axis=1), atol=1e-12)

    def test_what_a_recurrent_decoder_cannot_have_is_refused(self):
        config, _, vocabularies, _ = read_checkpoint(self.path)
        sizes = tuple(map(len, vocabularies))
        rule = {"stack": "decoder", "kind": "self", "context": None}
        with self.assertRaisesRegex(ConfigError, r"attention\[0\].kind: .*the decoder is recurrent"):
            check_config({**config, "attention": [rule]}, sizes)
        with self.assertRaisesRegex(ConfigError, "encoder.recurrence: .*only a decoder"):
            check_config({**config, "encoder": {**config["encoder"], "recurrence": "ssru"}}, sizes)


if __name__ == "__main__":
    unittest.main()

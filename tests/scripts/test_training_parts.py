"""Parts of scripts/train.py by themselves, compared with NumPy and with what papers define."""

import json
import math
import os
import pathlib
import tempfile
import unittest
from types import SimpleNamespace

import numpy as np
import sentencepiece
import torch
from trainings import TEXT

from attnscope_reference.entmax import entmax
from attnscope_train.attention import Attention, Dhicm
from attnscope_train.encoded import encode_pairs, open_corpus
from attnscope_train.entmax import Entmax
from attnscope_train.model import Transformer
from attnscope_train.objective import Objective
from attnscope_train.optimiser import FlatParameters, Optimiser, learning_rate
from attnscope_train.options import parse_arguments
from attnscope_train.pairs import Pairs
from attnscope_train.prepare import prepare

NO_DROPOUT = dict.fromkeys(("residual", "attention", "activation", "dhicm", "fixed"), 0.0)
DHICM = [{"stack": "encoder", "kind": "self", "layers": [0], "combine": {"kind": "dhicm", "d_m": 6}}]


def options_of(*arguments):
    return parse_arguments("", ["--train", *TEXT, "--valid", *TEXT, "--out", "nowhere",
                                "--vocabulary-size", "400", "--d-model", "16", "--d-ff", "32", "--heads",
                                "2", "2", "--layers", "1", "1", "--label-smoothing", "0", *arguments])


def corpus_of(folder, *arguments):
    options = options_of(*arguments)
    setup = prepare(options, Pairs(TEXT))
    encode_pairs(folder, "train", Pairs(TEXT), setup)
    return options, setup, open_corpus(folder, "train", setup)


class Text(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def lines(self):
        return [pathlib.Path(path).read_text(encoding="utf-8").splitlines() for path in TEXT]

    def test_files_hold_what_sentencepiece_says(self):
        _, setup, corpus = corpus_of(self.folder)
        cut = sentencepiece.SentencePieceProcessor(model_proto=setup.tokenizers[0])
        source, target = self.lines()
        for i in (0, 1, 100, 199):
            self.assertEqual(corpus.source[i].tolist(), cut.encode(source[i]) + [2])
            self.assertEqual(corpus.target[i].tolist(), [1] + cut.encode(target[i]) + [2])

    def test_a_file_cut_short_is_refused(self):
        _, setup, _ = corpus_of(self.folder)
        path = os.path.join(self.folder, "train.target.ids")
        os.truncate(path, os.path.getsize(path) - 2)
        with self.assertRaisesRegex(ValueError, r"train.target.ids: \d+ bytes, expected \d+"):
            open_corpus(self.folder, "train", setup)

    def test_an_epoch_has_every_pair_once_in_an_order_of_its_own(self):
        _, _, corpus = corpus_of(self.folder)
        kept = corpus.keep(100)
        epochs = [corpus.batches(kept, 200, np.random.default_rng([1, epoch])) for epoch in (0, 0, 1)]
        for batches in epochs:
            self.assertEqual(sorted(np.concatenate(batches).tolist()), kept.tolist())
            for indices in batches:
                self.assertLessEqual(len(indices) * (corpus.target.lengths[indices].max() - 1), 200)
        first, again, next_one = ([b.tolist() for b in batches] for batches in epochs)
        self.assertEqual(first, again)
        self.assertNotEqual(first, next_one)

    def test_a_sample_is_of_pairs_and_follows_the_seed(self):
        pairs, all_pairs = Pairs(TEXT), list(zip(*self.lines()))
        sample = pairs.sample(50, 1)
        self.assertEqual((len(sample), len(set(sample))), (50, len(set(list(sample)))))
        places = [all_pairs.index(pair) for pair in sample]
        self.assertEqual(places, sorted(places))
        self.assertEqual(list(sample), list(pairs.sample(50, 1)))
        self.assertNotEqual(list(sample), list(pairs.sample(50, 2)))
        with self.assertRaisesRegex(ValueError, "200 pairs, expected at least 201"):
            pairs.sample(201, 1)


class Optimisation(unittest.TestCase):
    def test_the_schedule_of_vaswani(self):
        options = SimpleNamespace(warmup=4000, decay="inverse-sqrt", rate=(512 * 4000) ** -0.5)
        for step in (1, 2, 100, 3999, 4000, 4001, 100000):
            expected = 512 ** -0.5 * min(step ** -0.5, step * 4000 ** -1.5)
            self.assertAlmostEqual(learning_rate(step - 1, 0.0, options) / expected, 1, places=12)

    def test_adam_has_the_epsilon_and_the_betas_asked_for(self):
        model = torch.nn.Linear(3, 1, bias=False)
        flat = FlatParameters(model)
        optimiser = Optimiser(flat, SimpleNamespace(clip=0, ema=0, betas=[0.8, 0.9],
                                                    adam_epsilon=0.1))
        x, m, v = flat.values.double().numpy().copy(), np.zeros(3), np.zeros(3)
        for t, gradient in enumerate(([1.0, -0.5, 0.01], [0.2, 0.3, -2.0]), 1):
            flat.gradients.copy_(torch.tensor(gradient))
            optimiser.step(0.1)
            g = np.array(gradient)
            m, v = 0.8 * m + 0.2 * g, 0.9 * v + 0.1 * g * g     # Kingma and Ba 2015, algorithm 1
            x -= 0.1 * m / (1 - 0.8 ** t) / (np.sqrt(v / (1 - 0.9 ** t)) + 0.1)
            np.testing.assert_allclose(flat.values.numpy(), x, atol=1e-6)


def gradients(flat, objective, batches):
    flat.gradients.zero_()
    for batch in batches:
        objective(batch)[0].backward()
    return flat.gradients.clone()


class Objectives(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_gradients_of_two_batches_add_up_to_those_of_their_pairs_together(self):
        options, setup, corpus = corpus_of(self.folder)
        model = Transformer(setup.config, setup.sizes(), NO_DROPOUT).train()
        flat, objective = FlatParameters(model), Objective(model, options)
        halves = [corpus.batch(list(indices), "cpu") for indices in (range(5), range(5, 12))]
        both = gradients(flat, objective, halves)
        together = gradients(flat, objective, [corpus.batch(list(range(12)), "cpu")])
        torch.testing.assert_close(both, together, rtol=1e-4, atol=1e-4)
        self.assertGreater(together.norm().item(), 1)

    def test_the_divergence_counts_once_for_a_batch_or_for_each_label(self):
        config = os.path.join(self.folder, "config.json")
        with open(config, "w", encoding="utf-8") as file:
            json.dump({"attention": DHICM}, file)
        options, setup, corpus = corpus_of(self.folder, "--config", config, "--dhicm-lambda", "10")
        model = Transformer(setup.config, setup.sizes(), NO_DROPOUT).train()
        batch = corpus.batch([0, 3, 7], "cpu")
        labels = sum(len(corpus.target[i]) - 1 for i in (0, 3, 7))
        for per, count in (("batch", 1), ("label", labels)):
            options.divergence_per = per
            total, loss = Objective(model, options)(batch)
            divergence = model.divergence().item()
            self.assertGreater(divergence, 1e-4)
            self.assertAlmostEqual((loss - total).item() / (10 * count * divergence), 1, delta=0.01)

    def test_the_divergence_is_from_equal_importance(self):
        generator = np.random.default_rng(3)
        dhicm = Dhicm(5, 8, 4, 0.0).train()
        for p in dhicm.values():
            p.data = torch.from_numpy(generator.normal(size=p.shape)).float()
        heads, x = generator.normal(size=(2, 3, 6, 4)), generator.normal(size=(2, 6, 8))
        valid = np.arange(6) < np.array([[6], [4]])
        dhicm.combine(torch.from_numpy(heads).float(), torch.from_numpy(x).float(),
                      torch.from_numpy(valid))
        w, u = (dhicm[name].detach().double().numpy() for name in "wu")
        # Goindani and Shrivastava 2021, equations 1, 2 and 4.
        scores = np.einsum("bhtk,mk,md,btd->bht", heads, w, u, x) / math.sqrt(5)
        importance = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        divergence = (importance * np.log(importance * 3)).sum(axis=1)
        self.assertAlmostEqual(dhicm.divergence.item(), divergence[valid].mean(), places=4)


class Entmaxes(unittest.TestCase):
    def test_weights_are_those_of_the_reference(self):
        energies = 3 * torch.randn(4, 3, 5, 9, generator=torch.Generator().manual_seed(0))
        for a in (0.01, 0.4, 0.5, 1.0):
            weights = Entmax.apply(energies, torch.full((3, 1, 1), a))
            expected = entmax(energies.double(), 1 + a)
            self.assertLess(float((weights - expected).abs().max()), 2e-6)

    def test_derivatives_by_energies_and_alphas_agree_with_differences(self):
        energies = torch.randn(2, 3, 2, 6, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
        a = torch.tensor([0.1, 0.5, 0.9], dtype=torch.float64)[:, None, None]
        self.assertTrue(torch.autograd.gradcheck(Entmax.apply, (energies.requires_grad_(), a.requires_grad_()),
                                                 eps=1e-5, atol=1e-4, rtol=1e-3))


class Dropout(unittest.TestCase):
    def attention(self, fixed):
        heads = [{"energy": "learned"}, {"energy": "fixed", "pattern": "next"}]
        spec = {"heads": heads, "combine": {"kind": "concat"}, "context": None}
        return Attention(spec, 0, 8, 4, {**NO_DROPOUT, "attention": 0.5, "fixed": fixed}, ())

    def test_fixed_rows_stay_unless_asked_for(self):
        weights = torch.full((4, 2, 10, 10), 0.1)
        for fixed in (False, True):
            dropped = self.attention(fixed).train().drop(weights)
            self.assertTrue((dropped[:, 0] == 0).any())
            self.assertEqual(bool((dropped[:, 1] == weights[:, 1]).all()), not fixed)
        self.assertTrue(torch.equal(self.attention(True).eval().drop(weights), weights))


if __name__ == "__main__":
    unittest.main()

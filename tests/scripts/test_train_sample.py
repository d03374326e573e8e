"""Which training a sample's name stands for."""

import os
import sys
import types
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts"))
import train_sample  # noqa: E402

OPTIONS = types.SimpleNamespace(work="/work", data="/data", data_ja="/data-ja")


def options_of(name):
    """What train.py is told beside data and folders; later options count."""
    sample = train_sample.Sample(name, OPTIONS)
    found = {}
    for word in sample.configuration() + sample.own_options():
        if word.startswith("--"):
            last = found[word] = []
        else:
            last.append(word)
    return found


class Names(unittest.TestCase):
    def test_names_of_samples_and_of_configurations(self):
        for name in train_sample.NAMES + ["en-de-20k", "en-de-20k-mma-local", "en-de-seed-2", "en-de-20k-seed-3",
                                          "ja-en-mma-seed-12", "en-de-20k-context-decoder-seed-2",
                                          "en-de-layers-6-1", "en-de-20k-fixed-layers-6-6-seed-2",
                                          "de-en", "de-en-20k-mma", "en-ja-mma", "en-de-post-norm",
                                          "en-de-20k-fixed-post-norm-layers-6-1-seed-2"]:
            self.assertTrue(train_sample.is_name(name), name)
        for name in ["", "en", "en-fr", "en-de-", "en-de-nothing", "en-de-options", "en-de-20k-", "en-de-20k-20k",
                     "en-de-seed", "en-de-seed-", "en-de-seed-0", "en-de-seed-2-mma", "en-de-mma/../mma", "en-de-layers-6",
                     "en-de-layers-0-1", "en-de-seed-2-layers-6-1", "en-de-post", "en-de-post-norm-fixed"]:
            self.assertFalse(train_sample.is_name(name), name)

    def test_samples_are_replaced_and_others_put_beside_them(self):
        for name, place in [("en-de-dhicm", "samples/en-de-dhicm.bin"),
                            ("en-de-20k-dhicm", "samples/trained/en-de-20k-dhicm.bin"),
                            ("en-de-20k-dhicm-seed-2", "samples/trained/en-de-20k-dhicm-seed-2.bin"),
                            ("en-de-20k-mma-local", "samples/trained/en-de-20k-mma-local.bin")]:
            path = train_sample.Sample(name, OPTIONS).place
            self.assertEqual(os.path.relpath(path, train_sample.ROOT), place)

    def test_a_direction_reads_its_own_source(self):
        for name, folder, files in [("de-en-20k", "/data", ("train.de", "train.en")),
                                    ("en-ja-mma", "/data-ja", ("train.en", "train.ja"))]:
            train = train_sample.Sample(name, OPTIONS).files()[0]
            self.assertEqual(train, tuple(os.path.join(folder, file) for file in files))

    def test_options_are_those_of_the_parts_of_the_name(self):
        dhicm, again = options_of("en-de-20k-dhicm"), options_of("en-de-20k-dhicm-seed-2")
        self.assertEqual((dhicm["--sentences"], dhicm["--dhicm-lambda"], dhicm["--divergence-per"]),
                         (["20000"], ["0.1"], ["batch"]))
        self.assertEqual(again, {**dhicm, "--seed": ["2"]})
        self.assertEqual(options_of("en-de-dhicm")["--dhicm-lambda"], ["1.25e-5"])
        self.assertEqual(options_of("en-de"), {})
        self.assertTrue(options_of("ja-en-mma")["--config"][0].endswith("scripts/samples/mma.json"))
        deep = options_of("en-de-20k-one-head-layers-6-1-seed-3")
        self.assertEqual(options_of("en-de-20k-fixed-post-norm"),
                         {**options_of("en-de-20k-fixed"), "--norm": ["post"], "--rate": ["0.001"]})
        self.assertEqual((deep["--layers"], deep["--heads"], deep["--seed"]), (["6", "1"], ["1", "8"], ["3"]))


if __name__ == "__main__":
    unittest.main()

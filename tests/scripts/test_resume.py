"""Trainings that end before their time, and go on: to the same bits, in one process."""

import os
import tempfile
import unittest

import torch
from trainings import TEXT, Training

OPTIONS = ["--validate-every", "24", "--save-every", "10"]


class Resume(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        Training(cls.path("unbroken"), *OPTIONS).succeed()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def path(cls, *names):
        return os.path.join(cls.folder.name, *names)

    def state(self, *names):
        return torch.load(self.path(*names), weights_only=True)

    def content(self, *names):
        with open(self.path(*names), "rb") as file:
            return file.read()

    def same_as_unbroken(self, name):
        self.assertEqual(self.content(name, "model.bin"), self.content("unbroken", "model.bin"))
        ours, theirs = self.state(name, "state.pt"), self.state("unbroken", "state.pt")
        for key in ("values", "average"):
            self.assertTrue(torch.equal(ours["optimiser"][key], theirs["optimiser"][key]), key)
        ours, theirs = (s["optimiser"]["adam"]["state"][0] for s in (ours, theirs))
        for key in ("step", "exp_avg", "exp_avg_sq"):
            self.assertTrue(torch.equal(ours[key], theirs[key]), key)

    def test_killed_once_and_again(self):
        options = OPTIONS + ["--keep-states", "2"]
        for step in (17, 25):
            training = Training(self.path("killed"), *options, "--resume")
            training.wait_for_step(step)
            training.kill()
        # As if it had been killed while one state was taking the other's place.
        done = self.state("killed", "state.pt")["progress"]["step"]
        os.replace(self.path("killed", "state.pt"), self.path("killed", f"state-{done:08d}.pt"))
        last = Training(self.path("killed"), *options, "--resume").succeed()
        self.assertIn(f"going on from step {done}\n", last.output())
        self.same_as_unbroken("killed")
        states = sorted(n for n in os.listdir(self.path("killed")) if n.startswith("state"))
        self.assertEqual(states, ["state-00000050.pt", "state.pt"])
        self.assertEqual(self.state("killed", "state-00000050.pt")["progress"]["step"], 50)

    def test_a_new_training_does_not_replace_another(self):
        before = self.content("unbroken", "state.pt")
        training = Training(self.path("unbroken"), *OPTIONS)
        self.assertEqual(training.finish(), 1)
        self.assertIn("of an earlier training; use --resume or another --out", training.output())
        self.assertEqual(self.content("unbroken", "state.pt"), before)

    def test_other_batches_are_refused(self):
        for options, said in ((["--batch-tokens", "100"], r"--batch-tokens 200, expected 100\n"),
                              (["--sentences", "50"], r"of 199 pairs, expected of (50|4\d) pairs\n")):
            training = Training(self.path("unbroken"), *OPTIONS, "--resume", *options)
            self.assertEqual(training.finish(), 1)
            self.assertRegex(training.output(), said)

    def test_changed_text_is_encoded_again(self):
        changed = self.path("changed.en")
        with open(TEXT[0], encoding="utf-8") as file, open(changed, "w", encoding="utf-8") as out:
            out.writelines(line.replace("a", "e") for line in file)
        options = ["--train", TEXT[0], TEXT[1], "--encoded", self.path("encoded")]
        first = Training(self.path("first"), *options).succeed()
        options[1] = changed
        second = Training(self.path("second"), *options).succeed()
        fresh = Training(self.path("fresh"), "--train", changed, TEXT[1]).succeed()
        self.assertNotEqual(first.losses, second.losses)
        self.assertEqual(second.losses, fresh.losses)


if __name__ == "__main__":
    unittest.main()

"""Trainings in several processes, compared with the same training in one."""

import os
import signal
import tempfile
import unittest

from trainings import TORCHRUN, Training

# Three batches for two processes: one of them has two, and adds their gradients up.
STEP = ["--step-batches", "3"]
TWO = [*TORCHRUN, "--nproc-per-node", "2"]


class SeveralProcesses(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.one = Training(os.path.join(cls.folder.name, "one"), *STEP).succeed()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def out(self, name):
        return os.path.join(self.folder.name, name)

    def same_losses(self, losses):
        self.assertEqual(sorted(losses), list(range(1, 61)))
        self.assertLess(losses[60], losses[1] - 0.2)     # it has learned something
        for step, loss in self.one.losses.items():
            self.assertAlmostEqual(losses[step], loss, delta=1e-5, msg=f"step {step}")

    def test_two_under_torchrun_have_the_losses_of_one(self):
        two = Training(self.out("two"), *STEP, launcher=TWO).succeed()
        self.same_losses(two.losses)
        self.assertEqual(validations(two), validations(self.one))

    def test_two_without_torchrun_have_the_losses_of_one(self):
        self.same_losses(Training(self.out("spawned"), *STEP, "--processes", "2").succeed().losses)

    def test_torchrun_starts_a_killed_process_again_where_the_state_is(self):
        training = Training(self.out("elastic"), *STEP, "--save-every", "5",
                            launcher=[*TWO, "--max-restarts", "1"])
        training.wait_for_step(7)
        os.kill(training.processes()[-1], signal.SIGKILL)
        training.succeed()
        self.assertRegex(training.output(), r"going on from step \d+\n")
        self.same_losses(training.losses)

    def test_a_training_goes_on_with_fewer_processes(self):
        training = Training(self.out("fewer"), *STEP, "--processes", "2")
        training.wait_for_step(6)
        training.child.send_signal(signal.SIGTERM)
        training.succeed()
        self.assertRegex(training.output(), r"interrupted at step \d+; --resume goes on\n$")
        # --step-batches is not given again: the state knows.
        rest = Training(self.out("fewer"), "--resume").succeed()
        self.same_losses({**training.losses, **rest.losses})

    def test_an_interrupted_training_has_not_succeeded_for_torchrun(self):
        training = Training(self.out("stopped"), *STEP, launcher=TWO)
        training.wait_for_step(6)
        for process in training.processes():
            os.kill(process, signal.SIGTERM)
        self.assertNotEqual(training.finish(), 0)
        self.assertIn("interrupted at step", training.output())

    def test_more_processes_than_batches_of_a_step_are_refused(self):
        training = Training(self.out("refused"), "--step-batches", "1", "--processes", "2")
        self.assertEqual(training.finish(), 1)
        self.assertIn("--step-batches: 1, expected at least one for each of 2 processes",
                      training.output())


def validations(training):
    return [line.split("  ")[:2] for line in training.lines if "validation" in line]


if __name__ == "__main__":
    unittest.main()

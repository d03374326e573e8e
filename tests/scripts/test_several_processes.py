"""Trainings in several processes, compared with the same training in one."""

import os
import signal
import tempfile
import threading
import time
import unittest

from trainings import TORCHRUN, Training

from attnscope_train.workers import free_port

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

    def test_a_training_goes_on_when_a_machine_is_lost(self):
        machine = [*TORCHRUN[:-1], "--nnodes", "1:2", "--nproc-per-node", "1", "--rdzv-backend", "c10d",
                   "--rdzv-id", "lost", "--rdzv-endpoint", f"localhost:{free_port()}",
                   "--max-restarts", "3"]
        first, second = (Training(self.out("machines"), *STEP, "--save-every", "5", "--resume",
                                  launcher=[*machine, "--rdzv-conf",
                                            f"is_host={host},last_call_timeout=30"])
                         for host in (1, 0))
        # The first is not read from before, so that it cannot come to its end alone.
        while not second.processes():
            time.sleep(0.1)
        readers, seventh = [], threading.Event()
        for training in (first, second):
            readers.append(threading.Thread(target=read_until, args=(training, 7, seventh)))
            readers[-1].start()
        seventh.wait()
        for process in (*second.processes(), second.child.pid):
            os.kill(process, signal.SIGKILL)
        for reader in readers:
            reader.join()
        second.finish()
        first.succeed()
        self.assertIn("going on from step", first.output())
        self.same_losses({**second.losses, **first.losses})

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

    def test_bfloat16_is_near_single_precision(self):
        losses = Training(self.out("narrow"), *STEP, "--precision", "bf16").succeed().losses
        differences = [abs(losses[step] - loss) for step, loss in self.one.losses.items()]
        self.assertLess(max(differences), 0.05)
        self.assertGreater(max(differences), 1e-5)

    def test_more_processes_than_batches_of_a_step_are_refused(self):
        training = Training(self.out("refused"), "--step-batches", "1", "--processes", "2")
        self.assertEqual(training.finish(), 1)
        self.assertIn("--step-batches: 1, expected at least one for each of 2 processes",
                      training.output())


def read_until(training, step, reached):
    """Of two trainings that are one, only the one with the first process says how far it is."""
    while step not in training.losses and training.read_line():
        pass
    reached.set()


def validations(training):
    return [line.split("  ")[:2] for line in training.lines if "validation" in line]


if __name__ == "__main__":
    unittest.main()

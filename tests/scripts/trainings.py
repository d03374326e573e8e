"""Trainings that tests start: scripts/train.py on the sample's 200 sentences, with a model that takes a
hundredth of a second a step."""

import fcntl
import os
import re
import signal
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPTS = os.path.join(ROOT, "scripts")
TEXT = [os.path.join(ROOT, "samples", f"sentences.{language}") for language in ("en", "de")]
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
SMALL = ["--train", *TEXT, "--valid", *TEXT, "--vocabulary-size", "400", "--d-model", "16", "--d-ff", "32",
         "--heads", "2", "2", "--layers", "1", "1", "--steps", "60", "--batch-tokens", "200",
         "--validate-every", "1000", "--log-every", "1", "--dropout", "0.1", "--warmup", "5",
         "--rate", "0.01", "--device", "cpu"]

if SCRIPTS not in sys.path:
    sys.path.insert(0, SCRIPTS)


class Training:
    """A training under way. Its output is read a line at a time from a pipe that holds fewer lines than
    it has steps: it waits for its reader, and does not come to its end before the test has asked."""

    def __init__(self, folder, *options, launcher=(sys.executable,)):
        environment = dict(os.environ, OMP_NUM_THREADS="1", PYTHONUNBUFFERED="1",
                           TORCH_DISABLE_SHARE_RDZV_TCP_STORE="1")
        self.child = subprocess.Popen(
            [*launcher, os.path.join(SCRIPTS, "train.py"), *SMALL, "--out", folder, *options],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0, env=environment)
        fcntl.fcntl(self.child.stdout, fcntl.F_SETPIPE_SZ, 4096)
        self.lines, self.losses = [], {}

    def read_line(self):
        line = self.child.stdout.readline().decode()
        self.lines.append(line)
        found = re.match(r"step (\d+)  epoch .*  loss (\S+) ", line)
        if found:
            self.losses[int(found[1])] = float(found[2])
        return line

    def wait_for_step(self, step):
        while step not in self.losses:
            if not self.read_line():
                raise AssertionError(f"ended before step {step}:\n{self.output()}")

    def output(self):
        return "".join(self.lines)

    def finish(self):
        """Reads to the end; returns the exit status."""
        while self.read_line():
            pass
        self.child.stdout.close()
        return self.child.wait()

    def succeed(self):
        status = self.finish()
        if status:
            raise AssertionError(f"exit status {status}:\n{self.output()}")
        return self

    def kill(self):
        self.child.send_signal(signal.SIGKILL)
        self.finish()

    def processes(self):
        """Ids of what the launcher has started."""
        tasks = f"/proc/{self.child.pid}/task"
        children = []
        for task in os.listdir(tasks):
            with open(f"{tasks}/{task}/children", encoding="ascii") as file:
                children += map(int, file.read().split())
        return children

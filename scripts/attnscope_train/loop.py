"""The training loop: one process, possibly of several, with its share of every step."""

import contextlib
import dataclasses
import inspect
import math
import signal
import time

import numpy as np
import torch
from torch.nn.parallel import DistributedDataParallel

from .fast import seed
from .objective import Objective
from .optimiser import FlatParameters, Optimiser, learning_rate
from .states import check_plan, setup_in_state, write_state
from .validation import Validation

# No step changes buffers, which are tables. How to say so depends on torch's version.
SAME_BUFFERS = {"forward_sync_buffers" if "forward_sync_buffers"
                in inspect.signature(DistributedDataParallel.__init__).parameters
                else "broadcast_buffers": False}


@dataclasses.dataclass
class Progress:
    """How far the training is; saved with the weights, so that it can be resumed."""
    step: int = 0
    epoch: int = 0
    batch: int = 0          # next step within the epoch
    seconds: float = 0.0    # spent in all runs together
    done: float = 0.0       # fraction of the steps, epochs or minutes
    best: float = math.inf  # lower is better: the loss, or minus BLEU
    best_step: int = 0
    waited: int = 0         # validations since the best
    measured: int = -1      # step of the last validation


class Trainer:
    """A step uses the same batches whatever the number of processes: a step's batches are dealt out
    one by one, and random draws depend on the seed, the step and the batch's number within it. So a
    training can continue with more or fewer processes."""

    def __init__(self, model, setup, corpora, valid_pairs, options, workers):
        """corpora: (training, validation); valid_pairs: the latter's text."""
        self.model, self.setup, self.options, self.workers = model, setup, options, workers
        self.train_corpus, valid_corpus = corpora
        self.flat = FlatParameters(model)
        self.optimiser = Optimiser(self.flat, options)
        starts = len(setup.config["target"]["start"])
        most = setup.config["max_positions"] - starts
        self.kept = self.train_corpus.keep(min(options.longest, most))
        if not len(self.kept):
            raise ValueError(f"{options.train[0]}: no pair that is neither empty nor too long")
        self.validation = Validation(model, setup, valid_corpus, valid_pairs, options, workers)
        self.progress = Progress()
        self.step_batches = options.step_batches or workers.count
        self.saved_step = None
        self.resumed_seconds, self.began = 0.0, time.monotonic()
        self.log_seconds, self.log_tokens, self.log_loss = self.began, 0.0, 0.0
        # A signal requests it here; it happens once all processes have agreed on the step.
        self.asked_to_stop = self.interrupted = False

    def connect(self):
        """The objective; every process gets the mean of its gradients."""
        if self.step_batches < self.workers.count:
            raise ValueError(f"--step-batches: {self.step_batches}, expected at least one for each of "
                             f"{self.workers.count} processes")
        self.objective = Objective(self.model, self.options)
        self.unsynchronised = contextlib.nullcontext
        if self.workers.count > 1:
            gpu = [self.workers.device] if self.workers.device.type == "cuda" else None
            self.objective = DistributedDataParallel(self.objective, device_ids=gpu, **SAME_BUFFERS)
            self.unsynchronised = self.objective.no_sync

    # One step

    def differentiate(self, batches):
        """Puts the gradients of this process' share of the batches into the vector; with several
        processes, the mean over all of them. Returns the share's labels and cross-entropy."""
        self.flat.gradients.zero_()
        mine = range(self.workers.rank, len(batches), self.workers.count)
        labels, loss = 0, torch.zeros((), device=self.workers.device)
        for i in mine:
            # A resumed run draws the same dropout as an unbroken one.
            seed(self.options.seed + self.progress.step * len(batches) + i)
            batch = self.train_corpus.batch(batches[i], self.workers.device)
            with contextlib.nullcontext() if i == mine[-1] else self.unsynchronised():
                total, batch_loss = self.objective(batch)
                total.backward()
            labels, loss = labels + int(batch.scored.sum()), loss + batch_loss
        return labels, float(loss)

    def step(self, batches):
        """Makes one step over `batches`; each process differentiates its share."""
        labels, loss = self.differentiate(batches)
        # The first process's clock counts, so that all decide alike.
        done = self.fraction_done() if self.workers.first() else 0.0
        labels, loss, self.progress.done, interrupted = self.workers.sums(
            [labels, loss, done, float(self.asked_to_stop)])
        self.interrupted = interrupted > 0
        self.flat.gradients.div_(labels / self.workers.count)
        rate = learning_rate(self.progress.step, self.progress.done, self.options)
        norm = self.optimiser.step(rate)
        self.progress.step += 1
        self.log_tokens += labels
        self.log_loss += loss
        return rate, norm

    def fraction_done(self):
        """Called after each step."""
        p = self.progress
        if self.options.minutes:
            return self.seconds() / (60 * self.options.minutes)
        if self.options.epochs:
            return (p.epoch + (p.batch + 1) / self.epoch_steps) / self.options.epochs
        return (p.step + 1) / self.options.steps

    def seconds(self):
        return self.resumed_seconds + time.monotonic() - self.began

    # The whole training

    def run(self):
        """Returns True if the training reached its end, False if it was interrupted."""
        signal.signal(signal.SIGINT, self.interrupt)
        signal.signal(signal.SIGTERM, self.interrupt)
        self.connect()
        self.model.train()
        while not self.ended():
            self.epoch()
        if self.interrupted:
            self.say(f"interrupted at step {self.progress.step}; --resume goes on")
        elif self.progress.measured != self.progress.step:
            self.validate()
        if self.saved_step != self.progress.step:
            self.save_state()
        return not self.interrupted

    def interrupt(self, *_):
        """All processes finish the present step first."""
        self.asked_to_stop = True

    def ended(self):
        patience = self.options.patience
        return (self.progress.done >= 1 or self.interrupted
                or bool(patience) and self.progress.waited >= patience)

    def steps_of_epoch(self):
        """Yields the batches of every step. What is left of the epoch's last batches is kept for
        another epoch."""
        rng = np.random.default_rng([self.options.seed, self.progress.epoch])
        batches = self.train_corpus.batches(self.kept, self.options.batch_tokens, rng)
        size = self.step_batches
        if len(batches) < size:
            raise ValueError(f"{len(batches)} batches of {self.options.batch_tokens} tokens, "
                             f"expected at least the {size} of a step")
        return [batches[i:i + size] for i in range(0, len(batches) - size + 1, size)]

    def epoch(self):
        steps = self.steps_of_epoch()
        self.epoch_steps = len(steps)
        while self.progress.batch < len(steps):
            rate, norm = self.step(steps[self.progress.batch])
            self.progress.batch += 1
            if self.progress.step % self.options.log_every == 0:
                self.report(rate, norm, self.progress.epoch + self.progress.batch / len(steps))
            if not self.interrupted and self.progress.batch < len(steps):
                self.keep_up(self.options.validate_every, self.options.save_every)
            if self.ended():
                return
        self.progress.epoch += 1
        self.progress.batch = 0
        self.keep_up(self.options.validate_every or self.progress.step, self.options.save_every)

    def keep_up(self, validate_every, save_every):
        """Validates and saves if it is time; 0 means never."""
        step = self.progress.step
        validates = validate_every and step % validate_every == 0
        if validates:
            self.validate()
        if validates or save_every and step % save_every == 0:
            self.save_state()

    def say(self, line):
        if self.workers.first():
            print(line, flush=True)

    def report(self, rate, norm, epochs):
        now, p = time.monotonic(), self.progress
        span = max(now - self.log_seconds, 1e-9)
        left = self.seconds() * (1 / max(p.done, 1e-9) - 1)
        self.say(f"step {p.step}  epoch {epochs:.2f}  loss {self.log_loss / self.log_tokens:.6f}  "
                 f"rate {rate:.2e}  norm {norm:.2f}  {self.options.log_every / span:.1f} steps/s  "
                 f"{self.log_tokens / span:.0f} tokens/s  {100 * p.done:.1f}%  left {clock(left)}")
        self.log_seconds, self.log_tokens, self.log_loss = now, 0.0, 0.0

    # Validation and files

    def validate(self):
        """Measures the averaged weights and keeps the best as model.bin."""
        p = self.progress
        self.model.eval()
        self.optimiser.swap_average()
        value, line = self.validation.measure()
        better = value < p.best
        if better:
            p.best, p.best_step = value, p.step
            self.validation.keep()
        self.say(f"step {p.step}  {line}{'  best so far' if better else ''}  "
                 f"{clock(self.seconds())} elapsed")
        self.optimiser.swap_average()
        self.model.train()
        p.waited, p.measured = 0 if better else p.waited + 1, p.step

    def plan(self):
        """Returns what a place in the data depends on, by option."""
        return {"--seed": self.options.seed, "--batch-tokens": self.options.batch_tokens,
                "--step-batches": self.step_batches, "--longest": self.options.longest,
                "--train": f"of {len(self.kept)} pairs"}

    def save_state(self):
        self.progress.seconds = self.seconds()
        if self.workers.first():
            write_state(self.options.out,
                        {"progress": dataclasses.asdict(self.progress), "plan": self.plan(),
                         "optimiser": self.optimiser.state(), **setup_in_state(self.setup)},
                        self.options.keep_states, self.saved_step)
        self.saved_step = self.progress.step

    def resume(self, path, state):
        if not self.options.step_batches and "plan" in state:
            self.step_batches = state["plan"]["--step-batches"]
        check_plan(path, state, self.plan())
        self.optimiser.load(state["optimiser"])
        self.progress = Progress(**state["progress"])
        self.saved_step = self.progress.step
        self.resumed_seconds = self.progress.seconds


def clock(seconds):
    minutes, seconds = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}"

"""The training loop: one process of possibly several, each with its share of every step."""

import dataclasses
import math
import os
import signal
import time

import numpy as np
import torch
import torch.distributed as dist

from .attention import Dhicm
from .checkpoint import bytes_tensor, write_checkpoint
from .fast import seed, smoothed_loss
from .optimiser import FlatParameters, Optimiser, learning_rate
from .search import Translator, bleu


@dataclasses.dataclass
class Progress:
    """Where the training stands; saved with the weights, so that it can be resumed."""
    step: int = 0
    epoch: int = 0
    batch: int = 0          # next batch of this process within the epoch
    seconds: float = 0.0    # spent in all runs together
    done: float = 0.0       # fraction of the steps or minutes
    best: float = math.inf  # lower is better: the loss, or minus BLEU
    best_step: int = 0
    waited: int = 0         # validations since the best
    measured: int = -1      # step of the last validation


class Trainer:
    def __init__(self, model, setup, corpora, valid_lines, options, rank, device):
        """corpora: (training, validation); valid_lines: the latter's text."""
        self.model, self.setup, self.options = model, setup, options
        self.train_corpus, self.valid_corpus = corpora
        self.valid_lines = valid_lines
        self.rank, self.device = rank, device
        self.has_dhicm = any(isinstance(m, Dhicm) for m in model.modules())
        self.flat = FlatParameters(model)
        self.optimiser = Optimiser(self.flat, options.betas, options.clip, options.ema)
        starts = len(setup.config["target"]["start"])
        most = setup.config["max_positions"] - starts
        self.kept = self.train_corpus.keep(min(options.longest, most))
        self.valid_kept = self.valid_corpus.keep(most)
        for kept, (path, _) in ((self.kept, options.train), (self.valid_kept, options.valid)):
            if not len(kept):
                raise ValueError(f"{path}: no pair that is neither empty nor too long")
        self.progress = Progress()
        self.resumed_seconds, self.began = 0.0, time.monotonic()
        self.log_seconds, self.log_tokens, self.log_loss = self.began, 0.0, 0.0
        # Asked by a signal here; interrupted once all processes have agreed on the step.
        self.asked_to_stop = self.interrupted = False

    # One step

    def loss(self, indices):
        """What is differentiated, summed over labels; its cross-entropy; the number of labels."""
        batch = self.train_corpus.batch(indices, self.device)
        with self.autocast():
            states = self.model.decode(batch.inputs, batch.source, self.model.encode(batch.source))
            logits = self.model.logits(states[batch.scored])
        labels = batch.labels[batch.scored]
        loss = smoothed_loss(logits.float(), labels, self.options.label_smoothing)
        total = loss
        if self.has_dhicm:
            # Goindani and Shrivastava, equation 5: equal importance of all heads is penalised.
            total = loss - self.options.dhicm_lambda * self.model.divergence() * len(labels)
        return total, float(loss.detach()), len(labels)

    def autocast(self):
        return torch.autocast(torch.device(self.device).type, torch.bfloat16,
                              enabled=self.options.precision == "bf16")

    def step(self, indices):
        """Every process differentiates its batch; the sum over all is one step of each."""
        # Seeded by the step: a resumed run draws the dropout that an unbroken one would have.
        seed(self.options.seed + self.progress.step * self.options.processes + self.rank)
        self.flat.exchange.zero_()
        total, loss, labels = self.loss(indices)
        total.backward()
        # The clock of the first process counts, so that all decide alike.
        done = self.fraction_done() if self.rank == 0 else 0.0
        self.flat.extra.copy_(torch.tensor([labels, loss, done, float(self.asked_to_stop)]))
        if self.options.processes > 1:
            dist.all_reduce(self.flat.exchange)
        labels, loss, self.progress.done, interrupted = self.flat.extra.tolist()
        self.interrupted = interrupted > 0
        self.flat.gradients.div_(labels)
        rate = learning_rate(self.progress.step, self.progress.done, self.options)
        norm = self.optimiser.step(rate)
        self.progress.step += 1
        self.log_tokens += labels
        self.log_loss += loss
        return rate, norm

    def fraction_done(self):
        if self.options.minutes:
            return self.seconds() / (60 * self.options.minutes)
        return (self.progress.step + 1) / self.options.steps

    def seconds(self):
        return self.resumed_seconds + time.monotonic() - self.began

    # The whole training

    def run(self):
        signal.signal(signal.SIGINT, self.interrupt)
        signal.signal(signal.SIGTERM, self.interrupt)
        self.model.train()
        while not self.ended():
            self.epoch()
        if self.interrupted:
            self.say(f"interrupted at step {self.progress.step}; --resume goes on")
        elif self.progress.measured != self.progress.step:
            self.validate()
        self.save_state()

    def interrupt(self, *_):
        """The step under way is finished first, by all processes."""
        self.asked_to_stop = True

    def ended(self):
        patience = self.options.patience
        return (self.progress.done >= 1 or self.interrupted
                or bool(patience) and self.progress.waited >= patience)

    def epoch(self):
        rng = np.random.default_rng([self.options.seed, self.progress.epoch])
        batches = self.train_corpus.batches(self.kept, self.options.batch_tokens, rng)
        world = self.options.processes
        mine = batches[self.rank:len(batches) - len(batches) % world:world]
        if not mine:
            raise ValueError(f"{len(batches)} batches of {self.options.batch_tokens} tokens, "
                             f"expected one for each of {world} processes")
        while self.progress.batch < len(mine):
            rate, norm = self.step(mine[self.progress.batch])
            self.progress.batch += 1
            if self.progress.step % self.options.log_every == 0:
                self.report(rate, norm, self.progress.epoch + self.progress.batch / len(mine))
            if self.progress.step % self.options.validate_every == 0 and not self.interrupted:
                self.validate()
                self.save_state()
            if self.ended():
                return
        self.progress.epoch += 1
        self.progress.batch = 0

    def say(self, line):
        if self.rank == 0:
            print(line, flush=True)

    def report(self, rate, norm, epochs):
        now, p = time.monotonic(), self.progress
        span = max(now - self.log_seconds, 1e-9)
        left = self.seconds() * (1 / max(p.done, 1e-9) - 1)
        self.say(f"step {p.step}  epoch {epochs:.2f}  loss {self.log_loss / self.log_tokens:.4f}  "
                 f"rate {rate:.2e}  norm {norm:.2f}  {self.options.log_every / span:.1f} steps/s  "
                 f"{self.log_tokens / span:.0f} tokens/s  {100 * p.done:.1f}%  left {clock(left)}")
        self.log_seconds, self.log_tokens, self.log_loss = now, 0.0, 0.0

    # Validation and files

    @torch.no_grad()
    def validation_loss(self):
        """Cross-entropy per label, unsmoothed."""
        total, count = 0.0, 0
        for indices in self.valid_corpus.batches(self.valid_kept, 4 * self.options.batch_tokens):
            batch = self.valid_corpus.batch(indices, self.device)
            states = self.model.decode(batch.inputs, batch.source, self.model.encode(batch.source))
            logits = self.model.logits(states[batch.scored])
            total += float(smoothed_loss(logits, batch.labels[batch.scored], 0.0))
            count += len(logits)
        return total / count

    def measure(self):
        """(what the best is chosen by, a line that says so)"""
        loss = self.validation_loss()
        if self.options.best_by == "loss":
            return loss, f"validation loss {loss:.4f}"
        translator = Translator(self.model, self.setup.texts(), self.setup.config, self.device)
        score, _ = bleu(translator.translate(self.valid_lines[0]), self.valid_lines[1],
                        self.options.bleu_tokenize, self.options.bleu_lowercase)
        return -score.score, f"validation loss {loss:.4f}  BLEU {score.score:.2f}"

    def validate(self):
        """The first process measures the averaged weights and keeps the best as model.bin."""
        p = self.progress
        waited = torch.zeros(1, device=self.flat.values.device)
        if self.rank == 0:
            self.model.eval()
            self.optimiser.swap_average()
            value, line = self.measure()
            better = value < p.best
            if better:
                p.best, p.best_step = value, p.step
                write_checkpoint(os.path.join(self.options.out, "model.bin"), self.setup,
                                 self.model.state_dict(), self.options.dtype)
            self.say(f"step {p.step}  {line}{'  best so far' if better else ''}  "
                     f"{clock(self.seconds())} elapsed")
            self.optimiser.swap_average()
            self.model.train()
            waited.fill_(0 if better else p.waited + 1)
        if self.options.processes > 1:
            dist.broadcast(waited, 0)
        p.waited, p.measured = int(waited), p.step

    def save_state(self):
        if self.rank != 0:
            return
        self.progress.seconds = self.seconds()
        path = os.path.join(self.options.out, "state.pt")
        torch.save({"progress": dataclasses.asdict(self.progress), "config": self.setup.config,
                    "vocabularies": list(self.setup.vocabularies),
                    "tokenizers": [bytes_tensor(t) if t else None for t in self.setup.tokenizers],
                    "optimiser": self.optimiser.state()}, path + ".partial")
        os.replace(path + ".partial", path)

    def resume(self, state):
        self.optimiser.load(state["optimiser"])
        self.progress = Progress(**state["progress"])
        self.resumed_seconds = self.progress.seconds


def clock(seconds):
    minutes, seconds = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}"

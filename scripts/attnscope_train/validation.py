"""Chooses the best weights of a training by cross-entropy or BLEU of the validation text."""

import os
from dataclasses import replace

import torch

from .checkpoint import write_checkpoint
from .config import resolve
from .entmax import learned_alphas, with_numbers, without_parameters
from .fast import smoothed_loss
from .search import Translator, bleu


class Validation:
    """All processes measure, each a share of the text."""

    def __init__(self, model, setup, corpus, pairs, options, workers):
        self.model, self.setup, self.options, self.workers = model, setup, options, workers
        self.corpus = corpus
        self.lines = [list(pairs.side(side)) for side in range(2)]
        self.kept = corpus.keep(setup.config["max_positions"]
                                - len(setup.config["target"]["start"]))
        if not len(self.kept):
            raise ValueError(f"{options.valid[0]}: no pair that is neither empty nor too long")

    def share(self, items):
        return items[self.workers.rank::self.workers.count]

    @torch.no_grad()
    def loss(self):
        """Returns the unsmoothed cross-entropy per label."""
        total, count = 0.0, 0
        for indices in self.share(self.corpus.batches(self.kept, 4 * self.options.batch_tokens)):
            batch = self.corpus.batch(indices, self.workers.device)
            states = self.model.decode(batch.inputs, batch.source, self.model.encode(batch.source))
            logits = self.model.logits(states[batch.scored])
            total += float(smoothed_loss(logits, batch.labels[batch.scored], 0.0))
            count += len(logits)
        total, count = self.workers.sums([total, count])
        return total / count

    def bleu(self):
        translator = Translator(self.model, self.setup.texts(), self.setup.config,
                                self.workers.device)
        shares = self.workers.gathered(translator.translate(self.share(self.lines[0])))
        translations = [None] * len(self.lines[0])
        for rank, share in enumerate(shares):
            translations[rank::self.workers.count] = share
        score, _ = bleu(translations, self.lines[1], self.options.bleu_tokenize,
                        self.options.bleu_lowercase)
        return score.score

    def measure(self):
        """Returns (the measure of the best, lower is better; a line that reports it)."""
        loss, learned = self.loss(), learned_alphas(self.model)
        alphas = f"  alpha {min(learned):.3f} to {max(learned):.3f}" if learned else ""
        if self.options.best_by == "loss":
            return loss, f"validation loss {loss:.4f}{alphas}"
        score = self.bleu()
        return -score, f"validation loss {loss:.4f}  BLEU {score:.2f}{alphas}"

    def keep(self):
        """Writes the present model as model.bin."""
        if self.workers.first():
            config = with_numbers(self.setup.config, resolve(self.setup.config), self.model)
            write_checkpoint(os.path.join(self.options.out, "model.bin"), replace(self.setup, config=config),
                             without_parameters(self.model.state_dict()), self.options.dtype)

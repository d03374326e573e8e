"""A batch's contribution to the sum that a step differentiates."""

import torch
from torch import nn

from .attention import Dhicm
from .fast import smoothed_loss


class Objective(nn.Module):
    """Label-smoothed cross-entropy, less DHICM's divergence from equal importance of the heads.

    A module, because DistributedDataParallel has to see its forward pass.

    Goindani and Shrivastava 2021, equation 5, is L = L_c - lambda L_KL with lambda = 0.1. They do
    not say what L_KL is a mean or a sum of. Let D be the sum over the modules of the mean over
    positions of KL(G || uniform), N the labels of a batch, and L_c the sum of their
    cross-entropies, as fairseq has it, which divides the gradient by N. Two readings:

      label   L = L_c - lambda N D: every label is rewarded with lambda D.
      batch   L = L_c - lambda D: the batch is rewarded once, a label with lambda D / N.

    What the reward pushes to. With G = softmax(s) over H heads, KL(G || uniform) =
    log H + sum_h G_h log G_h and d KL / d s_h = G_h (log G_h - sum_k G_k log G_k). This is 0 where
    all G_h are equal, and again where one of them is 1. Around equal importance KL is
    (1 / 2H) sum_h (s_h - mean s)^2: the smallest difference grows, with rate lambda / H a label or
    lambda / (N H). Ever larger differences are rewarded until one head has everything; there
    KL is log H and G_h (1 - G_h), by which the gradients of cross-entropy and divergence alike
    reach s, is 0, so that nothing leads back.

    Which reading lambda = 0.1 fits. With three modules D is at most 3 log H, 6.2 for 8 heads and
    4.2 for the 4 that the paper found best. By label, a layer that keeps one head for all tokens
    earns up to 0.62 (0.42) nats a label, of about 2 that a trained model's cross-entropy has; to do
    without the other heads of the last layers costs less than that, so the collapse is the best
    that training can find. The paper's figure 3 shows rows of graded importance, so it is not what
    happened there. By batch, with N = 8,000 (section 4.3), the same collapse earns 0.62 / 8,000 =
    8e-5 nats a label. It decides between heads that are equal to cross-entropy up to that, which
    is what the term is for ("the model learns equal values"), and loses to it elsewhere. lambda =
    0.1 by batch is lambda = 0.1 / N by label: 1.3e-5 at the paper's batch, 1.3e-4 at 768 tokens.
    Seen: 300 steps of a small English-German model with lambda = 0.1 by label leave all three modules
    at log 8 = 2.079, by batch at 0.39, 1.57 and 1.44.

    The batch is that of --batch-tokens, and each of a step has its own D, as each GPU's batch has in
    fairseq. lambda is constant, as in the paper. Validation is by cross-entropy alone."""

    def __init__(self, model, options):
        super().__init__()
        self.model = model
        self.smoothing, self.weight = options.label_smoothing, options.dhicm_lambda
        self.by_label = options.divergence_per == "label"
        self.bfloat16 = options.precision == "bf16"
        self.has_dhicm = any(isinstance(m, Dhicm) for m in model.modules())

    def forward(self, batch):
        """batch: data.Batch. Returns what is differentiated, summed over labels, and the plain
        cross-entropy."""
        model, labels = self.model, batch.labels[batch.scored]
        with torch.autocast(labels.device.type, torch.bfloat16, enabled=self.bfloat16):
            states = model.decode(batch.inputs, batch.source, model.encode(batch.source))
            logits = model.logits(states[batch.scored])
        loss = smoothed_loss(logits.float(), labels, self.smoothing)
        if not self.has_dhicm:
            return loss, loss.detach()
        count = len(labels) if self.by_label else 1
        return loss - self.weight * count * model.divergence(), loss.detach()

"""Operations that PyTorch has but computes slowly on CPUs, and the allocator's settings.

On two cores these save a third of a small model's step."""

import ctypes
import sys

import numpy as np
import torch
import torch.nn.functional as F


class DropoutSource:
    """The source of masks on CPUs: torch's bernoulli_ costs ten times as much as this generator."""

    generator = np.random.default_rng(0)


def seed(value):
    torch.manual_seed(value)
    DropoutSource.generator = np.random.Generator(np.random.SFC64(value))


def dropout(x, probability, training):
    if not training or probability == 0.0:
        return x
    if x.device.type != "cpu":
        return F.dropout(x, probability)
    # Probabilities are rounded to 1/65536.
    threshold = round(probability * 65536)
    draws = DropoutSource.generator.integers(0, 65536, x.numel(), dtype=np.uint16)
    mask = (draws >= threshold).astype(np.float32)
    mask *= 1.0 / (1.0 - threshold / 65536)
    return x * torch.from_numpy(mask).view(x.shape)


class SmoothedLoss(torch.autograd.Function):
    """Sum over rows of the label-smoothed cross-entropy; its gradient is made in the same pass."""

    @staticmethod
    def forward(context, logits, labels, smoothing):
        rows, size = logits.shape
        peak = logits.amax(dim=1, keepdim=True)
        total = logits.sum(dim=1)
        chosen = logits.gather(1, labels[:, None])[:, 0]
        gradient = (logits - peak).exp_()
        mass = gradient.sum(dim=1, keepdim=True)
        normaliser = (peak + mass.log())[:, 0]
        loss = normaliser - (1 - smoothing) * chosen - smoothing / size * total
        gradient.div_(mass).sub_(smoothing / size)
        gradient[torch.arange(rows, device=logits.device), labels] -= 1 - smoothing
        context.save_for_backward(gradient)
        return loss.sum()

    @staticmethod
    def backward(context, scale):
        (gradient,) = context.saved_tensors
        return gradient.mul_(scale), None, None


def smoothed_loss(logits, labels, smoothing):
    return SmoothedLoss.apply(logits, labels, smoothing)


def keep_freed_memory():
    """Tells glibc to reuse large blocks: returning them to the kernel costs 15% of a step."""
    if not sys.platform.startswith("linux"):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:     # musl has none
        trim_threshold, mmap_threshold = -1, -3
        mallopt(mmap_threshold, 1 << 30)
        mallopt(trim_threshold, (1 << 31) - 1)


class ShortAttention(torch.autograd.Function):
    """Scaled dot-product attention for short sequences on CPUs, in half of torch's time.

    Energies are limited to +-80, where exp() needs no maximum subtracted; trained ones are far
    from that."""

    @staticmethod
    def forward(context, q, k, v, visible, scale):
        """q, k, v: (N, T or S, head_dim), N = B * H; visible: (B or 1, 1, T or 1, S) of 0 and 1."""
        weights = torch.bmm(q, k.transpose(1, 2)).mul_(scale).clamp_(-80.0, 80.0).exp_()
        if visible is not None:
            rows = weights.view(visible.shape[0], -1, *weights.shape[1:])     # (B or 1, .., T, S)
            rows.mul_(visible)
        weights.div_(weights.sum(dim=2, keepdim=True))
        context.save_for_backward(q, k, v, weights)
        context.scale = scale
        return torch.bmm(weights, v)

    @staticmethod
    def backward(context, gradient):
        q, k, v, weights = context.saved_tensors
        for_weights = torch.bmm(gradient, v.transpose(1, 2))
        product = for_weights.mul_(weights)
        energies = product.addcmul_(weights, product.sum(dim=2, keepdim=True), value=-1)
        energies.mul_(context.scale)
        return (torch.bmm(energies, k), torch.bmm(energies.transpose(1, 2), q),
                torch.bmm(weights.transpose(1, 2), gradient), None, None)


def short_attention(q, k, v, visible):
    """q, k, v: (B, H, T or S, head_dim); visible as above, or None if everything is."""
    q, k, v = (t.contiguous() for t in (q, k, v))
    heads = ShortAttention.apply(q.flatten(0, 1), k.flatten(0, 1), v.flatten(0, 1), visible,
                                 q.shape[-1] ** -0.5)
    return heads.view(q.shape)

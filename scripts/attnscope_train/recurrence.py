"""The simpler simple recurrent unit (SSRU), instead of a decoder's self-attention.

Kim et al. 2019, "From Research to Production and Back", section 2.1."""

import torch
import torch.nn.functional as F
from torch import nn


class Recurrence(nn.Module):
    """c_t = f_t c_(t-1) + (1 - f_t) W x_t with f_t = sigmoid(W_f x_t + b_f) and c_0 = 0; its output is
    relu(c_t)."""

    def __init__(self, d_model):
        super().__init__()
        self.input = nn.Linear(d_model, d_model, bias=False)
        self.forget = nn.Linear(d_model, d_model)

    def forward(self, x):
        """(B, T, d) -> (B, T, d). Nothing to the right of a position matters: that is where padding
        is."""
        forget = torch.sigmoid(self.forget(x).float())
        return F.relu(scan(forget, (1 - forget) * self.input(x).float())).to(x.dtype)


def scan(factors, terms):
    """Returns c with c_t = factors_t c_(t-1) + terms_t, over the second dimension.

    c_t = a_t c_(t-s) + b_t holds for one s and all t at a time; substituted into itself, for 2s. So
    it takes log2 T steps instead of T. Factors are in (0, 1), so nothing grows."""
    length, span = terms.shape[1], 1
    while span < length:
        before = F.pad(terms[:, :-span], (0, 0, span, 0))
        terms = terms + factors * before
        # Before the first position there is nothing, whatever the factor.
        factors = factors * F.pad(factors[:, :-span], (0, 0, span, 0))
        span *= 2
    return terms

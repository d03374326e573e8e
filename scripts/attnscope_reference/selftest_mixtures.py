"""Contexts, gates and DHICM worked by hand on the three tokens of selftest_numbers: the input X is
(1, 0), (1, s), (1, 2s) with s = ln 2, one feature a head."""

import torch

from .attention import Dials
from .selftest_numbers import LN2 as s
from .selftest_numbers import QK, V, close, learned, run_module

LN3 = torch.log(torch.tensor(3.0, dtype=torch.float64)).item()
# The layer below saw this: its first feature is 0, s, 0.
BELOW = torch.tensor([[0.0, 0.0], [s, 0.0], [0.0, 0.0]], dtype=torch.float64)
# Keys are 0, s, 2s. A query of 1 gives (1, 2, 4) / 7, a query of 2 gives (1, 4, 16) / 21.
ONE, TWO = [1 / 7, 2 / 7, 4 / 7], [1 / 21, 4 / 21, 16 / 21]
NO_QUERY = {"q.weight": [[0.0, 0.0]], "k.weight": [[0.0, 1.0]]}


def context(*vectors, gate="none", sides="q"):
    return {"vectors": list(vectors), "gate": gate, "sides": sides}


def weights_of(tensors, dials, layer=0, causal=False, heads=1):
    _, captured = run_module([learned()] * heads, tensors, causal, [BELOW] * layer, layer=layer,
                             context=dials)
    return captured[f"encoder.{layer}.weights"], captured


def contexts_by_hand():
    # The mean of X is (1, s): 2 * 1 is every query.
    weights, captured = weights_of(NO_QUERY | V | {"context.global.q": [[2.0, 0.0]]},
                                   context("global"))
    close("global", weights, [[TWO] * 3])
    assert "encoder.0.gate_q" not in captured, "gate none captures no gate"
    # In the decoder means so far are (1, 0), (1, s/2), (1, s): 2/s of the second is 0, 1, 2.
    weights, _ = weights_of(NO_QUERY | V | {"context.global.q": [[0.0, 2 / s]]}, context("global"),
                            causal=True)
    close("global in the decoder", weights, [[[1, 0, 0], [1 / 3, 2 / 3, 0], TWO]])
    # Deep, on keys: 0, s, 2s plus the lower layer's 0, s, 0 is 0, 2s, 2s; queries are 1.
    weights, _ = weights_of(QK | V | {"context.deep.k": [[1.0, 0.0]]},
                            context("deep", sides="k"), layer=1)
    close("deep", weights, [[[1 / 9, 4 / 9, 4 / 9]] * 3])
    # Deep-global: c^1 = (s/3, 0) and c^2 = (1, s): 3/s * s/3 + 1 * 1 = 2.
    weights, _ = weights_of(NO_QUERY | V | {"context.deep_global.q": [[3 / s, 0.0, 1.0, 0.0]]},
                            context("deep_global"), layer=1)
    close("deep_global", weights, [[TWO] * 3])
    # In the decoder c^1 is 0, s/2, s/3 and c^2's second feature 0, s/2, s; times 2/s and 4/(3s):
    # 0, 1 + 2/3, 2/3 + 4/3.
    row = 2 ** (5 / 3)
    weights, _ = weights_of(
        NO_QUERY | V | {"context.deep_global.q": [[2 / s, 0.0, 0.0, 4 / (3 * s)]]},
        context("deep_global"), layer=1, causal=True)
    close("deep_global in the decoder", weights,
          [[[1, 0, 0], [1 / (1 + row), row / (1 + row), 0], TWO]])
    # A sum: global 1 for every row, deep 0, 1, 0.
    weights, _ = weights_of(
        NO_QUERY | V | {"context.global.q": [[1.0, 0.0]], "context.deep.q": [[1 / s, 0.0]]},
        context("global", "deep"), layer=1)
    close("sum", weights, [[ONE, TWO, ONE]])
    # Deep alone in the first layer is a plain layer without a gate.
    weights, captured = weights_of(QK | V, context("deep", gate="token"))
    close("deep in the first layer", weights, [[ONE] * 3])
    assert "encoder.0.gate_q" not in captured, "a plain layer has no gate"


def gates_by_hand():
    # Q = 5, C U = 1: lambda = sigmoid(ln 3 + ln 3 - ln 3) = 3/4, and 5/4 + 3/4 = 2.
    gated = {"q.weight": [[5.0, 0.0]], "k.weight": [[0.0, 1.0]], "context.global.q": [[1.0, 0.0]],
             "context.gate_q.state": [LN3 / 5], "context.gate_q.context": [LN3]}
    weights, captured = weights_of(gated | V | {"context.gate_q.bias": [-LN3]},
                                   context("global", gate="token"))
    close("gate", captured["encoder.0.gate_q"], [0.75] * 3)
    close("gated query", weights, [[TWO] * 3])
    # Without the bias: sigmoid(2 ln 3) = 9/10.
    _, captured = weights_of(gated | V, context("global", gate="token"))
    close("gate without bias", captured["encoder.0.gate_q"], [0.9] * 3)
    # Q's own bias counts in both places: Q = 3 + 2.
    _, captured = weights_of(gated | V | {"q.weight": [[3.0, 0.0]], "q.bias": [2.0]},
                             context("global", gate="token"))
    close("Q includes its bias", captured["encoder.0.gate_q"], [0.9] * 3)
    gates_of_two_heads()


def gates_of_two_heads():
    two = {"q.weight": [[5.0, 0.0], [10.0, 0.0]], "k.weight": [[0.0, 1.0], [0.0, 1.0]],
           "context.global.q": [[1.0, 0.0], [1.0, 0.0]],
           "v.weight": [[0.0, 1.0]] * 2, "o.weight": [[1.0, 0.0]] * 2}
    # One lambda: 5 ln3/5 + 10 ln3/10 + ln3 - 2 ln3 = ln 3.
    token = {"context.gate_q.state": [LN3 / 5, LN3 / 10],
             "context.gate_q.context": [LN3, -2 * LN3]}
    weights, captured = weights_of(two | token, context("global", gate="token"), heads=2)
    close("token gate", captured["encoder.0.gate_q"], [0.75] * 3)
    # Head 0: 2 as above; head 1: 10/4 + 3/4 = 13/4.
    base = 2 ** 3.25
    total = 1 + base + base**2
    close("token gate", weights, [[TWO] * 3, [[1 / total, base / total, base**2 / total]] * 3])
    # One each, v shared: ln3 (5/5) + ln3 - ln3 and ln3 (10/5) + ln3 - ln3: 3/4 and 9/10.
    head = {"context.gate_q.state": [LN3 / 5], "context.gate_q.context": [LN3],
            "context.gate_q.bias": [-LN3]}
    weights, captured = weights_of(two | head, context("global", gate="head"), heads=2)
    close("head gate", captured["encoder.0.gate_q"], [[0.75, 0.9]] * 3)
    base = 2 ** 1.9  # 10/10 + 9/10
    total = 1 + base + base**2
    close("head gate", weights, [[TWO] * 3, [[1 / total, base / total, base**2 / total]] * 3])
    # Both sides: keys 0, s, 2s with C U = 3s mix half and half into 1.5s, 2s, 2.5s.
    both = {"context.global.k": [[3 * s, 0.0]], "context.gate_k.state": [0.0],
            "context.gate_k.context": [0.0]}
    single = {"q.weight": [[2.0, 0.0]], "k.weight": [[0.0, 1.0]], "context.global.q": [[2.0, 0.0]],
              "context.gate_q.state": [1.0], "context.gate_q.context": [1.0]}
    weights, captured = weights_of(single | both | V, context("global", gate="token", sides="qk"))
    close("gate of keys", captured["encoder.0.gate_k"], [0.5] * 3)
    # Queries stay 2 whatever lambda; energies 3s, 4s, 5s: 1, 2, 4.
    close("both sides", weights, [[ONE] * 3])
    # A fixed head in front: the learned head's rows are still the first of q and k.
    fixed = {"energy": "fixed", "pattern": "last", "unit": "token"}
    _, captured = run_module([fixed, learned()], QK | {"v.weight": [[0.0, 1.0]] * 2,
                                                       "o.weight": [[1.0, 0.0]] * 2})
    close("learned heads count", captured["encoder.0.weights"], [[[0, 0, 1]] * 3, [ONE] * 3])


def dhicm_by_hand():
    """Heads `current` and `last` with O = (0, s, 2s) and (2s, 2s, 2s); W O = O, U x = 2 in the
    first of d_m = 4 features, so s_h = 2 O / sqrt(4) = O."""
    heads = [{"energy": "fixed", "pattern": p, "unit": "token"} for p in ("current", "last")]
    tensors = {"v.weight": [[0.0, 1.0]] * 2, "dhicm.w": [[1.0], [0.0], [0.0], [0.0]],
               "dhicm.u": [[2.0, 0.0]] + [[0.0, 0.0]] * 3,
               "dhicm.v": [[1.0], [0.0], [0.0], [1.0]],
               "dhicm.out": [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 3.0]]}
    cases = [
        # exp(s): 1 4; 2 4; 4 4. sum G O: 4/5 2s; s/3 + 4s/3; 2s.
        ({}, [[1 / 5, 4 / 5], [1 / 3, 2 / 3], [1 / 2, 1 / 2]], [8 / 5, 5 / 3, 2]),
        # Halved first shares: 1/2 4; 1 4; 2 4. Sums: 8/9 2s; s/5 + 8s/5; 2s.
        ({0: 0.5}, [[1 / 9, 8 / 9], [1 / 5, 4 / 5], [1 / 3, 2 / 3]], [16 / 9, 9 / 5, 2]),
        ({0: 0.0}, [[0, 1]] * 3, [2, 2, 2]),
        ({1: 0.0}, [[1, 0]] * 3, [0, 1, 2]),
        ({0: 0.0, 1: 0.0}, [[0, 0]] * 3, [0, 0, 0]),
    ]
    for gains, importance, sums in cases:
        dials = Dials({("encoder", 0, head): gain for head, gain in gains.items()})
        output, captured = run_module(heads, tensors, dials=dials,
                                      combine={"kind": "dhicm", "d_m": 4})
        close(f"G with gains {gains}", captured["encoder.0.importance"], importance)
        close(f"DHICM with gains {gains}", output, [[m * s, 3 * m * s] for m in sums])
    # In cross-attention x is the decoder's: the second row's U x is 0, its heads weigh the same.
    rows = torch.tensor([[1.0, 0.0], [0.0, 1.0]], dtype=torch.float64)
    _, captured = run_module(heads, tensors, rows=rows, name="cross",
                             combine={"kind": "dhicm", "d_m": 4})
    close("G of cross-attention", captured["cross.0.importance"], [[1 / 5, 4 / 5], [1 / 2, 1 / 2]])

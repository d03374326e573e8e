"""Derivatives of log-probabilities by automatic differentiation in float64, with respect to input
embeddings, states of layers, attention weights, head outputs and gains."""

import torch

from .attention import Dials, with_dials
from .checkpoint import of_stack
from .model import Model
from .patterns import mask_matrix


class LeafDials(Dials):
    """Gains with derivatives. Head outputs keep their derivatives as they pass."""

    def __init__(self, dials):
        super().__init__(dials.gains, dials.masks, dials.patterns)
        self.leaves, self.outputs = {}, {}

    def leaf(self, module):
        key = module.name, module.layer
        if key not in self.leaves:
            self.leaves[key] = super().gain_row(module).requires_grad_()
        return self.leaves[key]

    def head_outputs(self, module, outputs):
        if module.combine["kind"] == "concat":
            outputs = outputs * self.leaf(module)[:, None]
        outputs.retain_grad()
        self.outputs[module.name, module.layer] = outputs
        return outputs

    def gain_row(self, module):
        """The gains of concatenated heads have been applied by head_outputs."""
        return torch.ones(len(module.heads)).double() if module.combine["kind"] == "concat" \
            else self.leaf(module)


class LeafWeights(dict):
    """Stores a captured result. Weights keep their derivatives even if no parameter enters them."""

    def __setitem__(self, key, value):
        if key.endswith(".weights"):
            keep(value)
        super().__setitem__(key, value)


def keep(x):
    if x.requires_grad:
        x.retain_grad()
    else:
        x.requires_grad_()


class LeafModel(Model):
    """A model whose embeddings are leaves, and whose layers' states keep their derivatives."""

    def __init__(self, checkpoint, dials):
        super().__init__(checkpoint, LeafDials(dials))
        self.embeddings, self.states = {}, {"encoder": [], "decoder": []}

    def embed(self, stack, ids):
        x = super().embed(stack, ids)
        if not of_stack(self.config, "embedding_norm", stack):
            self.embeddings[stack] = x
        keep(x)
        self.states[stack].append(x)
        return x

    def norm(self, name, x):
        stack, rest = name.split(".", 1)
        if rest == "embedding_norm":
            self.embeddings[stack] = x
            keep(x)
        return super().norm(name, x)

    def sublayer(self, name, x, f):
        y = super().sublayer(name, x, f)
        stack = name.split(".")[0]
        if name.endswith("norm2" if stack == "encoder" else "norm3"):
            keep(y)
            self.states[stack].append(y)
        return y


def derivatives(checkpoint, dials, source, target_ids, terms):
    """Returns the value of a sum of terms (position, token, weight), weight * log p(token
    target before position), and name -> its derivatives with respect to everything."""
    model = LeafModel(checkpoint, dials)
    captured, start = LeafWeights(), model.config["target"]["start"]
    words = model.text.source(source)
    memory = model.encode(words, captured)
    logprobs = torch.log_softmax(model.decode(memory, words, start + target_ids[:-1], captured), dim=1)
    value = sum(weight * logprobs[len(start) - 1 + position, token] for position, token, weight in terms)
    value.backward()
    found = {f"embeddings.{stack}": x for stack, x in model.embeddings.items()}
    for stack, states in model.states.items():
        found |= {f"states.{stack}.{layer}": x for layer, x in enumerate(states)}
    found |= {f"weights.{key.removesuffix('.weights')}": x for key, x in captured.items() if key.endswith(".weights")}
    found |= {f"head_outputs.{module}.{layer}": x for (module, layer), x in model.dials.outputs.items()}
    found |= {f"gains.{module}.{layer}": x for (module, layer), x in model.dials.leaves.items()}
    return value.item(), {name: slopes_of(model, name, x) for name, x in found.items()}


def slopes_of(model, name, x):
    """Weights that a mask or a pattern sets to 0 have no derivative; those that entmax sets to 0
    have one."""
    slopes = torch.zeros_like(x) if x.grad is None else x.grad
    if not name.startswith("weights"):
        return slopes
    _, module, layer = name.split(".")
    heads = with_dials(model.checkpoint.modules[module, int(layer)], model.dials).heads
    seen = [mask_matrix(head.mask, *row.shape, module == "decoder") if head.energy == "learned" else row != 0
            for head, row in zip(heads, x)]
    return slopes * torch.stack(seen)

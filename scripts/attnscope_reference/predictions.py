"""What each prediction rests on, in float64 and by automatic differentiation, as the papers define it: saliency
(Simonyan et al. 2014), gradient times input (Denil et al. 2014), integrated gradients (Sundararajan et al. 2017),
erasure (Li et al. 2016), relevance from attention and its derivatives (Chefer et al. 2021), layer-wise relevance
propagation (Achtibat et al. 2024); and of a layer value zeroing (Mohebbi et al. 2023)."""

import numpy
import torch

from .attention import Dials
from .derivatives import keep
from .model import Model

STACKS = ("encoder", "decoder")


class GivenModel(Model):
    """A model whose embeddings are given."""

    def __init__(self, checkpoint, dials):
        super().__init__(checkpoint, dials)
        self.given = {}

    def embedding(self, stack, ids):
        return self.given[stack] if stack in self.given else super().embedding(stack, ids)


class Weights(dict):
    """Stores a captured result; weights keep their derivatives."""

    def __setitem__(self, key, value):
        if key.endswith(".weights"):
            keep(value)
        super().__setitem__(key, value)


class RelevanceDials(Dials):
    """Dials with which derivatives follow the rules of AttnLRP (Achtibat et al. 2024)."""

    def __init__(self, dials):
        super().__init__(dials.gains, dials.masks, dials.patterns)

    def constant(self, x):
        return x.detach()

    def halved(self, x):
        return (x + x.detach()) / 2

    def capped(self, x, cap):
        return passed_on(x, super().capped(x, cap))


def passed_on(x, y):
    """y, a function of each element of x, which gives its relevance on as it is."""
    return x * (y / x.where(x != 0, torch.ones_like(x)) * (x != 0)).detach()


class RelevanceModel(GivenModel):
    """A model whose activations pass relevance on unchanged."""

    def activation(self, x):
        return passed_on(x, super().activation(x))


class Predictions:
    """A sentence pair. Matrices have a row for each target token, a column for each token of the source and then of the
    decoder's inputs."""

    def __init__(self, checkpoint, dials, source, target_ids, foils=None, baseline="zero"):
        self.model = GivenModel(checkpoint, dials)
        self.config = self.model.config
        self.words = self.model.text.source(source)
        self.target, self.foils = target_ids, foils
        self.start = self.config["target"]["start"]
        self.inputs = {"encoder": self.words.ids, "decoder": self.start + target_ids[:-1]}
        self.embeddings = {stack: self.model.embedding(stack, ids).clone() for stack, ids in self.inputs.items()}
        self.baseline = {stack: self.token(stack, baseline) for stack in STACKS}
        self.captured, self.logits = {}, False

    def token(self, stack, baseline):
        if baseline == "zero":
            return torch.zeros_like(self.embeddings[stack][0])
        side = "source" if stack == "encoder" else "target"
        return self.model.embedding(stack, [self.model.checkpoint.special(baseline, side)])[0]

    def objectives(self, embeddings):
        """L of every row."""
        self.model.given, self.captured = embeddings, Weights()
        memory = self.model.encode(self.words, self.captured)
        logits = self.model.decode(memory, self.words, self.inputs["decoder"], self.captured)
        after = (logits if self.logits else torch.log_softmax(logits, dim=1))[len(self.start) - 1:]
        rows = torch.arange(len(self.target))
        found = after[rows, self.target]
        return found if self.foils is None else found - after[rows, self.foils]

    def slopes(self, embeddings):
        """Derivatives of every row by the embeddings of both sides, [rows, columns, d]."""
        leaves = {stack: x.clone().requires_grad_() for stack, x in embeddings.items()}
        rows = []
        for row in self.objectives(leaves):
            both = torch.autograd.grad(row, list(leaves.values()), retain_graph=True, allow_unused=True)
            rows.append(torch.cat([torch.zeros_like(leaf) if x is None else x
                                   for x, leaf in zip(both, leaves.values())]))
        return torch.stack(rows)

    def joined(self, parts):
        return torch.cat([parts[stack] for stack in STACKS])

    def away(self):
        return {stack: self.embeddings[stack] - self.baseline[stack] for stack in STACKS}

    def saliency(self):
        return self.slopes(self.embeddings).norm(dim=2)

    def gradient_input(self):
        return (self.slopes(self.embeddings) * self.joined(self.embeddings)).sum(dim=2)

    def integrated_gradients(self, steps=8):
        nodes, weights = numpy.polynomial.legendre.leggauss(steps)
        away, total = self.away(), 0
        for node, weight in zip(nodes, weights):
            at = {stack: self.baseline[stack] + (1 + node) / 2 * away[stack] for stack in STACKS}
            total = total + weight / 2 * self.slopes(at)
        return (total * self.joined(away)).sum(dim=2)

    def totals(self):
        """What integrated gradients sum to."""
        empty = {stack: x - self.away()[stack] for stack, x in self.embeddings.items()}
        return self.objectives(self.embeddings) - self.objectives(empty)

    def erasure(self):
        whole, columns = self.objectives(self.embeddings), []
        for stack in STACKS:
            for j in range(len(self.inputs[stack])):
                less = {name: x.clone() for name, x in self.embeddings.items()}
                less[stack][j] = self.baseline[stack]
                columns.append(whole - self.objectives(less))
        return torch.stack(columns, dim=1)

    def lrp(self):
        """Embeddings by derivatives of logits under the rules of relevance."""
        plain = self.model
        self.model, self.logits = RelevanceModel(plain.checkpoint, RelevanceDials(plain.dials)), True
        found = self.gradient_input()
        self.model, self.logits = plain, False
        return found

    def gradient_attention(self):
        """Chefer et al. 2021, eq. 5-10, for the decoder's row of each prediction."""
        rows, first = [], len(self.start) - 1
        for t, row in enumerate(self.objectives({s: x.clone().requires_grad_() for s, x in self.embeddings.items()})):
            keys = [key for key in self.captured if key.endswith(".weights")]
            found = torch.autograd.grad(row, [self.captured[key] for key in keys], retain_graph=True, allow_unused=True)
            mixed = {key: (self.captured[key] * x).clamp(min=0).mean(dim=0) if x is not None
                     else torch.zeros_like(self.captured[key][0]) for key, x in zip(keys, found)}
            source, own = self.relevance(mixed)
            rows.append(torch.cat([source[first + t], own[first + t] - torch.eye(len(own))[first + t]]))
        return torch.stack(rows)

    def relevance(self, mixed):
        encoder = torch.eye(len(self.inputs["encoder"])).double()
        own = torch.eye(len(self.inputs["decoder"])).double()
        source = own.new_zeros(len(own), len(encoder))
        for layer in range(self.config["encoder"]["layers"]):
            encoder = encoder + mixed[f"encoder.{layer}.weights"] @ encoder
        for layer in range(self.config["decoder"]["layers"]):
            weights = mixed[f"decoder.{layer}.weights"]
            own, source = own + weights @ own, source + weights @ source
            source = source + normed(own).T @ mixed[f"cross.{layer}.weights"] @ normed(encoder)
        return source, own

    def matrix(self, method):
        with torch.set_grad_enabled(method not in ("erasure",)):
            return getattr(self, method.replace("-", "_"))().detach()


def normed(relevance):
    """Removes the identity, divides rows by their sums, and adds it again."""
    identity = torch.eye(len(relevance)).double()
    sums = (relevance - identity).sum(dim=1, keepdim=True)
    return (relevance - identity) / sums.where(sums > 0, torch.ones_like(sums)) + identity


class ZeroingDials(Dials):
    """Dials under which the value of one key is zeros in one module's layer."""

    def __init__(self, dials):
        super().__init__(dials.gains, dials.masks, dials.patterns)
        self.zeroed = None  # (module, layer, key)

    def values(self, module, values):
        if self.zeroed is None or self.zeroed[:2] != (module.name, module.layer):
            return values
        values = values.clone()
        values[self.zeroed[2]] = 0
        return values


class StatesModel(Model):
    """A model that keeps the outputs of its layers."""

    def __init__(self, checkpoint, dials):
        super().__init__(checkpoint, dials)
        self.states = {}

    def sublayer(self, name, x, f):
        y = super().sublayer(name, x, f)
        stack, _, layer, norm = name.split(".")
        if norm == ("norm2" if stack == "encoder" else "norm3"):
            self.states[stack, int(layer)] = y
        return y


def value_zeroing(checkpoint, dials, source, target_ids, module, layer):
    """[rows, columns]: how much the layer's output turns without each key's value, as shares of a row."""
    dials = ZeroingDials(dials)
    model = StatesModel(checkpoint, dials)
    words, inputs = model.text.source(source), model.config["target"]["start"] + target_ids[:-1]
    stack = "encoder" if module == "encoder" else "decoder"

    def state(zeroed):
        dials.zeroed = zeroed
        model.force(words, target_ids)
        return model.states[stack, layer]

    with torch.no_grad():
        whole = state(None)
        keys = len(inputs) if module == "decoder" else len(words.ids)
        turned = torch.stack([1 - torch.cosine_similarity(whole, state((module, layer, key)), dim=1)
                              for key in range(keys)], dim=1)
    sums = turned.sum(dim=1, keepdim=True)
    return turned / sums.where(sums > 1e-12, torch.ones_like(sums))

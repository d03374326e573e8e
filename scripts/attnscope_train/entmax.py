"""Entmax, whose weights are exactly 0 for some keys, with an alpha of each head that may be learned: Peters,
Niculae and Martins 2019; Correia, Niculae and Martins 2019.

Weights max(0, 1 + a (e - E - s))^(1/a) with a = alpha - 1, E the greatest energy, and the s for which they sum to 1:
Newton's steps from s = 0 lead there, as the sum is convex in s."""

import torch
from torch import nn

LEARNED = "learned"     # in a training's configuration, instead of a number
STEPS, NEAR = 24, 1e-6


def powers(below, shift, a):
    """Returns weights for energies below the greatest, and their slopes p^(1-a)."""
    base = (1 + a * (below - shift)).clamp(min=0)
    weights = base ** (1 / a)
    return weights, torch.where(base > 0, weights / base.clamp(min=1e-30), 0.0)


def excess(total, a):
    """Returns what a sum has above 1, or that of its power a if that is a longer step."""
    log = total.clamp(min=1).log()
    return torch.maximum(total - 1, total * log * (1 - a * log / 2))


def weights_of(energies, a):
    below, shift = energies - energies.amax(-1, keepdim=True), 0
    for _ in range(STEPS):
        weights, slopes = powers(below, shift, a)
        total = weights.sum(-1, keepdim=True)
        shift = shift + excess(total, a) / slopes.sum(-1, keepdim=True)
        if float(total.max()) - 1 <= NEAR:
            break
    weights, _ = powers(below, shift, a)
    return weights / weights.sum(-1, keepdim=True)


def slopes_by_alpha(weights, shares, a):
    """Returns derivatives of weights by alpha: Correia et al. 2019, proposition 1. shares: p^(1-a)
    over their sum."""
    weights, shares, a = weights.double(), shares.double(), a.double()
    entropies = -torch.special.xlogy(weights, weights)
    return ((weights - shares) / a + entropies - shares * entropies.sum(-1, keepdim=True)) / a


class Entmax(torch.autograd.Function):
    """energies: (…, H, T, S); a: (H, 1, 1), within 0 … 1."""

    @staticmethod
    def forward(context, energies, a):
        weights = weights_of(energies, a)
        context.save_for_backward(weights, a)
        return weights

    @staticmethod
    def backward(context, gradient):
        weights, a = context.saved_tensors
        slopes = torch.where(weights > 0, weights.clamp(min=1e-38) ** (1 - a), 0.0)
        shares = slopes / slopes.sum(-1, keepdim=True)
        by_energies = slopes * (gradient - (shares * gradient).sum(-1, keepdim=True))
        if not context.needs_input_grad[1]:
            return by_energies, None
        products = gradient * slopes_by_alpha(weights, shares, a)
        return by_energies, products.sum_to_size(a.shape).to(a.dtype)


class Alphas(nn.Module):
    """The heads of a module with entmax. alphas: of every learned head, a number or LEARNED.
    Learned ones begin at 1.5 and are 1 + sigmoid of a parameter."""

    def __init__(self, alphas):
        super().__init__()
        self.heads = [h for h, alpha in enumerate(alphas) if alpha != 1]
        self.dense = [h for h, alpha in enumerate(alphas) if alpha == 1]
        given = [alphas[h] for h in self.heads]
        learned = torch.tensor([alpha == LEARNED for alpha in given])
        numbers = torch.tensor([0.0 if alpha == LEARNED else alpha - 1 for alpha in given])
        self.register_buffer("learned", learned, persistent=False)
        self.register_buffer("numbers", numbers, persistent=False)
        if learned.any():
            self.logits = nn.Parameter(torch.zeros(len(given)))

    def numbers_now(self):
        """Returns alpha - 1 of each of `heads`."""
        return torch.where(self.learned, self.logits.sigmoid(), self.numbers) if hasattr(self, "logits") \
            else self.numbers

    def forward(self, energies):
        """Returns (B, H, T, S) for all learned heads, in single precision, whatever the energies
        have."""
        energies = energies.float()
        sparse = Entmax.apply(energies[:, self.heads], self.numbers_now()[:, None, None])
        if not self.dense:
            return sparse
        order = torch.tensor(self.heads + self.dense).argsort()
        return torch.cat([sparse, energies[:, self.dense].softmax(-1)], dim=1)[:, order.to(energies.device)]


def learns(config):
    return any(head.get("alpha") == LEARNED for rule in config.get("attention", []) for head in rule.get("heads", []))


def learned_alphas(model):
    """Returns alpha of all heads whose alpha is learned."""
    return [float(1 + a) for module in model.modules() if isinstance(module, Alphas) and hasattr(module, "logits")
            for a, learned in zip(module.numbers_now().detach(), module.learned) if learned]


def with_numbers(config, modules, model):
    """Returns the configuration with the learned numbers; the heads of each layer get a rule of
    their own.

    modules: config.resolve(config)."""
    if not learns(config):
        return config
    rules = [{key: value for key, value in rule.items() if key != "heads"} for rule in config["attention"]]
    rules = [rule for rule in rules if "combine" in rule or "context" in rule]
    for (stack, kind), layers in modules.items():
        for index, module in enumerate(layers):
            attention = getattr(getattr(model, stack).layers[index], f"{kind}_attention", None)
            if attention is not None:
                rules.append({"stack": stack, "kind": kind, "layers": [index],
                              "heads": heads_with_numbers(module["heads"], attention)})
    return dict(config, attention=rules)


def heads_with_numbers(heads, attention):
    heads = [dict(head) for head in heads]
    if attention.alphas is not None:
        for place, a in zip(attention.alphas.heads, attention.alphas.numbers_now().tolist()):
            heads[attention.learned[place]]["alpha"] = 1 + a
    return heads


def without_parameters(weights):
    """Returns the tensors that a checkpoint contains: alphas are in its configuration."""
    return {name: value for name, value in weights.items() if not name.endswith(".alphas.logits")}

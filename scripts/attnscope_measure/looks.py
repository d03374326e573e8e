"""What is looked for in a model's attention, sentence after sentence.

Each look takes in what :export writes of a sentence with see(tensors, source_tokens); report() gives
lines, each with whether it is good enough; none where the model has nothing of the kind."""

import numpy as np

from .patterns import pattern_matrix, word_numbers

LEAST_FROM_UNIFORM, LEAST_FROM_AVERAGE = 0.05, 0.02     # nats
LEAST_GATE_DEVIATION = 0.02
MOST_FROM_PATTERN = 1e-6                                # rounding of single precision


class Importance:
    """How far a token's weights over the heads (DHICM) are from uniform, and from the average over
    all tokens of the same module: the mean Kullback-Leibler divergence."""

    def __init__(self):
        self.rows = {}

    def see(self, tensors, _):
        for name, value in tensors.items():
            if name.endswith(".importance"):
                self.rows.setdefault(name.removesuffix(".importance"), []).append(value)

    def report(self):
        lines, all_tokens = [], []
        for name, parts in self.rows.items():
            weights = np.concatenate(parts).astype(np.float64)
            away = np.stack([divergence(weights, 1 / weights.shape[1]),
                             divergence(weights, weights.mean(axis=0))])
            all_tokens.append(away)
            lines.append((f"importance, {place(name)}: {nats(away.mean(axis=1))}", True))
        if all_tokens:
            uniform, average = away = np.concatenate(all_tokens, axis=1).mean(axis=1)
            lines.append((f"importance: {nats(away)} (least {LEAST_FROM_UNIFORM}, "
                          f"{LEAST_FROM_AVERAGE})",
                          uniform >= LEAST_FROM_UNIFORM and average >= LEAST_FROM_AVERAGE))
        return lines


def divergence(p, q):
    """Returns the divergence of each row of p from q, in nats; 0 log 0 is 0."""
    return np.sum(np.where(p > 0, p * np.log(np.where(p > 0, p, 1) / q), 0), axis=1)


def nats(away):
    return f"{away[0]:.3f} nats from uniform, {away[1]:.3f} from the average"


class Gates:
    """How much the gates of a layer differ between tokens."""

    def __init__(self):
        self.values = {}

    def see(self, tensors, _):
        for name, value in tensors.items():
            if ".gate_" in name:
                self.values.setdefault(name, []).append(value.ravel())

    def report(self):
        lines, deviations = [], []
        for name, parts in sorted(self.values.items()):
            gates = np.concatenate(parts).astype(np.float64)
            deviations.append(gates.std())
            module, side = name.split(".gate_")
            lines.append((f"gates, {place(module)} {side}: mean {gates.mean():.3f}, standard deviation "
                          f"{gates.std():.3f}", True))
        if deviations:
            lines.append((f"gates: greatest standard deviation {max(deviations):.3f} (least "
                          f"{LEAST_GATE_DEVIATION})", max(deviations) >= LEAST_GATE_DEVIATION))
        return lines


class Patterns:
    """How far the encoder's fixed heads are from the formulas of their patterns."""

    def __init__(self, config):
        self.heads = list(fixed_heads(config))
        self.worst, self.rows = 0.0, 0

    def see(self, tensors, source):
        units = {"word": word_numbers(source), "token": np.arange(len(source))}
        for layer, index, head in self.heads:
            weights = tensors[f"encoder.{layer}.weights"][index]
            pattern = head["pattern"]
            if pattern == "gaussian":
                pattern = pattern, head.get("offset", 0), head.get("deviation", 1.0)
            expected = pattern_matrix(pattern, units[head.get("unit", "token")])
            self.worst = max(self.worst, float(np.abs(weights - expected).max()))
            self.rows += len(weights)

    def report(self):
        if not self.heads:
            return []
        return [(f"fixed heads: {len(self.heads)} of the encoder, {self.rows:,} rows, at most "
                 f"{self.worst:.1e} from their formulas (most {MOST_FROM_PATTERN:.0e})",
                 self.worst <= MOST_FROM_PATTERN)]


def fixed_heads(config):
    """Yields (layer, head, its description) of the encoder; the last rule for a head wins."""
    for layer in range(config["encoder"]["layers"]):
        heads = []
        for rule in config["attention"]:
            layers = rule.get("layers", "all")
            here = (rule["stack"], rule["kind"]) == ("encoder", "self")
            if here and "heads" in rule and (layers == "all" or layer in layers):
                heads = rule["heads"]
        yield from ((layer, i, head) for i, head in enumerate(heads) if head["energy"] == "fixed")


def place(name):
    """encoder.3 -> encoder layer 4: people count from 1."""
    module, layer = name.split(".")
    return f"{module} layer {int(layer) + 1}"

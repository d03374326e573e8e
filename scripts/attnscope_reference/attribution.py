"""Attribution beyond attention weights, in float64, as the papers define it: norms (Kobayashi et al. 2020, 2021),
rollout and flow (Abnar and Zuidema 2020), ALTI and ALTI+ (Ferrando et al. 2022, two papers).

Flow needs the package networkx."""

import gzip
import json
import os

import networkx
import torch

from .attention import Dials, linear, shared_heads, split_heads
from .checkpoint import MODULES, of_stack, pre_norm, read_checkpoint, write_safetensors
from .derivatives import derivatives
from .model import Model

KINDS = ("block-norms", "contributions", "rollout", "alti", "flow")
# Flow takes one program of networkx for each pair of tokens.
FLOW_CELLS = 150


class Traced(Model):
    """A model that keeps what its attention sublayers read and write."""

    def __init__(self, checkpoint, dials=None):
        super().__init__(checkpoint, dials)
        self.traces = {}  # norm name -> (residual, what the module reads, what it gives, all of it)
        self.memory = None

    def sublayer(self, name, x, f):
        seen = {}

        def traced(inner):
            seen["read"], seen["given"] = inner, f(inner)
            return seen["given"]

        y = super().sublayer(name, x, traced)
        self.traces[name] = (x, seen["read"], seen["given"], y)
        return y

    def decode(self, memory, source, ids, captured):
        self.memory = memory
        return super().decode(memory, source, ids, captured)


class Attribution:
    """The results of a forced pass, Attribution(model, source, target_ids); all methods are
    functions of it."""

    def __init__(self, model, source, target_ids):
        self.model, self.config = model, model.config
        self.captured, _ = model.force(source, target_ids)

    def layers(self, module):
        stack = "encoder" if module == "encoder" else "decoder"
        recurrent = self.config[stack].get("recurrence", "none") != "none"
        return 0 if module == "decoder" and recurrent else self.config[stack]["layers"]

    def norm_name(self, module, layer):
        stack = "encoder" if module == "encoder" else "decoder"
        return f"{stack}.layers.{layer}.norm{2 if module == 'cross' else 1}"

    def head_weights(self, module, layer):
        """[H, rows, columns] with the gains, or with the importance of DHICM."""
        at = f"{module}.{layer}"
        weights, described = self.captured[f"{at}.weights"], self.model.checkpoint.modules[module, layer]
        if described.combine["kind"] == "dhicm":
            return weights * self.captured[f"{at}.importance"].T[:, :, None]
        return weights * self.model.dials.gain_row(described)[:, None, None]

    def transformed_values(self, module, layer):
        """f_h(x_j) [H, columns, d]."""
        described = self.model.checkpoint.modules[module, layer]
        _, read, _, _ = self.model.traces[self.norm_name(module, layer)]
        memory = self.model.memory if module == "cross" else read
        values = shared_heads(described, linear(self.model.checkpoint, f"{described.prefix}.v", memory))
        values = split_heads(values, len(described.heads))
        if described.combine["kind"] == "dhicm":
            v, out = (self.model.checkpoint.tensors[f"{described.prefix}.dhicm.{name}"]
                      for name in ("v", "out"))
            return torch.einsum("jhk,mk,dm->hjd", values, v, out)
        w = self.model.checkpoint.tensors[f"{described.prefix}.o.weight"]
        w = w.reshape(w.shape[0], len(described.heads), -1)
        return torch.einsum("jhk,dhk->hjd", values, w)

    def through_norm(self, name, z, vectors):
        """N(v) of vectors [rows, columns, d], N being the norm of the rows of z without its bias."""
        gamma = self.model.checkpoint.tensors[f"{name}.weight"]
        if self.config.get("norm_kind") == "rms":
            scale = torch.sqrt((z**2).mean(dim=1) + self.config["norm_eps"])
            return vectors / scale[:, None, None] * gamma
        scale = torch.sqrt(z.var(dim=1, unbiased=False) + self.config["norm_eps"])
        centred = vectors - vectors.mean(dim=-1, keepdim=True)
        return centred / scale[:, None, None] * gamma

    def through_output_norm(self, module, layer, vectors):
        name = self.norm_name(module, layer)
        if not of_stack(self.config, "output_norm", name.split(".")[0]):
            return vectors
        return self.through_norm(name.replace(".norm", ".output_norm"), self.model.traces[name][2], vectors)

    def norms(self, module, layer, head=None):
        """||a f(x)|| [rows, columns] of one head, or of the sum over heads (Kobayashi et al. 2020)."""
        vectors = self.head_weights(module, layer)[..., None] \
            * self.transformed_values(module, layer)[:, None]
        vectors = vectors.sum(dim=0) if head is None else vectors[head]
        return self.through_output_norm(module, layer, vectors).norm(dim=-1)

    def block(self, module, layer):
        """T_i(x_j) [rows, columns (+ the residual in cross-attention), d], and y_i [rows, d]."""
        x, _, given, after = self.model.traces[self.norm_name(module, layer)]
        vectors = torch.einsum("hij,hjd->ijd", self.head_weights(module, layer),
                               self.transformed_values(module, layer))
        vectors = self.through_output_norm(module, layer, vectors)
        if module == "cross":
            vectors = torch.cat([vectors, x[:, None]], dim=1)
        else:
            vectors = vectors + torch.eye(len(x))[:, :, None] * x[:, None]
        name = self.norm_name(module, layer)
        if pre_norm(self.config, name.split(".")[0]):
            return vectors, after
        return self.through_norm(name, x + self.model.output_norm(name, given), vectors), after

    def block_norms(self, module, layer):
        return self.block(module, layer)[0].norm(dim=-1)

    def contributions(self, module, layer):
        """Ferrando et al. 2022: nearness in the Manhattan distance, a row divided by its sum."""
        vectors, y = self.block(module, layer)
        distance = (vectors - y[:, None]).abs().sum(dim=-1)
        nearness = (y.abs().sum(dim=-1, keepdim=True) - distance).clamp(min=0)
        total = nearness.sum(dim=1, keepdim=True)
        return torch.where(total > 0, nearness / total.where(total > 0, 1.0), 0.0)

    def augmented(self, module, layer):
        """Abnar and Zuidema 2020: mean attention and the residual; [rows, columns (+ 1)]."""
        weights = self.head_weights(module, layer).sum(dim=0)
        described = self.model.checkpoint.modules[module, layer]
        gains = self.model.dials.gain_row(described).sum()
        if described.combine["kind"] != "dhicm" and gains > 0:
            weights = weights / gains
        one = torch.ones(len(weights), 1)
        weights = torch.cat([weights, one], dim=1) if module == "cross" \
            else weights + torch.eye(len(weights))
        return weights / weights.sum(dim=1, keepdim=True)

    def rolled(self, matrices, layer):
        """[m, n + m] of the decoder up to a layer, as the authors of ALTI+ multiply."""
        encoder = torch.eye(len(matrices("encoder", 0)))
        for l in range(self.layers("encoder")):
            encoder = matrices("encoder", l) @ encoder
        source = target = None
        for l in range(layer + 1):
            cross = matrices("cross", l)
            own = matrices("decoder", l) * cross[:, -1:]
            source = cross[:, :-1] @ encoder + (own @ source if l else 0)
            target = own @ target if l else own
        return torch.cat([source, target], dim=1)

    def rolled_encoder(self, matrices, layer):
        joint = matrices("encoder", 0)
        for l in range(1, layer + 1):
            joint = matrices("encoder", l) @ joint
        return joint

    def flow(self, module, layer):
        """Maximum flow [rows, columns], each row divided by its sum."""
        graph, n = networkx.DiGraph(), len(self.augmented("encoder", 0))
        depth = layer + 1 if module == "encoder" else self.layers("encoder")
        for l in range(depth):
            add_edges(graph, self.augmented("encoder", l), ("e", l + 1), ("e", l))
        if module == "encoder":
            return flows(graph, n, [("e", 0, j) for j in range(n)], ("e", depth))
        for l in range(layer + 1):
            cross = self.augmented("cross", l)
            add_edges(graph, self.augmented("decoder", l), ("d", 2 * l + 1), ("d", 2 * l))
            add_edges(graph, cross[:, :-1], ("d", 2 * l + 2), ("e", depth))
            add_edges(graph, cross[:, -1].diag(), ("d", 2 * l + 2), ("d", 2 * l + 1))
        m = len(self.augmented("cross", 0))
        bottom = [("e", 0, j) for j in range(n)] + [("d", 0, j) for j in range(m)]
        return flows(graph, m, bottom, ("d", 2 * layer + 2))

    def joint(self, kind, module, layer):
        """Rollout, flow or ALTI: [rows, columns], in the decoder [m, n + m]."""
        if kind == "flow":
            return self.flow(module, layer)
        matrices = self.augmented if kind == "rollout" else self.contributions
        if module == "encoder":
            return self.rolled_encoder(matrices, layer)
        return self.rolled(matrices, layer)


def add_edges(graph, matrix, above, below):
    for i, row in enumerate(matrix.tolist()):
        for j, value in enumerate(row):
            if value > 0:
                graph.add_edge((*above, i), (*below, j), capacity=value)


def flows(graph, rows, bottom, top):
    values = torch.zeros(rows, len(bottom))
    for i in range(rows):
        for j, node in enumerate(bottom):
            if graph.has_node((*top, i)) and graph.has_node(node):
                values[i, j] = networkx.maximum_flow_value(graph, (*top, i), node)
    return values / values.sum(dim=1, keepdim=True)


# Golden data ----------------------------------------------------------------------------------------


def dials_of(record):
    """The head settings of a case of golden data."""
    def at(entry):
        return entry["module"], entry["layer"], entry["head"]
    return Dials({at(e): e["gain"] for e in record.get("gains", [])},
                 {at(e): e["mask"] for e in record.get("masks", [])},
                 {at(e): (e["pattern"], e["unit"]) for e in record.get("patterns", [])})


def chosen_case(cases):
    """A short one; one with heads that are off comes first."""
    def rank(k):
        case = cases[k]
        return not case.get("gains"), len(case["source_ids"]) + len(case["target_ids"])
    return min((k for k in range(len(cases)) if len(cases[k]["source_ids"]) > 2), key=rank)


def tensors_of(model, record):
    """name -> tensor of the last layer of every module: MODULE.KIND, heads' norms of the last head."""
    attribution = Attribution(model, model.text.source(record["source"]), record["target_ids"])
    tensors = {}
    for module in MODULES:
        layer = attribution.layers(module) - 1
        if layer < 0:
            continue
        heads = len(model.checkpoint.modules[module, layer].heads)
        tensors[f"{module}.norms.head"] = attribution.norms(module, layer, heads - 1)
        tensors[f"{module}.norms"] = attribution.norms(module, layer)
        tensors[f"{module}.block-norms"] = attribution.block_norms(module, layer)
        tensors[f"{module}.contributions"] = attribution.contributions(module, layer)
        if module == "decoder" or attribution.layers("decoder") == 0 and module == "cross":
            continue
        for kind in ("rollout", "alti", "flow"):
            joint = attribution.joint("rollout", module, layer)
            if kind != "flow" or joint.numel() <= FLOW_CELLS:
                tensors[f"{module}.{kind}"] = attribution.joint(kind, module, layer)
    return tensors


def write_attribution(path, directory):
    """One case of every golden model of a directory, as float32: NAME.K.MODULE.KIND. Compressed by gzip."""
    torch.set_default_dtype(torch.float64)
    tensors = {}
    for name in sorted(os.listdir(directory)):
        if not name.endswith(".bin"):
            continue
        name = name.removesuffix(".bin")
        checkpoint = read_checkpoint(os.path.join(directory, f"{name}.bin"))
        with open(os.path.join(directory, f"{name}.expected"), "rb") as file:
            size = int.from_bytes(file.read(8), "little")
            cases = json.loads(json.loads(file.read(size))["__metadata__"]["cases"])
        k = chosen_case(cases)
        made = tensors_of(Traced(checkpoint, dials_of(cases[k])), cases[k])
        tensors |= {f"{name}.{k}.{key}": t.float() for key, t in made.items()}
        print(name, k, len(cases[k]["source_ids"]), len(cases[k]["target_ids"]), len(made))
    write_safetensors(path, tensors, {})
    with open(path, "rb+") as file:
        content = gzip.compress(file.read(), mtime=0)
        file.seek(0)
        file.write(content)
        file.truncate()


# Gradients of gains ---------------------------------------------------------------------------------


class TracedGains(Dials):
    """Gains of 1 that derivatives are taken by."""

    def __init__(self):
        super().__init__()
        self.rows = {}

    def gain_row(self, module):
        key = module.name, module.layer
        if key not in self.rows:
            self.rows[key] = torch.ones(len(module.heads), dtype=torch.float64, requires_grad=True)
        return self.rows[key]


def gain_gradients(checkpoint, source, target):
    """(module, layer) -> derivatives [H] of the log-probability of a target by the gains (Michel et al. 2019)."""
    dials = TracedGains()
    model = Model(checkpoint, dials)
    words, ids = model.text.source(source), model.text.target(target)
    captured = {}
    start = model.config["target"]["start"]
    memory = model.encode(words, captured)
    logprobs = torch.log_softmax(model.decode(memory, words, start + ids[:-1], captured), dim=1)
    rows = torch.arange(len(start) - 1, len(logprobs))
    logprobs[rows, torch.tensor(ids)].sum().backward()
    return {key: row.grad for key, row in dials.rows.items()}


def write_gradients(path, models, pairs):
    """The mean size and the mean of the derivatives over sentence pairs, of every head of every model."""
    found = {}
    for file in models:
        checkpoint = read_checkpoint(file)
        each = [gain_gradients(checkpoint, *pair) for pair in pairs]
        found[os.path.basename(file).removesuffix(".bin")] = [
            {"module": module, "layer": layer, "head": head,
             "importance": round(sum(abs(g[module, layer][head].item()) for g in each) / len(each), 9),
             "mean": round(sum(g[module, layer][head].item() for g in each) / len(each), 9)}
            for module, layer in sorted(each[0]) for head in range(len(each[0][module, layer]))]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"pairs": pairs, "models": found}, file, ensure_ascii=False, separators=(",", ":"))
        file.write("\n")


# Activation patching --------------------------------------------------------------------------------


class Patch(Dials):
    """Keeps what heads give; with `replaced` (module, layer, head) -> (rows, outputs) puts others in their place."""

    def __init__(self, replaced=None):
        super().__init__()
        self.replaced, self.outputs = replaced or {}, {}

    def head_outputs(self, module, outputs):
        self.outputs[module.name, module.layer] = outputs
        for (name, layer, head), (rows, others) in self.replaced.items():
            if (name, layer) == (module.name, module.layer):
                outputs = outputs.clone()
                outputs[rows, head] = others
        return outputs


def patch_effects(checkpoint, source, target, other, pairs):
    """For every head, module -> [layer][head]: the change of the target's log-probability. pairs:
    (row of the other source, own row)."""
    donor = Patch()
    model = Model(checkpoint, donor)
    words, others, ids = model.text.source(source), model.text.source(other), model.text.target(target)
    if pairs is None:
        assert len(words.ids) == len(others.ids)
        pairs = [(i, i) for i in range(len(words.ids))]
    from_logprob = sum(model.force(others, ids)[1])
    own = sum(Model(checkpoint, Dials()).force(words, ids)[1])
    effects = {}
    for (module, layer), outputs in sorted(donor.outputs.items()):
        rows = torch.tensor([to for _, to in pairs]) if module == "encoder" else torch.arange(len(outputs))
        taken = outputs[[came for came, _ in pairs]] if module == "encoder" else outputs
        changed = [sum(Model(checkpoint, Patch({(module, layer, head): (rows, taken[:, head])})).force(words, ids)[1])
                   for head in range(outputs.shape[1])]
        effects.setdefault(module, []).append([round(x - own, 4) for x in changed])
    return {"logprob": own, "from_logprob": from_logprob, "effects": effects,
            "estimates": patch_estimates(checkpoint, source, ids, donor.outputs, pairs)}


def patch_estimates(checkpoint, source, ids, others, pairs):
    """For every head, like patch_effects: the change of its outputs times their derivatives (Nanda
    2023)."""
    own = Patch()
    model = Model(checkpoint, own)
    model.force(model.text.source(source), ids)
    slopes = derivatives(checkpoint, Dials(), source, ids, [(t, token, 1) for t, token in enumerate(ids)])[1]
    estimates = {}
    for (module, layer), outputs in sorted(own.outputs.items()):
        at = pairs if module == "encoder" else [(i, i) for i in range(len(outputs))]
        slope = slopes[f"head_outputs.{module}.{layer}"]
        products = sum((others[module, layer][came] - outputs[to]) * slope[to] for came, to in at)
        estimates.setdefault(module, []).append([round(x, 4) for x in products.sum(dim=1).tolist()])
    return estimates


def write_patches(path, models, cases):
    """cases: (source, target, other source, pairs or None)."""
    found = []
    for file in models:
        checkpoint = read_checkpoint(file)
        for source, target, other, pairs in cases:
            found.append({"model": os.path.basename(file).removesuffix(".bin"), "source": source,
                          "target": target, "from": other, "pairs": pairs}
                         | patch_effects(checkpoint, source, target, other, pairs))
    with open(path, "w", encoding="utf-8") as file:
        json.dump(found, file, ensure_ascii=False, separators=(",", ":"))
        file.write("\n")

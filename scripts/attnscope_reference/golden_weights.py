"""Random weights for tiny models, scaled so that attention is sharp and logits differ clearly."""

import fnmatch
import math

import torch

from .checkpoint import tensor_shapes

# Standard deviations by name; the first match counts. Weights get gain / sqrt(inputs), so that an
# input of size 1 gives outputs of size `gain`; a query and a key of size 1.4 give energies of about
# 2. What a layer adds outweighs the residual stream, because otherwise tied models repeat their
# input for ever.
GAINS = [("*.self_attention.[qk].weight", 1.4), ("*.cross_attention.[qk].weight", 1.4),
         ("*.dhicm.[wu]", 1.4), ("*.context.gate_*", 1.5), ("*.context.*", 1.3),
         ("output.weight", 2.2), ("*.ffn.out.weight", 2.5), ("*.o.weight", 2.0),
         ("*.dhicm.out", 2.0), ("*", 1.2)]
SCALES = [("*.norm*.weight", None), ("*.bias", 0.3), ("*.positions.weight", 0.7)]


def random_tensors(config, sizes, absent, seed):
    """Returns a model's float32 tensors, without the optional ones whose names match `absent`."""
    generator = torch.Generator().manual_seed(seed)
    tensors = {}
    for name, (shape, required) in tensor_shapes(config, *sizes).items():
        if required or not any(fnmatch.fnmatch(name, p) for p in absent):
            tensors[name] = random_tensor(config, name, shape, generator)
    return tensors


def random_tensor(config, name, shape, generator):
    noise = torch.randn(shape, generator=generator)
    if fnmatch.fnmatch(name, "*norm*.weight"):
        return 1 + 0.3 * noise
    if name.endswith("relative_bias.weight"):
        return 1.5 * noise
    if name.endswith("_embedding.weight"):
        return noise / config["embedding_scale"]
    for pattern, deviation in SCALES:
        if deviation and fnmatch.fnmatch(name, pattern):
            return deviation * noise
    gain = next(gain for pattern, gain in GAINS if fnmatch.fnmatch(name, pattern))
    return gain / math.sqrt(shape[-1]) * noise


def output_row_name(config, tensors):
    """Returns the tensor whose rows give the logits, under whatever name tying stores it."""
    name = "output"
    while f"{name}.weight" not in tensors:
        name = config["tied"][name]
    return f"{name}.weight"


def encourage_end(config, tensors, eos, states, logits, share):
    """Lets end-of-sentence win in `share` of the decoder states: left alone, random models either
    stop at once or never.

    states [sentences, m, d] before the output projection and logits [sentences, m, V] are a sample
    of what the decoder does. The row of end-of-sentence follows the direction in which states move
    from the first token to the last, so that hypotheses end late rather than early."""
    time = torch.arange(states.shape[1], dtype=torch.float64)
    mean = states.mean(dim=(0, 1))
    direction = torch.einsum("t,std->d", time - time.mean(), states - mean)
    row = 3 * direction / ((states - mean) @ direction).std()
    others = logits.clone()
    others[:, :, eos] = -math.inf
    lead = states @ row - others.max(dim=2).values
    shift = -lead.flatten().quantile(1 - share)
    tensors[output_row_name(config, tensors)][eos] = (row + shift * mean / (mean @ mean)).float()

"""Models that all programs open: transformers' classes in memory, their folders, CTranslate2's and Marian's files.

Random models never end a translation, so that every program makes the same number of steps: end-of-sentence has a bias
that nothing outweighs. The sample ends its translations as it has learned to.
"""
import json
import math
import struct
from dataclasses import dataclass
from pathlib import Path

EOS, UNK, UNLIKELY = 0, 1, -1000.0  # of random models, whose vocabulary ends with padding, like Marian's


@dataclass
class Size:
    width: int
    ffn: int
    layers: int
    heads: int
    pieces: int
    alone: int  # sentences translated one by one in a run
    swept: int  # sentences of a sweep
    heads_swept: str = "enc"  # 48 heads, as :ablate selects them


SIZES = {
    "tiny": Size(128, 512, 4, 8, 10000, alone=16, swept=64, heads_swept="enc or dec layer 1-2"),
    "base": Size(512, 2048, 6, 8, 32000, alone=4, swept=16),
    "big": Size(1024, 4096, 6, 16, 32000, alone=2, swept=8, heads_swept="enc layer 1-3"),
    "check": Size(32, 64, 6, 8, 100, alone=2, swept=2),  # for trying the script
}
SAMPLE = Size(128, 256, 4, 8, 4000, alone=16, swept=64, heads_swept="enc or dec")


@dataclass
class Prepared:
    """What programs get. Sources have end-of-sentence if the toolkit expects it from its user."""
    ours: Path  # what attnscope opens
    pieces: list
    sources: list  # of lists of pieces, without end-of-sentence
    lines: list  # the same lines as attnscope reads them
    steps: int  # of random models; 0: translations end by themselves
    size: Size
    folder: Path = None  # for transformers
    ctranslate2: Path = None
    marian: Path = None
    cutter: object = None  # SentencePiece, if text has to be split into pieces

    def join(self, pieces):
        """Joins pieces as attnscope writes them."""
        return self.cutter.decode(pieces) if self.cutter else " ".join(pieces)


def random_config(transformers, size):
    return transformers.MarianConfig(
        vocab_size=size.pieces, d_model=size.width, encoder_layers=size.layers, decoder_layers=size.layers,
        encoder_ffn_dim=size.ffn, decoder_ffn_dim=size.ffn, encoder_attention_heads=size.heads,
        decoder_attention_heads=size.heads, max_position_embeddings=256, activation_function="relu",
        scale_embedding=True, eos_token_id=EOS, bos_token_id=None, pad_token_id=size.pieces - 1,
        decoder_start_token_id=size.pieces - 1, forced_eos_token_id=None)


def random_model(torch, transformers, size):
    """Weights that keep the layers' variance and spread the probabilities, so that few decisions
    are close."""
    torch.manual_seed(1)
    config = random_config(transformers, size)
    config._attn_implementation = "eager"  # the one that has weights to give
    model = transformers.MarianMTModel(config).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "embed_positions" not in name and parameter.dim() > 1:
                parameter.normal_(0, (3 if "shared" in name else 1) / math.sqrt(parameter.shape[-1]))
        model.model.shared.weight[-1] = 0
        model.final_logits_bias[0, [EOS, UNK, -1]] = UNLIKELY
    return model


def random_pieces(size):
    return ["</s>", "<unk>"] + [f"w{i}" for i in range(2, size.pieces - 1)] + ["<pad>"]


class Tokens:
    """What CTranslate2's converter needs of a tokeniser."""

    additional_special_tokens, special_tokens_map = [], {}

    def __init__(self, pieces):
        self.pieces = pieces
        self.bos_token, self.eos_token, self.unk_token, self.pad_token = "<s>", "</s>", "<unk>", "<pad>"
        self.unk_token_id = pieces.index("<unk>")

    def convert_ids_to_tokens(self, number):
        return self.pieces[number]

    def get_vocab(self):
        return {piece: i for i, piece in enumerate(self.pieces)}


def convert_ctranslate2(model, pieces, folder):
    """Writes the model in CTranslate2's format."""
    from ctranslate2.converters import transformers as converters

    spec = converters._MODEL_LOADERS[type(model.config).__name__](model, Tokens(pieces))
    spec.validate()
    folder.mkdir(exist_ok=True)
    spec.save(str(folder))
    return folder


def save_transformers(model, pieces, folder, steps):
    model.generation_config.max_length = steps + 1
    model.save_pretrained(folder)
    (folder / "vocab.json").write_text(json.dumps({piece: i for i, piece in enumerate(pieces)}), encoding="utf-8")
    return folder


def marian_name(name):
    """Returns Marian's name for a parameter of transformers' Marian model; the stem of its layer,
    or of the norm before it."""
    stack, _, layer, *rest = name.removeprefix("model.").split(".")
    stem = f"{stack}_l{int(layer) + 1}"
    block = {"self_attn": "self", "encoder_attn": "context", "self_attn_layer_norm": "self_Wo",
             "encoder_attn_layer_norm": "context_Wo", "final_layer_norm": "ffn_ffn", "fc1": "ffn",
             "fc2": "ffn"}[rest[0]]
    bias = rest[-1] == "bias"
    if "norm" in rest[0]:
        return f"{stem}_{block}_ln_{'bias' if bias else 'scale'}"
    which = {"q_proj": "q", "k_proj": "k", "v_proj": "v", "out_proj": "o", "fc1": "1", "fc2": "2"}[rest[-2]]
    return f"{stem}_{block}_{'b' if bias else 'W'}{which}"


def save_marian(model, pieces, size, folder):
    """Writes model.npz and its vocabulary. The start of a target is not a piece there, so padding
    is left out."""
    import numpy
    import yaml

    folder.mkdir()
    options = {
        "type": "transformer", "dim-emb": size.width, "enc-depth": size.layers, "dec-depth": size.layers,
        "transformer-heads": size.heads, "transformer-dim-ffn": size.ffn, "transformer-ffn-depth": 2,
        "transformer-ffn-activation": "relu", "transformer-preprocess": "", "transformer-postprocess": "dan",
        "transformer-postprocess-emb": "d", "transformer-decoder-autoreg": "self-attention",
        "transformer-tied-layers": [], "tied-embeddings-all": True, "tied-embeddings-src": False,
        "tied-embeddings": False, "layer-normalization": False, "max-length": 256, "version": "v1.12.0",
        "dim-vocabs": [size.pieces - 1] * 2}
    arrays = {"Wemb": model.model.shared.weight[:-1], "decoder_ff_logit_out_b": model.final_logits_bias[:, :-1]}
    for name, parameter in model.named_parameters():
        if ".layers." in name:
            arrays[marian_name(name)] = parameter.T if parameter.dim() > 1 else parameter[None]
    text = yaml.safe_dump(options).encode() + b"\0"
    arrays = {name: numpy.ascontiguousarray(array.detach().numpy()) for name, array in arrays.items()}
    numpy.savez(folder / "model.npz", **arrays, **{"special:model.yml": numpy.frombuffer(text, dtype="int8")})
    (folder / "vocab.yml").write_text(
        "".join(f'"{piece}": {i}\n' for i, piece in enumerate(pieces[:-1])), encoding="utf-8")
    return folder


def prepare_random(torch, transformers, size, scratch, words=20):
    """Makes the model in the files of all toolkits, and 64 sentences of `words` words."""
    model, pieces = random_model(torch, transformers, size), random_pieces(size)
    ids = torch.randint(2, size.pieces - 1, (64, words), generator=torch.Generator().manual_seed(2)).tolist()
    sources = [[pieces[i] for i in row] for row in ids]
    steps = words + 6
    folder = save_transformers(model, pieces, scratch / "transformers", steps)
    return Prepared(
        ours=folder, folder=folder, pieces=pieces, sources=sources, lines=[" ".join(row) for row in sources],
        steps=steps, size=size, ctranslate2=convert_ctranslate2(model, pieces, scratch / "ctranslate2"),
        marian=save_marian(model, pieces, size, scratch / "marian"))


# The sample -----------------------------------------------------------------------------------------------------------


def read_checkpoint(torch, path):
    """Returns the configuration, tensors by name, and files by name."""
    data = Path(path).read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8:8 + length])
    kinds = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
    tensors, files = {}, {}
    config = json.loads(header.pop("__metadata__")["attnscope.config"])
    for name, entry in header.items():
        raw = data[8 + length + entry["data_offsets"][0]:8 + length + entry["data_offsets"][1]]
        if entry["dtype"] == "U8":
            files[name] = raw
        else:
            tensor = torch.frombuffer(bytearray(raw), dtype=kinds[entry["dtype"]])
            tensors[name] = tensor.reshape(entry["shape"]).float()
    return config, tensors, files


def transformers_name(name):
    """Returns the name in M2M100 of one of our tensors."""
    stack, _, layer, block, *rest = name.split(".")
    if block.startswith("norm"):
        norms = ["self_attn_layer_norm"] + ["encoder_attn_layer_norm"] * (stack == "decoder") + ["final_layer_norm"]
        return f"model.{stack}.layers.{layer}.{norms[int(block[4:]) - 1]}.{rest[-1]}"
    blocks = {"self_attention": "self_attn", "cross_attention": "encoder_attn"}
    parts = {"q": "q_proj", "k": "k_proj", "v": "v_proj", "o": "out_proj", "in": "fc1", "out": "fc2"}
    inside = f"{blocks[block]}.{parts[rest[0]]}" if block in blocks else parts[rest[0]]
    return f"model.{stack}.layers.{layer}.{inside}.{rest[-1]}"


def sines(torch, count, width):
    """Returns the sample's positions: sines and cosines in turn."""
    angles = torch.arange(count)[:, None] / 10000 ** (torch.arange(0, width, 2) / width)
    return torch.stack([angles.sin(), angles.cos()], -1).reshape(count, width)


def set_positions(torch, model, first):
    """Replaces transformers' table of sines, which it computes whenever it opens a folder, in
    another layout. `first`: the row of the first position, the one after padding's as transformers
    reads it, 2 as CTranslate2 converts it."""
    for stack in (model.model.encoder, model.model.decoder):
        weights = stack.embed_positions.weights
        weights[first:] = sines(torch, len(weights) - first, model.config.d_model)


def sample_model(torch, transformers, config, tensors):
    width, special = config["d_model"], config["special"]
    model = transformers.M2M100ForConditionalGeneration(transformers.M2M100Config(
        vocab_size=len(tensors["source_embedding.weight"]), d_model=width, encoder_layers=config["encoder"]["layers"],
        decoder_layers=config["decoder"]["layers"], encoder_ffn_dim=config["d_ff"], decoder_ffn_dim=config["d_ff"],
        encoder_attention_heads=config["encoder"]["heads"], decoder_attention_heads=config["decoder"]["heads"],
        max_position_embeddings=256, activation_function=config["activation"], scale_embedding=True,
        pad_token_id=special["pad"], eos_token_id=special["eos"], bos_token_id=config["target"]["start"][0],
        decoder_start_token_id=config["target"]["start"][0], forced_eos_token_id=None,
        attn_implementation="eager")).eval()
    parameters = dict(model.named_parameters())
    with torch.no_grad():
        for name, tensor in tensors.items():
            if name == "source_embedding.weight":
                parameters["model.shared.weight"].copy_(tensor)
            elif name.split(".")[1] == "norm":
                parameters[f"model.{name.replace('.norm.', '.layer_norm.')}"].copy_(tensor)
            else:
                parameters[transformers_name(name)].copy_(tensor)
    set_positions(torch, model, model.model.encoder.embed_positions.offset)
    return model


def prepare_sample(torch, transformers, path, text, scratch):
    """Prepares the sample of the repository and the first 64 lines of `text`."""
    import sentencepiece

    config, tensors, files = read_checkpoint(torch, path)
    pieces = files["vocab.shared"].decode().rstrip("\n").split("\n")
    cutter = sentencepiece.SentencePieceProcessor(model_proto=files["tokenizer.shared"])
    lines = Path(text).read_text(encoding="utf-8").splitlines()[:64]
    model = sample_model(torch, transformers, config, tensors)
    model.save_pretrained(scratch / "transformers")
    start = config["target"]["start"][0]

    def converted():
        """CTranslate2 begins with the same token as the sample."""
        folder = convert_ctranslate2(model, pieces, scratch / "ctranslate2")
        about = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(about | {"decoder_start_token": pieces[start]}))
        return folder

    return Prepared(ours=Path(path), folder=scratch / "transformers", pieces=pieces, lines=lines, steps=0, size=SAMPLE,
                    sources=[cutter.encode(line, out_type=str) for line in lines], ctranslate2=converted(),
                    cutter=cutter)

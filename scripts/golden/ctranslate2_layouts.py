"""Folders of CTranslate2 in the layouts of earlier versions and of packages, made by changing a
folder of version 4.8.

Each change takes the path of model.bin."""

import json
import struct

import numpy as np

GLOBAL_SCALE = 1000  # of 16-bit weights without one


def write_json(folder, name, value):
    (folder / name).write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def read_variables(data):
    """Returns the variables and aliases of a model.bin of version 6."""
    at = 0

    def take(form):
        nonlocal at
        values = struct.unpack_from("<" + form, data, at)
        at += struct.calcsize("<" + form)
        return values[0]

    def text():
        nonlocal at
        length = take("H")
        value = data[at:at + length]
        at += length
        return value

    assert take("I") == 6
    text(), take("I")
    variables, aliases = {}, []
    for _ in range(take("I")):
        name = text()
        shape = [take("I") for _ in range(take("B"))]
        kind, size = take("B"), take("I")
        variables[name] = (shape, kind, data[at:at + size])
        at += size
    for _ in range(take("I")):
        alias, name = text(), text()
        aliases.append((alias, name))
    assert at == len(data)
    return variables, aliases


def write_variables(path, version, specification, revision, variables, aliases):
    """Before version 4 the file has the size of elements instead of their type, and before 3 it has
    no aliases."""
    def text(value):
        return struct.pack("<H", len(value)) + value

    out = struct.pack("<I", version)
    if version >= 2:
        out += text(specification) + struct.pack("<I", revision)
    out += struct.pack("<I", len(variables))
    for name, (shape, kind, raw) in sorted(variables.items()):
        item = {0: 4, 1: 1, 2: 2, 4: 2}[kind]
        out += text(name) + struct.pack("<B", len(shape)) + struct.pack(f"<{len(shape)}I", *shape)
        out += struct.pack("<BI", *((kind, len(raw)) if version >= 4 else (item, len(raw) // item))) + raw
    if version >= 3:
        out += struct.pack("<I", len(aliases)) + b"".join(text(alias) + text(name) for alias, name in aliases)
    path.write_bytes(out)


SETTINGS = ["num_heads", "pre_norm", "activation", "alignment_layer", "alignment_heads", "embeddings_merge"]
LATER = ["alibi", "alibi_use_positive_positions", "scale_alibi", "multi_query_attention", "scale_embeddings",
         "start_from_zero_embedding"]
FLAGS = ["with_source_bos", "with_source_eos", "with_target_bos", "user_decoder_start_tokens"]
# By version: the specification, its revision, its settings, its flags, and what else it has of
# later versions.
OLD = {1: (b"\0", 1, [], [], []),
       2: (b"TransformerBase\0", 2, [], [], []),
       4: (b"TransformerSpec\0", 3, SETTINGS[:1], FLAGS[:2], []),
       5: (b"TransformerSpec\0", 4, SETTINGS, FLAGS, LATER[-2:])}


def write_old(path, version, flags=(), edit=dict):
    """Rewrites the folder as CTranslate2 1.0 (version 2), 1.9 to 1.20 (4) or 2.14 to 2.24 (5) wrote
    it. Settings belong to the model instead of each stack, special tokens are variables,
    vocabularies are lines, and there is no config.json."""
    specification, revision, settings, known, later = OLD[version]
    variables, aliases = read_variables(path.read_bytes())
    variables |= {alias: variables[name] for alias, name in aliases}
    named = {name.decode().rstrip("\0"): variable for name, variable in variables.items()}
    for stack in ("encoder", "decoder"):
        for name in SETTINGS + LATER:
            setting = named.pop(f"{stack}/{name}", None)
            if setting and name in settings:
                named[name] = setting if name.startswith("alignment") else ([], 1, setting[2][:1])
            elif setting and name in later:
                named[f"{stack}/{name}"] = setting
    if version < 5:
        named["encoder/embeddings/weight"] = named.pop("encoder/embeddings_0/weight")
    named |= {name: ([], 1, bytes([name in flags])) for name in known}
    if version == 5:
        named |= {name: ([len(token)], 1, token) for name, token in
                  (("unk_token", b"<unk>"), ("bos_token", b"<s>"), ("eos_token", b"</s>"))}
    old = {name.encode() + b"\0": variable for name, variable in edit(named).items()}
    aliases = [(alias, name) for alias, name in aliases if alias in old and name in old]
    for alias, _ in aliases if version >= 3 else ():
        del old[alias]
    write_variables(path, version, specification, revision, old, aliases)
    (path.parent / "config.json").unlink()
    pieces = json.loads((path.parent / "shared_vocabulary.json").read_text(encoding="utf-8"))
    (path.parent / "shared_vocabulary.json").unlink()
    (path.parent / "shared_vocabulary.txt").write_text("".join(f"{piece}\n" for piece in pieces), encoding="utf-8")


def opennmt_tf_name(name):
    """Returns the OpenNMT-tf name of the variable that CTranslate2 calls `name`."""
    for ours, theirs in (("embeddings/weight", "w_embs"), ("weight", "kernel"), ("layer_norm", "LayerNorm"), ("projection", "dense"),
                         ("linear_0", "conv1d"), ("linear_", "conv1d_"), ("/attention", "/multi_head"),
                         ("self_attention", "masked_multi_head" if name.startswith("decoder") else "multi_head")):
        name = name.replace(ours, theirs)
    return f"transformer/{name}:0"


def first_variables(named):
    """16-bit weights, which had no scale then."""
    renamed = {}
    for name, (shape, kind, raw) in named.items():
        if name.endswith("weight"):
            kind, raw = 2, np.rint(np.frombuffer(raw, np.float32) * GLOBAL_SCALE).astype(np.int16).tobytes()
        renamed[opennmt_tf_name(name)] = (shape, kind, raw)
    return renamed


def write_first(path):
    """Rewrites the folder as the first converter from OpenNMT-tf did (version 1): its vocabularies
    lack the unknown token."""
    write_old(path, 1, edit=first_variables)
    vocabulary = path.parent / "shared_vocabulary.txt"
    vocabulary.write_text(vocabulary.read_text(encoding="utf-8").removesuffix("<unk>\n"), encoding="utf-8")


def split_vocabularies(path):
    """As for a Marian model with two vocabularies, read by Marian's own converter: the source has
    fewer pieces, in a different order, and end-of-sentence is added to it."""
    folder = path.parent
    pieces = json.loads((folder / "shared_vocabulary.json").read_text(encoding="utf-8"))
    kept = [*range(10, 25), pieces.index("</s>"), *range(4, 8), pieces.index("<unk>")]
    variables, aliases = read_variables(path.read_bytes())
    name = b"encoder/embeddings_0/weight\0"
    shape, kind, raw = variables[dict(aliases).get(name, name)]
    rows = np.frombuffer(raw, np.uint8).reshape(shape[0], -1)
    moved = [other for other, whole in aliases if whole == name]  # others may be aliases of the embedding
    if moved:
        variables[moved[0]] = variables[name]
        aliases = [(other, moved[0] if whole == name else whole) for other, whole in aliases if other != moved[0]]
    variables[name] = ([len(kept), shape[1]], kind, rows[kept].tobytes())
    aliases = [(other, whole) for other, whole in aliases if other != name]
    write_variables(path, 6, b"TransformerSpec\0", 7, variables, aliases)
    write_json(folder, "source_vocabulary.json", [pieces[i] for i in kept])
    (folder / "shared_vocabulary.json").rename(folder / "target_vocabulary.json")
    config = json.loads((folder / "config.json").read_text())
    write_json(folder, "config.json", config | {"add_source_eos": True, "bos_token": "<s>", "decoder_start_token": "<s>"})


def pack(path, prefix):
    """As in a package of Argos Translate, which names its languages and the token that translations
    begin with."""
    model = path.parent / "model"
    model.mkdir()
    for file in [file for file in path.parent.iterdir() if file.is_file()]:
        file.rename(model / file.name)
    write_json(path.parent, "metadata.json", {"from_code": "fr", "to_code": "it", "target_prefix": prefix})

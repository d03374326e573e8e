"""What a toolkit says of a model of its own: cases, and the file that golden tests read.

Each family's script fills cases from its toolkit; this module needs none of them.
"""

import json

import torch
from safetensors.torch import save_file

CASES = 20  # of every model
MARGIN = 1e-3  # of log-probabilities, between the best token and the next one


def words(first, count, mark="w"):
    return [f"▁{mark}{i}" for i in range(first, first + count)]


class Case:
    """One source, a forced target, and tensors."""

    def __init__(self, source, before, after, target, start):
        self.source, self.target, self.start = source, target, start
        self.ids = before + source + after
        self.tensors, self.forced, self.hypotheses = {}, [], []
        self.languages = None  # [source, target], where they are not those of the model's files
        self.text = None  # the source as text, where the model's files have a tokeniser
        self.beam = None  # of its own search, where that is not the one of the others
        self.step = 1  # every so many columns of logits and log-probabilities are kept


def hypothesis(ids, logprobs, penalty=1.0, counted=0):
    """counted: start tokens that the toolkit counts in the length."""
    return {"ids": ids, "logprobs": logprobs, "score": sum(logprobs) / (len(ids) + counted) ** penalty}


def spell(case, source, target):
    """Texts without the marks of words, of a model whose files have a tokeniser. The lists are of pieces."""
    def plain(pieces, ids):
        return " ".join(pieces[i].removeprefix("▁") for i in ids)
    case.text = plain(source, case.source)
    for one in case.hypotheses:
        one["text"] = plain(target, one["ids"][:-1])


def random_case(generator, before, after, start, usable, eos):
    def some(most):
        count = int(torch.randint(1, most, (1,), generator=generator))
        return [usable[i] for i in torch.randint(0, len(usable), (count,), generator=generator).tolist()]
    return Case(some(6), before, after, some(5) + [eos], start)


def best_ids(case, last_logits, end, most):
    """The best tokens one by one; None where there are none, or special ones, or too many, or one is only just the
    best. last_logits: of the next token, by what is behind the start."""
    ids = []
    while end not in ids:
        (best, second), tokens = last_logits(case, ids).log_softmax(-1).topk(2)
        ids.append(int(tokens[0]))
        if ids[0] <= end or ids[-1] < end or len(ids) > most or best - second < MARGIN:
            return None
    return ids


def write_sentencepiece(path, pieces):
    """A SentencePiece model that cuts words into these pieces. The first four are special tokens of the toolkit's."""
    from sentencepiece import sentencepiece_model_pb2
    proto = sentencepiece_model_pb2.ModelProto()
    proto.trainer_spec.model_type = 1
    proto.normalizer_spec.name = "identity"
    proto.normalizer_spec.add_dummy_prefix = True
    types = {"<unk>": 2, "<s>": 3, "</s>": 3}
    for i, piece in enumerate(["<unk>", "<s>", "</s>"] + pieces[4:]):
        proto.pieces.add(piece=piece, score=-0.1 * i, type=types.get(piece, 1))
    path.write_bytes(proto.SerializeToString(deterministic=True))


def write_expected(path, cases, source, target, beam):
    tensors, listed = {}, []
    for number, case in enumerate(cases):
        for one in case.hypotheses:
            one.setdefault("text", " ".join(target[i] for i in one["ids"][:-1]))
        searched = {"beam": case.beam or beam, "hypotheses": case.hypotheses} if case.hypotheses else {}
        text = case.text or " ".join(source[i] for i in case.source)
        chosen = {"languages": case.languages} if case.languages else {}
        listed.append({"source": text, "source_ids": case.ids,
                       "source_tokens": [source[i] for i in case.ids], "target_ids": case.target,
                       "force": {"logprobs": case.forced}} | searched | chosen
                      | ({"vocabulary_step": case.step} if case.step > 1 else {}))
        for name in {"logits", "logprobs"} & set(case.tensors):
            case.tensors[name] = case.tensors[name][:, ::case.step]
        tensors |= {f"case{number}.{name}": tensor.float().contiguous() for name, tensor in case.tensors.items()}
    save_file(tensors, path, metadata={"cases": json.dumps(listed, ensure_ascii=False)})

"""Programs that translate and score the same sentences, each in a process of its own.

A program has
    splits(batch)                        how threads may be used, as labels; batch 0: sentences that come singly
    translate(lines, batch, split)       texts of the best hypotheses
    score(sources, targets, split)       log-probabilities of all tokens of each pair, end-of-sentence included
    cpu()                                processor seconds so far
`lines` and `sources` are numbers of sentences of the prepared model; targets are lists of pieces.
"""
import json
import multiprocessing
import resource
import subprocess
import tempfile
import time
from pathlib import Path

from .model import set_positions

BEAM = 5


def own_cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class Attnscope:
    name = "attnscope"

    def __init__(self, prepared, program, precision):
        self.prepared, self.scratch = prepared, tempfile.TemporaryDirectory()
        self.command = [program, "--json", "--device", "cpu", "--precision", precision, str(prepared.ours)]
        self.open()

    def open(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.threads = None
        # Searches like CTranslate2 and Marian, whatever toolkit's files attnscope has opened.
        for setting in (f"beam {BEAM}", "endings best", "max_length.end forced"):
            self.say(f":set {setting}")
        if self.prepared.steps:
            self.say(":set max_length.factor 0")
            self.say(f":set max_length.plus {self.prepared.steps}")

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    def say(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline() or '{"ok": false, "error": "it ended"}')
        if not answer["ok"]:
            raise RuntimeError(f"{command}: {answer['error']}")
        return answer

    def cpu(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / 100

    def write(self, name, lines):
        path = Path(self.scratch.name) / name
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        return path

    def splits(self, batch):
        return ["1 thread", "2 threads"] if batch else ["1 at once", "2 at once", "4 at once", "8 at once"]

    def set(self, batch, split):
        """A sentence enters the batch when another leaves it; the sentences in the batch are those
        under way."""
        count = split.split()[0]
        for name, value in (("batch", batch or count), ("threads", count if batch else 2)):
            self.say(f":set {name} {value}")

    def prepare(self, lines, batch, split):
        """Prepares what is not timed: a file of the sentences, settings."""
        self.set(batch, split)
        return self.write(f"lines{len(lines)}", [self.prepared.lines[i] for i in lines])

    def translate(self, file):
        return self.say(f":translate {file}")["translations"]

    def cut(self, texts):
        """Returns the pieces of translations."""
        if not self.prepared.cutter:
            return [text.split() for text in texts]
        return self.prepared.cutter.encode(texts, out_type=str)

    def check_scores(self, sources, targets):
        return [self.say(f":score {self.prepared.lines[source]} ||| {self.prepared.join(target)}")["logprobs"]
                for source, target in zip(sources, targets)]

    def prepare_score(self, sources, targets, split):
        """Starts a fresh process, since scores are kept; the second target of each source has its
        words reversed. The process first scores as much as the other programs have: the same
        targets with sources whose words are reversed."""
        self.close()
        self.open()
        self.set(64, split)
        chosen = [self.prepared.lines[i] for i in sources[::2]]
        sides = [[self.prepared.join(target) for target in targets[side::2]] for side in (0, 1)]
        files = [self.write("correct", sides[0]), self.write("incorrect", sides[1])]
        turned = self.write("turned", [" ".join(line.split()[::-1]) for line in chosen])
        self.score([turned, *files])
        return [self.write("src", chosen), *files]

    def score(self, files):
        return self.say(":contrast " + " ".join(map(str, files)))["decisions"]

    def prepare_sweep(self, lines, split):
        targets = [[self.prepared.pieces[5]]] * 2 * len(lines)
        return self.prepare_score([i for i in lines for _ in (0, 1)], targets, split)[:2]

    def sweep(self, files):
        return len(self.say(f":ablate {files[0]} {files[1]} by layer,head {self.prepared.size.heads_swept}")["ablations"])


class CTranslate2:
    name = "CTranslate2"

    def __init__(self, prepared, compute="float32"):
        import ctranslate2

        self.module, self.version = ctranslate2, ctranslate2.__version__
        self.prepared, self.compute, self.translators = prepared, compute, {}

    def cpu(self):
        return own_cpu()

    def splits(self, batch):
        return ["1 thread", "2 threads"] if batch == 1 else ["2 threads", "2 workers"]

    def translator(self, split):
        if split not in self.translators:
            workers = 2 if "workers" in split else 1
            self.translators[split] = self.module.Translator(
                str(self.prepared.ctranslate2), compute_type=self.compute, inter_threads=workers,
                intra_threads=1 if workers > 1 else int(split.split()[0]))
        return self.translators[split]

    def prepare(self, lines, batch, split):
        steps = self.prepared.steps
        ends = {"max_decoding_length": steps - 1} if steps else {"max_decoding_length": 256}
        given = [self.prepared.sources[i] + ["</s>"] for i in lines]
        groups = [[one] for one in given] if batch == 1 else [given]
        most = max(1, batch // (2 if "workers" in split else 1))
        return self.translator(split), groups, {"beam_size": BEAM, "max_batch_size": most, "batch_type": "examples", **ends}

    def translate(self, prepared):
        translator, groups, options = prepared
        found = [one for group in groups for one in translator.translate_batch(group, **options)]
        return [self.prepared.join(one.hypotheses[0]) for one in found]

    def check_scores(self, sources, targets):
        return [one.log_probs for one in self.score_batch(self.prepare_score(sources, targets, "1 thread"))]

    def prepare_score(self, sources, targets, split):
        return self.translator(split), [self.prepared.sources[i] + ["</s>"] for i in sources], targets, split

    def score_batch(self, prepared):
        translator, sources, targets, split = prepared
        return translator.score_batch(sources, targets, max_batch_size=32 if "workers" in split else 64,
                                      batch_type="examples")

    def score(self, prepared):
        return len(self.score_batch(prepared)) // 2


class Transformers:
    """generate() with attention weights, which is how it must be called to look at them."""

    name = "transformers, attention"

    def __init__(self, prepared):
        import torch
        import transformers

        transformers.logging.set_verbosity_error()
        transformers.logging.disable_progress_bar()
        self.torch, self.version = torch, f"{transformers.__version__}, torch {torch.__version__}"
        self.prepared = prepared
        self.model = transformers.AutoModelForSeq2SeqLM.from_pretrained(
            prepared.folder, attn_implementation="eager", dtype=torch.float32).eval()
        if prepared.cutter:
            set_positions(torch, self.model, self.model.config.pad_token_id + 1)
        self.ids = {piece: i for i, piece in enumerate(prepared.pieces)}

    def cpu(self):
        return own_cpu()

    def splits(self, _):
        return ["1 thread", "2 threads"]

    def batch(self, rows):
        """Returns ids and mask of rows of pieces."""
        pad, longest = self.model.config.pad_token_id, max(map(len, rows))
        ids = [[self.ids[piece] for piece in row] + [pad] * (longest - len(row)) for row in rows]
        mask = [[1] * len(row) + [0] * (longest - len(row)) for row in rows]
        return self.torch.tensor(ids), self.torch.tensor(mask)

    def prepare(self, lines, batch, split):
        self.torch.set_num_threads(int(split.split()[0]))
        rows = [self.prepared.sources[i] + ["</s>"] for i in lines]
        return [self.batch(rows[i:i + batch]) for i in range(0, len(rows), batch)]

    def translate(self, batches):
        texts, eos = [], self.model.config.eos_token_id
        steps = self.prepared.steps
        for ids, mask in batches:
            with self.torch.inference_mode():
                made = self.model.generate(
                    ids, attention_mask=mask, num_beams=BEAM, do_sample=False, early_stopping=True, length_penalty=1.0,
                    max_new_tokens=steps - 1 if steps else 256, output_attentions=True, return_dict_in_generate=True)
            for row in made.sequences[:, 1:].tolist():
                row = row[:row.index(eos)] if eos in row else row
                texts.append(self.prepared.join([self.prepared.pieces[i] for i in row]))
        return texts

    def prepare_score(self, sources, targets, split):
        self.torch.set_num_threads(int(split.split()[0]))
        start = self.prepared.pieces[self.model.config.decoder_start_token_id]
        return [(self.batch([self.prepared.sources[k] + ["</s>"] for k in sources[i:i + 64]]),
                 self.batch([[start] + target for target in targets[i:i + 64]]),
                 self.batch([target + ["</s>"] for target in targets[i:i + 64]])) for i in range(0, len(sources), 64)]

    def check_scores(self, sources, targets):
        return self.logprobs(self.prepare_score(sources, targets, "1 thread"))

    def logprobs(self, batches):
        found = []
        for (ids, mask), (inputs, _), (outputs, lengths) in batches:
            with self.torch.inference_mode():
                logits = self.model(input_ids=ids, attention_mask=mask, decoder_input_ids=inputs).logits
                chosen = logits.log_softmax(-1).gather(-1, outputs[..., None])[..., 0]
            found += [row[:int(length)].tolist() for row, length in zip(chosen, lengths.sum(1))]
        return found

    def score(self, batches):
        return len(self.logprobs(batches)) // 2


class Marian:
    """One worker per thread: a batch is never shared."""

    name = "Marian"

    def __init__(self, prepared):
        import pymarian
        from importlib.metadata import version

        if not prepared.marian:
            raise ImportError("Marian leaves out a norm of pre-norm models")
        self.module, self.version = pymarian, version("pymarian")
        self.prepared, self.translators = prepared, {}

    def cpu(self):
        return own_cpu()

    def splits(self, batch):
        return {0: ["2 at once"], 1: ["1 thread"]}.get(batch, ["2 workers"])

    def prepare(self, lines, batch, split):
        if split not in self.translators:
            folder, workers = self.prepared.marian, int(split.split()[0])
            self.translators[split] = self.module.Translator(
                models=[str(folder / "model.npz")], vocabs=[str(folder / "vocab.yml")] * 2, beam_size=BEAM,
                normalize=1, cpu_threads=workers, mini_batch=batch // workers or 1, maxi_batch=100, workspace=512,
                max_length_factor=(self.prepared.steps - 1) / (len(self.prepared.sources[0]) + 1), quiet=True)
        given = [" ".join(self.prepared.sources[i]) for i in lines]
        return self.translators[split], [[one] for one in given] if batch == 1 else [given]

    def translate(self, prepared):
        translator, groups = prepared
        return [line for group in groups for line in translator.translate(group)]


# Processes ------------------------------------------------------------------------------------------------------------


def serve(pipe, kind, arguments):
    """Answers (method, arguments, timed method) with its result, seconds and processor seconds."""
    try:
        program = kind(*arguments)
    except ImportError as error:
        pipe.send(error)
        return
    pipe.send(getattr(program, "version", ""))
    while True:
        prepare, given, timed = pipe.recv()
        if prepare is None:
            break
        try:
            ready = getattr(program, prepare)(*given)
            if timed is None:
                pipe.send((ready, 0, 0))
                continue
            cpu, begin = program.cpu(), time.perf_counter()
            result = getattr(program, timed)(ready)
            pipe.send((result, time.perf_counter() - begin, program.cpu() - cpu))
        except (RuntimeError, ValueError, KeyError) as error:
            pipe.send(error)
    if hasattr(program, "close"):
        program.close()


class Worker:
    """A program in its own process, so that libraries' threads and memory do not interfere."""

    def __init__(self, kind, *arguments):
        self.name, self.kind, context = kind.name, kind, multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs, kind, arguments), daemon=True)
        self.process.start()
        theirs.close()
        self.version = self.receive()

    def receive(self):
        try:
            answer = self.pipe.recv()
        except EOFError:
            raise RuntimeError(f"{self.name}: its process ended") from None
        if isinstance(answer, Exception):
            raise answer
        return answer

    def ask(self, prepare, *given, timed=None):
        self.pipe.send((prepare, given, timed))
        return self.receive()

    def close(self):
        self.pipe.send((None, (), None))
        self.process.join()

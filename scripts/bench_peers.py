#!/usr/bin/env python3
"""Other programs beside attnscope: the same model, sentences, beam and steps.

    bench_peers.py [--sizes tiny,sample,base,big] [--rounds N] [--work translate,score,sweep] [--peers NAMES]
    bench_peers.py --ours TABLE [--device cuda|cpu] [--tiny]

The first form compares on the CPU with CTranslate2, with transformers' generate(output_attentions=True), which has to be
called like this to look at attention, and with Marian (pip install torch transformers ctranslate2 pymarian
sentencepiece). One model is written in the files of each; translations and scores have to be the same before anything is
timed. The programs then run by turns, so that other work on the machine slows all of them, and the ratio of every round
is taken by itself. The libraries' threads spin while they wait: on a busy machine set OMP_WAIT_POLICY=passive.

The second form runs where bench_gpu ran. TABLE is what bench_gpu --table wrote; there are as many sentences, and as long
ones, as there. A Marian model of the base size with random weights is made in memory; transformers and CTranslate2 run it. Where
PyTorch is, its products of large matrices and its copies are measured too: the libraries' own ceilings beside those of
bench_gpu.

What is not installed is named, and is no failure.
"""
import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

from attnscope_peers import cpu
from attnscope_peers.model import SIZES, Size, convert_ctranslate2, random_model, random_pieces

PRECISIONS = ("fp32", "tf32", "bf16")
EXTRA = 6  # end-of-sentence of the source, and five tokens more: as bench_gpu's translations


def find(name):
    """Returns the module; if it is not installed, says so and returns None."""
    try:
        return __import__(name)
    except ImportError as error:
        print(f"{name}: not installed, not compared ({error})")
        return None


def read_ours(path):
    """Returns the setting and {precision: (ms a step of one sentence, tokens/s)} of bench_gpu."""
    setting, ours = None, {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            words = line.split()
            if line.startswith("#"):
                setting = SimpleNamespace(**{words[i]: int(words[i + 1]) for i in range(1, len(words), 2)})
            else:
                ours[words[0]] = (float(words[1]), float(words[2]))
    if setting is None:
        sys.exit(f"{path}: no line of settings, expected what bench_gpu --table writes")
    setting.steps = setting.words + EXTRA
    return setting, ours


def rounds(run, count):
    """Median seconds of `count` runs after one to warm up."""
    run()
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def expect_lengths(name, lengths, expected):
    """All translations must have the expected length: otherwise the comparison means nothing."""
    if any(length != expected for length in lengths):
        sys.exit(f"{name}: translations of {sorted(set(lengths))} tokens, expected {expected}")


def make_model(torch, transformers, tiny):
    """A Marian model with random weights."""
    size = Size(32, 64, 1, 2, 100, 1, 1) if tiny else SIZES["base"]
    return random_model(torch, transformers, size)


def draw_sources(torch, model, setting):
    """Ids (sentences, words + 1), end-of-sentence last."""
    ids = torch.randint(2, model.config.vocab_size - 1, (setting.sentences, setting.words + 1))
    ids[:, -1] = 0
    return ids


def generate(torch, model, ids, setting, batch):
    """Hugging Face's beam search with attention; returns the number of tokens made."""
    lengths = []
    for chunk in ids.split(batch):
        with torch.inference_mode():
            made = model.generate(
                chunk, attention_mask=torch.ones_like(chunk), num_beams=setting.beam, do_sample=False,
                min_new_tokens=setting.steps, max_new_tokens=setting.steps, output_attentions=True,
                return_dict_in_generate=True)
        if len(made.cross_attentions) != setting.steps:
            sys.exit(f"transformers: attention of {len(made.cross_attentions)} steps, expected {setting.steps}")
        lengths += [len(row) - 1 for row in made.sequences.tolist()]
        del made
    return lengths


def largest_batch(torch, run, batch):
    """Halves the batch until it fits into the GPU's memory."""
    while True:
        try:
            return run(batch), batch
        except torch.OutOfMemoryError:
            if batch == 1:
                raise
            batch //= 2
        torch.cuda.empty_cache()


def bench_transformers(torch, model, ids, setting, device, count):
    """{precision: (ms a step, tokens/s, batch)}"""
    results = {}
    for precision in PRECISIONS if device == "cuda" else ("fp32", "bf16"):
        torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
        moved = model.to(device, torch.bfloat16 if precision == "bf16" else torch.float32)
        here = ids.to(device)

        def run(part, batch):
            expect_lengths("transformers", generate(torch, moved, part, setting, batch), setting.steps)

        one = rounds(lambda: run(here[:1], 1), count)
        everything, batch = largest_batch(
            torch, lambda batch: rounds(lambda: run(here, batch), count), setting.sentences)
        results[precision] = (1e3 * one / setting.steps, setting.sentences * setting.steps / everything, batch)
    model.to("cpu", torch.float32)
    return results


def bench_ctranslate2(ctranslate2, model, ids, setting, device, count):
    """{precision: (ms a step, tokens/s, batch)}; it has no setting for tf32."""
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        pieces = random_pieces(SimpleNamespace(pieces=model.config.vocab_size))
        convert_ctranslate2(model, pieces, Path(folder))
        sources = [[pieces[i] for i in row] for row in ids.tolist()]
        for precision, kind in (("fp32", "float32"), ("bf16", "bfloat16")):
            if kind not in ctranslate2.get_supported_compute_types(device):
                print(f"ctranslate2: no {kind} on this device, not compared")
                continue
            translator = ctranslate2.Translator(folder, device=device, compute_type=kind)

            def run(part):
                made = translator.translate_batch(
                    part, beam_size=setting.beam, max_batch_size=len(part), batch_type="examples",
                    min_decoding_length=setting.steps, max_decoding_length=setting.steps)
                expect_lengths("ctranslate2", [len(one.hypotheses[0]) for one in made], setting.steps)

            one = rounds(lambda: run(sources[:1]), count)
            everything = rounds(lambda: run(sources), count)
            results[precision] = (1e3 * one / setting.steps,
                                  setting.sentences * setting.steps / everything, setting.sentences)
    return results


def print_ceilings(torch, device, count, tiny):
    """Measures PyTorch's large products of random numbers and its copies."""
    side, repeats = (64, 1) if tiny else (8192, 10)
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    for precision in PRECISIONS if device == "cuda" else ("fp32", "bf16"):
        torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
        kind = torch.bfloat16 if precision == "bf16" else torch.float32
        a, b = (torch.randn(side, side, device=device).to(kind) for _ in range(2))

        def multiply():
            for _ in range(repeats):
                torch.mm(a, b)
            wait()

        rate = repeats * 2 * side**3 / rounds(multiply, count)
        print(f"torch, product of {side} x {side} x {side}, {precision}: {rate / 1e12:.1f} TFLOP/s")
    x = torch.empty(1024 if tiny else 2**29, device=device)
    y = torch.empty_like(x)

    def copy():
        y.copy_(x)
        wait()

    print(f"torch, copying {x.nbytes / 1e6:.2f} MB: {2 * x.nbytes / rounds(copy, count) / 1e9:.1f} "
          "GB/s read and written")


def print_table(setting, rows):
    print(f"\nbeam {setting.beam}, {setting.words} words, {setting.steps} steps"
          f"\n{'':28} {'':5} {'one sentence':>14} {f'{setting.sentences} sentences':>22}")
    for name, results in rows:
        for precision, (step, rate, batch) in results.items():
            note = "" if batch == setting.sentences else f"  (batches of {batch})"
            print(f"{name:28} {precision:5} {step:9.3f} ms/step {rate:13.0f} tokens/s{note}")


def compare_gpu(options):
    setting, ours = read_ours(options.ours)
    rows = [("attnscope", {name: (*numbers, setting.sentences) for name, numbers in ours.items()})]
    torch, transformers, ctranslate2 = find("torch"), find("transformers"), find("ctranslate2")
    if torch:
        device = options.device or ("cuda" if torch.cuda.is_available() else "cpu")
        count = 1 if options.tiny else 3
        print(f"torch {torch.__version__} on "
              + (torch.cuda.get_device_name() if device == "cuda" else f"{os.cpu_count()} processors"))
        print_ceilings(torch, device, count, options.tiny)
    if torch and transformers:
        print(f"transformers {transformers.__version__}")
        transformers.logging.set_verbosity_error()
        model = make_model(torch, transformers, options.tiny)
        ids = draw_sources(torch, model, setting)
        rows.append(("transformers, attentions kept",
                     bench_transformers(torch, model, ids, setting, device, count)))
        if ctranslate2:
            print(f"ctranslate2 {ctranslate2.__version__}")
            rows.append(("ctranslate2, no attentions",
                         bench_ctranslate2(ctranslate2, model, ids, setting, device, count)))
    print_table(setting, rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--ours", metavar="TABLE", help="compare with what bench_gpu wrote")
    parser.add_argument("--device", choices=("cuda", "cpu"), help="with --ours: where the other programs compute")
    parser.add_argument("--tiny", action="store_true", help="with --ours: a tiny model and short rounds")
    parser.add_argument("--sizes", default="tiny,sample,base,big", help="of " + ", ".join(cpu.SIZES))
    parser.add_argument("--rounds", type=int, default=5, help="after one to warm up")
    parser.add_argument("--work", default=",".join(cpu.WORK), help="what is timed: %(default)s")
    parser.add_argument("--peers", default=",".join(cpu.PEERS), help="the other programs: %(default)s")
    parser.add_argument("--precision", choices=("fp32", "bf16", "fp16"), default="fp32", help="of attnscope's weights")
    parser.add_argument("--program", default="build/attnscope")
    parser.add_argument("--sample", default="samples/en-de.bin", help="the model of the size sample")
    parser.add_argument("--text", default="samples/sentences.en", help="its sentences")
    options = parser.parse_args()
    for given, known in ((options.sizes, cpu.SIZES), (options.work, cpu.WORK), (options.peers, cpu.PEERS)):
        for name in set(given.split(",")) - set(known):
            parser.error(f"{name}: expected some of {', '.join(known)}")
    if options.rounds < 1:
        parser.error(f"--rounds {options.rounds}: expected at least 1")
    if options.ours:
        compare_gpu(options)
    else:
        cpu.run(options)


if __name__ == "__main__":
    main()

"""The comparison on the CPU: identity first, then time, by turns.

Three ways to translate: one sentence after the other, where a program may only divide the sentence among its threads (how
long one has to wait); single sentences as they come, where each program has as many under way as is fastest for it, and
none waits for others to be a batch; and batches of 64."""
import os
import tempfile
from pathlib import Path

from . import model, programs
from .rounds import Entry, best_of, measure, ratio

SCORED = 8  # pairs whose log-probabilities are compared
HEADS = 48
SIZES = [*model.SIZES, "sample"]
WORK = ["translate", "score", "sweep"]
PEERS = {"ctranslate2": programs.CTranslate2, "transformers": programs.Transformers, "marian": programs.Marian}
SAME = 0.75  # of the translations, at least: each has hundreds of decisions, and rounding decides close ones


def processor():
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return "unknown processor"


def open_workers(prepared, options):
    """Returns the workers, attnscope first. Programs that are not installed, or cannot open the
    model, are named and left out."""
    workers = [programs.Worker(programs.Attnscope, prepared, options.program, options.precision)]
    for kind in (PEERS[name] for name in options.peers.split(",")):
        try:
            workers.append(programs.Worker(kind, prepared))
            print(f"  {kind.name} {workers[-1].version}")
        except ImportError as error:
            print(f"  {kind.name}: not compared ({error})")
    return workers


def translations(worker, lines, batch):
    split = worker.ask("splits", batch)[0][-1]
    return worker.ask("prepare", lines, batch, split, timed="translate")[0]


def check_translations(prepared, workers, exact):
    """Checks that all programs find the same translations; of few sentences if attention makes it
    slow. Returns attnscope's. Rounded weights find others."""
    everything = list(range(len(prepared.lines)))
    ours = translations(workers[0], everything, 64)
    for worker in workers[1:]:
        lines = everything[:prepared.size.alone] if worker.kind is programs.Transformers else everything
        same = sum(a == b for a, b in zip(ours, translations(worker, lines, 64)))
        print(f"  {worker.name}: {same} of {len(lines)} translations are attnscope's")
        if exact and same < SAME * len(lines):
            raise SystemExit(f"{worker.name} and attnscope do not compute the same: no comparison")
    return ours


def targets_of(worker, texts):
    """Returns two targets for each source, one after the other: its translation, and that with its
    words reversed."""
    both = [text for found in texts for text in (found, " ".join(found.split()[::-1]))]
    return worker.ask("cut", both)[0]


def check_scores(workers, sources, targets, exact):
    ours = workers[0].ask("check_scores", sources, targets)[0]
    for worker in workers[1:]:
        theirs = worker.ask("check_scores", sources, targets)[0]
        most = max(abs(a - b) for one, other in zip(ours, theirs) for a, b in zip(one, other))
        print(f"  {worker.name}: log-probabilities of {len(sources)} pairs within {most:.1e} of attnscope's")
        if exact and not most < 1e-2:
            raise SystemExit(f"{worker.name} and attnscope do not score the same: no comparison")


def print_ratios(title, entries, unit, amount):
    print(f"\n  {title}")
    names = list(dict.fromkeys(entry.worker.name for entry in entries))
    ours = best_of(entries, names[0])
    for name in names:
        entry = best_of(entries, name)
        times = f"  x {ratio(entry, ours)}" if entry is not ours else "  x as long   (least-most)  processor x"
        print(f"    {name:26} {1e3 * entry.median() / amount:10.2f} ms/{unit}  {entry.split:10}{times}", flush=True)


def entries_of(workers, batch):
    return [Entry(worker, split) for worker in workers for split in worker.ask("splits", batch)[0]]


def compare_translating(prepared, workers, rounds):
    alone = list(range(prepared.size.alone))
    entries = entries_of(workers, 1)
    measure(entries, lambda one: one.worker.ask("prepare", alone, 1, one.split, timed="translate")[1:], rounds)
    print_ratios("translating, one sentence at a time", entries, "sentence", len(alone))

    everything = list(range(len(prepared.lines)))
    for batch, title in ((0, "single sentences as they come"), (64, "64 sentences at once")):
        lines = everything if batch else everything[:8 * prepared.size.alone]
        entries = entries_of([worker for worker in workers if worker.kind is not programs.Transformers], batch)
        measure(entries, lambda one: one.worker.ask("prepare", lines, batch, one.split, timed="translate")[1:], rounds)
        print_ratios(f"translating, {title}", entries, "sentence", len(lines))


def compare_scoring(workers, sources, targets, rounds):
    entries = entries_of(workers, 64)
    measure(entries, lambda one: one.worker.ask("prepare_score", sources, targets, one.split, timed="score")[1:],
            rounds)
    print_ratios("scoring, two targets of each of 64 sources", entries, "source", len(sources) // 2)


def run_sweep(entry, lines):
    if entry.worker.kind is not programs.Attnscope:
        return entry.worker.ask("prepare", lines, 64, entry.split, timed="translate")[1:]
    count, seconds, cpu = entry.worker.ask("prepare_sweep", lines, entry.split, timed="sweep")
    if count != HEADS:
        raise SystemExit(f"attnscope: {count} ablations, expected {HEADS}")
    return seconds, cpu


def compare_sweeps(prepared, workers, rounds):
    """Each of 48 heads is switched off in turn, and none at first: the others translate 49
    times."""
    lines = list(range(prepared.size.swept))
    entries = entries_of([worker for worker in workers if worker.kind is not programs.Transformers], 64)
    for entry in entries:
        entry.scale = 1 if entry.worker.kind is programs.Attnscope else HEADS + 1
    measure(entries, lambda one: run_sweep(one, lines), rounds)
    print_ratios(f"{len(lines)} sentences without each of {HEADS} heads", entries, "head", HEADS)


def compare(prepared, options):
    workers = open_workers(prepared, options)
    try:
        exact = options.precision == "fp32"
        ours = check_translations(prepared, workers, exact)
        scoring = [worker for worker in workers if worker.kind is not programs.Marian]
        sources = [i for i in range(len(ours)) for _ in (0, 1)]
        targets = targets_of(workers[0], ours)
        check_scores(scoring, sources[:SCORED], targets[:SCORED], exact)
        if "translate" in options.work.split(","):
            compare_translating(prepared, workers, options.rounds)
        if "score" in options.work.split(","):
            compare_scoring(scoring, sources, targets, options.rounds)
        if "sweep" in options.work.split(","):
            compare_sweeps(prepared, workers, max(1, options.rounds // 2))
    finally:
        for worker in workers:
            worker.close()


def prepare(name, options, scratch):
    import torch
    import transformers

    transformers.logging.disable_progress_bar()
    if name == "sample":
        return model.prepare_sample(torch, transformers, options.sample, options.text, scratch)
    return model.prepare_random(torch, transformers, model.SIZES[name], scratch)


def run(options):
    print(f"{processor()}, {os.cpu_count()} processors; beam {programs.BEAM}; attnscope in {options.precision}, the others in "
          f"float32;\nmedians of {options.rounds} rounds by turns, each program with the split of its threads that is "
          "fastest there")
    for name in options.sizes.split(","):
        with tempfile.TemporaryDirectory() as scratch:
            prepared = prepare(name, options, Path(scratch))
            size = prepared.size
            print(f"\n{name}: width {size.width}, feed-forward {size.ffn}, {size.pieces} pieces")
            compare(prepared, options)

#!/usr/bin/env python3
"""Whether the labels in samples/papers/README.md follow from their numbers, and where those are from.

    scripts/papers_verdicts.py --check              (a part of `make lint`)
    scripts/papers_verdicts.py --results FOLDER     writes samples/papers/results.tsv: what `make papers DATA=
                                                    DATA_JA=` and `make papers-trained` have put into FOLDER
    scripts/papers_verdicts.py --read-back FOLDER [--quick] [--trained]
                                                    whether the numbers of the README's tables are those that the
                                                    sessions have written there (a part of `make papers DATA=
                                                    DATA_JA=`); --quick: those of the quick default, and of
                                                    sessions that are the same there; --trained: those of
                                                    samples/papers/trained, too, whose models are others where
                                                    they are trained again

A verdict is an item of the README that begins with a label in bold. The README says what labels mean and how the
brackets behind them are written, and has a table that counts them by section. Differences are looked up in
results.tsv, which has a line for every comparison of a session: what `:compare` printed of BLEU. Each BLEU in it has to
be in the README.

A table of the README is of the sessions that are named since the last bold heading. Columns from the first one on that
names the paper are the paper's; what is called mean is made of other columns.
"""

import argparse
import itertools
import math
import pathlib
import re
import statistics
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "samples" / "papers"
README, RESULTS = FOLDER / "README.md", FOLDER / "results.tsv"
COLUMNS = "session\ta\tb\tBLEU a\tBLEU b\tb - a\tlow\thigh\tp random."

AGREEMENT, PART, DISAGREEMENT = "Agreement", "In part", "Disagreement"
NONE_SHOWN, NOT_TESTABLE, NOT_COMPARABLE = "No difference shown", "Not testable", "Not comparable"
LABELS = (AGREEMENT, PART, DISAGREEMENT, NONE_SHOWN, NOT_TESTABLE, NOT_COMPARABLE)

NUMBER = r"[-+]?\d+(?:\.\d+)?"
VERDICT = re.compile(r"^- \*\*([^*]+)\*\* \(((?:[^()]|\([^()]*\))*)\)", re.M)
LABELLED = re.compile(r"^- \**(" + "|".join(LABELS) + r"|Weak disagreement)\b.*", re.M)
DIFFERENCE = re.compile(rf"({NUMBER}) \[({NUMBER}), ({NUMBER})\], p (< )?({NUMBER}); paper ({NUMBER}|none)")
TRAININGS = 3
MEAN = re.compile(rf"mean ({NUMBER}) \[({NUMBER}), ({NUMBER})\], p (< )?({NUMBER}) of "
                  rf"({NUMBER}(?:, {NUMBER}){{{TRAININGS - 1}}}); paper ({NUMBER}|none)")
STUDENT = 4.302653  # t of a two-sided p of 0.05 with two degrees of freedom, those of three trainings
COUNT = re.compile(r"(\d+) of (\d+)")
SESSION = re.compile(r"`((?:trained/)?[a-z0-9]+-[a-z0-9-]+)`")
OF_TABLE = re.compile(r"(?<![\w.,-])[-+]?\d[\d,]*(?:\.\d+)?(?![\w-])")
ELSEWHERE = re.compile(r"\bmean\b")
QUICK = "quick default"
DECISIONS = re.compile(rf"(\d+) of (\d+) after (\d+) of (\d+); paper ({NUMBER}|none)")


def of_difference(difference, low, high, p, paper):
    """Returns the label of a difference; paper None: the paper sees none."""
    shown = p < 0.05 and not low <= 0 <= high
    if paper is None:
        return DISAGREEMENT if shown else NONE_SHOWN
    if shown:
        return AGREEMENT if difference * paper > 0 else DISAGREEMENT
    return NOT_TESTABLE if low <= paper <= high else NONE_SHOWN


def of_decisions(right, of, before, of_before, paper):
    """Returns the label of two shares of decisions between two choices; paper in percentage
    points."""
    shares = [(right / of, of), (before / of_before, of_before)]
    errors = [1.96 * math.sqrt(share * (1 - share) / count) for share, count in shares]
    difference = 100 * (shares[0][0] - shares[1][0])
    half = 100 * math.hypot(*errors)
    if any(share - error <= 0.5 for (share, _), error in zip(shares, errors)):
        return NOT_TESTABLE
    p = 0 if abs(difference) > half else 1
    return of_difference(difference, difference - half, difference + half, p, paper)


def of_count(count, of):
    return AGREEMENT if count == of else PART if 2 * count >= of else DISAGREEMENT


def gains_of(match):
    return match[6].split(", ")


def mean_of(gains):
    """Returns what has to be written of the mean of three gains: mean, interval and p of Student's t
    test, whose p has a closed form for two degrees of freedom."""
    mean, error = statistics.mean(gains), statistics.stdev(gains) / math.sqrt(TRAININGS)
    t = abs(mean) / error if error else math.inf
    p = 1 - 1 / math.sqrt(1 + 2 / (t * t)) if t else 1
    half = STUDENT * error
    return (f"{mean:+.2f}", f"{mean - half:+.2f}", f"{mean + half:+.2f}",
            "< 0.001" if p < 0.001 else f"{p:.3f}")


def combined(labels):
    if len(set(labels)) == 1:
        return labels[0]
    if AGREEMENT in labels or PART in labels:
        return PART
    return DISAGREEMENT if DISAGREEMENT in labels else NONE_SHOWN


def number_or_none(text):
    return None if text == "none" else float(text)


def label_of(part):
    """Returns the label of one part of the brackets; None: it has no numbers."""
    match = DIFFERENCE.fullmatch(part)
    if match:
        difference, low, high, less, p, paper = match.groups()
        return of_difference(float(difference), float(low), float(high), float(p) * (0.5 if less else 1),
                             number_or_none(paper))
    match = MEAN.fullmatch(part)
    if match:
        return of_difference(*map(float, match.groups()[:3]), float(match[5]) * (0.5 if match[4] else 1),
                             number_or_none(match[7]))
    match = DECISIONS.fullmatch(part)
    if match:
        return of_decisions(*map(int, match.groups()[:4]), number_or_none(match[5]))
    match = COUNT.fullmatch(part)
    return of_count(int(match[1]), int(match[2])) if match else None


def read_results():
    """Returns the lines of results.tsv, in columns."""
    lines = RESULTS.read_text("utf-8").splitlines()
    if lines[:1] != [COLUMNS]:
        raise ValueError(f"{RESULTS}: expected the columns {COLUMNS!r}")
    return [line.split("\t") for line in lines[1:]]


def check_verdict(match, results):
    label, brackets = match[1], " ".join(match[2].split())
    if label not in LABELS:
        return f"{label!r}: expected one of {', '.join(LABELS)}"
    parts = [part.strip() for part in brackets.split(" / ")]
    labels = [label_of(part) for part in parts]
    if label == NOT_COMPARABLE:
        return "numbers of a test, expected a reason" if any(labels) else None
    if None in labels:
        return f"{parts[labels.index(None)]!r}: expected a difference, decisions or a count"
    if combined(labels) != label:
        return f"labelled {label}, from its numbers {combined(labels)}"
    return next(filter(None, (check_numbers(part, results) for part in parts)), None)


def check_numbers(part, results):
    """Returns what is wrong with a part's numbers, beside those of the sessions; None: nothing."""
    match = DIFFERENCE.fullmatch(part)
    written = match and (match[1], match[2], match[3], f"{'<' if match[4] else ''}{match[5]}")
    if match and written not in {result[:4] for result in results}:
        return f"{part!r}: no such comparison in {RESULTS.name}"
    match = MEAN.fullmatch(part)
    if not match:
        return None
    sessions = [[result[-1] for result in results if result[0] == gain] for gain in gains_of(match)]
    if not any(len(set(of)) == TRAININGS for of in itertools.product(*sessions)):
        return f"{part!r}: not the differences of {TRAININGS} sessions in {RESULTS.name}"
    expected = mean_of([float(gain) for gain in gains_of(match)])
    given = (match[1], match[2], match[3], f"{match[4] or ''}{match[5]}")
    return None if given == expected else f"{part!r}: expected {' '.join(expected)}"


def check_counts(text):
    """Yields what is wrong with the table of the labels in each section."""
    sections = {text[match.end():].split("\n", 1)[0]: match.end() for match in re.finditer("^## ", text, re.M)}
    counts = {title: [0] * len(LABELS) for title in sections}
    for match in VERDICT.finditer(text):
        before = [title for title, start in sections.items() if start < match.start()]
        if before and match[1] in LABELS:
            counts[before[-1]][LABELS.index(match[1])] += 1
    head = "| verdicts | " + " | ".join(label.lower() for label in LABELS) + " |\n"
    rows = text.partition(head)[2].split("\n\n")[0].splitlines()[1:]
    table = {cells[0]: cells[1:] for cells in ([cell.strip() for cell in row.strip("|").split("|")] for row in rows)}
    for title, numbers in counts.items():
        name = title.split(" (")[0]
        row = table.pop(name, None)
        if (any(numbers) or row) and row != [str(number) for number in numbers]:
            yield f"the table of verdicts has {row} for {name!r}, expected {numbers}"
    for name in table:
        yield f"the table of verdicts has {name!r}, which is no section"


def check():
    text, failed, seen, lines = README.read_text("utf-8"), 0, set(), read_results()
    results = {(*line[5:], line[0]) for line in lines}
    for line in lines:
        for state, bleu in zip(line[1:3], line[3:5]):
            if not re.search(rf"(?<![\d.]){re.escape(bleu)}(?!\d)", text):
                print(f"{README}: no {bleu}, the BLEU of {state} in {line[0]}", file=sys.stderr)
                failed += 1
    for match in VERDICT.finditer(text):
        seen.add(match.start())
        fault = check_verdict(match, results)
        if fault:
            print(f"{README}:{text.count(chr(10), 0, match.start()) + 1}: {fault}", file=sys.stderr)
            failed += 1
    for fault in check_counts(text):
        print(f"{README}: {fault}", file=sys.stderr)
        failed += 1
    for match in LABELLED.finditer(text):
        if match.start() not in seen:
            print(f"{README}:{text.count(chr(10), 0, match.start()) + 1}: a label without what it follows from",
                  file=sys.stderr)
            failed += 1
    return 1 if failed or not seen else 0


def comparisons(path):
    """Returns what a session printed for each comparison, in order."""
    sides = None
    for line in path.read_text("utf-8").splitlines():
        match = re.fullmatch(r" a: (.+?)  b: (.+?)  translations of .*", line)
        sides = match.groups() if match else sides
        match = re.fullmatch(rf" BLEU +({NUMBER}) +{NUMBER} +({NUMBER}) +{NUMBER} +({NUMBER}) "
                             rf"\[({NUMBER}), ({NUMBER})\] +\S+ +(<?{NUMBER})", line)
        if match and sides:
            yield "\t".join((path.stem,) + sides + match.groups())
            sides = None


def write_results(folder):
    """Keeps the lines of sessions that are not in the folder."""
    paths = sorted(pathlib.Path(folder).glob("*.txt"))
    made = {path.stem for path in paths}
    kept = [line for line in (RESULTS.read_text("utf-8").splitlines()[1:] if RESULTS.exists() else [])
            if line.split("\t")[0] not in made]
    lines = kept + [line for path in paths for line in comparisons(path)]
    RESULTS.write_text("\n".join([COLUMNS] + sorted(lines)) + "\n", "utf-8")
    return 0


def table_numbers(text):
    """Returns (number of the line, sessions, the number as written, True if it is from the quick
    default) of each number that comes from a session."""
    sessions, heads = [], None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("|"):
            heads = None
            sessions = ([] if line.startswith(("#", "**")) else sessions) + SESSION.findall(line)
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if heads is None:
            papers = [i for i, cell in enumerate(cells) if "paper" in cell] + [len(cells)]
            heads = [] if ELSEWHERE.search(cells[0]) else cells[:papers[0]]
        elif not cells[0].startswith("paper") and not ELSEWHERE.search(cells[0]):
            yield from ((number, sessions, found, QUICK in head or QUICK in cells[0])
                        for head, cell in list(zip(heads, cells))[1:] if not ELSEWHERE.search(head)
                        for found in OF_TABLE.findall(cell))


def same_on_any_text(session):
    """True if the session, or the one whose file this names, reads none of the sentences that DATA
    replaces."""
    path = FOLDER / f"{session}.scope"
    return not path.exists() or "samples/sentences" not in path.read_text("utf-8")


def session_of(path):
    """Returns the session that has written a file: the one with the longest name."""
    names = [scope.stem for scope in FOLDER.rglob("*.scope")]
    return max((name for name in names if f"{path.stem}-".startswith(f"{name}-")), key=len, default=None)


def numbers_of(session, folder):
    """Returns every number that the session has written, or those of one of its files."""
    session = session.removeprefix("trained/")
    paths = [path for name in (".txt", ".csv", "-*.csv") for path in folder.glob(session + name)]
    paths = [path for path in paths if path.stem == session or len(session_of(path) or "") <= len(session)]
    return {float(found) for path in paths
            for found in re.findall(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:e[-+]\d+)?", path.read_text("utf-8"))}


def is_among(found, written):
    """True if a written number, or a hundred times it, equals this one, rounded as it is."""
    value, half = float(found.replace(",", "")), 0.5001 * 10 ** -len(found.partition(".")[2])
    signed = found[0] in "+-"
    return any(abs((x if signed else abs(x)) * scale - value) <= half for x in written for scale in (1, 100))


def read_back(folder, quick, trained):
    """Counts numbers of sessions without a file in the folder instead of looking them up."""
    written, failed, counts = {}, 0, [0, 0]
    for number, sessions, found, of_quick in table_numbers(README.read_text("utf-8")):
        if of_quick != quick and (of_quick or not all(map(same_on_any_text, sessions))):
            continue
        for session in sessions:
            if session not in written:
                left_out = session.startswith("trained/") and not trained
                written[session] = set() if left_out else numbers_of(session, folder)
        ran = bool(sessions) and all(written[session] for session in sessions)
        counts[ran] += 1
        if ran and not is_among(found, set().union(*(written[session] for session in sessions))):
            print(f"{README}:{number}: {found}: not of {' or '.join(sessions)}", file=sys.stderr)
            failed += 1
    print(f"{counts[1]} numbers of tables looked up, {failed} not found; {counts[0]} are of sessions not run")
    return 1 if failed or not counts[1] else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("--check", action="store_true")
    group.add_argument("--results", metavar="FOLDER")
    group.add_argument("--read-back", metavar="FOLDER", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--trained", action="store_true")
    options = parser.parse_args()
    if options.read_back:
        return read_back(options.read_back, options.quick, options.trained)
    return check() if options.check else write_results(options.results)


if __name__ == "__main__":
    sys.exit(main())

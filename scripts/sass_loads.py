#!/usr/bin/env python3
"""How the kernels of a plug-in read memory, from their machine code; fails where that is worse than a list allows.

    scripts/sass_loads.py [--limits FILE] [--all] FILE        of cuobjdump -sass, or - for standard input

Of each kernel that the list names or that spills, or with --all of every kernel, a line:
    spills  instructions that load or store local memory, where registers that do not fit are kept
    rounds  times that the code waits for memory, from its first line to its last, loops once: instructions that load go
            out one behind the other until one of the values is used; the loads after that use are the next round
    wide    loads of 128 bits
    narrow  loads of 32 bits or less
The list has kernels by patterns of their names, the first of which counts, and after each the most spills, the most
rounds, the least wide and the most narrow loads, with tabs between them. A kernel that it does not name may not spill.
Loads are those of global memory."""

import argparse
import collections
import fnmatch
import re
import subprocess
import sys

INSTRUCTION = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)\s*(.*?)\s*;")
REGISTER = re.compile(r"(?<!U)\bR(\d+)((?:\.\w+)*)")
WIDTHS = {"128": 4, "64": 2}
NO_LIMIT = 1 << 30

Counts = collections.namedtuple("Counts", "spills rounds wide narrow")


def width(opcode):
    """Returns how many registers a load fills."""
    return max((WIDTHS.get(part, 1) for part in opcode.split(".")), default=1)


def registers(operands):
    """Returns the numbers of all registers named; R2.64 means two of them."""
    found = set()
    for number, parts in REGISTER.findall(operands):
        found.update(range(int(number), int(number) + (2 if ".64" in parts else 1)))
    return found


def count(instructions):
    spills = rounds = wide = narrow = 0
    pending = set()  # registers that pending loads will fill
    for opcode, operands in instructions:
        kind = opcode.split(".")[0]
        spills += kind in ("LDL", "STL")
        target, _, sources = operands.partition(",")
        stores = kind.startswith(("ST", "RED", "BRA", "BAR"))
        if registers(operands if stores else sources) & pending:
            pending.clear()
        if kind in ("LDG", "LD"):
            rounds += not pending
            first = REGISTER.search(target)
            pending.update(range(int(first[1]), int(first[1]) + width(opcode)) if first else ())
            wide += width(opcode) == 4
            narrow += width(opcode) == 1
    return Counts(spills, rounds, wide, narrow)


def read_kernels(file):
    """Returns {mangled name: its instructions}."""
    kernels, current = {}, None
    for line in file:
        if "Function :" in line:
            current = kernels.setdefault(line.split(":", 1)[1].strip(), [])
        elif current is not None:
            match = INSTRUCTION.match(line)
            if match:
                current.append((match[1], match[2]))
    return kernels


def plain(name):
    """Returns few_rows_kernel<128, 8, float, 4> from a declaration."""
    name = re.sub(r"\(\w+( \w+)?\)(?=\d)", "", name)  # (int)8, (access)2
    return re.sub(r"^void |\(.*", "", name)


def demangle(names):
    text = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True)
    return [plain(line) for line in text.stdout.splitlines()]


def read_limits(path):
    """Returns [(pattern, limits)]; skips empty lines and comments."""
    limits = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            words = line.partition("#")[0].rstrip().split("\t")
            if words == [""]:
                continue
            if len(words) != 5 or not all(word.isdigit() for word in words[1:]):
                sys.exit(f"{path}:{number}: expected a kernel and four numbers with tabs between them")
            limits.append((words[0], Counts(*map(int, words[1:]))))
    return limits


def faults(counts, limits):
    found = [f"{name} {is_} (at most {most})" for name, is_, most in
             (("spills", counts.spills, limits.spills), ("rounds", counts.rounds, limits.rounds),
              ("narrow loads", counts.narrow, limits.narrow)) if is_ > most]
    if counts.wide < limits.wide:
        found.append(f"wide loads {counts.wide} (at least {limits.wide})")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sass", metavar="FILE")
    parser.add_argument("--limits", metavar="FILE")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    with (sys.stdin if options.sass == "-" else open(options.sass, encoding="utf-8")) as file:
        kernels = read_kernels(file)
    counted = {name: count(code) for name, code in zip(demangle(kernels), kernels.values())}
    limits = read_limits(options.limits) if options.limits else []
    others = Counts(0, NO_LIMIT, 0, NO_LIMIT)
    missing = [pattern for pattern, _ in limits if not any(fnmatch.fnmatchcase(name, pattern) for name in counted)]
    wrong = 0
    print(f"{'kernel':<64} spills rounds wide narrow")
    for name, counts in sorted(counted.items()):
        limit = next((limit for pattern, limit in limits if fnmatch.fnmatchcase(name, pattern)), others)
        found = faults(counts, limit)
        wrong += bool(found)
        if found or limit is not others or options.all:
            print(f"{name:<64} {counts.spills:6} {counts.rounds:6} {counts.wide:4} {counts.narrow:6}"
                  f"{'   WRONG: ' if found else ''}{', '.join(found)}")
    for pattern in missing:
        print(f"{pattern}: no such kernel")
    return 1 if wrong or missing or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())

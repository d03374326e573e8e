#!/usr/bin/env python3
"""Changes the program in one small way at a time and says which changes no test notices.

    scripts/mutants.py [--seed 1] [--count 200] [--evenly | --risky] [--at FILE:LINE] [FILE | FOLDER]...

Which changes are drawn depends on the seed and on their own lines alone, so that a file that has changed leaves those
of others as they were. Every second one is of an area where a wrong answer would not be seen (mutation/risk.py), unless
--evenly. Works in a copy of the sources (build/mutants). A change is an operator, a constant or a condition that is
another one, or a statement that is left out (mutation/draw.py). The tests that run its line, as gcov
has recorded once (mutation/coverage.py), run with the changed file until one fails, the quick ones first, and those
that are named like the file or have noticed changes of its folder before. What does not compile, gives the same object
code, or is a size of memory is not counted. Without files, every C file of FOLDERS is drawn from; --at takes every
change of one line. What came of a change is remembered while its file is the same (--again: only that it was noticed),
so that a run that was stopped goes on. mutants_explained lists what no test can notice, and why.

The exit status is 1 if fewer than --least of the changes are noticed.
"""
import argparse
import collections
import fnmatch
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

from mutation.coverage import Coverage
from mutation.draw import mutants_of
from mutation.risk import of_areas, spread
from mutation.tree import TRANSCRIPT, Tree, digest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EXPLAINED = 'scripts/mutants_explained'
FOLDERS = ['base', 'gpu/cpu', 'model', 'render', 'terminal', 'session', 'report', 'tui']


def say(text):
    print(text, flush=True)


class Trials:
    """Tries mutants, some of them side by side."""

    def __init__(self, tree, coverage, args):
        self.tree, self.coverage, self.args = tree, coverage, args
        self.lock = threading.Lock()
        self.noticed_by = collections.Counter()  # (folder, test)
        self.objects = {}  # path: bytes
        self.remembered, self.path = {}, os.path.join(args.folder, 'results.jsonl')
        if os.path.exists(self.path):
            with open(self.path, encoding='utf-8') as file:
                for line in file:
                    about = json.loads(line)
                    self.remembered[about['name']] = about
        for about in self.remembered.values():
            if about['result'] == 'noticed':
                self.noticed_by[about['folder'], about['test']] += 1

    def order(self, mutant):
        words = set(os.path.splitext(os.path.basename(mutant.path))[0].split('_'))
        folder = os.path.dirname(mutant.path)

        def weight(test):
            near = len(words & set(os.path.basename(test).split('_')[1:]))
            return self.coverage.tests[test]['seconds'] / (1 + 2 * near + self.noticed_by[folder, test])

        return sorted(self.coverage.tests_of(mutant), key=weight)

    def notices(self, test, program, work):
        """A test counts as failed if it fails twice, or once if it takes long and passes without
        the change: on a busy machine, tests that wait for something may fail."""
        if not test.startswith(TRANSCRIPT) and not self.tree.link_test(test, program, work):
            return False
        limit = 20 + 8 * self.coverage.tests[test]['seconds']
        result, seconds = self.tree.run(test, work, limit, {})
        if result == 'failed' and seconds < 5:
            result, _ = self.tree.run(test, work, limit, {})
        return result != 'passed' and (seconds < 5 or self.passes_unchanged(test, limit))

    def passes_unchanged(self, test, limit):
        with tempfile.TemporaryDirectory(prefix='work-', dir=self.args.folder) as work:
            program = ['build/tui/main.o', 'build/attnscope.a']
            linked = self.tree.link_program(program, work) and (
                test.startswith(TRANSCRIPT) or self.tree.link_test(test, program, work))
            return linked and self.tree.run(test, work, limit, {})[0] == 'passed'

    def unchanged(self, path, source, work):
        """Returns the object of the unchanged file."""
        if path not in self.objects:
            with open(self.tree.compile(path, source, work), 'rb') as file:
                self.objects[path] = file.read()
        return self.objects[path]

    def attempt(self, mutant, source, work):
        """Returns (result, the test that noticed it, how many of the tests that run the line were
        run)."""
        changed = source[:mutant.begin] + mutant.text + source[mutant.end:]
        before = self.unchanged(mutant.path, source, work)
        target = self.tree.compile(mutant.path, changed, work)
        if not target:
            return 'invalid', None, ''
        with open(target, 'rb') as file:
            if file.read() == before:
                return 'same', None, ''
        with self.lock:
            tests = self.order(mutant)
        program = self.tree.program_with(target)
        if not self.tree.link_program(program, work):
            return 'invalid', None, ''
        began = time.monotonic()
        for i, test in enumerate(tests):
            if time.monotonic() - began > self.args.seconds:
                return 'survived', None, f'{i} of {len(tests)} tests'
            if self.notices(test, program, work):
                return 'noticed', test, ''
        return 'survived', None, f'{len(tests)} tests'

    def recall(self, name):
        about = self.remembered.get(name)
        return about if about and (about['result'] != 'survived' or not self.args.again) else None

    def try_mutant(self, mutant, source):
        name = f'{mutant.path}:{mutant.begin}:{mutant.old}:{mutant.text}:{digest(self.tree.path(mutant.path))}'
        about = self.recall(name)
        if about:
            return about
        with tempfile.TemporaryDirectory(prefix='work-', dir=self.args.folder) as work:
            result, test, ran = self.attempt(mutant, source, work)
        about = {'name': name, 'result': result, 'test': test, 'ran': ran, 'folder': os.path.dirname(mutant.path)}
        with self.lock:
            if test:
                self.noticed_by[about['folder'], test] += 1
            with open(self.path, 'a', encoding='utf-8') as file:
                file.write(json.dumps(about) + '\n')
        return about


def read_explained():
    path = os.path.join(ROOT, EXPLAINED)
    if not os.path.exists(path):
        return set()
    with open(path, encoding='utf-8') as file:
        return {line.strip() for line in file if line.strip() and not line.startswith(('#', ' '))}


def chosen_files(names):
    files = subprocess.run(['git', 'ls-files', '--', *[f'{name}/*.c' if os.path.isdir(os.path.join(ROOT, name)) else name
                                                       for name in names or FOLDERS]],
                           cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    return [name for name in files if name.endswith('.c') and not fnmatch.fnmatch(name, '*_avx*')]


def draw(args, sources):
    """Returns mutants in the order in which they are tried. Fills the sources."""
    names = [args.at.rsplit(':', 1)[0]] if args.at else chosen_files(args.files)
    mutants = []
    for name in names:
        with open(os.path.join(ROOT, name), encoding='utf-8') as file:
            sources[name] = file.read()
        mutants += mutants_of(name, sources[name])
    if args.at:
        return [m for m in mutants if m.line == int(args.at.rsplit(':', 1)[1])]
    drawn = shuffled(mutants, sources, args.seed)
    return drawn if args.evenly else list(of_areas(drawn) if args.risky else spread(drawn))


def shuffled(mutants, sources, seed):
    """In pseudo-random order by a hash of each name: changing one file does not reorder the others."""
    place, seen = {}, collections.Counter()
    for mutant in mutants:
        name = mutant.name(sources[mutant.path])
        seen[name] += 1
        place[mutant] = hashlib.sha256(f'{seed}:{name}:{seen[name]}'.encode()).digest()
    return sorted(mutants, key=place.get)


def try_all(trials, mutants, sources, count):
    """Counts the results of at most `count` mutants and reports them as they come."""
    counts = collections.Counter(noticed=0, survived=0, explained=0)
    explained, queue, under_way = read_explained(), iter(mutants), [0]

    def work():
        while True:
            with trials.lock:
                mutant = next(queue, None) if sum(counts.values()) + under_way[0] < count else None
                if not mutant:
                    return
                under_way[0] += 1
            about = trials.try_mutant(mutant, sources[mutant.path])
            with trials.lock:
                under_way[0] -= 1
                result, key = about['result'], mutant.name(sources[mutant.path])
                if result in ('invalid', 'same'):
                    continue
                if result == 'survived' and key in explained:
                    result = 'explained'
                counts[result] += 1
                say(f'{result}: {mutant.path}:{mutant.line}: {mutant.old} -> {mutant.text.strip()} '
                    + (f'({about["test"]})' if about['test'] else f'({about["ran"]})\n    {key}'))

    # Threads with nothing left to draw end while others may still find that their mutants do not
    # count: try again.
    while True:
        before = sum(counts.values())
        workers = [threading.Thread(target=work) for _ in range(trials.args.jobs)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        if sum(counts.values()) >= count or sum(counts.values()) == before:
            return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=200)
    parser.add_argument('--seconds', type=float, default=120, help='of tests for each change')
    parser.add_argument('--least', type=float, default=0.9, help='share to be noticed')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--folder', default=os.path.join(ROOT, 'build', 'mutants'))
    parser.add_argument('--recorded', action='store_true', help='no other tests than those that are recorded')
    parser.add_argument('--again', action='store_true', help='try those again that were not noticed')
    parser.add_argument('--evenly', action='store_true', help='no area more often than others')
    parser.add_argument('--risky', action='store_true', help='of these areas alone')
    parser.add_argument('--at', help='every change of one line, as FILE:LINE')
    parser.add_argument('files', nargs='*')
    args = parser.parse_args()
    args.folder = os.path.abspath(args.folder)
    sources = {}
    mutants = draw(args, sources)
    tree = Tree(ROOT, os.path.join(args.folder, 'tree'), args.jobs)
    coverage = Coverage(tree, os.path.join(args.folder, 'coverage'))
    tree.build_tests()
    if not args.recorded:
        coverage.record(say)
    counts = try_all(Trials(tree, coverage, args), mutants, sources, len(mutants) if args.at else args.count)
    total = sum(counts.values())
    say(f'{counts["noticed"]} of {total} noticed, {counts["explained"]} explained, {counts["survived"]} survived')
    sys.exit(counts['noticed'] + counts['explained'] < args.least * total)


if __name__ == '__main__':
    main()

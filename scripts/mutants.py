#!/usr/bin/env python3
"""Changes the program in one small way at a time and says which changes no test notices.

    scripts/mutants.py [--seed 1] [--count 200] [--at FILE:LINE] [FILE | FOLDER]...

Works in a copy of the sources (build/mutants). A change is an operator, a constant or a condition that is another
one, or a statement that is left out. Each is compiled, and the tests run that are nearest to the file: those named
like it, those of its folder, then those of the folders above, the fast ones first, for at most --seconds. What does not
compile, gives the same object code or only keeps memory, is not counted. Without files, every C file of gpu/cpu, model, render and tui is
drawn from; --at takes every change of one line. EXPLAINED lists what no test can notice, and why.

The exit status is 1 if fewer than --least of the changes are noticed.
"""
import argparse
import fnmatch
import glob
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EXPLAINED = 'scripts/mutants_explained'
FOLDERS = ['gpu/cpu', 'model', 'render', 'tui']
# A test that needs more than this is not for every change.
TEST_SECONDS = 40
TOKEN = re.compile(r'''//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*'''
                   r'''|[A-Za-z_]\w*|(?:0[xX][0-9a-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?)[uUlLfF]*'''
                   r'''|<<=|>>=|->|\+\+|--|&&|\|\||[-+*/%&|^<>=!]=|<<|>>|[^\s\w]''', re.S | re.M)
OTHER = {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '==', '&&': '||', '||': '&&',
         '+=': '-=', '-=': '+=', 'true': 'false', 'false': 'true', '++': '--', '--': '++'}
STATEMENT = re.compile(r'^[ \t]+(?!return|goto|case|else|typedef|static|const|struct|enum|union)'
                       r'[a-z_*(][\w>.\-\[\]()*]*(?:\(| [-+*/|&]?= |\+\+;|--;)[^;{}]*;$', re.M)
# What gives memory back: the sanitizers notice it (make check-sanitized), and they take three times as long.
GIVES_BACK = re.compile(r'\s*\w*(free|close|unref|destroy|release)\(')


class Mutant:
    def __init__(self, path, begin, end, text, source):
        self.path, self.begin, self.end, self.text = path, begin, end, text
        self.line = source.count('\n', 0, begin) + 1
        self.old = ' '.join(source[begin:end].split())

    def key(self, source):
        """Names the change by its line's text, so that lines above may move."""
        begin = source.rfind('\n', 0, self.begin) + 1
        end = source.find('\n', self.end)
        line = source[begin:self.begin] + self.text + source[self.end:end if end >= 0 else len(source)]
        return f'{self.path}: {" ".join(line.split())}'


def tokens_of(source):
    """(text, begin, end, depth) of what is code."""
    depth = 0
    for match in TOKEN.finditer(source):
        text = match.group()
        if text[0] in '"\'#' or text.startswith(('//', '/*')) or text.lstrip().startswith('#'):
            continue
        depth -= text in ')]}'
        yield text, match.start(), match.end(), depth
        depth += text in '([{'


def left_operand(tokens, i):
    """Where the operand before the operator `i` begins, or None."""
    depth, j = tokens[i][3], i - 1
    while j >= 0 and tokens[j][3] >= depth:
        if tokens[j][3] == depth and tokens[j][0] in (',', ';', '=', '?', ':', '&&', '||', 'return', '{', '}'):
            break
        j -= 1
    return tokens[j + 1][1] if i - j > 1 else None


def mutants_of(path, source):
    tokens = list(tokens_of(source))
    found = []

    def add(begin, end, text):
        found.append(Mutant(path, begin, end, text, source))

    for i, (text, begin, end, depth) in enumerate(tokens):
        spaced = source[begin - 1:begin] == ' ' and source[end:end + 1] == ' '
        in_function = depth > 0
        if not in_function:
            continue
        if text in OTHER and (text not in '<>' or spaced):
            add(begin, end, OTHER[text])
        elif text in '+-' and spaced:
            add(begin, end, '-' if text == '+' else '+')
        elif text == '*' and spaced:
            add(begin, end, '/')
        elif re.fullmatch(r'\d+', text):
            add(begin, end, str(int(text) + 1))
        if text in ('&&', '||'):
            start = left_operand(tokens, i)
            if start is not None:
                add(start, begin, 'true ' if text == '&&' else 'false ')
        if text == 'if' and tokens[i + 1][0] == '(':
            close = next(t for t in tokens[i + 2:] if t[0] == ')' and t[3] == tokens[i + 1][3])
            add(tokens[i + 1][2], close[1], '!(' + source[tokens[i + 1][2]:close[1]] + ')')
    code = {begin for _, begin, _, _ in tokens}
    for match in STATEMENT.finditer(source):
        first = match.start() + len(match.group()) - len(match.group().lstrip())
        if first in code and not GIVES_BACK.match(match.group()):
            add(first, match.end(), ';')
    return found


class Tree:
    """The copy that is changed, built and tested."""

    def __init__(self, folder, jobs):
        self.folder, self.jobs = folder, jobs
        self.times = {}     # seconds of tests that passed
        self.trusted = {}   # whether a test passes when nothing is changed
        files = subprocess.run(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], cwd=ROOT, check=True,
                               capture_output=True, text=True).stdout.split('\0')
        for name in filter(None, files):
            if not os.path.isfile(os.path.join(ROOT, name)):
                continue
            target = os.path.join(folder, name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(os.path.join(ROOT, name), 'rb') as file:
                new = file.read()
            # What is the same keeps its time, and is not compiled again.
            if not os.path.exists(target) or open(target, 'rb').read() != new:
                shutil.copy(os.path.join(ROOT, name), target)
        wanted = set(files)
        for name in glob.glob('**/*.[ch]', root_dir=folder, recursive=True):
            if name not in wanted and not name.startswith('build/'):
                os.remove(os.path.join(folder, name))

    def make(self, *targets):
        return subprocess.run(['make', '--silent', f'-j{self.jobs}', 'NVCC=', 'OPTIMISE=-O1', *targets], cwd=self.folder,
                              capture_output=True, text=True)

    def read(self, path):
        with open(os.path.join(self.folder, path), encoding='utf-8') as file:
            return file.read()

    def write(self, path, text):
        with open(os.path.join(self.folder, path), 'w', encoding='utf-8') as file:
            file.write(text)

    def object_of(self, path):
        return os.path.join(self.folder, 'build', os.path.splitext(path)[0] + '.o')

    def run(self, test):
        """Whether a test passes: 'passed', 'failed', 'endless', 'unbuilt'."""
        binary = 'build/' + os.path.splitext(test)[0]
        if self.make(binary).returncode != 0:
            return 'unbuilt'
        began = time.monotonic()
        limit = min(TEST_SECONDS, 10 + 5 * self.times.get(test, TEST_SECONDS))
        child = subprocess.Popen([os.path.join(self.folder, binary)], cwd=self.folder, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                                 env=dict(os.environ, ATTNSCOPE='build/attnscope'))
        try:
            code = child.wait(limit)
        except subprocess.TimeoutExpired:
            code = None
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()
        if code == 0:
            self.times[test] = time.monotonic() - began
        return {0: 'passed', None: 'endless'}.get(code, 'failed')


def tests_near(tree, path):
    """Tests, the nearest folders first; in each those named like the file, then the fast ones."""
    stem = os.path.splitext(os.path.basename(path))[0]
    folder, near = os.path.dirname(path), []
    while folder:
        found = [os.path.relpath(test, tree.folder)
                 for test in glob.glob(os.path.join(tree.folder, 'tests', folder, '**', 'test_*.c'), recursive=True)]
        words = set(stem.split('_'))
        found.sort(key=lambda test: (-len(words & set(os.path.basename(test)[5:-2].split('_'))),
                                     tree.times.get(test, 2), test))
        near += [test for test in found if test not in near]
        folder = os.path.dirname(folder)
    programs = sorted(glob.glob(os.path.join(tree.folder, 'tests/tui/*/test_*.c')))
    near += [test for test in (os.path.relpath(p, tree.folder) for p in programs)
             if test not in near and ('/program/' in test or '/command/' in test)]
    return [test for test in near if tree.trusted.get(test) is not False]


def is_trusted(tree, test, mutant, source, changed):
    """A test that fails without any change notices nothing. The tree is as it was afterwards."""
    if test not in tree.trusted:
        tree.write(mutant.path, source)
        tree.make('build/attnscope')
        tree.trusted[test] = tree.run(test) == 'passed'
        tree.write(mutant.path, changed)
        tree.make('build/attnscope')
    return tree.trusted[test]


def try_mutant(tree, mutant, seconds):
    """(what came of it, the test that noticed it)."""
    source = tree.read(mutant.path)
    changed = source[:mutant.begin] + mutant.text + source[mutant.end:]
    with open(tree.object_of(mutant.path), 'rb') as file:
        before = file.read()
    tree.write(mutant.path, changed)
    try:
        if tree.make('build/attnscope').returncode != 0:
            return 'invalid', None
        with open(tree.object_of(mutant.path), 'rb') as file:
            if file.read() == before:
                return 'same', None
        began = time.monotonic()
        for test in tests_near(tree, mutant.path):
            if time.monotonic() - began > seconds:
                break
            if tree.run(test) in ('failed', 'endless') and is_trusted(tree, test, mutant, source, changed):
                return 'noticed', test
        return 'survived', None
    finally:
        tree.write(mutant.path, source)
        tree.make('build/attnscope')


def read_explained():
    path = os.path.join(ROOT, EXPLAINED)
    if not os.path.exists(path):
        return []
    with open(path, encoding='utf-8') as file:
        return [line.strip() for line in file if line.strip() and not line.startswith(('#', ' '))]


def chosen_files(names):
    files = subprocess.run(['git', 'ls-files', '--', *[f'{name}/*.c' if os.path.isdir(os.path.join(ROOT, name)) else name
                                                       for name in names or FOLDERS]],
                           cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    return [name for name in files if name.endswith('.c') and not fnmatch.fnmatch(name, '*_avx*')]


def draw(args):
    """Mutants in the order they are tried in."""
    names = [args.at.rsplit(':', 1)[0]] if args.at else chosen_files(args.files)
    mutants = []
    for name in names:
        with open(os.path.join(ROOT, name), encoding='utf-8') as file:
            mutants += mutants_of(name, file.read())
    if args.at:
        return [m for m in mutants if m.line == int(args.at.rsplit(':', 1)[1])]
    random.Random(args.seed).shuffle(mutants)
    return mutants


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=200)
    parser.add_argument('--seconds', type=float, default=60, help='of tests for each change')
    parser.add_argument('--least', type=float, default=0.9, help='share to be noticed')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--folder', default=os.path.join(ROOT, 'build', 'mutants'))
    parser.add_argument('--at', help='every change of one line, as FILE:LINE')
    parser.add_argument('files', nargs='*')
    args = parser.parse_args()
    mutants = draw(args)
    tree = Tree(os.path.abspath(args.folder), args.jobs)
    remembered = os.path.join(tree.folder, 'times.json')
    if os.path.exists(remembered):
        with open(remembered, encoding='utf-8') as file:
            tree.times = json.load(file)
    built = tree.make('build/attnscope', 'build/attnscope.a', 'build/tests.a')
    if built.returncode != 0:
        sys.exit(built.stderr)
    explained = read_explained()
    counts = {'noticed': 0, 'survived': 0, 'explained': 0}
    for mutant in mutants:
        if sum(counts.values()) == args.count and not args.at:
            break
        result, test = try_mutant(tree, mutant, args.seconds)
        if result not in counts:
            continue
        key = mutant.key(tree.read(mutant.path))
        if result == 'survived' and any(line.startswith(key) or key == line for line in explained):
            result = 'explained'
        counts[result] += 1
        print(f'{result}: {mutant.path}:{mutant.line}: {mutant.old} -> {mutant.text.strip()}'
              + (f' ({test})' if test else f'\n    {key}'), flush=True)
        with open(remembered, 'w', encoding='utf-8') as file:
            json.dump(tree.times, file)
    total = sum(counts.values())
    print(f'{counts["noticed"]} of {total} noticed, {counts["explained"]} explained, {counts["survived"]} survived')
    sys.exit(counts['noticed'] + counts['explained'] < args.least * total)


if __name__ == '__main__':
    main()

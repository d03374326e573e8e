"""Which tests run which lines of the program, recorded once by gcov and again for changed tests."""
import json
import os
import shutil
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor

from mutation.tree import TRANSCRIPT, digest

BUILD = 'build-coverage'
# A test that takes longer than this beside others is not run for every change.
SECONDS_MOST = 300


class Coverage:
    def __init__(self, tree, folder):
        self.tree, self.folder = tree, folder
        self.path = os.path.join(folder, 'tests.json')
        self.tests = {}  # name: {digest, seconds, passed}
        if os.path.exists(self.path):
            with open(self.path, encoding='utf-8') as file:
                self.tests = json.load(file)
        self.lines = {}  # path: {line: set of tests}

    def source_of(self, test):
        path = self.tree.path(test)
        return next(path + end for end in ('.c', '.cc', '.scope') if os.path.exists(path + end))

    def is_recorded(self, test):
        return self.tests.get(test, {}).get('digest') == digest(self.source_of(test))

    def record(self, say):
        missing = sorted((test for test in self.tree.tests() if not self.is_recorded(test)),
                         key=lambda test: self.tests.get(test, {}).get('seconds', 0))
        self.tests = {test: about for test, about in self.tests.items() if test in self.tree.tests()}
        if not missing:
            return
        say(f'recording what {len(missing)} tests run')
        self.tree.build(f'BUILD={BUILD}', 'OPTIMISE=-O2', 'CFLAGS=-w', 'SANITIZE=--coverage', f'{BUILD}/attnscope')
        self.tree.build(f'BUILD={BUILD}', 'OPTIMISE=-O2', 'CFLAGS=-w', 'SANITIZE=--coverage', f'{BUILD}/attnscope.a')
        program = [f'{BUILD}/tui/main.o', f'{BUILD}/attnscope.a']
        self.say, self.program, self.lock = say, program, threading.Lock()
        with ThreadPoolExecutor(self.tree.jobs) as pool:
            list(pool.map(self.record_one, missing))

    def record_one(self, test):
        prefix = os.path.join(self.folder, test)
        depth = len(self.tree.folder.strip('/').split('/'))
        shutil.rmtree(prefix, ignore_errors=True)
        if not test.startswith(TRANSCRIPT) and not self.tree.link_test(test, self.program, self.tree.path(BUILD), '--coverage'):
            self.say(f'{test}: cannot be linked')
            return
        environment = {'GCOV_PREFIX': prefix, 'GCOV_PREFIX_STRIP': str(depth)}
        result, seconds = self.tree.run(test, self.tree.path(BUILD), SECONDS_MOST, environment)
        with self.lock:
            self.say(f'{test}: {result}, {seconds:.1f} s')
            self.tests[test] = {'digest': digest(self.source_of(test)), 'seconds': seconds, 'passed': result == 'passed'}
            with open(self.path, 'w', encoding='utf-8') as file:
                json.dump(self.tests, file)

    def read_lines(self, path):
        """Returns {line: tests that run it} of a file, including lines without tests that could be
        run. Tests recorded before the file changed, which may run any line, are under 0."""
        if path in self.lines:
            return self.lines[path]
        stem, lines = os.path.splitext(path)[0], {}
        notes = self.tree.path(f'{BUILD}/{stem}.gcno')
        for test, about in self.tests.items():
            counts = os.path.join(self.folder, test, BUILD, stem + '.gcda')
            if not about['passed'] or not os.path.exists(counts):
                continue
            beside = counts[:-2] + 'no'
            if not os.path.lexists(beside):
                os.symlink(notes, beside)
            done = subprocess.run(['gcov', '--json-format', '--stdout', counts], cwd=self.tree.folder, capture_output=True,
                                  text=True)
            if done.returncode != 0 or 'mismatch' in done.stderr:
                lines.setdefault(0, set()).add(test)
            for file in json.loads(done.stdout)['files'] if done.returncode == 0 and done.stdout else []:
                if os.path.normpath(file['file']) != path:
                    continue
                for line in file['lines']:
                    lines.setdefault(line['line_number'], set())
                    if line['count'] > 0:
                        lines[line['line_number']].add(test)
        self.lines[path] = lines
        return lines

    def tests_of(self, mutant):
        """Returns the tests that run the mutant's line; if that line has no code, those of the code
        above it."""
        lines = self.read_lines(mutant.path)
        known = [line for line in lines if 0 < mutant.line - 8 <= line <= mutant.line]
        if known:
            return lines[max(known)] | lines.get(0, set())
        return set().union(*lines.values()) if lines else set()

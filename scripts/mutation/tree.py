"""A copy of the sources, in which tests are built and run, and changed files are compiled and
linked."""
import glob
import hashlib
import os
import shutil
import signal
import subprocess
import threading
import time

VARIABLES = ['TESTS', 'LIBRARIES', 'WRAPPED', 'EMULATED_PLUGIN', 'EMULATED_RUNS', 'OBJECTS']
# The tests of sessions without memory run a separate program beside them.
SHORT_OF_MEMORY = 'attnscope_short_of_memory'
WITH_WRAPPED = ('test_each_allocation', SHORT_OF_MEMORY)
# Sessions whose answers are compared with recorded ones (tests/check_transcript), each as a
# separate test.
TRANSCRIPT = 'tests/transcript/'
# Marks this run's processes, including those that tests leave behind.
MARK = 'ATTNSCOPE_MUTANT_RUN'


def digest(path):
    with open(path, 'rb') as file:
        return hashlib.sha256(file.read()).hexdigest()[:16]


def kill_marked(mark):
    """Ends what a test has started, in any session: terminals' servers have their own."""
    wanted = f'{MARK}={mark}'.encode()
    for path in glob.glob('/proc/[0-9]*/environ'):
        try:
            with open(path, 'rb') as file:
                if wanted in file.read().split(b'\0'):
                    os.kill(int(path.split('/')[2]), signal.SIGKILL)
        except (OSError, ValueError):
            continue


class Tree:
    def __init__(self, root, folder, jobs):
        self.folder, self.jobs = folder, jobs
        self.commands, self.lock = {}, threading.Lock()
        os.environ.setdefault('OPTIMISE', '-O2')  # without debug information, linking takes a fifth of the time
        self.copy(root)
        lines = self.make('--eval', 'print-variables: ; ' + ''.join(f'@:$(info $({name}))' for name in VARIABLES),
                          'print-variables').stdout.splitlines()
        self.variables = dict(zip(VARIABLES, lines))
        self.emulated = {name.removesuffix('.run') for name in self.variables['EMULATED_RUNS'].split()}
        self.linker = ['-fuse-ld=lld'] if shutil.which('ld.lld') else []

    def copy(self, root):
        """Unchanged files keep their time and are not compiled again."""
        names = subprocess.run(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], cwd=root,
                               check=True, capture_output=True, text=True).stdout.split('\0')
        names = [name for name in names if name and os.path.isfile(os.path.join(root, name))]
        for name in names:
            source, target = os.path.join(root, name), self.path(name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            if not os.path.exists(target) or digest(source) != digest(target):
                shutil.copy(source, target)
        for name in glob.glob('**/*.[ch]', root_dir=self.folder, recursive=True):
            if name not in names and not name.startswith('build'):
                os.remove(self.path(name))

    def path(self, name):
        return os.path.join(self.folder, name)

    def make(self, *arguments):
        return subprocess.run(['make', '--no-print-directory', '--silent', f'-j{self.jobs}', 'NVCC=', *arguments],
                              cwd=self.folder, capture_output=True, text=True)

    def build(self, *arguments):
        """Makes the arguments, or ends the script."""
        done = self.make(*arguments)
        if done.returncode != 0:
            raise SystemExit(done.stderr)

    def build_tests(self):
        """Builds what tests and the program are linked from, with the caller's flags."""
        objects = ' '.join(name + '.o' for name in self.variables['TESTS'].split())
        self.build('--eval', f'everything: {objects} build/tests.a build/emulator.a build/attnscope.a build/tui/main.o '
                   f'{self.variables["EMULATED_PLUGIN"]}', 'everything')

    def tests(self):
        """Leaves out the tests of GPU kernels, in which nothing is changed."""
        names = [name.removeprefix('build/') for name in self.variables['TESTS'].split()]
        sessions = glob.glob(TRANSCRIPT + '*.scope', root_dir=self.folder)
        return [name for name in names if not name.startswith('tests/gpu/cuda/')] + [name[:-6] for name in sorted(sessions)]

    # Changed files
    # -----------------------------------------------------------------------------------------

    def compiler_of(self, path):
        """Returns the command that compiles a file, without its last two words."""
        with self.lock:
            if path not in self.commands:
                target = f'build/{os.path.splitext(path)[0]}.o'
                lines = subprocess.run(['make', '--no-print-directory', '-n', 'NVCC=', '-W', path, target],
                                       cwd=self.folder, check=True, capture_output=True, text=True).stdout.splitlines()
                line = next(line for line in lines if line.endswith(f' {path}') and ' -c ' in line)
                words = line.replace('"', '').split()[:-4]
                self.commands[path] = [word for word in words if word not in ('-MMD', '-MP', '-Werror', '-g')]
        return self.commands[path]

    def compile(self, path, text, work):
        """Returns the object of a file with this text, or None if it does not compile."""
        source, target = os.path.join(work, path), os.path.join(work, path[:-2] + '.o')
        os.makedirs(os.path.dirname(source), exist_ok=True)
        with open(source, 'w', encoding='utf-8') as file:
            file.write(text)
        words = [*self.compiler_of(path), '-w', f'-ffile-prefix-map={work}/=', '-iquote', os.path.dirname(path), '-c', '-o',
                 target, source]
        return target if subprocess.run(words, cwd=self.folder, capture_output=True).returncode == 0 else None

    def link(self, target, objects, *flags):
        wrapped = []
        if os.path.basename(target) in WITH_WRAPPED:
            wrapped = [f'-Wl,--wrap={name}' for name in self.variables['WRAPPED'].split()]
        os.makedirs(os.path.dirname(target), exist_ok=True)
        return subprocess.run(['g++', '-pthread', *self.linker, '-s', '-o', target, *objects, *flags, *wrapped, '-lcmocka',
                               *self.variables['LIBRARIES'].split()], cwd=self.folder, capture_output=True).returncode == 0

    def link_program(self, program, work, *flags):
        """`program`: its objects, or archives of them."""
        return self.link(os.path.join(work, 'attnscope'), program, *flags)

    def link_test(self, test, program, work, *flags):
        """Links the test with the objects of the program, and copies the files beside it."""
        folder = os.path.dirname(test)
        if test.endswith('/test_memory') and not self.link(
                os.path.join(work, folder, SHORT_OF_MEMORY), [f'build/{folder}/failing_memory.o', *program], *flags):
            return False
        without_main = [name for name in program if not name.endswith('/tui/main.o')]
        archives = [name for name in without_main if name.endswith('.a')]
        objects = [name for name in without_main if not name.endswith('.a')]
        # The program's own functions come first, as some tests' functions have the same names.
        return self.link(os.path.join(work, test), [f'build/{test}.o', *objects, *archives, 'build/tests.a',
                                                    'build/emulator.a', *archives], *flags)

    def program_with(self, changed):
        """Returns what the program is linked from; the archive provides what is not changed."""
        main = [] if changed.endswith('/tui/main.o') else ['build/tui/main.o']
        return [*main, changed, 'build/attnscope.a']

    # Tests ------------------------------------------------------------------------------------------------

    def run(self, test, build, limit, environment):
        """Returns ('passed', 'failed' or 'endless', seconds) for a test linked into `build`."""
        mark = f'{os.getpid()}-{threading.get_ident()}'
        all_of_it = dict(os.environ, ATTNSCOPE=os.path.join(build, 'attnscope'), **{MARK: mark}, **environment)
        command = [os.path.join(build, test)]
        if test.startswith(TRANSCRIPT):
            command, all_of_it['BUILD'] = ['tests/check_transcript', os.path.basename(test)], build
        if f'build/{test}' in self.emulated:
            all_of_it['ATTNSCOPE_TEST_PLUGIN'] = self.path(self.variables['EMULATED_PLUGIN'])
        began = time.monotonic()
        child = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, start_new_session=True, env=all_of_it)
        try:
            code = child.wait(limit)
        except subprocess.TimeoutExpired:
            code = None
        seconds = time.monotonic() - began
        if code != 0:
            kill_marked(mark)
        child.wait()
        return {0: 'passed', None: 'endless'}.get(code, 'failed'), seconds

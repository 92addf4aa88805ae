#!/usr/bin/python3
"""Runs the commands of README.md and docs/ and compares what they print with what is shown: run by ./test.

A command is a line of a ```bash block, or of an indented block that begins with a program of the suite. The
sections of a document run side by side, each in a folder of its own, where the robots of the suite lie, arm.urdf
(arm7), bare.urdf (arm7 without inertia) and log.csv. What is shown follows its commands directly, or a paragraph
that ends in "says" or names one command. Of `dyn COMMAND --option` within a text command and option must exist,
of a link the file. Python blocks of a document are run one after the other, where the module is built.
"""
import concurrent.futures
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / 'build/release'
SERVE = ROOT / 'build/dds/dyn_serve'
MODULE = ROOT / 'build/py/dyn'
PROGRAMS = r'(dyn|dyn_core_tests|dyn_serve|ros2|cmake|\./run|\./test|build/\S+) '
NOT_HERE = [  # what is not run, and why
    (r'ros2|rosdep|colcon|source install', 'needs ROS 2'),
    (r'apt|sudo|curl|wget|git', 'needs the network'),
    (r'\./run|\./test|cmake|pip|python3 -m venv|env/', 'builds'),
    (r'dyn identify (ur10|panda)\.urdf', 'needs a robot of others'),
]
STAND_INS = [  # what a command leaves open
    (r'\bROBOT\.urdf\b|\bROBOT\b|\bmy_arm\.urdf\b', 'arm.urdf'),
    (r'\bLOG…', 'log.csv'), (r'\blog(?= )', 'log.csv'), (r'(?<=--delay-ms )D\b', '4'), (r'(\w+)\|[\w|]+', r'\1'),
]
TIMED_LINE, TIMED_PARAGRAPH = r'µs|\bns\b', r'\bthe fastest'  # differ from machine to machine


def parts(text):
    """(line number, kind, lines): heading, text, and blocks by language; 'indented' where it has none."""
    found, lines, i = [], text.split('\n'), 0
    while i < len(lines):
        start, fence = i, re.match(r' *```(\w*)', lines[i])
        if fence:
            i += 1
            while not lines[i].strip().startswith('```'):
                i += 1
            found.append((start + 2, fence[1] or 'plain', lines[start + 1:i]))
            i += 1
        elif re.match('#+ ', lines[i]):
            found.append((start + 1, 'heading', [lines[i]]))
            i += 1
        elif lines[i].strip():
            indented = bool(re.match('    ', lines[i]))
            while i < len(lines) and not re.match(r'#+ |```', lines[i]) and (
                    lines[i].strip() and (i == start or bool(re.match('    ', lines[i])) == indented)):
                i += 1
            i = max(i, start + 1)
            found.append((start + 1, 'indented' if indented else 'text', lines[start:i]))
        else:
            i += 1
    return found


def sections(text):
    """Parts up to the next heading."""
    section = []
    for part in parts(text):
        if part[1] == 'heading' and section:
            yield section
            section = []
        section.append(part)
    yield section


def commands(first, lines):
    """(line number, command): lines that end in a backslash, or within quotes, go on."""
    start, command = first, ''
    for number, line in enumerate(lines, first):
        start, command = (start, command + '\n' + line) if command else (number, line.strip())
        if not command.endswith('\\') and command.count("'") % 2 == 0 and command.count('"') % 2 == 0:
            if command:
                yield start, command
            command = ''


def is_shell(kind, lines):
    return kind in ('bash', 'sh') or kind == 'indented' and re.match(PROGRAMS, lines[0].strip() + ' ')


def shown_after(part, before):
    """Whether a block shows output, and the command that the paragraph before names."""
    if part[1] not in ('plain', 'indented') or not before:
        return False, None
    if is_shell(before[1], before[2]):
        return True, None
    paragraph = ' '.join(before[2])
    named = re.findall(r'`(dyn [a-z][^`]*)`', paragraph)
    if before[1] == 'text' and len(named) == 1 and re.search(r' prints |ends with', paragraph):
        return True, named[0]
    return bool(before[1] == 'text' and re.search(r' says:?$', paragraph)), None


def stable_lines(text):
    """The words of each line, without those that differ from machine to machine."""
    for paragraph in re.split(r'\n\s*\n', text):
        if not re.search(TIMED_PARAGRAPH, paragraph):
            yield from (line.split() for line in paragraph.split('\n') if line and not re.search(TIMED_LINE, line))


def same(shown, printed):
    """Words, or numbers that differ by 2 % or by one in the last place shown."""
    number = r'-?\d+(\.\d*)?(e-?\d+)?'
    a, b = re.fullmatch(number, shown), re.fullmatch(number, printed)
    if shown == printed or not (a and b and '.' in shown):
        return shown == printed
    place = 10.0 ** -len((a[1] or '.')[1:]) * float('1' + (a[2] or ''))
    return abs(float(shown) - float(printed)) <= max(1.001 * place, 0.02 * abs(float(shown)))


def missing(shown, printed):
    """The first line shown that was not printed after those before; it may be part of a line printed."""
    printed, k = printed.split(), 0
    for line in stable_lines(shown):
        while not all(map(same, line, printed[k:])) or k + len(line) > len(printed):
            k += 1
            if k >= len(printed):
                return ' '.join(line)
        k += len(line)


class Section:
    def __init__(self, name, section, folder):
        self.name, self.parts, self.folder = name, section, folder
        self.faults, self.run, self.compared, self.left, self.printed = [], 0, 0, {}, ''

    def execute(self, number, command, refused=False):
        for pattern, why in NOT_HERE + [('build/dds/|dyn_serve ', 'needs dyn_dds')] * (not SERVE.exists()):
            if re.match(pattern, command):
                self.left[why] = self.left.get(why, 0) + 1
                return
        line = command
        for pattern, stand_in in STAND_INS if line.startswith('dyn ') else []:
            line = re.sub(pattern, stand_in, line)
        line = re.sub(r'(\bdyn_serve) ', r'\1 --duration 1 ', line)
        line = re.sub('^dyn view ', 'timeout --preserve-status -s INT 5 dyn view --port 0 ', line)
        line = re.sub(r'(.*dyn_core_tests .*)', r'\1 --gtest_list_tests | grep .', line)
        self.folder.mkdir(exist_ok=True)
        for file in FILES.iterdir():
            if not (self.folder / file.name).exists():
                (self.folder / file.name).symlink_to(file)
        done = subprocess.run(['bash', '-c', line], cwd=self.folder, env=ENVIRONMENT, timeout=300, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        self.run += 1
        self.printed += done.stdout + '\n\n'
        if (done.returncode != 0) != refused:
            self.faults.append(f'{self.name}:{number}: {command}\n  ended with {done.returncode}: '
                               + '\n  '.join(done.stdout.strip().split('\n')[-3:]))

    def compare(self, number, lines):
        self.compared += 1
        lost = missing('\n'.join(lines), self.printed)
        if lost:
            self.faults.append(f'{self.name}:{number}: shown but not printed: {lost}')

    def check(self):
        before = None
        for place, part in enumerate(self.parts):
            number, kind, lines = part
            output, named = shown_after(part, before)
            if is_shell(kind, lines):
                after = self.parts[place + 1:place + 2]
                refused = bool(after and after[0][1] == 'plain' and after[0][2][0].startswith('dyn: '))
                for line, command in commands(number, lines):
                    self.execute(line, command, refused)
            elif output and (named or self.printed):
                if named:
                    self.execute(number, named)
                self.compare(number, lines)
            elif kind == 'text':
                self.faults += inline(self.name, number, ' '.join(lines))
            before = part
        return self


@functools.lru_cache(None)
def help_of(command):
    return subprocess.run([BUILD / 'dyn', command, '--help'], text=True, capture_output=True).stdout


def inline(name, number, text):
    """Commands and options named within a text that are not there."""
    for command, rest in re.findall(r'`dyn ([a-z]+)\b([^`]*)`', text):
        options = re.findall(r'--[a-z][\w-]*', rest)
        if not help_of(command):
            yield f'{name}:{number}: there is no command dyn {command}'
        for option in options:
            if not re.search(re.escape(option) + r'\b', help_of(command)) and option != '--help':
                yield f'{name}:{number}: dyn {command} has no {option}'


def dead_links(document):
    """Files that a document's links name and that are not there."""
    for target in re.findall(r'\]\(([^()\s#]+)', document.read_text()):
        if not re.match(r'\w+:', target) and not (document.parent / target).exists():
            yield f'{os.path.relpath(document, ROOT)}: {target} is not there'


def python_fault(document):
    """Runs the Python blocks of a document, one after the other."""
    blocks = [textwrap.dedent('\n'.join(lines)) for _, kind, lines in parts(document.read_text())
              if kind == 'python' or kind == 'indented' and re.match(r'\s+(import dyn|\w+ = dyn\.)', lines[0])]
    if not blocks or not MODULE.exists():
        return
    done = subprocess.run(['/usr/bin/python3', '-B', '-c', '\n'.join(blocks)], cwd=FILES, timeout=300, text=True,
                          capture_output=True, stdin=subprocess.DEVNULL,
                          env=dict(ENVIRONMENT, PYTHONPATH=str(MODULE.parent)))
    print(f'{os.path.relpath(document, ROOT)}: {len(blocks)} Python blocks run')
    if done.returncode:
        yield f'{os.path.relpath(document, ROOT)}: its Python blocks: {done.stderr.strip()}'


def make_files(folder):
    """What lies in the folder of each section."""
    for robot in (ROOT / 'dyn_core/robots').iterdir():
        (folder / robot.name).symlink_to(robot)
    for name in ('build', 'dyn_core'):
        (folder / name).symlink_to(ROOT / name)
    (folder / 'arm.urdf').symlink_to(ROOT / 'dyn_core/robots/arm7.urdf')
    bare = re.sub(r'(?s)<inertial>.*?</inertial>', '', (folder / 'arm.urdf').read_text())
    (folder / 'bare.urdf').write_text(bare)
    subprocess.run([BUILD / 'dyn', 'track', 'arm7', '--csv', folder / 'log.csv'], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


scratch = pathlib.Path(tempfile.mkdtemp(prefix='dyn_docs_'))
FILES = scratch / 'files'
FILES.mkdir()
ENVIRONMENT = dict(os.environ, PATH=f'{BUILD}:{BUILD}/test:{SERVE.parent}:/usr/bin:/bin', HOME=str(scratch), ROS_DOMAIN_ID='77',
                   ROS_AUTOMATIC_DISCOVERY_RANGE='LOCALHOST')
try:
    make_files(FILES)
    documents = [pathlib.Path(argument).resolve() for argument in sys.argv[1:]] or [
        ROOT / 'README.md', ROOT / 'CONTRIBUTING.md', *sorted((ROOT / 'docs').rglob('*.md'))]
    work = [Section(os.path.relpath(document, ROOT), section, scratch / f'{document.stem}{place}')
            for document in documents for place, section in enumerate(sections(document.read_text()))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(pool.map(Section.check, work))
    faults = [fault for section in done for fault in section.faults]
    faults += [fault for document in documents for fault in (*dead_links(document), *python_fault(document))]
finally:
    shutil.rmtree(scratch)
left = {}
for section in done:
    for why, count in section.left.items():
        left[why] = left.get(why, 0) + count
print(sum(section.run for section in done), 'commands run,', sum(section.compared for section in done),
      'outputs compared; not run:', ', '.join(f'{count} ({why})' for why, count in left.items()))
sys.exit('\n'.join(faults) or None)

#!/usr/bin/python3
"""Manual pages and bash completion from the programs' --help, changelog and copyright of a Debian package.

documents.py STAGE NAME VERSION MAINTAINER CHANGELOG.rst [PROGRAM...]
"""
import email.utils
import gzip
import os
import pathlib
import re
import subprocess
import sys
import textwrap

STAGE, NAME, VERSION, MAINTAINER, CHANGELOG = sys.argv[1:6]
PROGRAMS = sys.argv[6:]
SHARE = pathlib.Path(STAGE) / 'usr/share'


def write(path, text):
    path = SHARE / path
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == '.gz':
        path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    else:
        path.write_text(text)
    os.chmod(path, 0o644)


def help_of(*command):
    program = f'{STAGE}/usr/bin/{command[0]}'
    return subprocess.run([program, *command[1:], '--help'], check=True, capture_output=True, text=True).stdout


def manual(command, text):
    """What --help prints as a page: its first line the name, `Usage:` the synopsis, `Options:` a section."""
    def roff(line):
        line = line.replace('\\', '\\e').replace('-', '\\-')
        return '\\&' + line if line[:1] in ".'" else line
    name = '-'.join(command)
    first, *rest = text.rstrip().split('\n')
    page = [f'.TH {name.upper()} 1 "" "{NAME} {VERSION}"', '.SH NAME', roff(f'{name} - {first.rstrip(".")}')]
    for line in rest:
        heading = re.fullmatch(r'(\w+):', line)
        if line.startswith('Usage:'):
            page += ['.SH SYNOPSIS', roff(line[6:].strip()), '.SH DESCRIPTION', '.nf']
        elif heading:
            page += ['.fi', f'.SH {heading[1].upper()}', '.nf']
        else:
            page.append(roff(line))
    text = '\n'.join(page + ['.fi']) + '\n'
    write(f'man/man1/{name}.1.gz', text.replace('.SH DESCRIPTION\n.nf\n\n.fi\n', ''))


def options(text):
    return ' '.join(dict.fromkeys(re.findall(r'(?m)^ +(?:-\w,)?(--[a-z][\w-]*)', text)))


def completion(program, text, commands):
    """Commands, then options, robots of the suite and files."""
    robots = ' '.join(sorted(robot.stem for robot in (SHARE / 'dyn_core/robots').glob('*.urdf')))
    cases = '\n'.join(f'    {command}) words="{options(help)} {robots}" ;;' for command, help in commands.items())
    first = ' '.join([*commands, options(text)]) if commands else options(text)
    write(f'bash-completion/completions/{program}', f'''# bash completion of {program}, from its --help
_{program}() {{
  local words
  case ${{COMP_WORDS[1]}} in
{cases or '    "") words= ;;'}
    *) words="{first}" ;;
  esac
  ((COMP_CWORD > 1)) || words="{first}"
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}")
}}
complete -o default -F _{program} {program}
''')


for program in PROGRAMS:
    text = help_of(program)
    manual([program], text)
    listed = re.search(r'(?s)\nSubcommands:\n(.*?)\n\n', text)
    commands = {name: help_of(program, name) for name in re.findall(r'(?m)^  (\w+)', listed[1])} if listed else {}
    for name, help_text in commands.items():
        manual([program, name], help_text)
    completion(program, text, commands)

changes = re.search(rf'(?ms)^{re.escape(VERSION)} \((.*?)\)\n-+\n(.*?)(?=^\S.*\n-+\n|\Z)',
                    pathlib.Path(CHANGELOG).read_text())
if not changes:
    sys.exit(f'{CHANGELOG} has no section "{VERSION} (YYYY-MM-DD)"')
entries = [re.sub(r'\s+', ' ', entry) for entry in changes[2].strip().replace('``', '')[2:].split('\n* ')]
entries = '\n'.join(textwrap.fill(entry, 78, initial_indent='  * ', subsequent_indent='    ') for entry in entries)
date = email.utils.formatdate(int(subprocess.run(['date', '-u', '-d', changes[1], '+%s'], check=True,
                                                 capture_output=True).stdout))
write(f'doc/{NAME}/changelog.gz', f'{NAME} ({VERSION}) unstable; urgency=medium\n\n{entries}\n\n'
                                  f' -- {MAINTAINER}  {date}\n')
write(f'doc/{NAME}/copyright', f'''Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

Files: *
Copyright: {changes[1][:4]} {re.sub(' <.*', '', MAINTAINER)}
License: Apache-2.0
 On Debian systems the whole text is in /usr/share/common-licenses/Apache-2.0.
''')

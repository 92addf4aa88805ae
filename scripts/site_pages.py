#!/usr/bin/python3
"""The pages of the documentation site: run by scripts/site.sh.

site_pages.py FOLDER         docs/, README and CONTRIBUTING, and pages made of messages, parameters and userdoc.rst
site_pages.py --links FOLDER every link in the HTML pages leads to a file, and to a place in it
"""
import html
import html.parser
import os
import pathlib
import re
import shutil
import sys
import urllib.parse

import docutils.core
import docutils.nodes
import docutils.parsers.rst
import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
REPOSITORY = re.search(r"REPOSITORY = '(.*)'", (ROOT / 'scripts/packages.py').read_text())[1]
MOVED = {'README.md': 'readme.md', 'CONTRIBUTING.md': 'contributing.md',
         'dyn_control/doc/userdoc.rst': 'dyn_control.md', 'dyn_msgs': 'messages.md',
         'dyn_ros/src/dynamics_node_parameters.yaml': 'parameters.md', 'dyn_core/include/dyn_core': 'api.md'}
PARAMETERS = {
    'dynamics_node': 'dyn_ros/src/dynamics_node_parameters.yaml',
    'motion_player': 'dyn_ros/src/motion_player_parameters.yaml',
    'ComputedTorqueController': 'dyn_control/src/computed_torque_controller_parameters.yaml',
}


def moved_links(source, text):
    """Links of a document of the repository, for its page: to pages, pictures, or the file in the repository."""
    page = pathlib.PurePosixPath(MOVED.get(source, source[5:]))

    def link(match):
        target, _, anchor = match[1].partition('#')
        if re.match(r'\w+:', target) or not target:
            return match[0]
        path = os.path.normpath(os.path.join(os.path.dirname(source), target))
        if not (ROOT / path).exists():
            sys.exit(f'{source}: {target} is not there')
        if path in MOVED or path.startswith('docs/') and (ROOT / path).is_file():
            path = os.path.relpath(MOVED.get(path, path[5:]), page.parent)
        else:
            path = f'{REPOSITORY}/blob/main/{path}'
        return f']({path}{"#" * bool(anchor)}{anchor})'
    return re.sub(r'\]\(([^() ]+)\)', link, text)


def with_gaps(text):
    """A blank line before lists, which GitHub does not need."""
    return re.sub(r'(?m)^((?!- |\d+\. |\||  |>|#).+)\n(?=- |\d+\. )', r'\1\n\n', text)


def messages():
    yield '# Messages and services\n\nOf the package dyn_msgs.\n'
    for kind in ('msg', 'srv'):
        for path in sorted((ROOT / 'dyn_msgs' / kind).glob('*')):
            text = path.read_text()
            about = re.match(r'(#.*\n)*', text)[0]
            yield (f'## {path.stem}\n\n`dyn_msgs/{kind}/{path.stem}`\n\n' + re.sub(r'(?m)^# ?', '', about)
                   + f'\n```text\n{text[len(about):].strip()}\n```\n')


def rows(tree, prefix=''):
    for name, entry in tree.items():
        name = re.sub(r'__map_(\w+)', r'<\1>', name)
        if isinstance(entry, dict) and isinstance(entry.get('type'), str):
            yield prefix + name, entry
        elif isinstance(entry, dict):
            yield from rows(entry, f'{prefix}{name}.')


def table(path):
    """A table of the parameters of a generate_parameter_library file."""
    text = '<table><thead><tr><th>parameter</th><th>type, default</th><th>what it does</th></tr></thead><tbody>\n'
    for name, entry in rows(next(iter(yaml.safe_load((ROOT / path).read_text()).values()))):
        value = html.escape(str(entry.get('default_value')) or '""')
        default = f', <code>{value}</code>' if 'default_value' in entry else ''
        notes = ['read only'] * bool(entry.get('read_only')) + [
            key.replace('<>', '') + (f' {value}' if value else '')
            for key, value in (entry.get('validation') or {}).items()]
        note = f' <em>({html.escape("; ".join(notes))})</em>' if notes else ''
        text += (f'<tr><td style="white-space: nowrap"><code>{html.escape(name)}</code></td>'
                 f'<td>{entry["type"]}{default}</td>'
                 f'<td>{html.escape(entry.get("description", ""))}{note}</td></tr>\n')
    return text + '</tbody></table>\n'


class ParameterTable(docutils.parsers.rst.Directive):
    required_arguments = 1

    def run(self):
        return [docutils.nodes.raw('', table('dyn_control/doc/' + self.arguments[0]), format='html')]


class Literal(docutils.parsers.rst.Directive):
    required_arguments, option_spec = 1, {'language': str}

    def run(self):
        text = (ROOT / 'dyn_control/doc' / self.arguments[0]).read_text()
        return [docutils.nodes.literal_block(text, text)]


def controller():
    """dyn_control/doc/userdoc.rst, its directives of Sphinx read here."""
    docutils.parsers.rst.directives.register_directive('generate_parameter_library_details', ParameterTable)
    docutils.parsers.rst.directives.register_directive('literalinclude', Literal)
    source = (ROOT / 'dyn_control/doc/userdoc.rst').read_text()
    source = re.sub(r'\.\. contents::\n(   .*\n)*', '', source)
    source = re.sub(r'(\\d?dot q)_d', r'\1^{}_d', source)
    source = re.sub(r'``docs/(\w+)\.md``', r'`\1 <\1.html>`__', source)
    parts = docutils.core.publish_parts(source, writer_name='html5', settings_overrides={
        'math_output': 'MathML', 'initial_header_level': 2, 'halt_level': 2, 'doctitle_xform': True,
        'syntax_highlight': 'none'})
    body = re.sub(r'<span class="docutils literal">((?:<span class="pre">.*?</span>|[^<])*)</span>',
                  lambda match: '<code>' + re.sub('<.*?>', '', match[1]) + '</code>', parts['fragment'])
    return f'# {parts["title"]}\n\n<div>\n{body}\n</div>\n'


def make(folder):
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / 'docs', folder, ignore=shutil.ignore_patterns('*.yml'))
    sources = ['README.md', 'CONTRIBUTING.md', *(str(p.relative_to(ROOT)) for p in (ROOT / 'docs').rglob('*.md'))]
    for source in sources:
        text = with_gaps(moved_links(source, (ROOT / source).read_text()))
        (folder / MOVED.get(source, source[5:])).write_text(text)
    (folder / 'messages.md').write_text('\n'.join(messages()))
    (folder / 'parameters.md').write_text('# Parameters\n\n' + '\n'.join(
        f'## {node}\n\n{table(path)}' for node, path in PARAMETERS.items()))
    (folder / 'dyn_control.md').write_text(controller())
    (folder / 'api.md').write_text(
        '# C++ API\n\nThe public headers, as they say themselves: <a href="api/files.html">files</a>, '
        '<a href="api/annotated.html">classes</a>. Begin with `dyn_core/solver.hpp`.\n')


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.places = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ('href', 'src') and value is not None:
                self.links.append(value)
            elif name in ('id', 'name'):
                self.places.add(value)


def broken(folder):
    pages = {path: Page(path.read_text()) for path in folder.rglob('*.html')}
    for path, page in pages.items():
        for link in set(page.links):
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc or path.name == '404.html':
                continue
            end = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            place = urllib.parse.unquote(parts.fragment)
            if not end.exists():
                yield f'{path.relative_to(folder)}: {link} is not there'
            elif place and end in pages and place not in pages[end].places and 'api' not in path.parts:
                yield f'{path.relative_to(folder)}: {link}: there is no such place'
    print(f'{sum(len(set(page.links)) for page in pages.values())} links in {len(pages)} pages')


if sys.argv[1] == '--links':
    sys.exit('\n'.join(broken(pathlib.Path(sys.argv[2]).resolve())) or None)
make(pathlib.Path(sys.argv[1]))

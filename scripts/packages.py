#!/usr/bin/python3
"""What the packages say of themselves: run by ./test.

Without options: versions and changelogs agree, nothing is taken from outside a package's folder.
--write  the address and the maintainer below into every package.xml
--keys F the rosdep keys exist in the checkout F of github.com/ros/rosdistro, for every distribution below
"""
import os
import pathlib
import re
import sys

# The one place where these are written; then `scripts/packages.py --write`.
REPOSITORY = 'https://github.com/OWNER/dyn'
MAINTAINER, ADDRESS = 'The dyn developers', 'OWNER@users.noreply.github.com'
DISTRIBUTIONS = ('jazzy', 'kilted', 'lyrical', 'rolling')

ROOT = pathlib.Path(__file__).resolve().parent.parent
MANIFESTS = sorted(ROOT.glob('*/package.xml'))
OUTSIDE = {  # what may look beyond its package
    'dyn_py/CMakeLists.txt',  # pip builds the library too, from the checkout; not read where dyn_core is installed
    'dyn_core/CMakeLists.txt',  # builds the page of dyn_view too, where that lies beside it
    'dyn_core/test/CMakeLists.txt',  # leaves out the tests of docs/, which follow, where that is not there
    'dyn_core/test/tool/test_docs.cpp', 'dyn_core/test/tool/test_tool_paper.cpp',
    'dyn_core/test/tool/test_tool_pictures.cpp',
}
BASES = {'${CMAKE_CURRENT_SOURCE_DIR}': '.', '${PROJECT_SOURCE_DIR}': '/', '${DYN_PACKAGING_DIR}': '.'}


def head(manifest):
    """The text with the address and the maintainer in it."""
    text = re.sub(r'\n  <url type=.*', '', manifest.read_text())
    urls = ''.join(f'\n  <url type="{kind}">{REPOSITORY}{end}</url>'
                   for kind, end in (('repository', ''), ('bugtracker', '/issues'), ('website', '')))
    text = re.sub(r'<maintainer.*', f'<maintainer email="{ADDRESS}">{MAINTAINER}</maintainer>', text)
    return re.sub(r'(<license>.*)', lambda match: match[1] + urls, text)


def of(manifest, tag):
    return re.findall(rf'<{tag}>(.*?)</{tag.split("[")[0]}>', manifest.read_text())


def faults():
    versions = {of(manifest, 'version')[0] for manifest in MANIFESTS}
    if len(versions) != 1:
        yield f'several versions: {versions}'
    for manifest in MANIFESTS:
        name = manifest.parent.name
        if manifest.read_text() != head(manifest):
            yield f'{name}: address or maintainer: scripts/packages.py --write'
        log = manifest.parent / 'CHANGELOG.rst'
        if not log.exists() or f'\n{max(versions)} (' not in log.read_text():
            yield f'{name}/CHANGELOG.rst has no section {max(versions)}'
        for path in sorted(manifest.parent.rglob('*')):
            if path.suffix not in ('.pyc', '.png') and not path.is_dir():
                yield from outside(path, str(path.relative_to(ROOT)))


def outside(path, file):
    """Paths with .. that leave the package; those below a variable are of the installation."""
    if path.is_symlink() or not path.exists():
        yield f'{file} is a link or is not there'
    elif file not in OUTSIDE and '/test/data/' not in file:
        package, text = ROOT / file.split('/')[0], path.read_bytes().decode(errors='replace')
        for base, way in re.findall(r'(\$\{\w+\}|DATA_DIR\W*)?/?((?:\.\./)+[\w./-]*)', text):
            folder = package / 'test/data' if base[:1] == 'D' else path.parent
            if base[:1] != '$' or base in BASES:
                folder = package if BASES.get(base) == '/' else folder
                end = pathlib.Path(os.path.normpath(folder / way))
                if package not in (end, *end.parents):
                    yield f'{file}: {way} is outside of the package'


def unknown_keys(rosdistro):
    own = {of(manifest, 'name')[0] for manifest in MANIFESTS}
    files = (rosdistro / 'rosdep').glob('*.yaml')
    known = set(re.findall(r'(?m)^([\w+.-]+):', ''.join(file.read_text() for file in files)))
    for distribution in DISTRIBUTIONS:
        text = (rosdistro / distribution / 'distribution.yaml').read_text()
        packages = set(re.findall(r'(?m)^ {2,8}(?:- )?([a-z]\w+):?$', text))
        for manifest in MANIFESTS:
            for key in set(re.findall(r'depend>([\w-]+)<', manifest.read_text())) - own - known - packages:
                yield f'{manifest.parent.name}: {key} is not known to {distribution}'


if sys.argv[1:2] == ['--write']:
    for path in MANIFESTS:
        path.write_text(head(path))
found = list(unknown_keys(pathlib.Path(sys.argv[2])) if sys.argv[1:2] == ['--keys'] else faults())
print(f'{len(MANIFESTS)} packages of version {of(MANIFESTS[0], "version")[0]}')
sys.exit('\n'.join(found) or None)

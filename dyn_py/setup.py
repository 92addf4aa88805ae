"""pip install ./dyn_py: CMake builds the package, the library beside it included."""

import os
import pathlib
import re
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = pathlib.Path(__file__).parent
VERSION = re.search('<version>(.*)</version>', (HERE / 'package.xml').read_text()).group(1)


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        target = pathlib.Path(self.build_lib).absolute()
        subprocess.run(['cmake', '-S', HERE, '-B', self.build_temp, '-DCMAKE_BUILD_TYPE=Release',
                        '-DBUILD_TESTING=OFF', '-DDYN_PY_INSTALL_DIR=.', f'-DPython_EXECUTABLE={sys.executable}',
                        '-DCMAKE_DISABLE_FIND_PACKAGE_dyn_core=ON',
                        '-DCMAKE_UNITY_BUILD=ON', '-DCMAKE_UNITY_BUILD_BATCH_SIZE=4',
                        *os.environ.get('CMAKE_ARGS', '').split()], check=True)
        subprocess.run(['cmake', '--build', self.build_temp, '-j', str(os.cpu_count())], check=True)
        subprocess.run(['cmake', '--install', self.build_temp, '--component', 'python',
                        '--prefix', target], check=True)


setup(version=VERSION, ext_modules=[Extension('dyn._dyn', [])], cmdclass={'build_ext': CMakeBuild})

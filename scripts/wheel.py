#!/usr/bin/env python3
"""Packs the archive of `make bundle` as a wheel, which `pip install` puts into any environment of Python on x86-64
Linux with glibc 2.31 or later: the command attnscope, with its libraries and samples. Nothing in it is Python but what
starts it. The extra [cuda] brings CUDA's runtime and cuBLAS, which the plug-in finds beside the package.

    scripts/wheel.py ARCHIVE.tar.gz FOLDER      writes FOLDER/attnscope-VERSION-py3-none-manylinux_2_31_x86_64.whl
"""
import base64
import hashlib
import os
import stat
import subprocess
import sys
import tarfile
import tempfile
import zipfile

TAG = "py3-none-manylinux_2_31_x86_64"

# Also of Python 3.6, whose pip knows no such tag but which may run from a folder.
STARTER = '''"""Starts the program that lies in this package, with what it needs."""
import glob
import os
import sys


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    program = os.path.join(here, "bundle", "attnscope")
    # cuBLAS and CUDA's runtime, as NVIDIA's packages install them; a folder that was named before comes first.
    folders = [folder for path in dict.fromkeys([os.path.dirname(here)] + sys.path)
               for folder in sorted(glob.glob(os.path.join(path, "nvidia", "*", "lib")))
               if glob.glob(os.path.join(folder, "libcublas.so.*"))
               or glob.glob(os.path.join(folder, "libcudart.so.*"))]
    given = os.environ.get("LD_LIBRARY_PATH")
    if folders:
        os.environ["LD_LIBRARY_PATH"] = ":".join(([given] if given else []) + folders)
    os.execv(program, [program] + sys.argv[1:])
'''

METADATA = """Metadata-Version: 2.1
Name: attnscope
Version: {version}
Summary: Attention in translation Transformers, on a terminal
License: GPL-3.0-or-later
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: C
Requires-Python: >=3.6
Provides-Extra: cuda
Requires-Dist: nvidia-cuda-runtime<14,>=13; extra == "cuda"
Requires-Dist: nvidia-cublas<14,>=13; extra == "cuda"

"""

WHEEL = f"Wheel-Version: 1.0\nGenerator: attnscope\nRoot-Is-Purelib: false\nTag: {TAG}\n"


class Wheel:
    """A wheel being written: the same content gives the same bytes."""

    def __init__(self, path):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.record = []

    def add(self, name, content, executable=False):
        info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = (stat.S_IFREG | (0o755 if executable else 0o644)) << 16
        self.zip.writestr(info, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(content)}\n")

    def close(self, name):
        self.zip.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), "".join(self.record) + f"{name},,\n")
        self.zip.close()


def bundle_files(folder):
    """Returns (name below the folder, path) of all files, without links to folders, which pip does
    not install."""
    for base, folders, names in sorted(os.walk(folder)):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(base, name)
            yield os.path.relpath(path, folder), path


def version_of(folder):
    said = subprocess.run([os.path.join(folder, "attnscope"), "--version"], check=True, capture_output=True, text=True)
    return said.stdout.split()[1]


def write(folder, out):
    version = version_of(folder)
    path = os.path.join(out, f"attnscope-{version}-{TAG}.whl")
    about = f"attnscope-{version}.dist-info"
    wheel = Wheel(path + ".new")
    wheel.add("attnscope/__init__.py", STARTER.encode())
    wheel.add("attnscope/__main__.py", b"from attnscope import main\n\nmain()\n")
    for name, file in bundle_files(folder):
        with open(file, "rb") as stream:
            wheel.add("attnscope/bundle/" + name, stream.read(), os.access(file, os.X_OK))
    with open(os.path.join(folder, "LICENSE"), "rb") as stream:
        wheel.add(f"{about}/LICENSE", stream.read())
    wheel.add(f"{about}/METADATA", METADATA.format(version=version).encode())
    wheel.add(f"{about}/WHEEL", WHEEL.encode())
    wheel.add(f"{about}/entry_points.txt", b"[console_scripts]\nattnscope = attnscope:main\n")
    wheel.close(f"{about}/RECORD")
    os.replace(path + ".new", path)
    return path


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: scripts/wheel.py ARCHIVE.tar.gz FOLDER")
    os.makedirs(sys.argv[2], exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        with tarfile.open(sys.argv[1]) as archive:
            archive.extractall(scratch)
        path = write(os.path.join(scratch, os.listdir(scratch)[0]), sys.argv[2])
    print(f"{path}: {os.path.getsize(path) / 2 ** 20:.0f} MiB")


if __name__ == "__main__":
    main()

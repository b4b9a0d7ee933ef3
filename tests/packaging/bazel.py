"""python3 bazel.py SOURCE PREFIX WORK CXX: builds and runs each test of BUILD.bazel without Bazel.

Bazel's build files are a subset of Python. Short functions replace those that the file calls. Each test is compiled in a folder that has only the
files that its rule and its libraries name, as in Bazel's sandbox. The library must name the headers that CMake has installed in PREFIX.
"""

import glob
import os
import re
import shutil
import subprocess
import sys

source, prefix, work, cxx = sys.argv[1:]
libraries, tests, loaded = {}, [], []


def cc_library(name, hdrs, textual_hdrs, includes, visibility):
    if visibility != ["//visibility:public"]:
        sys.exit(f"{name} is not public")
    libraries[":" + name] = (hdrs + textual_hdrs, includes)


def files_of(folder, patterns):
    found = {path for pattern in patterns for path in glob.glob(os.path.join(folder, pattern), recursive=True) if os.path.isfile(path)}
    return sorted(os.path.relpath(path, folder) for path in found)


with open(os.path.join(source, "BUILD.bazel"), encoding="utf-8") as file:
    exec(compile(file.read(), "BUILD.bazel", "exec"), {
        "load": lambda *names: loaded.extend(names), "glob": lambda patterns: files_of(source, patterns), "cc_library": cc_library,
        "cc_test": lambda **rule: tests.append(rule)})

# A repository may be loaded only if MODULE.bazel names it.
with open(os.path.join(source, "MODULE.bazel"), encoding="utf-8") as file:
    dependencies = re.findall(r'bazel_dep\(name = "([a-z_]+)"', file.read())
if loaded != [f"@{dependencies[0]}//cc:defs.bzl", "cc_library", "cc_test"]:
    sys.exit(f"loaded: {loaded}")

named = [name.removeprefix("include/") for name in libraries[":dyadic"][0]]
installed = files_of(os.path.join(prefix, "include"), ["**/*"])
if sorted(named) != installed:
    sys.exit(f"named or installed, but not both: {sorted(set(named) ^ set(installed))}")

if not tests:
    sys.exit("BUILD.bazel has no test")
shutil.rmtree(work, ignore_errors=True)
for test in tests:
    sandbox = os.path.join(work, test["name"])
    used = [libraries[name] for name in test["deps"]]
    for name in [*test["srcs"], *(name for files, _ in used for name in files)]:
        os.makedirs(os.path.dirname(os.path.join(sandbox, name)), exist_ok=True)
        shutil.copy(os.path.join(source, name), os.path.join(sandbox, name))
    flags = [*test["copts"], *(f"-I{folder}" for _, folders in used for folder in folders)]
    subprocess.run([cxx, *flags, *test["srcs"], "-o", "program"], cwd=sandbox, check=True)
    subprocess.run([os.path.join(sandbox, "program")], check=True)

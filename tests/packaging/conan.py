"""python3 conan.py RECIPE PREFIX WORK: runs the recipe without Conan.

Short functions replace the functions of Conan that the recipe calls. The recipe must package the files that CMake has installed in PREFIX,
and accept the compilers that config.hpp accepts.
"""

import fnmatch
import importlib.util
import os
import re
import shutil
import sys
import types


def files_below(folder):
    return sorted(os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names)


def copy(conanfile, pattern, src, dst):
    names = [name for name in files_below(src) if fnmatch.fnmatch(name, pattern)]
    if not names:
        sys.exit(f"no {pattern} in {src}")
    for name in names:
        os.makedirs(os.path.dirname(os.path.join(dst, name)), exist_ok=True)
        shutil.copy(os.path.join(src, name), os.path.join(dst, name))


def load(conanfile, path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class ConanInvalidConfiguration(Exception):
    pass


def check_min_cppstd(conanfile, standard):
    if int(conanfile.settings.get_safe("compiler.cppstd").removeprefix("gnu")) < standard:
        raise ConanInvalidConfiguration


class Version(tuple):
    """Numbers, compared one by one."""

    def __new__(cls, text):
        return super().__new__(cls, map(int, str(text).split(".")))

    def __lt__(self, other):
        return tuple(self) < tuple(Version(other))


class Settings:
    """A compiler, with the members compiler.version, compiler.cppstd and compiler.runtime."""

    def __init__(self, compiler, version, **members):
        self.members = {"compiler.cppstd": "17", "compiler.version": version, **{f"compiler.{name}": value for name, value in members.items()}}
        self.compiler = type("Setting", (str,), {"version": version})(compiler)

    def get_safe(self, name):
        return self.members.get(name)


class Info:
    def __init__(self):
        self.properties = {}
        self.cleared = False

    def clear(self):
        self.cleared = True

    def set_property(self, name, value):
        self.properties[name] = value


recipe_path, prefix, work = sys.argv[1:]
conan = types.ModuleType("conan")
conan.ConanFile = object
for name, functions in {"errors": [ConanInvalidConfiguration], "tools": [], "tools.build": [check_min_cppstd], "tools.files": [copy, load],
                        "tools.scm": [Version]}.items():
    sys.modules[f"conan.{name}"] = types.ModuleType(f"conan.{name}")
    for function in functions:
        setattr(sys.modules[f"conan.{name}"], function.__name__, function)
sys.modules["conan"] = conan
spec = importlib.util.spec_from_file_location("conanfile", recipe_path)
module = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
spec.loader.exec_module(module)

shutil.rmtree(work, ignore_errors=True)
recipe = module.Dyadic()
recipe.recipe_folder = os.path.dirname(recipe_path)
recipe.export_sources_folder = recipe.source_folder = os.path.join(work, "source")
recipe.package_folder = os.path.join(work, "package")
recipe.info, recipe.cpp_info = Info(), Info()
for step in (recipe.set_version, recipe.export_sources, recipe.package, recipe.package_id, recipe.package_info):
    step()

packaged, installed = (files_below(os.path.join(folder, "include")) for folder in (recipe.package_folder, prefix))
if packaged != installed:
    sys.exit(f"packaged or installed, but not both: {sorted(set(packaged) ^ set(installed))}")
if not os.path.exists(os.path.join(recipe.package_folder, "licenses", "LICENSE")):
    sys.exit("no licence in the package")
config = load(recipe, os.path.join(prefix, "share", "cmake", "dyadic", "dyadicConfigVersion.cmake"))
if f'set(PACKAGE_VERSION "{recipe.version}")' not in config:
    sys.exit(f"the recipe has version {recipe.version}, but CMake has installed another version")
if recipe.cpp_info.properties["cmake_target_name"] != "dyadic::dyadic":
    sys.exit("the target has another name than CMake's")
if f"\nDescription: {recipe.description}\n" not in load(recipe, os.path.join(prefix, "share", "pkgconfig", "dyadic.pc")):
    sys.exit("the recipe and CMake have other descriptions")
if not recipe.info.cleared:
    sys.exit("the package depends on the compiler")

# Valid compilers are those that config.hpp accepts, except MSVC, which has not compiled the library yet.
header = load(recipe, os.path.join(prefix, "include", "dyadic", "config.hpp"))
gcc, clang = (int(re.search(rf"needs {name} (\d+) or newer", header)[1]) for name in ("GCC", "Clang"))
windows = int(re.search(r"needs Clang (\d+) or newer for the Microsoft ABI", header)[1])
for settings, valid in (
    (Settings("gcc", f"{gcc}"), True),
    (Settings("gcc", f"{gcc}.2", cppstd="gnu20"), True),
    (Settings("gcc", f"{gcc - 1}.9"), False),
    (Settings("gcc", f"{gcc}", cppstd="gnu14"), False),
    (Settings("clang", f"{clang}"), True),
    (Settings("clang", f"{clang - 1}"), False),
    (Settings("clang", f"{clang}", cppstd="14"), False),
    (Settings("clang", f"{windows}", runtime="dynamic"), True),
    (Settings("clang", f"{windows - 1}", runtime="dynamic"), False),
    (Settings("apple-clang", f"{clang}.0"), True),
    (Settings("msvc", "193", runtime="dynamic"), False),
    (Settings("intel-cc", "2023.1"), False),
):
    recipe.settings = settings
    try:
        recipe.validate()
        found = True
    except ConanInvalidConfiguration:
        found = False
    if found != valid:
        sys.exit(f"{settings.compiler} {settings.members} is {'valid' if found else 'not valid'}")

"""python3 conan.py RECIPE PREFIX WORK: runs the recipe without Conan.

Short functions replace the functions of Conan that the recipe calls. The recipe must package the files that CMake has installed in PREFIX.
"""

import fnmatch
import importlib.util
import os
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


class Info:
    def __init__(self):
        self.properties = {}

    def clear(self):
        self.cleared = True

    def set_property(self, name, value):
        self.properties[name] = value


recipe_path, prefix, work = sys.argv[1:]
conan = types.ModuleType("conan")
conan.ConanFile = object
tools = types.ModuleType("conan.tools.files")
tools.copy, tools.load = copy, load
sys.modules.update({"conan": conan, "conan.tools": types.ModuleType("conan.tools"), "conan.tools.files": tools})
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

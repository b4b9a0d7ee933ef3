# A recipe of this checkout: conan create cmake/packaging/conan

import os
import re

from conan import ConanFile
from conan.tools.files import copy, load


class Dyadic(ConanFile):
    name = "dyadic"
    description = "Quantization mathematics, bit-exact and header-only"
    license = "Apache-2.0"
    package_type = "header-library"
    no_copy_source = True

    def root(self):
        return os.path.join(self.recipe_folder, "..", "..", "..")

    def set_version(self):
        config = load(self, os.path.join(self.root(), "include", "dyadic", "config.hpp"))
        self.version = ".".join(re.findall(r"#define DYADIC_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", config))

    def export_sources(self):
        for pattern in ("include/*.hpp", "include/*.inc", "LICENSE"):
            copy(self, pattern, self.root(), self.export_sources_folder)

    def package(self):
        copy(self, "include/*", self.source_folder, self.package_folder)
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "dyadic")
        self.cpp_info.set_property("cmake_target_name", "dyadic::dyadic")
        self.cpp_info.set_property("pkg_config_name", "dyadic")

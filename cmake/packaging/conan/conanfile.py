# A recipe of this checkout: conan create cmake/packaging/conan

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy, load
from conan.tools.scm import Version


class Dyadic(ConanFile):
    name = "dyadic"
    description = "Quantization mathematics, bit-exact and header-only"
    license = "Apache-2.0"
    topics = ("quantization", "requantization", "fixed-point", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
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

    def validate(self):
        check_min_cppstd(self, 17)
        oldest = {"gcc": "11", "clang": "14", "apple-clang": "14"}
        if self.settings.get_safe("compiler.runtime"):  # the ABI of MSVC
            oldest = {"clang": "19"}
        compiler = str(self.settings.compiler)
        if compiler not in oldest or Version(self.settings.compiler.version) < oldest[compiler]:
            raise ConanInvalidConfiguration("dyadic needs GCC 11, Clang 14, Clang 19 with the ABI of MSVC, or newer")

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "dyadic")
        self.cpp_info.set_property("cmake_target_name", "dyadic::dyadic")
        self.cpp_info.set_property("pkg_config_name", "dyadic")

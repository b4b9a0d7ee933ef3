"""Builds the package: `pip install . --no-build-isolation`. DYADIC_INCLUDE names another folder of the library's headers."""
import os
import pathlib
import re

from pybind11.setup_helpers import Pybind11Extension
from setuptools import setup

here = pathlib.Path(__file__).parent.resolve()
include = pathlib.Path(os.environ.get("DYADIC_INCLUDE", here.parents[2] / "include"))
config = (include / "dyadic" / "config.hpp").read_text()
version = ".".join(re.findall(r"#define DYADIC_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", config))

flags = ["-g0"] if "CFLAGS" in os.environ else ["-g0", "-O1"]  # -O2 takes minutes

setup(
    name="dyadic",
    version=version,
    description="The arithmetic of quantized neural networks on numpy arrays, bit for bit",
    license="Apache-2.0",
    python_requires=">=3.9",
    install_requires=["numpy"],
    packages=["dyadic"],
    package_dir={"": "src"},
    package_data={"dyadic": ["py.typed", "*.pyi"]},
    ext_modules=[Pybind11Extension("dyadic._core", ["core.cpp"], include_dirs=[str(include)], cxx_std=17, extra_compile_args=flags)],
    zip_safe=False,
)

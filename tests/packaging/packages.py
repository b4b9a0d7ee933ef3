"""python3 packages.py PACKAGE SOURCE PREFIX WORK CMAKE CXX MESON: makes the archive of one package manager, tests its files, and builds a
program with them. MESON may be empty.

The archive must hold the headers that CMake has installed in PREFIX. Each field of its manifests must keep the rules of the package manager and
say what the installed files say. The archive is then spoiled in many ways, and each way must be noticed.
"""

import configparser
import dataclasses
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml
import zipfile

package, source, prefix, work, cmake, cxx, meson = sys.argv[1:]
url = "https://example.org/dyadic"
here = os.path.dirname(os.path.abspath(__file__))


def read(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


def files_below(folder):
    paths = (os.path.join(at, name) for at, _, names in os.walk(folder) for name in names)
    return {os.path.relpath(path, folder).replace(os.sep, "/"): read(path) for path in paths}


# The files that CMake has installed.
headers = files_below(os.path.join(prefix, "include"))
installed = dict(line.split(": ", 1) for line in read(prefix, "share", "pkgconfig", "dyadic.pc").decode().splitlines() if ": " in line)
version, description, licence = installed["Version"], installed["Description"], installed["License"]


class Fault(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Fault(text)


def expect_fields(fields, rules, where):
    """Each rule is a value, or a function of the value. All fields must be there, and no others."""
    expect(set(fields) == set(rules), f"{where}: missing or unknown: {set(fields) ^ set(rules)}")
    for name, rule in rules.items():
        value = fields[name]
        expect(rule(value) if callable(rule) else rule == value, f"{where}: {name} is {value!r}")


def read_properties(text, separator):
    """Lines of a name and a value. A line without a value begins a group, whose lines are indented by two spaces."""
    fields = {}
    group = fields
    for line in text.splitlines():
        name, found, value = line.partition(separator)
        expect(found, f"not a field: {line}")
        if not name.startswith("  "):
            group = fields
        name, value = name.strip(), value.strip().strip('"')
        expect(name not in group, f"{name} is there twice")
        group[name] = value or {}
        if not value:
            group = group[name]
    return fields


def check_arduino(files):
    text = files["library.properties"].decode()
    folders = ("Display", "Communication", "Signal Input/Output", "Sensors", "Device Control", "Timing", "Data Storage", "Data Processing", "Other")
    expect_fields(read_properties(text, "="), {
        "name": "dyadic", "version": version, "author": bool, "maintainer": bool, "sentence": description, "paragraph": bool,
        "category": folders.__contains__, "url": url, "architectures": re.compile("[a-z0-9]+(,[a-z0-9]+)*").fullmatch,
        "includes": lambda name: "src/" + name in files and "/" not in name, "license": licence}, "library.properties")


def flatten(node, path, fields):
    """Adds the texts of XML elements by their paths, and attributes by path@name. Values of the same path are joined by commas."""
    for name, value in [(path, (node.text or "").strip()), *((f"{path}@{name}", value) for name, value in node.attrib.items())]:
        if value:
            fields[name] = f"{fields[name]},{value}" if name in fields else value
    for child in node:
        flatten(child, f"{path}/{child.tag}", fields)
    return fields


def check_cmsis(files):
    name = "dyadic.dyadic.pdsc"  # vendor.name.pdsc
    expect(files[name].startswith(b'<?xml version="1.0" encoding="UTF-8"?>\n'), "no XML declaration")
    try:
        fields = flatten(xml.fromstring(files[name]), "", {})
    except xml.ParseError as error:
        raise Fault(str(error)) from error
    condition, component = "/conditions/condition", "/components/component"
    expect_fields(fields, {
        "@schemaVersion": re.compile(r"1\.\d+\.\d+").fullmatch, "@{http://www.w3.org/2001/XMLSchema-instance}noNamespaceSchemaLocation": "PACK.xsd",
        "/vendor": "dyadic", "/name": "dyadic", "/description": description, "/url": url + "/", "/license": "LICENSE",
        "/releases/release@version": version, "/releases/release": bool,
        condition + "@id": "compiler", condition + "/description": bool, condition + "/accept@Tcompiler": "GCC,CLANG",
        component + "@Cclass": bool, component + "@Cgroup": "dyadic", component + "@Cversion": version, component + "@condition": "compiler",
        component + "/description": description, component + "/files/file@category": "doc,include",
        component + "/files/file@name": "README.md,include/"}, name)


def check_esp(files):
    expect_fields(read_properties(files["idf_component.yml"].decode(), ":"), {
        "version": version, "description": description, "url": url, "license": licence,
        "dependencies": lambda group: group == {"idf": ">=5.0"}}, "idf_component.yml")


def check_meson(files):
    wrap = configparser.ConfigParser()
    try:
        wrap.read_string(files["dyadic.wrap"].decode())
    except configparser.Error as error:
        raise Fault(str(error)) from error
    expect(wrap.sections() == ["wrap-file", "provide"], f"sections {wrap.sections()}")
    expect_fields(wrap["wrap-file"], {
        "directory": f"dyadic-{version}", "source_url": f"{url}/{kind.archive}", "source_filename": kind.archive,
        "source_hash": hashlib.sha256(read(work, kind.archive)).hexdigest()}, "dyadic.wrap")
    expect_fields(wrap["provide"], {"dependency_names": "dyadic"}, "dyadic.wrap")
    project, dependency = files["meson.build"].decode().split("\n", 1)
    expect(f" version: '{version}', license: '{licence}', " in project, f"meson.build: {project}")
    expect("meson.override_dependency('dyadic', " in dependency, f"meson.build: {dependency}")


def check_platformio(files):
    try:
        manifest = json.loads(files["library.json"])
    except ValueError as error:
        raise Fault(str(error)) from error
    keyword = re.compile(r"[a-z0-9+. -]{1,50}")
    expect_fields(manifest, {
        "name": "dyadic", "version": version, "description": description, "license": licence,
        "keywords": lambda words: words and all(map(keyword.fullmatch, words)), "repository": {"type": "git", "url": url},
        "headers": lambda name: "include/" + name in files, "platforms": "*", "frameworks": "*", "build": {"includeDir": "include"}}, "library.json")


def check_zephyr(files):
    fields = read_properties(files["zephyr/module.yml"].decode(), ":")
    expect_fields(fields, {"name": "dyadic", "build": dict}, "module.yml")
    expect_fields(fields["build"], {"cmake": lambda at: at + "/CMakeLists.txt" in files, "kconfig": files.__contains__}, "module.yml")
    expect(files["zephyr/Kconfig"].decode().replace("\t", "").splitlines() == [
        "config DYADIC", f'bool "dyadic: {description}"', "depends on CPP", "depends on !STD_CPP98 && !STD_CPP11 && !STD_CPP14",
        "select REQUIRES_FULL_LIBCPP"], "Kconfig")


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}")
    return done.stdout


def compile_and_run(*arguments):
    program = os.path.join(work, "consumer")
    run(cxx, *arguments, "-o", program)
    return run(program)


def build_with_include(folder):
    compile_and_run("-std=c++17", "-I", os.path.join(folder, "include"), os.path.join(here, "..", "include", "main.cpp"))


def build_module(folder):
    """Short CMake functions replace those of Zephyr and ESP-IDF."""
    module = os.path.join(folder, "zephyr") if package == "zephyr" else folder
    build = os.path.join(work, "build")
    run(cmake, "-S", os.path.join(here, "module"), "-B", build, f"-DCMAKE_CXX_COMPILER={cxx}", f"-DMODULE={module}")
    run(cmake, "--build", build)
    run(os.path.join(build, "consumer"))


def build_arduino(folder):
    """The Arduino tools add src/ to the include path, and Arduino.h to the sketch."""
    sketch = os.path.join(work, "rescale.cpp")
    with open(sketch, "wb") as file:
        file.write(b"#include <Arduino.h>\n" + read(folder, "examples", "rescale", "rescale.ino") + b"int main() { setup(); }\n")
    printed = compile_and_run("-std=gnu++17", "-I", os.path.join(here, "arduino"), "-I", os.path.join(folder, "src"), sketch)
    expect(printed == "4\n5\n", f"the sketch prints {printed}")


def build_meson(folder):
    """Meson unpacks the archive from its cache of downloads, because the archive has the hash that the wrap names."""
    if not meson:
        return
    project, build = os.path.join(work, "project"), os.path.join(work, "build")
    os.makedirs(os.path.join(project, "subprojects", "packagecache"))
    shutil.copy(os.path.join(here, "meson", "meson.build"), project)
    shutil.copy(os.path.join(here, "..", "include", "main.cpp"), project)
    shutil.copy(os.path.join(work, "dyadic.wrap"), os.path.join(project, "subprojects"))
    shutil.copy(os.path.join(work, kind.archive), os.path.join(project, "subprojects", "packagecache"))
    os.environ["CXX"] = cxx
    run(meson, "setup", "--wrap-mode=forcefallback", build, project)
    run(meson, "test", "-C", build)


@dataclasses.dataclass
class Kind:
    """What the archive of a package manager holds. Headers, licence and pages are in all archives."""

    manifests: list  # each line of a manifest is dropped, and the test must notice it
    others: list
    check: callable
    build: callable
    archive: str = f"dyadic-{package}-{version}.zip"
    top: str = "dyadic/"
    include: str = "include/"


kind = {
    "arduino": Kind(["library.properties"], ["src/dyadic.h", "examples/rescale/rescale.ino"], check_arduino, build_arduino, include="src/"),
    "cmsis": Kind(["dyadic.dyadic.pdsc"], [], check_cmsis, build_with_include, archive=f"dyadic.dyadic.{version}.pack", top=""),
    "esp": Kind(["idf_component.yml"], ["CMakeLists.txt"], check_esp, build_module),
    "meson": Kind(["dyadic.wrap", "meson.build"], [], check_meson, build_meson, archive=f"dyadic-{version}.zip", top=f"dyadic-{version}/"),
    "platformio": Kind(["library.json"], [], check_platformio, build_with_include),
    "zephyr": Kind(["zephyr/module.yml", "zephyr/Kconfig"], ["zephyr/CMakeLists.txt"], check_zephyr, build_module),
}[package]
own = kind.manifests + kind.others
pages = ["LICENSE", "README.md", "CHANGELOG.md"]


def find_fault(files):
    """The first thing that is wrong with the files of a package, or None."""
    try:
        expected = {kind.include + name: text for name, text in headers.items()}
        expected.update((name, read(source, name)) for name in pages)
        names = set(expected) | set(own)
        expect(set(files) == names, f"missing or unknown: {sorted(set(files) ^ names)}")
        for name, text in expected.items():
            expect(files[name] == text, f"{name} differs")
        kind.check(files)
    except Fault as fault:
        return str(fault)
    return None


def spoiled(files):
    """Copies of the files with one mistake each, and what the mistake is."""
    for name in [*own, *pages, kind.include + "dyadic/dyadic.hpp", next(name for name in files if name.endswith(".inc"))]:
        yield f"without {name}", {other: text for other, text in files.items() if other != name}
    for name in ["LICENSE", kind.include + "dyadic/config.hpp"]:
        yield f"a longer {name}", {**files, name: files[name] + b"\n"}
    yield "another header", {**files, kind.include + "dyadic/more.hpp": b""}
    for name in kind.manifests:
        lines = files[name].splitlines(keepends=True)
        for number, line in enumerate(lines):
            if line.strip():
                yield f"{name} without {line!r}", {**files, name: b"".join(lines[:number] + lines[number + 1:])}
        for said in (version, description, licence, url):
            for at in re.finditer(re.escape(said.encode()), files[name]):
                yield f"{name} with another {said!r}", {**files, name: files[name][:at.start()] + b"0" + files[name][at.end():]}


def main():
    shutil.rmtree(work, ignore_errors=True)
    make = [cmake, "-D", f"PACKAGE={package}", "-D", f"OUTPUT={work}", "-P", os.path.join(source, "cmake", "packaging", "archive.cmake")]
    if package != "zephyr":
        expect(subprocess.run(make, capture_output=True, check=False).returncode, "the archive was made without an address")
        make[1:1] = ["-D", f"URL={url}"]
    run(*make)
    with zipfile.ZipFile(os.path.join(work, kind.archive)) as packed:
        names = [name for name in packed.namelist() if not name.endswith("/")]
        outside = [name for name in names if not name.startswith(kind.top)]
        files = {name[len(kind.top):]: packed.read(name) for name in names}
        packed.extractall(os.path.join(work, "unpacked"))
    expect(not outside, f"outside {kind.top}: {outside}")
    if package == "meson":
        files["dyadic.wrap"] = read(work, "dyadic.wrap")
    elif package == "cmsis":
        expect(read(work, own[0]) == files[own[0]], f"{own[0]} beside the archive differs")
    fault = find_fault(files)
    expect(fault is None, fault)
    mistakes = list(spoiled(files))
    for mistake, others in mistakes:
        expect(find_fault(others) is not None, f"not noticed: {mistake}")
    kind.build(os.path.join(work, "unpacked", kind.top))
    print(f"{kind.archive}: {len(files)} files; {len(mistakes)} mistakes are noticed")


try:
    main()
except Fault as fault:
    sys.exit(str(fault))

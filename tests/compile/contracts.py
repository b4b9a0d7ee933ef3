"""contracts.py LIST XML SOURCES: tests that the list has every public function that takes a descriptor, with its contract.

A descriptor is a view, a layer or a part of a layer, a description, or a record. XML is the folder that Doxygen writes for the headers in
SOURCES. A line of the list is a contract, a header and a signature, separated by tabs:
  total    any argument is allowed: the function returns a status or a number, has no undefined behaviour, and reads only stated memory
  asserts  the comment says "Requires:", and the body has a DYADIC_ASSERT of the requirement
  by CODE  the body contains CODE, for example a call or an element of a view, which asserts the requirement
The script fails if a function is not in the list, if the list has a function that does not exist, and if a function breaks its contract.
If there is no list, all functions are reported as missing.
"""

import glob
import os
import re
import sys
import xml.etree.ElementTree as xml

DESCRIPTORS = re.compile(
    r"\b(view|matrix_view|nhwc_view|batch_view|transposed_view|any_view|any_input|any_output|any_bias|any_multipliers|layer_spec|packed_matrix"
    r"|folded_bias|fold_record|window1d|window2d|rescale_tensor|channel_range|row_range|run_options|\w+_layer|\w+_output)\b")
# Names of template parameters that are descriptors.
STANDS_FOR = {"Layer", "View", "Weights", "Bias", "Storage", "Output", "X", "Y", "A", "B", "Left", "Right", "Sums", "To", "From", "Scales",
              "BiasScales", "Multipliers", "Shifts", "Rules", "Operands"}
# These take rules, which are numbers, or pointers.
RULES_AND_POINTERS = {"compare.hpp", "thresholds.hpp", "monotone.hpp", "explain.hpp", "detail/difference.hpp", "detail/sums.hpp", "dot.hpp", "elementwise/compare_inputs.hpp",
                      "blocks/compare_scales.hpp", "rounding.hpp", "config.hpp", "int4.hpp", "elementwise/exact_table.hpp"}
CLASSES = re.compile(r"^dyadic::(view|matrix_view|nhwc_view|batch_view|transposed_view|any_view|any_bias|any_multipliers|packed_matrix|folded_bias"
                     r"|layer_kinds|\w+_output)\b")


def text(element):
    return "" if element is None else "".join(element.itertext())


def takes_descriptor(types, header):
    if any(DESCRIPTORS.search(t) for t in types):
        return True
    bare = {re.sub(r"\bconst\b|[&\s]|\.\.\.", "", t) for t in types}
    return header not in RULES_AND_POINTERS and bool(bare & STANDS_FOR)


def functions(folder, sources):
    """Returns signature -> (comment, body) of all functions that take a descriptor."""
    found = {}
    for file in glob.glob(os.path.join(folder, "*.xml")):
        for compound in xml.parse(file).getroot().iter("compounddef"):
            scope = compound.findtext("compoundname")
            if compound.get("kind") not in ("namespace", "class", "struct") or "detail" in scope:
                continue
            for member in compound.iter("memberdef"):
                if member.get("kind") != "function" or member.get("prot") != "public":
                    continue
                name = member.findtext("name")
                types = [re.sub(r"\s+", " ", text(p.find("type"))).strip() for p in member.findall("param")]
                comment = text(member.find("briefdescription")) + text(member.find("detaileddescription"))
                place = member.find("location")
                header = place.get("file").split("include/dyadic/")[-1].removeprefix("dyadic/")
                guide_or_constructor = "->" in (member.findtext("argsstring") or "") or name == re.sub(r"<.*|.*::", "", re.sub(r"<.*", "", scope))
                if compound.get("kind") == "namespace":
                    is_in = takes_descriptor(types, header) and not guide_or_constructor
                else:
                    is_in = CLASSES.match(scope) and not guide_or_constructor and (types or "Requires" in comment) or (
                        member.find("definition") is not None and member.findtext("definition").startswith("friend") and takes_descriptor(types, header))
                if not is_in or name.startswith("operator==") or name.startswith("operator!="):
                    continue
                begin, end = int(place.get("bodystart", 0)), int(place.get("bodyend", 0))
                lines = open(os.path.join(sources, header)).read().split("\n")
                body = "\n".join(lines[begin - 1:end]) if begin > 0 else ""
                where = re.sub(r"^dyadic(::)?|\s*<.*", "", scope)
                signature = f"{header}\t{where + '::' if where else ''}{name}({', '.join(types)})"
                found[signature] = (comment, body)
    return found


def main():
    name, folder, sources = sys.argv[1:]
    found = functions(folder, sources)
    listed = {}
    if os.path.exists(name):
        for line in open(name).read().split("\n"):
            if line and not line.startswith("#"):
                contract, signature = line.split("\t", 1)
                listed[signature] = contract
    wrong = [f"not in the list: {s}" for s in found if s not in listed] + [f"only in the list: {s}" for s in listed if s not in found]
    for signature, contract in listed.items():
        comment, body = found.get(signature, ("Requires", "DYADIC_ASSERT"))
        if contract == "asserts" and "Requires" not in comment:
            wrong.append(f"does not say what it requires: {signature}")
        if contract == "asserts" and "DYADIC_ASSERT" not in body:
            wrong.append(f"asserts nothing: {signature}")
        if contract.startswith("by ") and contract[3:] not in body:
            wrong.append(f"its body has no {contract[3:]}: {signature}")
        if contract not in ("total", "asserts") and not contract.startswith("by "):
            wrong.append(f"no contract is called {contract}: {signature}")
    print("\n".join(sorted(wrong)))
    print(f"{len(found)} functions take a descriptor: {sum(c == 'total' for c in listed.values())} of the {len(listed)} in the list are total")
    sys.exit(1 if wrong or not found else 0)


main()

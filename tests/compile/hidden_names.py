"""hidden_names.py INCLUDE: tests that no header can change the meaning of a name in another header.

A header uses a name of an outer namespace without qualification, for example multiply of dyadic in dyadic::ggml. Another header, which the
first header does not include, declares the same name in dyadic::ggml. The name then means another function, or nothing, in a program that
includes the other header first. The script reports each such use. The cure is to qualify the name: dyadic::multiply.

The script reads tokens: namespaces, and the declarations in them. It leaves out a name that the same declaration uses for a variable, a
parameter, a member or a template parameter.
"""

import collections
import pathlib
import re
import sys

TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'|(\.?\d(?:[eEpP][+-]|[\w.']|)*)"
                   r"|(\w+|::|->|\[\[|\]\]|[^\s\w])", re.S | re.M)
INCLUDE = re.compile(r"^ *# *include <(dyadic/[^>]+)>", re.M)
TYPES = {"struct", "class", "union", "enum"}
NOT_NAMES = {"operator", "if", "while", "for", "switch", "return", "sizeof", "decltype", "noexcept", "alignas", "static_assert", "requires"}
NOT_TYPES = {"return", "else", "case", "do", "throw", "new", "delete", "typename", "namespace", "template", "operator"}
Use = collections.namedtuple("Use", "name line scope")


def is_name(text):
    return re.match(r"[A-Za-z_]\w*$", text) is not None


def tokens_of(text):
    """Returns (text, line, True behind a space) of each token but comments and directives. A string or a number is a token '0'."""
    found, line, at = [], 1, 0
    for m in TOKEN.finditer(text):
        line += text.count("\n", at, m.start())
        at = m.start()
        if m.group(2):
            found.append((m.group(2), line, text[m.start() - 1].isspace()))
        elif m.group(1) or m.group(0)[0] in "\"'":
            found.append(("0", line, False))
    return found


class Header:
    """declared: the names that the header declares, by namespace. uses: the names that the header uses without qualification."""

    def __init__(self, text):
        self.includes = INCLUDE.findall(text)
        self.t = tokens_of(text)
        self.declared = collections.defaultdict(set)
        self.uses = []
        self.match()
        self.scope(0, len(self.t), ())

    def match(self):
        self.pair, stack = {}, []
        closing = {")": "(", "]": "[", "}": "{", "]]": "[["}
        for i, (text, _, _) in enumerate(self.t):
            if text in ("(", "[", "{", "[["):
                stack.append(i)
            elif text == "<" and self.opens_template(i):
                stack.append(i)
            elif text == ">" and stack and self.t[stack[-1]][0] == "<":
                first = stack.pop()
                self.pair[first], self.pair[i] = i, first
            elif text in closing or text == ";":
                while stack and self.t[stack[-1]][0] == "<":  # a comparison
                    stack.pop()
                if text != ";":
                    first = stack.pop()
                    self.pair[first], self.pair[i] = i, first

    def opens_template(self, i):
        return self.t[i - 1][0] == "template" or is_name(self.t[i - 1][0])

    def at(self, i):
        return self.t[i][0] if 0 <= i < len(self.t) else ""

    def scope(self, i, end, names):
        """Reads the statements of a namespace."""
        while i < end:
            text = self.at(i)
            if text == "inline" and self.at(i + 1) == "namespace":
                i += 1
            elif text == "namespace":
                i = self.namespace(i, names)
            elif text in (";", "}"):
                i += 1
            else:
                i = self.declaration(i, end, names)

    def namespace(self, i, names):
        path, k = list(names), i + 1
        is_inline = self.at(i - 1) == "inline"
        while self.at(k) != "{":
            if self.at(k) not in ("::", "inline") and not is_inline:
                self.declared[tuple(path)].add(self.at(k))
                path.append(self.at(k))
            k += 1
        self.scope(k + 1, self.pair[k], tuple(path))
        return self.pair[k] + 1

    def declaration(self, i, end, names):
        """Reads a declaration or a definition, and returns the place after it."""
        first, k, parameters = i, i, set()
        while self.at(k) == "template" and self.at(k + 1) == "<":
            close = self.pair[k + 1]
            parameters |= self.parameters_of(k + 2, close)
            k = close + 1
        while self.at(k) in ("inline", "constexpr", "static", "extern", "DYADIC_API", "friend", "const", "explicit"):
            k += 1
        name, body = self.declared_name(k, end)
        if name:
            self.declared[names].add(name)
        stop = self.end_of(k, end, body)
        self.read_uses(first, stop, names, parameters)
        return stop

    def declared_name(self, k, end):
        """Returns the name that the declaration at k declares, or "", and the place of its class body, or -1."""
        kind = self.at(k)
        if kind == "using":
            stop = k
            while self.at(stop) not in ("=", ";"):
                stop += 1
            return self.at(stop - 1), -1
        if kind in TYPES:
            k += 1
            while self.at(k) in ("class", "struct") or self.at(k) == "[[":
                k = self.pair[k] + 1 if self.at(k) == "[[" else k + 1
            name = self.at(k)
            is_special = self.at(k + 1) in ("<", "::")
            while k < end and self.at(k) not in ("{", ";"):
                k = self.pair[k] + 1 if k in self.pair and self.at(k) in "(<[" else k + 1
            return ("" if is_special else name), (k if self.at(k) == "{" else -1)
        while k < end:
            text = self.at(k)
            if text in ("(", "=", "{", ";", "["):
                before = self.at(k - 1)
                if before == ">" and k - 1 in self.pair:  # a specialization
                    return "", -1
                is_qualified = self.at(k - 2) == "::" and text == "("
                return (before if is_name(before) and before not in NOT_NAMES and not is_qualified else ""), -1
            if text == "operator":
                return "", -1
            k = self.pair[k] + 1 if k in self.pair and text in ("<", "[[") else k + 1
        return "", -1

    def end_of(self, k, end, body):
        if body >= 0:
            k = self.pair[body] + 1
        while k < end:
            text = self.at(k)
            if text == ";":
                return k + 1
            if text == "{" and k in self.pair:
                k = self.pair[k] + 1
                if self.at(k) != ";" and self.at(k) != ",":
                    return k
                continue
            k = self.pair[k] + 1 if k in self.pair and text in ("(", "[", "<", "[[") else k + 1
        return end

    def parameters_of(self, begin, end):
        """Returns the names of template parameters."""
        return {self.at(k) for k in range(begin, end) if is_name(self.at(k)) and self.at(k + 1) in (",", ">", "=")
                and self.at(k - 1) not in ("::", "=", "<")}

    def read_uses(self, begin, end, names, parameters):
        local = set(parameters)
        for k in range(begin, end):
            if self.is_local_name(k):
                local.add(self.at(k))
        for k in range(begin, end):
            name, line, _ = self.t[k]
            if is_name(name) and self.at(k - 1) not in ("::", ".", "->") and name not in local:
                self.uses.append(Use(name, line, names))

    def is_local_name(self, k):
        """Returns True if the token may be the name of a variable, a parameter, a member or a member function that is declared here."""
        name, before = self.at(k), self.at(k - 1)
        if not is_name(name) or self.at(k + 1) not in ("(", "=", "{", ";", ",", ")", ":", "["):
            return False
        if before in ("&", "*"):  # part of a type, if no space is before it
            while self.at(k - 1) in ("&", "*"):
                k -= 1
            return not self.t[k][2]
        return (is_name(before) and before not in NOT_TYPES) or (before == ">" and k - 1 in self.pair) or before == "."


def closure(headers, name, found):
    for other in headers[name].includes:
        if other in headers and other not in found:
            found.add(other)
            closure(headers, other, found)
    return found


def problems(headers):
    declaring = collections.defaultdict(set)  # (namespace, name) -> headers
    for name, header in headers.items():
        for namespace, names in header.declared.items():
            for declared in names:
                declaring[namespace, declared].add(name)
    for name, header in sorted(headers.items()):
        seen = closure(headers, name, {name})
        for use in header.uses:
            for depth in range(len(use.scope), 1, -1):
                where = declaring.get((use.scope[:depth], use.name), set())
                if where & seen:
                    break
                outer = any(declaring.get((use.scope[:d], use.name), set()) & seen for d in range(1, depth))
                if where and outer:
                    yield f"{name}:{use.line}: '{use.name}' can be {'::'.join(use.scope[:depth])}::{use.name} of {sorted(where)[0]}; qualify it"
                    break


def main(include):
    headers = {}
    for path in sorted(include.glob("dyadic/**/*")):
        if path.suffix in (".hpp", ".inc"):
            headers[str(path.relative_to(include))] = Header(path.read_text())
    wrong = sorted(set(problems(headers)))
    print(*wrong, sep="\n")
    uses = sum(len(h.uses) for h in headers.values())
    print(f"{len(wrong)} names can be hidden, of {uses} in {len(headers)} files")
    return 1 if wrong or not headers else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))

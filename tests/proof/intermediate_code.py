"""Clang's intermediate code of functions without loops, as text for a solver."""
import re

# Functions that are called and have their own proof. Callers are proved for any values that these functions return.
kept_functions = r'_ZN6dyadic(?:8multiply|6divide|3add|21scale_by_power_of_two|6detail7convert)B\w+?INS_8binary(?:32|64)E'

# Attributes of operations that do not matter here.
remarks = r'\b(nsw|nuw|exact|disjoint|nneg|samesign|tail|notail|noundef|signext|zeroext|fastcc|inbounds|range\([^)]*\)) '


class function:
    """A function of Clang's intermediate code: its arguments, its blocks and its requirements, in order."""
    def __init__(self, name, arguments, text):
        self.name, self.arguments, self.blocks = name, arguments, []
        for line in text.splitlines():
            line = re.sub(r'(, !| ;|, align ).*', '', line).strip()
            if not line or line.startswith(';'): continue
            label = re.match(r'([\w.]+):', line)
            if label or not self.blocks: self.blocks.append(('%' + (label[1] if label else 'entry'), []))
            if label: continue
            if re.match(r'i\d+ -?\d+, label|\]', line): self.blocks[-1][1][-1] += ' ' + line  # the lines of a switch
            else: self.blocks[-1][1].append(line)
        self.requirements = text.count('@require(')


class translation:
    """The SMT-LIB text of a function. `trap` is the condition under which a trap is reached."""
    def __init__(self, f, theory, left_out=None):
        self.theory, self.lines, self.count, self.env, self.called, self.quotients = theory, [], 0, {}, set(), []
        for n, name in f.arguments:
            self.env[name] = argument = name.replace('%', 'x.')
            self.lines.append(f'(declare-const {argument} {self.sort(n)})')
            if n > 1 and theory.range(argument, n): self.assume(theory.range(argument, n))
        self.translate(f, left_out)
    def sort(self, n): return 'Int' if n == 0 else 'Bool' if n == 1 else self.theory.sort(n)
    def unknown(self, n):
        self.count += 1
        self.lines.append(f'(declare-const u{self.count} {self.sort(n)})')
        if n > 1 and self.theory.range('u', n): self.assume(self.theory.range(f'u{self.count}', n))
        return f'u{self.count}'
    def named(self, text, sort):
        self.count += 1
        self.lines.append(f'(define-fun n{self.count} () {sort} {text})')
        return f'n{self.count}'
    def assume(self, c): self.lines.append(f'(assert {c})')

    def value(self, n, text):
        if text.startswith('%'): return self.env[text]
        if text in ('undef', 'poison'): return self.unknown(n)
        v = {'true': 1, 'false': 0, 'zeroinitializer': 0}.get(text)
        v = int(text) if v is None else v
        return ('true' if v else 'false') if n == 1 else self.theory.number(v, n)

    def translate(self, f, left_out):
        entered = {label: [] for label, _ in f.blocks}  # the preceding blocks and their conditions
        entered[f.blocks[0][0]] = [(None, 'true')]
        before = {l: {k for k, lines in f.blocks if l in re.findall(r'label (%[\w.]+)', lines[-1])} for l, _ in f.blocks}
        pending, done, traps, self.required = dict(f.blocks), set(), [], 0
        while pending:
            label = next((l for l in pending if before[l] <= done), None)
            if label is None: raise ValueError('a loop')
            reached = self.named('(or false ' + ' '.join(c for _, c in entered[label]) + ')', 'Bool')
            for line in pending.pop(label):
                to, op = ([*line.split(' = ', 1)] if line.startswith('%') else [None, line])
                op = re.sub(remarks, '', op)
                if m := re.match(r'call i(\d+) @(' + kept_functions + r'\w+)\(', op):
                    self.called.add(m[2])
                    self.env[to] = self.unknown(int(m[1]))
                elif 'ubsantrap' in op or '@llvm.trap' in op: traps.append(reached)
                elif self.jump(op, label, reached, entered): pass
                elif m := re.match(r'call void @require\(i1 (\S+)\)', op):
                    if self.required != left_out: self.assume(f'(=> {reached} {self.value(1, m[1])})')
                    self.required += 1
                else:
                    result = self.phi(op, entered[label]) or self.result(op)
                    if result is None: raise ValueError('not understood: ' + line)
                    if isinstance(result[0], tuple): self.env[to] = result
                    elif op.startswith('freeze'): self.env[to] = result[0]  # the same number under the same name
                    elif to: self.env[to] = self.named(result[0], self.sort(result[1]))
            done.add(label)
        self.trap = '(or false ' + ' '.join(traps) + ')'

    def jump(self, op, label, reached, entered):
        if m := re.match(r'br label (%[\w.]+)', op): entered[m[1]].append((label, reached))
        elif m := re.match(r'br i1 (\S+), label (%[\w.]+), label (%[\w.]+)', op):
            c = self.value(1, m[1])
            entered[m[2]].append((label, self.named(f'(and {reached} {c})', 'Bool')))
            entered[m[3]].append((label, self.named(f'(and {reached} (not {c}))', 'Bool')))
        elif m := re.match(r'switch i(\d+) (\S+), label (%[\w.]+) \[(.*)', op):
            n, rest = int(m[1]), reached
            x = self.value(n, m[2])
            for v, to in re.findall(r'i\d+ (-?\d+), label (%[\w.]+)', m[4]):
                is_v = self.named(f'(= {x} {self.value(n, v)})', 'Bool')
                entered[to].append((label, self.named(f'(and {reached} {is_v})', 'Bool')))
                rest = self.named(f'(and {rest} (not {is_v}))', 'Bool')
            entered[m[3]].append((label, rest))
        else: return re.match(r'ret |unreachable|store |call void @(llvm\.(assume|lifetime|experimental)|use\()', op)
        return True

    def phi(self, op, entered):
        m = re.match(r'phi i(\d+) (.*)', op)
        if not m: return None
        n, x = int(m[1]), None
        for v, k in re.findall(r'\[ (\S+), (%[\w.]+) \]', m[2]):
            c = '(or false ' + ' '.join(c for at, c in entered if at == k) + ')'
            x = self.value(n, v) if x is None else f'(ite {c} {self.value(n, v)} {x})'
        return x, n

    def result(self, op):
        """Returns (text, bits) or ((result, bits), (overflow, 1)); None if the operation is unknown."""
        t = self.theory
        if m := re.match(r'(add|sub|mul|and|or|xor|shl|lshr|ashr|[us]div|[us]rem) i(\d+) (\S+), (\S+)$', op):
            o, n = m[1], int(m[2])
            x, y = self.value(n, m[3]), self.value(n, m[4])
            if n == 1: return f'({o} {x} {y})', 1
            return t.operation(self, o, x, y, n, int(m[4]) if re.match(r'-?\d+$', m[4]) else None), n
        if m := re.match(r'icmp (\w+) i(\d+) (\S+), (\S+)$', op):
            n = int(m[2])
            x, y = self.value(n, m[3]), self.value(n, m[4])
            if n == 1: return f'({"=" if m[1] == "eq" else "distinct"} {x} {y})', 1
            return t.compare(m[1], x, y, n), 1
        if m := re.match(r'select i1 (\S+), i(\d+) (\S+), i\d+ (\S+)$', op):
            n = int(m[2])
            return f'(ite {self.value(1, m[1])} {self.value(n, m[3])} {self.value(n, m[4])})', n
        if m := re.match(r'(zext|sext|trunc) i(\d+) (\S+) to i(\d+)$', op):
            n, to = int(m[2]), int(m[4])
            x = self.value(n, m[3])
            if n == 1: return f'(ite {x} {self.value(to, "1" if m[1] == "zext" else "-1")} {self.value(to, "0")})', to
            if to == 1: return t.compare('ne', t.operation(self, 'and', x, t.number(1, n), n, 1), t.number(0, n), n), 1
            return t.convert(m[1], x, n, to), to
        if m := re.match(r'freeze i(\d+) (\S+)$', op): return self.value(int(m[1]), m[2]), int(m[1])
        if m := re.match(r'extractvalue \{[^}]*\} (\S+), (\d)', op): return self.env[m[1]][int(m[2])]
        m = re.match(r'call (?:\{ )?i(\d+).*@llvm\.(\w+(?:\.\w+)*)\.i\d+\(i\d+ (\S+?)(?:, i\d+ (\S+))?\)', op)
        if not m: return None
        n, name, x = int(m[1]), m[2], self.value(int(m[1]), m[3])
        if name in ('smax', 'smin', 'umax', 'umin'):
            y = self.value(n, m[4])
            return f'(ite {t.compare(name[0] + ("gt" if name[1:] == "max" else "lt"), x, y, n)} {x} {y})', n
        if name == 'abs': return f'(ite {t.compare("slt", x, t.number(0, n), n)} {t.minus(x, n)} {x})', n
        if name == 'ctlz': return t.leading_zeros(x, n), n
        if m2 := re.match(r'([su])(add|sub|mul)\.with\.overflow', name):
            known = int(m[4]) if re.match(r'-?\d+$', m[4]) else None
            r, over = t.overflow(self, m2[2], m2[1] == 's', x, self.value(n, m[4]), n, known)
            return (r, n), (over, 1)
        if m2 := re.match(r'([su])(add|sub)\.sat', name):
            r, over = t.overflow(self, m2[2], m2[1] == 's', x, self.value(n, m[4]), n, None)
            end = lambda v: t.number(v, n)
            if m2[1] == 'u': return f'(ite {over} {end(-1 if m2[2] == "add" else 0)} {r})', n
            return f'(ite {over} (ite {t.compare("slt", x, end(0), n)} {end(-2 ** (n - 1))} {end(2 ** (n - 1) - 1)}) {r})', n
        return None


def functions_of(ir):
    found = {}
    ir = re.sub(r'"([^"\n]*)"', lambda m: re.sub(r'\W', '_', m[1]), ir)  # names in quotes
    for m in re.finditer(r'^define [^@]*@(\w+)\(([^)]*)\)[^\n]*\{\n(.*?)^\}', ir, re.S | re.M):
        arguments = [(int(a.split()[0][1:]), a.split()[-1]) for a in m[2].split(',') if a.strip()]
        found[m[1]] = function(m[1], arguments, m[3])
    return found

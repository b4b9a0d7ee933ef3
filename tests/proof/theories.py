"""A solver of SMT-LIB 2, and two representations of numbers."""
import os, re, subprocess


class solver:
    def __init__(self):
        command = os.environ.get('DYADIC_SOLVER', 'z3 -in -t:60000')
        self.process = subprocess.Popen('exec ' + command, shell=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.queries = 0

    def say(self, text):
        self.process.stdin.write(text)
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def answer(self, script):
        """Returns the solver's answer: sat, unsat, or another word."""
        self.queries += 1
        try:
            return self.say('(reset)\n(set-option :produce-models true)\n' + script + '(check-sat)\n') or 'no answer'
        except OSError:
            return 'no answer'

    def value(self, name):
        return re.sub(r'^\(\(\S+ (.*)\)\)$', r'\1', self.say(f'(get-value ({name}))\n'))


class bit_vectors:
    """Represents numbers by their bits. Unless `exact`, a product or quotient of two unknown numbers is any number within its bounds.
    Unless `shifts`, the result of a shift by an unknown number of bits is any number."""
    def __init__(self, shifts, exact): self.shifts, self.exact = shifts, exact
    def sort(self, n): return f'(_ BitVec {n})'
    def range(self, x, n): return None
    def number(self, v, n): return f'(_ bv{v % 2 ** n} {n})'
    def compare(self, how, x, y, n):
        if how in ('eq', 'ne'): return f'(= {x} {y})' if how == 'eq' else f'(distinct {x} {y})'
        return f'(bv{how} {x} {y})'
    def bit(self, c, n): return f'(ite {c} {self.number(1, n)} {self.number(0, n)})'
    def convert(self, how, x, n, to):
        if how == 'trunc': return f'((_ extract {to - 1} 0) {x})'
        return f'((_ {"sign" if how == "sext" else "zero"}_extend {to - n}) {x})'

    def fits(self, x, bits, n): return f'(= {x} ((_ sign_extend {n - bits}) ((_ extract {bits - 1} 0) {x})))'
    def operation(self, f, o, x, y, n, known):
        names = {'lshr': 'bvlshr', 'ashr': 'bvashr', 'shl': 'bvshl'}
        if known is None and not self.shifts and o in names: return f.unknown(n)
        if known is not None or self.exact or o not in ('mul', 'udiv', 'urem'): return f'({names.get(o, "bv" + o)} {x} {y})'
        r = f.unknown(n)
        if o == 'udiv': f.assume(f'(bvule {r} {x})')
        if o == 'urem': f.assume(f'(=> (distinct {y} {self.number(0, n)}) (bvult {r} {y}))')
        if o == 'mul': self.bound_product(f, x, y, r, n)
        return r
    def bound_product(self, f, x, y, r, n):
        if n != 64: return
        for a, b in ((32, 32), (48, 16)):  # integers_proof.cpp: within 2^62
            least, most = self.number(-2 ** 62, n), self.number(2 ** 62, n)
            f.assume(f'(=> (and {self.fits(x, a, n)} {self.fits(y, b, n)}) (and (bvsle {least} {r}) (bvsle {r} {most})))')
    def overflow(self, f, o, signed, x, y, n, known):
        """Returns the result, and the condition under which it differs from the result in integers."""
        extend = 'sext' if signed else 'zext'
        if o == 'mul' and known is None and not self.exact:
            r, over = f.unknown(n), f.unknown(1)
            self.bound_product(f, x, y, r, n)
            for a, b in ((32, 32), (48, 16)): f.assume(f'(=> (and {self.fits(x, a, n)} {self.fits(y, b, n)}) (not {over}))')
            return r, over
        m = 2 * n if o == 'mul' else n + 1
        wide = f'(bv{o} {self.convert(extend, x, n, m)} {self.convert(extend, y, n, m)})'
        r = f.named(f'(bv{o} {x} {y})', self.sort(n))
        return r, f'(distinct {wide} {self.convert(extend, r, n, m)})'
    def leading_zeros(self, x, n):
        r = self.number(n, n)
        for i in range(n): r = f'(ite (= ((_ extract {i} {i}) {x}) #b1) {self.number(n - 1 - i, n)} {r})'
        return r
    def minus(self, x, n): return f'(bvneg {x})'
    def text_to_number(self, text, n):
        v = int('0' + text[1:], 0)
        return v - 2 ** n if v >= 2 ** (n - 1) else v


class integers:
    """Represents numbers as signed integers. Unless `exact`, only the signs of products and quotients are known, and lemmas of
    integers_proof.cpp: -1 times x is not below -x, and n * y is at most x for any n up to x / y."""
    def __init__(self, exact): self.exact = exact
    def sort(self, n): return 'Int'
    def range(self, x, n): return f'(<= {self.number(-2 ** (n - 1), n)} {x} {2 ** (n - 1) - 1})'
    def number(self, v, n):
        v = (v + 2 ** (n - 1)) % 2 ** n - 2 ** (n - 1)
        return str(v) if v >= 0 else f'(- {-v})'
    def wrapped(self, x, n): return f'(- (mod (+ {x} {2 ** (n - 1)}) {2 ** n}) {2 ** (n - 1)})'
    def unsigned(self, x, n): return f'(ite (< {x} 0) (+ {x} {2 ** n}) {x})'
    def compare(self, how, x, y, n):
        if how in ('eq', 'ne'): return f'(= {x} {y})' if how == 'eq' else f'(distinct {x} {y})'
        if how[0] == 'u': x, y = self.unsigned(x, n), self.unsigned(y, n)
        return f'({ {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}[how[1:]]} {x} {y})'
    def bit(self, c, n): return f'(ite {c} {self.number(1, n)} 0)'
    def convert(self, how, x, n, to):
        return self.wrapped(x, to) if how == 'trunc' else x if how == 'sext' else self.unsigned(x, n)
    def product(self, f, x, y, known):
        if self.exact or known is not None: return f.named(f'(* {x} {y})', 'Int')
        p = f.unknown(0)
        f.assume(f'(=> (and (<= 0 {x}) (<= 0 {y})) (<= 0 {p}))')
        for a, b in ((x, y), (y, x)): f.assume(f'(=> (and (<= (- 1) {a}) (<= 0 {b})) (<= (- {b}) {p}))')
        for a, b, quotient in f.quotients:
            for s, t in ((x, y), (y, x)):
                if t == b: f.assume(f'(=> (and (<= 0 {a}) (< 0 {b}) (<= 0 {s}) (<= {s} {quotient})) (<= {p} {a}))')
        return p
    def operation(self, f, o, x, y, n, known):
        k = known
        if o == 'mul': return self.wrapped(self.product(f, x, y, known), n)
        if o == 'sdiv' and known is None and not self.exact:
            q = f.unknown(n)
            f.quotients.append((x, y, q))
            f.assume(f'(=> (< 0 {y}) (ite (< {x} 0) (<= {x} {q} 0) (<= 0 {q} {x})))')
            return q
        if o in ('add', 'sub'): return self.wrapped(f'({"+" if o == "add" else "-"} {x} {y})', n)
        if o in ('sdiv', 'srem'):
            q = f.named(f'(ite (= (< {x} 0) (< {y} 0)) (div (abs {x}) (abs {y})) (- (div (abs {x}) (abs {y}))))', 'Int')
            return q if o == 'sdiv' else f'(- {x} (* {q} {y}))'
        if o in ('udiv', 'urem'): return f'({"div" if o == "udiv" else "mod"} {self.unsigned(x, n)} {self.unsigned(y, n)})'
        if k is not None and o == 'shl': return self.wrapped(f'(* {x} {2 ** k})', n)
        if k is not None and o == 'ashr': return f'(div {x} {2 ** k})'
        if k is not None and o == 'lshr': return f'(div {self.unsigned(x, n)} {2 ** k})'
        if k is not None and o == 'and' and k & (k + 1) == 0: return f'(mod {x} {k + 1})'
        if k == -1 and o == 'xor': return f'(- (- {x}) 1)'
        if o in ('or', 'and'):  # the sign of the result
            r = f.unknown(n)
            f.assume(f'(= (< {r} 0) ({o} (< {x} 0) (< {y} 0)))')
            for a in (x, y):
                least, most = (a, r) if o == 'or' else (r, a)
                f.assume(f'(<= {self.unsigned(least, n)} {self.unsigned(most, n)})')
            return r
        raise ValueError(f'{o} of integers')
    def overflow(self, f, o, signed, x, y, n, known):
        if not signed: x, y = self.unsigned(x, n), self.unsigned(y, n)
        e = self.product(f, x, y, known) if o == 'mul' else f.named(f'({"+" if o == "add" else "-"} {x} {y})', 'Int')
        least, most = (-2 ** (n - 1), 2 ** (n - 1) - 1) if signed else (0, 2 ** n - 1)
        # If the result differs, only the fact that it differs is used.
        over = f.named(f'(not (<= {least if least >= 0 else f"(- {-least})"} {e} {most}))', 'Bool')
        return f.named(f'(ite {over} {self.wrapped(e, n)} {e})' if not signed else e, 'Int'), over
    def minus(self, x, n): return self.wrapped(f'(- {x})', n)
    def leading_zeros(self, x, n): raise ValueError('bits of integers')
    def text_to_number(self, text, n): return int(re.sub(r'[() ]', '', text))

#!/usr/bin/env python3
"""Proves that functions have no undefined behaviour, for all arguments. Usage: undefined.py [--list | --every | PART-OF-A-NAME].

The functions are those of undefined_numbers.cpp and undefined_sizes.cpp. Clang translates each with UBSan's checks into a function
without calls and loops. A solver then finds no arguments that meet the requirements and reach a trap. Each requirement is left out,
one at a time, and so is each guard of a header that a comment names. The solver then finds arguments, and the function, called with
them, traps. Functions below a comment `// every` take longest, and are left out unless --every or a part of their name is given.
DYADIC_CLANG names another Clang, DYADIC_SOLVER another solver."""
import ctypes, os, re, shutil, subprocess, sys, tempfile

sys.dont_write_bytecode = True
from intermediate_code import functions_of, kept_functions, translation
from theories import bit_vectors, integers, solver

here = os.path.dirname(os.path.abspath(__file__))
include = os.path.join(here, '..', '..', 'include')
clang = os.environ.get('DYADIC_CLANG', 'clang++')
flags = ['-std=c++17', '-fPIC', '-O2', '-fno-exceptions', '-fno-vectorize', '-fno-slp-vectorize', '-fno-jump-tables',
         '-fno-discard-value-names', '-mllvm', '-inline-threshold=100000', '-mllvm', '-unroll-threshold=100000',
         '-Wno-unused-value', '-fsanitize=undefined,float-cast-overflow', '-fsanitize-trap=all',
         '-fno-sanitize=function,vptr,null,alignment,object-size,pointer-overflow']


class program:
    """A source, or one function of it, compiled with the headers in a directory."""
    def __init__(self, source, headers, directory, only=None):
        self.base = os.path.join(directory, 'undefined')
        code = self.compile('-Xclang', '-disable-llvm-passes', '-I' + headers, source)
        if only: code = re.sub(r'^define [^\n]*@(?!_Z|' + only + r'\()\w+\(.*?^\}\n', '', code, flags=re.M | re.S)
        code = re.sub(r'^(define [^@]*@' + kept_functions + r'[^\n]*?)( #\d+)', r'\1 noinline\2', code, flags=re.M)
        code = self.compile('-x', 'ir', '-', text=code)
        with open(self.base + '.ll', 'w') as f: f.write(code)
        self.functions = functions_of(code)
        self.library = None

    def compile(self, *arguments, text=''):
        return subprocess.run([clang, *flags, '-S', '-emit-llvm', '-o', '-', *arguments], input=text, stdout=subprocess.PIPE,
                              check=True, text=True).stdout

    def traps(self, f, arguments, left_out):
        """Returns True if f traps when it is called with these arguments, without the requirement `left_out`."""
        if self.library is None:
            self.library = self.base + '.so'
            text = '#include <unistd.h>\nextern "C" int left_out, calls; int left_out = -1, calls;\n' \
                   'extern "C" void require(bool c) { if (calls++ != left_out && !c) _exit(3); }\n'
            subprocess.run([clang, '-shared', '-fPIC', '-O1', '-Wno-override-module', self.base + '.ll', '-x', 'c++', '-',
                            '-o', self.library], input=text, text=True, check=True)
        pid = os.fork()
        if pid == 0:
            library = ctypes.CDLL(self.library)
            ctypes.c_int.in_dll(library, 'left_out').value = -1 if left_out is None else left_out
            types = {1: ctypes.c_bool, 8: ctypes.c_int8, 16: ctypes.c_int16, 32: ctypes.c_int32, 64: ctypes.c_int64}
            getattr(library, f.name)(*(types[n](v) for (n, _), v in zip(f.arguments, arguments)))
            os._exit(0)
        return os.WIFSIGNALED(os.waitpid(pid, 0)[1])


class prover:
    def __init__(self): self.solver, self.failed, self.proved, self.known, self.called = solver(), 0, 0, set(), set()

    def seconds(self):
        """Returns the processor seconds of this program and the solver."""
        with open(f'/proc/{self.solver.process.pid}/stat') as f: used = f.read().rsplit(')', 1)[1].split()[11:13]
        return sum(os.times()[:4]) + sum(int(t) for t in used) / os.sysconf('SC_CLK_TCK')

    def ask(self, f, theory, left_out, wanted):
        """Returns the solver's answer to `trap`, and the arguments that it finds."""
        t = translation(f, theory, left_out)
        self.called |= t.called
        script = '\n'.join(t.lines) + f'\n(assert {t.trap if wanted == "trap" else f"(not {t.trap})"})\n'
        if isinstance(theory, integers) and theory.exact: script = '(push 1)\n' + script
        answer = self.solver.answer(script)
        if answer != 'sat': return answer, None
        of_bool = {'true': 1, 'false': 0}
        values = [self.solver.value(name.replace('%', 'x.')) for _, name in f.arguments]
        return answer, [of_bool[v] if v in of_bool else theory.text_to_number(v, n) for v, (n, _) in zip(values, f.arguments)]

    def seek_trap(self, p, f, theories, left_out=None):
        """Returns a text and a bool. The text is '' if no arguments reach a trap; else it names the arguments, or says why the solver does not
        know. The bool is True if the function, called with the arguments, traps."""
        for theory in theories:
            answer, arguments = self.ask(f, theory, left_out, 'trap')
            if answer == 'unsat': return '', False
            does = answer == 'sat' and p.traps(f, arguments, left_out)
            if does or (answer == 'sat' and theory.exact): return f'undefined for {arguments}', does
        return answer, False

    def prove(self, claim, p, f, theories, mutants):
        queries, start = self.solver.queries, self.seconds()
        self.called = set()
        try:
            why, _ = self.seek_trap(p, f, theories)
            for name in self.called - self.known:
                if not why: why, _ = self.seek_trap(p, p.functions[name], theories)
                if not why: self.known.add(name)
            if not why and f.requirements:
                answer, arguments = self.ask(f, theories[-1], None, 'none')
                if answer != 'sat': why = 'what is required is contradictory: ' + answer
                elif p.traps(f, arguments, None): why = f'traps with {arguments}'
            for i in range(f.requirements if not why else 0):
                said, does = self.seek_trap(p, f, theories, i)
                if not does: why = f'survives without requirement {i + 1}: ' + (said or 'no trap')
            for (what, mutated) in mutants if not why else ():
                said, does = self.seek_trap(mutated, mutated.functions[f.name], theories)
                if not does: why = f'survives {what}: ' + (said or 'no trap')
        except (ValueError, KeyError) as e: why = str(e)
        self.failed += why != ''
        self.proved += why == ''
        counts = f'{self.solver.queries - queries} | {self.seconds() - start:.1f}'
        print(f'| {claim}: {f.name} | {counts} |', flush=True)
        if why: print('FAILED: ' + why, flush=True)


def mutants_of(source):
    """Returns the mutants of a source: lines `// without: HEADER: "TEXT" -> "OTHER"` above the function that then traps. Also returns the
    functions below lines `// every`."""
    found, waiting, long, is_long = {}, [], set(), False
    for line in open(source):
        if line == '// every\n': is_long = True
        elif m := re.match(r'// without: (\S+): "(.*)" -> "(.*)"$', line): waiting.append(m.groups())
        elif 'without:' in line: sys.exit(f'{source}: {line}')
        elif m := re.match(r'(?:extern "C" )?void (\w+)\(', line):
            if waiting: found[m[1]] = waiting
            if is_long: long.add(m[1])
            waiting, is_long = [], False
    return found, long


def mutated(source, headers, mutant, directory, only):
    header, old, new = mutant
    os.makedirs(directory)
    shutil.copytree(headers, directory + '/include')
    path = f'{directory}/include/dyadic/{header}'
    text = open(path).read()
    if text.count(old) != 1: sys.exit(f'{header} has "{old}" {text.count(old)} times')
    with open(path, 'w') as f: f.write(text.replace(old, new))
    return program(source, directory + '/include', directory, only)


def main():
    only = sys.argv[1] if len(sys.argv) > 1 else ''
    every = only == '--every'
    if every: only = ''
    all_of_them = prover()
    with tempfile.TemporaryDirectory() as directory:
        exact = bit_vectors(True, True)
        for source, claim, theories in (
                ('undefined_numbers', 'no undefined behaviour', [bit_vectors(False, False), bit_vectors(True, False), exact]),
                ('undefined_sizes', 'no undefined behaviour', [integers(False), integers(True)]),
                ('exact_rounding', 'what is defined', [exact]),
                ('scaled_blocks', 'what is defined', [exact])):
            path = f'{here}/{source}.cpp'
            os.makedirs(f'{directory}/{source}')
            p = program(path, include, f'{directory}/{source}')
            mutants, long = mutants_of(path)
            for name, f in p.functions.items():
                if name.startswith('_Z'): continue
                if only == '--list': print(f'{claim}: {name}')
                elif only in name and (every or only or name not in long):
                    others = [(m[1], mutated(path, include, m, f'{directory}/{name}{i}', name))
                              for i, m in enumerate(mutants.get(name, []))]
                    all_of_them.prove(claim, p, f, theories, others)
    if only == '--list': return 0
    print(f'{all_of_them.proved} proved, {all_of_them.failed} failed')
    return int(all_of_them.failed != 0 or all_of_them.proved == 0)


sys.exit(main())

# objdump -d -C --no-show-raw-insn -M intel | awk -f spills.awk
# Reads the innermost loops that multiply and add vectors. Fails, with a line for each error, unless:
#   No loop with several sums stores a vector, or loads a vector from a constant place on the stack. Such a loop has more sums than
#   registers. Each backend has a loop that holds a whole tile: two multiplications for each row (rows_of_a_tile<backend, rows> gives the
#   number of rows). Otherwise the loop is not unrolled.
#   The functions of avxvnni have both dot products, with the prefix of processors without AVX-512 (VEX), and use only VEX's registers.

function complain(text) {
  if (++complaints[backend " " text] == 1) print "  " backend ": " text
  failed = 1
}

# The line to which line i jumps, or 0.
function target(i,   words) {
  if (operation[i] !~ /^j/) return 0
  split(operands[i], words, " ")
  return words[1] in line ? line[words[1]] : 0
}

# Marks the lines from head to tail that are reached from head and lead to tail. Between them a compiler may also place code that leaves the
# loop.
function mark_loop(head, tail,   i, to, changed) {
  for (i = head; i <= tail; ++i) reached[i] = leads[i] = 0
  reached[head] = leads[tail] = 1
  do {
    changed = 0
    for (i = head; i <= tail; ++i)
      if (reached[i]) {
        to = target(i)
        if (to >= head && to <= tail && !reached[to]) reached[to] = changed = 1
        if (operation[i] !~ /^(jmp|ret)/ && i < tail && !reached[i + 1]) reached[i + 1] = changed = 1
      }
  } while (changed)
  do {
    changed = 0
    for (i = tail - 1; i >= head; --i)
      if (!leads[i]) {
        to = target(i)
        if ((to >= head && to <= tail && leads[to]) || (operation[i] !~ /^(jmp|ret)/ && leads[i + 1])) leads[i] = changed = 1
      }
  } while (changed)
  for (i = head; i <= tail; ++i) inside[i] = reached[i] && leads[i]
  return inside[head] && inside[tail]
}

function read_loop(head, tail,   i, products, stack) {
  products = 0
  for (i = head; i <= tail; ++i) products += inside[i] && operation[i] ~ /^v?(pmaddwd|pmaddubsw|pdpwssd|pdpbusd)$/
  if (products < 2) return
  ++loops[backend]
  if (products > most[backend]) most[backend] = products
  stack = "[XYZ]MMWORD PTR \\[r" (has_frame ? "(sp|bp)" : "sp") "([+-]0x[0-9a-f]+)?\\]"
  for (i = head; i <= tail; ++i)
    if (inside[i] && (operands[i] ~ /^[XYZ]MMWORD PTR/ || operands[i] ~ stack))
      complain("a loop of " products " multiplications has " operation[i] " " operands[i] " in " name)
}

function read_function(   i, to, head, other, tail, innermost) {
  for (head in last) delete last[head]
  for (i = 1; i <= count; ++i) {
    to = target(i)
    if (to > 0 && to <= i && mark_loop(to, i)) last[to] = i
  }
  for (head in last) {
    innermost = 1
    for (other in last)
      if (other + 0 > head + 0 && last[other] <= last[head]) innermost = 0
    if (innermost && mark_loop(head + 0, last[head])) read_loop(head + 0, last[head])
  }
}

/^[0-9a-f]+ <.*>:$/ {
  read_function()
  name = $0
  sub(/^[0-9a-f]+ </, "", name)
  sub(/>:$/, "", name)
  count = has_frame = 0
  for (address in line) delete line[address]
  if (match(name, /rows_of_a_tile<dyadic::backend::[a-z0-9_]+, [0-9]+>/)) {
    split(substr(name, RSTART, RLENGTH), words, /[:, >]+/)
    rows[words[3]] = words[4]
  }
  backend = match(name, /(over_[a-z0-9_]+::)+/) ? substr(name, RSTART, RLENGTH - 2) : "inlined"
  sub(/.*over_/, "", backend)  # of a region inside another
  next
}

/^ *[0-9a-f]+:\t/ {
  ++count
  address = $1
  sub(/:$/, "", address)
  line[address] = count
  is_vex = sub(/\t\{vex\} /, "\t")
  operation[count] = $2
  operands[count] = $0
  sub(/^ *[0-9a-f]+:\t[^ ]+ */, "", operands[count])
  if ($2 == "mov" && operands[count] ~ /^rbp,rsp/) has_frame = 1
  if (backend == "avxvnni") {
    if ($2 ~ /^vpdp/ && !is_vex) complain($2 " of AVX-512 in " name)
    if (operands[count] ~ /zmm|mm(1[6-9]|2[0-9]|3[01])|[,{]k[0-7]/) complain(operands[count] " in " name)
    if (is_vex) ++dot_products[$2]
  }
}

END {
  read_function()
  seen = 0
  for (backend in rows) {
    ++seen
    printf "  %-12s %3d inner loops, the largest of %d multiplications\n", backend, loops[backend], most[backend]
    if (most[backend] < 2 * rows[backend]) complain("no loop holds a tile of " rows[backend] " rows")
  }
  if ("avxvnni" in rows && !(dot_products["vpdpbusd"] && dot_products["vpdpwssd"])) {
    print "  avxvnni: no vpdpbusd, or no vpdpwssd"
    failed = 1
  }
  if (seen == 0) {
    print "  no backend: nothing was read"
    failed = 1
  }
  exit failed
}

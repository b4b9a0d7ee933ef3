# shellcheck shell=bash
# Measures where the minutes went: each step's time by the clock and of processors, and the slowest objects and tests. Sourced by
# tests/run.

stage_name=
minutes=$(mktemp -d)
trap 'rm -rf "$minutes"' EXIT

# read_processors: sets `processors` to the processor seconds of this shell and its children. It must not run in a new subshell, where
# the count begins at 0.
read_processors() {
  local file="$minutes/times.$BASHPID"
  times >"$file"
  processors=$(tr 'ms\n' '   ' <"$file" | awk '{ for (i = 1; i < NF; i += 2) all += 60 * $i + $(i + 1); print all }')
}

# timed STEP DIRECTORY COMMAND...: runs the command and records its times.
timed() {
  local status=0 start=$EPOCHREALTIME before
  read_processors
  before=$processors
  "${@:3}" || status=$?
  read_processors
  printf '%s %s %s %s %s\n' "$stage_name" "$2" "$1" "$(awk "BEGIN { print $EPOCHREALTIME - $start }")" \
    "$(awk "BEGIN { print $processors - $before }")" >>"$minutes/steps"
  return $status
}

# timed_build DIRECTORY COMMAND...: like `timed`, and records each object that ninja built: the lines that are new in its log.
timed_build() {
  local log="build/$1/.ninja_log" before="$minutes/before.$BASHPID" status=0
  cat "$log" >"$before" 2>/dev/null || true
  timed build "$@" || status=$?
  [ ! -f "$log" ] || awk -F '\t' -v directory="$1" '
    NR == FNR { before[$0]; next }
    NF == 5 && !($0 in before) && $4 !~ /^\// {
      name = $4
      if (match(name, /CMakeFiles\/[^\/]*\.dir\//)) name = substr(name, RSTART + 11)
      sub(/\.dir\//, " ", name)
      sub(/\.o$/, "", name)
      printf "%.1f build %s %s\n", ($2 - $1) / 1000, directory, name
    }' "$before" "$log" | sort -u >>"$minutes/slowest"
  return $status
}

# timed_tests DIRECTORY COMMAND...: like `timed`, and records each test from ctest's output.
timed_tests() {
  local status=0
  timed test "$@" || status=$?
  sed -nE 's/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: ([^ ]+) .* ([0-9.]+) sec.*$/\2 test '"$1"' \1/p' "build/$1/ctest.log" >>"$minutes/slowest"
  return $status
}

# report_minutes: prints the steps of each directory, and the ten slowest objects and tests.
report_minutes() {
  [ -f "$minutes/steps" ] || return 0
  printf '\n%-10s %-18s %9s %9s %9s %11s\n' 'minutes of' '' configure build 'test' processors
  awk '{
      row = $1 " " $2
      if (!(row in seen)) { seen[row]; rows[++n] = row }
      clock[row, $3] += $4
      processors[row] += $5
    }
    END {
      for (i = 1; i <= n; i++) {
        split(rows[i], names, " ")
        printf "%-10s %-18s", names[1], names[2]
        split("configure build test", steps, " ")
        for (k = 1; k <= 3; k++) printf " %9.1f", clock[rows[i], steps[k]] / 60
        printf " %11.1f\n", processors[rows[i]] / 60
      }
    }' "$minutes/steps"
  [ -f "$minutes/slowest" ] || return 0
  printf '\n%-10s\n' 'the slowest, seconds by the clock'
  sort -rn "$minutes/slowest" | awk 'NR <= 10 { printf "%8.1f  %-5s  %-18s", $1, $2, $3; $1 = $2 = $3 = ""; print }'
}

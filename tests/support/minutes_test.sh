#!/usr/bin/env bash
# The table of minutes must be printed completely, however many objects were timed. Otherwise the count of tests after it would be lost.
set -euo pipefail
. "$1"

printf 'native default build 60 120\n' >"$minutes/steps"
for i in {1..5000}; do printf '%s.5 build default object_%s\n' "$i" "$i"; done >"$minutes/slowest"
table=$(report_minutes)
[[ $table == *'native     default '*' 1.0 '*' 2.0'* ]]
[[ $table == *'5000.5  build  default '*object_5000* ]]
[[ $table == *object_4991* && $table != *object_4990* ]]

# Only the objects of ninja's log that this build made may be listed.
cd "$minutes" && mkdir -p build/other && log=build/other/.ninja_log
printf '0\t9000\t1\told.o\t1\n' >"$log"
make() { printf '1000\t3500\t2\ttests/CMakeFiles/unit.dir/new.cpp.o\t2\n' >>"$log"; }
timed_build other make
[[ $(grep -c other slowest) == 1 && $(<slowest) == *'2.5 build other unit new.cpp'* ]]

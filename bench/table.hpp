#pragma once
/// \file
/// A table of benchmarks. Google Benchmark runs the rows and keeps every figure for --json; a person reads the table.

#include "contest.hpp"
#include "limits.hpp"

#include <benchmark/benchmark.h>

#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// A benchmark, and its row in the table. --csv reads its columns from the benchmark's name, which is table<backend,
/// variant>/operator/types/shape. A name may leave out the variant. It may also leave out the operator, unless the shape contains
/// '/'. The operator is then the table's name.
struct row {
  std::string benchmark;
  std::vector<std::string> cells;
  double items_per_second = 0;        ///< 0 until timed
  double limit_per_second = 0;        ///< 0: no limit is known
  double items = 0;                   ///< items of one run
  double instructions_per_cycle = 0;  ///< of the loop of cheap instructions in the same contest; 0: unknown
  std::string peer{};                 ///< the name of another engine, or empty
  int distance = 0;                   ///< largest distance of an output from the definition
  bool is_inexact = false;            ///< whether outputs of this or other layers are further off than the peer's rule allows
};

struct table;
using lines = std::vector<std::vector<std::string>>;

/// Returns the header, then a line for each row: its cells and its speed cells. Speed cells are "-" until the row is timed.
lines line_for_each_row(const table& t);

struct table {
  std::string title;
  std::vector<std::string> header;
  std::size_t text_columns;  ///< the number of first columns that are aligned to the left
  std::string notes;         ///< what the columns mean
  std::vector<std::string> (*speed_cells)(const table&, const row&);
  std::vector<row> rows{};
  lines (*lines_of)(const table&) = line_for_each_row;
  std::string (*remarks)(const table&) = nullptr;  ///< text that depends on the speeds, in whole lines

  /// Returns the row of a benchmark. Ends the program if there is none.
  row& row_of(const std::string& benchmark);
};

/// The amount of work in one run of a contender.
struct amount {
  double items;
  const limit* most = nullptr;                             ///< the limit of items per second, if known
  double bytes = 0;                                        ///< 0: not counted
  std::vector<std::pair<std::string, double>> counters{};  ///< further figures for --json
};

/// Adds a row for a contender. Its limit is sampled in the same contest.
void add(table& to, const std::string& name, std::vector<std::string> cells, const std::shared_ptr<contest>& in,
         contest::contender contender, amount each);

/// Returns a contender that repeats `work`. `work` returns a pointer to its outputs.
template <class Work>
contest::contender repeated(Work work) {
  return [work](long runs) {
    for (long i = 0; i < runs; ++i) {
      auto* written = work();
      benchmark::DoNotOptimize(written);
      benchmark::ClobberMemory();
    }
  };
}

/// Prints the message and ends the program, because the speed of a wrong result is of no interest.
[[noreturn]] void fail(const std::string& what);

/// Formats x with 3 significant digits but at most 3 decimals: 0.123, 4.56, 78.9, 12,300,000.
std::string rounded(double x);
/// Formats x with `digits` decimals.
std::string fixed(double x, int digits);

/// Returns a line about the state of the machine: the cheap instructions per cycle while the table was measured. Percentages of a
/// limit depend on this state. Returns an empty text if the state is not known.
std::string state_of_machine(const table& t);

/// Returns the entries, wrapped into lines.
std::string wrapped(const std::vector<std::string>& entries, const std::string& indentation);

/// Formats the speed of a row: over scalar code, or in percent of the row's limit. `backend` is the column of the backend's name.
/// @{
std::string times_scalar(const table& t, const row& r, std::size_t backend);
std::string percent_of_limit(const row& r);
/// @}

std::ostream& operator<<(std::ostream& out, const table& t);

/// Writes a header line, and a line for each timed row. bench/README.md describes the columns.
void write_csv(std::ostream& out, const table& t);

/// The command line of a table.
struct request {
  bool smoke = false;
  std::map<std::string, std::vector<std::string>> values{};  ///< the values of each option of the table that was given

  /// Returns the values of an option, or an empty list if the option was not given.
  const std::vector<std::string>& operator[](const std::string& option) const {
    static const std::vector<std::string> none;
    const auto found = values.find(option);
    return found == values.end() ? none : found->second;
  }
  /// Returns whether the option was not given or has the value.
  bool wants(const std::string& option, const std::string& value) const;
};

/// An option of one table: --name=VALUE,VALUE.
struct option {
  std::string name;
  std::string form;  ///< says which values are valid: "a number of elements, as 64"
  std::function<bool(const std::string&)> is_valid;
};
/// Returns the option --name whose values are in a list.
option one_of(const std::string& name, const std::vector<std::string>& values);
/// Returns the option --backend: the backends that run here.
option backend_option();

/// Runs a program that prints a table, and returns its exit status. The options of every table are in `usage` of program.cpp.
/// `make` computes the results once, compares them with a plain loop, and registers the rows.
/// @{
int print_table(int argc, char** argv, const std::function<table(const request&)>& make, const std::vector<option>& options);
int print_table(int argc, char** argv, table (*make)(bool smoke));
/// @}

}  // namespace bench

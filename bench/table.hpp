#pragma once
/// \file
/// A table of benchmarks. Google Benchmark runs the rows and keeps every figure for --json; a person reads the table.

#include "contest.hpp"
#include "limits.hpp"

#include <benchmark/benchmark.h>

#include <iosfwd>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// One benchmark, and what is known of it before it is timed.
struct row {
  std::string benchmark;
  std::vector<std::string> cells;
  double items_per_second = 0;  ///< 0 until it is timed
  double limit_per_second = 0;  ///< 0: no limit is known
  int distance = 0;             ///< largest difference between its outputs and those of the definition
  bool is_wrong = false;        ///< `distance` is more than the rule of the contender allows, so the row is not timed
};

struct table;
using lines = std::vector<std::vector<std::string>>;

/// The header, then a line for each row: its cells and its speed cells, "-" until it is timed.
lines line_for_each_row(const table& t);

struct table {
  std::string title;
  std::vector<std::string> header;
  std::size_t text_columns;  ///< the first ones, aligned to the left
  std::string notes;         ///< what the columns mean
  std::vector<std::string> (*speed_cells)(const table&, const row&);
  std::vector<row> rows{};
  lines (*lines_of)(const table&) = line_for_each_row;
  std::string (*remarks)(const table&) = nullptr;  ///< what follows from the speeds, in whole lines

  /// Ends the program if there is none of this name.
  row& row_of(const std::string& benchmark);
};

/// What one run of a contender does.
struct amount {
  double items;
  const limit* most = nullptr;                             ///< how many items there can be at most
  double bytes = 0;                                        ///< 0: not counted
  std::vector<std::pair<std::string, double>> counters{};  ///< what else --json keeps
};

/// Adds a row for a contender, with the limit sampled beside it.
void add(table& to, const std::string& name, std::vector<std::string> cells, const std::shared_ptr<contest>& in,
         contest::contender contender, amount each);

/// The contender that does `work`, which returns a pointer to what it wrote.
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

/// Ends the program: a result is wrong, so its speed is of no interest.
[[noreturn]] void fail(const std::string& what);

/// 3 significant digits, as people count: 0.123, 4.56, 78.9, 12,300,000.
std::string rounded(double x);
/// x with `digits` decimals.
std::string fixed(double x, int digits);

/// The entries, as many to a line as it holds.
std::string wrapped(const std::vector<std::string>& entries, const std::string& indentation);

/// The speed over that of scalar code, `backend` being the column that names the backend; and in percent of the row's limit.
/// @{
std::string times_scalar(const table& t, const row& r, std::size_t backend);
std::string percent_of_limit(const row& r);
/// @}

std::ostream& operator<<(std::ostream& out, const table& t);

/// The whole of a program that prints a table; returns its exit status. See its `usage`. `make` computes the results once,
/// compares them with a plain loop, and registers the rows.
int print_table(int argc, char** argv, table (*make)(bool smoke));

}  // namespace bench

#pragma once
/// \file
/// A table of benchmarks. Google Benchmark times the rows and keeps every figure for --json; a person reads the table.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// One benchmark, and what is known of it before it is timed.
struct row {
  std::string benchmark;
  std::vector<std::string> cells;
  double items_per_second = 0;  ///< 0 until it is timed
};

struct table {
  std::string title;
  std::vector<std::string> header;  ///< of the cells of a row, then of its speed cells
  std::size_t text_columns;         ///< the first ones, aligned to the left
  std::string notes;                ///< what the columns mean
  std::vector<std::string> (*speed_cells)(const table&, const row&);
  std::vector<row> rows{};
};

/// Adds a row. `work` computes `items` items and returns a pointer to what it wrote. `smoke`: once is enough.
template <class Work>
void add(table& to, const std::string& name, std::vector<std::string> cells, std::int64_t items, bool smoke, Work work) {
  auto* const registered = benchmark::RegisterBenchmark(name.c_str(), [items, work](benchmark::State& state) {
    while (state.KeepRunning()) {
      auto* written = work();
      benchmark::DoNotOptimize(written);
      benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(state.iterations() * items);
  });
  if (smoke) registered->Iterations(1);
  to.rows.push_back({name, std::move(cells)});
}

/// Ends the program: a result is wrong, so its speed is of no interest.
[[noreturn]] void fail(const std::string& what);

/// 3 significant digits, as people count: 0.123, 4.56, 78.9, 12,300,000.
std::string rounded(double x);
/// x with `digits` decimals.
std::string fixed(double x, int digits);

/// The speed over that of scalar code, and in percent of the limit of multiply-adds of so many bits; `backend` is the column that
/// names the backend.
/// @{
std::string times_scalar(const table& t, const row& r, std::size_t backend);
std::string percent_of_limit(const row& r, std::size_t backend, int bits);
/// @}

std::ostream& operator<<(std::ostream& out, const table& t);

// The groups. Each computes its results once, compares them with a plain loop, and registers its rows.
table digits(bool smoke);
table rescale(bool smoke);
table linear(bool smoke);

}  // namespace bench

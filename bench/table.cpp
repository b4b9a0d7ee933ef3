#include "table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ostream>

namespace bench {

void add(table& to, const std::string& name, std::vector<std::string> cells, const std::shared_ptr<contest>& in,
         contest::contender contender, amount each) {
  const std::size_t which = in->add(std::move(contender));
  const std::size_t limit = each.most != nullptr ? in->add(*each.most) : which;
  const auto report = [in, which, limit, each](benchmark::State& state) {
    while (state.KeepRunning()) state.SetIterationTime(in->seconds(which));
    state.counters["items_per_second"] = each.items / in->seconds(which);
    if (each.most != nullptr) state.counters["limit_per_second"] = each.most->per_iteration / in->seconds(limit);
    if (in->instructions_per_cycle() > 0) state.counters["instructions_per_cycle"] = in->instructions_per_cycle();
    for (const auto& [counter, value] : each.counters) state.counters[counter] = value;
    if (each.bytes > 0) {
      state.counters["bytes"] = each.bytes;
      state.counters["items_per_byte"] = each.items / each.bytes;
    }
  };
  benchmark::RegisterBenchmark(name.c_str(), report)->UseManualTime()->Iterations(1);
  to.rows.push_back({name, std::move(cells)});
  to.rows.back().items = each.items;
}

void fail(const std::string& what) {
  std::fprintf(stderr, "\nbench: %s\n", what.c_str());
  std::exit(1);
}

std::string fixed(double x, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, x);
  return text;
}

std::string rounded(double x) {
  const int before_point = x > 0 ? static_cast<int>(std::floor(std::log10(x))) + 1 : 1;
  if (before_point < 3) return fixed(x, std::min(3, 3 - before_point));
  const double unit = std::pow(10.0, before_point - 3);
  std::string text = fixed(std::round(x / unit) * unit, 0);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

std::string state_of_machine(const table& t) {
  std::vector<double> all;
  for (const row& r : t.rows)
    if (r.instructions_per_cycle > 0) all.push_back(r.instructions_per_cycle);
  if (all.empty()) return "";
  std::sort(all.begin(), all.end());
  return "State of the machine: " + fixed(all[all.size() / 2], 1) + " cheap instructions per cycle (" + fixed(all.front(), 1) +
         " to " + fixed(all.back(), 1) +
         "). On a Zen 3: near 4 and more if the core is quiet,\n"
         "about 3.3 if another program has the core's other thread. Other processors have other figures.\n";
}

std::string wrapped(const std::vector<std::string>& entries, const std::string& indentation) {
  constexpr std::size_t width = 126;
  std::string text, line;
  for (const std::string& entry : entries) {
    if (!line.empty() && line.size() + entry.size() + 2 > width) text += std::exchange(line, "") + "\n";
    line += (line.empty() ? indentation : " ") + entry + ";";
  }
  return line.empty() ? text : text + line + "\n";
}

std::string times_scalar(const table& t, const row& r, std::size_t backend) {
  for (const row& other : t.rows) {
    std::vector<std::string> cells = r.cells;
    cells[backend] = "scalar";
    if (other.cells == cells && other.items_per_second > 0) return rounded(r.items_per_second / other.items_per_second);
  }
  return "-";
}

std::string percent_of_limit(const row& r) {
  return r.limit_per_second > 0 ? fixed(100 * r.items_per_second / r.limit_per_second, 0) : "-";
}

row& table::row_of(const std::string& benchmark) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const row& r) { return r.benchmark == benchmark; });
  if (found == rows.end()) fail("no row for the benchmark " + benchmark);
  return *found;
}

lines line_for_each_row(const table& t) {
  lines all{t.header};
  for (const row& r : t.rows) {
    all.push_back(r.cells);
    for (std::string& cell : t.speed_cells(t, r)) all.back().push_back(r.items_per_second > 0 ? std::move(cell) : "-");
  }
  return all;
}

std::ostream& operator<<(std::ostream& out, const table& t) {
  const lines all = t.lines_of(t);
  std::vector<std::size_t> widths(all.front().size(), 0);
  for (const auto& line : all)
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], line[c].size());

  out << '\n' << t.title << "\n\n";
  for (const auto& line : all) {
    for (std::size_t c = 0; c < line.size(); ++c) {
      const std::string padding(widths[c] - line[c].size(), ' ');
      const bool last = c + 1 == line.size();
      out << (c < t.text_columns ? line[c] + padding : padding + line[c]) << (last ? "\n" : "  ");
    }
    if (&line == &all.front()) {
      for (std::size_t c = 0; c < widths.size(); ++c)
        out << std::string(widths[c], '-') << (c + 1 == widths.size() ? "\n" : "  ");
    }
  }
  out << '\n';
  if (t.remarks != nullptr) out << t.remarks(t) << '\n';
  return out << t.notes << std::endl;
}

namespace {

/// Returns the text before the first separator and removes both. Takes the whole text if there is no separator.
std::string take_until(std::string& text, const std::string& separator) {
  const std::size_t at = text.find(separator);
  std::string first = text.substr(0, at);
  text = at == std::string::npos ? "" : text.substr(at + separator.size());
  return first;
}

std::string quoted(const std::string& field) { return field.find(',') == std::string::npos ? field : '"' + field + '"'; }

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.5g", x);
  return text;
}

}  // namespace

void write_csv(std::ostream& out, const table& t) {
  out << "table,operator,types,shape,backend,variant,giga_per_second,limit_percent,milliseconds\n";
  for (const row& r : t.rows) {
    if (r.items_per_second <= 0) continue;
    std::string rest = r.benchmark;
    const std::string name = take_until(rest, "<");
    std::string variant = take_until(rest, ">/");
    const std::string backend = take_until(variant, ", ");
    std::string operation = take_until(rest, "/");
    std::string types = take_until(rest, "/");
    if (rest.empty()) rest = std::exchange(types, std::exchange(operation, name));
    for (const std::string& field : {name, operation, types, rest, backend, variant}) out << quoted(field) << ',';
    out << number(r.items_per_second / 1e9) << ','
        << (r.limit_per_second > 0 ? number(100 * r.items_per_second / r.limit_per_second) : "") << ','
        << number(1e3 * r.items / r.items_per_second) << '\n';
  }
}

}  // namespace bench

#pragma once
// Answers rows of int16 tables.

#include <dyadic/elementwise/table.hpp>

#include "sum_answers.hpp"

namespace golden {

/// The columns of a file by name. The file has 513 rows, and its first column counts them.
using table_columns = std::map<std::string, std::vector<std::int16_t>>;

inline table_columns read_tables(const fs::path& file) {
  std::string text;
  if (!read_file(file, text)) throw std::runtime_error("missing file " + file.filename().string());
  const std::vector<std::string> lines = lines_of(text);
  const std::vector<std::string> columns = split(lines.at(0));
  table_columns tables;
  const std::map<std::string, std::size_t> places = places_of(columns);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> fields = split(lines[i]);
    const row line(places, fields, file);
    if (line.integer("index") != static_cast<long long>(i - 1)) throw std::runtime_error("index in row " + lines[i]);
    for (std::size_t c = 1; c < columns.size(); ++c) tables[columns[c]].push_back(line.integer<std::int16_t>(columns[c]));
  }
  return tables;
}

/// Returns the tables of a file, which is read only once.
inline const table_columns& tables_of(const fs::path& file) {
  static std::map<fs::path, table_columns> all;
  const auto known = all.find(file);
  return known != all.end() ? known->second : all.emplace(file, read_tables(file)).first->second;
}

inline values tflite_lookup(const row& r) {
  const table_columns& tables = tables_of(r.tables() / "tflite_lut_s16_tables.csv");
  const q::tflite::table<std::int16_t> table{tables.at("table" + r.text("table"))};
  if (check(table) != q::status::ok) return {q::to_string(check(table))};
  return {text(table(r.integer<std::int16_t>("input")))};
}

/// The four functions of the file. Every operation is rounded to binary32.
struct rational_function {
  int kind;
  q::binary32 c0, c1;

  q::binary32 operator()(q::binary32 x) const {
    const q::binary32 product = multiply(c0, x);
    switch (kind) {
      case 0: return divide(product, add(c1, multiply(x, x)));
      case 1: return subtract(multiply(product, x), c1);
      case 2: return less(x, q::binary32{0.0f}) ? product : multiply(c1, x);
      case 3: return divide(c0, add(c1, magnitude(x)));
      default: throw std::runtime_error("unknown function");
    }
  }
};

inline values tflite_table_entry(const row& r) {
  const rational_function function{r.integer<int>("function"), scale_of(r, "c0_bits"), scale_of(r, "c1_bits")};
  const q::tflite::table<std::int16_t>::sampler<rational_function> entry{
      function, scale_of(r, "input_scale_bits"), r.integer<std::int32_t>("input_zero_point"), scale_of(r, "output_scale_bits"),
      r.integer<std::int32_t>("output_zero_point")};
  return {text(entry(r.integer<std::int32_t>("index")))};
}

inline std::vector<answer> table_answers() {
  return {
      {"derive_tflite_lut_s16.csv",
       {"function", "c0_bits", "c1_bits", "input_scale_bits", "input_zero_point", "output_scale_bits", "output_zero_point",
        "index"},
       {"expected"},
       tflite_table_entry},
      {"tflite_lut_s16.csv", {"table", "input"}, {"expected"}, tflite_lookup},
      // The file above looks up these tables: nothing is computed.
      {"tflite_lut_s16_tables.csv",
       {"index", "table0", "table1", "table2", "table3", "table4", "table5", "table6", "table7"},
       {},
       [](const row&) -> values { return {}; }},
  };
}

}  // namespace golden

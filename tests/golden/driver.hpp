#pragma once
// Reads the golden CSVs and compares every row with the library.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace golden {

namespace fs = std::filesystem;

/// The recorded files of the kind that a program checks: requantize/ or elementwise/.
inline fs::path recorded_directory() { return DYADIC_GOLDEN_SOURCE_DIR; }

/// Returns the directory that DYADIC_GOLDEN_DIR names, or null. It holds files with the recorded names, or a folder for each
/// kind.
inline const char* other_directory() {
  const char* const other = std::getenv("DYADIC_GOLDEN_DIR");
  return other != nullptr && *other != '\0' ? other : nullptr;
}

/// Returns the directory of the files of this kind: the folder of the kind, if the other directory has it.
inline fs::path directory() {
  if (other_directory() == nullptr) return recorded_directory();
  const fs::path other = other_directory();
  const fs::path folder = other / recorded_directory().filename();
  return fs::is_directory(folder) ? folder : other;
}

/// A line of a CSV, with its fields by column name.
class row {
 public:
  /// `tables` is the directory of the tables that a row looks into.
  row(const std::map<std::string, std::size_t>& columns, const std::vector<std::string>& fields, const fs::path& tables)
      : columns_{columns}, fields_{fields}, tables_{tables} {}

  const std::string& text(const std::string& column) const {
    const auto it = columns_.find(column);
    if (it == columns_.end()) throw std::runtime_error("no column " + column);
    return fields_[it->second];
  }
  template <class T = std::int64_t>
  T integer(const std::string& column) const {
    std::size_t used = 0;
    const long long value = std::stoll(text(column), &used);
    if (used != text(column).size()) throw std::runtime_error("not an integer: " + text(column));
    if (value < static_cast<long long>(std::numeric_limits<T>::min()) ||
        value > static_cast<long long>(std::numeric_limits<T>::max()))
      throw std::runtime_error("out of range: " + text(column));
    return static_cast<T>(value);
  }
  double real(const std::string& column) const {
    char* end = nullptr;
    const double value = std::strtod(text(column).c_str(), &end);
    if (end == text(column).c_str() || *end != '\0') throw std::runtime_error("not a number: " + text(column));
    return value;
  }
  float real32(const std::string& column) const { return static_cast<float>(real(column)); }
  const fs::path& tables() const { return tables_; }

 private:
  const std::map<std::string, std::size_t>& columns_;
  const std::vector<std::string>& fields_;
  const fs::path& tables_;
};

/// The library's values of the output columns of a row, in the order of `answer::outputs`.
using values = std::vector<std::string>;

/// A file, its columns, and the library's answer to a row.
struct answer {
  std::string file;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::function<values(const row&)> compute;
};

/// The result of checking a file; `error` is empty if the file is right.
struct report {
  std::size_t rows = 0;
  std::string error;
};

/// The record of a file: the number of its rows and the FNV-1a hash of its text.
struct record {
  std::size_t rows = 0;
  std::uint64_t hash = 0;
};

inline std::uint64_t fnv1a(const std::string& text) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return hash;
}

template <class T>
std::string text(T value) {
  return std::to_string(static_cast<long long>(value));
}

inline std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, ',');) fields.push_back(field);
  if (!line.empty() && line.back() == ',') fields.emplace_back();
  return fields;
}

/// Returns the index of each column by its name.
inline std::map<std::string, std::size_t> places_of(const std::vector<std::string>& columns) {
  std::map<std::string, std::size_t> places;
  for (const std::string& column : columns) places.emplace(column, places.size());
  return places;
}

inline bool read_file(const fs::path& path, std::string& text) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return false;
  std::ostringstream out;
  out << in.rdbuf();
  text = out.str();
  return true;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

/// Reads rows.csv: file,rows,hash. Returns an empty map if the directory has none.
inline std::map<std::string, record> read_records(const fs::path& directory) {
  std::map<std::string, record> records;
  std::string text;
  if (!read_file(directory / "rows.csv", text)) return records;
  const std::vector<std::string> lines = lines_of(text);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> fields = split(lines[i]);
    records[fields.at(0)] = {std::stoul(fields.at(1)), std::stoull(fields.at(2), nullptr, 16)};
  }
  return records;
}

/// Return the names of the recorded files of every kind, and of this kind.
/// @{
inline std::set<std::string> names_of(const std::map<std::string, record>& records) {
  std::set<std::string> names;
  for (const auto& entry : records) names.insert(entry.first);
  return names;
}
inline std::set<std::string> names_of_this_kind() { return names_of(read_records(recorded_directory())); }
inline std::set<std::string> names_of_any_kind() {
  std::set<std::string> names;
  for (const auto& kind : fs::directory_iterator(recorded_directory().parent_path()))
    if (kind.is_directory()) names.merge(names_of(read_records(kind.path())));
  return names;
}
/// @}

/// Returns the names of the CSVs of a directory, except rows.csv.
inline std::set<std::string> names_in(const fs::path& directory) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory))
    if (entry.path().extension() == ".csv" && entry.path().filename() != "rows.csv")
      names.insert(entry.path().filename().string());
  return names;
}

inline bool share_a_name(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&](const std::string& name) { return b.count(name) != 0; });
}

/// Returns whether a directory holds only files of other kinds: it has a folder or a recorded name of another kind, and none of
/// this kind. A directory without such names is for every kind, so that each file counts as missing.
inline bool is_of_other_kinds(const fs::path& directory) {
  if (fs::is_directory(directory / recorded_directory().filename())) return false;
  const std::set<std::string> here = names_in(directory);
  if (share_a_name(here, names_of_this_kind())) return false;
  for (const auto& kind : fs::directory_iterator(recorded_directory().parent_path()))
    if (kind.is_directory() && fs::is_directory(directory / kind.path().filename())) return true;
  return share_a_name(here, names_of_any_kind());
}

/// Returns whether there is nothing to check here, and prints so.
inline bool is_not_here() {
  if (other_directory() == nullptr || !is_of_other_kinds(other_directory())) return false;
  std::printf("no %s files in %s\n", recorded_directory().filename().string().c_str(), other_directory());
  return true;
}

/// Compares the lines of a CSV with the library.
inline report check_lines(const answer& a, const std::vector<std::string>& lines, const fs::path& tables) {
  report result;
  if (lines.empty()) return {0, "empty file"};
  const std::vector<std::string> columns = split(lines[0]);
  std::set<std::string> known(a.inputs.begin(), a.inputs.end());
  known.insert(a.outputs.begin(), a.outputs.end());
  for (const std::string& column : columns)
    if (known.erase(column) == 0) return {0, "unknown or repeated column " + column};
  if (!known.empty()) return {0, "missing column " + *known.begin()};
  const std::map<std::string, std::size_t> places = places_of(columns);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> fields = split(lines[i]);
    if (fields.size() != columns.size()) return {result.rows, "wrong number of fields: " + lines[i]};
    const row line(places, fields, tables);
    try {
      const values computed = a.compute(line);
      for (std::size_t c = 0; c < a.outputs.size(); ++c)
        if (computed.at(c) != line.text(a.outputs[c]))
          return {result.rows, a.outputs[c] + " is " + computed[c] + " in row " + lines[i]};
    } catch (const std::exception& e) {
      return {result.rows, std::string(e.what()) + " in row " + lines[i]};
    }
    ++result.rows;
  }
  if (result.rows == 0) result.error = "no rows";
  return result;
}

/// Checks one file of `directory`. If the directory has a rows.csv, it must hold the number of rows and the hash of the text. A
/// directory without rows.csv is another set of vectors. In such a directory a file fails if all of its rows are recorded rows,
/// but some recorded rows are missing or repeated. `tables` is the directory of the tables that rows look into.
inline report check_file(const answer& a, const fs::path& directory, const fs::path& recorded, const fs::path& tables) {
  std::string text;
  if (!read_file(directory / a.file, text)) return {0, "missing file"};
  const std::vector<std::string> lines = lines_of(text);
  report result = check_lines(a, lines, tables);
  if (!result.error.empty()) return result;
  const std::map<std::string, record> records = read_records(directory);
  if (!records.empty()) {
    const auto it = records.find(a.file);
    if (it == records.end()) return {result.rows, "no row count recorded"};
    if (it->second.rows != result.rows)
      return {result.rows, "holds " + std::to_string(result.rows) + " rows, recorded are " + std::to_string(it->second.rows)};
    if (it->second.hash != fnv1a(text)) return {result.rows, "text differs from what is recorded"};
    return result;
  }
  std::string known_text;
  if (!read_file(recorded / a.file, known_text)) return {result.rows, "no recorded file to compare with"};
  const std::vector<std::string> known_lines = lines_of(known_text);
  const std::multiset<std::string> known(known_lines.begin(), known_lines.end());
  const std::multiset<std::string> here(lines.begin(), lines.end());
  const bool all_known = std::all_of(here.begin(), here.end(), [&](const std::string& line) { return known.count(line) != 0; });
  if (all_known && here != known) result.error = "holds nothing but recorded rows, and not each of them once";
  return result;
}

/// Prints the result for each file. Returns the number of all rows; 0 if the directory holds only files of other kinds.
template <class Check>
std::size_t check_files(const std::vector<answer>& answers, const Check& check) {
  if (is_not_here()) return 0;
  std::size_t rows = 0;
  for (const answer& a : answers) {
    const report found = check_file(a, directory(), recorded_directory(), directory());
    rows += found.rows;
    std::printf("%7lu rows  %-44s %s\n", static_cast<unsigned long>(found.rows), a.file.c_str(),
                found.error.empty() ? "ok" : found.error.c_str());
    check(a.file, found.error);
  }
  std::printf("%7lu rows in %lu files\n", static_cast<unsigned long>(rows), static_cast<unsigned long>(answers.size()));
  return rows;
}

}  // namespace golden

#pragma once
// Spoils golden files to test whether the driver notices.

#include <unistd.h>

#include <cstdio>

#include "../support/catch.hpp"
#include "driver.hpp"

namespace golden {

/// An empty directory that is removed at the end.
struct scratch {
  fs::path path;
  explicit scratch(const std::string& name = "")
      : path{fs::temp_directory_path() / ("dyadic-golden-" + std::to_string(getpid()) + name)} {
    fs::remove_all(path);
    fs::create_directory(path);
  }
  ~scratch() { fs::remove_all(path); }
};

inline void write(const fs::path& path, const std::vector<std::string>& lines) {
  std::ofstream out(path, std::ios::binary);
  for (const std::string& line : lines) out << line << '\n';
}

inline std::vector<std::string> recorded_lines(const answer& answer) {
  std::string text;
  REQUIRE(read_file(recorded_directory() / answer.file, text));
  return lines_of(text);
}

/// Checks a copy of a recorded file, spoiled or not, in another directory. Its rows look into the recorded tables.
inline report check_copy(const answer& answer, const fs::path& directory) {
  return check_file(answer, directory, recorded_directory(), recorded_directory());
}

/// Returns a field that differs as little as possible from `field`.
inline std::string corrupted(const std::string& field) {
  if (field == "ok") return "require";
  if (field.empty()) return "0";
  if (field.find_first_not_of("-0123456789") != std::string::npos) return "ok";
  return std::to_string(std::stoll(field) + 1);
}

inline std::string with_field(const std::string& line, std::size_t column, const std::string& field) {
  std::vector<std::string> fields = split(line);
  fields[column] = field;
  std::string joined = fields[0];
  for (std::size_t i = 1; i < fields.size(); ++i) joined += ',' + fields[i];
  return joined;
}

/// Puts a wrong value into each output column of three rows: the first, one in the middle, and the last row of each file. The
/// file that is checked has only these rows, because whole files would take minutes.
inline void check_that_wrong_values_are_noticed(const std::vector<answer>& answers) {
  const scratch directory;
  std::size_t corruptions = 0;
  for (const answer& answer : answers) {
    const std::vector<std::string> good = recorded_lines(answer);
    const std::vector<std::string> columns = split(good[0]);
    for (const std::string& output : answer.outputs) {
      const auto column = static_cast<std::size_t>(std::find(columns.begin(), columns.end(), output) - columns.begin());
      REQUIRE(column < columns.size());
      for (const std::size_t line : {std::size_t{1}, std::size_t{2}, std::size_t{3}}) {
        std::vector<std::string> bad{good[0], good[1], good[good.size() / 2], good.back()};
        bad[line] = with_field(bad[line], column, corrupted(split(bad[line])[column]));
        write(directory.path / answer.file, bad);
        INFO(answer.file << " column " << output << " line " << line + 1);
        CHECK(check_copy(answer, directory.path).error.find(output) == 0);
        ++corruptions;
      }
    }
    write(directory.path / answer.file, good);
    CHECK(check_copy(answer, directory.path).error.empty());
  }
  std::printf("%zu corrupted values noticed\n", corruptions);
}

}  // namespace golden

// The golden driver notices what it should: each output column of each file corrupted in turn, lost rows, lost files.

#include <unistd.h>

#include <cstdio>

#include "../support/catch.hpp"
#include "answers.hpp"

namespace {

namespace fs = std::filesystem;

fs::path recorded_directory() { return DYADIC_GOLDEN_SOURCE_DIR; }

/// An empty directory that is removed at the end.
struct scratch {
  fs::path path = fs::temp_directory_path() / ("dyadic-golden-" + std::to_string(getpid()));
  scratch() {
    fs::remove_all(path);
    fs::create_directory(path);
  }
  ~scratch() { fs::remove_all(path); }
};

void write(const fs::path& path, const std::vector<std::string>& lines) {
  std::ofstream out(path, std::ios::binary);
  for (const std::string& line : lines) out << line << '\n';
}

std::vector<std::string> recorded_lines(const golden::answer& answer) {
  std::string text;
  REQUIRE(golden::read_file(recorded_directory() / answer.file, text));
  return golden::lines_of(text);
}

/// A field that differs from `field` in the least possible way.
std::string corrupted(const std::string& field) {
  if (field == "ok") return "require";
  if (field.find_first_not_of("-0123456789") != std::string::npos) return "ok";
  return std::to_string(std::stoll(field) + 1);
}

std::string with_field(const std::string& line, std::size_t column, const std::string& field) {
  std::vector<std::string> fields = golden::split(line);
  fields[column] = field;
  std::string joined = fields[0];
  for (std::size_t i = 1; i < fields.size(); ++i) joined += ',' + fields[i];
  return joined;
}

}  // namespace

TEST_CASE("a wrong value in any output column of any file is noticed") {
  const scratch directory;
  std::size_t corruptions = 0;
  for (const golden::answer& answer : golden::answers()) {
    const std::vector<std::string> good = recorded_lines(answer);
    const std::vector<std::string> columns = golden::split(good[0]);
    for (const std::string& output : answer.outputs) {
      const auto column = static_cast<std::size_t>(std::find(columns.begin(), columns.end(), output) - columns.begin());
      REQUIRE(column < columns.size());
      for (const std::size_t line : {std::size_t{1}, good.size() / 2, good.size() - 1}) {
        std::vector<std::string> bad = good;
        bad[line] = with_field(bad[line], column, corrupted(golden::split(bad[line])[column]));
        write(directory.path / answer.file, bad);
        INFO(answer.file << " column " << output << " line " << line + 1);
        CHECK(golden::check_file(answer, directory.path, recorded_directory()).error.find(output) == 0);
        ++corruptions;
      }
    }
    write(directory.path / answer.file, good);
    CHECK(golden::check_file(answer, directory.path, recorded_directory()).error.empty());
  }
  std::printf("%zu corrupted values noticed\n", corruptions);
}

TEST_CASE("a lost row, a lost file, a strange column and a changed text are noticed") {
  const scratch directory;
  for (const golden::answer& answer : golden::answers()) {
    const std::vector<std::string> good = recorded_lines(answer);
    const auto error = [&] { return golden::check_file(answer, directory.path, recorded_directory()).error; };
    INFO(answer.file);
    CHECK(error() == "missing file");

    std::vector<std::string> bad = good;
    bad.erase(bad.begin() + static_cast<std::ptrdiff_t>(bad.size() / 2));
    write(directory.path / answer.file, bad);
    CHECK(error().find("holds nothing but recorded rows") == 0);
    bad.push_back(bad.back());  // the number of rows is right again
    write(directory.path / answer.file, bad);
    CHECK(error().find("holds nothing but recorded rows") == 0);

    bad = good;
    bad[0] += ",more";
    for (std::size_t i = 1; i < bad.size(); ++i) bad[i] += ",0";
    write(directory.path / answer.file, bad);
    CHECK(error() == "unknown or repeated column more");

    write(directory.path / answer.file, {good[0]});
    CHECK(error() == "no rows");
  }

  // With the record beside them, the count and the text must be exactly as recorded.
  fs::copy_file(recorded_directory() / "rows.csv", directory.path / "rows.csv");
  for (const golden::answer& answer : golden::answers()) {
    const auto error = [&] { return golden::check_file(answer, directory.path, recorded_directory()).error; };
    std::vector<std::string> lines = recorded_lines(answer);
    INFO(answer.file);
    write(directory.path / answer.file, lines);
    CHECK(error().empty());
    std::swap(lines[1], lines[2]);
    write(directory.path / answer.file, lines);
    CHECK(error() == "text differs from what is recorded");
    lines.pop_back();
    write(directory.path / answer.file, lines);
    CHECK(error().find("holds ") == 0);
  }
}

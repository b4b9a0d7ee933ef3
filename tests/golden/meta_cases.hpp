#pragma once
// Checks that the golden driver notices a spoiled value in each output column of each file, lost rows and lost files. The file
// that includes this header has defined the kind's `golden::answers`.

#include "corruption.hpp"

namespace fs = golden::fs;
using golden::recorded_directory;
using golden::recorded_lines;
using golden::scratch;
using golden::write;

TEST_CASE("a wrong value in any output column of any file is noticed") {
  golden::check_that_wrong_values_are_noticed(golden::answers());
}

TEST_CASE("a lost row, a lost file, a strange column and a changed text are noticed") {
  const scratch directory;
  for (const golden::answer& answer : golden::answers()) {
    const std::vector<std::string> good = recorded_lines(answer);
    const auto error = [&] { return golden::check_copy(answer, directory.path).error; };
    INFO(answer.file);
    CHECK(error() == "missing file");

    std::vector<std::string> bad = good;
    bad.erase(bad.begin() + static_cast<std::ptrdiff_t>(bad.size() / 2));
    write(directory.path / answer.file, bad);
    CHECK(error().find("holds nothing but recorded rows") == 0);
    bad.push_back(bad.back());  // makes the number of rows right again
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

  // If rows.csv lies beside the files, the number of rows and the text must be exactly as recorded.
  fs::copy_file(recorded_directory() / "rows.csv", directory.path / "rows.csv");
  for (const golden::answer& answer : golden::answers()) {
    const auto error = [&] { return golden::check_copy(answer, directory.path).error; };
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

TEST_CASE("a directory with files of another kind is recognized") {
  const scratch other;
  const fs::path kind = recorded_directory().filename();
  const std::string mine = golden::answers().front().file;
  const std::set<std::string> of_this_kind = golden::names_of_this_kind();
  const std::set<std::string> of_any_kind = golden::names_of_any_kind();
  const auto foreign = std::find_if(of_any_kind.begin(), of_any_kind.end(),
                                    [&](const std::string& name) { return of_this_kind.count(name) == 0; });
  REQUIRE(of_this_kind.count(mine) == 1);
  REQUIRE(foreign != of_any_kind.end());
  CHECK_FALSE(golden::is_of_other_kinds(other.path));  // an empty directory: every file is missing
  write(other.path / "strange.csv", {"a"});
  CHECK_FALSE(golden::is_of_other_kinds(other.path));
  write(other.path / *foreign, {"a"});
  CHECK(golden::is_of_other_kinds(other.path));
  write(other.path / mine, {"a"});
  CHECK_FALSE(golden::is_of_other_kinds(other.path));
  fs::remove(other.path / mine);
  fs::create_directory(other.path / kind);
  CHECK_FALSE(golden::is_of_other_kinds(other.path));
  fs::remove(other.path / kind);
  fs::remove(other.path / *foreign);
  fs::create_directory(other.path / (kind == "requantize" ? "elementwise" : "requantize"));
  CHECK(golden::is_of_other_kinds(other.path));
}

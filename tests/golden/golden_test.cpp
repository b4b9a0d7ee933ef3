// Every row of every golden file through the library. DYADIC_GOLDEN_DIR names another directory of files of the same names.

#include <cstdio>

#include "../support/catch.hpp"
#include "answers.hpp"

namespace {

std::filesystem::path recorded_directory() { return DYADIC_GOLDEN_SOURCE_DIR; }

std::filesystem::path directory() {
  const char* const other = std::getenv("DYADIC_GOLDEN_DIR");
  return other != nullptr && *other != '\0' ? std::filesystem::path(other) : recorded_directory();
}

}  // namespace

TEST_CASE("every golden file is reproduced, row by row") {
  std::printf("golden vectors of %s\n", directory() == recorded_directory() ? "tests/golden" : directory().c_str());
  if (golden::read_records(directory()).empty())
    std::printf("no rows.csv there: row counts are not recorded for this directory\n");
  std::size_t rows = 0;
  const std::vector<golden::answer> answers = golden::answers();
  for (const golden::answer& answer : answers) {
    const golden::report report = golden::check_file(answer, directory(), recorded_directory());
    rows += report.rows;
    std::printf("%7zu rows  %-44s %s\n", report.rows, answer.file.c_str(), report.error.empty() ? "ok" : report.error.c_str());
    INFO(answer.file << ": " << report.error);
    CHECK(report.error.empty());
  }
  std::printf("%7zu rows in %zu files\n", rows, answers.size());
}

TEST_CASE("every golden file of the directory has an answer") {
  std::set<std::string> known{"rows.csv"};
  for (const golden::answer& answer : golden::answers()) known.insert(answer.file);
  for (const auto& entry : std::filesystem::directory_iterator(directory()))
    if (entry.path().extension() == ".csv") {
      INFO(entry.path());
      CHECK(known.count(entry.path().filename().string()) == 1);
    }
}

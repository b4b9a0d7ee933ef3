#pragma once
// Checks every row of every file of a kind. The file that includes this header has defined the kind's `golden::answers`.

#include "../support/catch.hpp"
#include "driver.hpp"

using golden::directory;

TEST_CASE("every golden file is reproduced, row by row") {
  const bool is_recorded = golden::other_directory() == nullptr;
  const std::string kind = "tests/golden/" + golden::recorded_directory().filename().string();
  std::printf("golden vectors of %s\n", is_recorded ? kind.c_str() : directory().string().c_str());
  if (golden::read_records(directory()).empty())
    std::printf("no rows.csv there: row counts are not recorded for this directory\n");
  golden::check_files(golden::answers(), [](const std::string& file, const std::string& error) {
    INFO(file << ": " << error);
    CHECK(error.empty());
  });
}

TEST_CASE("every golden file of the directory has an answer") {
  std::set<std::string> known;
  for (const golden::answer& answer : golden::answers()) known.insert(answer.file);
  std::set<std::string> here = golden::names_in(directory());
  if (golden::other_directory() != nullptr) {
    // Files of both kinds may lie in one directory, but not beside the folders of the kinds.
    const bool is_folder = directory() != golden::other_directory();
    if (is_folder) here.merge(golden::names_in(golden::other_directory()));
    if (!is_folder) known.merge(golden::names_of_any_kind());
  }
  for (const std::string& file : here) {
    INFO(file);
    CHECK(known.count(file) == 1);
  }
}

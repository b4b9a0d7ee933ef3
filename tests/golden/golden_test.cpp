// Every row of every golden file through the library.

#include "../support/catch.hpp"
#include "answers.hpp"

using golden::directory;

TEST_CASE("every golden file is reproduced, row by row") {
  std::printf("golden vectors of %s\n", directory() == golden::recorded_directory() ? "tests/golden" : directory().c_str());
  if (golden::read_records(directory()).empty())
    std::printf("no rows.csv there: row counts are not recorded for this directory\n");
  golden::check_files(golden::answers(), [](const std::string& file, const std::string& error) {
    INFO(file << ": " << error);
    CHECK(error.empty());
  });
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

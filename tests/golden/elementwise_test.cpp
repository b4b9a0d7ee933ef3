// Checks every row of the files of elementwise/ against the library. If all samples are taken, also checks that the driver
// notices spoiled files.

#include "elementwise/answers.hpp"
#include "row_cases.hpp"
#if DYADIC_TEST_DIVISOR == 1
#include "../support/environment.hpp"
#include "meta_cases.hpp"

TEST_CASE("rows of another directory use its tables, and spoiled rows use the recorded tables") {
  // A table whose entries are all equal gives this value for every input.
  const scratch other("-tables");
  std::vector<std::string> tables{"index,table0,table1,table2,table3,table4,table5,table6,table7"};
  for (int i = 0; i < 513; ++i) tables.push_back(std::to_string(i) + ",5,5,5,5,5,5,5,5");
  write(other.path / "tflite_lut_s16_tables.csv", tables);
  write(other.path / "tflite_lut_s16.csv", {"table,input,expected", "0,-32768,5", "7,12345,5"});
  const std::vector<golden::answer> all = golden::answers();
  const auto lookup =
      std::find_if(all.begin(), all.end(), [](const golden::answer& a) { return a.file == "tflite_lut_s16.csv"; });
  REQUIRE(lookup != all.end());

  const char* const variable = "DYADIC_GOLDEN_DIR";
  const char* const given = golden::other_directory();
  const std::string before = given != nullptr ? given : "";
  support::set_environment(variable, other.path.string().c_str());
  CHECK(golden::check_file(*lookup, directory(), recorded_directory(), directory()).error.empty());
  CHECK(golden::check_copy(*lookup, other.path).error.find("expected is ") == 0);
  golden::check_that_wrong_values_are_noticed({*lookup});
  support::set_environment(variable, before.c_str());
}
#endif

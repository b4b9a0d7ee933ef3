// Checks every row of the files of network/ against the library, and the rows of LSTMs on each backend of this machine. If all
// samples are taken, also checks that the driver notices spoiled files.

#include "../support/best_backend.hpp"
#include "network/answers.hpp"
#include "row_cases.hpp"
#if DYADIC_TEST_DIVISOR == 1
#include "meta_cases.hpp"
#endif

TEST_CASE("each backend reproduces the golden files of an LSTM") {
  dyadic::for_each_backend<support::best_backend>([](auto backend, bool runs_here) {
    using tested = decltype(backend);
    if constexpr (!std::is_same_v<tested, dyadic::backend::scalar>) {
      std::printf("%s%s\n", tested::name, runs_here ? "" : ": this machine does not run it");
      if (!runs_here) return;
      golden::check_files(golden::recurrent::lstm_answers<tested>(), [](const std::string& file, const std::string& error) {
        INFO(tested::name << " " << file << ": " << error);
        CHECK(error.empty());
      });
    }
  });
}

// Checks the rows of every scheme that is written over lanes on each backend of this machine. If all samples are taken, also
// checks that a spoiled row is noticed.

#include "../support/best_backend.hpp"
#include "../support/catch.hpp"
#include "backend_answers.hpp"
#if DYADIC_TEST_DIVISOR == 1
#include "corruption.hpp"
#endif

namespace q = dyadic;

namespace {

/// Calls use(answers) for each backend of this machine except scalar code. Prints the backends that are left out.
template <class Use>
void with_answers_of_each_backend(const Use& use) {
  q::for_each_backend<support::best_backend>([&](auto backend, bool runs_here) {
    using tested = decltype(backend);
    if constexpr (!std::is_same_v<tested, q::backend::scalar>) {
      std::printf("%s%s\n", tested::name, runs_here ? "" : ": this machine does not run it");
      if (runs_here) use(golden::backend_answers<tested>());
    }
  });
}

}  // namespace

TEST_CASE("every golden file of a scheme over lanes is reproduced by each backend, row by row") {
  with_answers_of_each_backend([](const std::vector<golden::answer>& answers) {
    golden::check_files(answers, [](const std::string& file, const std::string& error) {
      INFO(file << ": " << error);
      CHECK(error.empty());
    });
  });
}

#if DYADIC_TEST_DIVISOR == 1
TEST_CASE("a wrong value in any output column of any file is noticed on each backend") {
  with_answers_of_each_backend(golden::check_that_wrong_values_are_noticed);
}
#endif

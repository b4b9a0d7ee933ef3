#include "backends.hpp"

std::vector<bench::implementation> bench::backends_of(const std::shared_ptr<problem_a16w8>& p) {
  return all_backends<variant::packed>(p);
}

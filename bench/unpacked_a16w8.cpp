#include "backends.hpp"

std::vector<bench::implementation> bench::unpacked_of(const std::shared_ptr<problem_a16w8>& p) {
  return all_backends<variant::unpacked>(p);
}

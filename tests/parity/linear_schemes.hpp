/// \file
/// One scheme for each formula as the output of a linear layer on one backend: the file that includes this defines PARITY_BACKEND
/// and PARITY_NAME. No guard.

#include DYADIC_BEST_HEADER

#include "../support/schemes.hpp"
#include "linear_parity.hpp"

namespace {

template <template <class...> class Selection>
void linear_schemes() {
  if (!parity::is_tested<dyadic::backend::PARITY_BACKEND>()) return;
  support::each_scheme<Selection>([](auto s) {
    INFO(s.name);
    parity::multipliers_of<parity::backends<dyadic::backend::PARITY_BACKEND>, typename decltype(s)::scheme, std::int32_t>();
  });
}

}  // namespace

TEST_CASE(PARITY_NAME ": linear layers with the schemes of an int32 accumulator equal scalar", "[parity]") {
  linear_schemes<support::with_new_int32_formula>();
}
TEST_CASE(PARITY_NAME ": linear layers with the schemes of an int48 accumulator equal scalar", "[parity]") {
  linear_schemes<support::with_new_wide_formula>();
}

/// \file
/// One scheme for each formula as the output of a linear layer on one backend.
/// The file that includes this header defines PARITY_BACKEND and PARITY_NAME. The header undefines them, so that a file may
/// include it for several backends. Only the part that all backends share has a guard.

#include DYADIC_BEST_HEADER

#include "../support/schemes.hpp"
#include "linear_parity.hpp"

#ifndef PARITY_LINEAR_SCHEMES
#define PARITY_LINEAR_SCHEMES

namespace {

template <class Backend, template <class...> class Selection>
void linear_schemes() {
  if (!parity::is_tested<Backend>()) return;
  support::each_scheme<Selection>([](auto s) {
    INFO(s.name);
    parity::multipliers_of<parity::backends<Backend>, typename decltype(s)::scheme, std::int32_t>();
  });
}

}  // namespace

#endif

TEST_CASE(PARITY_NAME ": linear layers with the schemes of an int32 accumulator equal scalar", "[parity]") {
  linear_schemes<dyadic::backend::PARITY_BACKEND, support::with_new_int32_formula>();
}
TEST_CASE(PARITY_NAME ": linear layers with the schemes of an int48 accumulator equal scalar", "[parity]") {
  linear_schemes<dyadic::backend::PARITY_BACKEND, support::with_new_wide_formula>();
}

#undef PARITY_BACKEND
#undef PARITY_NAME

// The proof of Helium: its own code over the models of mve/.

#include "mve/arm_mve.h"

#include <dyadic/backend/mve.hpp>

#include "finish_claim.hpp"
#include "prove_vectors.hpp"

DYADIC_PROOF_REGION(mve)

namespace {

struct compact_region : mve_region {
  template <class Output>
  static constexpr bool has_compact_variant() {
    return dyadic::detail::over_mve::has_compact_variant<Output>();
  }
  template <class Output>
  static void finish_in_variant(const Output* output, const typename Output::accumulator* sums, int channels, void* y) {
    dyadic::detail::over_mve::finish_in_variant<Output>(output, sums, 0, channels, y);
  }
};

}  // namespace

int main(int count, char** arguments) {
  return proof::prove_vectors<mve_region, proof::helium_stores>(count, arguments, [](proof::prover& all, proof::depth d) {
    proof::finish_prover<compact_region> sums{all, d};
    proof::each_published([&](auto scheme, const char* name, proof::steps steps) { sums.prove<decltype(scheme)>(name, steps); });
  });
}

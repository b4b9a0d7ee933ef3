// AVX-512 with VNNI, by its own code over the models of x86/.

#include "x86/immintrin.h"

#include <dyadic/backend/avx512vnni.hpp>

#include "fused_claim.hpp"
#include "prove_vectors.hpp"

DYADIC_PROOF_REGION(avx512vnni)

namespace {

struct fused_region : avx512vnni_region {
  template <class Store, class Accumulators>
  static void store_from_registers(const Store& store, const Accumulators* accumulators) {
    using namespace dyadic::detail::over_avx512vnni;
    store(accumulators, typename indices_below<1>::type{}, typename indices_below<nr / lanes::count>::type{});
  }
};

}  // namespace

int main(int count, char** arguments) {
  return proof::prove_vectors<avx512vnni_region>(count, arguments, [](proof::prover& all, proof::depth d) {
    proof::fused_prover<fused_region>{all, d}.prove();
  });
}

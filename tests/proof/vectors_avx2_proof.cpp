// The proof of AVX2: its own code over the models of x86/.

#include "x86/immintrin.h"

#include <dyadic/backend/avx2.hpp>

#include "fused_claim.hpp"
#include "prove_vectors.hpp"

DYADIC_PROOF_REGION(avx2)
DYADIC_PROOF_MATRICES(avx2)

int main(int count, char** arguments) {
  return proof::prove_vectors<avx2_region>(count, arguments, [](proof::prover& all, proof::depth d) {
    proof::prove_matrices<avx2_matrices>(all, d);
    proof::fused_prover<avx2_region>{all, d}.prove();
  });
}

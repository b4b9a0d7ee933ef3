// The proof of AVX-512 with VNNI: its own code over the models of x86/.

#include "x86/immintrin.h"

#include <dyadic/backend/avx512vnni.hpp>

#include "fused_claim.hpp"
#include "prove_vectors.hpp"

DYADIC_PROOF_REGION(avx512vnni)
DYADIC_PROOF_MATRICES(avx512vnni)

int main(int count, char** arguments) {
  return proof::prove_vectors<avx512vnni_region>(count, arguments, [](proof::prover& all, proof::depth d) {
    proof::prove_matrices<avx512vnni_matrices>(all, d);
    proof::fused_prover<avx512vnni_region>{all, d}.prove();
  });
}

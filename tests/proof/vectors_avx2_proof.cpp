// The proof of AVX2: its own code over the models of x86/.

#include "x86/immintrin.h"

#include <dyadic/backend/avx2.hpp>

#include "prove_vectors.hpp"

DYADIC_PROOF_REGION(avx2)
DYADIC_PROOF_MATRICES(avx2)

int main(int count, char** arguments) {
  return proof::prove_vectors<avx2_region>(count, arguments, proof::prove_matrices<avx2_matrices>);
}

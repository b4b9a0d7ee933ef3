// The proof of SSE4.1: its own code over the models of x86/.

#include "x86/smmintrin.h"

#include <dyadic/backend/sse41.hpp>

#include "prove_vectors.hpp"

DYADIC_PROOF_REGION(sse41)
DYADIC_PROOF_MATRICES(sse41)

int main(int count, char** arguments) {
  return proof::prove_vectors<sse41_region>(count, arguments, proof::prove_matrices<sse41_matrices>);
}

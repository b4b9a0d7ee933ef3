// The proof of NEON on A32: its own code over the models of neon/.

#define DYADIC_PROOF_A32
#include "neon/arm_neon.h"

#include <dyadic/backend/neon.hpp>

#include "prove_vectors.hpp"

DYADIC_PROOF_REGION_CALLED(neon, "neon of A32")
DYADIC_PROOF_MATRICES(neon)

int main(int count, char** arguments) {
  return proof::prove_vectors<neon_region>(count, arguments, proof::prove_matrices<neon_matrices>);
}

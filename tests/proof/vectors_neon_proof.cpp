// The proof of NEON on A64: its own code over the models of neon/.

#include "neon/arm_neon.h"

#include <dyadic/config.hpp>
#undef DYADIC_MOST_ROWS  // the limit of A64, because this machine may be another
#define DYADIC_MOST_ROWS 16

#include <dyadic/backend/neon.hpp>

#include "prove_vectors.hpp"

DYADIC_PROOF_REGION(neon)
DYADIC_PROOF_MATRICES(neon)

int main(int count, char** arguments) {
  return proof::prove_vectors<neon_region>(count, arguments, proof::prove_matrices<neon_matrices>);
}

// Helium, by its own code over the models of mve/.

#include "mve/arm_mve.h"

#include <dyadic/backend/mve.hpp>

#include "vector_claim.hpp"

DYADIC_PROOF_REGION(mve)

int main(int count, char** arguments) { return proof::prove_vectors<mve_region, proof::helium_stores>(count, arguments); }

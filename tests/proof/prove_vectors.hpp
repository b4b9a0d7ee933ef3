#pragma once
/// \file
/// All claims about a backend's code over modelled vectors.

#include <cstring>

#include "binary_claim.hpp"
#include "choice_claim.hpp"

namespace proof {

/// Proves the claims of a backend, as the arguments of its program select them.
template <class Claims>
int prove_claims(int count, char** arguments, const Claims& claims) {
  std::string only;
  depth d = depth::sample;
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(arguments[i], "--every") == 0)
      d = depth::every;
    else
      only = arguments[i];
  }
  prover all{only};
  claims(all, d);
  return all.status();
}
/// Proves the choices and all schemes of a region.
template <class Region>
void prove_epilogues(prover& all, depth d) {
  vector_prover<Region> vectors{all, d};
  choice_prover<Region>{all, d}.prove();
  each_published(
      [&](auto scheme, const char* name, steps published) { vectors.template prove<decltype(scheme)>(name, published); });
  if constexpr (Region::lanes::has_wide_products)
    each_rounded_once([&](auto scheme, const char* name, steps published) {
      vectors.template prove_rounded_once<decltype(scheme)>(name, published);
    });
}

/// Proves rows of matrices, always for a sample of shifts and lanes.
template <class Matrices>
void prove_matrices(prover& all, depth) {
  prove_rows<Matrices>(all);
  prove_binary<Matrices>(all);
}

struct no_more {
  void operator()(prover&, depth) const {}
};
/// Proves the stores, the epilogues, and more(all, d). It is the main function of a backend's proof.
template <class Region, template <class AnyRegion, class Y> class Stores = packed_stores, class More = no_more>
int prove_vectors(int count, char** arguments, const More& more = {}) {
  return prove_claims(count, arguments, [&](prover& all, depth d) {
    prove_stores<Region, Stores>(all, d);
    prove_epilogues<Region>(all, d);
    more(all, d);
  });
}

}  // namespace proof

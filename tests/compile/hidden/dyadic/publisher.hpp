// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <dyadic/number.hpp>

namespace dyadic::ggml {
template <class Scheme>
struct multiply {};
namespace detail {}
}  // namespace dyadic::ggml

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <dyadic/number.hpp>

namespace dyadic {

namespace ggml {

struct rule {
  static int divide(int a, int b);
  // The second product means ggml's name behind publisher.hpp.
  static int apply(int a, int b) { return dyadic::multiply(a, b) - 2 * multiply(a, detail::half(b)) + divide(a, b); }
};

}  // namespace ggml

}  // namespace dyadic

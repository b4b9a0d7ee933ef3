// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dyadic {
int multiply(int a, int b);
namespace detail {
int half(int a);
}
}  // namespace dyadic

#pragma once
/// \file
/// The tables of dyadic_bench.

#include "table.hpp"

namespace bench {

table limits_of_machine(bool smoke);
table digits(bool smoke);
table rescale(bool smoke);
table linear(bool smoke);
table conv(bool smoke);

}  // namespace bench

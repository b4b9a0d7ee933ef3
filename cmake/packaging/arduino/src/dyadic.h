// SPDX-License-Identifier: Apache-2.0
// The Arduino tools find a library by a header in src/ itself.
#pragma once
#include "dyadic/dyadic.hpp"

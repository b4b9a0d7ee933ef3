#pragma once
/// \file
/// In place of the compiler's header.

#include "immintrin.h"

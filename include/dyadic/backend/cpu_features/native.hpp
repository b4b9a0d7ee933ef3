// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The native backend, where the compiler's flags alone choose it: it runs wherever this file's own code runs. Floor 4.

#include <dyadic/backend/cpu_features/runs_here.hpp>
#include <dyadic/config.hpp>

#include DYADIC_NATIVE_HEADER

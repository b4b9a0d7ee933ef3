// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Calls report(holds, what, of) for each argument that a function refuses or accepts.
void check_refusals(void (*report)(bool holds, const char* what, const char* of));

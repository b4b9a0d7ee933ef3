// Checks every row of the files of block_scaled/ against the library. If all samples are taken, also checks that the driver notices
// spoiled files.

#include "block_scaled/answers.hpp"
#include "row_cases.hpp"
#if DYADIC_TEST_DIVISOR == 1
#include "meta_cases.hpp"
#endif

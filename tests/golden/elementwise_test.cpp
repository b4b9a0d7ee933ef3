// Every row of the files of elementwise/ through the library; where all samples are taken, the driver notices what it should in them.

#include "elementwise/answers.hpp"
#include "row_cases.hpp"
#if DYADIC_TEST_DIVISOR == 1
#include "meta_cases.hpp"
#endif

// Every row of the files of elementwise/ through the library.

#include "elementwise/answers.hpp"
#include "row_cases.hpp"

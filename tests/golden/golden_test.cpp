// Every row of the files of requantize/ through the library.

#include "answers.hpp"
#include "row_cases.hpp"

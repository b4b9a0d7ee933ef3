// The driver notices what it should in the files of elementwise/.

#include "elementwise/answers.hpp"
#include "meta_cases.hpp"

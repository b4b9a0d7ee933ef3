#include <dyadic/dyadic.hpp>

#if DYADIC_VERSION != EXPECTED_VERSION
#error "the header is of another version than its package"
#endif

int main() { return dyadic::shift_right<dyadic::half_even>(5, 1) == 2 ? 0 : 1; }

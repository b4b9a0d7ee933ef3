#include <dyadic/dyadic.hpp>

int main() { return dyadic::shift_right<dyadic::half_even>(5, 1) == 2 ? 0 : 1; }

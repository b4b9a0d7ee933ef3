// expect: (nodiscard|unused-result)
#include <dyadic/status.hpp>

constexpr dyadic::status check() noexcept { return dyadic::status::ok; }
void caller();
void caller() {
#ifdef MUST_NOT_COMPILE
  check();
#endif
}

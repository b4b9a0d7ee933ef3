// expect: (deleted function|deleted constructor)
#include <dyadic/view.hpp>

#include <vector>

std::vector<int> made();
#ifdef MUST_NOT_COMPILE
dyadic::index_t caller() {
  const dyadic::view<const int> v = made();
  return v.size();
}
#endif

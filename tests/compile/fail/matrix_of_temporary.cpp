// expect: (deleted function|deleted constructor)
#include <dyadic/view.hpp>

#include <vector>

std::vector<int> made();
#ifdef MUST_NOT_COMPILE
dyadic::index_t caller() {
  const dyadic::matrix_view<const int> m(made(), 2, 3);
  return m.rows();
}
#endif

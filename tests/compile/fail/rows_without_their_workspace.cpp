// expect: deleted
#include "given.hpp"

q::index_t caller(const q::rows_in_workspace& rows) {
#ifdef MUST_NOT_COMPILE
  const q::row_range part = rows;
#else
  const q::row_range& part = rows;
#endif
  return part.end;
}

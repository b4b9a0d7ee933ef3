// expect: deleted
#include <dyadic/scheme/xnnpack.hpp>

static_assert(dyadic::xnnpack::rndnu::derive(0.1f).status == dyadic::status::ok);
#ifdef MUST_NOT_COMPILE
static_assert(dyadic::xnnpack::rndnu::derive(0.1).status == dyadic::status::ok);
#endif

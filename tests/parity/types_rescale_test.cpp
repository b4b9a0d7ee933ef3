#include "types.hpp"

namespace {

using namespace types;

/// Returns the ends of the type, zero, and other values.
template <class X>
values elements() {
  const auto [low, high] = q::detail::range_of_element<X>();
  values v{low, high, 0, low, high};
  for (i64 step = 1; step <= high / 3; step *= 3) {
    v.push_back(step);
    v.push_back(low + step);
    v.push_back(high - step);
  }
  v.resize(v.size() / 2 * 2);
  return v;
}

/// Rescales two rows of X.
template <class X, class Output>
void rescale(const Output& output, i64 zero_point) {
  const values v = elements<X>();
  values accumulators;
  for (const i64 value : v)
    accumulators.push_back(static_cast<i64>(static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(zero_point)));
  const auto x = as_stored<X>(v);
  const auto columns = static_cast<size>(v.size()) / 2;
  const q::matrix_view from(x.data(), 2, columns);
  const q::rescale_layer layer{static_cast<i32>(zero_point), output};
  parity::each_backend_and_scalar([&](auto backend) {
    std::vector<typename Output::value_type> y(v.size());
    const q::matrix_view to(y.data(), 2, columns);
    const q::status s = check(layer, from, to);
    REQUIRE((s == q::status::ok || s == q::status::accumulator_overflow));
    q::run<decltype(backend)>(layer, from, to);
    compare(y, accumulators, output,
            std::string("rescale of ") + name<X>() + " less " + std::to_string(zero_point) + " by " + decltype(backend)::name);
  });
}

/// Rescales to each type. Zero points are 0 and each end of the values that X and int32 share.
template <class X>
void rescale_all() {
  const auto [low, high] = q::detail::range_of_element<X>();
  for (const i64 zero_point : {i64{0}, std::max<i64>(low, q::limits<i32>::min), std::min<i64>(high, q::limits<i32>::max)}) {
    const int bits = sizeof(X) < 4 ? static_cast<int>(8 * sizeof(X)) : 32;
    rescale<X>(q::raw_output<i32>{}, zero_point);
    rescale<X>(scaled<i8>(22 + bits), zero_point);
    rescale<X>(scaled<i16>(14 + bits), zero_point);
    if constexpr (std::is_same_v<X, i32> || std::is_same_v<X, std::uint8_t>) {  // the output is stored by the same code for all
      rescale<X>(q::raw_output<i64>{}, zero_point);
      rescale<X>(scaled<std::uint8_t>(22 + bits), zero_point);
      rescale<X>(scaled<std::uint16_t>(14 + bits), zero_point);
      rescale<X>(scaled<i32>(31), zero_point);
    }
  }
}

}  // namespace

TEST_CASE("types: rescaled integers of all types equal the definition, also at extremes", "[parity]") {
  rescale_all<i8>();
  rescale_all<std::uint8_t>();
  rescale_all<i16>();
  rescale_all<std::uint16_t>();
  rescale_all<i32>();
  rescale_all<q::packed_int48>();
  rescale_all<i64>();
}

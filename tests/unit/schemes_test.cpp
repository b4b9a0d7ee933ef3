#include <dyadic/schemes.hpp>

#include <cstdint>
#include <iterator>
#include <string>
#include <type_traits>

#include "../support/catch.hpp"

namespace q = dyadic;

namespace {

constexpr auto by_name = q::scheme_by_name("tflite::double_rounding");
constexpr auto rule = by_name.value.derive(0.0235 * 0.0040 / 0.0510);
static_assert(by_name.status == q::status::ok && rule.status == q::status::ok && rule.value(2441) == 5);
static_assert(q::scheme_by_name("tosa::scale32").value.derive(0.0235 * 0.0040 / 0.0510).value(2441) == 4);
static_assert(q::scheme_by_name("tosa::scale16").value.accumulator_bits() == 48);
static_assert(q::scheme_by_name("tosa::scale16").value.mantissa_bits() == 15);
static_assert(q::scheme_by_name("onednn::f32").value.mantissa_bits() == 0);

/// Returns a multiplier made directly from its parts. No function of the library makes it.
template <class M>
M made(std::int32_t mantissa, std::int32_t right_shift, float scale) {
  if constexpr (std::is_same_v<M, q::onednn::scales>)
    return {scale, 1.0f, 1.0f};
  else if constexpr (std::is_same_v<M, q::binary32> || std::is_same_v<M, q::binary64>)
    return scale;
  else
    return {static_cast<typename M::mantissa_type>(mantissa), right_shift};
}

/// A user's scheme that halves.
struct halving {
  using accumulator = std::int32_t;
  using multiplier_type = q::multiplier16;
  static constexpr bool valid(multiplier_type m) noexcept { return m.mantissa == 1; }
  static constexpr q::result<multiplier_type> derive(q::binary64) noexcept { return {{1, 1}, q::status::ok}; }
  static constexpr std::int64_t apply(accumulator acc, multiplier_type) noexcept { return acc / 2; }
};

}  // namespace

TEST_CASE("each scheme is found by its name and by no other") {
  int found = 0;
  q::all_schemes.each([&](auto s) {
    const auto scheme = q::scheme_by_name(s.name);
    REQUIRE(scheme.status == q::status::ok);
    CHECK(scheme.value.name() == s.name);
    CHECK(s.name == std::string(q::all_schemes.names[found++]));
    const std::string name = s.name;
    for (const std::string& other : {name + "2", name.substr(0, name.size() - 1), name.substr(1), "dyadic::" + name})
      CHECK(q::scheme_by_name(other.c_str()).status == q::status::unknown_scheme);
  });
  CHECK(found == static_cast<int>(std::size(q::all_schemes.names)));
  CHECK(q::scheme_by_name("").status == q::status::unknown_scheme);
}

TEST_CASE("a rule that is chosen by name equals the scheme") {
  q::all_schemes.each([&](auto s) {
    using scheme = typename decltype(s)::scheme;
    using multiplier = typename scheme::multiplier_type;
    using accumulator = typename scheme::accumulator;
    const q::any_scheme erased = q::scheme_by_name(s.name).value;
    INFO(s.name);
    CHECK(erased.accumulator_bits() == q::detail::accumulator_bits<scheme>::value);
    int accepted = 0;
    for (const std::int32_t mantissa : {1 << 14, 20000, 1 << 30, 0x5555'5555, -5, 0})
      for (const std::int32_t shift : {-3, 14, 16, 33, 40, 70})
        for (const float scale : {0.25f, -3.0f}) {
          const multiplier m = made<multiplier>(mantissa, shift, scale);
          const auto whole = erased.with({mantissa, shift, scale});
          const bool fits = erased.mantissa_bits() != 15 || mantissa < 1 << 15;
          REQUIRE((whole.status == q::status::ok) == (fits && scheme::valid(m)));
          if (whole.status != q::status::ok) continue;
          ++accepted;
          for (const std::int64_t acc : {std::int64_t{-1}, std::int64_t{2}, std::int64_t{100'001}, -(std::int64_t{1} << 31)}) {
            const q::output_range range = q::range_of<std::int8_t>(3);
            CHECK(whole.value(acc) == scheme::apply(static_cast<accumulator>(acc), m));
            CHECK(whole.value(acc, range) == q::requantize<scheme>(static_cast<accumulator>(acc), m, range));
            CHECK(whole.value.valid(acc) == q::detail::in_domain_of<scheme>(static_cast<accumulator>(acc), m, 0));
          }
          if (sizeof(accumulator) == 4) CHECK(!whole.value.valid(std::int64_t{1} << 31));
        }
    CHECK(accepted > 0);
  });
}

TEST_CASE("a rule that is derived by name has its publisher's multiplier") {
  const auto same = [](const char* name, double scale, std::int64_t mantissa, std::int32_t right_shift) {
    const auto made_rule = q::scheme_by_name(name).value.derive(scale);
    const q::any_multiplier m = made_rule.value.multiplier();
    return made_rule.status == q::status::ok && m.mantissa == mantissa && m.right_shift == right_shift;
  };
  CHECK(same("tflite::double_rounding", 0.75, 3 << 29, 31));
  CHECK(same("tosa::scale16", 0.75, 3 << 13, 15));
  CHECK(same("xnnpack::rndnu", 0.75, 3 << 22, 24));
  for (const char* name : {"onednn::f32", "xnnpack::fp32", "tflite::double_scale<int64>"}) {
    const auto made_rule = q::scheme_by_name(name).value.derive(0.75);
    CHECK(made_rule.status == q::status::ok);
    CHECK(made_rule.value.multiplier().scale.to_double() == 0.75);
    CHECK(made_rule.value(-10) == -8);  // -7.5, to even or away from zero
  }
  CHECK(q::scheme_by_name("tflite::double_rounding").value.derive(0x1p30).status == q::status::scale_too_large);
  CHECK(q::scheme_by_name("exact::half_up").value.with({std::int64_t{1} << 40, 31, {}}).status ==
        q::status::multiplier_out_of_range);
}

TEST_CASE("a user's scheme is chosen by name like the others") {
  const q::any_scheme scheme{q::named_scheme<halving>{"halving"}};
  CHECK(scheme.name() == std::string("halving"));
  CHECK(scheme.derive(0.1).value(-7) == -3);
  CHECK(scheme.with({2, 1, {}}).status == q::status::multiplier_out_of_range);
}

#pragma once
/// \file
/// Every kind of output, with arrays drawn from the description.

#include <dyadic/output.hpp>
#include <dyadic/scheme/exact.hpp>
#include <dyadic/scheme/tosa.hpp>

#include "memory.hpp"

namespace fuzz {

/// Draws any integer that T holds.
template <class T>
std::int32_t value_in(reader& r, std::int32_t low, std::int32_t high) {
  const std::int64_t values = std::int64_t{high} - low + 1;
  const auto any = static_cast<std::int64_t>(r.word() >> 1);
  switch (r.byte() % 4) {
    case 1: return low;
    case 2: return high;
    default: return static_cast<std::int32_t>(low + any % values);
  }
}

template <class Y>
q::output_range any_range(reader& r) {
  const std::int32_t low = q::limits<Y>::min;
  const std::int32_t high = q::limits<Y>::max;
  q::output_range range = q::range_of<Y>(value_in<Y>(r, low, high));
  if (r.one_in(2)) range.min = value_in<Y>(r, low, high);
  if (r.one_in(2)) range.max = value_in<Y>(r, range.min, high);
  return {r.near32(range.zero_point, 3), r.near32(range.min, 3), r.near32(range.max, 3)};
}

/// Draws an array for the channels. An array that is too large for memory has a null pointer.
template <class T, class Element>
q::view<const T> any_array(reader& r, memory& m, index_t size, const Element& element) {
  const block<T> b = m.writable<T>(extent_of(size));
  m.make_input(m.last());
  if (b.holds == held::unread) return {nullptr, size};
  if (b.holds == held::all && b.data != nullptr)
    for (index_t i = 0; i < size; ++i) b.data[i] = element(r);
  return {b.data, size};
}

/// Draw mantissas of up to `bits` bits, and shifts in low .. high.
template <class T, int Bits>
constexpr auto any_mantissa = [](reader& r) {
  const auto any = static_cast<std::int64_t>(r.word() >> (64 - Bits));
  return static_cast<T>(r.near(static_cast<index_t>(any)));
};
template <class T, int Low, int High>
constexpr auto any_shift = [](reader& r) { return static_cast<T>(r.near(r.between(Low, High))); };

template <class M, int Bits, int Low, int High>
constexpr auto any_multiplier = [](reader& r) {
  return M{any_mantissa<typename M::mantissa_type, Bits>(r), any_shift<std::int32_t, Low, High>(r)};
};

template <class Y>
bool range_is_sound(q::output_range range) {
  const std::int64_t low = q::limits<Y>::min;
  const std::int64_t high = q::limits<Y>::max;
  return range.min >= low && range.max <= high && range.min <= range.max && range.zero_point >= low && range.zero_point <= high;
}
template <class Output>
auto is_sound(const Output& o) -> decltype(o.range, true) {
  return range_is_sound<typename Output::value_type>(o.range);
}
template <class Y>
bool is_sound(const q::raw_output<Y>&) {
  return true;
}

/// Calls use(output, bits that its accumulator may have, block that it is written to).
/// The block is made first, so that the other blocks may lie in it.
/// If All is false, draws one of two outputs instead of seven, which saves compile time.
template <bool Wide, bool All, class Use>
void with_output(reader& r, memory& m, index_t channels, extent written, const Use& use) {
  using Y = std::conditional_t<Wide, std::int16_t, std::int8_t>;
  using one_scheme = std::conditional_t<Wide, q::exact::half_up, q::tflite::single_rounding>;
  using left_scheme = std::conditional_t<Wide, q::tflite::reduced_int64, q::tflite::double_rounding>;
  using right_scheme = std::conditional_t<Wide, q::tosa::scale16, q::tosa::scale32>;
  using left_int = std::conditional_t<Wide, std::int64_t, std::int32_t>;
  using right_int = std::conditional_t<Wide, std::int32_t, std::int64_t>;
  constexpr int bits = Wide ? 48 : 32;
  constexpr int right_bits = Wide ? 15 : 31;
  constexpr int least = Wide ? 0 : 1;  // the schemes' limits of shifts to the right and to the left
  constexpr int most = Wide ? 126 : 62;
  constexpr int most_left = Wide ? 7 : 30;
  const auto first = [&] {
    const auto y = m.output<Y>(written);
    const auto multiplier = any_multiplier<q::multiplier32, 31, least, most>(r);
    return use(q::per_tensor_output<Y, one_scheme>{multiplier, any_range<Y>(r)}, Wide ? 64 : 32, y);
  };
  if constexpr (!All) {
    if (r.one_in(2)) return first();
    return use(q::raw_output<std::int64_t>{}, 64, m.output<std::int64_t>(written));
  } else {
    switch (r.byte() % 7) {
      case 0: return first();
      case 1: {
        const auto y = m.output<Y>(written);
        using multiplier = typename right_scheme::multiplier_type;
        const auto array = any_array<multiplier>(r, m, r.near(channels, 4), any_multiplier<multiplier, right_bits, 2, 62>);
        return use(q::per_channel_output<Y, right_scheme>{array, any_range<Y>(r)}, bits, y);
      }
      case 2: {
        const auto y = m.output<Y>(written);
        const auto mantissas = any_array<left_int>(r, m, r.near(channels, 4), any_mantissa<left_int, 31>);
        const auto shifts = any_array<left_int>(r, m, r.near(channels, 4), any_shift<left_int, -31, most_left>);
        return use(q::per_channel_arrays_output<Y, left_scheme, left_int>{mantissas, shifts, any_range<Y>(r)}, bits, y);
      }
      case 3: {
        const auto y = m.output<Y>(written);
        const auto mantissas = any_array<right_int>(r, m, r.near(channels, 4), any_mantissa<right_int, right_bits>);
        const auto shifts = any_array<right_int>(r, m, r.near(channels, 4), any_shift<right_int, 2, 62>);
        using pairs = q::per_channel_arrays_output<Y, right_scheme, right_int, q::shift_convention::right>;
        return use(pairs{mantissas, shifts, any_range<Y>(r)}, bits, y);
      }
      case 4: return use(q::raw_output<std::int32_t>{}, 32, m.output<std::int32_t>(written));
      case 5: return use(q::raw_output<q::packed_int48>{}, 48, m.output<q::packed_int48>(written));
      default: return use(q::raw_output<std::int64_t>{}, 64, m.output<std::int64_t>(written));
    }
  }
}

}  // namespace fuzz

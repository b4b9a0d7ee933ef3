#pragma once
// Answers rows of schemes that are written over lanes with a backend.

#include <dyadic/cpu.hpp>
#include <dyadic/rescale.hpp>

#include "../support/schemes.hpp"
#include "answers.hpp"

namespace golden {

/// Rescales each number in a row in which all elements and multipliers are equal. An int32 output is also computed among the
/// elements of earlier rows, each with its own multiplier. A row has a step of the widest vectors and a few more elements. Throws
/// if two answers differ. Schemes with the same formula share the vector code, so that only the first scheme is compiled.
template <class Backend>
struct by_backend {
  static constexpr q::index_t count = 4 * 16 + 7;

  template <class Scheme, class Y = std::int32_t>
  class rescaler {
   public:
    static_assert(q::detail::runs_over_lanes<q::per_tensor_output<Y, Scheme>>());
    using formula = support::first_with_formula<Scheme>;
    using accumulator = typename Scheme::accumulator;
    using multiplier = typename Scheme::multiplier_type;

    std::int64_t apply(accumulator acc, multiplier m) { return requantize(acc, m, {}); }
    std::int64_t requantize(accumulator acc, multiplier m, q::output_range range) {
      accumulator x[count];
      Y y[count] = {};
      for (accumulator& element : x) element = acc;
      q::run<Backend>(q::rescale_layer<q::per_tensor_output<Y, formula>>{0, {m, range}},
                      q::matrix_view<const accumulator>{x, 1, count}, q::matrix_view<Y>{y, 1, count});
      for (q::index_t i = 1; i < count; ++i) require_equal(y[i], y[0], i);
      if constexpr (sizeof(Y) == 4) {
        any_.require(acc, m, range, y[0]);
        if (is_high_half(m)) far_.require(acc, m, range, y[0]);
      }
      return y[0];
    }

   private:
    static void require_equal(Y got, Y expected, q::index_t place) {
      if (got != expected)
        throw std::runtime_error(text(got) + " at " + std::to_string(place) + ", but " + text(expected) + " elsewhere,");
    }
    /// Returns whether the multiplier has the shorter vector code, which runs if all multipliers of the vector have it.
    static bool is_high_half(q::binary32) { return false; }
    template <class Mantissa>
    static bool is_high_half(q::multiplier<Mantissa> m) {
      return m.right_shift >= 32 && m.mantissa >= 0;
    }

    /// A row of the last numbers. Each new number replaces the oldest number.
    class neighbours {
     public:
      void require(accumulator acc, multiplier m, q::output_range range, Y expected) {
        for (q::index_t i = is_new_ ? 0 : place_; i < (is_new_ ? count : place_ + 1); ++i) {
          x_[i] = acc;
          m_[i] = m;
        }
        is_new_ = false;
        Y y[count] = {};
        q::run<Backend>(q::rescale_layer<q::per_channel_output<Y, formula>>{0, {m_, range}},
                        q::matrix_view<const accumulator>{x_, 1, count}, q::matrix_view<Y>{y, 1, count});
        require_equal(y[place_], expected, place_);
        place_ = (place_ + 1) % count;
      }

     private:
      accumulator x_[count];
      multiplier m_[count];
      q::index_t place_ = 0;
      bool is_new_ = true;
    };
    neighbours any_;
    neighbours far_;
  };
};

/// Rescales by a scheme to all output types of TOSA.
template <class Way, class Scheme>
class to_each_type {
 public:
  std::int64_t requantize(const q::tosa::rescale_attributes& a, std::int64_t acc, typename Scheme::multiplier_type m) {
    using q::tosa::element;
    const auto by = [&](auto& rescaler, auto type) {
      return rescaler.requantize(static_cast<typename Scheme::accumulator>(acc), m,
                                 q::range_of<decltype(type)>(static_cast<std::int32_t>(a.output_zero_point)));
    };
    if (a.output == element::i32) return by(int32_, std::int32_t{});
    if (a.output == element::i16) return a.output_unsigned ? by(uint16_, std::uint16_t{}) : by(int16_, std::int16_t{});
    return a.output_unsigned ? by(uint8_, std::uint8_t{}) : by(int8_, std::int8_t{});
  }

 private:
  typename Way::template rescaler<Scheme, std::int8_t> int8_;
  typename Way::template rescaler<Scheme, std::uint8_t> uint8_;
  typename Way::template rescaler<Scheme, std::int16_t> int16_;
  typename Way::template rescaler<Scheme, std::uint16_t> uint16_;
  typename Way::template rescaler<Scheme, std::int32_t> int32_;
};

/// Answers for the values of TOSA's RESCALE. Portable code decides whether the operator is legal.
template <class Way>
answer tosa_rescale_answer() {
  to_each_type<Way, q::tosa::scale32> single;
  to_each_type<Way, q::tosa::scale32_double_round> twice;
  to_each_type<Way, q::tosa::scale16> narrow;
  return {"tosa_rescale.csv", tosa_inputs(), {"status", "expected"}, [single, twice, narrow](const row& r) mutable -> values {
            const q::tosa::rescale_attributes a = attributes_of(r);
            const q::multiplier32 m = tosa_multiplier(r);
            const values portable = tosa_rescale(r);
            if (portable[0] != "ok") return portable;
            const std::int64_t acc = r.integer("value") - a.input_zero_point;
            if (!a.scale32)
              return {"ok", text(narrow.requantize(a, acc, {static_cast<std::int16_t>(m.mantissa), m.right_shift}))};
            const bool is_double = a.rounding == q::tosa::rounding_mode::double_round;
            return {"ok", text(is_double ? twice.requantize(a, acc, m) : single.requantize(a, acc, m))};
          }};
}

/// Answers for all files whose values a backend computes over lanes.
template <class Backend>
std::vector<answer> backend_answers() {
  std::vector<answer> all = lane_answers<by_backend<Backend>>();
  all.push_back(tosa_rescale_answer<by_backend<Backend>>());
  return all;
}

}  // namespace golden

#pragma once
/// \file
/// The outputs that a backend stores when it rescales two rows of elements, by its own code.
/// Elements, zero points and multipliers of a layer are in memory, and outputs are stored in their places.
/// The code chooses the variant.

#include <dyadic/rescale.hpp>

#include "vector_claim.hpp"

/// Defines the functions that compute rows of matrices in a backend's region, which DYADIC_PROOF_REGION defines.
#define DYADIC_PROOF_MATRICES(name_of_backend)                                                                   \
  struct name_of_backend##_matrices : name_of_backend##_region {                                                 \
    using backend = dyadic::backend::name_of_backend;                                                            \
    static constexpr int step = dyadic::detail::over_##name_of_backend::step_size;                               \
    template <class Rule>                                                                                        \
    using rescaled_operand = dyadic::detail::over_##name_of_backend::rescaled_operand<Rule>;                     \
    template <class Rule>                                                                                        \
    using operand_by_upper_half = dyadic::detail::over_##name_of_backend::operand_by_upper_half<Rule>;           \
    template <class Rule>                                                                                        \
    using operand_by_rounded_product = dyadic::detail::over_##name_of_backend::operand_by_rounded_product<Rule>; \
    template <class Rule>                                                                                        \
    using operand_by_shift = dyadic::detail::over_##name_of_backend::operand_by_shift<Rule>;                     \
    template <class Rule>                                                                                        \
    static Rule with_long_shift(const Rule& rule) {                                                              \
      return dyadic::detail::over_##name_of_backend::with_long_shift(rule);                                      \
    }                                                                                                            \
  };

namespace proof {

/// The layout of matrices of two rows. Rows are slightly longer than a step, so that the last step overlaps the previous step.
enum class shape {
  with_gaps,  ///< the matrices have different gaps between rows
  dense,      ///< no gaps
  short_rows  ///< fewer elements than a step, with gaps
};
inline constexpr int rows_of_matrix = 2;

/// Elements of type X as a matrix in memory. They are inputs called `name`, sign- or zero-extended to `wide` bits.
template <class X, int Step>
class matrix_of_inputs {
 public:
  static constexpr int bits = static_cast<int>(8 * sizeof(X));
  static constexpr int most_columns = Step + 4;
  static constexpr int most_gap = 8;

  static constexpr int columns_of(shape s) { return s == shape::short_rows ? Step > 4 ? 4 : Step : most_columns; }
  matrix_of_inputs(shape s, int gap) : columns_{columns_of(s)}, stride_{columns_ + (s == shape::dense ? 0 : gap)} {}
  /// Fills the matrix with inputs of `bits_of_inputs` bits.
  void fill(question& ask, const std::string& name, int count = rows_of_matrix, int bits_of_inputs = bits) {
    for (int r = 0; r < count; ++r) {
      std::vector<term> row;
      for (int c = 0; c < columns_; ++c)
        row.push_back(extend(ask.input(name + std::to_string(r) + "_" + std::to_string(c), bits_of_inputs), bits));
      put_all(memory_ + r * stride_, row);
      all_.insert(all_.end(), row.begin(), row.end());
    }
  }
  term at(int r, int c, int wide) const { return widened_to(all_[static_cast<std::size_t>(r * columns_ + c)], wide); }
  static term widened_to(const term& x, int wide) { return std::is_signed_v<X> ? extend(x, wide) : extend_unsigned(x, wide); }
  /// Returns the element that is stored at row r, column c.
  term stored(int r, int c) const { return taken(memory_, bits, r * stride_ + c); }
  int columns() const { return columns_; }
  q::matrix_view<X> view(int count = rows_of_matrix) { return {memory_, count, columns_, stride_}; }

 private:
  int columns_;
  int stride_;
  std::vector<term> all_;
  alignas(64) X memory_[std::size_t{rows_of_matrix * (most_columns + most_gap)}] = {};
};

/// Returns a range that is as wide as the output type, or narrower.
template <class Y>
q::output_range some_range(int zero_point, bool is_whole) {
  q::output_range r = q::range_of<Y>(zero_point);
  if (!is_whole) r.min += 5, r.max -= 3;
  return r;
}
/// Returns the sum of a value and the zero point, clamped.
inline term clamped_to(const term& value, const q::output_range& r) {
  const term sum = extend(value, 128) + number(128, r.zero_point);
  return max(min(sum, number(128, r.max)), number(128, r.min));
}

/// Returns true if the solver decides column c of row r, of n columns. Each run has one such column, and runs differ in it.
inline bool is_asked(const question& ask, int run, int r, int c, int n) {
  return !ask.is_about_symbols() || (r == run % rows_of_matrix && c == 7 * run % n);
}

/// Proves the outputs that a region stores for rows.
template <class Region>
class rows_prover {
  static constexpr std::int32_t zero_point_word = 0x5D00'0002;
  static constexpr int step = Region::step;
  template <class T>
  static constexpr int bits_of = static_cast<int>(8 * sizeof(T));

 public:
  explicit rows_prover(prover& all) : all_{all} {}

  /// Proves a scheme from elements X to outputs Y.
  template <class X, class Y, class Scheme>
  void prove(const std::string& name, range shifts, steps published) {
    const std::string what = std::string(Region::name) + ": rows, " + name + text_of(shifts);
    all_.prove_parts(what, [&] {
      // The runs are for the general variant, the high half, and the high half with the zero point folded in.
      const int last = shifts.high - shifts.low;
      const std::vector<int> some = {0, std::max(33 - shifts.low, 0), std::min(44 - shifts.low, last), last};
      all_.prove_part("per tensor", static_cast<int>(some.size()), [=](question& ask, int run) {
        const int t = shifts.low + some[static_cast<std::size_t>(run)];
        says<X, Y, Scheme>(ask, run, {t, t}, false, published);
      });
      std::vector<range> windows = {shifts, {std::max(shifts.low, 33), shifts.high}, {std::max(shifts.low, 17), 37}};
      windows.push_back({std::max(shifts.low, 33), 45});
      all_.prove_part("per channel", static_cast<int>(windows.size()), [=](question& ask, int run) {
        says<X, Y, Scheme>(ask, run, windows[static_cast<std::size_t>(run)], true, published);
      });
    });
  }

 private:
  template <class Scheme>
  static constexpr bool has_wide_products = Region::template implementation<typename Scheme::formula_type>::has_wide_products;

  /// States the claim. Column c of run r has a shift that no other run gives it.
  template <class X, class Y, class Scheme>
  void says(question& ask, int run, range shifts, bool has_channels, steps published) const {
    using multiplier = typename Scheme::multiplier_type;
    constexpr int bits = bits_of<typename Scheme::accumulator>;
    machine::begin(ask);
    // The general form of `exact` is not proved, so rows have at least a step.
    const auto form = static_cast<shape>(has_wide_products<Scheme> ? run % 2 : run % 3);
    matrix_of_inputs<X, step> x{form, 4};
    matrix_of_inputs<Y, step> y{form, 8};
    const int n = x.columns();
    const int count = shifts.high - shifts.low + 1;
    const auto shift_of = [&](int c) { return shifts.low + (has_channels ? run + c * 5 : 0) % count; };
    range shifts_of_run{shift_of(0), shift_of(0)};
    for (int c = 1; c < n; ++c)
      shifts_of_run = {std::min(shifts_of_run.low, shift_of(c)), std::max(shifts_of_run.high, shift_of(c))};
    // Code treats differences as int32s if they fit 32 bits and the variant is one for int32s.
    const bool has_zero_point = run % 4 < 2;
    // Elements of an int64 have at most the number of bits that the scheme accepts.
    constexpr int most_bits = std::min(bits_of<X>, has_wide_products<Scheme> ? 64 : 48);
    x.fill(ask, "x", rows_of_matrix, sizeof(X) == 8 && most_bits == 48 && has_zero_point ? 47 : most_bits);
    const bool fits_int32 = sizeof(X) < 4 || (sizeof(X) == 4 && !has_zero_point);
    const bool serves_int32s = has_wide_products<Scheme> || (shifts_of_run.high <= 46 && form != shape::short_rows);
    const bool is_short = bits == 32 || (fits_int32 && serves_int32s);
    const int v_bits = is_short ? 32 : 64;
    const int extra_bits = bits == 64 && is_short && !has_wide_products<Scheme> ? 16 : 0;
    std::int32_t x_zero_point = has_zero_point ? zero_point_word : 0;
    term z = number(v_bits, 0);
    if (has_zero_point && is_short) {
      z = matrix_of_inputs<X, step>::widened_to(ask.input("z", bits_of<X>), 32);
      machine::present().stands_for[zero_point_word] = z;
    } else if (has_zero_point) {  // the code converts it to int64, so it is a number
      constexpr int some[] = {1, 77, q::limits<std::conditional_t<(sizeof(X) < 4), X, std::int32_t>>::max};
      x_zero_point = some[run % 3];
      z = number(v_bits, x_zero_point);
    }
    multiplier stored[std::size_t{step + 4}] = {};
    std::vector<term> m;
    for (int c = 0; c < n; ++c) {
      if (c == 0 || has_channels) {
        const term factor = ask.factor("m" + std::to_string(c), bits_of<typename multiplier::mantissa_type> - 1);
        m.push_back(extend_unsigned(factor, v_bits));
      } else {
        m.push_back(m[0]);
      }
      stored[c] = {mantissa_in_memory<multiplier>(m[static_cast<std::size_t>(c)], has_channels ? c : 0), shift_of(c)};
    }
    // No mantissa is below zero, so that shifts alone decide if a variant serves.
    machine::present().claim_way(ask, shifts_of_run.low < 33 - extra_bits ? 1 : 0, 1);
    const q::output_range outputs = some_range<Y>(zero_point_of<Y>(run), run % 4 != 2);
    const auto rescale = [&](const auto& output) {
      const q::rescale_layer<std::decay_t<decltype(output)>> layer{x_zero_point, output};
      q::run<typename Region::backend>(layer, x.view(), y.view());
    };
    if (has_channels)
      rescale(q::per_channel_output<Y, Scheme>{q::view<const multiplier>(stored, n), outputs});
    else
      rescale(q::per_tensor_output<Y, Scheme>{stored[0], outputs});

    const int later = static_cast<int>(ask.constant(32, 0).value());
    const int next = static_cast<int>(ask.constant(32, 0).value());
    const int below = static_cast<int>(ask.constant(32, 0).value());
    const term more = ask.constant(v_bits, 0);
    for (int r = 0; r < rows_of_matrix; ++r)
      for (int c = 0; c < n; ++c) {
        if (!is_asked(ask, run, r, c, n)) continue;
        const term v = x.at((r + below) % rows_of_matrix, (c + next) % n, v_bits) - z + more;
        const term& mantissa = m[static_cast<std::size_t>(c)];
        state_lemmas_of_products<Scheme>(ask, v, mantissa, extra_bits, has_wide_products<Scheme>);
        const term value = published(extend(v, bits), extend(mantissa, bits), shift_of(c) + later);
        ask.expect(equal(y.stored(r, c), wrapped(clamped_to(value, outputs), bits_of<Y>)));
      }
  }

  prover& all_;
};

/// True if steps are so long that claims about them take long. Then only some claims are made.
template <class Region>
constexpr bool has_long_steps = Region::step > 32;

/// Proves rows by schemes that between them cover each way to load and store, and each requantize variant.
/// Other schemes differ only in their formula; vector_claim.hpp proves what a formula gives.
template <class Region>
void prove_rows(prover& all) {
  rows_prover<Region> prover_of_rows{all};
  using q::tflite::double_rounding;
  using q::tosa::scale16;
  using std::int16_t, std::int32_t, std::int64_t, std::int8_t, std::uint16_t, std::uint8_t;
  prover_of_rows.template prove<int8_t, int8_t, double_rounding>("int8 to int8", {1, 62}, published::tflite_double);
  prover_of_rows.template prove<uint8_t, int16_t, double_rounding>("uint8 to int16", {1, 62}, published::tflite_double);
  if (has_long_steps<Region>) return;
  prover_of_rows.template prove<int16_t, uint8_t, double_rounding>("int16 to uint8", {1, 62}, published::tflite_double);
  prover_of_rows.template prove<uint16_t, uint16_t, double_rounding>("uint16 to uint16", {1, 62}, published::tflite_double);
  prover_of_rows.template prove<int32_t, int32_t, double_rounding>("int32 to int32", {1, 62}, published::tflite_double);
  prover_of_rows.template prove<int8_t, int8_t, scale16>("int8 to int8 by 64 bits", {2, 62}, published::tosa_scale16);
  prover_of_rows.template prove<int32_t, int16_t, scale16>("int32 to int16 by 64 bits", {2, 62}, published::tosa_scale16);
  prover_of_rows.template prove<int64_t, int32_t, scale16>("int64 to int32 by 64 bits", {2, 62}, published::tosa_scale16);
  if constexpr (Region::lanes::template has_short_results<int>)
    prover_of_rows.template prove<int64_t, int16_t, scale16>("int64 to int16 by halves", {2, 62}, published::tosa_scale16);
  if constexpr (Region::lanes::has_wide_products) {
    using q::exact::half_up;
    prover_of_rows.template prove<int16_t, int8_t, half_up>("int16 to int8, rounded once", {33, 126}, published::exact_up);
    prover_of_rows.template prove<int64_t, int16_t, half_up>("int64 to int16, rounded once", {33, 126}, published::exact_up);
  }
}

}  // namespace proof

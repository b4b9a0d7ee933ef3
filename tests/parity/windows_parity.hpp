#pragma once
/// \file
/// Convolutions and transposed convolutions of backends against scalar code, packed and not, whole and in parts.

#include <dyadic/conv2d.hpp>
#include <dyadic/transposed_conv2d.hpp>

#include "linear_parity.hpp"

namespace parity {

/// The number of elements after each pixel, each row and each image.
struct gaps {
  q::index_t pixel = 0, row = 0, image = 0;

  constexpr gaps(q::index_t all = 0) : pixel{all}, row{all}, image{all} {}
  constexpr gaps(q::index_t of_pixel, q::index_t of_row, q::index_t of_image) : pixel{of_pixel}, row{of_row}, image{of_image} {}
};

/// Images and the windows over them.
struct images_shape {
  q::index_t n, h, w, c, channels, groups;
  q::window2d window;
  gaps gap = 0;
  q::index_t output_padding = 0;
  bool are_inputs_dense = false;  ///< true if the gaps are in the outputs alone
};

inline q::window2d square(q::index_t kernel, q::index_t stride, q::index_t dilation, q::index_t before, q::index_t after) {
  const q::window1d one{kernel, stride, dilation, before, after};
  return {one, one};
}

enum class kind { conv2d, transposed };

inline std::string describe(const images_shape& s, const conditions& c, const std::string& what, q::index_t at) {
  const auto axis = [](const q::window1d& w) {
    return std::to_string(w.kernel) + "/" + std::to_string(w.stride) + "/" + std::to_string(w.dilation) + " pad " +
           std::to_string(w.pad_before) + "+" + std::to_string(w.pad_after);
  };
  std::string text = what + ", " + std::to_string(s.n);
  for (const q::index_t n : {s.h, s.w, s.c}) text += " x " + std::to_string(n);
  return text + " to " + std::to_string(s.channels) + ", groups " + std::to_string(s.groups) + ", window " + axis(s.window.y) +
         " by " + axis(s.window.x) + ", gaps " + std::to_string(s.gap.pixel) + " " + std::to_string(s.gap.row) + " " +
         std::to_string(s.gap.image) + ", zero " + std::to_string(c.zero.x) + " " + std::to_string(c.zero.w) + ", element " +
         std::to_string(at);
}

/// Runs layers of activations X and weights W in guarded memory on each of the backends.
template <class Backends, kind Kind, class X, class W, class Y>
class window_runs {
 public:
  /// Makes room for inputs, weights and outputs of at most `most` elements each. Packed weights have whole panels and groups.
  explicit window_runs(std::size_t most = 80'000)
      : x_{most}, w_{most}, packed_{fills_groups ? 4 * most : most + most / 8}, constants_{most}, y_{most}, expected_{most} {}

  template <class Output>
  void compare(const images_shape& s, const conditions& c, const Output& output) {
    const q::index_t h = size(s.h, s.window.y, s.output_padding);
    const q::index_t w = size(s.w, s.window.x, s.output_padding);
    const auto x = images(x_, {s.n, s.h, s.w, s.c}, s.are_inputs_dense ? gaps{} : s.gap, c.at_end);
    for (q::index_t i = 0; i < x.extent; ++i) x.data[i] = static_cast<X>(element<X>(c.x, random_));
    const q::index_t cols = s.window.y.kernel * s.window.x.kernel * s.c / s.groups;
    const q::matrix_view<const W> matrix{weights_in<W>(w_, s.channels * cols, c, random_), s.channels, cols};
    numbers<std::int64_t> bias(static_cast<std::size_t>(s.channels));
    for (auto& b : bias) b = random_.integer(c.bias_bits);
    const auto y = images(y_, {s.n, h, w, s.channels}, s.gap, c.at_end);
    const auto expected = images(expected_, {s.n, h, w, s.channels}, s.gap, c.at_end);
    const q::row_range all{0, s.n * h};
    const q::row_range some{s.n * h / 3, s.n * h - s.n * h / 4};
    const auto expect = [&](const auto& layer, q::row_range rows) {
      fill(expected);
      q::run(layer, x.view, expected.view, rows);
    };
    const auto compare_with = [&](const char* name, const char* how, const auto& run_it) {
      fill(y);
      run_it();
      t.add(y.data, expected.data, y.extent, [&](q::index_t i) { return describe(s, c, std::string(name) + how, i); });
    };
    const auto with_view = [&](const auto& layer) {
      require_runs(check(layer, x.view, y.view));
      for (const bool is_whole : {false, true}) {
        const q::row_range rows = is_whole ? all : some;
        expect(layer, rows);
        Backends::each([&](auto backend) {
          using tested = decltype(backend);
          static_assert(has_kernel<tested, std::conditional_t<Kind == kind::conv2d, q::op::conv2d, q::op::transposed_conv2d>>);
          compare_with(tested::name, is_whole ? "" : ", some rows", [&] { q::run<tested>(layer, x.view, y.view, rows); });
        });
      }
    };
    const auto constants = [&](q::index_t n) {
      using accumulator = typename Output::accumulator;
      return q::view<accumulator>{
          reinterpret_cast<accumulator*>(constants_.at(c.at_end, static_cast<std::size_t>(n) * sizeof(accumulator))), n};
    };
    if constexpr (Kind == kind::conv2d) {
      const auto folded = q::fold_conv2d<X>(matrix, bias, s.window, c.zero, constants(s.channels));
      require(folded.status == q::status::ok, "fold");
      const q::conv2d_layer layer{matrix, folded.value, s.window, s.groups, output};
      with_view(layer);
      Backends::each([&](auto backend) {
        using tested = decltype(backend);
        const auto compare_packed = [&](const char* how, q::index_t bytes, const auto& pack) {
          const auto packed = pack(q::view<std::int8_t>{packed_.at(c.at_end, static_cast<std::size_t>(bytes)), bytes});
          require(packed.status == q::status::ok, "pack");
          t.in_blocks += packed.value.in_blocks();
          const q::conv2d_layer with_packed{packed.value, folded.value, s.window, s.groups, output};
          require(check(with_packed, x.view, y.view) == check(layer, x.view, y.view), "check with packed weights");
          compare_with(tested::name, how, [&] {
            const q::index_t end = c.at_end ? all.end : some.begin;  // at once or in two parts
            run(with_packed, x.view, y.view, {0, end});
            run(with_packed, x.view, y.view, {end, all.end});
          });
          if (s.n * h < 4)
            compare_with(tested::name, " packed, run by scalar",
                         [&] { q::run<q::backend::scalar>(with_packed, x.view, y.view, all); });
        };
        compare_packed(" packed as a matrix", q::packed_size<tested, X, W>(s.channels, cols),
                       [&](auto storage) { return q::pack<tested, X>(matrix, storage); });
        // If runs are not padded, the two packed layouts are equal.
        if constexpr (q::packed_layout_of<tested, X, W>.pads_runs)
          compare_packed(" packed for its window", q::packed_conv2d_size<tested, X, W>(s.channels, cols, s.window, s.groups),
                         [&](auto storage) { return q::pack_conv2d<tested, X>(matrix, s.window, s.groups, storage); });
      });
    } else {
      const auto folded = q::fold_transposed_conv2d<X>(matrix, bias, s.window, c.zero,
                                                       constants(q::transposed_conv2d_constants(s.channels, s.window, c.zero)));
      require(folded.status == q::status::ok, "fold");
      with_view(q::transposed_conv2d_layer{matrix, folded.value, s.window, output, s.groups});
    }
  }

  tally t;

 private:
#ifdef DYADIC_X86
  static constexpr bool fills_groups = true;  ///< if backends pad runs of weights, one weight may become four
#else
  static constexpr bool fills_groups = false;
#endif
  template <class T>
  struct placed {
    T* data;
    q::index_t extent;
    q::nhwc_view<T> view;
  };
  struct size4 {
    q::index_t n, h, w, c;
  };
  static q::index_t size(q::index_t inputs, const q::window1d& w, q::index_t padding) {
    return Kind == kind::conv2d ? q::forward_size(inputs, w) : q::transposed_size(inputs, w, padding);
  }
  template <class T>
  static placed<T> images(guarded<T>& memory, size4 s, const gaps& gap, bool at_end) {
    const q::index_t pixel = s.c + gap.pixel;
    const q::index_t row = s.w * pixel + gap.row;
    const q::index_t image = s.h * row + gap.image;
    const bool is_empty = s.n * s.h * s.w * s.c == 0;
    const q::index_t extent = is_empty ? 0 : (s.n - 1) * image + (s.h - 1) * row + (s.w - 1) * pixel + s.c;
    T* const data = memory.at(at_end, static_cast<std::size_t>(extent));
    return {data, extent, {data, s.n, s.h, s.w, s.c, pixel, row, image}};
  }
  static void fill(const placed<Y>& y) { std::fill(y.data, y.data + y.extent, Y{77}); }

  guarded<X> x_;
  guarded<stored<W>> w_;
  guarded<std::int8_t> packed_;
  guarded<std::byte> constants_;
  guarded<Y> y_;
  guarded<Y> expected_;
  support::random_bits random_;
};

}  // namespace parity

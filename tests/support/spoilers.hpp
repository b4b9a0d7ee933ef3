#pragma once
/// \file
/// Lists every change that spoils a layer, with the status that it gives: a table for all operators. The type of a sound layer
/// has the members that the check below names. Its `status()` is ok until a member is spoilt. Its `untouched()` says whether all
/// outputs are unchanged.

#include <dyadic/matmul.hpp>
#include <dyadic/scheme/tosa.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>

#include "catch.hpp"
#include "operations.hpp"

namespace support {

namespace q = dyadic;

inline constexpr q::index_t huge = std::numeric_limits<q::index_t>::max();

/// Returns whether an output array is still {77}.
template <class T, std::size_t N>
bool is_untouched(const T (&y)[N]) {
  return y[0] == 77 && std::all_of(y + 1, y + N, [](T value) { return value == 0; });
}

/// Returns the status after `spoil` has changed a sound object. Checks that nothing was written.
template <class Sound, class Spoil>
q::status after(Spoil spoil) {
  REQUIRE(Sound().status() == q::status::ok);
  Sound l;
  spoil(l);
  const q::status found = l.status();
  REQUIRE(l.untouched());
  return found;
}

// ---- one view

/// Returns the sizes of a view and then its strides. A view has one stride less than it has sizes.
/// @{
template <class T>
std::array<q::index_t, 1> numbers_of(q::view<T> v) {
  return {v.size()};
}
template <class T>
std::array<q::index_t, 3> numbers_of(q::matrix_view<T> v) {
  return {v.rows(), v.cols(), v.stride()};
}
template <class T>
std::array<q::index_t, 5> numbers_of(q::batch_view<T> v) {
  return {v.batches(), v.rows(), v.cols(), v.images().row_stride(), v.images().image_stride()};
}
template <class T>
std::array<q::index_t, 7> numbers_of(q::nhwc_view<T> v) {
  return {v.n(), v.h(), v.w(), v.c(), v.pixel_stride(), v.row_stride(), v.image_stride()};
}
/// @}

template <class Pointer, class View, std::size_t N>
void assign(View& view, Pointer data, const std::array<q::index_t, N>& numbers) {
  view = std::make_from_tuple<View>(std::tuple_cat(std::make_tuple(data), numbers));
}
/// Moves the view to other memory and keeps its shape.
template <class View, class T>
void move_to(View& view, T* data) {
  assign(view, reinterpret_cast<decltype(view.data())>(data), numbers_of(view));
}
template <class View>
void set_number(View& view, std::size_t i, q::index_t value) {
  auto numbers = numbers_of(view);
  numbers[i] = value;
  assign(view, view.data(), numbers);
}

/// Spoils the view to which `view_of` points. Its data becomes null. Each size and stride becomes negative, huge, or less by 1. A
/// smaller size gives the status `smaller`.
template <class Sound, class ViewOf>
void check_view(const char* name, ViewOf view_of, q::status smaller = q::status::shape_mismatch) {
  Sound sound;
  const auto numbers = numbers_of(*view_of(sound));
  const std::size_t sizes = numbers.size() / 2 + 1;
  const auto after_number = [&](std::size_t i, q::index_t value) {
    return after<Sound>([&](Sound& l) { set_number(*view_of(l), i, value); });
  };
  INFO(name);
  CHECK(after<Sound>([&](Sound& l) { assign(*view_of(l), nullptr, numbers); }) == q::status::null_data);
  CHECK(after_number(0, 0) == smaller);
  CHECK(after_number(0, huge) == q::status::size_overflow);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    INFO("number " << i);
    CHECK(after_number(i, -1) == q::status::negative_size);
    CHECK(after_number(i, numbers[i] - 1) == (i < sizes ? smaller : q::status::stride_too_small));
    if (i >= sizes) CHECK(after_number(i, huge) == q::status::size_overflow);
  }
}

// ---- members of layers, matmul and folds

/// Spoils `zero` for int16 activations and int8 weights.
template <class Sound>
void check_zero_points() {
  for (const std::int32_t x : {-32769, 32768})
    CHECK(after<Sound>([&](Sound& l) { l.zero.x = x; }) == q::status::zero_point_out_of_range);
  for (const std::int32_t w : {-129, 128})
    CHECK(after<Sound>([&](Sound& l) { l.zero.w = w; }) == q::status::zero_point_out_of_range);
}

/// Spoils `x`, `w` and `y`, the zero points, and `output`, which gives int16 by three 15-bit multipliers.
template <class Sound>
void check_arguments() {
  using s = q::status;
  check_view<Sound>("x", [](Sound& l) { return &l.x; });
  check_view<Sound>("w", [](Sound& l) { return &l.w; });
  check_view<Sound>("y", [](Sound& l) { return &l.y; });
  check_view<Sound>(
      "multipliers", [](Sound& l) { return &l.output.multipliers; }, s::multiplier_count_mismatch);
  check_zero_points<Sound>();
  CHECK(after<Sound>([](Sound& l) { l.multipliers[2] = {-1, 15}; }) == s::multiplier_out_of_range);
  CHECK(after<Sound>([](Sound& l) { l.multipliers[0] = {1, 63}; }) == s::multiplier_out_of_range);
  CHECK(after<Sound>([](Sound& l) { l.output.range = {0, 1, 0}; }) == s::empty_range);
  CHECK(after<Sound>([](Sound& l) { l.output.range = {0, -32769, 0}; }) == s::range_out_of_type);
  CHECK(after<Sound>([](Sound& l) { l.output.range = {0, 0, 32768}; }) == s::range_out_of_type);
  CHECK(after<Sound>([](Sound& l) { l.output.range = {40000, -1, 0}; }) == s::zero_point_out_of_range);
  CHECK(after<Sound>([](Sound& l) { move_to(l.y, std::end(l.x_data) - 1); }) == s::overlap);
  CHECK(after<Sound>([](Sound& l) { move_to(l.x, l.y_data); }) == s::overlap);
  CHECK(after<Sound>([](Sound& l) { move_to(l.x, q::detail::memory_of(l.y).end() - 1); }) == s::overlap);
  CHECK(after<Sound>([](Sound& l) { move_to(l.x, q::detail::memory_of(l.y).end()); }) == s::ok);
  CHECK(after<Sound>([](Sound& l) { move_to(l.y, l.w_data); }) == s::overlap);
  CHECK(after<Sound>([](Sound& l) { move_to(l.y, l.multipliers); }) == s::overlap);
}

/// Spoils `bias`, a folded bias for 48-bit accumulators.
template <class Sound>
void check_folded_bias() {
  using s = q::status;
  check_view<Sound>(
      "constants", [](Sound& l) { return &l.bias.constants; }, s::fold_of_other_shape);
  using record = q::fold_record;
  for (const auto number :
       {&record::channels, &record::taps_y, &record::taps_x, &record::step_y, &record::step_x, &record::depth})
    CHECK(after<Sound>([&](Sound& l) { ++(l.bias.record.*number); }) == s::fold_of_other_shape);
  CHECK(after<Sound>([](Sound& l) { l.bias.record.x_min = -128; }) == s::fold_of_other_type);
  CHECK(after<Sound>([](Sound& l) { l.bias.record.x_max = 127; }) == s::fold_of_other_type);
  const std::int64_t limit = std::int64_t{1} << 47;
  CHECK(after<Sound>([&](Sound& l) { l.bias.record.bound = {-limit, limit - 1}; }) == s::ok);
  CHECK(after<Sound>([&](Sound& l) { l.bias.record.bound.highest = limit; }) == s::accumulator_overflow);
  CHECK(after<Sound>([&](Sound& l) { l.bias.record.bound.lowest = -limit - 1; }) == s::accumulator_overflow);
  CHECK(after<Sound>([](Sound& l) { move_to(l.y, l.constants); }) == s::overlap);
  CHECK(after<Sound>([](Sound& l) {
          set_number(l.x, 0, 0), set_number(l.y, 0, 0);
          assign(l.x, nullptr, numbers_of(l.x)), assign(l.y, nullptr, numbers_of(l.y));
        }) == s::ok);
}

/// Spoils `window` with impossible numbers.
template <class Sound>
void check_bad_windows() {
  using axis = q::window1d;
  const std::pair<q::index_t axis::*, q::index_t> least[] = {
      {&axis::kernel, 1}, {&axis::stride, 1}, {&axis::dilation, 1}, {&axis::pad_before, 0}, {&axis::pad_after, 0}};
  for (const auto along : {&q::window2d::y, &q::window2d::x})
    for (const auto& number : least)
      for (const q::index_t bad : {number.second - 1, number.second - 2, huge})
        CHECK(after<Sound>([&](Sound& l) { l.window.*along.*number.first = bad; }) == q::status::bad_window);
}

// ---- the layers with a window

inline constexpr q::window2d sound_window = {{3, 2, 1, 1, 1}, {3, 1, 1, 1, 1}};

/// Two images of 3 x 4 x 3, a kernel of 3 x 3, three output channels.
template <class Operation>
struct sound_layer {
  using output_type = q::per_channel_output<std::int16_t, q::tosa::scale16>;

  std::int16_t x_data[72] = {1, 2, 3, 4, 5, 6};
  std::int8_t w_data[256] = {1, 2, 3, 4, 5, 6, 7, 8, 9};  // large enough to hold y, as `constants` is
  std::int64_t constants[Operation::constants] = {};
  q::multiplier16 multipliers[3] = {{1 << 14, 15}, {1 << 14, 15}, {1 << 14, 15}};
  std::int16_t y_data[2 * 7 * 4 * 3] = {77};
  decltype(Operation::layer(q::matrix_view<const std::int8_t>(), q::folded_bias<std::int64_t>(), sound_window,
                            output_type())) layer = make();
  q::nhwc_view<const std::int16_t> x{x_data, 2, 3, 4, 3};
  q::nhwc_view<std::int16_t> y{y_data, 2, Operation::height, 4, 3};
  q::matrix_view<const std::int8_t>& w = layer.weights;
  q::folded_bias<std::int64_t>& bias = layer.bias;
  q::zero_points& zero = layer.bias.record.zero;
  q::window2d& window = layer.window;
  output_type& output = layer.output;

  auto make() {
    const q::matrix_view<const std::int8_t> weights(w_data, Operation::rows, Operation::cols);
    const auto folded =
        Operation::template fold<std::int16_t>(weights, q::no_bias{}, sound_window, q::zero_points{5, -6}, constants);
    return Operation::layer(weights, folded.value, sound_window, output_type{multipliers});
  }
  q::status status() const {
    const auto anywhere = [](auto view) {
      assign(view, nullptr, numbers_of(view));
      return view;
    };
    const q::status shapes = check_shapes(layer, anywhere(x), anywhere(y));
    const q::status whole = check(layer, x, y);
    const bool only_memory = q::may_run(shapes);
    REQUIRE(whole == (only_memory && check_memory(layer, x, y) != q::status::ok ? check_memory(layer, x, y) : shapes));
    return whole;
  }
  bool untouched() const { return is_untouched(y_data); }
};

/// The arguments of the operation's fold.
template <class Operation>
struct sound_fold {
  std::int8_t w_data[81] = {1, 2, 3};
  std::int32_t bias_data[3] = {1, 2, 3};
  std::int32_t constants_data[Operation::constants] = {77};
  q::matrix_view<const std::int8_t> w{w_data, Operation::rows, Operation::cols};
  q::window2d window = sound_window;
  q::view<const std::int32_t> bias{bias_data};
  q::zero_points zero{5, 0};
  q::view<std::int32_t> constants{constants_data};

  q::status status() const { return Operation::template fold<std::int16_t>(w, bias, window, zero, constants).status; }
  bool untouched() const {
    return is_untouched(constants_data) && w_data[0] == 1 && w_data[3] == 0 && bias_data[0] == 1 && bias_data[2] == 3;
  }
};

template <class Operation>
void check_bad_folds() {
  using sound = sound_fold<Operation>;
  check_view<sound>("w", [](sound& f) { return &f.w; });
  check_view<sound>("bias", [](sound& f) { return &f.bias; });
  check_view<sound>("constants", [](sound& f) { return &f.constants; });
  check_bad_windows<sound>();
  check_zero_points<sound>();
  CHECK(after<sound>([](sound& f) { move_to(f.constants, f.w_data); }) == q::status::overlap);
  CHECK(after<sound>([](sound& f) { move_to(f.bias, std::end(f.constants_data) - 1); }) == q::status::overlap);
  CHECK(after<sound>([](sound& f) {  // depth 0, and more constants than an index can count
          f.window = {{1 << 11, 1 << 11, 1, 1, 1}, {1 << 11, 1 << 11, 1, 1, 1}};
          f.w = {nullptr, huge / 1024, 0};
        }) == q::status::shape_mismatch);
  CHECK(after<sound>([](sound& f) {  // the status of the window comes first
          f.window.x.kernel = 0;
          f.w = {nullptr, 1, 1};
        }) == q::status::bad_window);
}

/// Checks all of the above for one operation.
template <class Operation>
void check_windowed_layer() {
  using sound = sound_layer<Operation>;
  check_arguments<sound>();
  check_folded_bias<sound>();
  check_bad_windows<sound>();
  const auto other_window = [](auto change) { return after<sound>([&](sound& l) { change(l.window); }); };
  CHECK(other_window([](q::window2d& w) { w.x.kernel = 2; }) == q::status::shape_mismatch);
  CHECK(other_window([](q::window2d& w) { w.y.kernel = 1; }) == q::status::shape_mismatch);
  CHECK(other_window([](q::window2d& w) { w.y.stride = 1; }) == q::status::shape_mismatch);
  CHECK(other_window([](q::window2d& w) { w.x.stride = 2; }) == q::status::shape_mismatch);
  CHECK(other_window([](q::window2d& w) { w.y.pad_after = 3; }) == q::status::shape_mismatch);
  CHECK(other_window([](q::window2d& w) { w.x.pad_before = 0; }) == q::status::shape_mismatch);
}

}  // namespace support

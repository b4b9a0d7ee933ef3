#include <dyadic/elementwise/requantize.hpp>

#include <cstring>

#include "reader.hpp"

namespace model {
namespace {

/// Operators that move elements.
struct mover : reader {
  /// Operators whose outputs are their inputs in the same order. Shapes and axes are those of the tensors.
  void copy() {
    require(has(0) && op.outputs.size() == 1, "not one input and one output");
    require(in(0).element != element_type::none && in(0).element == out().element && in(0).bytes == out().bytes,
            "another type or size of y than of x");
    reads(0, one_row(in(0)));
    finish(moves_spec{1, {{0, 0, {{in(0).bytes, 1, 1}}, {}}}, {}}, one_row(out()));
  }
  /// Returns the elements from one index of an axis to the next.
  static std::vector<q::index_t> steps_of(const tensor& t) {
    std::vector<q::index_t> all(t.shape.size(), 1);
    for (std::size_t i = all.size(); i-- > 1;) all[i - 1] = all[i] * t.shape[i];
    return all;
  }
  /// Moves from x to y, which have the same type of whole bytes and at most 8 axes.
  moves_spec moves(const tensor& x, const tensor& y) const {
    require(
        x.element != element_type::none && x.element == y.element && x.bits >= 8 && x.shape.size() <= 8 && y.shape.size() <= 8,
        "another type of y than of x, or more than 8 axes");
    return {x.bits / 8, {}, {}};
  }
  void finish_move(moves_spec spec, std::size_t x, element_move move, std::size_t y = 0) {
    if (move.axes.empty()) move.axes.push_back({1, 1, 1});
    spec.moves = {move};
    reads(x, one_row(in(x)));
    finish(spec, one_row(net.tensors[static_cast<std::size_t>(op.outputs[y])]), y);
  }
  /// Inputs side by side along an axis of y, which is new or which they have. Int8 has one scale in all engines, LiteRT rescales
  /// uint8, and nobody looks at scales of int16.
  void join(q::index_t at_axis, bool is_new) {
    require(!op.inputs.empty() && op.outputs.size() == 1, "no input, or not one output");
    const tensor& y = out();
    const std::size_t axis = axis_of(at_axis, y);
    const q::index_t inner = steps_of(y)[axis], row = y.shape[axis] * inner;
    moves_spec spec;
    q::index_t at = 0;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      require(has(i), "input " + std::to_string(i) + " is absent");
      spec.bytes = moves(in(i), y).bytes;
      auto shape = in(i).shape;
      if (is_new) shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(std::min(axis, shape.size())), 1);
      require(shape.size() == y.shape.size(), "inputs that do not fit the output");
      const q::index_t part = std::exchange(shape[axis], y.shape[axis]) * inner;
      require(shape == y.shape, "inputs that do not fit the output");
      spec.moves.push_back({0, at, {{row == 0 ? 0 : y.count / row, part, row}, {part, 1, 1}}, {}});
      if (y.element == element_type::int8)
        require(scale(in(i)) == scale(y) && zero_point(in(i)) == zero_point(y), "int8 of two scales, which TFLite refuses");
      if (y.element == element_type::uint8 && !y.scales.empty()) spec.moves.back().table = rescaling_table(in(i));
      at += part;
      reads(i, one_row(in(i)));
    }
    require(at == row, "inputs that do not fit the output");
    finish(spec, one_row(y));
  }
  std::vector<unsigned char> rescaling_table(const tensor& x) const {
    if (scale(x) == scale(out()) && zero_point(x) == zero_point(out())) return {};
    const auto rule = value_of(
        q::litert::concatenate::derive(q::narrow(scale(x)), zero_point(x), q::narrow(scale(out())), zero_point(out())), "scales");
    std::vector<unsigned char> all;
    for (int byte = 0; byte < 256; ++byte) all.push_back(rule(static_cast<std::uint8_t>(byte)));
    return all;
  }
  /// The elements outside of x are the zero point of y, or the constant of PADV2.
  void pad() {
    require_tensors(2, 3);
    const tensor &x = in(0), &y = out();
    moves_spec spec = moves(x, y);
    const auto pads = integers(1);
    require(x.shape.size() == y.shape.size() && pads.size() == 2 * x.shape.size(), "not a padding before and behind each axis");
    element_move move;
    for (std::size_t i = 0; i < x.shape.size(); ++i) {
      require(pads[2 * i] >= 0 && pads[2 * i + 1] >= 0 && pads[2 * i] + x.shape[i] + pads[2 * i + 1] == y.shape[i],
              "the output has another size than its paddings give");
      move.axes.push_back({x.shape[i], steps_of(x)[i], steps_of(y)[i]});
      move.to += pads[2 * i] * steps_of(y)[i];
    }
    if (has(2)) {
      require(in(2).is_constant() && in(2).element == y.element && in(2).count == 1,
              "a value that is not a constant of y's type");
      spec.fill = in(2).data;
    } else {
      const std::int32_t zero = zero_point(y);
      spec.fill.resize(static_cast<std::size_t>(spec.bytes));
      std::memcpy(spec.fill.data(), &zero, std::min<std::size_t>(spec.fill.size(), sizeof zero));
    }
    finish_move(spec, 0, move);
  }
  void transpose() {
    require_tensors(2, 2);
    const tensor &x = in(0), &y = out();
    const moves_spec spec = moves(x, y);
    const auto order = integers(1);
    std::vector<bool> used(x.shape.size());
    require(order.size() == x.shape.size() && order.size() == y.shape.size(), "not an axis of x for each axis of y");
    element_move move;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t from = axis_of(order[i], x);
      require(!used[from] && x.shape[from] == y.shape[i], "axes of x that do not give y");
      used[from] = true;
      move.axes.push_back({y.shape[i], steps_of(x)[from], steps_of(y)[i]});
    }
    finish_move(spec, 0, move);
  }
  /// x[begin], x[begin + step] and so on, along each axis. A bit of a mask takes an axis from its first or to its last element.
  void strided_slice() {
    require_tensors(4, 4);
    const auto& o = options<tflite::StridedSliceOptions>();
    require(o.ellipsis_mask() == 0 && o.new_axis_mask() == 0 && !o.offset(), "an ellipsis, a new axis or an offset");
    const tensor& x = in(0);
    const moves_spec spec = moves(x, out());
    const auto begins = integers(1), ends = integers(2), strides = integers(3);
    require(begins.size() == x.shape.size() && ends.size() == begins.size() && strides.size() == begins.size(),
            "not a begin, an end and a step for each axis");
    element_move move;
    q::index_t all = 1;
    for (std::size_t i = 0; i < begins.size(); ++i) {
      const bool is_one = (o.shrink_axis_mask() >> i & 1) != 0;  // a single index
      const q::index_t size = x.shape[i], stride = is_one ? 1 : strides[i], least = stride < 0 ? -1 : 0;
      require(stride != 0, "a step of 0");
      const auto place = [&](q::index_t at, int mask, bool is_last) {
        if ((mask >> i & 1) != 0) return is_last == (stride > 0) ? size + least : least;
        return std::clamp(at < 0 ? at + size : at, least, size + least);
      };
      const q::index_t first = place(begins[i], o.begin_mask(), false);
      const q::index_t last = is_one ? first + 1 : place(ends[i], o.end_mask(), true);
      require(!is_one || first < size, "an index that does not exist");
      const q::index_t count = std::max<q::index_t>(0, (last - first + stride + (stride < 0 ? 1 : -1)) / stride);
      move.from += first * steps_of(x)[i];
      move.axes.push_back({count, stride * steps_of(x)[i], 0});
      all *= count;
    }
    require(all == out().count, "another number of outputs than its places give");
    for (auto& axis : move.axes) axis.y_step = all = axis.size == 0 ? 0 : all / axis.size;
    finish_move(spec, 0, move);
  }
  void split() {
    require(op.inputs.size() == 2 && has(0) && has(1) && !op.outputs.empty(), "not an axis, an input and outputs");
    const tensor& x = in(1);
    const auto axes = integers(0);
    require(axes.size() == 1, "not one axis");
    const std::size_t axis = axis_of(axes[0], x);
    const q::index_t inner = steps_of(x)[axis], row = x.shape[axis] * inner;
    const q::index_t part = row / static_cast<q::index_t>(op.outputs.size());
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
      const tensor& y = net.tensors[static_cast<std::size_t>(op.outputs[i])];
      require(y.count * static_cast<q::index_t>(op.outputs.size()) == x.count, "outputs that do not have equal parts of x");
      finish_move(moves(x, y), 1,
                  {static_cast<q::index_t>(i) * part, 0, {{row == 0 ? 0 : x.count / row, row, part}, {part, 1, 1}}, {}}, i);
    }
  }
};

}  // namespace

void copy(reader& r) { mover{r}.copy(); }
void join(reader& r, q::index_t axis, bool is_new) { mover{r}.join(axis, is_new); }
void pad(reader& r) { mover{r}.pad(); }
void transpose(reader& r) { mover{r}.transpose(); }
void strided_slice(reader& r) { mover{r}.strided_slice(); }
void split(reader& r) { mover{r}.split(); }

}  // namespace model

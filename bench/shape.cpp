#include "shape.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace bench {
namespace {

constexpr index_t largest_size = 65536;  // also of the depth, so that sums of int8 fit int32
constexpr std::int64_t most_inputs = std::int64_t{1} << 30;
constexpr std::int64_t most_multiply_adds = std::min(std::int64_t{1} << 34, std::int64_t{PTRDIFF_MAX});

/// Reads sizes and the signs between them from a text.
class reader {
 public:
  explicit reader(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  /// Reads a size. Each size that is missing or out of range makes the whole text wrong.
  index_t size() {
    index_t n = 0;
    const auto [next, error] = std::from_chars(at_, end_, n);
    is_right_ = is_right_ && error == std::errc{} && n >= 1 && n <= largest_size;
    at_ = next;
    return n;
  }
  /// Reads a sign. Returns false if the text does not continue with the sign.
  bool has(std::string_view sign) {
    if (static_cast<std::size_t>(end_ - at_) < sign.size() || std::string_view(at_, sign.size()) != sign) return false;
    at_ += sign.size();
    return true;
  }
  void expect(std::string_view sign) { is_right_ = has(sign) && is_right_; }

  /// Returns the shape if the whole text was right and the shape is not too large.
  std::optional<shape> result(const shape& s) const {
    if (!is_right_ || at_ != end_ || s.inputs % s.groups != 0 || s.outputs % s.groups != 0) return {};
    // Every size is at most 2^16, so that each product of three sizes fits 64 bits.
    const auto product = [](std::int64_t a, std::int64_t b, std::int64_t c) { return a * b * c; };
    const std::int64_t depth = product(s.kernel.y, s.kernel.x, s.is_depthwise() ? 1 : s.inputs / s.groups);
    if (depth > largest_size || product(s.height, s.width, s.inputs) > most_inputs) return {};
    if (product(s.rows(), s.columns(), s.outputs) > most_multiply_adds / depth) return {};
    return s;
  }

 private:
  const char* at_;
  const char* end_;
  bool is_right_ = true;
};

}  // namespace

std::optional<shape> linear_shape(std::string_view text) {
  reader read(text);
  shape s{operation::linear, 1, 1, 1, 1};
  s.height = read.size();
  read.expect("x");
  s.outputs = read.size();
  read.expect("x");
  s.inputs = read.size();
  return read.result(s);
}

std::optional<shape> conv_shape(std::string_view text) {
  reader read(text);
  shape s{operation::conv2d, 1, 1, 1, 1};
  s.height = read.size();
  read.expect("x");
  s.width = read.size();
  read.expect("x");
  s.inputs = read.size();
  read.expect("-");
  s.kernel.y = read.size();
  read.expect("x");
  s.kernel.x = read.size();
  read.expect("x");
  s.outputs = read.size();
  if (read.has("/")) s.stride = read.size();
  if (read.has("dw"))
    s.op = operation::depthwise;
  else if (read.has("g"))
    s.groups = read.size();
  if (s.is_depthwise() && (s.inputs == 0 || s.outputs % s.inputs != 0)) return {};
  return read.result(s);
}

}  // namespace bench

// dyadic_blocks: linear layers of weights with scales of blocks or channels. Contenders are exact sums, the same loops in
// binary32, and a plain loop of float.

#include "every_backend.hpp"
#include "plain_linear.hpp"
#include "shape.hpp"
#include "table.hpp"

#include <dyadic/blocks/ggml.hpp>
#include <dyadic/blocks/linear.hpp>
#include <dyadic/blocks/matrices.hpp>
#include <dyadic/blocks/quantize_blocks.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <type_traits>
#if defined(__x86_64__) || defined(__i386__)
#include "inexact_blocks.hpp"
#endif

namespace bench {
namespace {

namespace q = dyadic;

constexpr index_t block = 32;
constexpr index_t most_of_scalar = 1 << 20;       ///< multiply-adds of a layer that portable code runs
constexpr std::size_t most_in_caches = 64 << 20;  ///< bytes that all copies of large weights exceed, so that caches miss

std::size_t size(index_t n) { return static_cast<std::size_t>(n); }
void require(q::status s) {
  if (s != q::status::ok) fail(to_string(s));
}

/// Matrices with rows of `depth` codes, made of the same number of floats. `view` is the operand.
/// @{
template <class Block>
struct ggml_rows {
  index_t bytes_of_row;
  std::vector<std::uint8_t> bytes;

  ggml_rows(const std::vector<float>& x, index_t depth)
      : bytes_of_row(depth / block * Block::bytes), bytes(x.size() / size(block) * size(Block::bytes)) {
    require(quantize_blocks(q::ggml::reference<Block>{}, q::view<const float>(x), q::view<std::uint8_t>(bytes)));
  }
  index_t rows() const { return static_cast<index_t>(bytes.size()) / bytes_of_row; }
  q::ggml::matrix<Block> view() const { return {{bytes.data(), rows(), bytes_of_row}}; }
};

/// int4 with scales of bfloat16: the codes of q4_0.
struct int4_rows {
  index_t depth;
  std::vector<std::uint8_t> bytes;
  std::vector<q::bfloat16> scales;

  int4_rows(const std::vector<float>& x, index_t codes_of_row) : depth(codes_of_row), bytes(x.size() / 2) {
    const ggml_rows<q::ggml::q4_0> blocks(x, depth);
    for (index_t r = 0; r < blocks.rows(); ++r)
      for (index_t i = 0; i < depth; ++i) {
        const auto row = blocks.view().row(r);
        q::set_nibble<q::nibble_order::pairs>(bytes.data(), r * depth + i, static_cast<int>(row.integer(i)) + 8);
        if (i % block == 0) scales.push_back(q::detail::convert<q::bfloat16>(row.scale(i)));
      }
  }
  q::block_scaled_view<q::nibble_codes<q::nibble_code::offset8>, q::bfloat16> view() const {
    const index_t per_row = depth / block;
    return {{bytes, 2 * static_cast<index_t>(bytes.size())},
            {scales.data(), static_cast<index_t>(scales.size()) / per_row, per_row},
            block};
  }
};

/// int8 or int4 with a scale of binary32 for each row.
template <int Bits>
struct channel_rows {
  using element = std::conditional_t<Bits == 8, std::int8_t, std::uint8_t>;
  using codes = std::conditional_t<Bits == 8, q::element_codes<std::int8_t>, q::nibble_codes<q::nibble_code::offset8>>;
  std::vector<element> stored;
  std::vector<float> scales;

  channel_rows(const std::vector<float>& x, index_t depth) : stored(x.size() * Bits / 8), scales(x.size() / size(depth)) {
    constexpr int most = (1 << (Bits - 1)) - 1;
    for (index_t r = 0; r < static_cast<index_t>(scales.size()); ++r) {
      const float* const row = x.data() + r * depth;
      float largest = 0;
      for (index_t i = 0; i < depth; ++i) largest = std::max(largest, std::fabs(row[i]));
      scales[size(r)] = largest / static_cast<float>(most);
      for (index_t i = 0; i < depth; ++i) {
        const int code = static_cast<int>(std::lround(row[i] / scales[size(r)]));
        if constexpr (Bits == 8)
          stored[size(r * depth + i)] = static_cast<std::int8_t>(code);
        else
          q::set_nibble<q::nibble_order::pairs>(stored.data(), r * depth + i, code + 8);
      }
    }
  }
  q::one_scale_rows<codes> view() const {
    const auto rows = static_cast<index_t>(scales.size());
    if constexpr (Bits == 8)
      return {{stored}, scales, rows};
    else
      return {{stored, 2 * static_cast<index_t>(stored.size())}, scales, rows};
  }
};

struct qd8_rows {
  index_t depth;
  std::vector<std::int8_t> codes;
  std::vector<q::dynamic_row> numbers;

  qd8_rows(const std::vector<float>& x, index_t codes_of_row)
      : depth(codes_of_row), codes(x.size()), numbers(x.size() / size(depth)) {
    for (index_t r = 0; r < static_cast<index_t>(numbers.size()); ++r) {
      const auto row = quantize_row(q::xnnpack::qd8{}, q::view<const float>(x.data() + r * depth, depth),
                                    q::view<std::int8_t>(codes.data() + r * depth, depth));
      require(row.status);
      numbers[size(r)] = row.value;
    }
  }
  q::dynamic_rows view() const { return {{codes.data(), static_cast<index_t>(numbers.size()), depth}, numbers}; }
};

/// MX elements by the rule of OCP.
template <class Format>
struct mx_rows {
  static constexpr bool are_nibbles = std::is_same_v<Format, q::e2m1>;
  using stored = std::conditional_t<are_nibbles, std::uint8_t, Format>;
  index_t depth;
  std::vector<stored> codes;
  std::vector<q::e8m0> scales;

  mx_rows(const std::vector<float>& x, index_t codes_of_row) : depth(codes_of_row), codes(are_nibbles ? x.size() / 2 : x.size()) {
    std::vector<std::uint8_t> elements(x.size()), exponents(x.size() / size(block));
    require(quantize_blocks(q::ocp::floor<Format>{}, q::view<const float>(x), q::view<std::uint8_t>(elements),
                            q::view<std::uint8_t>(exponents)));
    for (const std::uint8_t e : exponents) scales.push_back({e});
    for (std::size_t i = 0; i < elements.size(); ++i)
      if constexpr (are_nibbles)
        q::set_nibble<q::nibble_order::pairs>(codes.data(), static_cast<index_t>(i), elements[i]);
      else
        std::memcpy(&codes[i], &elements[i], 1);
  }
  auto view() const {
    const index_t per_row = depth / block;
    const q::matrix_view<const q::e8m0> all{scales.data(), static_cast<index_t>(scales.size()) / per_row, per_row};
    if constexpr (are_nibbles)
      return q::block_scaled_view<q::nibble_codes<q::nibble_code::e2m1>, q::e8m0>{
          {codes, 2 * static_cast<index_t>(codes.size())}, all, block};
    else
      return q::block_scaled_view<q::element_codes<Format>, q::e8m0>{{codes}, all, block};
  }
};
/// @}

/// Returns the numbers of a matrix, each rounded to float.
template <class Matrix>
std::vector<float> floats_of(const Matrix& x) {
  std::vector<float> y;
  for (index_t r = 0; r < x.rows(); ++r)
    for (index_t i = 0; i < x.depth(); ++i)
      y.push_back(std::ldexp(static_cast<float>(x.row(r).integer(i)) * x.row(r).scale(i).to_float(), x.row(r).unit));
  return y;
}

std::vector<float> normal(index_t n, float deviation) {
  static std::mt19937 random{20240229};
  std::normal_distribution<float> distribution(0, deviation);
  std::vector<float> x(size(n));
  for (float& one : x) one = distribution(random);
  return x;
}

/// Packed weights. Weights of 4 MiB or more are stored in several copies: see `most_in_caches`.
template <class W>
struct packed_weights {
  using row = typename decltype(std::declval<W>().view())::row_type;
  W weights;
  std::vector<float> floats;
  index_t bytes;  ///< bytes of a copy, a multiple of 512
  std::vector<unsigned char> memory;
  std::vector<q::packed_rows<row>> copies;
  std::size_t next = 0;

  explicit packed_weights(const shape& s)
      : weights(normal(s.outputs * s.inputs, 0.02f), s.inputs), floats(floats_of(weights.view())) {
    const auto w = weights.view();
    bytes = (q::packed_size(w).value + 511) / 512 * 512;
    const std::size_t count = size(bytes) < most_in_caches / 16 ? 1 : most_in_caches / size(bytes) + 1;
    memory.resize(count * size(bytes));
    copies.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      unsigned char* const to = memory.data() + i * size(bytes);
      if (i == 0) {
        const auto packed = q::pack_rows(w, {to, bytes});
        require(packed.status);
        copies[0] = packed.value;
      } else {
        std::copy_n(memory.data(), bytes, to);
        copies[i] = copies[0];
        copies[i].bytes = {to, copies[0].bytes.size()};
      }
    }
  }
  const q::packed_rows<row>& any(index_t rows) { return copies[rows > 1 ? 0 : next++ % copies.size()]; }
};

/// Returns the weights of a layer. Layers that differ only in the number of rows share them.
template <class W>
std::shared_ptr<packed_weights<W>> weights_of(const shape& s) {
  static std::map<std::pair<index_t, index_t>, std::shared_ptr<packed_weights<W>>> all;
  auto& w = all[{s.outputs, s.inputs}];
  if (w == nullptr) w = std::make_shared<packed_weights<W>>(s);
  return w;
}

/// Outputs: float, float with a bias, int8.
/// @{
struct plain_outputs {
  using type = float;
  static constexpr bool has_bias = false;
};
struct outputs_with_bias {
  using type = float;
  static constexpr bool has_bias = true;
};
struct int8_outputs {
  using type = std::int8_t;
  static constexpr bool has_bias = false;
};
/// @}

/// A layer of activations X and weights W, and the exact outputs of up to 799 samples.
template <class X, class W, class Outputs>
struct layer {
  using output = typename Outputs::type;
  shape of;
  X x;
  std::shared_ptr<packed_weights<W>> w;
  std::vector<float> floats, expected, bias;
  std::vector<output> y;
  std::vector<unsigned char> workspace;
  index_t step;

  explicit layer(const shape& s)
      : of(s),
        x(normal(s.height * s.inputs, 1), s.inputs),
        w(weights_of<W>(s)),
        floats(floats_of(x.view())),
        bias(Outputs::has_bias ? normal(s.outputs, 1) : std::vector<float>{}),
        y(size(s.height * s.outputs)),
        step(s.height * s.outputs / 400 | 1) {
    workspace.resize(size(workspace_of(x.view(), w->any(of.height))));
    for (index_t i = 0; i < s.height * s.outputs; i += step) expected.push_back(exact_output(i / s.outputs, i % s.outputs));
  }
  template <class Backend>
  void run() {
    const q::matrix_view<output> all(y.data(), of.height, of.outputs);
    require(q::exact::linear<Backend>(x.view(), w->any(of.height), all, epilogue(), workspace));
  }
  q::sum_epilogue epilogue() const {
    q::sum_epilogue e{bias};
    e.scale = q::binary32(0.01f);  // of int8
    return e;
  }
  float exact_output(index_t r, index_t c) const {
    const q::sum_epilogue e = epilogue();
    const auto sum = q::exact::dot(x.view().row(r), w->weights.view().row(c), e.of(c));
    require(sum.status);
    if constexpr (std::is_integral_v<output>)
      return static_cast<float>(sum.value.template quotient<q::half_even>(e.scale, -128, 127));
    else
      return sum.value.template rounded<q::binary32>().to_float();
  }
  /// Returns the percentage of samples that differ. Ends the program if an error exceeds 1e-4 of the largest sample. Overwrites
  /// the samples with wrong values, so that a later contender cannot pass without writing them.
  double percent_off(const std::string& by) {
    float largest = 0, error = 0;
    index_t differ = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const float other = expected[i] > 0 ? expected[i] - 1 : expected[i] + 1;
      const float found = static_cast<float>(std::exchange(y[i * size(step)], static_cast<output>(other)));
      largest = std::max(largest, std::fabs(expected[i]));
      error = std::max(error, std::fabs(found - expected[i]));
      differ += found == expected[i] ? 0 : 1;
    }
    if (error > 1e-4f * largest) fail(by + " is off by " + std::to_string(error));
    return 100.0 * static_cast<double>(differ) / static_cast<double>(expected.size());
  }
};

/// Returns the timed row of a backend with the types and the shape of `like`, or null. The cells of a row are types, shape,
/// backend, outputs. Its work is multiply-adds, or bytes of loads.
const row* row_by(const table& t, const row& like, const std::string& backend) {
  for (const row& r : t.rows)
    if (r.cells[0] == like.cells[0] && r.cells[1] == like.cells[1] && r.cells[2] == backend && r.items_per_second > 0) return &r;
  return nullptr;
}

std::vector<std::string> speeds(const table& t, const row& r) {
  const row* const inexact = row_by(t, r, r.cells[2] + ", inexact");
  const row* const loads = row_by(t, r, "loads");
  const double giga = r.items_per_second / 1e9;
  if (loads == &r) return {"-", "-", rounded(giga), "100"};
  const bool reads_weights = loads != nullptr && r.cells[2] != "plain" && r.cells[2] != "scalar";
  const double bytes = reads_weights ? giga / r.items * loads->items : 0;
  return {rounded(giga), inexact == nullptr ? "-" : fixed(r.items_per_second / inexact->items_per_second, 2),
          reads_weights ? rounded(bytes) : "-", reads_weights ? fixed(100e9 * bytes / loads->items_per_second, 0) : "-"};
}

/// Adds the rows of a layer.
template <class X, class W, class Outputs = plain_outputs>
void add_layer(table& t, const std::string& types, const shape& s, const request& asked) {
  if (!asked.wants("types", types)) return;
  constexpr bool are_plain = std::is_same_v<Outputs, plain_outputs>;
  const auto in = std::make_shared<contest>(asked.smoke);
  const auto p = std::make_shared<layer<X, W, Outputs>>(s);
  const auto add_row = [&](const std::string& by, bool is_exact, const auto& work) {
    work();
    const double off = p->percent_off(types + " " + name_of(s) + " " + by);
    if (is_exact && off > 0) fail(types + " " + name_of(s) + " on " + by + " is not exact");
    add(t, "blocks<" + by + ">/linear/" + types + "/" + name_of(s),
        {types, name_of(s), by, off > 0 ? fixed(off, 0) + " % differ" : "exact"}, in, repeated([p, work] {
          work();
          return p->y.data();
        }),
        {static_cast<double>(s.multiply_adds())});
  };
  for_every_backend([&](auto backend, bool runs_here) {
    using Backend = decltype(backend);
    using kernel = typename q::detail::panel_kernel_of<Backend>::type;
    if (!runs_here || !asked.wants("backend", Backend::name)) return;
    const auto exact = [p] { p->template run<Backend>(); };
    if constexpr (std::is_same_v<Backend, q::backend::scalar>) {
      if (s.multiply_adds() <= most_of_scalar) add_row(Backend::name, true, exact);
    } else if constexpr (!std::is_same_v<kernel, typename q::detail::panel_kernel_of<typename Backend::fallback>::type>) {
      add_row(Backend::name, true, exact);
#if defined(__x86_64__) || defined(__i386__)
      if constexpr (are_plain)
        add_row(std::string(Backend::name) + ", inexact", false,
                [p] { inexact_linear<Backend>(p->x.view(), p->w->any(p->of.height), p->y.data(), p->workspace.data()); });
#endif
    }
  });
  if constexpr (are_plain)
    add_row("plain", false,
            [p, s] { plain_linear(p->floats.data(), p->w->floats.data(), p->y.data(), s.height, s.outputs, s.inputs); });
  const load_limit* loads = nullptr;
  for_every_backend([&](auto backend, bool runs_here) {
    for (const load_limit& l : load_limits)
      if (runs_here && loads == nullptr && std::strcmp(decltype(backend)::name, l.backend) == 0) loads = &l;
  });
  if (loads == nullptr || s.height > 1 || !are_plain) return;
  add(t, "blocks<loads>/loads/" + types + "/" + name_of(s), {types, name_of(s), "loads", ""}, in,
      repeated([p, loop = loads->loop] {
        const auto* const from = reinterpret_cast<const char*>(p->w->any(p->of.height).bytes.data());
        loop(from, from + p->w->bytes);
        return from;
      }),
      {static_cast<double>(p->w->bytes)});
}

std::optional<shape> shape_of_blocks(std::string_view text) {
  const std::optional<shape> s = linear_shape(text);
  return s.has_value() && s->inputs % block == 0 ? s : std::nullopt;
}

table blocks(const request& asked) {
  table t{"Linear layers with scales of blocks of 32 or of channels: exact sums, and sums of binary32",
          {"types", "rows x channels x depth", "backend", "outputs", "GMAC/s", "x inexact", "GB/s", "% of loads"},
          4,
          "types: weights x activations. +bias: a bias is added. +int8: outputs are requantized. Both are timed without inexact "
          "sums.\n"
          "qc8w, qc4w: weights with a scale for each channel. These, +bias and +int8 run at 64x512x512 only, or at the shapes\n"
          "that you name, or if you name types.\n"
          "x inexact: the speed of exact sums over that of the same loops in binary32, in KleidiAI's order.\n"
          "outputs: of up to 799 samples, those that differ from the exact result. plain: a loop of float that the compiler\n"
          "vectorizes (-O3 -march=native -ffast-math). GB/s: bytes of packed weights. loads: loads of the same bytes and\n"
          "nothing else. scalar: portable code, of layers of at most 2^20 multiply-adds.",
          speeds};
  t.remarks = state_of_machine;
  std::vector<shape> shapes;
  const std::vector<std::string> usual = {"1x4096x4096", "64x4096x4096", "64x1536x512", "64x512x512", "64x2048x512",
                                          "64x512x2048", "1x1536x512",   "1x512x512",   "1x2048x512", "1x512x2048"};
  const std::vector<std::string> small = {"1x96x64", "9x33x96"};
  for (const std::string& text : !asked["shape"].empty() ? asked["shape"] : asked.smoke ? small : usual)
    shapes.push_back(*shape_of_blocks(text));
  for (const shape& s : shapes) {
    using namespace q::ggml;
    add_layer<ggml_rows<q8_0>, ggml_rows<q4_0>>(t, "q4_0xq8_0", s, asked);
    add_layer<qd8_rows, int4_rows>(t, "int4xqd8", s, asked);
    add_layer<mx_rows<q::mxint8>, mx_rows<q::e2m1>>(t, "mxfp4xmxint8", s, asked);
    add_layer<ggml_rows<q8_0>, ggml_rows<q8_0>>(t, "q8_0xq8_0", s, asked);
    add_layer<mx_rows<q::e4m3>, mx_rows<q::e4m3>>(t, "mxfp8xmxfp8", s, asked);
    add_layer<mx_rows<q::e4m3>, mx_rows<q::e2m1>>(t, "mxfp4xmxfp8", s, asked);
    if (!asked.smoke && asked["shape"].empty() && asked["types"].empty() && name_of(s) != "64x512x512") continue;
    add_layer<qd8_rows, channel_rows<8>>(t, "qc8wxqd8", s, asked);
    add_layer<qd8_rows, channel_rows<4>>(t, "qc4wxqd8", s, asked);
    add_layer<ggml_rows<q8_0>, ggml_rows<q4_0>, outputs_with_bias>(t, "q4_0xq8_0+bias", s, asked);
    add_layer<ggml_rows<q8_0>, ggml_rows<q4_0>, int8_outputs>(t, "q4_0xq8_0+int8", s, asked);
  }
  return t;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::print_table(
      argc, argv, bench::blocks,
      {{"shape", "ROWSxCHANNELSxDEPTH, as 8x1024x4096, with sizes of 1 to 65536 and a depth of whole blocks of 32",
        [](const std::string& text) { return bench::shape_of_blocks(text).has_value(); }},
       bench::one_of("types", {"q4_0xq8_0", "int4xqd8", "mxfp4xmxint8", "q8_0xq8_0", "mxfp8xmxfp8", "mxfp4xmxfp8", "qc8wxqd8",
                               "qc4wxqd8", "q4_0xq8_0+bias", "q4_0xq8_0+int8"}),
       bench::backend_option()});
}

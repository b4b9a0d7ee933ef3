// dyadic_dot: dot products of each pair of types on each backend, beside the loop that the compiler vectorizes for this machine.

#include "every_backend.hpp"
#include "plain_dot.hpp"
#include "table.hpp"

#include <dyadic/dot.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>

#include "support/random.hpp"

namespace bench {
namespace {

using dyadic::index_t;

const char* const usage =
    "  --n=N,..         numbers of elements, 1 to 2^24: 16,64,256,1024,4096,65536\n"
    "  --types=XW,..    elements and weights: i8i8, u8i8, u8u8, i8i4, i16i8, i16i4, i16i16\n"
    "  --backend=B,..   only these backends, as avx2,scalar\n";

struct choice {
  std::vector<index_t> n{};
  std::vector<std::string> types{"i8i8", "u8i8", "u8u8", "i8i4", "i16i8", "i16i4", "i16i16"};
  std::vector<std::string> backends{};  ///< all if empty
} chosen;

/// Rows that share one array of weights.
constexpr index_t many = 16;

/// The cells of a row are the types, the number of elements, the rows and who computes them.
constexpr std::size_t by_cell = 3;

/// `rows` rows of n elements, and the weights. 4-bit weights lie two to a byte.
template <class X, class W>
struct operands {
  static constexpr bool are_nibbles = std::is_same_v<W, dyadic::int4>;
  using byte_or_weight = std::conditional_t<are_nibbles, std::uint8_t, W>;
  index_t rows, n;
  std::vector<X> x;
  std::vector<byte_or_weight> w;
  std::vector<std::int64_t> y;

  operands(index_t some_rows, index_t elements)
      : rows{some_rows},
        n{elements},
        x(static_cast<std::size_t>(rows * n)),
        w(static_cast<std::size_t>(are_nibbles ? (n + 1) / 2 : n)),
        y(static_cast<std::size_t>(rows)) {
    support::random_bits random;
    for (X& one : x) one = static_cast<X>(random());
    for (auto& one : w) one = static_cast<byte_or_weight>(random());
  }
  auto weights() const {
    if constexpr (are_nibbles)
      return dyadic::int4_pointer{w.data(), 0};
    else
      return w.data();
  }
  template <class Sum>
  Sum plain(index_t r) const {
    if constexpr (are_nibbles)
      return plain_dot_of_nibbles<Sum>(x.data() + r * n, w.data(), n);
    else
      return plain_dot<Sum>(x.data() + r * n, w.data(), n);
  }
  template <class Backend>
  void run() {
    if (rows == 1)
      y[0] = dyadic::dot<Backend>(x.data(), weights(), n);
    else
      dyadic::dot<Backend>(dyadic::matrix_view<const X>(x.data(), rows, n), weights(), y);
  }
};

template <class X, class W>
void add_one(table& t, const std::string& types, index_t rows, index_t n, const std::shared_ptr<contest>& in) {
  const auto o = std::make_shared<operands<X, W>>(rows, n);
  std::vector<std::int64_t> expected(o->y.size());
  const auto weights = o->weights();
  for (index_t r = 0; r < rows; ++r)
    for (index_t k = 0; k < n; ++k)
      expected[static_cast<std::size_t>(r)] += std::int64_t{o->x[static_cast<std::size_t>(r * n + k)]} * weights[k];
  const std::string size = (rows == 1 ? "" : std::to_string(rows) + "x") + std::to_string(n);
  const auto add_row = [&](const std::string& by, const limit* most, auto work) {
    add(t, "dot<" + by + ">/" + types + "/" + size, {types, std::to_string(n), std::to_string(rows), by}, in, repeated(work),
        {static_cast<double>(rows * n), most});
  };
  const auto add_plain = [&](const char* name, auto sum) {
    using Sum = decltype(sum);
    for (index_t r = 0; r < rows; ++r)
      if (o->template plain<Sum>(r) != static_cast<Sum>(expected[static_cast<std::size_t>(r)])) fail(types + ": " + name);
    add_row(name, nullptr, [o] {
      for (index_t r = 0; r < o->rows; ++r) o->y[static_cast<std::size_t>(r)] = o->template plain<Sum>(r);
      return o->y.data();
    });
  };
  add_plain("plain", std::int64_t{});
  add_plain("plain32", std::int32_t{});
  for_every_backend([&](auto backend, bool runs_here) {
    using Backend = decltype(backend);
    const std::string name = Backend::name;
    const auto& wanted = chosen.backends;
    if (!runs_here || (!wanted.empty() && std::count(wanted.begin(), wanted.end(), name) == 0)) return;
    std::fill(o->y.begin(), o->y.end(), 0);
    o->template run<Backend>();
    if (o->y != expected) fail(types + " " + size + " on " + name);
    add_row(name, find_limit(name.c_str(), sizeof(X) == 1 && !std::is_same_v<W, std::int16_t> ? 8 : 16), [o] {
      o->template run<Backend>();
      return o->y.data();
    });
  });
}

template <class X, class W>
void add_types(table& t, const std::string& types, bool smoke) {
  if (std::count(chosen.types.begin(), chosen.types.end(), types) == 0) return;
  for (const index_t n : chosen.n)
    for (const index_t rows : {index_t{1}, many}) add_one<X, W>(t, types, rows, n, std::make_shared<contest>(smoke));
}

/// Returns one line for each array length: the plain loops, then the backends with their percentage of the limit.
lines backends_side_by_side(const table& t) {
  std::vector<std::string> columns;
  for (const row& r : t.rows)
    if (std::count(columns.begin(), columns.end(), r.cells[by_cell]) == 0) columns.push_back(r.cells[by_cell]);
  lines all{t.header};
  for (const std::string& column : columns) {
    all[0].push_back(column);
    if (find_limit(column.c_str(), 16) != nullptr) all[0].emplace_back("%");
  }
  for (const row& r : t.rows) {
    if (r.cells[by_cell] == columns[0]) all.emplace_back(r.cells.begin(), r.cells.begin() + by_cell);
    all.back().push_back(r.items_per_second > 0 ? rounded(r.items_per_second / 1e9) : "-");
    if (find_limit(r.cells[by_cell].c_str(), 16) != nullptr) all.back().push_back(percent_of_limit(r));
  }
  return all;
}

table dots(bool smoke) {
  if (chosen.n.empty()) chosen.n = smoke ? std::vector<index_t>{777} : std::vector<index_t>{16, 64, 256, 1024, 4096, 65536};
  table t{"Dot products: GMAC/s, 10^9 multiply-adds per second, in one thread",
          {"types", "n", "rows"},
          1,
          "types: elements and weights. n: elements of a row. rows: 1, or several rows by one array of weights.\n"
          "plain: the loop of the definition with a sum of int64, which the compiler vectorizes for this machine (-O3\n"
          "-march=native). plain32: the same loop with a sum of int32, exact up to the numbers in dot.md. The backends compute "
          "the exact\n"
          "sum in an int64. %: of the limit of the backend's multiply-adds that stay in registers.",
          nullptr};
  t.lines_of = backends_side_by_side;
  add_types<std::int8_t, std::int8_t>(t, "i8i8", smoke);
  add_types<std::uint8_t, std::int8_t>(t, "u8i8", smoke);
  add_types<std::uint8_t, std::uint8_t>(t, "u8u8", smoke);
  add_types<std::int8_t, dyadic::int4>(t, "i8i4", smoke);
  add_types<std::int16_t, std::int8_t>(t, "i16i8", smoke);
  add_types<std::int16_t, dyadic::int4>(t, "i16i4", smoke);
  add_types<std::int16_t, std::int16_t>(t, "i16i16", smoke);
  return t;
}

[[noreturn]] void refuse(const std::string& what) {
  std::cerr << "dyadic_dot: " << what << '\n' << usage;
  std::exit(2);
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> fields(1);
  for (const char c : text)
    if (c == ',')
      fields.emplace_back();
    else
      fields.back() += c;
  return fields;
}

/// Returns false if the argument is not an option of this program. Exits with status 2 if the value of an option is wrong.
bool take(const std::string& argument) {
  const std::size_t sign = std::min(argument.find('='), argument.size() - 1);
  const std::string option = argument.substr(0, sign);
  const std::vector<std::string> values = split(argument.substr(sign + 1));
  if (option == "--n") {
    chosen.n.clear();
    for (const std::string& one : values) {
      char* end = nullptr;
      const long n = std::strtol(one.c_str(), &end, 10);
      if (one.empty() || *end != '\0' || n < 1 || n > 1 << 24) refuse("'" + one + "' is no number of elements");
      chosen.n.push_back(n);
    }
  } else if (option == "--types") {
    const char* const all[] = {"i8i8", "u8i8", "u8u8", "i8i4", "i16i8", "i16i4", "i16i16"};
    for (const std::string& one : values)
      if (std::find(std::begin(all), std::end(all), one) == std::end(all)) refuse("no types '" + one + "'");
    chosen.types = values;
  } else if (option == "--backend") {
    for (const std::string& one : values) {
      bool is_here = false;
      for_every_backend([&](auto backend, bool runs_here) { is_here |= runs_here && one == decltype(backend)::name; });
      if (!is_here) refuse("no backend '" + one + "' on this machine");
    }
    chosen.backends = values;
  } else {
    return false;
  }
  return true;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  std::vector<char*> rest;
  for (int i = 0; i < argc; ++i)
    if (i == 0 || !bench::take(argv[i])) rest.push_back(argv[i]);
  return bench::print_table(static_cast<int>(rest.size()), rest.data(), bench::dots);
}

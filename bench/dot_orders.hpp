#pragma once
/// \file
/// Tables of dot products of scaled blocks. They show how often the binary32 sums of two engines differ, and how often the sum of
/// an engine differs from the exact sum.

#include <dyadic/blocks/engine_dot.hpp>
#include <dyadic/blocks/ggml_dot.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "percent.hpp"

namespace bench {

/// The sums of a row by all engines, as bits of binary32, and the blocks of the row.
struct sums_of_row {
  std::vector<std::uint32_t> bits;
  std::size_t blocks;
};

/// Appends a sum. Ends the program if the dot product returned an error.
inline void append_sum(sums_of_row& to, const dyadic::result<dyadic::binary32>& sum) {
  if (sum.status == dyadic::status::ok) return to.bits.push_back(sum.value.bits);
  std::fprintf(stderr, "dyadic_agree: a sum: %s\n", dyadic::to_string(sum.status));
  std::exit(1);
}
inline void append_sum(sums_of_row& to, const dyadic::result<dyadic::exact_sum>& sum) {
  append_sum(to, dyadic::result<dyadic::binary32>{sum.value.rounded<dyadic::binary32>(), sum.status});
}

/// Prints the table of engines, and appends its figures to those of the picture. Engine a is the exact sum. Prints, below the
/// table and for each engine, the shortest row whose sum differs from the exact sum.
inline void print_engines(const char* title, const std::vector<const char*>& engines, const std::vector<sums_of_row>& rows,
                          std::string& figures) {
  std::printf("%s\n%40s", title, "");
  for (std::size_t i = 0; i + 1 < engines.size(); ++i) std::printf("%8c", static_cast<char>('a' + i));
  std::printf("\n");
  std::string names, table;
  for (std::size_t i = 0; i < engines.size(); ++i) {
    std::printf("%c %-*s", static_cast<char>('a' + i), i == 0 ? 0 : 38, engines[i]);
    std::string cells;
    for (std::size_t j = 0; j < i; ++j) {
      std::size_t differing = 0;
      for (const sums_of_row& row : rows) differing += row.bits[i] != row.bits[j] ? 1u : 0u;
      const std::string cell = in_percent(static_cast<double>(differing) / static_cast<double>(rows.size()), "<0.1");
      std::printf("%8s", cell.c_str());
      cells += (j == 0 ? "\"" : ", \"") + cell + "\"";
    }
    std::printf("\n");
    names += (i == 0 ? "\"" : ", \"") + std::string(engines[i]) + "\"";
    table += (i == 0 ? "[" : ", [") + cells + "]";
  }
  for (std::size_t i = 1; i < engines.size(); ++i) {
    const sums_of_row* shortest = nullptr;
    for (const sums_of_row& row : rows)
      if (row.bits[i] != row.bits[0] && (shortest == nullptr || row.blocks < shortest->blocks)) shortest = &row;
    if (shortest == nullptr) continue;
    const auto value = [&](std::size_t of) { return double{dyadic::binary32::from_bits(shortest->bits[of]).to_float()}; };
    std::printf("a and %c: %zu block%s: %.9g and %.9g\n", static_cast<char>('a' + i), shortest->blocks,
                shortest->blocks == 1 ? "" : "s", value(0), value(i));
  }
  std::printf("\n");
  figures += (figures.empty() ? "" : ", ") + ("{\"title\": \"" + std::string(title)) + "\", \"engines\": [" + names +
             "], \"percent\": [" + table + "]}";
}

/// Draws the rows of the tables. Rows have 1, 2, 4, .. 128 blocks in turn. A quarter of the rows cancel: the second half repeats
/// the first half with negated activations, except for the last block.
class drawn_rows {
 public:
  explicit drawn_rows(int count) : count_{count} {}

  /// Calls use(blocks, cancels) for each row.
  template <class Use>
  std::vector<sums_of_row> each(const Use& use) const {
    std::vector<sums_of_row> all;
    for (int i = 0; i < count_; ++i) {
      const std::size_t blocks = std::size_t{1} << i % 8;
      sums_of_row row{{}, blocks};
      use(row, blocks, i / 8 % 4 == 3);
      all.push_back(row);
    }
    return all;
  }

 private:
  int count_;
};

/// Returns the block that the second half of a row repeats, or the block itself.
inline std::size_t repeated_block(std::size_t b, std::size_t blocks, bool cancels) {
  return cancels && b >= blocks / 2 && b + 1 < blocks ? b - blocks / 2 : b;
}

/// Weights of ggml with activations of q8_0. Scales of binary16 are 2^-12 .. 2^-4, those of mxfp4 2^-11 .. 2^-4.
template <class Block>
std::vector<sums_of_row> sums_of_ggml(const drawn_rows& rows) {
  namespace ggml = dyadic::ggml;
  std::mt19937 bits{20240229};
  return rows.each([&](sums_of_row& row, std::size_t blocks, bool cancels) {
    std::vector<std::uint8_t> w, a;
    const auto half = [&](std::vector<std::uint8_t>& to) {
      to.push_back(static_cast<std::uint8_t>(bits()));
      to.push_back(static_cast<std::uint8_t>((bits() & 3) | (3 + bits() % 8) << 2));
    };
    constexpr std::size_t bytes{Block::bytes};
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::size_t from = repeated_block(b, blocks, cancels);
      if (from != b) {
        w.insert(w.end(), w.begin() + static_cast<std::ptrdiff_t>(bytes * from),
                 w.begin() + static_cast<std::ptrdiff_t>(bytes * (from + 1)));
        for (std::size_t k = 34 * from; k < 34 * (from + 1); ++k)
          a.push_back(static_cast<std::uint8_t>(k % 34 < 2 ? a[k] : 0 - a[k]));
        continue;
      }
      if (Block::first == 1)
        w.push_back(static_cast<std::uint8_t>(117 + bits() % 8));
      else
        half(w);
      while (w.size() < bytes * (b + 1)) w.push_back(static_cast<std::uint8_t>(bits()));
      half(a);
      while (a.size() < 34 * (b + 1)) a.push_back(static_cast<std::uint8_t>(static_cast<int>(bits() % 255) - 127));
    }
    const ggml::row<Block> x{w};
    const ggml::row<ggml::q8_0> y{a};
    append_sum(row, ggml::exact_dot(x, y));
    append_sum(row, ggml::generic_order::dot(x, y));
    append_sum(row, ggml::avx2_order::dot(x, y));
    if constexpr (std::is_same_v<Block, ggml::q4_0>) append_sum(row, dyadic::kleidiai::qsi8d32_order::dot(y, x));
  });
}

/// Activations of int8 with a zero point and a scale, and weights of int4 with scales that bfloat16 and binary16 hold.
inline std::vector<sums_of_row> sums_of_qd8(const drawn_rows& rows) {
  namespace q = dyadic;
  std::mt19937 bits{20240229};
  return rows.each([&](sums_of_row& row, std::size_t blocks, bool cancels) {
    std::vector<std::int8_t> a;
    std::vector<std::uint8_t> w;
    std::vector<q::bfloat16> brains;
    std::vector<q::binary16> halves;
    const auto zero = static_cast<std::int32_t>(bits() % 21) - 10;
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::size_t from = repeated_block(b, blocks, cancels);
      for (std::size_t k = 0; k < 32; ++k)  // a - z changes its sign
        a.push_back(static_cast<std::int8_t>(from != b ? 2 * zero - a[32 * from + k] : static_cast<int>(bits() % 201) - 100));
      for (std::size_t k = 0; k < 16; ++k) w.push_back(from != b ? w[16 * from + k] : static_cast<std::uint8_t>(bits()));
      brains.push_back(from != b ? brains[from]
                                 : q::bfloat16::from_bits(static_cast<int>((bits() & 0x7F) | (116 + bits() % 8) << 7)));
      halves.push_back(q::detail::convert<q::binary16>(q::detail::convert<q::binary32>(brains.back())));
    }
    const q::qd8_row x{{a, zero}, q::binary32::from_bits((static_cast<std::uint32_t>(bits()) & 0x7F'FFFFu) | 121u << 23)};
    using codes = q::nibble_codes<q::nibble_code::offset8>;
    const auto count = static_cast<q::index_t>(32 * blocks);
    const q::block_scaled_row<codes, q::bfloat16> y{{w, count}, brains, 32};
    append_sum(row, q::exact::dot(x, y));
    append_sum(row, q::xnnpack::scalar_order::dot(x, y));
    append_sum(row, q::xnnpack::neondot_order::dot(x, y));
    append_sum(row, q::xnnpack::neoni8mm_order::dot(x, y));
    append_sum(row, q::kleidiai::qai8dx_order::dot(x, y));
    append_sum(row, q::litert::blockwise_order::dot(x, q::block_scaled_row<codes, q::binary16>{{w, count}, halves, 32}));
  });
}

/// Returns "=" if TOSA's order is exact for all elements of two rows of 32 blocks with scales of 1 .. 2^spread. Otherwise returns
/// the percentage of pairs of rows whose sum differs from the exact sum.
template <class Format>
std::string tosa_cell(int spread, int count) {
  namespace q = dyadic;
  using row = q::block_scaled_row<q::element_codes<Format>, q::e8m0>;
  std::mt19937 bits{20240229};
  int differing = 0;
  bool is_exact = true;
  for (int n = 0; n < count; ++n) {
    std::vector<Format> elements[2];
    std::vector<q::e8m0> scales[2];
    for (int side = 0; side < 2; ++side) {
      while (elements[side].size() < 1024) {
        if constexpr (std::is_same_v<Format, q::mxint8>) {
          elements[side].push_back({static_cast<std::int8_t>(bits())});
        } else {
          const Format x = Format::from_bits(static_cast<int>(bits() % (1u << Format::width)));
          if (q::is_finite(x)) elements[side].push_back(x);
        }
      }
      while (scales[side].size() < 32)
        scales[side].push_back({static_cast<std::uint8_t>(127 + bits() % static_cast<unsigned>(spread + 1))});
      scales[side][0] = {127};
      scales[side][31] = {static_cast<std::uint8_t>(127 + spread)};
    }
    const row x{{elements[0]}, scales[0]}, y{{elements[1]}, scales[1]};
    sums_of_row sums{{}, 32};
    append_sum(sums, q::exact::dot(x, y));
    append_sum(sums, q::tosa::block_order::dot(x, y));
    differing += sums.bits[0] != sums.bits[1] ? 1 : 0;
    is_exact = is_exact && q::is_exact_in_binary32(q::exact::range_of_dot(x, y).value);
  }
  if (!is_exact) return in_percent(static_cast<double>(differing) / count, "<0.1");
  if (differing == 0) return "=";
  std::fprintf(stderr, "dyadic_agree: binary32 sums differ where they must be exact\n");
  std::exit(1);
}

/// Prints for each format and spread of scales whether TOSA's order is exact.
inline void print_tosa(int count, std::string& figures) {
  const char* const title = "MX x MX, 32 blocks: the order of TOSA against the exact sum, by the exponents of the scales";
  const int spreads[] = {0, 1, 3, 6, 12};
  std::printf("%s\n%40s", title, "");
  std::string columns, names, table;
  for (const int spread : spreads) {
    const std::string column = "0.." + std::to_string(spread);
    std::printf("%8s", column.c_str());
    columns += (columns.empty() ? "\"" : ", \"") + column + "\"";
  }
  std::printf("\n");
  const auto print = [&](const char* name, auto format) {
    std::printf("%-40s", name);
    std::string cells;
    for (const int spread : spreads) {
      const std::string cell = tosa_cell<decltype(format)>(spread, count);
      std::printf("%8s", cell.c_str());
      cells += (cells.empty() ? "\"" : ", \"") + cell + "\"";
    }
    std::printf("\n");
    names += (names.empty() ? "\"" : ", \"") + std::string(name) + "\"";
    table += (table.empty() ? "[" : ", [") + cells + "]";
  };
  print("E4M3", dyadic::e4m3{}), print("E5M2", dyadic::e5m2{}), print("E2M3", dyadic::e2m3{});
  print("E3M2", dyadic::e3m2{}), print("E2M1", dyadic::e2m1{}), print("MXINT8", dyadic::mxint8{});
  std::printf("\n");
  figures += ", {\"title\": \"" + std::string(title) + "\", \"columns\": [" + columns + "], \"engines\": [" + names +
             "], \"percent\": [" + table + "]}";
}

/// Prints the tables. A smoke run has few rows.
inline void print_dot_orders(bool smoke, std::string& figures) {
  std::printf(
      "Sums of scaled blocks in binary32. Percent of the rows with different sums; = if the sums are exact for all elements.\n"
      "Rows have 1 .. 128 blocks of 32, and one row in four cancels. Below each table, a shortest row that shows a "
      "difference.\n\n");
  const drawn_rows rows(smoke ? 64 : 1024);
  print_engines("q4_0 x q8_0", {"the exact sum", "ggml, portable code", "ggml on AVX2", "KleidiAI qsi8d32"},
                sums_of_ggml<dyadic::ggml::q4_0>(rows), figures);
  print_engines("q8_0 x q8_0", {"the exact sum", "ggml, portable code", "ggml on AVX2"}, sums_of_ggml<dyadic::ggml::q8_0>(rows),
                figures);
  print_engines("mxfp4 x q8_0", {"the exact sum", "ggml, portable code", "ggml on AVX2"}, sums_of_ggml<dyadic::ggml::mxfp4>(rows),
                figures);
  print_engines("int8 rows x int4 in blocks of 32",
                {"the exact sum", "XNNPACK, scalar code", "XNNPACK on NEON with dotprod", "XNNPACK on NEON with i8mm",
                 "KleidiAI qai8dx", "LiteRT's reference"},
                sums_of_qd8(rows), figures);
  print_tosa(smoke ? 8 : 1000, figures);
}

}  // namespace bench

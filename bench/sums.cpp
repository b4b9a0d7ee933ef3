// dyadic_sums: additions and products of two arrays by the rules of engines on each backend, beside XNNPACK's own addition.

#include "every_backend.hpp"
#include "peers/engines.hpp"

#include <dyadic/elementwise/add.hpp>
#include <dyadic/elementwise/binary.hpp>
#include <dyadic/elementwise/multiply.hpp>

#include <algorithm>
#include <cstdint>

#include "support/random.hpp"

namespace bench {
namespace {

using namespace dyadic;

constexpr index_t size = 16384;  // two operands and their sum fit the second-level cache

/// Returns the name of a benchmark. A rule is an operation and its type, as "tflite::add int8".
std::string name_of_row(const std::string& by, const std::string& rule) {
  const std::size_t space = rule.find(' ');
  return "sums<" + by + ">/" + rule.substr(0, space) + "/" + rule.substr(space + 1) + "/" + std::to_string(size);
}

/// Returns the row of scalar code for the same rule, or nullptr if there is none.
const row* scalar_row(const table& t, const row& r) {
  for (const row& other : t.rows)
    if (other.cells[0] == r.cells[0] && other.cells[1] == "scalar") return &other;
  return nullptr;
}

template <class X>
struct operands {
  std::vector<X> a, b, y;

  operands() : a(size), b(size), y(size) {
    support::random_bits random;
    for (auto* x : {&a, &b})
      for (X& element : *x) element = static_cast<X>(random.between(dyadic::limits<X>::min, dyadic::limits<X>::max));
  }
  matrix_view<const X> view(const std::vector<X>& x) const { return {x.data(), 1, size}; }
};

/// Adds a row for each backend. Ends the program if outputs of a backend differ from those of scalar code.
template <class Rule>
void add_rule(table& t, const std::string& name, const result<Rule>& rule, const std::shared_ptr<contest>& in) {
  using X = typename Rule::value_type;
  const auto x = std::make_shared<operands<X>>();
  if (rule.status != status::ok) fail(name + ": " + to_string(rule.status));
  const binary_layer<Rule> layer{rule.value};
  const matrix_view<X> y(x->y.data(), 1, size);
  run(layer, x->view(x->a), x->view(x->b), y);
  const std::vector<X> expected = x->y;
  for_every_backend([&](auto backend, bool runs_here) {
    using Backend = decltype(backend);
    if (!runs_here) return;
    std::fill(x->y.begin(), x->y.end(), X{});
    run<Backend>(layer, x->view(x->a), x->view(x->b), y);
    if (x->y != expected) fail(name + " on " + Backend::name);
    add(t, name_of_row(Backend::name, name), {name, Backend::name, "exact"}, in, repeated([x, layer, y] {
          run<Backend>(layer, x->view(x->a), x->view(x->b), y);
          return y.data();
        }),
        {static_cast<double>(size)});
  });
}

table sums(bool smoke) {
  table t{"Sums and products of two arrays",
          {"rule", "by", "outputs", "10^9/s", "x scalar"},
          3,
          "10^9/s: outputs per second, of 16,384 in memory that a second cache holds. outputs: beside those of scalar code.\n"
          "XNNPACK: the operator of the distribution's package, inexact if an output is not that of xnnpack::add.",
          [](const table& all, const row& r) {
            const row* const scalar = scalar_row(all, r);
            return std::vector{rounded(r.items_per_second / 1e9), scalar != nullptr && scalar->items_per_second > 0
                                                                      ? fixed(r.items_per_second / scalar->items_per_second, 1)
                                                                      : "-"};
          }};
  const auto in = std::make_shared<contest>(smoke);
  const output_range any{-7, -128, 127};
  add_rule(t, "xnnpack::add int8", xnnpack::add::derive(0.5f, 3, 0.3f, -2, 0.7f, any), in);
  const auto x = std::make_shared<operands<std::int8_t>>();
  run(binary_layer{xnnpack::add::derive(0.5f, 3, 0.3f, -2, 0.7f, any).value}, x->view(x->a), x->view(x->b),
      matrix_view<std::int8_t>(x->y.data(), 1, size));
  const auto add_peer_named = [&](const std::string& name, const peer_run& peer) {
    const auto benchmark = [](const std::string& by) { return name_of_row(by, "xnnpack::add int8"); };
    add_peer(t, name, benchmark, {"xnnpack::add int8"}, in, peer, x->y, 0, {static_cast<double>(size)});
  };
  const peer_run peer = xnnpack_addition({x->a.data(), x->b.data(), static_cast<std::size_t>(size), 0.5f, 0.3f, 0.7f, 3, -2, -7});
  if (peer.contender)
    add_peer_named("XNNPACK", peer);
  else
    t.notes += " It was not found when this program was built.";
  if (smoke) add_peer_named("spoiled", spoiled(x->y.size()));
  add_rule(t, "tflite::add int8", tflite::add<std::int8_t>::derive(0.5f, 3, 0.3f, -2, 0.7f, any), in);
  add_rule(t, "tflite::add int16", tflite::add<std::int16_t>::derive(0.5f, 0, 0.3f, 0, 0.7f, range_of<std::int16_t>()), in);
  add_rule(t, "executorch::arm::add int8", executorch::arm::add<std::int8_t>::derive(0.5f, 3, 0.3f, -2, 0.7f, any), in);
  add_rule(t, "tflite::multiply int8", tflite::multiply<std::int8_t>::derive(0.05f, 3, 0.03f, -2, 0.07f, any), in);
  add_rule(t, "tflite::multiply int16",
           tflite::multiply<std::int16_t>::derive(0.005f, 0, 0.003f, 0, 0.07f, range_of<std::int16_t>()), in);
  return t;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::print_table(argc, argv, bench::sums); }

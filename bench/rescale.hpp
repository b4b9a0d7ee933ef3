#pragma once
/// \file
/// Measures schemes: the speed from accumulators to output integers.

#include "every_backend.hpp"
#include "limits.hpp"
#include "table.hpp"

#include <dyadic/dyadic.hpp>
#include <dyadic/rescale.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace bench {

using dyadic::index_t;

/// The number of elements, and of channels with a multiplier of their own. If `channels` is 1, all elements share a multiplier.
struct layout {
  const char* name;
  index_t elements;
  index_t channels;
};
/// Long enough that no branch predictor can learn the signs. Wide accumulators wait for memory.
inline constexpr layout million{"1M", 1 << 20, 1};
/// Short enough for the first or second cache.
inline constexpr layout few{"4K", 1 << 12, 1};

/// A conversion with a typical scale: most outputs are within their range, some are clamped.
template <class Accumulator, class Output>
struct conversion {
  std::string from, to;
  double scale;
  std::shared_ptr<std::vector<Accumulator>> accumulators = std::make_shared<std::vector<Accumulator>>(million.elements);
  std::shared_ptr<std::vector<Output>> y = std::make_shared<std::vector<Output>>(million.elements);
  std::shared_ptr<contest> in;

  conversion(std::string from_name, std::string to_name, double real_scale, bool smoke)
      : from(std::move(from_name)), to(std::move(to_name)), scale(real_scale), in(std::make_shared<contest>(smoke)) {
    const auto limit = static_cast<std::int64_t>(1.1 * std::numeric_limits<Output>::max() / scale);
    std::mt19937_64 random{20240229};
    for (Accumulator& acc : *accumulators)
      acc = static_cast<Accumulator>(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(2 * limit)) - limit);
  }

  /// Returns the scale of a channel. Scales fall to about half from the first channel to the last.
  double scale_of(index_t channel, index_t channels) const {
    return scale * (1 - 0.5 * static_cast<double>(channel) / static_cast<double>(channels));
  }
};

template <class Scheme, class = void>
struct has_derive : std::false_type {};
template <class Scheme>
struct has_derive<Scheme, std::void_t<decltype(&Scheme::derive)>> : std::true_type {};

/// Returns the multiplier of a real scale, as the scheme's publisher derives it.
template <class Scheme>
typename Scheme::multiplier_type multiplier_of(double scale) {
  dyadic::result<typename Scheme::multiplier_type> r{};
  const dyadic::binary32 narrowed = narrow(dyadic::binary64{scale});
  if constexpr (!has_derive<Scheme>::value)
    r.value = narrowed;
  else if constexpr (std::is_invocable_v<decltype(&Scheme::derive), dyadic::binary64>)
    r = Scheme::derive(scale);
  else if constexpr (std::is_invocable_v<decltype(&Scheme::derive), dyadic::binary32>)
    r = Scheme::derive(narrowed);
  else
    r = Scheme::derive(narrowed, 1.0f, 1.0f);
  if (r.status != dyadic::status::ok) fail(to_string(r.status));
  return r.value;
}

/// Adds a row for scalar code. Adds a row for each other backend of this machine, if the scheme is written over lanes. A row has
/// the cells and the backend's name. `multipliers` are kept alive, because the output may point to them.
template <class Scheme, class Accumulator, class Y, class Output, class Multipliers>
void add_backends(table& t, const conversion<Accumulator, Y>& c, const std::string& scheme, std::vector<std::string> cells,
                  const layout& l, const Output& output, const Multipliers& multipliers) {
  const index_t columns = l.channels > 1 ? l.channels : l.elements;
  const dyadic::matrix_view<const Accumulator> from{c.accumulators->data(), l.elements / columns, columns};
  const dyadic::matrix_view<Y> to{c.y->data(), l.elements / columns, columns};
  const dyadic::rescale_layer layer{0, output};
  if (const dyadic::status s = check(output, l.channels); s != dyadic::status::ok) fail(scheme + ": " + to_string(s));
  cells.emplace_back();
  dyadic::for_each_backend([&](auto backend, bool runs_here) {
    using chosen = decltype(backend);
    if constexpr (dyadic::has_formula<Scheme> || std::is_same_v<chosen, dyadic::backend::scalar>) {
      if (!runs_here || is_left_out(chosen::name)) return;
      dyadic::run<chosen>(layer, from, to);
      // Every scheme is close to the real result. A scale of 15 bits leaves an int16 at most 2 away.
      for (index_t i = 0; i < l.elements; ++i) {
        const auto acc = static_cast<double>(from.data()[i]);
        const double real = acc * c.scale_of(i % l.channels, l.channels) + output.range.zero_point;
        const double nearest = std::min<double>(std::max<double>(real, output.range.min), output.range.max);
        if (std::abs(to.data()[i] - nearest) > 2) fail(scheme + " is far from the real result");
      }
      cells.back() = chosen::name;
      add(t, std::string("rescale<") + chosen::name + ">/" + scheme + "/" + c.from + " to " + c.to + "/" + l.name, cells, c.in,
          repeated([c, multipliers, layer, from, to] {
            dyadic::run<chosen>(layer, from, to);
            return to.data();
          }),
          {static_cast<double>(l.elements), find_limit(chosen::name, 32)});
    }
  });
}

/// Adds the rows of a scheme with a single multiplier for all elements.
template <class Scheme, class Accumulator, class Y>
void add_per_tensor(table& t, const conversion<Accumulator, Y>& c, const std::string& scheme,
                    const std::vector<std::string>& cells, const layout& l) {
  const auto m = multiplier_of<Scheme>(c.scale);
  add_backends<Scheme>(t, c, scheme, cells, l, dyadic::per_tensor_output<Y, Scheme>{m, dyadic::range_of<Y>(3)}, m);
}

/// Adds the rows of a scheme with a multiplier for each channel.
template <class Scheme, class Accumulator, class Y>
void add_per_channel(table& t, const conversion<Accumulator, Y>& c, const std::string& scheme,
                     const std::vector<std::string>& cells, const layout& l) {
  const auto multipliers = std::make_shared<std::vector<typename Scheme::multiplier_type>>();
  for (index_t i = 0; i < l.channels; ++i) multipliers->push_back(multiplier_of<Scheme>(c.scale_of(i, l.channels)));
  add_backends<Scheme>(t, c, scheme, cells, l, dyadic::per_channel_output<Y, Scheme>{*multipliers, dyadic::range_of<Y>(3)},
                       multipliers);
}

}  // namespace bench

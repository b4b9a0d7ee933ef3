#pragma once
/// \file
/// A network of the tests, with every tensor kept.

#include <cstring>
#include <string>
#include <vector>

#include "program.hpp"
#include "support/random.hpp"

namespace model {

using ints = std::vector<std::int64_t>;

/// A network that is prepared with every tensor kept.
struct running {
  network net;
  std::vector<step> steps;
  program run;

  explicit running(std::vector<unsigned char> file, const backend_kinds& kinds = backends()[0])
      : net(read_network(std::move(file))), steps(describe(net)), run(net, steps, kinds, kept::all) {}

  const tensor& at(int t) const { return net.tensors[static_cast<std::size_t>(t)]; }
  ints elements(int t) {
    switch (at(t).element) {
      case q::element_type::int8: return read<std::int8_t>(t);
      case q::element_type::uint8: return read<std::uint8_t>(t);
      case q::element_type::int16: return read<std::int16_t>(t);
      default: return read<std::int32_t>(t);
    }
  }
  void set(int t, const ints& to) {
    switch (at(t).element) {
      case q::element_type::int8: return write<std::int8_t>(t, to);
      case q::element_type::uint8: return write<std::uint8_t>(t, to);
      case q::element_type::int16: return write<std::int16_t>(t, to);
      default: return write<std::int32_t>(t, to);
    }
  }
  float scale(int t) const { return at(t).scales[0]; }
  std::int64_t zero_point(int t) const { return at(t).zero_points[0]; }

 private:
  template <class T>
  ints read(int t) {
    std::vector<T> all(static_cast<std::size_t>(at(t).count));
    if (!all.empty()) std::memcpy(all.data(), run.data(t), all.size() * sizeof(T));
    return ints(all.begin(), all.end());
  }
  template <class T>
  void write(int t, const ints& to) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      const T one = static_cast<T>(to[i]);
      std::memcpy(run.data(t) + i * sizeof one, &one, sizeof one);
    }
  }
};

inline ints random_elements(std::size_t count, std::int64_t least, std::int64_t most, std::uint64_t seed = support::seed) {
  support::random_bits random{seed};
  ints all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(random.between(least, most));
  return all;
}

/// Returns why a file is refused, or nothing.
inline std::string refusal(const std::vector<unsigned char>& file) {
  try {
    running unused(file);
  } catch (const refused& why) {
    return why.what();
  }
  return "";
}

}  // namespace model

#include "program.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace model {
namespace {

constexpr q::index_t alignment = 64;
constexpr q::index_t most_bytes = q::index_t{1} << 31;

q::index_t aligned(q::index_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// The first and the last step at which a tensor has a value that is needed.
struct life {
  std::size_t tensor;
  q::index_t bytes;
  std::size_t first;
  std::size_t last;
  q::index_t at = 0;
};

template <class View, class Data>
View view_of(const tensor& t, const sizes& s, Data* data) {
  return {t.element, data, s[0], s[1], s[2], s[3]};
}

/// Prepares one operator of any kind.
struct preparing {
  const network& net;
  const step& from;
  const backend_kinds& kinds;
  q::view<unsigned char> rest;  // empty if the operator is only measured
  q::any_input a, b;
  q::any_output y;
  prepared_step& to;

  template <class T>
  T ok(const q::result<T>& r) const {
    if (r.status != q::status::ok) refuse(r.status);
    return r.value;
  }
  [[noreturn]] void refuse(q::status s) const { throw refused(from.from->name + ": " + q::to_string(s)); }

  template <class Spec, class Kinds>
  void prepare(const Kinds& of, const Spec& spec) {
    to.bytes = ok(of.bytes(spec));
    if (rest.empty()) return;
    const auto made = ok(of.prepare(spec, rest));
    constexpr bool has_two = std::is_same_v<Spec, q::binary_spec>;
    if constexpr (has_two)
      to.status = check(made, a, b, y);
    else
      to.status = check(made, a, y);
    if (!q::may_run(to.status)) refuse(to.status);
    if constexpr (std::is_same_v<Spec, q::layer_spec>) to.bound = bound_of(made);
    if constexpr (has_two)
      to.run = [made, a = a, b = b, y = y] { run(made, a, b, y); };
    else
      to.run = [made, a = a, y = y] { run(made, a, y); };
  }
  void operator()(const q::layer_spec& spec) { prepare(kinds.layers, spec); }
  void operator()(const copy_spec&) {
    to.run = [from = a.data(), into = y.data(), size = net.tensors[static_cast<std::size_t>(this->from.output)].bytes] {
      if (size > 0) std::memcpy(into, from, static_cast<std::size_t>(size));
    };
  }
  template <class Spec>
  void operator()(const Spec& spec) {
    prepare(kinds.operators, spec);
  }
};

}  // namespace

program::program(const network& net, const std::vector<step>& steps, const backend_kinds& kinds, kept keep)
    : net_(net), places_(net.tensors.size(), -1), steps_(steps.size()) {
  plan(steps, keep);
  const auto prepare = [&](std::size_t i, q::view<unsigned char> rest) {
    const step& s = steps[i];
    const auto at = [&](int t) { return rest.empty() ? nullptr : data(t); };
    const auto input = [&](std::size_t k) {
      return view_of<q::any_input>(net.tensors[static_cast<std::size_t>(s.inputs[k])], s.x[k],
                                   static_cast<const void*>(at(s.inputs[k])));
    };
    const auto y = view_of<q::any_output>(net.tensors[static_cast<std::size_t>(s.output)], s.y, static_cast<void*>(at(s.output)));
    std::visit(preparing{net, s, kinds, rest, input(0), s.x.size() > 1 ? input(1) : input(0), y, steps_[i]}, s.what);
  };
  q::index_t bytes = activation_bytes_;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    prepare(i, {});
    bytes += aligned(steps_[i].bytes);
  }
  if (bytes > most_bytes) throw refused("the arena would have " + std::to_string(bytes) + " bytes");
  arena_.resize(static_cast<std::size_t>(bytes / 8) + 1);  // never empty
  void* const begin = arena_.data();
  q::index_t at = activation_bytes_;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    prepare(i, {static_cast<unsigned char*>(begin) + at, arena_bytes() - at});
    at += aligned(steps_[i].bytes);
  }
}

/// Places activations, the largest first, each as low as the tensors that live at the same time allow.
void program::plan(const std::vector<step>& steps, kept keep) {
  std::vector<life> lives;
  const auto begin = [&](int t, std::size_t at) {
    const auto index = static_cast<std::size_t>(t);
    lives.push_back({index, aligned(net_.tensors[index].bytes), at, keep == kept::all ? steps.size() : at});
  };
  const auto extend = [&](int t, std::size_t at) {
    for (life& l : lives)
      if (l.tensor == static_cast<std::size_t>(t)) l.last = std::max(l.last, at);
  };
  for (const int t : net_.inputs) begin(t, 0);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    begin(steps[i].output, i);
    for (const int t : steps[i].inputs) extend(t, i);
  }
  for (const int t : net_.outputs) extend(t, steps.size());
  std::sort(lives.begin(), lives.end(),
            [](const life& a, const life& b) { return std::pair(b.bytes, a.tensor) < std::pair(a.bytes, b.tensor); });
  for (auto l = lives.begin(); l != lives.end(); ++l) {
    for (bool moved = true; moved;) {
      moved = false;
      for (auto other = lives.begin(); other != l; ++other) {
        const bool share_time = l->first <= other->last && other->first <= l->last;
        if (!share_time || l->at >= other->at + other->bytes || other->at >= l->at + l->bytes) continue;
        l->at = other->at + other->bytes;
        moved = true;
      }
    }
    places_[l->tensor] = l->at;
    activation_bytes_ = std::max(activation_bytes_, l->at + l->bytes);
    if (activation_bytes_ > most_bytes) throw refused("the activations would have more than 2 GiB");
  }
}

unsigned char* program::data(int t) {
  const auto index = static_cast<std::size_t>(t);
  const tensor& of = net_.tensors[index];
  if (of.is_constant()) return const_cast<unsigned char*>(of.data.data());  // no operator writes a constant
  void* const begin = arena_.data();
  return places_[index] < 0 ? nullptr : static_cast<unsigned char*>(begin) + places_[index];
}

}  // namespace model

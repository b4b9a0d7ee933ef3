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

/// Moves elements along the axes from `a` on.
void move(const element_move& m, std::size_t a, q::index_t bytes, const unsigned char* x, unsigned char* y) {
  const auto& [size, x_step, y_step] = m.axes[a];
  const bool is_last = a + 1 == m.axes.size();
  if (is_last && x_step == 1 && y_step == 1) {
    if (size > 0) std::memcpy(y, x, static_cast<std::size_t>(size * bytes));
    for (q::index_t i = 0; i < size && !m.table.empty(); ++i) y[i] = m.table[y[i]];
    return;
  }
  for (q::index_t i = 0; i < size; ++i, x += x_step * bytes, y += y_step * bytes)
    if (is_last)
      std::memcpy(y, x, static_cast<std::size_t>(bytes));
    else
      move(m, a + 1, bytes, x, y);
}

/// Prepares one operator of any kind.
struct preparing {
  const network& net;
  const step& from;
  const backend_kinds& kinds;
  q::view<unsigned char> rest;  // empty if the operator is only measured
  const operands& x;
  q::any_output y;
  prepared_step& to;

  template <class T>
  T ok(const q::result<T>& r) const {
    if (r.status != q::status::ok) refuse(r.status);
    return r.value;
  }
  [[noreturn]] void refuse(q::status s) const { throw refused(from.from->name + ": " + q::to_string(s)); }
  void note(q::status s) {
    to.status = s;
    if (!q::may_run(s)) refuse(s);
  }

  template <class Spec, class Kinds>
  void prepare(const Kinds& of, const Spec& spec) {
    to.bytes = ok(of.bytes(spec));
    if (rest.empty()) return;
    const auto made = ok(of.prepare(spec, rest));
    if constexpr (std::is_same_v<Spec, q::binary_spec>) {
      note(check(made, x[0], x[1], y));
      to.run = [made, a = x[0], b = x[1], y = y] { run(made, a, b, y); };
    } else {
      note(check(made, x[0], y));
      to.run = [made, a = x[0], y = y] { run(made, a, y); };
    }
    if constexpr (std::is_same_v<Spec, q::layer_spec>) to.bound = bound_of(made);
  }
  void operator()(const q::layer_spec& spec) { prepare(kinds.layers, spec); }
  void operator()(const moves_spec& spec) {
    const q::index_t size = net.tensors[static_cast<std::size_t>(from.output)].bytes;
    to.run = [spec, x = x, into = static_cast<unsigned char*>(y.data()), size] {
      for (q::index_t i = 0; i < size && !spec.fill.empty(); ++i) into[i] = spec.fill[static_cast<std::size_t>(i % spec.bytes)];
      for (std::size_t k = 0; k < x.size(); ++k) {
        const element_move& m = spec.moves[k];
        const auto* const elements = static_cast<const unsigned char*>(x[k].data());
        if (x[k].size() > 0 && size > 0) move(m, 0, spec.bytes, elements + m.from * spec.bytes, into + m.to * spec.bytes);
      }
    };
  }
  void operator()(const typed_spec& spec) {
    if (rest.empty()) return;
    q::status s = q::status::ok;
    to.run = spec.prepare(kinds, x, y, s);
    note(s);
  }
  template <class Spec>
  void operator()(const Spec& spec) {
    prepare(kinds.operators, spec);
  }
};

/// Writes the zero point to each element of a state.
void reset(const tensor& t, unsigned char* to) {
  const std::int32_t zero = t.zero_points.empty() ? 0 : t.zero_points[0];
  for (q::index_t i = 0; i < t.count; ++i) {
    if (t.element == q::element_type::int8) to[i] = static_cast<unsigned char>(zero);
    const auto wide = static_cast<std::int16_t>(zero);
    if (t.element == q::element_type::int16) std::memcpy(to + 2 * i, &wide, sizeof wide);
  }
}

}  // namespace

program::program(const network& net, const std::vector<step>& steps, const backend_kinds& kinds, kept keep)
    : net_(net), places_(net.tensors.size(), -1), steps_(steps.size()) {
  plan(steps, keep);
  const auto prepare = [&](std::size_t i, q::view<unsigned char> rest) {
    const step& s = steps[i];
    const auto at = [&](int t) { return rest.empty() ? nullptr : data(t); };
    operands x;
    for (std::size_t k = 0; k < s.inputs.size(); ++k)
      x.push_back(view_of<q::any_input>(net.tensors[static_cast<std::size_t>(s.inputs[k])], s.x[k],
                                        static_cast<const void*>(at(s.inputs[k]))));
    const auto y = view_of<q::any_output>(net.tensors[static_cast<std::size_t>(s.output)], s.y, static_cast<void*>(at(s.output)));
    std::visit(preparing{net, s, kinds, rest, x, y, steps_[i]}, s.what);
  };
  q::index_t bytes = activation_bytes_;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    prepare(i, {});
    bytes += aligned(steps_[i].bytes);
  }
  if (bytes > most_bytes) throw refused("the arena would have " + std::to_string(bytes) + " bytes");
  arena_.resize(static_cast<std::size_t>(bytes / 8) + 1);  // never empty
  for (std::size_t t = 0; t < places_.size(); ++t)
    if (net.tensors[t].is_variable && places_[t] >= 0) reset(net.tensors[t], data(static_cast<int>(t)));
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
  for (std::size_t t = 0; t < places_.size(); ++t)
    if (net_.tensors[t].is_variable && !net_.tensors[t].is_constant())
      lives.push_back({t, aligned(net_.tensors[t].bytes), 0, steps.size()});
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

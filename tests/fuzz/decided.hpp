#pragma once
/// \file
/// Decisions about a layer that nobody checked: `agree`, `find_witness` and `prove_epilogue` return an error status or the right
/// answer.

#include <dyadic/proved.hpp>
#include <dyadic/witness.hpp>

#include "outputs.hpp"
#include "tally.hpp"

namespace fuzz {

/// The statuses that `check` and `verify` return for a layer.
struct known_of_layer {
  q::status checked;
  q::status verified;
};

/// Expects that a status follows from what is known. The status is ok, or satisfies `is_other`, if the description has no fault.
inline void expect_decision(const reader& r, known_of_layer known, q::status s, bool is_other) {
  using q::status;
  const bool is_verified = known.verified == status::ok || known.verified == status::fold_not_verifiable;
  if (!is_verified) expect(s != status::ok, "what verify refuses is not decided");
  if (known.checked == status::accumulator_overflow) expect(s != status::ok, "what may overflow is not decided");
  if (known.checked == status::ok && !r.faulty()) expect(s == status::ok || is_other, "what has no fault is decided");
}

/// Returns the output with a small range, which is tried quickly, or now and then with its full range.
template <class Output>
Output with_few_values(reader& r, Output output) {
  const std::int64_t most = std::int64_t{output.range.min} + 40;
  if (!r.one_in(64) && output.range.max > most) output.range.max = static_cast<std::int32_t>(most);
  return output;
}

/// Returns an array of exactly `size` elements, or an empty array if the size is absurd.
template <class T>
std::vector<T> array_of(index_t size) {
  return std::vector<T>(size < 0 || size > 10'000 ? 0 : static_cast<std::size_t>(size));
}
/// Returns the product of the sizes of a record, or 1 if a size is absurd.
inline index_t product_of(std::initializer_list<index_t> sizes) {
  index_t product = 1;
  for (const index_t size : sizes) {
    if (size < 0 || size > 100) return 1;
    product *= size;
  }
  return product;
}

/// Returns true if accumulators of a layer may have more than 63 bits. The library decides nothing about them.
inline bool is_beyond(const q::fold_record& record) {
  constexpr std::int64_t end = std::int64_t{1} << 62;
  return record.bound.lowest < -end || record.bound.highest > end;
}

template <class Layer>
void decide_agreement(reader& r, tally& t, Layer layer, known_of_layer known) {
  using Y = typename std::decay_t<decltype(layer.output)>::value_type;
  layer.output = with_few_values(r, layer.output);
  q::per_tensor_output<Y, q::tosa::scale32> other{any_multiplier<q::multiplier32, 31, 2, 62>(r), any_range<Y>(r)};
  if (r.one_in(2)) other.range = layer.output.range;
  const auto found = q::agree(layer, with_few_values(r, other));
  const bool is_other = found.status == q::status::not_monotone || found.status == q::status::accumulator_overflow;
  expect_decision(r, known, t.add(op::agree, found.status), is_other);
  if (found.status != q::status::ok) return;
  expect(found.value.channels == layer.bias.record.channels, "all channels are compared");
  expect(found.value.differing <= found.value.compared, "no more differ than are compared");
}

/// weight(o, k) returns weight k of channel o.
template <class X, class Layer, class Weight>
void decide_witness(reader& r, tally& t, const Layer& layer, known_of_layer known, const Weight& weight) {
  using accumulator = typename std::decay_t<decltype(layer.output)>::accumulator;
  using bits = std::make_unsigned_t<accumulator>;
  const q::fold_record& record = layer.bias.record;
  const index_t size = r.near(product_of({record.depth, record.taps_y, record.taps_x}));
  std::vector<X> inputs = array_of<X>(size);
  const index_t channels = product_of({record.channels});
  const index_t o = r.near(channels == 0 ? 0 : r.between(0, channels - 1));
  const auto lowest = static_cast<std::uint64_t>(record.bound.lowest);
  const std::uint64_t span = static_cast<std::uint64_t>(record.bound.highest) - lowest;
  const std::uint64_t within = lowest + (span == 0 ? 0 : r.word() % span);
  const std::int64_t acc = r.one_in(8) ? r.integer() : static_cast<std::int64_t>(within);
  const q::view<X> to(inputs.empty() ? nullptr : inputs.data(), size);
  const q::status s = t.add(op::find_witness, q::find_witness(layer, o, acc, to));
  const bool is_undecided = s == q::status::accumulator_overflow && is_beyond(record);
  expect_decision(r, known, s, is_undecided || s == q::status::no_witness || s == q::status::shape_mismatch);
  if (s != q::status::ok) return;
  bits sum = static_cast<bits>(layer.bias.constants[o]);
  for (index_t k = 0; k < size; ++k)
    sum += static_cast<bits>(inputs[static_cast<std::size_t>(k)]) * static_cast<bits>(weight(o, k) - record.zero.w);
  expect(static_cast<accumulator>(sum) == acc, "a witness gives its accumulator");
}

template <class Layer>
void decide_proof(reader& r, tally& t, const Layer& layer, known_of_layer known) {
  const index_t size = r.near(3 * product_of({layer.bias.record.channels}));
  std::vector<q::binary32> numbers = array_of<q::binary32>(size);
  const auto proved = q::prove_epilogue(layer, q::view<q::binary32>(numbers.empty() ? nullptr : numbers.data(), size));
  const bool is_undecided = proved.status == q::status::accumulator_overflow && is_beyond(layer.bias.record);
  expect_decision(r, known, t.add(op::prove_epilogue, proved.status), is_undecided || proved.status == q::status::not_monotone);
  expect(proved.status == q::status::ok || !proved.value.is_proved, "what has a status is not proved");
  if (proved.value.is_proved) expect(verify(proved.value) == known.verified, "what is proved is verified");
}

/// Changes one field of the record.
inline void spoil(reader& r, q::fold_record& record) {
  switch (r.byte() % 8) {
    case 0: record.x_min = r.far32(record.x_min); break;
    case 1: record.x_max = r.far32(record.x_max); break;
    case 2: record.zero.x = r.far32(record.zero.x); break;
    case 3: record.zero.w = r.far32(record.zero.w); break;
    case 4: record.w_min = r.far32(record.w_min); break;
    case 5: record.w_max = r.far32(record.w_max); break;
    case 6: record.bound = {r.integer(), r.integer()}; break;
    default: ++record.fingerprint;
  }
}

/// Decides about a layer, now and then with a spoiled record. weight(o, k) returns weight k of channel o.
/// Requires: the arrays of the layer have the sizes that their views state, or sizes that must be refused.
template <class X, class Layer, class Weight>
void decide(reader& r, tally& t, Layer layer, known_of_layer known, const Weight& weight) {
  using output = std::decay_t<decltype(layer.output)>;
  using Y = typename output::value_type;
  if (r.one_in(8)) {
    spoil(r, layer.bias.record);
    known = {q::status::undecided, verify(layer)};
  }
  decide_witness<X>(r, t, layer, known, weight);
  if constexpr (sizeof(Y) <= 2)
    if (r.one_in(2)) decide_agreement(r, t, layer, known);
  if constexpr (sizeof(Y) == 1 && sizeof(typename output::accumulator) == 4)
    if (r.one_in(2)) decide_proof(r, t, layer, known);
}

}  // namespace fuzz

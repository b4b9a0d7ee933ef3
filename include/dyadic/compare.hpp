// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Compares two rules, or two arrays: counts the differences, and finds the first, the smallest and the worst. Opt-in, hosted.
/// Roof.
///
///   const auto tflite = q::rule_of<q::tflite::double_rounding>(m);
///   const auto mine = [](std::int64_t acc) { return acc / 2; };
///   const q::difference d = q::compare_rules(tflite, mine, q::all_int32(), q::threads{});
///
/// A rule can be called as `std::int64_t(std::int64_t acc) const`. The header monotone.hpp lists what else it may have. The
/// accumulators have `size()` and `operator[]`: `interval`, `by_magnitude`, or your own `std::vector` or `std::array`.
/// Accumulators that a rule does not take are left out, so that `compared` may be less than `size()`. Two rules that are known to
/// be monotone are not swept over an `interval` or a `by_magnitude`: `compare_thresholds` finds the differences in microseconds.

#include <dyadic/thresholds.hpp>

#include <thread>

namespace dyadic {

namespace detail {

template <class Scheme>
struct strict_rule {
  using accumulator = typename Scheme::accumulator;
  typename Scheme::multiplier_type m;

  DYADIC_API constexpr std::int64_t operator()(std::int64_t acc) const noexcept {
    return Scheme::apply(static_cast<accumulator>(acc), m);
  }
  DYADIC_API constexpr bool valid(std::int64_t acc) const noexcept {
    return fits<accumulator>(acc) && in_domain_of<Scheme>(static_cast<accumulator>(acc), m, 0);
  }
};

/// Sweeps the later half in a new thread, and divides each half further until each thread has its part. Drops the later half if
/// the earlier half has enough differences.
template <class A, class B, class Accumulators>
DYADIC_API difference sweep_threaded(const A& a, const B& b, const Accumulators& accs, std::uint64_t begin, std::uint64_t end,
                                     unsigned threads, std::uint64_t enough) noexcept {
  if (threads <= 1) return sweep(a, b, accs, begin, end, enough);
  const std::uint64_t middle = begin + (end - begin) / threads * (threads / 2);
  difference later{};
  std::thread other([&] { later = sweep_threaded(a, b, accs, middle, end, threads - threads / 2, enough); });
  const difference earlier = sweep_threaded(a, b, accs, begin, middle, threads / 2, enough);
  other.join();
  return earlier.differing >= enough ? earlier : merge(earlier, later);
}

/// Returns true if a sweep goes on: the result of `progress`, or true if `progress` returns nothing.
template <class Progress>
DYADIC_API bool goes_on(const Progress& progress, std::uint64_t swept, const difference& so_far) noexcept {
  if constexpr (std::is_void_v<decltype(progress(swept, so_far))>)
    return progress(swept, so_far), true;
  else
    return progress(swept, so_far);
}

/// Sweeps block after block, each block in threads. Stops when `enough` accumulators differ, or `progress` returns false. Blocks
/// double in size up to 2^26 accumulators.
template <class A, class B, class Accumulators, class Progress>
DYADIC_API difference sweep_blocks(const A& a, const B& b, const Accumulators& accs, unsigned threads, const Progress& progress,
                                   std::uint64_t block, std::uint64_t enough) noexcept {
  const unsigned count = threads != 0 ? threads : std::thread::hardware_concurrency();
  const std::uint64_t size = accs.size();
  difference d{};
  for (std::uint64_t begin = 0, end = 0; begin < size && d.differing < enough; begin = end) {
    end = size - begin < block ? size : begin + block;
    d = merge(d, sweep_threaded(a, b, accs, begin, end, count, enough));
    if (!goes_on(progress, end, d)) break;
    if (block < std::uint64_t{1} << 26) block *= 2;
  }
  return d;
}

/// True if `walk` may find the differences without a sweep.
template <class A, class B, class Accumulators>
inline constexpr bool is_walked = has_pieces<A>&& has_pieces<B> &&
                                  (std::is_same_v<Accumulators, interval> || std::is_same_v<Accumulators, by_magnitude>);

/// Returns all accumulators up to `acc`, in their order.
/// @{
DYADIC_API constexpr interval up_to(std::int64_t acc, interval accs) noexcept { return {accs.low, acc}; }
DYADIC_API constexpr by_magnitude up_to(std::int64_t acc, by_magnitude accs) noexcept {
  const interval all = accs.range;
  if (acc > 0) return {{all.low > 1 - acc ? all.low : 1 - acc, acc}};
  return {{acc, all.high > -(acc + 1) ? -acc : all.high}};
}
/// @}

/// Returns the comparison of all accumulators up to the first accumulator with different outputs. If its status is not ok, a
/// sweep is needed.
template <class A, class B, class Accumulators>
DYADIC_API constexpr result<difference> walk_to_first(const A& a, const B& b, const Accumulators& accs) noexcept {
  const result<difference> all = walk(a, b, accs);
  return all.status == status::ok && all.value.differing != 0 ? walk(a, b, up_to(all.value.first.acc, accs)) : all;
}

struct silent {
  DYADIC_API constexpr void operator()(std::uint64_t, const difference&) const noexcept {}
};

}  // namespace detail

/// Returns `rule_of<Scheme>(m)` without the accumulators for which the publisher defines no result. Leaves out acc if
/// Scheme::valid(acc, m) is false. If Scheme has no valid(acc, m), leaves out every acc if Scheme::valid(m) is false.
template <class Scheme>
DYADIC_API constexpr auto strict_rule_of(typename Scheme::multiplier_type m) noexcept {
  return detail::strict_rule<Scheme>{m};
}

/// Compares a(acc) with b(acc) for each acc of `accs`, in their order. If a rule throws, the program ends.
template <class A, class B, class Accumulators>
DYADIC_API constexpr difference compare_rules(const A& a, const B& b, const Accumulators& accs) noexcept {
  if constexpr (detail::is_walked<A, B, Accumulators>)
    if (const result<difference> found = detail::walk(a, b, accs); found.status == status::ok) return found.value;
  return detail::sweep(a, b, accs, 0, accs.size());
}

/// Compares like `compare_rules`, but stops at the first difference: `differing` is 0 or 1.
template <class A, class B, class Accumulators>
DYADIC_API constexpr difference find_first_difference(const A& a, const B& b, const Accumulators& accs) noexcept {
  if constexpr (detail::is_walked<A, B, Accumulators>)
    if (const result<difference> found = detail::walk_to_first(a, b, accs); found.status == status::ok) return found.value;
  return detail::sweep(a, b, accs, 0, accs.size(), 1);
}

/// Compares a[i] with b[i] for two arrays of integers, for example outputs and exact outputs. The share of elements that differ
/// is differing / compared. `worst_distance` counts output steps, and the `acc` of `first` and `worst` is the index. Returns the
/// error of an array, or `shape_mismatch`, and then compares nothing.
template <class A, class B>
DYADIC_API constexpr result<difference> compare_arrays(const A& a, const B& b) noexcept {
  const auto at = [](auto array) {
    return [array](std::int64_t i) noexcept { return std::int64_t{array[static_cast<index_t>(i)]}; };
  };
  const auto a_view = view(a);
  const auto b_view = view(b);
  if (const status s = check_same_size(a_view, b_view); s != status::ok) return {{}, s};
  return {compare_rules(at(a_view), at(b_view), interval{0, a_view.size() - 1}), status::ok};
}

/// The number of threads.
struct threads {
  unsigned count = 0;  ///< 0: one thread for each processor
};

/// Compares in several threads, with the result of one thread. Several threads call the rules at the same time. After every 2^26
/// accumulators the calling thread calls `progress(swept, so_far)`. If it returns false, the sweep ends, and the result is that
/// of the first `swept` accumulators. If nothing is swept, `progress` is called once. If a thread cannot be started, the program
/// ends.
template <class A, class B, class Accumulators, class Progress = detail::silent>
DYADIC_API difference compare_rules(const A& a, const B& b, const Accumulators& accs, threads in,
                                    const Progress& progress = {}) noexcept {
  if constexpr (detail::is_walked<A, B, Accumulators>)
    if (const result<difference> found = detail::walk(a, b, accs); found.status == status::ok)
      return static_cast<void>(detail::goes_on(progress, accs.size(), found.value)), found.value;
  return detail::sweep_blocks(a, b, accs, in.count, progress, std::uint64_t{1} << 26, detail::all_that_differ);
}

/// Finds the first difference in several threads, with the result of one thread: later accumulators do not count. `progress` is
/// called after 2^16 accumulators, and then after blocks that double in size up to 2^26 accumulators.
template <class A, class B, class Accumulators, class Progress = detail::silent>
DYADIC_API difference find_first_difference(const A& a, const B& b, const Accumulators& accs, threads in,
                                            const Progress& progress = {}) noexcept {
  if constexpr (detail::is_walked<A, B, Accumulators>)
    if (const result<difference> found = detail::walk_to_first(a, b, accs); found.status == status::ok)
      return static_cast<void>(detail::goes_on(progress, accs.size(), found.value)), found.value;
  return detail::sweep_blocks(a, b, accs, in.count, progress, std::uint64_t{1} << 16, 1);
}

}  // namespace dyadic

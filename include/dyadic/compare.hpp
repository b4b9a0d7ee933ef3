// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Two rules against each other, or two arrays: how many differ, the first, the smallest, the worst and by how much. Opt-in,
/// hosted. Roof.
///
///   const auto tflite = q::rule_of<q::tflite::double_rounding>(m);
///   const auto mine = [](std::int64_t acc) { return acc / 2; };
///   const q::difference d = q::compare(tflite, mine, q::all_int32(), q::threads{});
///
/// A rule is anything callable as `std::int64_t(std::int64_t acc) const`; monotone.hpp says what else it may have. The
/// accumulators are anything with `size()` and `operator[]`: `interval`, `by_magnitude`, or a `std::vector` or `std::array` of
/// your own. Accumulators that a rule does not take are left out, so that `compared` may be less than their number. Two rules
/// that are known to be monotone are not swept on the first two: `differing` finds the same in microseconds.

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

/// The later half in a thread of its own, and so on until each thread has its part. Parts after one that has enough do not count.
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

/// Whether a sweep goes on: what `progress` returns, if that is something.
template <class Progress>
DYADIC_API bool goes_on(const Progress& progress, std::uint64_t swept, const difference& so_far) noexcept {
  if constexpr (std::is_void_v<decltype(progress(swept, so_far))>)
    return progress(swept, so_far), true;
  else
    return progress(swept, so_far);
}

/// Block after block, each of them in threads, until `enough` accumulators differ or `progress` says that it is enough. Blocks
/// double up to 2^26 accumulators.
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

/// Whether `differing` may know.
template <class A, class B, class Accumulators>
inline constexpr bool is_walked = has_pieces<A>&& has_pieces<B> &&
                                  (std::is_same_v<Accumulators, interval> || std::is_same_v<Accumulators, by_magnitude>);

/// All accumulators up to one of them, in their order.
/// @{
DYADIC_API constexpr interval up_to(std::int64_t acc, interval accs) noexcept { return {accs.low, acc}; }
DYADIC_API constexpr by_magnitude up_to(std::int64_t acc, by_magnitude accs) noexcept {
  const interval all = accs.range;
  if (acc > 0) return {{all.low > 1 - acc ? all.low : 1 - acc, acc}};
  return {{acc, all.high > -(acc + 1) ? -acc : all.high}};
}
/// @}

/// The difference up to the first one, without a sweep if its status is ok.
template <class A, class B, class Accumulators>
DYADIC_API constexpr result<difference> walk_to_first(const A& a, const B& b, const Accumulators& accs) noexcept {
  const result<difference> all = walk(a, b, accs);
  return all.status == status::ok && all.value.differing != 0 ? walk(a, b, up_to(all.value.first.acc, accs)) : all;
}

struct silent {
  DYADIC_API constexpr void operator()(std::uint64_t, const difference&) const noexcept {}
};

}  // namespace detail

/// `rule_of`, leaving out what the publisher does not define: where Scheme::valid(acc, m) is false or, if there is none,
/// Scheme::valid(m).
template <class Scheme>
DYADIC_API constexpr auto strict_rule_of(typename Scheme::multiplier_type m) noexcept {
  return detail::strict_rule<Scheme>{m};
}

/// a(acc) against b(acc) for each acc of `accs`, in their order. A rule that throws ends the program.
template <class A, class B, class Accumulators>
DYADIC_API constexpr difference compare(const A& a, const B& b, const Accumulators& accs) noexcept {
  if constexpr (detail::is_walked<A, B, Accumulators>)
    if (const result<difference> found = detail::walk(a, b, accs); found.status == status::ok) return found.value;
  return detail::sweep(a, b, accs, 0, accs.size());
}

/// `compare` that stops at the first difference: `differing` is 0 or 1.
template <class A, class B, class Accumulators>
DYADIC_API constexpr difference first_difference(const A& a, const B& b, const Accumulators& accs) noexcept {
  if constexpr (detail::is_walked<A, B, Accumulators>)
    if (const result<difference> found = detail::walk_to_first(a, b, accs); found.status == status::ok) return found.value;
  return detail::sweep(a, b, accs, 0, accs.size(), 1);
}

/// a[i] against b[i] for two arrays of integers, say outputs and the exact ones: the share that differs is differing / compared,
/// `worst_distance` counts output steps, and the `acc` of `first` and `worst` is the index. What is wrong with an array, or
/// `shape_mismatch`: then nothing is compared.
template <class A, class B>
DYADIC_API constexpr result<difference> compare(const A& a, const B& b) noexcept {
  const auto at = [](auto array) {
    return [array](std::int64_t i) noexcept { return std::int64_t{array[static_cast<index_t>(i)]}; };
  };
  const auto a_view = view(a);
  const auto b_view = view(b);
  if (const status s = check_same_size(a_view, b_view); s != status::ok) return {{}, s};
  return {compare(at(a_view), at(b_view), interval{0, a_view.size() - 1}), status::ok};
}

/// How many threads: 0 for one per processor.
struct threads {
  unsigned count = 0;  ///< 0: as many as the machine has
};

/// `compare` in threads, with the same result. The rules are called from several threads at once. Every 2^26 accumulators the
/// calling thread calls `progress(swept, so_far)`; if that returns false, the sweep ends, and the result is that of the `swept`
/// first accumulators. Where nothing is swept, `progress` is called once. A thread that cannot be started ends the program.
template <class A, class B, class Accumulators, class Progress = detail::silent>
DYADIC_API difference compare(const A& a, const B& b, const Accumulators& accs, threads in,
                              const Progress& progress = {}) noexcept {
  if constexpr (detail::is_walked<A, B, Accumulators>)
    if (const result<difference> found = detail::walk(a, b, accs); found.status == status::ok)
      return static_cast<void>(detail::goes_on(progress, accs.size(), found.value)), found.value;
  return detail::sweep_blocks(a, b, accs, in.count, progress, std::uint64_t{1} << 26, detail::all_that_differ);
}

/// `first_difference` in threads, with the same result: that of no later accumulator counts. `progress` is called as above, or
/// more often: after 2^16 accumulators, then after twice as many each time.
template <class A, class B, class Accumulators, class Progress = detail::silent>
DYADIC_API difference first_difference(const A& a, const B& b, const Accumulators& accs, threads in,
                                       const Progress& progress = {}) noexcept {
  if constexpr (detail::is_walked<A, B, Accumulators>)
    if (const result<difference> found = detail::walk_to_first(a, b, accs); found.status == status::ok)
      return static_cast<void>(detail::goes_on(progress, accs.size(), found.value)), found.value;
  return detail::sweep_blocks(a, b, accs, in.count, progress, std::uint64_t{1} << 16, 1);
}

}  // namespace dyadic

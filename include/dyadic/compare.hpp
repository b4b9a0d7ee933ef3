// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Two rules, swept against each other, or two arrays: how many differ, the first, the worst and by how much. Opt-in, hosted.
/// Roof.
///
///   const auto tflite = q::rule_of<q::tflite::double_rounding>(m);
///   const auto mine = [](std::int64_t acc) { return acc / 2; };
///   const q::difference d = q::compare(tflite, mine, q::all_int32(), q::threads{});
///
/// A rule is anything callable as `std::int64_t(std::int64_t acc) const`. If it also has `bool valid(std::int64_t acc) const`,
/// the accumulators for which that is false are left out. The accumulators are anything with `size()` and `operator[]`: those
/// below, or a `std::vector` or `std::array` of your own.

#include <dyadic/scheme/formula.hpp>

#include <thread>

namespace dyadic {

/// low, low + 1, .., high: both included, none if low > high. Requires: fewer than 2^64 of them.
struct interval {
  std::int64_t low;   ///< the first one
  std::int64_t high;  ///< the last one

  /// How many accumulators.
  DYADIC_API constexpr std::uint64_t size() const noexcept {
    return low > high ? 0u : static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1u;
  }
  /// Number i of them.
  DYADIC_API constexpr std::int64_t operator[](std::uint64_t i) const noexcept {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + i);
  }
};

/// All 2^32 values of an int32.
DYADIC_API constexpr interval all_int32() noexcept { return {int32_min, int32_max}; }

/// centre - radius .. centre + radius, as far as it is `within`. Requires: |centre| and radius < 2^62.
DYADIC_API constexpr interval window(std::int64_t centre, std::int64_t radius, interval within = all_int32()) noexcept {
  const std::int64_t low = centre - radius;
  const std::int64_t high = centre + radius;
  return {low > within.low ? low : within.low, high < within.high ? high : within.high};
}

/// An interval from the middle outwards, 0, 1, -1, 2, -2, ..: the least |acc| first, positive before negative. With it
/// `first_difference` is the smallest counterexample. Requires: bounds of magnitude < 2^62.
struct by_magnitude {
  interval range;  ///< all of them

  DYADIC_API constexpr std::uint64_t size() const noexcept { return range.size(); }  ///< How many accumulators.
  /// Number i of them.
  DYADIC_API constexpr std::int64_t operator[](std::uint64_t i) const noexcept {
    const auto n = static_cast<std::int64_t>(i);
    if (range.low > 0) return range.low + n;
    if (range.high < 0) return range.high - n;
    const std::int64_t both = -range.low < range.high ? -range.low : range.high;  // As far as +n and -n are both in range.
    if (n > 2 * both) return range.high > both ? n - both : both - n;
    return n % 2 != 0 ? (n + 1) / 2 : -(n / 2);
  }
};

/// An accumulator and what the two rules make of it.
struct sample {
  std::int64_t acc;  ///< the accumulator
  std::int64_t a;    ///< what the first rule makes of it
  std::int64_t b;    ///< what the second rule makes of it
};

/// |a - b|.
DYADIC_API constexpr std::uint64_t distance(sample s) noexcept {
  const auto a = static_cast<std::uint64_t>(s.a);
  const auto b = static_cast<std::uint64_t>(s.b);
  return s.a > s.b ? a - b : b - a;
}

/// What a sweep found. While `differing` is 0, so are the fields below it.
struct difference {
  std::uint64_t compared;        ///< accumulators for which both rules are valid
  std::uint64_t differing;       ///< accumulators with different outputs
  sample first;                  ///< in the order of the sweep
  sample worst;                  ///< the largest distance; the first of them
  std::uint64_t worst_distance;  ///< how far apart these are
};

/// The difference of two parts of one sweep: what `compare` gives for the parts one after the other.
DYADIC_API constexpr difference merge(const difference& earlier, const difference& later) noexcept {
  const bool later_is_worse = later.worst_distance > earlier.worst_distance;
  return {earlier.compared + later.compared, earlier.differing + later.differing,
          earlier.differing != 0 ? earlier.first : later.first, later_is_worse ? later.worst : earlier.worst,
          later_is_worse ? later.worst_distance : earlier.worst_distance};
}

namespace detail {

/// rule.valid(acc) where there is one; the 0 of the caller prefers it.
template <class Rule>
DYADIC_API constexpr auto in_domain(const Rule& rule, std::int64_t acc, int) noexcept -> decltype(rule.valid(acc)) {
  return rule.valid(acc);
}
template <class Rule>
DYADIC_API constexpr bool in_domain(const Rule&, std::int64_t, long) noexcept {
  return true;
}

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

inline constexpr std::uint64_t all_that_differ = limits<std::uint64_t>::max;

/// Accumulators begin .. end - 1, until `enough` of them differ: 1, or as many as there may be.
template <class A, class B, class Accumulators>
DYADIC_API constexpr difference sweep(const A& a, const B& b, const Accumulators& accs, std::uint64_t begin, std::uint64_t end,
                                      std::uint64_t enough = all_that_differ) noexcept {
  difference d{};
  for (std::uint64_t i = begin; i < end && d.differing < enough; ++i) {
    const std::int64_t acc = accs[static_cast<decltype(accs.size())>(i)];
    if (!in_domain(a, acc, 0) || !in_domain(b, acc, 0)) continue;
    ++d.compared;
    const sample s{acc, a(acc), b(acc)};
    if (s.a != s.b) d = merge(d, {0, 1, s, s, distance(s)});
  }
  return d;
}

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

struct silent {
  DYADIC_API constexpr void operator()(std::uint64_t, const difference&) const noexcept {}
};

}  // namespace detail

/// acc -> Scheme::apply(acc, m), for any accumulator. Requires: Scheme::valid(m); each acc is a value of Scheme::accumulator.
template <class Scheme>
DYADIC_API constexpr auto rule_of(typename Scheme::multiplier_type m) noexcept {
  return [m](std::int64_t acc) noexcept { return Scheme::apply(static_cast<typename Scheme::accumulator>(acc), m); };
}

/// acc -> requantize<Scheme>(acc, m, range): the output with its zero point and its clamp. Requires: as above.
template <class Scheme>
DYADIC_API constexpr auto rule_of(typename Scheme::multiplier_type m, output_range range) noexcept {
  return [m, range](std::int64_t acc) noexcept {
    return requantize<Scheme>(static_cast<typename Scheme::accumulator>(acc), m, range);
  };
}

/// `rule_of`, leaving out what the publisher does not define: where Scheme::valid(acc, m) is false or, if there is none,
/// Scheme::valid(m).
template <class Scheme>
DYADIC_API constexpr auto strict_rule_of(typename Scheme::multiplier_type m) noexcept {
  return detail::strict_rule<Scheme>{m};
}

/// a(acc) against b(acc) for each acc of `accs`, in their order. A rule that throws ends the program.
template <class A, class B, class Accumulators>
DYADIC_API constexpr difference compare(const A& a, const B& b, const Accumulators& accs) noexcept {
  return detail::sweep(a, b, accs, 0, accs.size());
}

/// `compare` that stops at the first difference: `differing` is 0 or 1.
template <class A, class B, class Accumulators>
DYADIC_API constexpr difference first_difference(const A& a, const B& b, const Accumulators& accs) noexcept {
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
/// first accumulators. A thread that cannot be started ends the program.
template <class A, class B, class Accumulators, class Progress = detail::silent>
DYADIC_API difference compare(const A& a, const B& b, const Accumulators& accs, threads in,
                              const Progress& progress = {}) noexcept {
  return detail::sweep_blocks(a, b, accs, in.count, progress, std::uint64_t{1} << 26, detail::all_that_differ);
}

/// `first_difference` in threads, with the same result: that of no later accumulator counts. `progress` is called as above, or
/// more often: after 2^16 accumulators, then after twice as many each time.
template <class A, class B, class Accumulators, class Progress = detail::silent>
DYADIC_API difference first_difference(const A& a, const B& b, const Accumulators& accs, threads in,
                                       const Progress& progress = {}) noexcept {
  return detail::sweep_blocks(a, b, accs, in.count, progress, std::uint64_t{1} << 16, 1);
}

/// A sentence, in memory of its own.
class difference_text {
 public:
  DYADIC_API constexpr explicit difference_text(const difference& d) noexcept {
    if (d.differing == 0) {
      add("none of ").add(d.compared).add(" differ");
      return;
    }
    add(d.differing).add(" of ").add(d.compared).add(" differ; the first at ").add(d.first);
    add("; the worst by ").add(d.worst_distance).add(" at ").add(d.worst);
  }  ///< what `to_string` says
  /// Ends with a 0; as long as this object lives.
  DYADIC_API constexpr const char* c_str() const noexcept DYADIC_LIFETIME_BOUND { return text_; }

 private:
  DYADIC_API constexpr difference_text& add(const char* text) noexcept {
    for (; *text != '\0'; ++text) text_[size_++] = *text;
    return *this;
  }
  DYADIC_API constexpr difference_text& add(std::uint64_t x) noexcept {
    if (x >= 10) add(x / 10);
    text_[size_++] = static_cast<char>('0' + x % 10);
    return *this;
  }
  DYADIC_API constexpr difference_text& add(std::int64_t x) noexcept {
    const auto bits = static_cast<std::uint64_t>(x);
    return x < 0 ? add("-").add(std::uint64_t{0} - bits) : add(bits);
  }
  DYADIC_API constexpr difference_text& add(const sample& s) noexcept {
    return add(s.acc).add(", ").add(s.a).add(" and ").add(s.b);
  }

  char text_[256] = {};  // nine numbers of up to 20 characters, and fewer than 64 others
  index_t size_ = 0;
};

/// What was found, for humans: "9 of 201 differ; the first at 11, 11 and 20; the worst by 25 at 15, 15 and 40", where an
/// accumulator or an index is followed by what the two rules make of it.
DYADIC_API constexpr difference_text to_string(const difference& d) noexcept { return difference_text(d); }

}  // namespace dyadic

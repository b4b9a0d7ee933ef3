#pragma once
/// \file
/// Selections of the list of all schemes, for tests and benchmarks.

#include <dyadic/schemes.hpp>

#include <cstdint>
#include <type_traits>

namespace support {

using dyadic::all_schemes;

namespace detail {

template <class Scheme, class Other>
constexpr bool have_one_formula() {
  if constexpr (dyadic::has_formula<Scheme> && dyadic::has_formula<Other>)
    return std::is_same_v<typename Scheme::formula_type, typename Other::formula_type>;
  else
    return false;
}

template <class Scheme>
struct found {
  using type = Scheme;
};

/// The first of all schemes that has the formula of Scheme; void without a formula.
template <class Scheme, class Schemes = std::remove_const_t<decltype(all_schemes)>>
struct first_alike;
template <class Scheme>
struct first_alike<Scheme, dyadic::scheme_list<>> {
  using type = void;
};
template <class Scheme, class First, class... Others>
struct first_alike<Scheme, dyadic::scheme_list<First, Others...>>
    : std::conditional_t<have_one_formula<Scheme, First>(), found<First>, first_alike<Scheme, dyadic::scheme_list<Others...>>> {};

}  // namespace detail

/// Selections of schemes. Each selection is a type with a `value`.
/// @{
template <class Scheme>
struct any_scheme : std::true_type {};

template <class Scheme>
struct with_int32_accumulator : std::bool_constant<sizeof(typename Scheme::accumulator) == 4> {};
template <class Scheme>
struct with_wide_accumulator : std::bool_constant<sizeof(typename Scheme::accumulator) == 8> {};

/// Selects schemes whose multiplier is an integer and a shift.
template <class Scheme, class = void>
struct with_mantissa : std::false_type {};
template <class Scheme>
struct with_mantissa<Scheme, std::void_t<decltype(std::declval<typename Scheme::multiplier_type>().right_shift)>>
    : std::true_type {};

template <class Scheme>
struct with_formula : std::bool_constant<dyadic::has_formula<Scheme>> {};

/// Selects the first scheme with each formula. Vectors run the other schemes by the same code.
template <class Scheme>
struct with_new_formula : std::bool_constant<std::is_same_v<Scheme, typename detail::first_alike<Scheme>::type>> {};

template <class Scheme>
struct with_new_int32_formula
    : std::conjunction<with_new_formula<Scheme>, with_mantissa<Scheme>, with_int32_accumulator<Scheme>> {};
template <class Scheme>
struct with_new_wide_formula : std::conjunction<with_new_formula<Scheme>, with_mantissa<Scheme>, with_wide_accumulator<Scheme>> {
};
/// @}

/// The first scheme with the formula of Scheme.
template <class Scheme>
using first_with_formula = typename detail::first_alike<Scheme>::type;

/// Calls use(named scheme) for each selected scheme.
template <template <class...> class Selection = any_scheme, class Use>
void each_scheme(const Use& use) {
  const auto use_selected = [&](auto s) {
    if constexpr (Selection<typename decltype(s)::scheme>::value) use(s);
  };
  all_schemes.each(use_selected);
}

}  // namespace support

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The rules that a program links for its operators without weights, as tables of pointers to functions. any_operator.hpp chooses
/// from these tables. Floor 6.

#include <dyadic/detail/operator_layers.hpp>

namespace dyadic::detail {

/// The types, sizes and functions that a program links for a rule. An operator with one input ignores `b`. `spec` is the
/// description that has the operator, and `layer` is in the arena.
struct operator_functions {
  operator_id op;
  element_type x;
  element_type b;  // of an operator with one input: x
  element_type y;
  scheme_id rule;
  index_t bytes;
  status (*prepare)(const void* spec, void* arena) noexcept;
  status (*check_shapes)(const void* layer, const any_input& a, const any_input& b, const any_output& y) noexcept;
  status (*check_memory)(const void* layer, const any_input& a, const any_input& b, const any_output& y) noexcept;
  void (*run)(const void* layer, const any_input& a, const any_input& b, const any_output& y, const run_options&) noexcept;
};

/// An operator whose rule lies in an arena.
struct operator_parts {
  const operator_functions* kind = nullptr;
  const unsigned char* arena = nullptr;
  status prepared = status::unknown_kind;
};

/// The functions of a rule that all backends share.
template <class Rule>
struct rule_functions {
  using parts = operator_parts_of<Rule>;
  using layer = typename parts::layer;
  using x = argument_of<Rule>;
  using b = typename second_type_of<Rule>::type;
  using y = typename Rule::value_type;
  static constexpr bool has_two = std::is_same_v<typename parts::spec, binary_spec>;
  static_assert(alignof(layer) <= arena_alignment, "an arena aligns rules to 8 bytes, and no more");
  static constexpr index_t extra_at = end_of_piece(0, 1, sizeof(layer));
  static constexpr index_t bytes = end_of_piece(extra_at, 1, parts::extra);

  DYADIC_API static const layer& at(const void* arena) noexcept { return *static_cast<const layer*>(arena); }
  DYADIC_API static status prepare(const void* spec, void* arena) noexcept {
    const auto made = parts::make(*static_cast<const typename parts::spec*>(spec), static_cast<unsigned char*>(arena) + extra_at);
    store(arena, made.value);
    return made.status;
  }
  DYADIC_API static status check_shapes(const void* arena, const any_input& a, const any_input& second,
                                        const any_output& to) noexcept {
    if constexpr (has_two)
      return dyadic::check_shapes(at(arena), a.images<const x>(), second.images<const b>(), to.images<y>());
    else
      return dyadic::check_shapes(at(arena), a.images<const x>(), to.images<y>());
  }
  DYADIC_API static status check_memory(const void* arena, const any_input& a, const any_input& second,
                                        const any_output& to) noexcept {
    if constexpr (has_two)
      return dyadic::check_memory(at(arena), a.images<const x>(), second.images<const b>(), to.images<y>());
    else
      return dyadic::check_memory(at(arena), a.images<const x>(), to.images<y>());
  }
};

inline namespace DYADIC_ISA {

template <class Backend, class Rule>
struct operator_kind_of {
  using shared = rule_functions<Rule>;

  static void run(const void* arena, const any_input& a, const any_input& b, const any_output& to,
                  const run_options& options) noexcept {
    using x = typename shared::x;
    using y = typename shared::y;
    if constexpr (shared::has_two)
      dyadic::run<Backend>(shared::at(arena), a.images<const x>(), b.images<const typename shared::b>(), to.images<y>(), options);
    else
      dyadic::run<Backend>(shared::at(arena), a.images<const x>(), to.images<y>(), options);
  }
  static constexpr operator_functions functions() noexcept {
    return {shared::parts::id,
            element_type_of<typename shared::x>(),
            element_type_of<typename shared::b>(),
            element_type_of<typename shared::y>(),
            scheme_id::of<Rule>(),
            shared::bytes,
            &shared::prepare,
            &shared::check_shapes,
            &shared::check_memory,
            &run};
  }
};

/// The functions that a program links for a backend, one entry for each rule.
template <class Backend, class... Rules>
inline constexpr operator_functions operator_table[] = {operator_kind_of<Backend, Rules>::functions()...};

}  // namespace DYADIC_ISA
}  // namespace dyadic::detail

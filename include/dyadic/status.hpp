// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Names what is wrong with an input. Floor 1.

#include <dyadic/config.hpp>

namespace dyadic {

/// The first error that `check`, `fold` or a derivation found; `ok` if there is none.
enum class [[nodiscard]] status : std::uint8_t{
    ok,
    null_data,                  ///< a pointer is null where elements are expected, or their array is too small
    negative_size,              ///< a size or a stride is negative
    size_overflow,              ///< the extent of a view does not fit the address space
    stride_too_small,           ///< a row is longer than the distance to the next row
    shape_mismatch,             ///< two arguments disagree about a size
    bad_window,                 ///< a kernel, stride or dilation is below 1, a padding is negative, or a size is too large
    overlap,                    ///< the output shares memory with an input
    zero_point_out_of_range,    ///< a zero point is not a value of its type
    empty_range,                ///< the lower bound exceeds the upper bound
    range_out_of_type,          ///< a bound of the activation range is not a value of the output type
    multiplier_out_of_range,    ///< a multiplier is outside what its scheme accepts
    multiplier_count_mismatch,  ///< there is not one multiplier for each output channel
    fold_of_other_type,         ///< the fold is for activations of another type
    fold_of_other_shape,        ///< the fold is of another shape or window
    fold_of_other_weights,      ///< the fold is of other weights
    fold_with_bias,             ///< the fold has a bias, and the output adds its own
    fold_not_verifiable,        ///< the fold has no fingerprint: it was made without one, or from kernel sums
    accumulator_overflow,       ///< for some input a sum or a step of a rule leaves its accumulator; see `may_run`
    value_out_of_range,         ///< a value does not fit the type it is converted to exactly
    scale_not_finite,           ///< a scale is NaN or infinite
    scale_zero,                 ///< a scale is zero and the publisher defines no multiplier for it
    scale_negative,             ///< a scale is negative and the publisher rejects that
    scale_too_small,            ///< a scale is below what the publisher's rule accepts
    scale_too_large,            ///< a scale is above what the publisher's rule accepts
    illegal_operator,           ///< TOSA ERROR_IF: the combination of attributes is not an operator
    unpredictable,              ///< TOSA REQUIRE: the data leave the range in which the result is defined
    unknown_scheme,             ///< no scheme has this name
    unknown_backend,            ///< DYADIC_BACKEND names no backend of the program
    backend_unavailable,        ///< DYADIC_BACKEND names a backend that this machine does not run
    unknown_kind,               ///< no linked kind has this operator, these types and this scheme
    type_mismatch,              ///< a tensor has elements of another type than its layer
    arena_too_small,            ///< an arena has fewer bytes than the layer takes
    arena_misaligned,           ///< an arena does not begin at a multiple of `arena_alignment`
    not_monotone,               ///< a rule falls where it promises to rise, or promises too little to be decided without a sweep
    no_witness,                 ///< no input was found that gives this accumulator, or that tells these schemes apart
    undecided,                  ///< a real result is too near to a tie for the digits that it is computed with
    misaligned_data,            ///< elements do not begin at a multiple of the alignment of their type
    ambiguous_scheme,           ///< a description names no scheme, and kinds with its operator and types have different schemes
    reads_outside,              ///< for these sizes an engine reads outside the image
};

/// Returns true if `run` may be called after `check` has returned s: for `ok` and for `accumulator_overflow`. After
/// `accumulator_overflow`, sums and steps that leave their accumulator wrap as the layer or its rule says.
DYADIC_API constexpr bool may_run(status s) noexcept { return s == status::ok || s == status::accumulator_overflow; }

/// Returns a sentence fragment for humans, never null.
DYADIC_API constexpr const char* to_string(status s) noexcept {
  switch (s) {
    case status::ok: return "ok";
    case status::null_data: return "null pointer where elements are expected, or too small an array";
    case status::negative_size: return "negative size or stride";
    case status::size_overflow: return "extent of a view does not fit the address space";
    case status::stride_too_small: return "stride smaller than a row";
    case status::shape_mismatch: return "sizes of two arguments do not match";
    case status::bad_window: return "window with an impossible kernel, stride, dilation or padding";
    case status::overlap: return "output overlaps an input";
    case status::zero_point_out_of_range: return "zero point outside its type";
    case status::empty_range: return "empty range of outputs or accumulators";
    case status::range_out_of_type: return "activation range outside the output type";
    case status::multiplier_out_of_range: return "multiplier outside the range of its scheme";
    case status::multiplier_count_mismatch: return "not one multiplier for each output channel";
    case status::fold_of_other_type: return "fold for activations of another type";
    case status::fold_of_other_shape: return "fold of another shape or window";
    case status::fold_of_other_weights: return "fold of other weights";
    case status::fold_with_bias: return "fold with a bias where the output adds its own";
    case status::fold_not_verifiable: return "fold without a fingerprint of the weights";
    case status::accumulator_overflow: return "accumulator may overflow for some input";
    case status::value_out_of_range: return "value does not fit the type that it is converted to";
    case status::scale_not_finite: return "scale is not finite";
    case status::scale_zero: return "scale is zero, for which the publisher has no multiplier";
    case status::scale_negative: return "scale is negative, for which the publisher has no multiplier";
    case status::scale_too_small: return "scale below what the publisher accepts";
    case status::scale_too_large: return "scale above what the publisher accepts";
    case status::illegal_operator: return "illegal combination of operator attributes";
    case status::unpredictable: return "data outside the range in which the result is defined";
    case status::unknown_scheme: return "no scheme has this name";
    case status::unknown_backend: return "DYADIC_BACKEND names no backend of this program";
    case status::backend_unavailable: return "DYADIC_BACKEND names a backend that this machine does not run";
    case status::unknown_kind: return "no kind that is linked has this operator, these types and this scheme";
    case status::type_mismatch: return "elements of another type than the layer's";
    case status::arena_too_small: return "arena too small";
    case status::arena_misaligned: return "arena not aligned";
    case status::not_monotone: return "rule is not monotone, or not known to be";
    case status::no_witness: return "no such input was found";
    case status::undecided: return "a real result too near to a tie";
    case status::misaligned_data: return "elements not aligned for their type";
    case status::ambiguous_scheme: return "no scheme is named where kinds of these types have different schemes";
    case status::reads_outside: return "sizes for which the engine reads outside the image";
  }
  return "unknown status";
}

/// A value and its status. If the publisher of a rule returns a value for a bad input, `value` is that value.
template <class T>
struct [[nodiscard]] result {
  T value;                ///< undefined unless said otherwise
  dyadic::status status;  ///< the first error, or `ok`

  /// Ends the compilation with a message, because a result is not its value.
  template <class U, std::enable_if_t<std::is_same_v<U, T>, int> = 0>
  DYADIC_API constexpr operator U() const noexcept {
    static_assert(!std::is_same_v<U, T>, "a result is a status and a value: look at the status, then give the .value");
    return value;
  }
};

}  // namespace dyadic

#pragma once
/// \file
/// The layers of the library on each backend. A file includes this header for each pair of types and variant, because the layers
/// are slow to compile.

#include "every_backend.hpp"
#include "problem.hpp"

#include <dyadic/proved.hpp>

namespace bench {

enum class variant {
  packed,    ///< packed weights, except in portable code and in depthwise layers
  unpacked,  ///< weights as they are given
  proved     ///< packed weights, and the cheaper epilogue of `prove_epilogue` if it is proved for the layer
};

template <variant Variant, class Problem>
class backends {
 public:
  using activation = typename Problem::activation;

  explicit backends(std::shared_ptr<Problem> p) : p_(std::move(p)) {}

  /// Returns an implementation for each backend that runs here and has the variant.
  std::vector<implementation> all() {
    for_every_backend([&](auto backend, bool runs_here) {
      if constexpr (has_variant<decltype(backend)>())
        if (runs_here) add<decltype(backend)>();
    });
    return std::move(all_);
  }

 private:
  template <class Backend>
  static constexpr bool has_variant() {
    if constexpr (Variant == variant::unpacked) return !std::is_same_v<Backend, dyadic::backend::scalar>;
    if constexpr (Variant == variant::proved) return dyadic::has_fused_products<Backend>;
    return true;
  }

  template <class Backend>
  void add() {
    const shape& s = p_->of();
    const dyadic::zero_points zero = p_->zero();
    const auto folded = [&](auto result) { return p_->require(result); };
    const dyadic::nhwc_view<const activation> x{p_->x().data(), 1, s.height, s.width, s.inputs};
    const dyadic::nhwc_view<activation> y{p_->y().data(), 1, s.rows(), s.columns(), s.outputs};
    if (s.is_depthwise()) {
      if constexpr (Variant != variant::unpacked) {
        const auto bias =
            folded(dyadic::fold_depthwise<activation>(p_->weights(), p_->bias(), s.window(), zero, p_->constants()));
        add<Backend>(dyadic::depthwise_layer{p_->weights(), bias, s.window(), p_->output()}, x, y);
      }
    } else if (s.op == operation::conv2d) {
      const auto bias = folded(dyadic::fold_conv2d<activation>(p_->weights(), p_->bias(), s.window(), zero, p_->constants()));
      with_weights<Backend>([&](auto weights) {
        add<Backend>(dyadic::conv2d_layer{weights, bias, s.window(), s.groups, p_->output()}, x, y);
      });
    } else {
      const dyadic::matrix_view<const activation> rows{p_->x().data(), s.height, s.inputs};
      const dyadic::matrix_view<activation> to{p_->y().data(), s.height, s.outputs};
      const auto bias = folded(dyadic::fold<activation>(p_->weights(), p_->bias(), zero, p_->constants()));
      with_weights<Backend>([&](auto weights) { add<Backend>(dyadic::linear_layer{weights, bias, p_->output()}, rows, to); });
    }
  }

  template <class Backend, class F>
  void with_weights(F f) {
    if constexpr (Variant == variant::unpacked || std::is_same_v<Backend, dyadic::backend::scalar>) {
      f(p_->weights());
    } else {
      const shape& s = p_->of();
      const dyadic::matrix_view<const std::int8_t> weights = p_->weights();
      packed_ = std::make_shared<std::vector<std::int8_t>>(static_cast<std::size_t>(
          s.op == operation::conv2d
              ? dyadic::packed_conv2d_size<Backend, activation, std::int8_t>(weights.rows(), weights.cols(), s.window(), s.groups)
              : dyadic::packed_size<Backend, activation, std::int8_t>(weights.rows(), weights.cols())));
      const dyadic::view<std::int8_t> storage(*packed_);
      f(p_->require(s.op == operation::conv2d ? dyadic::pack_conv2d<Backend, activation>(weights, s.window(), s.groups, storage)
                                              : dyadic::pack<Backend, activation>(weights, storage)));
    }
  }

  template <class Backend, class Layer, class X, class Y>
  void add(const Layer& layer, X x, Y y) {
    if constexpr (Variant == variant::proved) {
      numbers_ = std::make_shared<std::vector<dyadic::binary32>>(3 * p_->scales().size());
      const auto proved = p_->require(dyadic::prove_epilogue(layer, *numbers_));
      add_one<Backend>(proved, x, y);
      all_.back().is_proved = proved.is_proved;
    } else {
      add_one<Backend>(layer, x, y);
    }
  }
  template <class Backend, class Layer, class X, class Y>
  void add_one(const Layer& layer, X x, Y y) {
    p_->require(check(layer, x, y));
    std::fill(p_->y().begin(), p_->y().end(), activation{0});
    dyadic::run<Backend>(layer, x, y);
    if (p_->y() != p_->expected()) fail(name_of(p_->of()) + " on " + Backend::name + " is not what the definition says");
    constexpr const char* name = Variant == variant::unpacked ? ", unpacked" : Variant == variant::proved ? ", proved" : "";
    all_.push_back({Backend::name, name, repeated([p = p_, packed = packed_, numbers = numbers_, layer, x, y] {
                      dyadic::run<Backend>(layer, x, y);
                      return y.data();
                    })});
  }

  std::shared_ptr<Problem> p_;
  std::shared_ptr<std::vector<std::int8_t>> packed_{};
  std::shared_ptr<std::vector<dyadic::binary32>> numbers_{};
  std::vector<implementation> all_{};
};

/// Returns the implementations of a variant.
template <variant Variant, class Problem>
std::vector<implementation> all_backends(const std::shared_ptr<Problem>& p) {
  return backends<Variant, Problem>{p}.all();
}

}  // namespace bench

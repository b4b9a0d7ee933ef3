#pragma once
/// \file
/// The layers of the library on each backend. Two files include this header, one per format, because it is slow to compile.

#include "every_backend.hpp"
#include "problem.hpp"

#include <dyadic/proved.hpp>

namespace bench {

template <class Problem>
class backends {
 public:
  using activation = typename Problem::activation;

  explicit backends(std::shared_ptr<Problem> p) : p_(std::move(p)) {}

  std::vector<implementation> all() {
    for_every_backend([&](auto backend, bool runs_here) {
      if (runs_here) add<decltype(backend)>();
    });
    return std::move(all_);
  }
  /// Returns the backends that have cheaper epilogues. A cheaper epilogue is used if it is proved for the layer.
  std::vector<implementation> proved() {
    proves_ = true;
    for_every_backend([&](auto backend, bool runs_here) {
      if constexpr (dyadic::has_fused_products<decltype(backend)>)
        if (runs_here) add<decltype(backend)>();
    });
    return std::move(all_);
  }

 private:
  /// Adds the layer. Its weights are packed, except on portable code and in depthwise layers.
  template <class Backend>
  void add() {
    const shape& s = p_->of();
    const dyadic::zero_points zero = p_->zero();
    const auto folded = [&](auto result) { return p_->require(result); };
    const dyadic::nhwc_view<const activation> x{p_->x().data(), 1, s.height, s.width, s.inputs};
    const dyadic::nhwc_view<activation> y{p_->y().data(), 1, s.rows(), s.columns(), s.outputs};
    if (s.is_depthwise()) {
      const auto bias = folded(dyadic::fold_depthwise<activation>(p_->weights(), p_->bias(), s.window(), zero, p_->constants()));
      add<Backend>(dyadic::depthwise_layer{p_->weights(), bias, s.window(), p_->output()}, x, y);
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
    if constexpr (std::is_same_v<Backend, dyadic::backend::scalar>) {
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
    if constexpr (dyadic::has_fused_products<Backend> && sizeof(activation) == 1)
      if (proves_) {
        numbers_ = std::make_shared<std::vector<dyadic::binary32>>(3 * p_->scales().size());
        const auto proved = p_->require(dyadic::prove_epilogue(layer, *numbers_));
        add_one<Backend>(proved, x, y);
        all_.back().is_proved = proved.is_proved;
        return;
      }
    add_one<Backend>(layer, x, y);
  }
  template <class Backend, class Layer, class X, class Y>
  void add_one(const Layer& layer, X x, Y y) {
    p_->require(check(layer, x, y));
    std::fill(p_->y().begin(), p_->y().end(), activation{0});
    dyadic::run<Backend>(layer, x, y);
    if (p_->y() != p_->expected()) fail(name_of(p_->of()) + " on " + Backend::name + " is not what the definition says");
    all_.push_back({Backend::name, repeated([p = p_, packed = packed_, numbers = numbers_, layer, x, y] {
                      dyadic::run<Backend>(layer, x, y);
                      return y.data();
                    })});
  }

  std::shared_ptr<Problem> p_;
  std::shared_ptr<std::vector<std::int8_t>> packed_{};
  std::shared_ptr<std::vector<dyadic::binary32>> numbers_{};
  bool proves_ = false;
  std::vector<implementation> all_{};
};

}  // namespace bench

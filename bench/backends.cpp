// The layers of the library, on each backend.

#include "problem.hpp"

namespace bench {
namespace {

using namespace dyadic;

template <class Problem>
class backends {
 public:
  using activation = typename Problem::activation;

  explicit backends(std::shared_ptr<Problem> p) : p_(std::move(p)) {}

  std::vector<implementation> all() {
    for_each_backend([&](auto backend, bool runs_here) {
      if (runs_here) add<decltype(backend)>();
    });
    return std::move(all_);
  }

 private:
  /// The layer with weights as its kernel likes them best: portable code reads them as they are.
  template <class Backend>
  void add() {
    const shape& s = p_->of();
    const zero_points zero = p_->zero();
    const auto folded = [&](auto result) { return p_->require(result); };
    const nhwc_view<const activation> x{p_->x().data(), 1, s.height, s.width, s.inputs};
    const nhwc_view<activation> y{p_->y().data(), 1, s.height, s.width, s.outputs};
    if (s.op == operation::depthwise) {
      const auto bias = folded(fold_depthwise<activation>(p_->weights(), s.window(), p_->bias(), zero, p_->constants()));
      add<Backend>(depthwise_layer{p_->weights(), bias, zero, s.window(), p_->output()}, x, y);
    } else if (s.op == operation::conv2d) {
      const auto bias = folded(fold_conv2d<activation>(p_->weights(), s.window(), p_->bias(), zero, p_->constants()));
      with_weights<Backend>([&](auto weights) {
        add<Backend>(conv2d_layer{weights, bias, zero, s.window(), 1, p_->output()}, x, y);
      });
    } else {
      const matrix_view<const activation> rows{p_->x().data(), s.height, s.inputs};
      const matrix_view<activation> to{p_->y().data(), s.height, s.outputs};
      const auto bias = folded(fold<activation>(p_->weights(), p_->bias(), zero, p_->constants()));
      with_weights<Backend>([&](auto weights) { add<Backend>(linear_layer{weights, bias, zero, p_->output()}, rows, to); });
    }
  }

  template <class Backend, class F>
  void with_weights(F f) {
    if constexpr (std::is_same_v<Backend, backend::scalar>) {
      f(p_->weights());
    } else {
      const matrix_view<const std::int8_t> weights = p_->weights();
      packed_ = std::make_shared<std::vector<std::int8_t>>(
          static_cast<std::size_t>(packed_size<Backend, activation, std::int8_t>(weights.rows(), weights.cols())));
      f(p_->require(pack<Backend, activation>(weights, view<std::int8_t>(*packed_))));
    }
  }

  template <class Backend, class Layer, class X, class Y>
  void add(const Layer& layer, X x, Y y) {
    p_->require(check(layer, x, y));
    std::fill(p_->y().begin(), p_->y().end(), activation{0});
    run<Backend>(layer, x, y);
    if (p_->y() != p_->expected()) fail(name_of(p_->of()) + " on " + Backend::name + " is not what the definition says");
    all_.push_back({Backend::name, repeated([p = p_, packed = packed_, layer, x, y] {
                      run<Backend>(layer, x, y);
                      return y.data();
                    })});
  }

  std::shared_ptr<Problem> p_;
  std::shared_ptr<std::vector<std::int8_t>> packed_{};
  std::vector<implementation> all_{};
};

}  // namespace

std::vector<implementation> backends_of(const std::shared_ptr<problem_a16w8>& p) { return backends{p}.all(); }
std::vector<implementation> backends_of(const std::shared_ptr<problem_a8w8>& p) { return backends{p}.all(); }

}  // namespace bench

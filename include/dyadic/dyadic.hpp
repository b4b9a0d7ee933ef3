// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Includes numbers, schemes and layers. Floor 6.
/// Other headers are not included, so that this header stays cheap to compile:
/// - `any_layer.hpp`, `any_operator.hpp`, `engine.hpp`, `layer_scheme.hpp`
/// - `decomposed.hpp`, `kernel_sums.hpp`, `schemes.hpp`, `verify.hpp`
/// - `rescale.hpp` and `scheme/tosa_rescale.hpp`, `elementwise/`
/// - headers that compare: `thresholds.hpp`, `compare.hpp`, `agree.hpp`, `witness.hpp`, `explain.hpp`, `identify.hpp`
/// - `proved.hpp`

#include <dyadic/bound.hpp>
#include <dyadic/channels.hpp>
#include <dyadic/conv2d.hpp>
#include <dyadic/depthwise.hpp>
#include <dyadic/detail/batch_view.hpp>
#include <dyadic/detail/ieee.hpp>
#include <dyadic/dot.hpp>
#include <dyadic/fold.hpp>
#include <dyadic/int4.hpp>
#include <dyadic/int48.hpp>
#include <dyadic/linear.hpp>
#include <dyadic/matmul.hpp>
#include <dyadic/multiplier.hpp>
#include <dyadic/output.hpp>
#include <dyadic/pack.hpp>
#include <dyadic/rounding.hpp>
#include <dyadic/scale.hpp>
#include <dyadic/scheme/cmsis_nn.hpp>
#include <dyadic/scheme/exact.hpp>
#include <dyadic/scheme/executorch.hpp>
#include <dyadic/scheme/fbgemm.hpp>
#include <dyadic/scheme/gemmlowp.hpp>
#include <dyadic/scheme/onednn.hpp>
#include <dyadic/scheme/onnx.hpp>
#include <dyadic/scheme/ruy.hpp>
#include <dyadic/scheme/tflite.hpp>
#include <dyadic/scheme/tosa.hpp>
#include <dyadic/scheme/vela.hpp>
#include <dyadic/scheme/xnnpack.hpp>
#include <dyadic/status.hpp>
#include <dyadic/transposed_conv2d.hpp>
#include <dyadic/view.hpp>
#include <dyadic/window.hpp>

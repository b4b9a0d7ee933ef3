// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Numbers, schemes and layers. Apart from it, so that it stays cheap: any_layer.hpp, schemes.hpp, decomposed.hpp,
/// kernel_sums.hpp, rescale.hpp with scheme/tosa_rescale.hpp, verify.hpp; elementwise/; and what decides: thresholds.hpp,
/// compare.hpp, agree.hpp, witness.hpp, explain.hpp; and proved.hpp. Floor 6.

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

// SPDX-License-Identifier: GPL-3.0-or-later
// Convolutions, plain, transposed and fused.
#include "app/measure/operators.h"

#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/convolution.h>

#include <algorithm>

namespace mitos::measure {

namespace {

/// Pads as a convolution takes them, if they are the same at both ends of each axis; others are an operator of their own before it.
struct Padding {
    std::vector<std::int64_t> ofBothEnds;
    std::vector<std::int64_t> pairs;  ///< empty if ofBothEnds says all

    explicit Padding(const std::vector<std::int64_t>& pads) : ofBothEnds(pads.size() / 2, 0) {
        const std::size_t axes = pads.size() / 2;
        if (std::equal(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(axes),
                       pads.begin() + static_cast<std::ptrdiff_t>(axes))) {
            ofBothEnds.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(axes));
        } else {
            pairs = paddingPairs(pads);
        }
    }
};

struct Convolution {
    Tensor x;
    Tensor w;
    c10::optional<Tensor> bias;
    std::vector<std::int64_t> strides;
    Padding padding;
    std::vector<std::int64_t> dilations;
    std::int64_t group = 1;

    explicit Convolution(const Prepared& operation)
        : x(operation.input(0)),
          w(operation.input(1)),
          bias(operation.has(2) ? c10::optional<Tensor>(operation.input(2)) : c10::nullopt),
          strides(operation.request.integers("strides")),
          padding(operation.request.integers("pads")),
          dilations(operation.request.integers("dilations")),
          group(operation.request.integer("group")) {}

    [[nodiscard]] Tensor run() const {
        const std::vector<std::int64_t> none(strides.size(), 0);
        return at::convolution(padding.pairs.empty() ? x : at::constant_pad_nd(x, padding.pairs, 0.0), w, bias, strides,
                               padding.ofBothEnds, dilations, /*transposed=*/false, none, group);
    }

    [[nodiscard]] Tensor runTransposed(const std::vector<std::int64_t>& outputPadding) const {
        Tensor y = at::convolution(x, w, bias, strides, padding.ofBothEnds, dilations, /*transposed=*/true,
                                   outputPadding, group);
        if (padding.pairs.empty()) return y;
        std::vector<std::int64_t> cut = padding.pairs;
        for (std::int64_t& size : cut) size = -size;
        return at::constant_pad_nd(y, cut, 0.0);
    }
};

Compute fused(const Prepared& operation) {
    const Request& request = operation.request;
    std::vector<double> parameters = request.floats("activation_params");
    parameters.resize(2, 0.0);
    return [convolution = Convolution(operation), z = operation.optional(3), name = request.word("activation"),
            parameters] {
        Tensor y = convolution.run();
        if (z.defined()) y.add_(z);
        activate(y, name, parameters[0], parameters[1]);
        return y;
    };
}

Compute convolutionOf(std::string_view op, const Prepared& operation) {
    if (op == "Conv") return [convolution = Convolution(operation)] { return convolution.run(); };
    if (op == "FusedConv") return fused(operation);
    if (op == "ConvTranspose") {
        return [convolution = Convolution(operation), more = operation.request.integers("output_padding")] {
            return convolution.runTransposed(more);
        };
    }
    return {};
}

}  // namespace

Run prepareConvolution(const Prepared& operation) { return runOfImages(operation, convolutionOf); }

}  // namespace mitos::measure

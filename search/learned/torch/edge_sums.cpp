// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/learned/torch/edge_sums.h"

#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

namespace mitos::search::learned {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// sum[i] += row[i]. Loops of a fixed length are computed several numbers at a time.
void addRow(const float* __restrict row, std::int64_t width, float* __restrict sum) {
    constexpr std::int64_t Block = 8;
    std::int64_t i = 0;
    for (; i + Block <= width; i += Block) {
        for (std::int64_t k = 0; k < Block; ++k) sum[i + k] += row[i + k];
    }
    for (; i < width; ++i) sum[i] += row[i];
}

at::Tensor summed(const at::Tensor& given, const at::Tensor& from, const at::Tensor& to, std::int64_t targets) {
    const at::Tensor rows = given.contiguous();
    const std::int64_t width = rows.size(1);
    at::Tensor sums = at::zeros({targets, width});
    const float* const values = rows.data_ptr<float>();
    float* const into = sums.data_ptr<float>();
    const std::int64_t* const sources = from.data_ptr<std::int64_t>();
    const std::int64_t* const receivers = to.data_ptr<std::int64_t>();
    for (std::int64_t link = 0; link < from.numel(); ++link)
        addRow(values + sources[link] * width, width, into + receivers[link] * width);
    return sums;
}

/// The operator as automatic differentiation takes it: its derivative is the sum along the reversed links.
struct EdgeSums : torch::autograd::Function<EdgeSums> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& rows, const at::Tensor& from,
                              const at::Tensor& to, std::int64_t targets) {
        context->save_for_backward({from, to});
        context->saved_data["rows"] = rows.size(0);
        return summed(rows, from, to, targets);
    }

    static variable_list backward(AutogradContext* context, const variable_list& byOutput) {
        const variable_list saved = context->get_saved_variables();
        const at::Tensor byRows = summed(byOutput[0], saved[1], saved[0], context->saved_data["rows"].toInt());
        return {byRows, at::Tensor(), at::Tensor(), at::Tensor()};
    }
};

}  // namespace

at::Tensor sumsAlong(const at::Tensor& rows, const Links& links) {
    return EdgeSums::apply(rows, links.from, links.to, links.targets);
}

}  // namespace mitos::search::learned

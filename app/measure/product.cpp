// SPDX-License-Identifier: GPL-3.0-or-later
// Products of matrices, plain and fused, and attention.
#include "app/measure/operators.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/det.h>
#include <ATen/ops/einsum.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/triu.h>

#include <cmath>
#include <limits>

namespace mitos::measure {

namespace {

Tensor transposedIf(bool isTransposed, const Tensor& x) {
    if (x.dim() < 2 && isTransposed) throw Refusal("an array of one axis cannot be transposed");
    return isTransposed ? x.transpose(-1, -2) : x;
}

struct Gemm {
    Tensor a;
    Tensor b;
    Tensor c;
    double alpha = 1.0;
    double beta = 1.0;

    explicit Gemm(const Prepared& operation)
        : a(transposedIf(operation.request.boolean("transA"), operation.input(0))),
          b(transposedIf(operation.request.boolean("transB"), operation.input(1))),
          c(operation.optional(2)),
          alpha(operation.request.floating("alpha")),
          beta(operation.request.floating("beta")) {}

    [[nodiscard]] Tensor run() const {
        if (c.defined()) return at::addmm(c, a, b, beta, alpha);
        Tensor y = at::mm(a, b);
        if (alpha != 1.0) y.mul_(alpha);
        return y;
    }
};

Run einsum(const Prepared& operation) {
    const std::vector<std::string> parts = operation.request.names("equation");
    if (parts.size() != operation.inputs.size() + 1) throw Refusal("the equation does not fit the inputs");
    std::string equation;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i > 0) equation += i + 1 == parts.size() ? "->" : ",";
        if (parts[i] != "_") equation += parts[i];
    }
    operation.requireAll();
    return [inputs = operation.inputs, equation] { at::einsum(equation, inputs); };
}

/// LibTorch 1.13 has no public operator for it, so it is made of products, a softmax and copies, as its own layer is.
struct Attention {
    Tensor query;
    Tensor key;
    Tensor value;
    Tensor bias;
    Tensor scoreBias;
    std::int64_t heads = 1;
    double scale = 0.0;
    bool isCausal = false;

    explicit Attention(const Prepared& operation)
        : query(operation.input(0)),
          key(operation.input(1)),
          value(operation.input(2)),
          bias(operation.optional(3)),
          scoreBias(operation.optional(4)),
          heads(operation.request.integer("num_heads")),
          scale(operation.request.floating("scale")),
          isCausal(operation.request.boolean("unidirectional")) {
        for (const Tensor* x : {&query, &key, &value}) {
            if (x->dim() != 3 || heads < 1 || x->size(2) % heads != 0) {
                throw Refusal("its inputs are not batches of sequences, or the heads do not divide their width");
            }
        }
        const std::int64_t width = query.size(2) / heads;  // of a head
        if (scale == 0.0) scale = 1.0 / std::sqrt(static_cast<double>(width));
    }

    [[nodiscard]] Tensor headsOf(const Tensor& x) const {
        return x.view({x.size(0), x.size(1), heads, x.size(2) / heads}).transpose(1, 2);
    }

    void run() const {
        Tensor q = query;
        Tensor k = key;
        Tensor v = value;
        if (bias.defined()) {
            q = q.add(bias.slice(0, 0, q.size(2)));
            k = k.add(bias.slice(0, q.size(2), q.size(2) + k.size(2)));
            v = v.add(bias.slice(0, q.size(2) + k.size(2)));
        }
        Tensor scores = at::matmul(headsOf(q), headsOf(k).transpose(-1, -2)).mul_(scale);
        if (scoreBias.defined()) scores.add_(scoreBias);
        if (isCausal) {
            const Tensor hidden = at::triu(at::ones({scores.size(2), scores.size(3)}, scores.options()), 1);
            scores.masked_fill_(hidden.to(at::kBool), -std::numeric_limits<double>::infinity());
        }
        const Tensor result = at::matmul(at::softmax(scores, -1), headsOf(v)).transpose(1, 2);
        result.reshape({result.size(0), result.size(1), result.size(2) * result.size(3)});
    }
};

}  // namespace

Run prepareProduct(const Prepared& operation) {
    const Request& request = operation.request;
    const std::string& op = request.op;
    if (op == "MatMul") return [a = operation.input(0), b = operation.input(1)] { at::matmul(a, b); };
    if (op == "Gemm") return [gemm = Gemm(operation)] { return gemm.run(); };
    if (op == "FusedGemm") {
        return [gemm = Gemm(operation), name = request.word("activation"), p = request.floating("activation_alpha"),
                q = request.floating("activation_beta")] {
            Tensor y = gemm.run();
            activate(y, name, p, q);
        };
    }
    if (op == "FusedMatMul") {
        return [a = transposedIf(request.boolean("transA"), operation.input(0)),
                b = transposedIf(request.boolean("transB"), operation.input(1)), alpha = request.floating("alpha")] {
            Tensor y = at::matmul(a, b);
            if (alpha != 1.0) y.mul_(alpha);
        };
    }
    if (op == "Einsum") return einsum(operation);
    if (op == "MultiHeadAttention") return [attention = Attention(operation)] { attention.run(); };
    if (op == "Det") return [x = operation.input(0)] { at::det(x); };
    return {};
}

}  // namespace mitos::measure

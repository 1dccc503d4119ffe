// SPDX-License-Identifier: GPL-3.0-or-later
// Operators by name. What is not named here works element by element, as most operators do.
#include "views/program/operator_family.h"

#include "core/tensor/layout.h"
#include "core/tensor/operator.h"
#include "core/tensor/text.h"

#include <absl/container/flat_hash_map.h>

#include <QCoreApplication>
#include <string_view>

namespace mitos::views {

namespace {

using Families = absl::flat_hash_map<std::string_view, OperatorFamily>;

const Families& named() {
    using enum OperatorFamily;
    static const Families families = [] {
        Families made;
        const auto add = [&made](OperatorFamily family, std::initializer_list<std::string_view> names) {
            for (const std::string_view name : names) made.emplace(name, family);
        };
        add(Contraction, {"MatMul", "MatMulInteger", "QLinearMatMul", "Gemm", "Einsum", "Det", "LSTM", "GRU", "RNN",
                          "build", "sumbuild", "fold", "loop", "dot"});
        add(Convolution, {"Conv", "ConvInteger", "QLinearConv", "ConvTranspose", "Col2Im", "MergeGroups"});
        add(Normalization, {"BatchNormalization", "InstanceNormalization", "LayerNormalization", "RMSNormalization",
                            "LRN", "LpNormalization", "MeanVarianceNormalization", "Softmax", "LogSoftmax", "Hardmax"});
        add(Movement, {"Reshape",
                       "ReshapeTo",
                       "Transpose",
                       "Concat",
                       "Split",
                       "Slice",
                       "SliceTo",
                       "Squeeze",
                       "Unsqueeze",
                       "Flatten",
                       "Expand",
                       "ExpandTo",
                       "Gather",
                       "GatherElements",
                       "GatherND",
                       "Scatter",
                       "ScatterElements",
                       "ScatterND",
                       "Pad",
                       "Tile",
                       "DepthToSpace",
                       "SpaceToDepth",
                       "Identity",
                       "Resize",
                       "Upsample",
                       "ReverseSequence",
                       "GridSample",
                       "Compress",
                       "Trilu",
                       "Cast",
                       "CastLike",
                       "index",
                       "get",
                       "ReorderInput",
                       "ReorderOutput"});
        add(Reduction, {"ReduceSum",
                        "ReduceMean",
                        "ReduceMax",
                        "ReduceMin",
                        "ReduceProd",
                        "ReduceLogSum",
                        "ReduceLogSumExp",
                        "ReduceSumSquare",
                        "ArgMax",
                        "ArgMin",
                        "CumSum",
                        "TopK",
                        "AveragePool",
                        "MaxPool",
                        "MaxPoolWithIndices",
                        "LpPool",
                        "GlobalAveragePool",
                        "GlobalMaxPool",
                        "GlobalLpPool",
                        "NonZero",
                        "sum",
                        "max"});
        add(Fused, {"Attention", "MultiHeadAttention", "SkipLayerNormalization", "FusedConv", "FusedGemm",
                    "FusedMatMul", "BiasGelu"});
        add(Control, {"if", "let", "lam", "call", "tuple", "assert", "Where"});
        add(Data, {"Constant", "Shape", "Size", "EyeLike", "Range", "OneHot"});
        return made;
    }();
    return families;
}

}  // namespace

OperatorFamily familyOf(const ir::TermBank& bank, ir::TermId term) {
    using ir::CoreOp;
    for (const CoreOp leaf : {CoreOp::Variable, CoreOp::Literal, CoreOp::Bound}) {
        if (bank.is(term, leaf)) return OperatorFamily::Data;
    }
    for (const CoreOp form : {CoreOp::Let, CoreOp::Lam, CoreOp::Tuple, CoreOp::Call}) {
        if (bank.is(term, form)) return OperatorFamily::Control;
    }
    if (bank.is(term, CoreOp::Get)) return OperatorFamily::Movement;
    std::string_view name = tensor::operatorName(bank, term);
    if (name == tensor::WeightName) return OperatorFamily::Data;
    const tensor::Operator* const known = tensor::findOperator(name);
    const tensor::Operator* const plain = known == nullptr ? nullptr : tensor::channelsFirstForm(*known);
    if (plain != nullptr) name = plain->name;
    const auto found = named().find(name);
    return found == named().end() ? OperatorFamily::Elementwise : found->second;
}

QString familyName(OperatorFamily family, bool isGraph) {
    const auto say = [](const char* text) { return QCoreApplication::translate("mitos::views::graph", text); };
    switch (family) {
        case OperatorFamily::Contraction: return isGraph ? say("contraction") : say("loop");
        case OperatorFamily::Convolution: return say("convolution");
        case OperatorFamily::Elementwise: return say("elementwise");
        case OperatorFamily::Normalization: return say("normalization");
        case OperatorFamily::Movement: return isGraph ? say("movement") : say("access");
        case OperatorFamily::Reduction: return isGraph ? say("reduction, pooling") : say("reduction");
        case OperatorFamily::Fused: return say("attention, fused");
        case OperatorFamily::Control: return say("control");
        case OperatorFamily::Data: return isGraph ? say("inputs, weights") : say("variables, constants");
    }
    return {};
}

}  // namespace mitos::views

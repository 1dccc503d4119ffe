// SPDX-License-Identifier: GPL-3.0-or-later
// Products of matrices.
#include "core/tensor/dimension.h"
#include "core/tensor/internal/elementwise.h"
#include "core/tensor/internal/gemm.h"
#include "core/tensor/internal/gradients.h"
#include "core/tensor/ops/ops.h"
#include "core/tensor/work.h"

#include <fmt/format.h>

namespace mitos::tensor {

namespace {

using ir::Dimension;
using ir::TermId;

Error innerSizes(const ShapeInput& in, Dimension a, Dimension b) {
    return shapeError(fmt::format("{}: the inner sizes {} and {} differ", in.op.name, dimensionText(a, in.symbols),
                                  dimensionText(b, in.symbols)));
}

// --- MatMul -----------------------------------------------------------------------------------------------------------

Result<std::vector<ArrayType>> matMulShape(const ShapeInput& in) {
    MITOS_REQUIRE(checkElements(in, Takes::Numbers));
    const ArrayType& a = in.inputs[0];
    const ArrayType& b = in.inputs[1];
    if (!a.hasRank || !b.hasRank) return std::vector<ArrayType>{{.dtype = a.dtype, .hasRank = false}};
    if (a.rank() == 0 || b.rank() == 0) return shapeError("MatMul takes arrays of rank 1 or more; found a scalar");
    const Dimension inner = a.dimensions.back();
    const Dimension rows = b.rank() == 1 ? b.dimensions[0] : b.dimensions[b.rank() - 2];
    if (!mayBeEqual(inner, rows)) return innerSizes(in, inner, rows);
    const auto batch = [](const ArrayType& type) {
        return std::span<const Dimension>(type.dimensions).first(type.rank() < 2 ? 0 : type.rank() - 2);
    };
    MITOS_TRY(std::vector<Dimension> result, broadcast(batch(a), batch(b), in.symbols));
    if (a.rank() > 1) result.push_back(a.dimensions[a.rank() - 2]);
    if (b.rank() > 1) result.push_back(b.dimensions.back());
    return std::vector<ArrayType>{{.dtype = a.dtype, .dimensions = std::move(result)}};
}

/// The offsets of a batched operand's matrices, one for each of the result's; sizes of 1 are repeated.
std::vector<std::int64_t> matrixOffsets(const Shape& operand, const Shape& batch) {
    const std::size_t own = operand.size() < 2 ? 0 : operand.size() - 2;
    const Shape step = strides(operand);
    std::vector<std::int64_t> offsets{0};
    for (std::size_t axis = 0; axis < batch.size(); ++axis) {
        const bool isRepeated = axis + own < batch.size() || operand[axis + own - batch.size()] == 1;
        const std::int64_t stride = isRepeated ? 0 : step[axis + own - batch.size()];
        std::vector<std::int64_t> next;
        for (const std::int64_t offset : offsets) {
            for (std::int64_t i = 0; i < batch[axis]; ++i) next.push_back(offset + i * stride);
        }
        offsets = std::move(next);
    }
    return offsets;
}

Result<std::vector<ArrayPtr>> matMulEvaluate(const EvaluateInput& in) {
    const Array& a = *in.inputs[0];
    const Array& b = *in.inputs[1];
    std::shared_ptr<Array> result = blank(in.outputs[0]);
    const std::int64_t inner = a.shape.back();
    std::int64_t rows = a.shape.size() > 1 ? a.shape[a.shape.size() - 2] : 1;
    const std::int64_t columns = b.shape.size() > 1 ? b.shape.back() : 1;
    Shape batch = result->shape;
    if (a.shape.size() > 1) batch.pop_back();
    if (b.shape.size() > 1) batch.pop_back();
    if (b.shape.size() <= 2) {  // one matrix for all: the batch is more rows
        rows *= elementCount(batch);
        batch.clear();
    }
    const std::vector<std::int64_t> left = matrixOffsets(a.shape, batch);
    const std::vector<std::int64_t> right = matrixOffsets(b.shape, batch);
    for (std::size_t i = 0; i < left.size(); ++i) {
        multiply({.data = a.elements.data() + left[i], .rows = rows, .columns = inner, .stride = inner},
                 {.data = b.elements.data() + right[i], .rows = inner, .columns = columns, .stride = columns},
                 result->elements.data() + static_cast<std::int64_t>(i) * rows * columns, columns);
    }
    if (!ir::isFloating(result->dtype)) {  // they wrap around
        const double summands = static_cast<double>(inner);
        if (summands * largestMagnitude(a.elements) * largestMagnitude(b.elements) >= EndOfExact) return inexact();
        for (double& element : result->elements) element = held(result->dtype, element);
    }
    return std::vector<ArrayPtr>{std::move(result)};
}

Work matMulWork(const ShapeInput& in, std::span<const ArrayType> outputs) {
    Work work = movement(in, outputs);
    const ArrayType& a = in.inputs[0];
    if (a.rank() > 0 && a.dimensions.back().isKnown())
        work.flops = 2.0 * elements(outputs[0]) * static_cast<double>(a.dimensions.back().size);
    return work;
}

// --- Gemm -------------------------------------------------------------------------------------------------------------

/// ONNX has Gemm for Integers, but ONNX Runtime does not; such nodes stay opaque, and no rule makes them.
Result<std::vector<ArrayType>> gemmShape(const ShapeInput& in) {
    MITOS_REQUIRE(checkElements(in, Takes::Floats));
    const ArrayType& a = in.inputs[0];
    const ArrayType& b = in.inputs[1];
    ArrayType result{.dtype = a.dtype, .hasRank = false};
    if (!a.hasRank || !b.hasRank) return std::vector<ArrayType>{result};
    if (a.rank() != 2 || b.rank() != 2) {
        return shapeError(fmt::format("Gemm takes matrices; found ranks {} and {}", a.rank(), b.rank()));
    }
    const bool transA = in.attributes.boolean("transA");
    const bool transB = in.attributes.boolean("transB");
    const Dimension inner = a.dimensions[transA ? 0 : 1];
    const Dimension rows = b.dimensions[transB ? 1 : 0];
    if (!mayBeEqual(inner, rows)) return innerSizes(in, inner, rows);
    result.hasRank = true;
    result.dimensions = {a.dimensions[transA ? 1 : 0], b.dimensions[transB ? 0 : 1]};
    if (!in.isPresent(2) || !in.inputs[2].hasRank) return std::vector<ArrayType>{result};
    const std::vector<Dimension>& c = in.inputs[2].dimensions;
    bool fits = c.size() <= 2;
    for (std::size_t i = 0; fits && i < c.size(); ++i) {
        fits = c[c.size() - 1 - i] == Dimension::of(1) || mayBeEqual(c[c.size() - 1 - i], result.dimensions[1 - i]);
    }
    if (!fits) {
        return shapeError(fmt::format("Gemm: C does not broadcast to the product of {} times {}",
                                      dimensionText(result.dimensions[0], in.symbols),
                                      dimensionText(result.dimensions[1], in.symbols)));
    }
    return std::vector<ArrayType>{result};
}

MatrixView matrix(const Array& array, bool isTransposed) {
    return {.data = array.elements.data(),
            .rows = array.shape[0],
            .columns = array.shape[1],
            .stride = array.shape[1],
            .isTransposed = isTransposed};
}

Result<std::vector<ArrayPtr>> gemmEvaluate(const EvaluateInput& in) {
    auto result = std::make_shared<Array>();
    result->dtype = in.inputs[0]->dtype;
    result->shape = in.outputs[0].shape();
    const std::int64_t rows = result->shape[0];
    const std::int64_t columns = result->shape[1];
    result->elements.resize(static_cast<std::size_t>(rows * columns));
    multiply(matrix(*in.inputs[0], in.attributes.boolean("transA")),
             matrix(*in.inputs[1], in.attributes.boolean("transB")), result->elements.data(), columns);
    const double alpha = in.attributes.floating("alpha");
    if (alpha != 1.0) {
        for (double& element : result->elements) element *= alpha;
    }
    if (in.inputs.size() < 3 || in.inputs[2] == nullptr) return std::vector<ArrayPtr>{std::move(result)};
    const Array& c = *in.inputs[2];
    const double beta = in.attributes.floating("beta");
    const std::int64_t cColumns = c.shape.empty() ? 1 : c.shape.back();
    const bool hasRows = c.shape.size() == 2 && c.shape[0] != 1;
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t column = 0; column < columns; ++column) {
            const std::int64_t at = (hasRows ? row * cColumns : 0) + (cColumns == 1 ? 0 : column);
            result->elements[static_cast<std::size_t>(row * columns + column)] +=
                beta * c.elements[static_cast<std::size_t>(at)];
        }
    }
    return std::vector<ArrayPtr>{std::move(result)};
}

Work gemmWork(const ShapeInput& in, std::span<const ArrayType> outputs) {
    Work work = movement(in, outputs);
    const ArrayType& a = in.inputs[0];
    if (a.rank() != 2) return work;
    const Dimension inner = a.dimensions[in.attributes.boolean("transA") ? 0 : 1];
    const double size = elements(outputs[0]);
    work.flops = 2.0 * size * static_cast<double>(inner.isKnown() ? inner.size : 1);
    if (in.attributes.floating("alpha") != 1.0) work.flops += size;
    if (!in.isPresent(2)) return work;
    work.flops += size;
    if (in.attributes.floating("beta") != 1.0) work.flops += elements(in.inputs[2]);
    return work;
}

// --- gradients ------------------------------------------------------------------------------------------------------

/// As MatMul reads an operand: a vector is a row as A, and a column as B.
TermId asMatrix(TermMaker& make, TermId operand, std::int64_t addedAxis) {
    if (make.failed() || make.type(operand).rank() != 1) return operand;
    return make.node("Unsqueeze", {operand}, {{"axes", std::vector<std::int64_t>{addedAxis}}});
}

/// All rows of a batch of matrices as one matrix.
TermId asRows(TermMaker& make, TermId matrices) {
    const ArrayType type = make.type(matrices);
    if (type.rank() == 2) return matrices;
    const Dimension columns = type.dimensions.back();
    return make.node("Reshape", {matrices},
                     {{"shape", std::vector<std::int64_t>{-1, make.known(columns, "the number of columns")}}});
}

std::vector<TermId> matMulGradient(const GradientInput& in) {
    std::vector<TermId> result(2);
    TermMaker& make = in.make;
    const ArrayType aType = make.type(in.inputs[0]);
    const ArrayType bType = make.type(in.inputs[1]);
    if (!aType.hasRank || !bType.hasRank) {
        make.fail(shapeError("the rank of an operand is unknown"));
        return result;
    }
    const TermId a = asMatrix(make, in.inputs[0], 0);
    const TermId b = asMatrix(make, in.inputs[1], 1);
    TermId d = in.cotangents[0];
    // The axes that vectors do not have in the result: behind the batch, rows before columns.
    const auto rank = static_cast<std::int64_t>(make.type(d).rank());
    if (bType.rank() == 1) d = make.node("Unsqueeze", {d}, {{"axes", std::vector<std::int64_t>{rank}}});
    if (aType.rank() == 1) {
        const std::int64_t rows = bType.rank() == 1 ? rank : rank - 1;
        d = make.node("Unsqueeze", {d}, {{"axes", std::vector<std::int64_t>{rows}}});
    }
    if (in.isWanted[0]) {
        const TermId whole = summedTo(make, make.node("MatMul", {d, make.transposed(b)}), a);
        result[0] = reshapedTo(make, whole, in.inputs[0]);
    }
    if (in.isWanted[1]) {
        const bool isOneMatrix = make.type(b).rank() == 2 && make.type(a).rank() > 2;
        const TermId rows = isOneMatrix ? asRows(make, a) : a;
        const TermId cotangents = isOneMatrix ? asRows(make, d) : d;
        const TermId whole = summedTo(make, make.node("MatMul", {make.transposed(rows), cotangents}), b);
        result[1] = reshapedTo(make, whole, in.inputs[1]);
    }
    return result;
}

std::vector<TermId> gemmGradient(const GradientInput& in) {
    std::vector<TermId> result(in.inputs.size());
    const bool transA = in.attributes.boolean("transA");
    const bool transB = in.attributes.boolean("transB");
    const TermId a = in.inputs[0];
    const TermId b = in.inputs[1];
    const TermId d = in.cotangents[0];
    const auto product = [&](TermId left, bool isLeftTransposed, TermId right, bool isRightTransposed) {
        return in.make.node(
            "Gemm", {left, right},
            {{"alpha", in.attributes.floating("alpha")}, {"transA", isLeftTransposed}, {"transB", isRightTransposed}});
    };
    if (in.isWanted[0]) result[0] = transA ? product(b, transB, d, true) : product(d, false, b, !transB);
    if (in.isWanted[1]) result[1] = transB ? product(d, true, a, transA) : product(a, !transA, d, false);
    if (in.inputs.size() < 3 || !in.isWanted[2]) return result;
    const double beta = in.attributes.floating("beta");
    const ArrayTerm whole{in.make, summedTo(in.make, d, in.inputs[2])};
    result[2] = beta == 1.0 ? whole.id() : (whole * beta).id();
    return result;
}

}  // namespace

void addLinear(std::vector<Operator>& table) {
    table.push_back({.name = "MatMul",
                     .doc = "matrix product; further axes are a batch of matrices and broadcast",
                     .inputs = {{.name = "A"}, {.name = "B"}},
                     .shape = matMulShape,
                     .evaluate = matMulEvaluate,
                     .work = matMulWork,
                     .gradient = {.rule = matMulGradient}});
    table.push_back({.name = "Gemm",
                     .doc = "alpha A B + beta C, where A and B may be transposed first",
                     .inputs = {{.name = "A"}, {.name = "B"}, {.name = "C", .kind = InputInfo::Kind::Optional}},
                     .attributes = {{.name = "alpha", .kind = AttributeKind::Float, .defaultText = "1.0"},
                                    {.name = "beta", .kind = AttributeKind::Float, .defaultText = "1.0"},
                                    {.name = "transA", .kind = AttributeKind::Boolean, .defaultText = "false"},
                                    {.name = "transB", .kind = AttributeKind::Boolean, .defaultText = "false"}},
                     .shape = gemmShape,
                     .evaluate = gemmEvaluate,
                     .work = gemmWork,
                     .gradient = {.rule = gemmGradient}});
}

}  // namespace mitos::tensor

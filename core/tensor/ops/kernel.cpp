// SPDX-License-Identifier: GPL-3.0-or-later
// Operators that no framework has but rules on convolutions need, to make one kernel from another. On weights they are
// computed once, when a model is written. (Pad enlarges a kernel with zeros around it.)
#include "core/tensor/dimension.h"
#include "core/tensor/expand.h"
#include "core/tensor/internal/elementwise.h"
#include "core/tensor/ops/ops.h"
#include "core/tensor/work.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::tensor {

namespace {

using ir::Dimension;

Result<std::vector<ArrayType>> mergeGroupsShape(const ShapeInput& in) {
    ArrayType result = in.inputs[0];
    const std::int64_t group = in.attributes.integer("group");
    const std::int64_t count = in.attributes.integer("count");
    if (count < 1 || group < 1 || group % count != 0) {
        return shapeError(fmt::format("MergeGroups: {} groups cannot be merged by {}", group, count));
    }
    if (!result.hasRank) return std::vector<ArrayType>{result};
    if (result.rank() < 3) {
        return shapeError(fmt::format("MergeGroups takes the kernel of a convolution; found rank {}", result.rank()));
    }
    const Dimension filters = result.dimensions[0];
    if (filters.isKnown() && filters.size % group != 0) {
        return shapeError(fmt::format("MergeGroups: {} filters are no multiple of {} groups", filters.size, group));
    }
    result.dimensions[1] = (SizeExpression(result.dimensions[1], in.symbols) * count).dimension(in.symbols);
    return std::vector<ArrayType>{std::move(result)};
}

Result<std::vector<ArrayPtr>> mergeGroupsEvaluate(const EvaluateInput& in) {
    const Array& kernel = *in.inputs[0];
    std::shared_ptr<Array> result = blank(in.outputs[0]);
    const std::int64_t count = in.attributes.integer("count");
    const std::int64_t filters = kernel.shape[0] / in.attributes.integer("group");  // in one group
    const std::int64_t size = elementCount(std::span(kernel.shape).subspan(1));     // for one filter
    for (std::int64_t filter = 0; filter < kernel.shape[0]; ++filter) {
        const std::int64_t block = filter / filters % count;
        std::copy_n(kernel.elements.begin() + filter * size, size,
                    result->elements.begin() + (filter * count + block) * size);
    }
    return std::vector<ArrayPtr>{std::move(result)};
}

/// Expands into a split into groups, each padded with zeros for the channels of the others.
Result<ir::TermId> expandMergeGroups(ir::TermBank& bank, std::span<const ir::TermId> inputs,
                                     const Attributes& attributes, Symbol hint) {
    TermMaker make(bank, hint);
    const ArrayType kernel = make.type(inputs[0]);
    if (!kernel.hasRank) return shapeError("the rank of the kernel is unknown");
    const std::int64_t group = attributes.integer("group");
    const std::int64_t count = attributes.integer("count");
    const std::int64_t filters = make.known(kernel.dimensions[0], "the number of filters") / group;
    const std::int64_t channels = make.known(kernel.dimensions[1], "the number of channels");
    if (group == 1) return make.take(inputs[0]);
    const Shape sizes(static_cast<std::size_t>(group), filters);
    const ir::TermId parts = make.node("Split", {inputs[0]}, {{"axis", std::int64_t{0}}, {"sizes", sizes}});
    std::vector<ir::TermId> padded;
    for (std::int64_t i = 0; i < group; ++i) {
        Shape pads(2 * kernel.rank(), 0);
        pads[1] = i % count * channels;
        pads[kernel.rank() + 1] = (count - 1 - i % count) * channels;
        padded.push_back(make.node("Pad", {make.output(parts, static_cast<std::uint32_t>(i))}, {{"pads", pads}}));
    }
    return make.take(make.node("Concat", padded, {{"axis", std::int64_t{0}}}));
}

}  // namespace

void addKernels(std::vector<Operator>& table) {
    table.push_back(
        {.name = "MergeGroups",
         .doc = "the kernel, with zeros between, for a convolution with `count` times fewer groups",
         .inputs = {{.name = "W"}},
         .attributes =
             {{.name = "group", .kind = AttributeKind::Integer, .doc = "of the convolution that W is the kernel of"},
              {.name = "count", .kind = AttributeKind::Integer, .doc = "how many neighbouring groups become one"}},
         .shape = mergeGroupsShape,
         .evaluate = mergeGroupsEvaluate,
         .work = movement,
         .onnx = {.domain = "mitos"},
         .expand = expandMergeGroups});
}

}  // namespace mitos::tensor

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/idle.h"

#include "core/ir/shared.h"
#include "core/tensor/operator.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace mitos::tensor {

namespace {

using ir::TermId;

/// Operators that keep the order of all elements, so that the same type means the same value.
constexpr std::array Renaming{"Identity", "Dropout", "Cast",      "Reshape", "ReshapeTo", "Flatten",
                              "Squeeze",  "Concat",  "Unsqueeze", "Expand",  "ExpandTo"};

/// Whether axes of more than one element stay in their order. Sizes that are only names may be more than one.
bool keepsOrder(const ArrayType& type, const std::vector<std::int64_t>& perm) {
    std::int64_t last = -1;
    for (const std::int64_t axis : perm) {
        if (type.dimensions[static_cast<std::size_t>(axis)] == ir::Dimension::of(1)) continue;
        if (axis < last) return false;
        last = axis;
    }
    return true;
}

}  // namespace

bool isIdle(const ir::TermBank& bank, TermId term) {
    const Operator* const op = operatorOf(bank, term);
    if (op == nullptr || bank.childCount(term) == 0) return false;
    const ir::TypeId type = bank.type(term);
    if (!bank.types().isArray(type) || type != bank.type(bank.child(term, 0))) return false;
    const std::string_view name = op->name;
    if (name == "Identity" || name == "Dropout") return true;
    const ArrayType array = arrayType(bank.types(), type);
    if (!array.hasRank || array.dtype == ir::Dtype::Unknown) return false;
    if (name == "Concat") return bank.childCount(term) == 1;
    if (std::ranges::find(Renaming, name) != Renaming.end()) return true;
    const Attributes attributes = attributesOf(bank, term);
    const auto areAll = [&](std::string_view list, std::int64_t value) {
        return std::ranges::all_of(attributes.integers(list), [value](std::int64_t v) { return v == value; });
    };
    if (name == "Transpose") return keepsOrder(array, attributes.integers("perm"));
    if (name == "Slice") {
        return std::ranges::all_of(attributes.integers("steps"), [](std::int64_t step) { return step > 0; });
    }
    if (name == "Pad") return areAll("pads", 0);
    if (name == "Tile") return areAll("repeats", 1);
    return false;
}

TermId withoutIdle(ir::TermBank& bank, TermId root) {
    ir::ChangedNodes changed;
    const ir::SharedNodes nodes(bank, root);
    std::vector<TermId> children;
    for (const TermId node : nodes) {
        const bool isChanged = changed.childrenOf(bank, node, children);
        if (isIdle(bank, node)) {
            changed.set(node, children.front());
            continue;
        }
        if (!isChanged) continue;
        // The types of the children are the same, so the term can be made.
        if (const Result<TermId> made = bank.withChildren(node, children)) changed.set(node, *made);
    }
    return changed.formOf(root);
}

namespace {

/// Casts of up to this many elements do not count as widening.
constexpr std::int64_t Few = 64;

}  // namespace

bool widens(const ir::TermBank& bank, ir::TermId term) {
    const std::string_view op = bank.opName(term);
    if (op == "DequantizeLinear") return true;
    if (op != "Cast") return false;
    const ir::Dtype from = bank.types().dtype(bank.type(bank.child(term, 0)));
    const ArrayType to = arrayType(bank.types(), bank.type(term));
    if (from == ir::Dtype::Bool || ir::dtypeBytes(to.dtype) <= ir::dtypeBytes(from)) return false;
    return !to.isStatic() || elementCount(to.shape()) > Few;
}

}  // namespace mitos::tensor

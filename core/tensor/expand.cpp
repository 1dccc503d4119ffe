// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/expand.h"

#include "core/ir/shared.h"
#include "core/tensor/internal/sized.h"
#include "core/tensor/layout.h"
#include "core/tensor/ops/ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <numeric>

namespace mitos::tensor {

using ir::TermId;

TermId TermMaker::node(std::string_view op, std::initializer_list<TermId> inputs,
                       std::initializer_list<Setting> settings) {
    return node(op, std::span(inputs.begin(), inputs.size()), settings);
}

TermId TermMaker::node(std::string_view op, std::span<const TermId> inputs, std::initializer_list<Setting> settings) {
    if (failed() || std::ranges::any_of(inputs, [](TermId input) { return !input.isValid(); })) return {};
    const Operator* const known = findOperator(op);
    assert(known != nullptr);
    Attributes attributes(*known);
    for (const auto& [name, value] : settings) attributes.set(name, value);
    Result<TermId> made = make(m_bank, *known, inputs, attributes, m_hint);
    if (made) return *made;
    fail(std::move(made).error());
    return {};
}

TermId TermMaker::output(TermId node, std::uint32_t index) {
    return failed() || !node.isValid() ? TermId() : m_bank.get(node, index);
}

TermId TermMaker::constant(double value, const Shape& shape, TermId like) {
    if (failed()) return {};
    return node("Constant", {},
                {{"value", value}, {"dtype", std::string(ir::dtypeName(type(like).dtype))}, {"shape", shape}});
}

std::optional<double> TermMaker::constantValue(TermId term) const {
    if (!term.isValid() || m_bank.opName(term) != "Constant") return std::nullopt;
    return attributesOf(m_bank, term).floating("value");
}

TermId TermMaker::transposed(TermId matrices) {
    if (failed() || !matrices.isValid()) return {};
    const ArrayType shape = type(matrices);
    if (!shape.hasRank || shape.rank() < 2) {
        fail(shapeError("the rank of the transposed input is unknown"));
        return {};
    }
    std::vector<std::int64_t> order(shape.rank());
    std::iota(order.begin(), order.end(), 0);
    std::swap(order.back(), order[order.size() - 2]);
    return node("Transpose", {matrices}, {{"perm", order}});
}

ArrayType TermMaker::type(TermId term) const { return arrayType(m_bank.types(), m_bank.type(term)); }

Result<std::vector<std::string>> TermMaker::sizeNames(TermId term) const {
    return tensor::sizeNames(type(term).dimensions, m_bank.symbols());
}

std::int64_t TermMaker::known(ir::Dimension dimension, std::string_view what) {
    if (!dimension.isKnown()) fail(shapeError(fmt::format("{} is only a name", what)));
    return dimension.isKnown() ? dimension.size : 1;
}

void TermMaker::fail(Error problem) {
    if (!m_problem) m_problem = std::move(problem);
}

Result<TermId> TermMaker::take(TermId term) const {
    if (m_problem) return *m_problem;
    return term;
}

namespace {

Error notExpanded(const Operator& op, const Error& reason) {
    const std::string what = op.onnx.domain.empty()
                                 ? fmt::format("{} is an operator of ONNX since opset {}", op.name, op.onnx.since)
                                 : fmt::format("{} is no operator of ONNX", op.name);
    return {ErrorCode::Unsupported, fmt::format("{}, and cannot be written out as such: {}", what, reason.message)};
}

/// The program with every rejected operator expanded once; the term itself if there are none.
Result<TermId> expandedOnce(ir::TermBank& bank, TermId root, absl::FunctionRef<bool(TermId)> isKept) {
    ir::ChangedNodes changed;
    const ir::SharedNodes nodes(bank, root);
    std::vector<TermId> children;
    for (const TermId node : nodes) {
        const bool isChanged = changed.childrenOf(bank, node, children);
        const Operator* const op = operatorOf(bank, node);
        if (op == nullptr || isKept(node)) {
            if (!isChanged) continue;
            MITOS_TRY(TermId made, bank.withChildren(node, children));
            changed.set(node, made);
            continue;
        }
        Result<TermId> made = op->expand != nullptr
                                  ? op->expand(bank, children, attributesOf(bank, node), bank.hint(node))
                                  : Result<TermId>(shapeError("nobody has written it out"));
        if (made && bank.type(*made) != bank.type(node)) made = shapeError("its inputs have sizes of different names");
        if (!made) return notExpanded(*op, made.error());
        changed.set(node, *made);
    }
    return changed.formOf(root);
}

}  // namespace

Result<TermId> expanded(ir::TermBank& bank, TermId root, absl::FunctionRef<bool(TermId)> isKept) {
    const bool isReordered = hasChannelsLast(bank, root);
    for (;;) {
        MITOS_TRY(const TermId next, expandedOnce(bank, root, isKept));
        if (next == root) return isReordered ? withoutReordering(bank, root) : root;
        root = next;
    }
}

}  // namespace mitos::tensor

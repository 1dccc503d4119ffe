// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/autodiff/tensor_gradient.h"

#include "core/ir/shared.h"
#include "core/tensor/gradient.h"
#include "core/tensor/text.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/strings/ascii.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mitos::autodiff {

using ir::TermId;
using tensor::Operator;

namespace {

constexpr const char* HintEnding = "_grad";

/// Whether a value of the type may depend on others smoothly.
bool carriesGradient(const ir::TypeTable& types, ir::TypeId type) {
    if (!types.isTuple(type)) return isDifferentiable(types, type);
    return std::ranges::any_of(types.children(type), [&](ir::TypeId part) { return carriesGradient(types, part); });
}

tensor::Expand replacementOf(const Operator& op) {
    if (op.gradient.rule != nullptr || op.gradient.isZero) return nullptr;
    return op.gradient.instead != nullptr ? op.gradient.instead : op.expand;
}

class ReverseSweep {
public:
    ReverseSweep(ir::TermBank& bank, std::span<const TermId> arrays, std::vector<TensorObstacle>& obstacles)
        : m_bank(bank),
          m_arrays(arrays.begin(), arrays.end()),
          m_obstacles(obstacles) {}

    /// The program with operators replaced by those that are differentiated instead.
    TermId replaced(TermId root) {
        while (m_obstacles.empty()) {
            const TermId next = replacedOnce(root);
            if (next == root) break;
            root = next;
        }
        return root;
    }

    void run(TermId scalar) {
        const ir::SharedNodes nodes(m_bank, scalar);
        findActive(nodes);
        if (!m_active.contains(scalar)) return;
        tensor::TermMaker maker(m_bank);
        m_cotangents[scalar] = {maker.scalar(1.0, scalar)};
        const std::vector<TermId> order(nodes.begin(), nodes.end());
        for (auto node = order.rbegin(); node != order.rend(); ++node) visit(*node);
        std::ranges::reverse(m_obstacles);
    }

    [[nodiscard]] TermId gradient(TermId array) const {
        const auto found = m_cotangents.find(array);
        return found == m_cotangents.end() ? TermId() : found->second.front();
    }

private:
    [[nodiscard]] bool isActive(TermId node) const {
        if (m_arrays.contains(node)) return true;
        const Operator* const op = tensor::operatorOf(m_bank, node);
        if (op != nullptr && op->gradient.isZero) return false;
        return carriesGradient(m_bank.types(), m_bank.type(node)) &&
               std::ranges::any_of(m_bank.children(node), [&](TermId child) { return m_active.contains(child); });
    }

    void findActive(const ir::SharedNodes& nodes) {
        m_active.clear();
        for (const TermId node : nodes) {
            if (isActive(node)) m_active.insert(node);
        }
    }

    TermId replacedOnce(TermId root) {
        const ir::SharedNodes nodes(m_bank, root);
        findActive(nodes);
        ir::ChangedNodes changed;
        std::vector<TermId> children;
        for (const TermId node : nodes) {
            const bool isChanged = changed.childrenOf(m_bank, node, children);
            if (isChanged && m_bank.is(node, ir::CoreOp::Get) && m_bank.is(children.front(), ir::CoreOp::Tuple)) {
                changed.set(node, m_bank.child(children.front(), m_bank.payload(node).projectionIndex()));
                continue;
            }
            const Operator* const op = tensor::operatorOf(m_bank, node);
            const tensor::Expand replace =
                op != nullptr && m_active.contains(node) ? replacementOf(*op) : tensor::Expand(nullptr);
            if (replace == nullptr && !isChanged) continue;
            const Result<TermId> made =
                replace != nullptr ? replace(m_bank, children, tensor::attributesOf(m_bank, node), m_bank.hint(node))
                                   : m_bank.withChildren(node, children);
            if (made)
                changed.set(node, *made);
            else
                m_obstacles.push_back({node, made.error().message});
        }
        return changed.formOf(root);
    }

    void visit(TermId node) {
        const auto found = m_cotangents.find(node);
        if (found == m_cotangents.end() || m_arrays.contains(node)) return;
        const std::vector<TermId> cotangents = found->second;
        if (m_bank.is(node, ir::CoreOp::Get)) {
            const TermId tuple = m_bank.child(node, 0);
            std::vector<TermId>& parts = m_cotangents[tuple];
            parts.resize(m_bank.types().children(m_bank.type(tuple)).size());
            TermId& part = parts[m_bank.payload(node).projectionIndex()];
            part = part.isValid() ? sum(part, cotangents.front()) : cotangents.front();
            return;
        }
        const Operator* const op = tensor::operatorOf(m_bank, node);
        if (op == nullptr || op->gradient.rule == nullptr) {
            m_obstacles.push_back({node, "no derivative is known"});
            return;
        }
        apply(node, *op, cotangents);
    }

    void apply(TermId node, const Operator& op, const std::vector<TermId>& cotangents) {
        tensor::TermMaker maker(m_bank, hintFor(node));
        const tensor::Attributes attributes = tensor::attributesOf(m_bank, node);
        const std::vector<TermId> inputs(m_bank.children(node).begin(), m_bank.children(node).end());
        std::vector<bool> isWanted;
        for (const TermId input : inputs) isWanted.push_back(m_active.contains(input));
        const std::vector<TermId> parts = op.gradient.rule({.make = maker,
                                                            .attributes = attributes,
                                                            .inputs = inputs,
                                                            .outputs = outputsOf(node),
                                                            .cotangents = cotangents,
                                                            .isWanted = isWanted});
        if (const Result<TermId> made = maker.take(node); !made) {
            m_obstacles.push_back({node, made.error().message});
            return;
        }
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            if (!isWanted[i] || !parts[i].isValid()) continue;
            if (m_bank.type(parts[i]) != m_bank.type(inputs[i])) {
                m_obstacles.push_back({node, "sizes have names that do not tell whether they are 1"});
                return;
            }
            add(inputs[i], parts[i]);
        }
    }

    std::vector<TermId> outputsOf(TermId node) {
        const ir::TypeId type = m_bank.type(node);
        if (!m_bank.types().isTuple(type)) return {node};
        std::vector<TermId> outputs;
        const std::size_t count = m_bank.types().children(type).size();
        for (std::size_t i = 0; i < count; ++i) outputs.push_back(m_bank.get(node, static_cast<std::uint32_t>(i)));
        return outputs;
    }

    void add(TermId node, TermId cotangent) {
        std::vector<TermId>& there = m_cotangents[node];
        if (there.empty())
            there.push_back(cotangent);
        else
            there.front() = sum(there.front(), cotangent);
    }

    TermId sum(TermId a, TermId b) {
        tensor::TermMaker maker(m_bank, m_bank.hint(a));
        return maker.node("Add", {a, b});
    }

    /// New terms have the name of the node that they differentiate, or of its operator.
    Symbol hintFor(TermId node) {
        const Symbol hint = m_bank.hint(node);
        std::string name(hint.isValid() ? m_bank.text(hint) : m_bank.opName(node));
        if (!hint.isValid()) absl::AsciiStrToLower(&name);
        return m_bank.symbols().intern(name + HintEnding);
    }

    ir::TermBank& m_bank;
    absl::flat_hash_set<TermId> m_arrays;
    std::vector<TensorObstacle>& m_obstacles;
    absl::flat_hash_set<TermId> m_active;  ///< nodes that depend on the arrays smoothly
    absl::flat_hash_map<TermId, std::vector<TermId>> m_cotangents;
};

}  // namespace

std::string describe(const ir::TermBank& bank, const TensorObstacle& obstacle) {
    std::string node = tensor::nodeText(bank, obstacle.node);
    if (bank.hint(obstacle.node).isValid()) node += fmt::format(" ({})", tensor::operatorText(bank, obstacle.node));
    return fmt::format("{} has no gradient: {}", node, obstacle.reason);
}

bool isDifferentiable(const ir::TypeTable& types, ir::TypeId type) {
    if (!types.isArray(type)) return false;
    return ir::isFloating(types.dtype(type)) || types.dtype(type) == ir::Dtype::Unknown;
}

Result<TensorGradients> gradientsOf(ir::TermBank& bank, TermId scalar, std::span<const TermId> arrays,
                                    std::vector<TensorObstacle>& obstacles) {
    ReverseSweep sweep(bank, arrays, obstacles);
    TensorGradients made;
    made.result = sweep.replaced(scalar);
    if (obstacles.empty()) sweep.run(made.result);
    if (!obstacles.empty()) {
        std::string message = describe(bank, obstacles.front());
        if (obstacles.size() > 1) message += fmt::format(", and {} more", obstacles.size() - 1);
        return Error{ErrorCode::Unsupported, std::move(message)};
    }
    for (const TermId array : arrays) made.gradients.push_back(sweep.gradient(array));
    return made;
}

}  // namespace mitos::autodiff

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/layout.h"

#include "core/ir/shared.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace mitos::tensor {

namespace {

using ir::TermId;

bool isTranspose(const ir::TermBank& bank, TermId term, const std::array<std::int64_t, 4>& perm) {
    const Operator* const op = operatorOf(bank, term);
    return op != nullptr && op->name == "Transpose" &&
           std::ranges::equal(attributesOf(bank, term).integers("perm"), perm);
}

/// An axis of N, H, W, C as one of N, C, H, W.
std::int64_t channelsFirstAxis(std::int64_t axis) { return ToChannelsLast[static_cast<std::size_t>(axis)]; }

/// The attributes of an operator that is done with the channels first instead; none if that cannot be.
std::optional<Attributes> channelsFirstAttributes(const Operator& op, Attributes attributes) {
    if (op.traits.pointwise) return attributes;
    if (op.name == "Concat") return attributes.set("axis", channelsFirstAxis(attributes.integer("axis")));
    if (op.name != "ReduceMean" || !attributes.boolean("keepdims")) return std::nullopt;
    std::vector<std::int64_t> axes = attributes.integers("axes");
    std::ranges::transform(axes, axes.begin(), channelsFirstAxis);
    std::ranges::sort(axes);
    return attributes.set("axes", std::move(axes));
}

/// Terms of images with the channels last, as terms of the same images with the channels first, as far as none needs a Transpose.
class ChannelsFirst {
public:
    explicit ChannelsFirst(ir::TermBank& bank) : m_bank(bank) {}

    /// Invalid if there is none.
    [[nodiscard]] TermId of(TermId term) const {
        const auto found = m_terms.find(term);
        return found == m_terms.end() ? TermId() : found->second;
    }

    /// Children are added before their parents.
    void add(TermId term) {
        if (isTranspose(m_bank, term, ToChannelsLast)) {
            m_terms.emplace(term, m_bank.child(term, 0));
            return;
        }
        const Operator* const op = operatorOf(m_bank, term);
        if (op == nullptr || m_bank.childCount(term) == 0) return;
        std::vector<TermId> children;
        for (const TermId child : m_bank.children(term)) {
            // A single number is the same in every order.
            const TermId form = isNumber(child) && op->traits.pointwise ? child : of(child);
            if (!form.isValid()) return;
            children.push_back(form);
        }
        if (std::ranges::equal(children, m_bank.children(term))) return;
        const std::optional<Attributes> attributes = channelsFirstAttributes(*op, attributesOf(m_bank, term));
        if (!attributes) return;
        if (const Result<TermId> made = make(m_bank, *op, children, *attributes, m_bank.hint(term))) {
            m_terms.emplace(term, *made);
        }
    }

private:
    [[nodiscard]] bool isNumber(TermId term) const {
        const ir::TypeId type = m_bank.type(term);
        if (!m_bank.types().isArray(type)) return false;
        const ArrayType array = arrayType(m_bank.types(), type);
        return array.hasRank && array.rank() == 0;
    }

    ir::TermBank& m_bank;
    absl::flat_hash_map<TermId, TermId> m_terms;
};

}  // namespace

const Operator* channelsFirstForm(const Operator& op) {
    const std::string_view name = op.name;
    return name.starts_with(ChannelsLastPrefix) ? findOperator(name.substr(ChannelsLastPrefix.size())) : nullptr;
}

bool isImage(const Operator& op, std::size_t input) {
    return op.inputs[input].name == "X" || op.inputs[input].name == "Z";
}

bool hasChannelsLast(const ir::TermBank& bank, TermId root) {
    const ir::SharedNodes nodes(bank, root);
    return std::ranges::any_of(nodes, [&bank](TermId node) {
        const Operator* const op = operatorOf(bank, node);
        return op != nullptr && channelsFirstForm(*op) != nullptr;
    });
}

TermId withoutReordering(ir::TermBank& bank, TermId root) {
    ChannelsFirst channelsFirst(bank);
    ir::ChangedNodes changed;
    const ir::SharedNodes nodes(bank, root);
    std::vector<TermId> children;
    for (const TermId node : nodes) {
        TermId form = node;
        if (changed.childrenOf(bank, node, children)) {
            // The types of the children are the same, so the term can be made.
            const Result<TermId> made = bank.withChildren(node, children);
            if (made) form = *made;
        }
        if (isTranspose(bank, form, ToChannelsFirst)) {
            if (const TermId other = channelsFirst.of(bank.child(form, 0)); other.isValid()) form = other;
        }
        if (form != node) changed.set(node, form);
        channelsFirst.add(form);
    }
    return changed.formOf(root);
}

}  // namespace mitos::tensor

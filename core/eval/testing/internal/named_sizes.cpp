// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/eval/testing/internal/named_sizes.h"

#include "core/ir/shared.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace mitos::eval {

using ir::TermId;

namespace {

constexpr std::size_t NumbersPerInstance = 5;
constexpr std::int64_t LargestOther = 5;
constexpr double NamedEqually = 0.6;

class Naming {
public:
    Naming(ir::TermBank& bank, Choices& choices) : m_bank(bank), m_choices(choices) {}

    std::optional<NamedSizes> run(TermId root, const std::vector<TensorInstances::Leaf>& leaves) {
        m_which = std::array{Which::First, Which::Some, Which::Most, Which::All, Which::FromThird}[m_choices.below(5)];
        m_isOneName = m_choices.chance(0.4);
        NamedSizes result{.root = root, .leaves = leaves, .numbers = {}};
        for (TensorInstances::Leaf& leaf : result.leaves) {
            if (!leaf.isWeight) nameSizes(leaf);
        }
        if (m_names.empty()) return std::nullopt;
        const ir::SharedNodes nodes(m_bank, root);
        for (const TermId node : nodes) {
            const Result<TermId> renamed = withNewChildren(node);
            if (!renamed) return std::nullopt;
            m_renamed.emplace(node, *renamed);
        }
        result.root = m_renamed.at(root);
        for (std::size_t i = 0; i < NumbersPerInstance; ++i) result.numbers.push_back(numbers());
        return result;
    }

private:
    /// Axes whose sizes get names: as in real programs (those of batches, those of images), or any.
    enum class Which : std::uint8_t { First, Some, Most, All, FromThird };

    bool isNamed(std::size_t axis) {
        switch (m_which) {
            case Which::First: return axis == 0;
            case Which::FromThird: return axis >= 2;
            case Which::Some: return m_choices.chance(0.3);
            case Which::Most: return m_choices.chance(0.7);
            case Which::All: break;
        }
        return true;
    }

    void nameSizes(TensorInstances::Leaf& leaf) {
        tensor::ArrayType type = tensor::arrayType(m_bank.types(), leaf.type);
        for (std::size_t axis = 0; axis < type.rank(); ++axis) {
            ir::Dimension& dimension = type.dimensions[axis];
            if (isNamed(axis)) dimension = ir::Dimension::named(m_bank.symbols().intern(name(dimension.size)));
        }
        const Symbol symbol = m_bank.symbols().intern(leaf.name);
        const TermId before = m_bank.variable(symbol, leaf.type);
        leaf.type = tensor::typeId(m_bank.types(), type);
        m_renamed.emplace(before, m_bank.variable(symbol, leaf.type));
    }

    std::string name(std::int64_t size) {
        std::vector<std::string> known;
        for (const auto& [name, replaced] : m_names) {
            if (replaced == size) known.push_back(name);
        }
        if (!known.empty() && (m_isOneName || m_choices.chance(NamedEqually)))
            return known[m_choices.below(known.size())];
        std::string made = fmt::format("N{}", m_names.size());
        m_names.emplace(made, size);
        return made;
    }

    Result<TermId> withNewChildren(TermId node) {
        if (const auto known = m_renamed.find(node); known != m_renamed.end()) return known->second;
        const std::vector<TermId> before(m_bank.children(node).begin(), m_bank.children(node).end());
        std::vector<TermId> children;
        for (const TermId child : before) children.push_back(m_renamed.at(child));
        if (children == before) return node;
        if (m_bank.opName(node) == "Reshape") return reshape(node, children);
        if (m_bank.opName(node) == "Slice") return slice(node, before.front(), children);
        return m_bank.withChildren(node, children);
    }

    /// Lets one size of a Reshape, at random, follow from the others.
    Result<TermId> reshape(TermId node, const std::vector<TermId>& children) {
        tensor::Attributes attributes = tensor::attributesOf(m_bank, node);
        std::vector<std::int64_t> shape = attributes.integers("shape");
        const bool hasOpen = std::ranges::find(shape, -1) != shape.end();
        if (!shape.empty() && !hasOpen && m_choices.chance(0.5)) {
            std::int64_t& size = shape[m_choices.below(shape.size())];
            if (size > 0) size = -1;
        }
        attributes.set("shape", std::move(shape));
        return tensor::make(m_bank, attributes.op(), children, attributes);
    }

    /// At random, lets a slice that ended with its axis end with it for every size, and lets bounds count from the end.
    Result<TermId> slice(TermId node, TermId whole, const std::vector<TermId>& children) {
        const tensor::Shape sizes = tensor::arrayType(m_bank.types(), m_bank.type(whole)).shape();
        tensor::Attributes attributes = tensor::attributesOf(m_bank, node);
        const std::vector<std::int64_t> axes = attributes.integers("axes");
        std::vector<std::int64_t> starts = attributes.integers("starts");
        std::vector<std::int64_t> ends = attributes.integers("ends");
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const std::int64_t size = sizes[static_cast<std::size_t>(axes[i])];
            if (starts[i] > 0 && starts[i] < size && m_choices.chance(0.2)) starts[i] -= size;
            if (!m_choices.chance(0.4)) continue;
            if (ends[i] >= size) {
                ends[i] = std::numeric_limits<std::int64_t>::max();
            } else if (ends[i] > 0) {
                ends[i] -= size;
            }
        }
        attributes.set("starts", std::move(starts)).set("ends", std::move(ends));
        return tensor::make(m_bank, attributes.op(), children, attributes);
    }

    /// Numbers for the names: the replaced sizes, or other numbers, the same for equal sizes or one for each name.
    tensor::Sizes numbers() {
        enum class Way : std::uint8_t { Same, Alike, Alone };
        const Way way = std::array{Way::Same, Way::Alike, Way::Alone, Way::Alone}[m_choices.below(4)];
        absl::flat_hash_map<std::int64_t, std::int64_t> alike;
        tensor::Sizes result;
        for (const auto& [name, size] : m_names) {
            std::int64_t number = size;
            if (way == Way::Alone) number = other(size);
            if (way == Way::Alike) {
                const auto known = alike.find(size);
                number = known != alike.end() ? known->second : alike.emplace(size, other(size)).first->second;
            }
            result.emplace(name, number);
        }
        return result;
    }

    std::int64_t other(std::int64_t size) {
        switch (m_choices.below(4)) {
            case 0: return size;
            case 1: return 1;         // broadcasts
            case 2: return size + 1;  // may have as many windows
            default: return m_choices.integer(1, std::max(size, LargestOther));
        }
    }

    ir::TermBank& m_bank;
    Choices& m_choices;
    absl::flat_hash_map<TermId, TermId> m_renamed;
    tensor::Sizes m_names;  ///< with the sizes that they replace
    Which m_which = Which::All;
    bool m_isOneName = false;  ///< equal sizes have one name
};

}  // namespace

std::optional<NamedSizes> withNamedSizes(ir::TermBank& bank, TermId root,
                                         const std::vector<TensorInstances::Leaf>& leaves, Choices& choices) {
    return Naming(bank, choices).run(root, leaves);
}

}  // namespace mitos::eval

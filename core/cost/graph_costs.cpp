// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/graph_costs.h"

#include "core/cost/offline.h"
#include "core/tensor/dimension.h"
#include "core/tensor/work.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

namespace mitos::cost {

using ir::TermId;

std::int64_t sizeOf(std::string_view name, const AssumedSizes& sizes) {
    using Asked = tensor::SizeExpression::Asked;
    const auto assumed = [&](std::string_view one, Asked asked) -> std::optional<std::int64_t> {
        const auto named = sizes.named.find(std::string(one));
        if (named != sizes.named.end()) return named->second;
        return asked == Asked::Plain ? std::optional(sizes.otherwise) : std::nullopt;
    };
    return std::max<std::int64_t>(1, tensor::SizeExpression::value(name, assumed).value_or(sizes.otherwise));
}

std::int64_t NodeWorks::size(const ir::Dimension& dimension) const {
    return dimension.isKnown() ? dimension.size : sizeOf(m_bank.text(dimension.name), m_sizes);
}

/// The arrays of a type, with numbers for all sizes; empty for an absent input.
std::vector<tensor::ArrayType> NodeWorks::arrays(ir::TypeId type) const {
    const ir::TypeTable& types = m_bank.types();
    std::vector<tensor::ArrayType> result;
    if (types.isArray(type)) {
        result.push_back(tensor::arrayType(types, type));
        for (ir::Dimension& dimension : result.back().dimensions) dimension = ir::Dimension::of(size(dimension));
    } else if (types.isTuple(type)) {
        for (const ir::TypeId element : types.children(type)) {
            for (tensor::ArrayType& array : arrays(element)) result.push_back(std::move(array));
        }
    }
    return result;
}

NodeWork NodeWorks::find(TermId term) const {
    NodeWork result;
    const std::vector<tensor::ArrayType> outputs = arrays(m_bank.type(term));
    for (const tensor::ArrayType& output : outputs) result.bytes += tensor::bytes(output);
    if (!outputs.empty()) result.dtype = outputs.front().dtype;
    const bool isWeight = m_bank.opName(term) == tensor::WeightName || m_bank.opName(term) == tensor::AbsentName;
    const ir::OperatorInfo& info = m_bank.registry().info(m_bank.op(term));
    result.isOffline =
        isOffline(m_bank, term, [&](std::size_t child) { return m_known[m_bank.child(term, child).value]->isOffline; });
    result.isKernel = !isWeight && info.dialect != "core";
    if (!result.isKernel) return result;
    std::vector<tensor::ArrayType> inputs;
    for (const TermId child : m_bank.children(term)) {
        std::vector<tensor::ArrayType> arrays = this->arrays(m_bank.type(child));
        if (arrays.empty()) arrays.push_back(tensor::ArrayType::absent());
        inputs.insert(inputs.end(), std::make_move_iterator(arrays.begin()), std::make_move_iterator(arrays.end()));
    }
    if (const tensor::Operator* const op = tensor::operatorOf(m_bank, term)) {
        const tensor::Attributes attributes = tensor::attributesOf(m_bank, term);
        SymbolTable symbols;  // no size has a name here
        result.work = tensor::work({*op, attributes, inputs, symbols}, outputs);
    } else {  // an unknown operator costs what it moves
        for (const tensor::ArrayType& input : inputs) result.work.readBytes += tensor::bytes(input);
        result.work.writtenBytes = result.bytes;
    }
    return result;
}

const NodeWork& NodeWorks::operator[](TermId term) {
    if (term.value >= m_known.size()) m_known.resize(m_bank.size());
    std::optional<NodeWork>& known = m_known[term.value];
    if (!known) known = find(term);
    return *known;
}

std::size_t NodeWorks::bytes() const { return m_known.capacity() * sizeof(std::optional<NodeWork>); }

std::vector<CostPart> graphParts(const ir::TermBank& bank, TermId root, absl::FunctionRef<OwnCost(TermId)> own) {
    constexpr std::size_t Block = 64;
    const ir::SharedNodes nodes(bank, root);
    absl::flat_hash_map<TermId, std::uint32_t> numbers;
    std::vector<OwnCost> costs;
    for (const TermId node : nodes) {
        numbers.emplace(node, static_cast<std::uint32_t>(numbers.size()));
        costs.push_back(own(node));
    }
    // Finds the nodes that each node depends on: a bit each for 64 nodes at a time, passed on from children to parents.
    std::vector<double> total(nodes.size(), 0.0);
    std::vector<std::uint64_t> needed(nodes.size());
    for (std::size_t first = 0; first < nodes.size(); first += Block) {
        std::size_t at = 0;
        for (const TermId node : nodes) {
            std::uint64_t bits = at >= first && at < first + Block ? std::uint64_t{1} << (at - first) : 0;
            for (const TermId child : bank.children(node)) bits |= needed[numbers.at(child)];
            needed[at] = bits;
            for (; bits != 0; bits &= bits - 1)
                total[at] += costs[first + static_cast<std::size_t>(std::countr_zero(bits))].cost;
            ++at;
        }
    }
    std::vector<CostPart> parts;
    ir::forEachShared(bank, root, [&](const ir::Path& path, TermId node) {
        const std::uint32_t number = numbers.at(node);
        OwnCost& mine = costs[number];
        parts.push_back({path, mine.cost, total[number], 1.0, std::move(mine.reason), std::move(mine.shares)});
        return true;
    });
    return parts;
}

}  // namespace mitos::cost

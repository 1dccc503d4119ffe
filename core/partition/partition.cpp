// SPDX-License-Identifier: GPL-3.0-or-later
// See partition.h.
#include "core/partition/partition.h"

#include "core/ir/dialect.h"
#include "core/partition/internal/quotient.h"
#include "core/rules/matching/coverage.h"
#include "core/rules/matching/matcher.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::partition {

namespace {

using ir::TermId;
using Index = Quotient::Index;
using Nodes = std::vector<Index>;  ///< in ascending order

class Division {
public:
    Division(ir::TermBank& bank, const ir::Program& program, const rules::DirectedRule& pattern,
             const rules::CompiledRule& compiled, const Options& options)
        : m_bank(bank),
          m_pattern(pattern),
          m_options(options),
          m_graph(bank, program.root),
          m_view(bank),
          m_matcher(m_view, compiled, options.mostSteps) {}

    Result<Partition> run() {
        const std::vector<ir::OpId>& operators = m_pattern.roots().front().operators;
        for (Index root = static_cast<Index>(m_graph.size()); root-- > 0;) {
            if (m_options.stop.stop_requested()) {
                m_result.isStopped = true;
                break;
            }
            if (!m_graph.isOperator(root) || m_graph.regionOf(root) != Quotient::None) continue;
            const bool canMatch =
                operators.empty() || std::ranges::find(operators, m_bank.op(m_graph.node(root))) != operators.end();
            if (canMatch) MITOS_REQUIRE(lookAt(root));
        }
        return std::move(m_result);
    }

private:
    [[nodiscard]] bool isTuple(Index node) const {
        return m_bank.types().kind(m_bank.type(m_graph.node(node))) == ir::TypeKind::Tuple;
    }

    /// The distinct sets of operators that the matches at a root cover, the largest first.
    Result<std::vector<Nodes>> matchesAt(Index root) {
        std::vector<rules::Substitution> matches;
        const bool isComplete =
            m_matcher.run(m_view.placeOf(m_graph.node(root)), [&](const rules::Substitution& match) {
                matches.push_back(match);
                return matches.size() <= m_options.mostMatches;
            });
        if (!isComplete || matches.size() > m_options.mostMatches) m_result.unfinished.push_back(m_graph.node(root));
        if (matches.size() > m_options.mostMatches) matches.pop_back();
        std::vector<Nodes> found;
        for (const rules::Substitution& match : matches) {
            MITOS_TRY(const std::vector<TermId> covered, rules::coveredNodes(m_bank, m_pattern, match));
            Nodes nodes;
            for (const TermId node : covered) {
                if (m_graph.contains(node) && m_graph.isOperator(m_graph.index(node)))
                    nodes.push_back(m_graph.index(node));
            }
            addElements(nodes);
            std::ranges::sort(nodes);
            nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
            const bool isKnown = std::ranges::find(found, nodes) != found.end();
            if (nodes.size() >= std::max<std::size_t>(1, m_options.leastNodes) && !isKnown)
                found.push_back(std::move(nodes));
        }
        std::ranges::stable_sort(found, std::greater(), &Nodes::size);
        return found;
    }

    /// The elements of a tuple belong to the region of the operator that makes it, as they compute nothing.
    void addElements(Nodes& nodes) const {
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (!isTuple(nodes[i])) continue;
            for (const Index user : m_graph.users(nodes[i])) {
                const bool isElement = m_bank.is(m_graph.node(user), ir::CoreOp::Get);
                if (isElement && std::ranges::find(nodes, user) == nodes.end()) nodes.push_back(user);
            }
        }
    }

    Status lookAt(Index root) {
        MITOS_TRY(const std::vector<Nodes> matches, matchesAt(root));
        std::optional<RefusedMatch> refused;
        for (const Nodes& nodes : matches) {
            const Region region = regionOf(root, nodes);
            if (const std::optional<RefusedMatch> broken = lawBrokenBy(region, nodes)) {
                if (!refused) refused = broken;
                continue;
            }
            if (refused) refused->instead = m_result.regions.size();
            m_graph.add(nodes);
            m_result.regions.push_back(region);
            break;
        }
        if (refused) m_result.refused.push_back(*refused);
        return Success{};
    }

    [[nodiscard]] Region regionOf(Index root, const Nodes& nodes) const {
        Region region{m_graph.node(root), {}, {}, {}};
        const auto isInside = [&](Index node) { return std::ranges::binary_search(nodes, node); };
        std::vector<Index> inputs;
        for (const Index node : nodes) {
            region.nodes.push_back(m_graph.node(node));
            for (const Index operand : m_graph.operands(node)) {
                if (isInside(operand) || m_graph.isConstant(operand)) continue;
                if (std::ranges::find(inputs, operand) == inputs.end()) inputs.push_back(operand);
            }
            const bool isResult = node + 1 == m_graph.size();
            const auto users = m_graph.users(node);
            if (isResult || !std::ranges::all_of(users, isInside)) region.outputs.push_back(m_graph.node(node));
        }
        for (const Index input : inputs) region.inputs.push_back(m_graph.node(input));
        return region;
    }

    std::optional<RefusedMatch> lawBrokenBy(const Region& region, const Nodes& nodes) {
        RefusedMatch refused{.root = region.root, .nodes = nodes.size(), .region = {}, .node = {}, .instead = {}};
        for (const Index node : nodes) {
            if (m_graph.regionOf(node) == Quotient::None) continue;
            refused.law = Law::Disjoint;
            refused.region = m_graph.regionOf(node);
            refused.node = m_graph.node(node);
            return refused;
        }
        for (const std::vector<TermId>* values : {&region.inputs, &region.outputs}) {
            for (const TermId value : *values) {
                if (!isTuple(m_graph.index(value))) continue;
                refused.law = Law::Arrays;
                refused.node = value;
                return refused;
            }
        }
        if (const std::optional<Quotient::Detour> detour = m_graph.detour(nodes)) {
            refused.law = Law::Acyclic;
            if (detour->region != Quotient::None) refused.region = detour->region;
            if (detour->node != Quotient::None) refused.node = m_graph.node(detour->node);
            return refused;
        }
        return std::nullopt;
    }

    ir::TermBank& m_bank;
    const rules::DirectedRule& m_pattern;
    const Options& m_options;
    Quotient m_graph;
    rules::ProgramView m_view;
    rules::Matcher m_matcher;
    Partition m_result;
};

}  // namespace

std::string inWords(Law law) {
    switch (law) {
        case Law::Disjoint: return "an operator belongs to one region only";
        case Law::Acyclic: return "nothing leads out of a region and back into it";
        case Law::Arrays: return "no input and no output of a region is a tuple";
    }
    return "";
}

Result<Partition> divide(ir::TermBank& bank, const ir::Program& program, const rules::DirectedRule& pattern,
                         const Options& options) {
    if (bank.function(program.function).sharing == ir::Sharing::Tree) {
        return Error{
            ErrorCode::Unsupported,
            fmt::format("a {} program is not divided into regions: it is a tree, and a region of it could need "
                        "variables that are bound around it",
                        bank.dialect(program.function).name),
            std::nullopt, "regions are found in programs that are graphs, such as networks"};
    }
    if (pattern.roots().size() != 1) {
        return Error{ErrorCode::Unsupported, fmt::format("{} has several roots, a region has one", pattern.name()),
                     std::nullopt, "name a pattern with one root"};
    }
    const rules::CompiledRule* const compiled = rules::compiledOf(pattern);
    if (compiled == nullptr)
        return inputError(fmt::format("{} has no pattern", pattern.name()), "name a pattern of a rule file");
    return Division(bank, program, pattern, *compiled, options).run();
}

}  // namespace mitos::partition

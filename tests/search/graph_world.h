// SPDX-License-Identifier: GPL-3.0-or-later
// A world in which programs are whole numbers: a rule leads from number to number, a cost model prices each. Any graph
// can be searched, and its answers enumerated.
#pragma once

#include "core/base/hash.h"
#include "core/ks/operators.h"
#include "tests/search/running.h"

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mitos::search::test {

using Neighbours = std::function<std::vector<std::int64_t>(std::int64_t)>;
using Price = std::function<double(std::int64_t)>;

inline std::int64_t numberOf(const ir::TermBank& bank, ir::TermId root) { return bank.payload(root).asInteger(); }

class GraphRule final : public rules::DirectedRule {
public:
    GraphRule(std::string name, Neighbours neighbours) : m_neighbours(std::move(neighbours)) {
        m_rule.name = std::move(name);
    }
    [[nodiscard]] const rules::Rule& rule() const override { return m_rule; }
    [[nodiscard]] rules::Direction direction() const override { return rules::Direction::Forward; }
    [[nodiscard]] std::string name() const override { return m_rule.name; }
    [[nodiscard]] const std::vector<std::string>& variables() const override { return m_variables; }
    void match(ir::TermBank& bank, ir::TermId subject,
               absl::FunctionRef<bool(const rules::Substitution&)> found) const override {
        for (const std::int64_t next : m_neighbours(numberOf(bank, subject))) {
            rules::Substitution substitution;
            substitution.values.push_back({bank.integer(next), {}});
            if (!found(substitution)) return;
        }
    }
    [[nodiscard]] Result<ir::TermId> apply(ir::TermBank&, const rules::Substitution& substitution,
                                           ir::TermId) const override {
        return substitution.values[0].term;
    }
    /// An edge is known by its end only.
    [[nodiscard]] Result<ir::TermId> left(ir::TermBank&, const rules::Substitution&) const override {
        return Error{ErrorCode::Unsupported, "an edge has no left side"};
    }
    [[nodiscard]] Status isInstance(ir::TermBank& bank, const rules::Substitution& substitution,
                                    ir::TermId subject) const override {
        for (const std::int64_t next : m_neighbours(numberOf(bank, subject))) {
            if (bank.integer(next) == substitution.values[0].term) return Success{};
        }
        return Error{ErrorCode::InvalidInput, "not an edge"};
    }
    [[nodiscard]] std::span<const rules::RuleRoot> roots() const override { return m_roots; }

private:
    rules::Rule m_rule;
    Neighbours m_neighbours;
    std::vector<std::string> m_variables{"next"};
    std::vector<rules::RuleRoot> m_roots{{.operators = {ir::opId(ir::CoreOp::Literal)}}};
};

class GraphCost final : public cost::CostModel {
public:
    explicit GraphCost(Price price) : m_price(std::move(price)) {}
    [[nodiscard]] const cost::CostModelInfo& info() const override { return m_info; }
    [[nodiscard]] std::unique_ptr<cost::CostEvaluator> evaluator(const ir::TermBank& bank,
                                                                 ir::FunctionId) const override {
        return std::make_unique<Evaluator>(bank, m_price);
    }

private:
    class Evaluator final : public cost::CostEvaluator {
    public:
        Evaluator(const ir::TermBank& bank, const Price& price) : m_bank(bank), m_price(price) {}
        Result<double> cost(ir::TermId root, const std::stop_token&) override {
            return m_price(numberOf(m_bank, root));
        }
        Result<std::vector<cost::CostPart>> explain(ir::TermId, const std::stop_token&) override {
            return std::vector<cost::CostPart>();
        }

    private:
        const ir::TermBank& m_bank;
        const Price& m_price;
    };
    Price m_price;
    cost::CostModelInfo m_info{"graph", "Graph", "units", ""};
};

/// A problem over a graph, begun at `start`.
class GraphWorld {
public:
    GraphWorld(std::int64_t start, Neighbours neighbours, Price price)
        : m_bank(ks::makeRegistry()),
          m_rules{std::make_shared<GraphRule>("edge", std::move(neighbours))},
          m_cost(std::make_shared<GraphCost>(std::move(price))) {
        ir::Function function;
        function.name = "number";
        function.argument = m_bank.types().unit();
        function.result = m_bank.types().integer();
        function.declaredResult = function.result;
        m_program.function = *m_bank.declare(std::move(function));
        m_program.root = m_bank.integer(start);
        m_bank.define(m_program.function, m_program.root);
    }

    [[nodiscard]] SearchProblem problem(Budget budget = {}, ParameterValues parameters = {},
                                        std::uint64_t seed = 1) const {
        // Edges of a graph do not keep values, so results are not compared with the start.
        constexpr double ComparingSeconds = 0.0;
        return {m_bank, m_program, m_rules, m_cost, budget, seed, std::move(parameters), ComparingSeconds};
    }

private:
    ir::TermBank m_bank;
    std::vector<std::shared_ptr<const rules::DirectedRule>> m_rules;
    std::shared_ptr<const cost::CostModel> m_cost;
    ir::Program m_program;
};

/// From a table of edges; costs by number, 100 for numbers that are not listed.
inline GraphWorld worldOf(const std::map<std::int64_t, std::vector<std::int64_t>>& edges,
                          const std::map<std::int64_t, double>& costs) {
    return {0,
            [edges](std::int64_t n) {
                const auto found = edges.find(n);
                return found == edges.end() ? std::vector<std::int64_t>() : found->second;
            },
            [costs](std::int64_t n) {
                const auto found = costs.find(n);
                return found == costs.end() ? 100.0 : found->second;
            }};
}

/// A binary tree that no search exhausts; every number has a cost of its own, and the least is not near the root.
inline GraphWorld endlessTree() {
    return {0,
            [](std::int64_t n) {
                constexpr std::int64_t Mask = (std::int64_t{1} << 60U) - 1;  // deeper, it grows together
                return std::vector<std::int64_t>{(2 * n + 1) & Mask, (2 * n + 2) & Mask};
            },
            [](std::int64_t n) {
                return n == 0 ? 2000.0 : static_cast<double>(mixBits(static_cast<std::uint64_t>(n)) % 1000) + 1.0;
            }};
}

/// The strategies that search and take any rule. Those over e-graphs take rules of rule files (tst_saturation), as parts of others too;
/// PyPM's pass goes one way only.
inline std::vector<std::shared_ptr<const Strategy>> strategiesForGraphs() {
    std::vector<std::shared_ptr<const Strategy>> strategies = rewritingStrategies();
    std::erase_if(strategies, [](const auto& strategy) {
        const std::string& name = strategy->info().name;
        return name == "saturation" || name == "tensat" || name == "egraph-mcts" || name == "portfolio" ||
               name == "pypm-greedy";
    });
    return strategies;
}

/// The numbers on a result's thread, start first.
inline std::vector<std::int64_t> numbersOf(const SearchResult& result) {
    std::vector<std::int64_t> numbers{numberOf(*result.bank, result.thread.start.root)};
    for (const ir::TermId state : result.thread.states) numbers.push_back(numberOf(*result.bank, state));
    return numbers;
}

}  // namespace mitos::search::test

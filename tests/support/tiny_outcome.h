// SPDX-License-Identifier: GPL-3.0-or-later
// A second kind of outcome beside threads: an order of a program's nodes, and a strategy that makes one.
#pragma once

#include "search/strategy.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace mitos::tests {

/// The nodes of a tree program, numbered as the walk from the root meets them, in some order.
class NodeOrder final : public search::OutcomeValue {
public:
    explicit NodeOrder(std::vector<std::size_t> order) : m_order(std::move(order)) {}

    [[nodiscard]] std::string kind() const override { return "order"; }
    [[nodiscard]] std::string summary() const override { return std::to_string(m_order.size()) + " nodes"; }
    [[nodiscard]] std::string text() const override {
        std::string text = "order";
        for (const std::size_t node : m_order) text += " " + std::to_string(node);
        return text;
    }
    /// Reads the text again, so that nothing is shared with the strategy below.
    [[nodiscard]] std::optional<std::string> fault(const ir::TermBank& bank, const ir::Program& program,
                                                   const std::stop_token& /*stop*/) const override {
        std::istringstream words(text());
        std::string word;
        words >> word;
        std::set<std::size_t> nodes;
        for (std::size_t node = 0; words >> node;) nodes.insert(node);
        const std::size_t size = bank.treeSize(program.root);
        if (nodes.size() == size && *nodes.rbegin() + 1 == size) return std::nullopt;
        return std::to_string(nodes.size()) + " of " + std::to_string(size) + " nodes";
    }

private:
    std::vector<std::size_t> m_order;
};

/// Makes an order of the nodes, with `missing` of them left out, at the cost of one unit.
class OrderStrategy final : public search::Strategy {
public:
    explicit OrderStrategy(std::size_t missing = 0) : m_missing(missing) {}
    [[nodiscard]] const search::StrategyInfo& info() const override { return m_info; }
    [[nodiscard]] Result<search::SearchResult> run(const search::SearchProblem& problem, std::stop_token /*stop*/,
                                                   search::Observer& observer) const override {
        search::SearchResult result;
        result.bank = std::make_shared<ir::TermBank>(problem.bank.sharedRegistry());
        const rewrite::Thread start{problem.program, {}, {}};
        result.thread = rewrite::transplant(problem.bank, start, *result.bank);
        result.check = rewrite::check(*result.bank, result.thread);
        const auto evaluator = problem.cost->evaluator(*result.bank, result.thread.start.function);
        result.initialCost = evaluator->costOrInfinity(result.thread.start.root);
        result.costs = {result.initialCost};
        result.bestCost = 1.0;
        std::vector<std::size_t> order(result.bank->treeSize(result.thread.start.root) - m_missing);
        std::iota(order.rbegin(), order.rend(), std::size_t{0});
        result.outcome = std::make_shared<const NodeOrder>(std::move(order));
        search::SearchEvent event;
        event.what = search::Started{};
        event.best = result.initialCost;
        observer.onEvent(event);
        event.what = search::Finished{};
        event.best = result.bestCost;
        observer.onEvent(event);
        return result;
    }

private:
    search::StrategyInfo m_info{.name = "order", .label = "Order", .title = "An order of the nodes", .description = ""};
    std::size_t m_missing;
};

}  // namespace mitos::tests

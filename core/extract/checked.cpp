// SPDX-License-Identifier: GPL-3.0-or-later
// See checked.h.
#include "core/extract/checked.h"

#include "core/egraph/explain.h"
#include "core/ir/binding.h"
#include "core/ir/shared.h"
#include "core/rewrite/definedness.h"
#include "core/rewrite/detours.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

namespace mitos::extract {

using egraph::ENodeId;
using ir::TermId;

namespace {

/// Sums of large programs differ in their last bits; smaller differences do not make a program cheaper.
bool isCheaper(double cost, double than) {
    constexpr double Noise = 1e-12;
    return cost < than - Noise * std::abs(than);
}

Error undefinedAt(const rewrite::Thread& thread, std::size_t step) {
    return {ErrorCode::Unsupported,
            fmt::format("step {} of its thread, {}, may make undefined what the program defines", step + 1,
                        thread.steps[step].name())};
}

/// The limits of `options` on finding threads, from now on.
std::function<std::optional<Error>()> limitOf(const ir::TermBank& bank, const Options& options,
                                              const std::stop_token& stop) {
    using Clock = std::chrono::steady_clock;
    return [&bank, seconds = options.threadSeconds, bytes = options.threadBytes, stop,
            begun = Clock::now()]() -> std::optional<Error> {
        if (stop.stop_requested()) return Error{ErrorCode::Cancelled, "the search for one was stopped"};
        const std::chrono::duration<double> elapsed = Clock::now() - begun;
        if (seconds && elapsed.count() >= *seconds)
            return Error{ErrorCode::Cancelled, "finding one takes more time than there is"};
        if (bytes && bank.bytes() >= *bytes)
            return Error{ErrorCode::Cancelled, "finding one takes more memory than there is"};
        return std::nullopt;
    };
}

}  // namespace

std::string CheckedExtraction::Refused::toString() const {
    return fmt::format("what costs {} is left out, as no thread leads to it: {}", cost, why.message);
}

CheckedExtraction::CheckedExtraction(egraph::EGraph& graph, cost::CostEvaluator& costs, std::vector<ir::Program> starts)
    : m_graph(&graph),
      m_costs(&costs),
      m_sharing(graph.bank().function(starts.front().function).sharing) {
    for (const ir::Program& start : starts) {
        m_roots.push_back({start, graph.lookup(start.root), {}, std::nullopt, {}, {}});
    }
    begin();
}

void CheckedExtraction::begin() {
    m_pricing = makePricing(*m_graph, *m_costs, m_sharing);
    for (Root& root : m_roots) {
        root.best = {root.program.root, m_costs->costOrInfinity(root.program.root), {root.program, {}, {}}};
        root.refused.reset();
        root.known.clear();
        root.losses.clear();
    }
}

bool CheckedExtraction::follow(const egraph::SaturationReport& report) {
    if (report.leftOut.size() == m_leftOut) return false;
    m_leftOut = report.leftOut.size();
    begin();
    return true;
}

bool CheckedExtraction::update(absl::FunctionRef<bool()> mayValue) { return m_pricing->update(mayValue); }

void CheckedExtraction::extract(std::string_view method, const Options& options, const std::stop_token& stop) {
    m_note.clear();
    const WhyNot whyNot = limitOf(m_graph->bank(), options, stop);
    for (Root& root : m_roots) {
        if (method != "tree") {
            const Result<TermId> term = extractTerm(*m_graph, *m_pricing, root.node, method, options, stop);
            if (term) offer(root, *term, whyNot);
            if (!term) m_note = term.error().message;
        }
        // A rejected program may hide another one that costs slightly more.
        if (method == "tree" || !m_note.empty() || root.refused) offer(root, m_pricing->least(root.node), whyNot);
        if (root.refused) offerOthers(root, whyNot);
    }
}

void CheckedExtraction::offerOthers(Root& root, const WhyNot& whyNot) {
    constexpr int MostTries = 4;
    absl::flat_hash_set<ENodeId> excluded;
    std::size_t seen = 0;
    for (int i = 0; i < MostTries && seen < root.losses.size(); ++i) {
        for (; seen < root.losses.size(); ++seen) {
            if (const ENodeId node = nodeOf(root.losses[seen]); node.isValid()) excluded.insert(node);
        }
        offer(root, m_pricing->leastWithout(root.node, excluded), whyNot);
    }
}

ENodeId CheckedExtraction::nodeOf(TermId term) const {
    const ENodeId member = m_graph->lookup(term);
    if (!member.isValid()) return {};
    std::vector<ENodeId> children;
    for (const std::uint32_t child : m_graph->originalChildren(member)) children.emplace_back(child);
    return m_graph->congruent(m_graph->headOf(member), children);
}

TermId CheckedExtraction::partReachedBy(TermId term, const rewrite::Thread& thread, std::size_t step) const {
    ir::TermBank& bank = m_graph->bank();
    ir::Path position = thread.steps[step].positions.front();
    for (;; position.pop_back()) {
        const std::optional<TermId> reached = ir::subterm(bank, thread.states[step], position);
        const ENodeId member = reached ? m_graph->lookup(*reached) : ENodeId();
        for (const TermId part : ir::SharedNodes(bank, term)) {
            if (!member.isValid()) break;
            const ENodeId own = m_graph->lookup(part);
            if (own.isValid() && m_graph->find(own) == m_graph->find(member)) return part;
        }
        if (position.empty()) return term;
    }
}

void CheckedExtraction::offer(Root& root, TermId term, const WhyNot& whyNot) {
    if (!term.isValid() || term == root.best.term || root.known.contains(term)) return;
    const double cost = m_costs->costOrInfinity(term);
    if (!isBetter(root, cost)) return;
    Found found{term, cost, {}};
    if (hasThreads()) {
        const egraph::EGraph::Mark mark = m_graph->mark();
        std::optional<Error> stopped;
        Result<egraph::Approach> way = egraph::approach(*m_graph, root.program, term, [&] {
            if (whyNot && !stopped) stopped = whyNot();
            return !stopped;
        });
        m_graph->undoTo(mark);
        if (!way) {
            if (!stopped) root.known.insert(term);
            refuse(root, cost, stopped ? *std::move(stopped) : way.error());
            return;
        }
        found.thread = std::move(way->thread);
        if (way->missing) {
            root.known.insert(term);
            refuse(root, cost, *std::move(way->missing));
            found.term = found.thread.end().root;
            found.cost = m_costs->costOrInfinity(found.term);
            if (!isBetter(root, found.cost)) return;
        }
        const bool isTree = m_sharing == ir::Sharing::Tree;
        std::size_t defined = isTree ? definedSteps(found.thread) : found.thread.steps.size();
        if (defined < found.thread.steps.size()) {
            // A shorter way may avoid the step that loses a value.
            found.thread = rewrite::shortened(m_graph->bank(), found.thread);
            defined = definedSteps(found.thread);
        }
        if (defined < found.thread.steps.size()) {
            root.known.insert(term);
            refuse(root, cost, undefinedAt(found.thread, defined));
            root.losses.push_back(partReachedBy(term, found.thread, defined));
            takePart(root, found.thread, defined);
            return;
        }
    }
    take(root, std::move(found));
}

std::size_t CheckedExtraction::definedSteps(const rewrite::Thread& thread) const {
    return rewrite::stepsThatStayDefined(m_graph->bank(), thread);
}

void CheckedExtraction::shortenThreads(const std::stop_token& stop) {
    if (!hasThreads()) return;
    for (Root& root : m_roots) {
        root.best.thread = rewrite::shortened(m_graph->bank(), root.best.thread, {}, stop);
    }
}

bool CheckedExtraction::adopt(const CheckedExtraction& other) {
    bool isImproved = false;
    for (std::size_t i = 0; i < m_roots.size(); ++i) {
        Root& root = m_roots[i];
        if (isBetter(root, other.best(i).cost)) {
            take(root, other.best(i));
            isImproved = true;
        }
        const std::optional<Refused>& refused = other.refused(i);
        if (!refused || !isCheaper(refused->cost, root.best.cost)) continue;
        if (!root.refused || refused->cost < root.refused->cost) root.refused = refused;
    }
    return isImproved;
}

bool CheckedExtraction::isBetter(const Root& root, double cost) {
    return std::isfinite(cost) && (!std::isfinite(root.best.cost) || isCheaper(cost, root.best.cost));
}

void CheckedExtraction::refuse(Root& root, double cost, Error why) {
    if (!root.refused || cost < root.refused->cost) root.refused = Refused{cost, std::move(why)};
}

void CheckedExtraction::take(Root& root, Found found) {
    root.best = std::move(found);
    if (root.refused && !isCheaper(root.refused->cost, root.best.cost)) root.refused.reset();
}

void CheckedExtraction::takePart(Root& root, const rewrite::Thread& thread, std::size_t steps) {
    std::vector<std::pair<double, std::size_t>> parts;  // cost and number of steps
    for (std::size_t i = 0; i < steps; ++i) {
        const double cost = m_costs->costOrInfinity(thread.states[i]);
        if (isBetter(root, cost)) parts.emplace_back(cost, i + 1);
    }
    std::ranges::sort(parts);
    for (const auto& [cost, length] : parts) {
        rewrite::Thread part = thread;
        part.steps.resize(length);
        part.states.resize(length);
        // A state inside a detour of the thread may have lost a value.
        if (definedSteps(part) < length) continue;
        const TermId term = part.states.back();
        take(root, {term, cost, std::move(part)});
        return;
    }
}

TermId CheckedExtraction::cheapest(ENodeId member) const {
    const ENodeId eclass = m_graph->find(member);
    for (const Root& root : m_roots) {
        if (m_graph->find(root.node) == eclass) return root.best.term;
    }
    return {};
}

}  // namespace mitos::extract

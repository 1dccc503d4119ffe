// SPDX-License-Identifier: GPL-3.0-or-later
// See state_space.h.
#include "search/rewriting/internal/state_space.h"

#include "core/ir/dialect.h"
#include "core/ir/transplant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace mitos::search {

namespace {

constexpr double ProgressInterval = 0.1;  // seconds

std::shared_ptr<ir::TermBank> bankFor(const SearchProblem& problem) {
    return std::make_shared<ir::TermBank>(problem.bank.sharedRegistry());
}

}  // namespace

StateSpace::StateSpace(const SearchProblem& problem, std::stop_token stop, Observer& observer)
    : m_bank(bankFor(problem)),
      m_program(ir::Transplanter(problem.bank, *m_bank).program(problem.program)),
      m_index(*m_bank, problem.rules, m_bank->function(m_program.function).sharing),
      m_cost(problem.cost->evaluator(*m_bank, m_program.function)),
      m_budget(completed(problem.budget)),
      m_stop(std::move(stop)),
      m_observer(observer),
      m_started(std::chrono::steady_clock::now()) {}

Result<std::unique_ptr<StateSpace>> StateSpace::open(const SearchProblem& problem, std::stop_token stop,
                                                     Observer& observer) {
    const std::string& dialect = problem.bank.dialect(problem.program.function).name;
    if (!problem.cost->info().prices(dialect)) {
        return inputError(
            fmt::format("the cost model {} does not price {} programs", problem.cost->info().name, dialect),
            fmt::format("choose another one, such as {}", cost::costModelsFor(dialect).front()->info().name));
    }
    std::unique_ptr<StateSpace> space(new StateSpace(problem, std::move(stop), observer));
    MITOS_TRY(const double known, space->m_cost->cost(space->m_program.root, space->m_stop));
    const double cost = known;
    if (!std::isfinite(cost)) {
        return inputError(
            fmt::format("the program has no cost under {}: it comes out as {}", problem.cost->info().name, cost),
            "Choose another cost model, or a smaller program.");
    }
    space->m_expressions.push_back({.root = space->m_program.root, .parent = {}, .step = {}, .cost = cost});
    space->byRoot(space->m_program.root) = space->start();
    space->m_best = space->start();
    space->m_statistics.evaluations = 1;
    space->report(Started{}, cost);
    return space;
}

double StateSpace::secondsSinceStart() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_started).count();
}

std::uint64_t StateSpace::memoryBytes() const {
    return m_bank->bytes() + m_index.bytes() + m_cost->bytes() + m_expressions.bytes() + m_heldBytes +
           m_successors.capacity() * sizeof(Successor) + m_byRoot.capacity() * sizeof(ExpressionId);
}

ExpressionId& StateSpace::byRoot(ir::TermId root) {
    if (root.value >= m_byRoot.size()) m_byRoot.resize(m_bank->size());
    return m_byRoot[root.value];
}

bool StateSpace::ended() {
    if (m_ended) return true;
    if (m_stop.stop_requested()) {
        m_ended = StopReason::Stopped;
    } else if (m_budget.seconds && secondsSinceStart() >= *m_budget.seconds) {
        m_ended = StopReason::Seconds;
    } else if (memoryBytes() > m_budget.searchBytes()) {
        m_ended = StopReason::Memory;
    }
    return m_ended.has_value();
}

bool StateSpace::mayEvaluate() {
    if (ended()) return false;
    if (m_budget.evaluations && m_statistics.evaluations >= *m_budget.evaluations) {
        m_ended = StopReason::Evaluations;
    } else if (m_budget.states && m_expressions.size() >= *m_budget.states) {
        m_ended = StopReason::States;
    }
    return !m_ended;
}

std::optional<std::span<const Successor>> StateSpace::expand(ExpressionId id, std::uint64_t frontier) {
    m_frontier = frontier;
    if (ended()) return std::nullopt;
    if (secondsSinceStart() - m_lastProgress >= ProgressInterval) report(Progress{}, cost(id));
    Expression& expression = m_expressions.change(id.value);
    const auto rewrites = m_index.list(expression.root, m_successors, [this] { return !ended(); });
    if (!rewrites) return std::nullopt;
    if (!expression.isExpanded) {
        expression.isExpanded = true;
        ++m_statistics.expansions;
        m_statistics.rewrites += *rewrites;
    }
    return m_successors;
}

StateSpace::Reached StateSpace::reach(ExpressionId from, const Successor& successor) {
    const std::uint32_t steps = m_expressions[from.value].steps + 1;
    const ir::TermId root = m_index.build(m_expressions[from.value].root, successor);
    ExpressionId& known = byRoot(root);
    if (known == Unusable) return {Arrival::Unusable, {}};
    if (known.isValid()) {
        Expression& expression = m_expressions.change(known.value);
        if (steps >= expression.steps) return {Arrival::Known, known};
        // A parent always has fewer steps than its child, so links never form a cycle.
        expression.parent = from;
        expression.step = successor;
        expression.steps = steps;
        return {Arrival::Closer, known};
    }
    if (!mayEvaluate()) return {Arrival::Refused, {}};
    ++m_statistics.evaluations;
    const double cost = m_cost->costOrInfinity(root, m_stop);
    if (!std::isfinite(cost)) {
        known = Unusable;
        return {Arrival::Unusable, {}};
    }
    const ExpressionId id(static_cast<std::uint32_t>(m_expressions.size()));
    m_expressions.push_back({.root = root, .parent = from, .step = successor, .cost = cost, .steps = steps});
    known = id;
    if (isLower(cost, m_expressions[m_best.value].cost)) improve(id, successor.rule);
    return {Arrival::New, id};
}

bool StateSpace::visitSuccessors(ExpressionId id, std::uint64_t frontier,
                                 absl::FunctionRef<void(Arrival arrival, ExpressionId successor)> visit) {
    const auto successors = expand(id, frontier);
    if (!successors) return false;
    for (const Successor& successor : *successors) {
        const Reached reached = reach(id, successor);
        if (reached.arrival == Arrival::Refused) return false;
        if (reached.id.isValid()) visit(reached.arrival, reached.id);
    }
    return true;
}

void StateSpace::repeat(int fruitless, absl::FunctionRef<void()> step) {
    for (int left = fruitless; left > 0 && !ended();) {
        const std::size_t before = size();
        step();
        left = size() == before ? left - 1 : fruitless;
    }
}

void StateSpace::improve(ExpressionId id, std::uint32_t rule) {
    m_best = id;
    report(Improved{m_index.rules()[rule]->name()}, cost(id));
}

void StateSpace::report(EventBody what, double cost) {
    const bool isLast = std::holds_alternative<Finished>(what);
    const double seconds = secondsSinceStart();
    m_lastProgress = seconds;
    m_observer.onEvent({.what = std::move(what),
                        .seconds = seconds,
                        .evaluations = m_statistics.evaluations,
                        .states = m_expressions.size(),
                        .frontier = m_frontier,
                        .memoryBytes = memoryBytes(),
                        .cost = cost,
                        .best = m_expressions[m_best.value].cost,
                        .pathLength = static_cast<std::uint32_t>(pathTo(m_best).size() - 1)});
    if (!isLast) m_observer.onBest([this] { return bestSoFar(); });
}

std::optional<BestSoFar> StateSpace::bestSoFar() const {
    const auto goOn = [this] {
        return !m_stop.stop_requested() && (!m_budget.seconds || secondsSinceStart() < *m_budget.seconds);
    };
    BestSoFar found{std::make_shared<ir::TermBank>(m_bank->sharedRegistry()), {}, {}};
    ir::TermBank& bank = *found.bank;
    found.thread.start = ir::Transplanter(*m_bank, bank).program(m_program);
    found.costs.push_back(cost(start()));
    rewrite::SuccessorIndex index(bank, m_index.rules(), bank.function(found.thread.start.function).sharing);
    std::vector<Successor> successors;
    const std::vector<ExpressionId> path = pathTo(m_best);
    for (std::size_t i = 1; i < path.size(); ++i) {
        const Successor& step = m_expressions[path[i].value].step;
        const ir::TermId before = found.thread.end().root;
        if (!index.list(before, successors, goOn)) return std::nullopt;
        if (std::ranges::find(successors, step.number, &Successor::number) == successors.end()) return std::nullopt;
        rewrite::Rewrite rewrite = index.rewrite(before, step);
        if (bank.hash(rewrite.result) != m_bank->hash(root(path[i]))) return std::nullopt;
        found.thread.steps.push_back(std::move(rewrite.step));
        found.thread.states.push_back(rewrite.result);
        found.costs.push_back(cost(path[i]));
    }
    return found;
}

std::vector<ExpressionId> StateSpace::pathTo(ExpressionId id) const {
    std::vector<ExpressionId> path;
    for (ExpressionId at = id; at.isValid(); at = m_expressions[at.value].parent) path.push_back(at);
    std::ranges::reverse(path);
    return path;
}

SearchResult StateSpace::finish(StopReason reason, ExpressionId end) {
    SearchResult result;
    result.reason = m_ended.value_or(reason);
    m_ended = result.reason;
    result.bank = m_bank;
    result.thread.start = m_program;
    const std::vector<ExpressionId> path = pathTo(end);
    for (std::size_t i = 0; i < path.size(); ++i) {
        result.costs.push_back(cost(path[i]));
        if (i == 0) continue;
        rewrite::Rewrite rewrite = m_index.rewrite(root(path[i - 1]), m_expressions[path[i].value].step);
        assert(rewrite.result == root(path[i]));
        result.thread.steps.push_back(std::move(rewrite.step));
        result.thread.states.push_back(rewrite.result);
    }
    result.check = rewrite::check(*m_bank, result.thread);
    result.initialCost = cost(start());
    result.bestCost = cost(end);
    m_statistics.states = m_expressions.size();
    m_statistics.memoryBytes = memoryBytes();
    m_statistics.seconds = secondsSinceStart();
    result.statistics = m_statistics;
    report(Finished{result.reason}, result.bestCost);
    return result;
}

}  // namespace mitos::search

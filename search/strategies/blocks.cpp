// SPDX-License-Identifier: GPL-3.0-or-later
// Searches one of several equal parts of a graph, such as the layers of a network, and repeats its rewrites in the others.
#include "core/ir/dialect.h"
#include "core/ir/repeats.h"
#include "core/ir/shared.h"
#include "core/ir/transplant.h"
#include "core/rewrite/thread_parts.h"
#include "search/cost_order.h"
#include "search/rewriting/rewriting.h"
#include "search/series.h"
#include "search/strategies/internal/schedule.h"
#include "search/strategies/strategies.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace mitos::search {

namespace {

constexpr std::size_t MostParts = 4;       ///< different parts that are searched; the others are small
constexpr std::size_t MostWork = 200'000;  ///< copies of a part, times the nodes of the program
constexpr std::uint64_t LeastShare = 10;   ///< evaluations, or states, for a part

/// Reports the search of a part as work on the whole program, whose cost stays the same meanwhile.
class PartObserver final : public Observer {
public:
    PartObserver(Observer& next, double cost) : m_next(next), m_cost(cost) {}

    void onEvent(const SearchEvent& event) override {
        if (event.is<Finished>() || event.is<Improved>()) return;
        SearchEvent outer = event;
        if (!event.is<Started>()) outer.what = Progress{};
        outer.cost = outer.best = m_cost;
        outer.pathLength = 0;
        m_next.onEvent(outer);
    }
    /// Nothing new; what was found before can be saved.
    void onBest(FindBest /*find*/) override {
        m_next.onBest([]() -> std::optional<BestSoFar> { return std::nullopt; });
    }

private:
    Observer& m_next;
    double m_cost;
};

class BlocksRun {
public:
    BlocksRun(const SearchProblem& problem, SearchPart part, std::stop_token stop, Observer& observer)
        : m_problem(problem),
          m_part(std::move(part)),
          m_stop(std::move(stop)),
          m_observer(observer),
          m_events(observer),
          m_budget(problem.budget),
          m_bank(std::make_shared<ir::TermBank>(problem.bank.sharedRegistry())) {}

    [[nodiscard]] Result<SearchResult> run() {
        std::vector<ir::RepeatedPart> parts;
        if (m_problem.bank.dialect(m_problem.program.function).sharesNodes()) {
            m_program = ir::Transplanter(m_problem.bank, *m_bank).program(m_problem.program);
            parts = ir::repeatedParts(*m_bank, m_program.root);
        }
        std::erase_if(parts, [this](const ir::RepeatedPart& part) { return isTooLong(part); });
        if (parts.size() > MostParts) parts.resize(MostParts);
        if (parts.empty() || isShort(parts.size()))
            return m_part.strategy->run(problemOf(m_problem.bank, m_problem.program, m_problem.budget), m_stop,
                                        m_observer);
        MITOS_TRY(const SearchResult repeated, searchParts(parts));
        m_bank.reset();  // what was tried in it takes memory
        return searchWhole(repeated);
    }

private:
    [[nodiscard]] bool isOver() const { return m_stop.stop_requested() || m_budget.usedUp(); }
    /// Whether taking a step in all copies makes too many terms.
    [[nodiscard]] bool isTooLong(const ir::RepeatedPart& part) const {
        return part.copies.size() * ir::sharedSize(*m_bank, m_program.root) > MostWork;
    }
    /// Whether the budget is too small to be shared.
    [[nodiscard]] bool isShort(std::size_t parts) const {
        const auto isBelow = [&](const std::optional<std::uint64_t>& limit) {
            return limit && *limit < LeastShare * (parts + 1);
        };
        return isBelow(m_budget.whole().evaluations) || isBelow(m_budget.whole().states);
    }

    /// Searches the parts, and takes what was found everywhere.
    [[nodiscard]] Result<SearchResult> searchParts(const std::vector<ir::RepeatedPart>& parts) {
        const std::unique_ptr<cost::CostEvaluator> costs = m_problem.cost->evaluator(*m_bank, m_program.function);
        MITOS_TRY(const double startCost, costs->cost(m_program.root, m_stop));
        std::vector<rewrite::PartThread> found;
        for (std::size_t i = 0; i < parts.size() && !isOver(); ++i) {
            if (std::optional<rewrite::PartThread> one = search(parts[i], parts.size() - i, startCost))
                found.push_back(*std::move(one));
        }
        return resultOf(rewrite::everywhere(*m_bank, m_program, found, [this] { return !isOver(); }), *costs);
    }

    [[nodiscard]] SearchProblem problemOf(const ir::TermBank& bank, const ir::Program& program,
                                          const Budget& budget) const {
        return {bank,   program,        m_problem.rules,   m_problem.cost,
                budget, m_problem.seed, m_part.parameters, m_problem.comparingSeconds};
    }

    /// Searches the first copy of a part. `open` parts, this one included, and the whole program share what is left of the budget equally.
    /// Nothing if no cheaper form was found.
    [[nodiscard]] std::optional<rewrite::PartThread> search(const ir::RepeatedPart& part, std::size_t open,
                                                            double startCost) {
        Result<ir::PartProgram> program = ir::programOf(*m_bank, m_program, part);
        if (!program) return std::nullopt;
        SearchProblem problem = problemOf(*m_bank, program->program, m_budget.next([&](double /*whole*/, double left) {
            return left / static_cast<double>(open + 1);
        }));
        problem.comparingSeconds = 0.0;  // the whole result is compared
        m_events.nextRun(m_budget.used(), 0, nullptr);
        PartObserver observer(m_events, startCost);
        const Result<SearchResult> result = m_part.strategy->run(problem, m_stop, observer);
        if (!result) return std::nullopt;
        m_budget.add(result->statistics);
        if (!result->check.valid || !isLower(result->bestCost, result->initialCost)) return std::nullopt;
        return rewrite::PartThread{*std::move(program), rewrite::transplant(*result->bank, result->thread, *m_bank)};
    }

    /// The thread up to its cheapest state, as a result; reports it if it is an improvement.
    [[nodiscard]] SearchResult resultOf(rewrite::Thread thread, cost::CostEvaluator& evaluator) {
        std::vector<double> costs{evaluator.costOrInfinity(thread.start.root)};
        for (const ir::TermId state : thread.states) costs.push_back(evaluator.costOrInfinity(state));
        SearchResult result = cheapestPart(m_bank, std::move(thread), std::move(costs));
        const std::size_t best = result.thread.steps.size();
        if (best == 0) return result;
        m_events.nextRun(m_budget.used(), 0, nullptr);
        m_events.onEvent({.what = Improved{},
                          .cost = result.bestCost,
                          .best = result.bestCost,
                          .pathLength = static_cast<std::uint32_t>(best)});
        return result;
    }

    [[nodiscard]] Result<SearchResult> searchWhole(const SearchResult& before) {
        const Budget rest = m_budget.next([](double /*whole*/, double left) { return left; });
        m_events.nextRun(m_budget.used(), before.thread.steps.size(), &before);
        MITOS_TRY(SearchResult further,
                  m_part.strategy->run(problemOf(*before.bank, before.thread.end(), rest), m_stop, m_events));
        m_budget.add(further.statistics);
        SearchResult result = joined(before, std::move(further));
        result.statistics = m_budget.used();
        m_events.finished(result);
        return result;
    }

    const SearchProblem& m_problem;
    SearchPart m_part;
    std::stop_token m_stop;
    Observer& m_observer;
    SeriesObserver m_events;
    SeriesBudget m_budget;
    std::shared_ptr<ir::TermBank> m_bank;
    ir::Program m_program;  ///< the problem's, in that bank
};

class Blocks final : public DescribedStrategy {
public:
    [[nodiscard]] const StrategyInfo& info() const override { return m_info; }

    [[nodiscard]] Result<SearchResult> runWith(const ParameterValues& parameters, const SearchProblem& problem,
                                               std::stop_token stop, Observer& observer) const override {
        MITOS_TRY(std::vector<SearchPart> parts, parseParts("part", std::get<std::string>(parameters.at("part"))));
        if (parts.size() != 1 || parts.front().holdsOthers())
            return inputError("part is one strategy that does not run others",
                              "Write for instance: part=mcts(depth=100)");
        const auto& known = parts.front().strategy->info().parameters;
        if (std::ranges::find(known, "depth", &ParameterInfo::name) != known.end())
            parts.front().parameters.try_emplace("depth", parameters.at("depth"));
        return BlocksRun(problem, std::move(parts.front()), std::move(stop), observer).run();
    }

private:
    StrategyInfo m_info{
        .name = std::string(BlocksName),
        .label = "Repeated blocks",
        .title = "Search one of several equal blocks",
        .description =
            "Finds parts of a network that are repeated, such as its layers, searches one of them as a program of its "
            "own, and "
            "takes the steps that were found in all of them, which is kept as far as it makes the whole network "
            "cheaper. The parts and the whole network, which is searched last, share the budget equally. Programs "
            "without repeated parts, and "
            "those that are trees, are searched as a whole.",
        .parameters = {{.name = "part",
                        .title = "Strategy",
                        .help =
                            "The strategy that searches a part, and the whole: a name, with parameters in parentheses.",
                        .defaultValue = std::string("mcts")},
                       depthParameter(
                           "Largest number of steps of the search of a part, unless that strategy says otherwise.",
                           60)},
        .randomized = true};
};

}  // namespace

std::unique_ptr<Strategy> makeBlocks() { return std::make_unique<Blocks>(); }

}  // namespace mitos::search

// SPDX-License-Identifier: GPL-3.0-or-later
// Searches one of several equal parts of a graph, such as the layers of a network, and repeats its rewrites in the others.
#include "core/ir/dialect.h"
#include "core/ir/repeats.h"
#include "core/ir/shared.h"
#include "search/rewriting/rewriting.h"
#include "search/strategies/internal/part_search.h"
#include "search/strategies/strategies.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace mitos::search {

namespace {

constexpr std::size_t MostParts = 4;       ///< different parts that are searched; the others are small
constexpr std::size_t MostWork = 200'000;  ///< copies of a part, times the nodes of the program
constexpr std::uint64_t LeastShare = 10;   ///< evaluations, or states, for a part

class BlocksRun {
public:
    BlocksRun(const SearchProblem& problem, SearchPart part, std::stop_token stop, Observer& observer)
        : m_problem(problem),
          m_stop(stop),
          m_observer(observer),
          m_part(std::move(part)),
          m_search(problem, std::move(stop), observer) {}

    [[nodiscard]] Result<SearchResult> run() {
        std::vector<ir::RepeatedPart> parts;
        if (m_problem.bank.dialect(m_problem.program.function).sharesNodes())
            parts = ir::repeatedParts(*m_search.bank(), m_search.program().root);
        std::erase_if(parts, [this](const ir::RepeatedPart& part) { return isTooLong(part); });
        if (parts.size() > MostParts) parts.resize(MostParts);
        if (parts.empty() || isShort(parts.size())) {
            return m_part.strategy->run(m_search.problemOf(m_part, m_problem.bank, m_problem.program, m_problem.budget),
                                        m_stop, m_observer);
        }
        MITOS_TRY(const SearchResult repeated, searchParts(parts));
        m_search.forget();  // what was tried in it takes memory
        return searchWhole(repeated);
    }

private:
    /// Whether taking a step in all copies makes too many terms.
    [[nodiscard]] bool isTooLong(const ir::RepeatedPart& part) const {
        return part.copies.size() * ir::sharedSize(*m_search.bank(), m_search.program().root) > MostWork;
    }
    /// Whether the budget is too small to be shared.
    [[nodiscard]] bool isShort(std::size_t parts) {
        const auto isBelow = [&](const std::optional<std::uint64_t>& limit) {
            return limit && *limit < LeastShare * (parts + 1);
        };
        return isBelow(m_search.budget().whole().evaluations) || isBelow(m_search.budget().whole().states);
    }

    /// Searches the parts, and takes what was found everywhere. The parts and the whole program share the budget equally.
    [[nodiscard]] Result<SearchResult> searchParts(const std::vector<ir::RepeatedPart>& parts) {
        ir::TermBank& bank = *m_search.bank();
        const ir::Program& whole = m_search.program();
        const std::unique_ptr<cost::CostEvaluator> costs = m_problem.cost->evaluator(bank, whole.function);
        MITOS_TRY(const double startCost, costs->cost(whole.root, m_stop));
        std::vector<rewrite::PartThread> found;
        for (std::size_t i = 0; i < parts.size() && !m_search.isOver(); ++i) {
            Result<ir::PartProgram> program = ir::programOf(bank, whole, parts[i]);
            if (!program) continue;
            if (auto one = m_search.search(m_part, *std::move(program), parts.size() - i + 1, startCost))
                found.push_back(*std::move(one));
        }
        return m_search.resultOf(rewrite::everywhere(bank, whole, found, [this] { return !m_search.isOver(); }),
                                 *costs);
    }

    [[nodiscard]] Result<SearchResult> searchWhole(const SearchResult& before) {
        const Budget rest = m_search.budget().next([](double /*whole*/, double left) { return left; });
        m_search.events().nextRun(m_search.budget().used(), before.thread.steps.size(), &before);
        MITOS_TRY(SearchResult further,
                  m_part.strategy->run(m_search.problemOf(m_part, *before.bank, before.thread.end(), rest), m_stop,
                                       m_search.events()));
        m_search.budget().add(further.statistics);
        SearchResult result = joined(before, std::move(further));
        result.statistics = m_search.budget().used();
        m_search.events().finished(result);
        return result;
    }

    const SearchProblem& m_problem;
    std::stop_token m_stop;
    Observer& m_observer;
    SearchPart m_part;
    PartSearch m_search;
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

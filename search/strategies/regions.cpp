// SPDX-License-Identifier: GPL-3.0-or-later
// Divides a graph into regions by a pattern, searches each as a program of its own, and puts the results back (PyPM paper, section 4.2).
#include "core/ir/dialect.h"
#include "core/partition/partition.h"
#include "core/partition/region_groups.h"
#include "core/rules/language/pattern_text.h"
#include "search/cost_order.h"
#include "search/strategies/internal/part_search.h"
#include "search/strategies/strategies.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::search {

namespace {

/// The values of the strategy's own parameters.
struct RegionChoice {
    std::shared_ptr<const rules::DirectedRule> pattern;
    std::string name;        ///< of the pattern
    std::size_t region = 0;  ///< number of the only one that is searched, from 1; 0: all
    std::size_t leastNodes = 1;
};

class RegionsRun {
public:
    RegionsRun(const SearchProblem& problem, SearchPart part, RegionChoice choice, std::stop_token stop,
               Observer& observer)
        : m_problem(problem),
          m_choice(std::move(choice)),
          m_stop(stop),
          m_search(problem, std::move(part), std::move(stop), observer) {}

    [[nodiscard]] Result<SearchResult> run() {
        ir::TermBank& bank = *m_search.bank();
        const ir::Program& whole = m_search.program();
        MITOS_TRY(
            const partition::Partition parts,
            partition::divide(bank, whole, *m_choice.pattern, {.leastNodes = m_choice.leastNodes, .stop = m_stop}));
        if (m_choice.region > parts.regions.size()) {
            return inputError(
                fmt::format("there is no region {}: {} gives {}", m_choice.region, m_choice.name, parts.regions.size()),
                "regions are numbered from 1; 0 is for all of them");
        }
        const std::unique_ptr<cost::CostEvaluator> costs = m_problem.cost->evaluator(bank, whole.function);
        MITOS_TRY(const double startCost, costs->cost(whole.root, m_stop));
        std::vector<partition::RegionGroup> groups = partition::groupsOf(bank, parts.regions);
        if (m_choice.region > 0) groups = {{{m_choice.region - 1}}};
        std::vector<rewrite::PartThread> found;
        for (std::size_t i = 0; i < groups.size() && !m_search.isOver(); ++i) {
            if (auto one = search(parts, groups[i], groups.size() - i, startCost)) found.push_back(*std::move(one));
        }
        SearchResult result = m_search.resultOf(kept(whole, std::move(found), *costs), *costs);
        result.statistics = m_search.budget().used();
        result.reason =
            m_stop.stop_requested() ? StopReason::Stopped : m_search.budget().usedUp().value_or(StopReason::Exhausted);
        result.notes = notesOn(parts, groups.size());
        m_search.events().finished(result);
        return result;
    }

private:
    [[nodiscard]] std::optional<rewrite::PartThread> search(const partition::Partition& parts,
                                                            const partition::RegionGroup& group, std::size_t open,
                                                            double startCost) {
        ir::RepeatedPart part;
        for (const std::size_t region : group.regions) part.copies.push_back(parts.regions[region].nodes);
        Result<ir::PartProgram> program =
            ir::programOf(*m_search.bank(), m_search.program(), part, ir::PartNames::OfValues);
        if (!program) return std::nullopt;
        std::optional<rewrite::PartThread> found = m_search.search(*std::move(program), open, startCost);
        if (!found) return std::nullopt;
        for (const std::size_t region : group.regions)
            found->regions.push_back(partition::regionName(m_choice.name, region));
        return found;
    }

    /// The thread that takes what was found in the regions, without those that make the whole program more expensive.
    [[nodiscard]] rewrite::Thread kept(const ir::Program& whole, std::vector<rewrite::PartThread> found,
                                       cost::CostEvaluator& evaluator) {
        while (true) {
            rewrite::Thread thread =
                rewrite::everywhere(*m_search.bank(), whole, found, [this] { return !m_stop.stop_requested(); });
            const std::vector<double> costs = PartSearch::costsOf(thread, evaluator);
            std::vector<double> gains(found.size(), 0.0);
            for (std::size_t i = 0; i < thread.steps.size(); ++i) {
                const std::string& name = thread.steps[i].region->name;
                const auto part = std::ranges::find_if(found, [&](const rewrite::PartThread& one) {
                    return std::ranges::find(one.regions, name) != one.regions.end();
                });
                gains[static_cast<std::size_t>(part - found.begin())] += costs[i] - costs[i + 1];
            }
            const auto worst = std::ranges::min_element(gains);
            if (worst == gains.end() || !isLower(*worst, 0.0)) return thread;
            found.erase(found.begin() + (worst - gains.begin()));
        }
    }

    [[nodiscard]] std::vector<std::string> notesOn(const partition::Partition& parts, std::size_t groups) const {
        std::vector<std::string> notes;
        if (parts.regions.empty())
            notes.push_back(fmt::format("{} matches nowhere, so nothing was searched", m_choice.name));
        if (groups > 0 && groups < parts.regions.size() && m_choice.region == 0) {
            notes.push_back(fmt::format("{} regions have {} different forms; each form was searched once",
                                        parts.regions.size(), groups));
        }
        return notes;
    }

    const SearchProblem& m_problem;
    RegionChoice m_choice;
    std::stop_token m_stop;
    PartSearch m_search;
};

class Regions final : public DescribedStrategy {
public:
    [[nodiscard]] const StrategyInfo& info() const override { return m_info; }

    [[nodiscard]] Result<SearchResult> runWith(const ParameterValues& parameters, const SearchProblem& problem,
                                               std::stop_token stop, Observer& observer) const override {
        const auto text = [&](const char* name) { return std::get<std::string>(parameters.at(name)); };
        MITOS_TRY(std::vector<SearchPart> parts, parseParts("part", text("part")));
        if (parts.size() != 1) return inputError("part is one strategy", "Write for instance: part=mcts(depth=100)");
        const StrategyInfo& part = parts.front().strategy->info();
        if (part.name == RegionsName || part.needs == ir::Capability::Schedule) {
            return inputError(fmt::format("{} does not search regions", part.name),
                              "A region is searched by a strategy that rewrites: greedy, mcts, saturation");
        }
        MITOS_TRY(rules::FoundPattern pattern,
                  rules::findPattern(text("pattern"), text("patterns"), problem.bank.sharedRegistry()));
        RegionChoice choice{.pattern = std::move(pattern.pattern),
                            .name = std::move(pattern.name),
                            .region = static_cast<std::size_t>(std::get<std::int64_t>(parameters.at("region"))),
                            .leastNodes = static_cast<std::size_t>(std::get<std::int64_t>(parameters.at("least")))};
        return RegionsRun(problem, std::move(parts.front()), std::move(choice), std::move(stop), observer).run();
    }

private:
    StrategyInfo m_info{
        .name = std::string(RegionsName),
        .label = "Regions",
        .title = "Search the regions that a pattern gives",
        .description =
            "Divides a network by a pattern into regions, such as each attention or each product with the operators "
            "behind it, searches each region as a program of its own, and takes the steps that were found in the whole "
            "network. Regions of one form are searched once. What makes the whole network more expensive is left out. "
            "(PyPM paper, section 4.2)",
        .parameters = {{.name = "pattern",
                        .title = "Pattern",
                        .help =
                            "A named pattern (Epilog, MatMulEpilog, SoftmaxAttention, …), or a left side as in a rule.",
                        .defaultValue = std::string("Epilog")},
                       {.name = "patterns",
                        .title = "Patterns of",
                        .help = "Rule sets or files with named patterns, separated by commas; those that come with the "
                                "program follow.",
                        .defaultValue = std::string()},
                       {.name = "part",
                        .title = "Strategy",
                        .help = "The strategy that searches a region: a name, with parameters in parentheses.",
                        .defaultValue = std::string("greedy")},
                       {.name = "region",
                        .title = "Region",
                        .help = "The number of the only region that is searched; 0 for all.",
                        .defaultValue = std::int64_t{0},
                        .minimum = 0,
                        .maximum = 1'000'000},
                       {.name = "least",
                        .title = "Smallest region",
                        .help = "The number of operators that a region has at least.",
                        .defaultValue = std::int64_t{1},
                        .minimum = 1,
                        .maximum = 1'000'000}},
        .randomized = true,
        .needs = ir::Capability::Divide};
};

}  // namespace

std::unique_ptr<Strategy> makeRegions() { return std::make_unique<Regions>(); }

}  // namespace mitos::search

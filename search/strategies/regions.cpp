// SPDX-License-Identifier: GPL-3.0-or-later
// Divides a graph into regions by a pattern, searches each as a program of its own, and puts the results back (PyPM paper, section 4.2).
#include "core/ir/dialect.h"
#include "core/partition/partition.h"
#include "core/partition/region_groups.h"
#include "core/rules/language/pattern_text.h"
#include "search/cost_order.h"
#include "search/strategies/internal/form_parts.h"
#include "search/strategies/internal/part_search.h"
#include "search/strategies/strategies.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
    RegionsRun(const SearchProblem& problem, FormParts forms, RegionChoice choice, std::stop_token stop,
               Observer& observer)
        : m_problem(problem),
          m_choice(std::move(choice)),
          m_stop(stop),
          m_forms(std::move(forms)),
          m_search(problem, std::move(stop), observer) {}

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
        MITOS_TRY(const std::vector<Searched> searched, searchedOf(partition::groupsOf(bank, parts.regions)));
        std::vector<rewrite::PartThread> found;
        for (std::size_t i = 0; i < searched.size() && !m_search.isOver(); ++i) {
            if (auto one = search(parts, searched[i], searched.size() - i, startCost)) found.push_back(*std::move(one));
        }
        SearchResult result = m_search.resultOf(kept(whole, std::move(found), *costs), *costs);
        result.statistics = m_search.budget().used();
        result.reason =
            m_stop.stop_requested() ? StopReason::Stopped : m_search.budget().usedUp().value_or(StopReason::Exhausted);
        result.notes = notesOn(parts, searched);
        m_search.events().finished(result);
        return result;
    }

private:
    /// Regions of one form that are searched.
    struct Searched {
        std::size_t form = 0;  ///< its number, from 1
        partition::RegionGroup group;
    };

    /// Fails if a form that has a strategy does not exist.
    [[nodiscard]] Result<std::vector<Searched>> searchedOf(const std::vector<partition::RegionGroup>& groups) const {
        if (m_forms.largestForm() > groups.size()) {
            return inputError(fmt::format("there is no form {}: the regions of {} have {}", m_forms.largestForm(),
                                          m_choice.name, groups.size()),
                              "the list of regions names the form of each; forms are numbered from 1");
        }
        std::vector<Searched> searched;
        for (std::size_t i = 0; i < groups.size(); ++i) {
            if (m_forms.of(i + 1) == nullptr) continue;
            if (m_choice.region == 0) {
                searched.push_back({i + 1, groups[i]});
            } else if (std::ranges::find(groups[i].regions, m_choice.region - 1) != groups[i].regions.end()) {
                searched.push_back({i + 1, {{m_choice.region - 1}}});
            }
        }
        if (m_choice.region > 0 && searched.empty()) {
            return inputError(fmt::format("region {} has no strategy", m_choice.region),
                              "Give the form of the region a strategy, or leave the region out");
        }
        return searched;
    }

    [[nodiscard]] std::optional<rewrite::PartThread> search(const partition::Partition& parts, const Searched& searched,
                                                            std::size_t open, double startCost) {
        ir::RepeatedPart part;
        for (const std::size_t region : searched.group.regions) part.copies.push_back(parts.regions[region].nodes);
        Result<ir::PartProgram> program =
            ir::programOf(*m_search.bank(), m_search.program(), part, ir::PartNames::OfValues);
        if (!program) return std::nullopt;
        std::optional<rewrite::PartThread> found =
            m_search.search(*m_forms.of(searched.form), *std::move(program), open, startCost);
        if (!found) return std::nullopt;
        for (const std::size_t region : searched.group.regions)
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

    [[nodiscard]] std::vector<std::string> notesOn(const partition::Partition& parts,
                                                   const std::vector<Searched>& searched) const {
        std::vector<std::string> notes;
        if (parts.regions.empty())
            notes.push_back(fmt::format("{} matches nowhere, so nothing was searched", m_choice.name));
        if (!m_forms.isOne()) return notesOnForms(std::move(notes), searched);
        if (!searched.empty() && searched.size() < parts.regions.size() && m_choice.region == 0) {
            notes.push_back(searched.size() == 1
                                ? fmt::format("{} regions have one form, which was searched once", parts.regions.size())
                                : fmt::format("{} regions have {} different forms; each form was searched once",
                                              parts.regions.size(), searched.size()));
        }
        return notes;
    }
    /// Adds which strategy searched which forms.
    [[nodiscard]] std::vector<std::string> notesOnForms(std::vector<std::string> notes,
                                                        const std::vector<Searched>& searched) const {
        std::vector<std::pair<std::string_view, std::vector<std::size_t>>> strategies;
        for (const Searched& one : searched) {
            const std::string_view text = m_forms.textOf(one.form);
            auto known = std::ranges::find(strategies, text, &decltype(strategies)::value_type::first);
            if (known == strategies.end()) known = strategies.insert(known, {text, {}});
            known->second.push_back(one.form);
        }
        for (const auto& [text, forms] : strategies) {
            notes.push_back(fmt::format("regions of form{} {} were searched with {}", forms.size() == 1 ? "" : "s",
                                        fmt::join(forms, ", "), text));
        }
        return notes;
    }

    const SearchProblem& m_problem;
    RegionChoice m_choice;
    std::stop_token m_stop;
    FormParts m_forms;
    PartSearch m_search;
};

class Regions final : public DescribedStrategy {
public:
    [[nodiscard]] const StrategyInfo& info() const override { return m_info; }

    [[nodiscard]] Result<SearchResult> runWith(const ParameterValues& parameters, const SearchProblem& problem,
                                               std::stop_token stop, Observer& observer) const override {
        const auto text = [&](const char* name) { return std::get<std::string>(parameters.at(name)); };
        MITOS_TRY(FormParts forms, FormParts::parse("part", text("part")));
        MITOS_TRY(rules::FoundPattern pattern,
                  rules::findPattern(text("pattern"), text("patterns"), problem.bank.sharedRegistry()));
        RegionChoice choice{.pattern = std::move(pattern.pattern),
                            .name = std::move(pattern.name),
                            .region = static_cast<std::size_t>(std::get<std::int64_t>(parameters.at("region"))),
                            .leastNodes = static_cast<std::size_t>(std::get<std::int64_t>(parameters.at("least")))};
        return RegionsRun(problem, std::move(forms), std::move(choice), std::move(stop), observer).run();
    }

private:
    StrategyInfo m_info{
        .name = std::string(RegionsName),
        .label = "Regions",
        .title = "Search the regions that a pattern gives",
        .description =
            "Divides a network by a pattern into regions, such as each attention or each product with the operators "
            "behind it, searches each region as a program of its own, and takes the steps that were found in the whole "
            "network. Regions of one form are searched once, and each form may have a strategy of its own. What makes "
            "the whole network more expensive is left out. "
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
                        .help =
                            "The strategy that searches a region: a name, with parameters in parentheses. Or one for "
                            "some forms of regions each: greedy; 2, 4-6: mcts(depth=100); 3: none.",
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

bool searchesRegions(const StrategyInfo& info) {
    return info.name != RegionsName && info.name != "portfolio" && info.needs != ir::Capability::Schedule;
}

std::unique_ptr<Strategy> makeRegions() { return std::make_unique<Regions>(); }

}  // namespace mitos::search

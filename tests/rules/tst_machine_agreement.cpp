// SPDX-License-Identifier: GPL-3.0-or-later
// The compiled matcher against the matching machine, over random patterns and random terms: the same matches in the same
// order, each an instance by the independent check.
#include "core/rules/directed_rule.h"
#include "core/rules/language/pattern_text.h"
#include "core/rules/matching/graph_matcher.h"
#include "core/rules/matching/machine.h"
#include "core/rules/matching/matcher.h"
#include "tests/rules/random_patterns.h"
#include "tests/rules/toy_graph.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <algorithm>
#include <array>

namespace tst_machine_agreement {

using namespace mitos;
using namespace mitos::tests;

namespace {

constexpr std::size_t MaxMatches = 40;

template <typename View>
std::vector<rules::Substitution> byMatcher(const View& view, const rules::CompiledRule& rule, rules::PlaceId place) {
    std::vector<rules::Substitution> found;
    rules::MatcherOver<View>(view, rule).run(place, [&](const rules::Substitution& substitution) {
        found.push_back(substitution);
        return found.size() < MaxMatches;
    });
    return found;
}

/// What a rule finds: the same values once, whatever alternates gave them.
std::vector<rules::Substitution> distinct(const std::vector<rules::Substitution>& matches,
                                          const rules::CompiledRule& rule) {
    std::vector<rules::Substitution> result;
    for (const rules::Substitution& match : matches) {
        const auto isSame = [&](const rules::Substitution& other) {
            for (std::size_t i = 0; i < match.values.size(); ++i) {
                if (i != rule.choices && match.values[i] != other.values[i]) return false;
            }
            return true;
        };
        if (std::none_of(result.begin(), result.end(), isSame)) result.push_back(match);
    }
    return result;
}

/// How often each transition was made.
using Counts = std::array<std::size_t, static_cast<std::size_t>(rules::Transition::Count)>;

std::vector<rules::Substitution> byMachine(const rules::GraphView& view, const rules::CompiledRule& rule,
                                           rules::PlaceId place, Counts& counts) {
    rules::Machine machine(view, rule, place);
    std::vector<rules::Substitution> found;
    while (machine.status() != rules::Machine::Status::Failure) {
        ++counts[static_cast<std::size_t>(machine.step())];
        if (machine.status() != rules::Machine::Status::Success) continue;
        found.push_back(machine.state().values);
        if (found.size() == MaxMatches) break;
    }
    return found;
}

}  // namespace

class TestMachineAgreement : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sameMatchesInTheSameOrder();
    void sameMatchesInAGraph();
};

void TestMachineAgreement::sameMatchesInTheSameOrder() {
    const SourceText definitions("definitions.rules", PatternDefinitions);
    const auto first = rules::loadPattern(SourceText("p", "x"), &definitions, registry());
    QVERIFY2(first.ok(), first ? "" : first.error().render().c_str());
    ir::TermBank bank(first->registry);
    const auto known = ks::parseModule(bank, SourceText("known.ks", "(edef Known Float (Float Float))"));
    QVERIFY2(known.ok(), known ? "" : known.error().render().c_str());

    Random random(20251121);
    RandomTerms terms(bank, known->functions.front(), random);
    Counts counts{};
    std::size_t pairs = 0;
    std::size_t refused = 0;
    std::size_t matched = 0;
    std::size_t several = 0;
    for (int round = 0; round < 10'000; ++round) {
        const ir::TermId term = terms.floating(4 + static_cast<int>(random.below(22)));
        const std::string text = RandomPattern(bank, random).make(term);
        const auto loaded = rules::loadPattern(SourceText("p", text), &definitions, registry());
        if (!loaded) {
            ++refused;
            continue;
        }
        const auto* pattern = dynamic_cast<const rules::CompiledDirection*>(loaded->pattern.get());
        QVERIFY(pattern != nullptr);
        std::vector<ir::TermId> subjects{term, terms.floating(8)};
        for (std::size_t at = 0; subjects.size() < 8 && at < subjects.size(); ++at) {
            for (const ir::TermId child : bank.children(subjects[at])) subjects.push_back(child);
        }
        for (const ir::TermId subject : subjects) {
            ++pairs;
            const rules::ProgramView view(bank);
            const auto compiled = byMatcher(view, pattern->compiled(), view.placeOf(subject));
            const auto machine = byMachine(view, pattern->compiled(), view.placeOf(subject), counts);
            if (compiled != machine) {
                const std::string message = fmt::format("{}\nagainst {}\nmatcher {} matches, machine {}", text,
                                                        printed(bank, subject), compiled.size(), machine.size());
                QFAIL(message.c_str());
            }
            if (compiled.size() < MaxMatches) {
                std::vector<rules::Substitution> found;
                pattern->match(bank, subject, [&](const rules::Substitution& substitution) {
                    found.push_back(substitution);
                    return true;
                });
                if (found != distinct(compiled, pattern->compiled())) {
                    QFAIL((text + "\nagainst " + printed(bank, subject) + "\nthe rule finds others").c_str());
                }
            }
            for (const rules::Substitution& match : compiled) {
                const Status status = pattern->isInstance(bank, match, subject);
                if (status) continue;
                const std::string message =
                    fmt::format("{}\nagainst {}\n{}", text, printed(bank, subject), status.error().message);
                QFAIL(message.c_str());
            }
            matched += compiled.empty() ? 0 : 1;
            several += compiled.size() > 1 ? 1 : 0;
        }
    }
    qInfo("%zu pairs, %zu with a match, %zu with several; %zu patterns refused by the checker", pairs, matched, several,
          refused);
    // Every transition was made, so every construct was compared; but for those that need an e-graph's view, or three
    // hundred unfoldings.
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const auto transition = static_cast<rules::Transition>(i);
        const bool isElsewhere =
            transition == rules::Transition::MatchChoice || transition == rules::Transition::MatchMuLimit;
        const std::string made = fmt::format("{} {}", counts[i], rules::toString(transition));
        QVERIFY2(isElsewhere || counts[i] >= 20, made.c_str());
    }
    QVERIFY2(pairs > 30'000, "too few patterns are right");
    QVERIFY2(matched > 8'000 && several > 1'000, "the generator makes too few matches");
}

/// Subterms by the binders around them: what stands below the same ones can be made equal without harm to scopes.
void collect(const ir::TermBank& bank, ir::TermId term, std::vector<ir::TypeId>& scope,
             std::map<std::pair<std::vector<ir::TypeId>, ir::TypeId>, std::vector<ir::TermId>>& found) {
    found[{scope, bank.type(term)}].push_back(term);
    for (std::size_t i = 0; i < bank.childCount(term); ++i) {
        const bool binds = bank.boundIn(term, i) > 0;
        if (binds) scope.push_back(bank.boundType(term));
        collect(bank, bank.child(term, i), scope, found);
        if (binds) scope.pop_back();
    }
}

void TestMachineAgreement::sameMatchesInAGraph() {
    const SourceText definitions("definitions.rules", PatternDefinitions);
    const auto first = rules::loadPattern(SourceText("p", "x"), &definitions, registry());
    QVERIFY2(first.ok(), first ? "" : first.error().render().c_str());
    ir::TermBank bank(first->registry);
    const auto known = ks::parseModule(bank, SourceText("known.ks", "(edef Known Float (Float Float))"));
    QVERIFY2(known.ok(), known ? "" : known.error().render().c_str());

    Random random(20251122);
    RandomTerms terms(bank, known->functions.front(), random);
    Counts counts{};
    std::size_t pairs = 0;
    std::size_t instances = 0;
    std::size_t dropped = 0;
    std::size_t onlyInTheGraph = 0;
    std::size_t kept = 0;
    for (int round = 0; round < 1'200; ++round) {
        // Two terms, some of whose parts are equal.
        ToyGraph graph(bank);
        const std::array starts{terms.floating(5 + static_cast<int>(random.below(20))), terms.floating(10)};
        std::map<std::pair<std::vector<ir::TypeId>, ir::TypeId>, std::vector<ir::TermId>> parts;
        std::vector<ir::TypeId> scope;
        for (const ir::TermId start : starts) {
            graph.add(start);
            collect(bank, start, scope, parts);
        }
        for (const auto& [surroundings, equal] : parts) {
            const std::size_t unions = equal.size() / 4;
            for (std::size_t i = 0; i < unions; ++i) {
                graph.unite(graph.add(equal[random.below(equal.size())]), graph.add(equal[random.below(equal.size())]));
            }
        }
        graph.rebuild();
        for (int patterns = 0; patterns < 3; ++patterns) {
            const std::string text = RandomPattern(bank, random).make(starts[0]);
            const auto loaded = rules::loadPattern(SourceText("p", text), &definitions, registry());
            if (!loaded) continue;
            const auto& pattern = dynamic_cast<const rules::CompiledDirection&>(*loaded->pattern);
            rules::MatchMemo memo(pattern.compiled());
            rules::GraphMatcher all(graph, pattern.compiled(), memo);
            const auto fail = [&](const std::string& message) {
                const std::string whole = fmt::format("{}\nagainst {} and {}\n{}", text, printed(bank, starts[0]),
                                                      printed(bank, starts[1]), message);
                QFAIL(whole.c_str());
            };
            for (const rules::PlaceId place : graph.places()) {
                ++pairs;
                const rules::GraphView& view = graph;
                const auto compiled = byMatcher(view, pattern.compiled(), place);
                const auto machine = byMachine(view, pattern.compiled(), place, counts);
                if (compiled != machine) {
                    return fail(fmt::format("matcher {} matches, machine {}", compiled.size(), machine.size()));
                }
                std::vector<rules::Substitution> found;
                all.run(place, [&](const rules::Substitution& match) {
                    found.push_back(match);
                    return found.size() < MaxMatches;
                });
                for (const rules::Substitution& match : found) {
                    const Result<ir::TermId> left = pattern.left(bank, match);
                    if (!left) return fail(left.error().message);
                    if (graph.placeOf(*left) != place) return fail(printed(bank, *left) + " is not in the class");
                    const Status instance = pattern.isInstance(bank, match, *left);
                    if (!instance) return fail(instance.error().message);
                }
                if (distinct(found, pattern.compiled()) != found) return fail("a match is reported twice");
                instances += found.size();
                if (compiled.size() < MaxMatches) {
                    dropped += distinct(compiled, pattern.compiled()).size() - found.size();
                }
                // What a program has matches of, the graph has too, where no condition looks at the very terms.
                const bool isPlain = text.find_first_of("\\<=") == std::string::npos &&
                                     text.find("let") == std::string::npos && text.find("where") == std::string::npos;
                if (!isPlain || place != graph.placeOf(starts[0]) || found.size() == MaxMatches) continue;
                std::size_t inProgram = 0;
                bool isKept = true;
                pattern.match(bank, starts[0], [&](const rules::Substitution& match) {
                    ++inProgram;
                    const bool isThere = std::any_of(found.begin(), found.end(), [&](const rules::Substitution& other) {
                        for (std::size_t i = 0; i < match.values.size(); ++i) {
                            const auto kind = pattern.compiled().variables[i].kind;
                            if (kind != rules::VarKind::Term || !match.values[i].term.isValid()) continue;
                            if (graph.placeOf(match.values[i].term) != graph.placeOf(other.values[i].term))
                                return false;
                        }
                        return true;
                    });
                    isKept = isKept && isThere;
                    return isThere;
                });
                if (!isKept) return fail("a match of the program is not found in the graph");
                kept += inProgram;
                onlyInTheGraph += found.size() > inProgram ? 1 : 0;
            }
        }
    }
    qInfo("%zu pairs, %zu instances, %zu matches are none; %zu matches of programs found again, %zu patterns with more",
          pairs, instances, dropped, kept, onlyInTheGraph);
    QVERIFY(counts[static_cast<std::size_t>(rules::Transition::MatchChoice)] > 1'000);
    QVERIFY(counts[static_cast<std::size_t>(rules::Transition::MatchMuLimit)] > 20);
    QVERIFY(pairs > 10'000 && instances > 3'000 && kept > 200 && onlyInTheGraph > 50);
}

MITOS_TEST(TestMachineAgreement)

}  // namespace tst_machine_agreement

#include "tst_machine_agreement.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// The compiled matcher against the matching machine, over random patterns and random terms: the same matches in the same
// order, each an instance by the independent check.
#include "core/rules/directed_rule.h"
#include "core/rules/machine.h"
#include "core/rules/matcher.h"
#include "core/rules/pattern_text.h"
#include "tests/rules/random_patterns.h"

#include <QtTest/QTest>

#include <algorithm>
#include <array>

using namespace mitos;
using namespace mitos::tests;

namespace {

constexpr std::size_t MaxMatches = 40;

std::vector<rules::Substitution> byMatcher(ir::TermBank& bank, const rules::CompiledRule& rule, ir::TermId subject) {
    std::vector<rules::Substitution> found;
    rules::Matcher(bank, rule, [&](const rules::Substitution& substitution) {
        found.push_back(substitution);
        return found.size() < MaxMatches;
    }).run(subject);
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

std::vector<rules::Substitution> byMachine(ir::TermBank& bank, const rules::CompiledRule& rule, ir::TermId subject,
                                           Counts& counts) {
    const rules::ProgramView view(bank);
    rules::Machine machine(view, rule, view.placeOf(subject));
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
            const auto compiled = byMatcher(bank, pattern->compiled(), subject);
            const auto machine = byMachine(bank, pattern->compiled(), subject, counts);
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

QTEST_GUILESS_MAIN(TestMachineAgreement)
#include "tst_machine_agreement.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Rule files with random mistakes: loading them ends with rules or messages, and what still loads matches, applies and
// checks without harm, and the matcher finds what the machine finds.
#include "core/rules/directed_rule.h"
#include "core/rules/matching/machine.h"
#include "core/rules/matching/matcher.h"
#include "tests/rules/random_patterns.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

namespace tst_rule_fuzz {

using namespace mitos;
using namespace mitos::tests;

namespace {

/// Every construct, close together, so that pieces of one get into another.
constexpr const char* Rules = R"(
op fused[mode](x, y) -> 2
rule halve [phase1, real-only]: exp(Half(x)) => sqrt(exp(x))  where x.type == Float and not x.is_const
rule chain: Chain(x, F) => F(x)  where F: unary_pointwise and F not in {neg}
rule tree: Tree(x, F, G) => x + 0  if F == exp
    F(G(x, 1))  if G.arity == 2
rule over: Epilog(a * b) => exp(a)  with local c, a <= c + c
rule sums: sumbuild(n, \i. a + b) <=> sumbuild(n, \i. a) + sumbuild(n, \i. b)  where i not in n
rule inlined: let x = e in body => body[x := e]  where x in body or e.nodes < 3
rule lifted: F(a..., let x = e in b, c...) => let x = e in F(a..., b, c...)
rule element: get[index=i](tuple(a..., e, b...)) => e  where a.length == i
rule tuples: tuple(a...) * z => tuple((a * z)...)
rule folded: c + d => const(c + d % 2)  where c.is_const and d.is_const
rule near: a / ~2.0 => a * 0.5
rule joined: Join[axis=k, mode="fast"](x, y) => Join[axis=k + 1, mode=true](y, x)  where k > 0
rule named: a * b => s - m  let m = b * a, s = exp(m)
rule several: exp(a), exp(b) => b, a
rule typed: sin(v) => index(0, build(1, \i: Integer. sin(v)))
rule mixed: Both(x, max(y, x)) + Named(x) => fused[mode=1](x, y).0
)";

std::vector<std::string> tokensOf(std::string_view text) {
    std::vector<std::string> tokens;
    const auto isName = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at + 1;
        if (isName(text[at])) {
            while (end < text.size() && isName(text[end])) ++end;
        } else if (text[at] == '.') {
            while (end < text.size() && text[end] == '.') ++end;
        }
        tokens.emplace_back(text.substr(at, end - at));
        at = end;
    }
    return tokens;
}

std::string mutated(std::vector<std::string> tokens, Random& random) {
    for (std::size_t count = 1 + random.below(4); count > 0; --count) {
        const std::size_t at = random.below(tokens.size());
        const std::string other = tokens[random.below(tokens.size())];
        switch (random.below(4)) {
            case 0: tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(at)); break;
            case 1: tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(at), other); break;
            case 2: tokens[at] = other; break;
            default: {
                const std::size_t length = std::min<std::size_t>(1 + random.below(12), tokens.size() - at);
                const std::size_t from = random.below(tokens.size() - length + 1);
                for (std::size_t i = 0; i < length; ++i) tokens[at + i] = std::string(tokens[from + i]);
            }
        }
    }
    std::string text;
    for (const std::string& token : tokens) text += token;
    return text;
}

}  // namespace

class TestRuleFuzz : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void brokenFilesDoNoHarm();
};

void TestRuleFuzz::brokenFilesDoNoHarm() {
    // The operators that the terms are made of stay as they are.
    const std::string definitions = PatternDefinitions;
    const std::size_t behindOperators = definitions.find("class trig");
    const std::string operators = definitions.substr(0, behindOperators) + "rule any: a + b => b + a\n";
    const auto declared = load(operators);
    QVERIFY(declared.ok() && declared->errors.empty());
    const auto loadFrom = [&](const std::string& text) {
        return rules::loadRules(SourceText("test.rules", text), declared->registry);
    };
    const std::string whole = definitions.substr(behindOperators) + Rules;
    const auto right = loadFrom(whole);
    QVERIFY2(right.ok(), right ? "" : right.error().render().c_str());
    QVERIFY2(right->errors.empty(), right->errors.empty() ? "" : right->errors.front().render().c_str());
    const std::vector<std::string> tokens = tokensOf(whole);
    Random random(4711);
    std::size_t messages = 0;
    std::size_t matches = 0;
    std::size_t applied = 0;
    for (int round = 0; round < 1500; ++round) {
        const std::string text = mutated(tokens, random);
        const Result<rules::LoadedRules> loaded = loadFrom(text);
        if (!loaded || !loaded->errors.empty()) {
            const Error& error = loaded ? loaded->errors.front() : loaded.error();
            QVERIFY2(error.place && error.place->line > 0 && !error.message.empty(), text.c_str());
            ++messages;
        }
        if (!loaded) continue;
        ir::TermBank bank(loaded->registry);
        const auto known = ks::parseModule(bank, SourceText("known.ks", "(edef Known Float (Float Float))"));
        QVERIFY2(known.ok(), text.c_str());
        RandomTerms terms(bank, known->functions.front(), random);
        std::vector<ir::TermId> subjects{terms.floating(20), terms.floating(8)};
        for (std::size_t at = 0; subjects.size() < 14 && at < subjects.size(); ++at) {
            for (const ir::TermId child : bank.children(subjects[at])) subjects.push_back(child);
        }
        for (const auto& rule : loaded->set.rules) {
            for (const auto& direction : rule->directions) {
                for (const ir::TermId subject : subjects) {
                    const auto& compiled = dynamic_cast<const rules::CompiledDirection&>(*direction).compiled();
                    std::vector<rules::Substitution> fast;
                    const rules::ProgramView view(bank);
                    rules::Matcher(view, compiled).run(view.placeOf(subject), [&](const rules::Substitution& match) {
                        fast.push_back(match);
                        return fast.size() < 20;
                    });
                    rules::Machine machine(view, compiled, view.placeOf(subject));
                    std::vector<rules::Substitution> slow;
                    while (slow.size() < 20 && machine.run() == rules::Machine::Status::Success) {
                        slow.push_back(machine.state().values);
                        machine.step();
                    }
                    if (fast != slow) qFatal("%s\nagainst %s", text.c_str(), printed(bank, subject).c_str());
                    std::size_t count = 0;
                    direction->match(bank, subject, [&](const rules::Substitution& match) {
                        ++matches;
                        const Status instance = direction->isInstance(bank, match, subject);
                        if (!instance) qFatal("%s\n%s", rule->text.c_str(), instance.error().message.c_str());
                        const Result<ir::TermId> result = direction->apply(bank, match, subject);
                        if (result) ++applied;
                        return ++count < 20;
                    });
                }
            }
        }
    }
    qInfo("%zu files with messages, %zu matches, %zu rewrites", messages, matches, applied);
    QVERIFY(messages > 500 && matches > 5'000 && applied > 1'000);
}

MITOS_TEST(TestRuleFuzz)

}  // namespace tst_rule_fuzz

#include "tst_rule_fuzz.moc"

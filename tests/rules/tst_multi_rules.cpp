// SPDX-License-Identifier: GPL-3.0-or-later
// Rules with several roots: what they do to each root is a rule of its own, under a substitution of the whole.
#include "tests/rules/random_patterns.h"
#include "tests/rules/rule_helpers.h"
#include "tests/rules/toy_graph.h"
#include "tests/support/joint_matches.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <QFile>
#include <QTemporaryDir>
#include <algorithm>
#include <array>

using namespace mitos;
using namespace mitos::tests;

namespace {

constexpr const char* Rules = R"(use ks
op Pair(x, y)
op Path(x, y)
pattern Half(x) = x / 2
pattern Half(x) = x * 0.5
rule trans: Path(x, y), Path(y, z) => Path(x, z), Path(y, z)
rule shared: x * y, x * z => m - x * z, m - x * y
    let s = y + z, m = x * s
    where y.nodes < 3
rule halves: Half(x), exp(Half(y)) => x * 0.5, exp(y * 0.5)
rule both: exp(x), log(y) <=> Pair(x, y), Pair(y, x)
rule other: x + 0 => x
)";

/// A rule book of the rules above.
Result<rules::RuleBook> book() {
    const QTemporaryDir folder;
    const QString name = folder.filePath(QStringLiteral("several.rules"));
    QFile file(name);
    if (!file.open(QIODevice::WriteOnly) || file.write(Rules) < 0) qFatal("cannot write");
    file.close();
    return rules::RuleBook::load(name.toStdString(), registry());
}

std::shared_ptr<const rules::CompiledDirection> named(const rules::RuleBook& book, const std::string& name) {
    return std::dynamic_pointer_cast<const rules::CompiledDirection>(book.find(name));
}

/// The matches of the whole at a tuple of terms: the paper's machine has no notion of several roots, but tuples are terms.
std::vector<rules::Substitution> matches(ir::TermBank& bank, const rules::CompiledDirection& rule,
                                         const std::vector<ir::TermId>& roots) {
    const rules::ProgramView view(bank);
    std::vector<rules::Substitution> found;
    rules::Matcher(view, rule.compiled()).run(view.placeOf(bank.tuple(roots)), [&](const rules::Substitution& match) {
        found.push_back(match);
        return true;
    });
    return found;
}

ir::TermId parsed(ir::TermBank& bank, const std::string& text) {
    const Result<ir::Program> program = ks::parseProgram(bank, "test.ks", text);
    if (!program) qFatal("%s", program.error().render().c_str());
    return program->root;
}

}  // namespace

class TestMultiRules : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void names();
    void rootsUnderOneSubstitution();
    void choicesOfRoots();
    void joinsFindWhatTuplesMatch();
};

void TestMultiRules::names() {
    const auto rules = book();
    QVERIFY2(rules.ok(), rules ? "" : rules.error().render().c_str());
    std::string all;
    for (const auto& direction : rules->directions()) all += direction->name() + " ";
    QCOMPARE(all, std::string("other trans shared halves both both~ "));
    for (const char* name : {"trans.0", "trans.1", "both.0", "both.1~", "other"}) {
        const auto found = rules->find(name);
        QVERIFY2(found != nullptr, name);
        QCOMPARE(found->name(), std::string(name));
        QVERIFY(found->roots().size() == 1 && found->rule().directions.empty());
    }
    for (const char* name : {"trans", "both", "both~"}) {
        const auto found = rules->find(name);
        QVERIFY2(found != nullptr && found->roots().size() == 2, name);
        QCOMPARE(found->name(), std::string(name));
    }
    QCOMPARE(rules->directions().size(), std::size_t{6});
    for (const char* name : {"both~~", "trans.2", "trans~", "both.0~~"}) QVERIFY2(rules->find(name) == nullptr, name);
    QCOMPARE(rules->sets().at(0).rules.at(0)->directions.size(), std::size_t{1});
    QVERIFY(rules->sets()[0].rules[0]->hasSeveralRoots());
    const auto shared = named(*rules, "shared");
    QCOMPARE(shared->roots()[0].alone->openVariable(), std::string("z"));
    QCOMPARE(shared->roots()[1].alone->openVariable(), std::string("y"));
    QCOMPARE(named(*rules, "trans")->roots()[0].alone->openVariable(), std::string("z"));
    QVERIFY(named(*rules, "trans")->roots()[1].alone->openVariable().empty());
    QVERIFY(named(*rules, "halves")->roots()[0].alone->openVariable().empty());
}

void TestMultiRules::rootsUnderOneSubstitution() {
    const auto rules = book();
    QVERIFY2(rules.ok(), rules ? "" : rules.error().render().c_str());
    ir::TermBank bank(rules->registry());
    const ir::TermId first = parsed(bank, "(mul a b)");
    const ir::TermId second = parsed(bank, "(mul a (exp c))");
    const auto rule = named(*rules, "shared");
    const auto found = matches(bank, *rule, {first, second});
    QCOMPARE(found.size(), std::size_t{1});
    QVERIFY(matches(bank, *rule, {first, parsed(bank, "(mul b c)")}).empty());
    const auto own = rule->projections(bank, found[0]);
    QVERIFY(own.ok() && own->size() == 2);
    const auto& left = *rule->roots()[0].alone;
    QVERIFY(left.isInstance(bank, (*own)[0], first).ok());
    QVERIFY(!left.isInstance(bank, (*own)[0], second).ok());
    QVERIFY(rule->roots()[1].alone->isInstance(bank, (*own)[1], second).ok());
    const auto result = left.apply(bank, (*own)[0], first);
    QVERIFY(result.ok());
    QCOMPARE(printed(bank, *result), std::string("(sub (mul a (add b (exp c))) (mul a (exp c)))"));
    const auto other = rule->roots()[1].alone->apply(bank, (*own)[1], second);
    QVERIFY(other.ok());
    QCOMPARE(printed(bank, *other), std::string("(sub (mul a (add b (exp c))) (mul a b))"));
    // The condition is one of each root; a substitution of another rule is refused.
    QVERIFY(matches(bank, *rule, {parsed(bank, "(mul a (exp (exp c)))"), second}).empty());
    QVERIFY(!rule->projections(bank, rules::Substitution()).ok());
    // A root alone does not say what the others' variables stand for: it finds no rewrite.
    std::size_t alone = 0;
    left.match(bank, first, [&](const rules::Substitution& match) {
        alone += left.apply(bank, match, first).ok() ? 1 : 0;
        return true;
    });
    QCOMPARE(alone, std::size_t{0});
}

void TestMultiRules::choicesOfRoots() {
    const auto rules = book();
    QVERIFY2(rules.ok(), rules ? "" : rules.error().render().c_str());
    ir::TermBank bank(rules->registry());
    const std::vector<ir::TermId> roots{parsed(bank, "(mul a 0.5)"), parsed(bank, "(exp (div b 2.0))")};
    const auto rule = named(*rules, "halves");
    const auto found = matches(bank, *rule, roots);
    QCOMPARE(found.size(), std::size_t{1});
    const auto own = rule->projections(bank, found[0]);
    QVERIFY(own.ok());
    for (std::size_t i = 0; i < 2; ++i) {
        QVERIFY(!rule->roots()[i].alone->isInstance(bank, found[0], roots[i]).ok());
        QVERIFY(rule->roots()[i].alone->isInstance(bank, (*own)[i], roots[i]).ok());
    }
    // Each root determines its rewrite, so it finds it alone too.
    std::size_t alone = 0;
    rule->roots()[1].alone->match(bank, roots[1], [&](const rules::Substitution& match) {
        const auto result = rule->roots()[1].alone->apply(bank, match, roots[1]);
        alone += result.ok() && printed(bank, *result) == "(exp (mul b 0.5))" ? 1 : 0;
        return true;
    });
    QCOMPARE(alone, std::size_t{1});
}

void TestMultiRules::joinsFindWhatTuplesMatch() {
    const char* const patterns[] = {
        "x * y, x * z",
        "exp(x), x + y",
        "x * y, x * z, F(z)",
        "F(x), F(y)",
        "sin(x), neg(y)",
        "Both(x, y), exp(x)",
        "x * y, exp(z) where x.nodes < 4",
        "Join[axis=1](x, y), x * z",
        "Opt(x), Both(x, 2)",
        "Known(a...), F(a...)",
        "let v = x in y, exp(x)",
        "sumbuild(n, \\i. x), sumbuild(n, \\i. y)",
        "x * y, exp(z) with y <= F(w)",
        "Chain(x, F), F(y)",
        "Half(x), Half(x)",
    };
    std::string text(PatternDefinitions);
    for (std::size_t i = 0; i < std::size(patterns); ++i) {
        const std::string pattern = patterns[i];
        const std::size_t clause = std::min(pattern.find(" where"), pattern.find(" with"));
        const std::string left = pattern.substr(0, clause);
        // The results do not matter here.
        std::string right = "0.0";
        for (int depth = 0; const char c : left) {
            depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
            if (c == ',' && depth == 0) right += ", 0.0";
        }
        text += fmt::format("rule r{}: {} => {}{}\n", i, left, right,
                            clause == std::string::npos ? "" : pattern.substr(clause));
    }
    const auto loaded = load(text);
    QVERIFY2(loaded.ok() && loaded->errors.empty(), errorsOf(text).c_str());
    ir::TermBank bank(loaded->registry);
    const auto known = ks::parseModule(bank, SourceText("known.ks", "(edef Known Float (Float Float))"));
    QVERIFY2(known.ok(), known ? "" : known.error().render().c_str());
    Random random(20251123);
    RandomTerms terms(bank, known->functions.front(), random);
    std::vector<std::size_t> matched(loaded->set.rules.size(), 0);
    for (int round = 0; round < 60; ++round) {
        ToyGraph graph(bank);
        for (int i = 0; i < 2 + round % 2; ++i) graph.add(terms.floating(9));
        const std::vector<rules::PlaceId> all = graph.places();
        for (int i = 0; i < 3; ++i) {
            const rules::PlaceId a = all[random.below(all.size())];
            const rules::PlaceId b = all[random.below(all.size())];
            const bool isClosed = bank.looseBound(graph.node(a, 0)) == 0 && bank.looseBound(graph.node(b, 0)) == 0;
            if (isClosed && bank.type(graph.node(a, 0)) == bank.type(graph.node(b, 0))) graph.unite(a, b);
        }
        graph.rebuild();
        const std::vector<rules::PlaceId> places = graph.places();
        for (std::size_t r = 0; r < loaded->set.rules.size(); ++r) {
            const auto& rule = dynamic_cast<const rules::CompiledDirection&>(*loaded->set.rules[r]->directions.front());
            const std::size_t roots = rule.roots().size();
            if (roots > 2 && places.size() > 26) continue;  // the tuples are too many
            using Found = std::vector<std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>>;
            const auto flat = [&](const rules::Substitution& match) {
                std::vector<std::uint32_t> values;
                for (std::size_t i = 0; i < match.values.size(); ++i) {
                    if (i == rule.compiled().choices) continue;
                    values.push_back(match.values[i].term.value);
                    for (const ir::TermId element : match.values[i].sequence) values.push_back(element.value);
                }
                return values;
            };
            Found joined;
            const bool isComplete = tests::forEachJointMatch(
                graph, rule, places, [&](std::span<const rules::PlaceId> at, const rules::Substitution& match) {
                    std::vector<std::uint32_t> where;
                    for (const rules::PlaceId place : at) where.push_back(place.value);
                    joined.emplace_back(where, flat(match));
                    const auto own = rule.projections(bank, match);
                    if (!own) qFatal("%s", own.error().message.c_str());
                    for (std::size_t i = 0; i < roots; ++i) {
                        const auto left = rule.roots()[i].alone->left(bank, (*own)[i]);
                        if (!left || graph.placeOf(*left) != at[i]) qFatal("no instance of %s", rule.name().c_str());
                        if (!rule.roots()[i].alone->isInstance(bank, (*own)[i], *left))
                            qFatal("the condition does not hold");
                    }
                    return true;
                });
            QVERIFY(isComplete);
            // Every tuple of places, matched as a term that is no part of the graph.
            Found tuples;
            std::vector<std::size_t> at(roots, 0);
            const rules::GraphView& view = graph;
            rules::MatcherOver<rules::GraphView> whole(view, rule.compiled());
            while (at.back() < places.size()) {
                std::vector<ir::TermId> values;
                std::vector<std::uint32_t> where;
                for (const std::size_t i : at) {
                    values.push_back(graph.value(places[i]));
                    where.push_back(places[i].value);
                }
                whole.run(graph.plainPlace(bank.tuple(values)), [&](const rules::Substitution& match) {
                    tuples.emplace_back(where, flat(match));
                    return true;
                });
                for (std::size_t i = 0; i < roots && ++at[i] == places.size() && i + 1 < roots; ++i) at[i] = 0;
            }
            std::sort(joined.begin(), joined.end());
            QVERIFY2(std::adjacent_find(joined.begin(), joined.end()) == joined.end(), rule.name().c_str());
            std::sort(tuples.begin(), tuples.end());
            tuples.erase(std::unique(tuples.begin(), tuples.end()), tuples.end());
            // Match constraints make values exact, which tuples do not.
            const bool isExact = rule.compiled().constraints.empty();
            const bool same = isExact ? joined == tuples : joined.size() <= tuples.size();
            QVERIFY2(
                same,
                fmt::format("{}: {} by joining, {} of the tuples", patterns[r], joined.size(), tuples.size()).c_str());
            matched[r] += joined.size();
        }
    }
    for (std::size_t r = 0; r < matched.size(); ++r) QVERIFY2(matched[r] > 0, patterns[r]);
}

MITOS_TEST(tst_multi_rules, TestMultiRules)
#include "tst_multi_rules.moc"

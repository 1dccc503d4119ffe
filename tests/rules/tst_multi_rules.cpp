// SPDX-License-Identifier: GPL-3.0-or-later
// Rules with several roots: what they do to each root is a rule of its own, under a substitution of the whole.
#include "core/rules/matcher.h"
#include "core/rules/multi_rule.h"
#include "tests/rules/rule_helpers.h"

#include <QtTest/QTest>

#include <QFile>
#include <QTemporaryDir>

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

std::shared_ptr<const rules::MultiRule> named(const rules::RuleBook& book, const std::string& name) {
    for (const auto& multi : book.multis()) {
        if (multi->name() == name) return multi;
    }
    return nullptr;
}

/// The matches of the whole at a tuple of terms: the paper's machine has no notion of several roots, but tuples are terms.
std::vector<rules::Substitution> matches(ir::TermBank& bank, const rules::MultiRule& rule,
                                         const std::vector<ir::TermId>& roots) {
    const rules::ProgramView view(bank);
    std::vector<rules::Substitution> found;
    rules::Matcher(view, rule.whole()).run(view.placeOf(bank.tuple(roots)), [&](const rules::Substitution& match) {
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
};

void TestMultiRules::names() {
    const auto rules = book();
    QVERIFY2(rules.ok(), rules ? "" : rules.error().render().c_str());
    std::string all;
    for (const auto& multi : rules->multis()) all += multi->name() + " ";
    QCOMPARE(all, std::string("trans shared halves both both~ "));
    QCOMPARE(rules->directions().size(), std::size_t{1});
    QCOMPARE(rules->directions()[0]->name(), std::string("other"));
    for (const char* name : {"trans.0", "trans.1", "both.0", "both.1~", "other"}) {
        const auto found = rules->find(name);
        QVERIFY2(found != nullptr, name);
        QCOMPARE(found->name(), std::string(name));
        QVERIFY(found->rule().multis.empty() && found->rule().directions.empty());
    }
    for (const char* name : {"trans", "trans.2", "both", "both.0~~"}) QVERIFY2(rules->find(name) == nullptr, name);
    QCOMPARE(rules->sets().at(0).rules.at(0)->multis.size(), std::size_t{1});
    QVERIFY(rules->sets()[0].rules[0]->directions.empty());
    const auto shared = named(*rules, "shared");
    QCOMPARE(shared->openVariable(0), std::string("z"));
    QCOMPARE(shared->openVariable(1), std::string("y"));
    QCOMPARE(named(*rules, "trans")->openVariable(0), std::string("z"));
    QVERIFY(named(*rules, "trans")->openVariable(1).empty());
    QVERIFY(named(*rules, "halves")->openVariable(0).empty());
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
    const auto& left = *rule->roots()[0];
    QVERIFY(left.isInstance(bank, (*own)[0], first).ok());
    QVERIFY(!left.isInstance(bank, (*own)[0], second).ok());
    QVERIFY(rule->roots()[1]->isInstance(bank, (*own)[1], second).ok());
    const auto result = left.apply(bank, (*own)[0], first);
    QVERIFY(result.ok());
    QCOMPARE(printed(bank, *result), std::string("(sub (mul a (add b (exp c))) (mul a (exp c)))"));
    const auto other = rule->roots()[1]->apply(bank, (*own)[1], second);
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
        QVERIFY(!rule->roots()[i]->isInstance(bank, found[0], roots[i]).ok());
        QVERIFY(rule->roots()[i]->isInstance(bank, (*own)[i], roots[i]).ok());
    }
    // Each root determines its rewrite, so it finds it alone too.
    std::size_t alone = 0;
    rule->roots()[1]->match(bank, roots[1], [&](const rules::Substitution& match) {
        const auto result = rule->roots()[1]->apply(bank, match, roots[1]);
        alone += result.ok() && printed(bank, *result) == "(exp (mul b 0.5))" ? 1 : 0;
        return true;
    });
    QCOMPARE(alone, std::size_t{1});
}

QTEST_GUILESS_MAIN(TestMultiRules)
#include "tst_multi_rules.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Gains of rules: by hand on small algebras, and the laws (gains add up to improvements, recording changes nothing) on random
// programs under every model.
#include "core/base/random.h"
#include "core/eval/testing/random_terms.h"
#include "core/extract/pricing.h"
#include "core/extract/rule_gains.h"
#include "tests/extract/grown_program.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <map>

namespace tst_rule_gains {

using namespace mitos;
using namespace mitos::tests;
using extract::RuleGains;

namespace {

/// Grows it, gains recorded after each iteration.
egraph::SaturationReport growWithGains(World& world, std::uint32_t iterations, std::uint64_t nodes,
                                       const std::vector<ir::Program>& programs,
                                       absl::FunctionRef<bool()> mayGoOn = always) {
    const std::unique_ptr<extract::Pricing> pricing =
        extract::makePricing(world.graph, *world.costs, ir::Sharing::Tree);
    if (!pricing->update(always)) qFatal("pricing was refused");
    const auto least = [&](egraph::ENodeId node) { return pricing->least(node); };
    RuleGains gains(world.graph, *world.costs, world.rules(), programs, least);
    return world.grow(iterations, nodes, [&](egraph::SaturationReport& report) {
        if (!pricing->update(always)) qFatal("pricing was refused");
        gains.record(least, report, mayGoOn);
    });
}

std::map<std::string, double> gainsOf(const egraph::SaturationReport& report, std::size_t iteration) {
    std::map<std::string, double> gains;
    for (std::size_t rule = 0; rule < report.rules.size(); ++rule) {
        const double gain = report.iterations[iteration].rules[rule].gain;
        if (gain != 0.0) gains[report.rules[rule]] = gain;
    }
    return gains;
}

using Gains = std::map<std::string, double>;

}  // namespace

class TestRuleGains : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QVERIFY(m_folder.isValid()); }

    /// The rule that must first make the program more expensive gets half of the gain.
    void aWayThatClimbsFirst() {
        World world(rules("op g(x) -> 1\nop h(x, y) -> 1\nrule expand: g(x) => h(x, x)\nrule shrink: h(x, x) => x\n"),
                    std::string(Header) + "(g x))", "size");
        const egraph::SaturationReport report = growWithGains(world, 5, 100, {world.program});
        QCOMPARE(report.startCost, std::optional(2.0));
        QCOMPARE(report.iterations[0].cost, std::optional(2.0));
        QCOMPARE(report.iterations[0].gain, std::optional(0.0));
        QVERIFY(gainsOf(report, 0).empty());
        QCOMPARE(report.iterations[1].cost, std::optional(1.0));
        QCOMPARE(report.iterations[1].gain, std::optional(1.0));
        QVERIFY((gainsOf(report, 1) == Gains{{"expand", 0.5}, {"shrink", 0.5}}));
        QVERIFY(report.gainDetail.empty());
    }

    /// First 4 -> 3 by `early`, then 4 -> 2 by another path, which undoes the first.
    void whatIsTakenBack() {
        World world(rules("op a(x) -> 1\nop b(x) -> 1\nop c(x) -> 1\nop d(x) -> 1\n"
                          "rule early: a(a(x)) => b(x)\nrule first: a(a(a(x))) => c(c(c(c(x))))\n"
                          "rule second: c(c(c(c(x)))) => d(x)\n"),
                    std::string(Header) + "(a (a (a x))))", "size");
        const egraph::SaturationReport report = growWithGains(world, 6, 100, {world.program});
        QCOMPARE(report.startCost, std::optional(4.0));
        QCOMPARE(report.iterations[0].cost, std::optional(3.0));
        QVERIFY((gainsOf(report, 0) == Gains{{"early", 1.0}}));
        QCOMPARE(report.iterations[1].cost, std::optional(2.0));
        QVERIFY((gainsOf(report, 1) == Gains{{"first", 0.5}, {"second", 0.5}}));
    }

    /// A rule gains with both its roots, and at all programs.
    void severalRootsAndPrograms() {
        World world(rules("op p(x) -> 1\nop q(x) -> 1\nop r(x) -> 1\nrule both: p(x), q(x) => x, r(r(x))\n"
                          "rule once: r(r(x)) => x\n"),
                    std::string(Header) + "(p (p x)))", "size");
        const Result<ir::Program> other = ks::parseProgram(world.bank, "other", "(def g Float (x : Float) (q (p x)))");
        QVERIFY(other.ok());
        world.graph.add(other->root);
        world.graph.rebuild();
        const egraph::SaturationReport report = growWithGains(world, 2, 100, {world.program, *other});
        QCOMPARE(report.startCost, std::optional(6.0));
        QCOMPARE(report.iterations[0].cost, std::optional(5.0));  // p x, and still q (p x)
        QVERIFY((gainsOf(report, 0) == Gains{{"both", 1.0}}));
        QCOMPARE(report.iterations[1].cost, std::optional(4.0));  // p x, p x
        QVERIFY((gainsOf(report, 1) == Gains{{"both", 0.5}, {"once", 0.5}}));
    }

    void laws_data() {
        QTest::addColumn<QString>("model");
        for (const char* model : {"size", "ks-2021", "ks-2019", "ks-sized"}) {
            QTest::newRow(model) << QString::fromUtf8(model);
        }
    }
    void laws() {
        QFETCH(const QString, model);
        Random random(77);
        int improved = 0;
        int shared = 0;
        for (int i = 0; i < 40; ++i) {
            World world("ks-simple,ks-extended", std::string(Header) + "x)", model.toUtf8().constData());
            World untouched("ks-simple,ks-extended", std::string(Header) + "x)", model.toUtf8().constData());
            eval::TermScope scope;
            scope.free = world.bank.function(world.program.function).parameters;
            Random same = random;
            world.program.root = eval::randomTerm(world.bank, world.bank.types().floating(), scope, random, 18);
            scope.free = untouched.bank.function(untouched.program.function).parameters;
            untouched.program.root =
                eval::randomTerm(untouched.bank, untouched.bank.types().floating(), scope, same, 18);
            world.graph.add(world.program.root);
            world.graph.rebuild();
            untouched.graph.add(untouched.program.root);
            untouched.graph.rebuild();
            const egraph::SaturationReport report = growWithGains(world, 4, 800, {world.program});
            QVERIFY2(report.gainDetail.empty(), report.gainDetail.c_str());
            QVERIFY(report.startCost.has_value());
            double last = *report.startCost;
            for (const egraph::IterationReport& iteration : report.iterations) {
                QVERIFY(iteration.cost.has_value() && iteration.gain.has_value());
                double sum = 0.0;
                int rules = 0;
                for (const egraph::RuleReport& rule : iteration.rules) {
                    QVERIFY(rule.gain >= 0.0);
                    sum += rule.gain;
                    rules += rule.gain != 0.0 ? 1 : 0;
                }
                const double tolerance = 1e-9 * std::max(1.0, *report.startCost);
                QVERIFY(std::abs(sum - *iteration.gain) <= tolerance);
                QVERIFY(std::abs(*iteration.gain - (last - *iteration.cost)) <= tolerance);
                QVERIFY(*iteration.gain >= 0.0);
                improved += *iteration.gain > 0.0 ? 1 : 0;
                shared += rules > 1 ? 1 : 0;
                last = *iteration.cost;
            }
            // The run is the same as one without recording.
            const egraph::SaturationReport other = untouched.grow(4, 800);
            QCOMPARE(report.iterations.size(), other.iterations.size());
            for (std::size_t at = 0; at < other.iterations.size(); ++at) {
                QCOMPARE(report.iterations[at].nodes, other.iterations[at].nodes);
                QCOMPARE(report.iterations[at].classes, other.iterations[at].classes);
                for (std::size_t rule = 0; rule < other.rules.size(); ++rule) {
                    QCOMPARE(report.iterations[at].rules[rule].matches, other.iterations[at].rules[rule].matches);
                    QCOMPARE(report.iterations[at].rules[rule].applied, other.iterations[at].rules[rule].applied);
                    QCOMPARE(report.iterations[at].rules[rule].nodes, other.iterations[at].rules[rule].nodes);
                }
            }
        }
        QVERIFY2(improved > 20 && shared > 4, qPrintable(QStringLiteral("%1 %2").arg(improved).arg(shared)));
    }

    /// The cost is known, but not the rule that achieved it; the reason is reported.
    void whatIsNotKnown() {
        const std::string program = std::string(Header) + "(add (mul 1.0 x) 0.0))";
        World silent("ks-simple", program, "size", false);
        const egraph::SaturationReport report = growWithGains(silent, 3, 500, {silent.program});
        QCOMPARE(report.startCost, std::optional(5.0));
        QCOMPARE(report.iterations.back().cost, std::optional(1.0));
        QVERIFY(!report.iterations.front().gain.has_value());
        QCOMPARE(report.gainDetail, std::string("the e-graph keeps no reasons"));

        World stopped("ks-simple", program, "size");
        const egraph::SaturationReport other = growWithGains(stopped, 3, 500, {stopped.program}, [] { return false; });
        QVERIFY(!other.iterations.front().gain.has_value());
        QVERIFY(gainsOf(other, 0).empty());
        QCOMPARE(other.gainDetail, std::string("the run was stopped"));
    }

private:
    /// A file of rules beside those of ks.
    std::string rules(const char* text) {
        const QString path = m_folder.filePath(QStringLiteral("%1.rules").arg(++m_files));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(text) < 0) qFatal("the rules cannot be written");
        return path.toStdString();
    }

    QTemporaryDir m_folder;
    int m_files = 0;
};

MITOS_TEST(TestRuleGains)

}  // namespace tst_rule_gains

#include "tst_rule_gains.moc"

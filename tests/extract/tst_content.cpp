// SPDX-License-Identifier: GPL-3.0-or-later
// The content of e-graphs: it does not depend on the order in which rules were applied, and costs are known by it.
#include "core/egraph/rule_steps.h"
#include "core/extract/content.h"
#include "core/ks/operators.h"
#include "core/rewrite/start_term.h"
#include "core/rules/rule.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <initializer_list>
#include <string_view>

namespace tst_content {

using namespace mitos;
using egraph::RuleSteps;

namespace {

/// An e-graph of (a · 2) / 2 and the rules of the sample, which are applied one by one.
class World {
public:
    World()
        : m_book(*rules::RuleBook::load(MITOS_SOURCE_DIR "/samples/egraphs/phase-order.rules", ks::makeRegistry())),
          m_bank(m_book.registry()),
          m_rules(*egraph::prepareRules(m_book.directions())),
          m_program(*rewrite::readStartTerm(m_bank, "test", "over(times(a, two()), two())")),
          graph(m_bank),
          root(graph.add(m_program.root)) {
        graph.rebuild();
        steps.emplace(graph, m_rules, egraph::SaturationOptions{}, std::stop_token());
    }

    RuleSteps::Outcome apply(std::string_view name) {
        for (std::uint32_t i = 0; i < m_rules.size(); ++i) {
            if (m_rules[i]->name() == name) return steps->apply(i);
        }
        qFatal("no such rule");
    }
    World& apply(std::initializer_list<const char*> names) {
        for (const char* name : names) apply(std::string_view(name));
        return *this;
    }
    [[nodiscard]] std::optional<extract::ContentHash> content() {
        return extract::ContentReader(graph).read({&root, 1});
    }
    [[nodiscard]] const ir::Program& program() const { return m_program; }

private:
    rules::RuleBook m_book;
    ir::TermBank m_bank;
    std::vector<std::shared_ptr<const egraph::EGraphRule>> m_rules;
    ir::Program m_program;

public:
    egraph::EGraph graph;
    egraph::ENodeId root;
    std::optional<RuleSteps> steps;
};

}  // namespace

class TestContent : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theOrderOfRulesDoesNotMatter() {
        World one;
        World other;
        QVERIFY(one.content().has_value());
        QCOMPARE(one.content(), other.content());
        one.apply({"strength"});
        other.apply({"regroup"});
        QVERIFY(one.content() != other.content());
        QVERIFY(one.content() != World().content());
        one.apply({"regroup"});
        other.apply({"strength"});
        QVERIFY(one.graph.idCount() == other.graph.idCount());
        QCOMPARE(one.content(), other.content());
        one.apply({"cancel"});
        QVERIFY(one.content() != other.content());
    }

    /// a · 1 = a: the class of a reaches itself.
    void aClassThatReachesItselfHasNoContent() {
        QVERIFY(!World().apply({"regroup", "cancel", "unit"}).content().has_value());
    }

    void undoingRestoresTheContent() {
        World world;
        const auto before = world.content();
        const egraph::EGraph::Mark mark = world.graph.mark();
        QVERIFY(world.apply("strength") == RuleSteps::Outcome::Changed);
        QVERIFY(world.apply("strength") == RuleSteps::Outcome::Unchanged);
        QVERIFY(world.apply("cancel") == RuleSteps::Outcome::Unchanged);
        const auto after = world.content();
        QVERIFY(after != before);
        world.graph.undoTo(mark);
        QCOMPARE(world.content(), before);
        // The worker of the rule starts anew.
        QVERIFY(world.apply("strength") == RuleSteps::Outcome::Changed);
        QCOMPARE(world.content(), after);
    }

    /// What has the same content is priced once.
    void costsAreKnownByContent() {
        const auto model = *cost::findCostModel("size");
        extract::ContentCosts known;
        for (const bool isFirst : {true, false}) {
            World world;
            extract::GraphPricer pricer(world.graph, *model, world.program().function, {world.root}, "tree",
                                        extract::Priced::Program, {}, known);
            QCOMPARE(pricer.cost({}), 5.0);
            QCOMPARE(known.size(), std::size_t{isFirst ? 1U : 4U});
            world.apply({isFirst ? "strength" : "regroup"});
            QCOMPARE(pricer.cost({}), 5.0);
            QCOMPARE(known.size(), std::size_t{isFirst ? 2U : 5U});
            world.apply({isFirst ? "regroup" : "strength"});
            QCOMPARE(pricer.cost({}), 5.0);
            world.apply({"cancel"});
            QCOMPARE(pricer.cost({}), 3.0);
            QCOMPARE(known.size(), std::size_t{isFirst ? 4U : 5U});
        }
    }
};

MITOS_TEST(TestContent)

}  // namespace tst_content

#include "tst_content.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// The matching machine: every transition of Figures 7, 17 and 18 and every addition, in sequences worked out by hand; graph
// views with choices; traces and the answer to "why does it not match here?".
#include "core/rules/directed_rule.h"
#include "core/rules/language/pattern_text.h"
#include "core/rules/matching/machine.h"
#include "core/rules/matching/trace.h"
#include "tests/rules/rule_helpers.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <map>
#include <set>

namespace tst_machine {

using namespace mitos;
using namespace mitos::tests;

namespace {

const char* const Definitions =
    "use ks\n"
    "op conv[stride, mode](x)\n"
    "pattern Half(x) = x / 2.0\n"
    "pattern Half(x) = x * 0.5\n"
    "pattern Chain(x) = exp(Chain(x))\n"
    "pattern Chain(x) = exp(x)\n"
    "pattern Open(x, y) = exp(x)\n"
    "pattern Early(x, y) = exp(x)  with y <= exp(x)\n"
    "pattern Root(x, F) = x  with local y, x <= F(y)\n";

/// A pattern and a program in one bank.
struct Match {
    std::shared_ptr<const rules::DirectedRule> pattern;
    std::unique_ptr<ir::TermBank> bank;
    ir::TermId subject;

    [[nodiscard]] const rules::CompiledRule& compiled() const {
        return dynamic_cast<const rules::CompiledDirection&>(*pattern).compiled();
    }
};

Match open(const std::string& pattern, const std::string& program) {
    const SourceText definitions("definitions.rules", Definitions);
    const auto loaded = rules::loadPattern(SourceText("pattern", pattern), &definitions, registry());
    if (!loaded) qFatal("%s", loaded.error().render().c_str());
    Match result{loaded->pattern, std::make_unique<ir::TermBank>(loaded->registry), {}};
    const auto parsed = ks::parseProgram(*result.bank, "test.ks", program);
    if (!parsed) qFatal("%s", parsed.error().render().c_str());
    result.subject = parsed->root;
    return result;
}

/// The names without ST-, in lower case: "match-fun match-var-bind success".
std::string nameOf(rules::Transition transition) {
    std::string name(rules::toString(transition).substr(3));
    std::transform(name.begin(), name.end(), name.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
    return name;
}

std::string transitions(const Match& match) {
    const rules::ProgramView view(*match.bank);
    rules::Machine machine(view, match.compiled(), view.placeOf(match.subject));
    std::string result;
    while (machine.status() == rules::Machine::Status::Running) {
        result += (result.empty() ? "" : " ") + nameOf(machine.step());
    }
    return result;
}

/// A program in which some terms have other nodes too, as the classes of an e-graph do.
class ViewWithChoices final : public rules::GraphView {
public:
    explicit ViewWithChoices(ir::TermBank& bank) : m_plain(bank) {}

    void add(ir::TermId place, ir::TermId node) { m_nodes[place].push_back(node); }

    [[nodiscard]] ir::TermBank& bank() const override { return m_plain.bank(); }
    [[nodiscard]] std::size_t nodeCount(rules::PlaceId place) const override {
        const auto found = m_nodes.find(value(place));
        return found == m_nodes.end() ? 1 : 1 + found->second.size();
    }
    [[nodiscard]] ir::TermId node(rules::PlaceId place, std::size_t index) const override {
        return index == 0 ? value(place) : m_nodes.at(value(place))[index - 1];
    }
    [[nodiscard]] std::size_t childCount(rules::PlaceId place, std::size_t node) const override {
        return bank().childCount(this->node(place, node));
    }
    [[nodiscard]] rules::PlaceId child(rules::PlaceId place, std::size_t node, std::size_t index) const override {
        return placeOf(bank().child(this->node(place, node), index));
    }
    [[nodiscard]] ir::TermId value(rules::PlaceId place) const override { return m_plain.value(place); }
    [[nodiscard]] rules::PlaceId placeOf(ir::TermId value) const override { return m_plain.placeOf(value); }
    [[nodiscard]] rules::PlaceId plainPlace(ir::TermId term) const override { return m_plain.placeOf(term); }

private:
    rules::ProgramView m_plain;
    std::map<ir::TermId, std::vector<ir::TermId>> m_nodes;
};

rules::MatchTrace traced(const Match& match, bool all = false) {
    return rules::traceMatch(*match.bank, match.subject, *match.pattern, {.allMatches = all},
                             [&](ir::TermId term) { return printed(*match.bank, term); });
}

std::string deep(int levels, const std::string& inner) {
    std::string text;
    for (int i = 0; i < levels; ++i) text += "(exp ";
    return text + inner + std::string(static_cast<std::size_t>(levels), ')');
}

}  // namespace

class TestMachine : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sequences_data();
    void sequences();
    void everyTransitionIsShown();
    void choicesOfAView();
    void tracesAreComplete();
    void whyItDoesNotMatch_data();
    void whyItDoesNotMatch();
    void limits();

private:
    std::set<std::string> m_seen;
};

void TestMachine::sequences_data() {
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* pattern, const char* program, const char* expected) {
        const QString name = QString::fromUtf8(pattern) + QStringLiteral(" ~ ") + QString::fromUtf8(program);
        QTest::newRow(qPrintable(name)) << QString::fromUtf8(pattern) << QString::fromUtf8(program)
                                        << QString::fromUtf8(expected);
    };
    // Figure 7
    row("x", "(exp a)", "match-var-bind success");
    row("x * x", "(mul a a)", "match-fun match-var-bind match-var-bound success");
    row("x * x", "(mul a b)", "match-fun match-var-bind match-var-conflict");
    row("x + y", "(mul a b)", "match-fun-conflict");
    row("x * 2.0", "(mul a 2.0)", "match-fun match-var-bind match-fun success");
    row("Half(x)", "(mul a 0.5)", "match-mu match-alt match-fun-conflict match-fun match-var-bind match-fun success");
    // Figures 17 and 18
    row("x where x.is_var", "a", "match-guard match-var-bind checkguard-continue success");
    row("x where x.is_var", "(exp a)", "match-guard match-var-bind checkguard-backtrack");
    row("x with local y, x <= exp(y)", "(exp a)",
        "match-exists match-matchconstr match-var-bind matchconstr match-fun match-var-bind checkname success");
    row("F(F(x))", "(exp (exp a))", "match-fun-var-bind match-fun-var-bound match-var-bind success");
    row("F(F(x))", "(exp (log a))", "match-fun-var-bind match-fun-var-conflict");
    row("F(x)", "a", "match-fun-var-conflict");
    row("Chain(x)", "(exp a)",
        "match-mu match-alt match-fun match-mu match-alt match-fun-conflict match-fun-conflict match-fun "
        "match-var-bind success");
    row("Root(x, F)", "(exp a)",
        "match-mu match-exists match-matchconstr match-var-bind matchconstr match-fun-var-bind match-var-bind "
        "checkname success");
    // Additions
    row("Open(x, y) with local y", "(exp a)", "match-exists match-mu match-fun match-var-bind checkname-unbound");
    row("Early(x, y)", "(exp a)", "match-mu match-matchconstr match-fun match-var-bind matchconstr-unbound");
    row("x * 2", "(mul a 2.0)", "match-fun match-var-bind match-number success");
    row("x * ~2.0", "(mul a 2.00000001)", "match-fun match-var-bind match-number success");
    row("x * 2", "(mul a 3.0)", "match-fun match-var-bind match-number-conflict");
    row("let v = x in v", "(let (t a) t)", "match-binder match-var-bind match-bound success");
    row("let v = x in v", "(let (t a) b)", "match-binder match-var-bind match-bound-conflict");
    row("let v = x in y where v not in y", "(let (t a) (exp t))", "match-binder match-var-bind match-var-escape");
    row("build(n, \\i: Float. x)", "(build 2 (lam (i : Integer) a))", "match-fun match-var-bind match-binder-conflict");
    row("tuple(s..., x)", "(tuple a b)", "match-fun match-seq-bind match-var-bind success");
    row("tuple(s..., 1, r...)", "(tuple a 1.0)",
        "match-fun match-seq-split match-seq-bind match-number-conflict match-seq-bind match-number match-seq-bind "
        "success");
    row("(tuple(s...), tuple(s...))", "(tuple (tuple a) (tuple a))",
        "match-fun match-fun match-seq-bind match-fun match-seq-bound success");
    row("(tuple(s...), tuple(s...))", "(tuple (tuple a) (tuple b))",
        "match-fun match-fun match-seq-bind match-fun match-seq-conflict");
    row("let v = tuple(s...) in tuple(s...)", "(let (t (tuple a)) (tuple t))",
        "match-binder match-fun match-seq-bind match-fun match-seq-escape");
    row("(get[index=i](x), get[index=i](y))", "(tuple (get$1$2 (tuple a b)) (get$1$2 (tuple b a)))",
        "match-fun match-fun match-attribute-bind match-var-bind match-fun match-attribute-bound match-var-bind "
        "success");
    row("(get[index=i](x), get[index=i](y))", "(tuple (get$1$2 (tuple a b)) (get$2$2 (tuple b a)))",
        "match-fun match-fun match-attribute-bind match-var-bind match-fun match-attribute-conflict");
    row("conv[stride=2](x)", "(conv$2$same a)", "match-fun match-fun match-any match-var-bind success");
    row("conv[stride=s, mode=\"same\"](x)", "(conv$2$full a)", "match-fun match-var-bind match-fun-conflict");
}

void TestMachine::sequences() {
    QFETCH(const QString, pattern);
    QFETCH(const QString, program);
    QFETCH(const QString, expected);
    const Match match = open(pattern.toStdString(), program.toStdString());
    const std::string found = transitions(match);
    QCOMPARE(QString::fromStdString(found), expected);
    const QStringList names = expected.split(QLatin1Char(' '));
    for (const QString& name : names) m_seen.insert(name.toStdString());
    // The compiled matcher agrees on whether it matches.
    bool matched = false;
    match.pattern->match(*match.bank, match.subject, [&](const rules::Substitution&) {
        matched = true;
        return false;
    });
    QCOMPARE(matched, expected.endsWith(QStringLiteral("success")));
}

void TestMachine::everyTransitionIsShown() {
    for (std::size_t i = 0; i < static_cast<std::size_t>(rules::Transition::Count); ++i) {
        const auto transition = static_cast<rules::Transition>(i);
        QVERIFY(rules::toString(transition).starts_with("ST-"));
        QVERIFY(!rules::meaning(transition).empty());
        const bool elsewhere = transition == rules::Transition::MatchChoice || transition == rules::Transition::Next ||
                               transition == rules::Transition::MatchMuLimit;
        const std::string name = nameOf(transition);
        QVERIFY2(elsewhere != m_seen.contains(name), name.c_str());
    }
    QVERIFY(rules::isAddition(rules::Transition::MatchChoice) && !rules::isAddition(rules::Transition::MatchMu));
}

void TestMachine::choicesOfAView() {
    // A class with the nodes a + a and 2 * a; another one with b and exp(a).
    const Match match = open("x * y", "(tuple (add a a) (mul 2.0 a) b (exp a))");
    ir::TermBank& bank = *match.bank;
    ViewWithChoices view(bank);
    view.add(bank.child(match.subject, 0), bank.child(match.subject, 1));
    view.add(bank.child(match.subject, 2), bank.child(match.subject, 3));
    rules::Machine machine(view, match.compiled(), view.placeOf(bank.child(match.subject, 0)));
    std::string names;
    while (machine.status() == rules::Machine::Status::Running) names += nameOf(machine.step()) + " ";
    QCOMPARE(names, std::string("match-choice match-fun-conflict match-fun match-var-bind match-var-bind success "));
    QCOMPARE(machine.state().values.values[0].term, bank.floating(2.0));
    QCOMPARE(nameOf(machine.step()), std::string("next"));
    QCOMPARE(machine.status(), rules::Machine::Status::Failure);
    // A function variable goes through all nodes; a variable takes the place as a whole.
    const auto terms = [&](const std::string& pattern) {
        const SourceText definitions("d", Definitions);
        const auto loaded = rules::loadPattern(SourceText("p", pattern), &definitions, registry());
        const auto& direction = dynamic_cast<const rules::CompiledDirection&>(*loaded->pattern);
        rules::Machine all(view, direction.compiled(), view.placeOf(bank.child(match.subject, 2)));
        std::size_t count = 0;
        while (all.run() == rules::Machine::Status::Success) {
            ++count;
            all.step();
        }
        return count;
    };
    QCOMPARE(terms("x"), std::size_t{1});
    QCOMPARE(terms("exp(x)"), std::size_t{1});
    QCOMPARE(terms("F(x)"), std::size_t{1});
    QCOMPARE(terms("log(x)"), std::size_t{0});
}

void TestMachine::tracesAreComplete() {
    const Match match = open("exp(Half(x)) where x.is_var", "(exp (mul a 0.5))");
    const rules::MatchTrace trace = traced(match, true);
    QVERIFY(trace.matched() && trace.isComplete && !trace.furthest);
    QCOMPARE(trace.matches.size(), std::size_t{1});
    QCOMPARE(nameOf(trace.steps.at(trace.matchSteps.at(0)).transition), std::string("success"));
    QCOMPARE(trace.start.continuation.size(), std::size_t{1});
    QCOMPARE(trace.start.continuation[0].text, std::string("match((exp(Half(x)); guard(x.is_var)), /)"));
    // match-guard match-fun match-mu match-alt match-fun-conflict match-fun match-var-bind match-fun checkguard success next
    QCOMPARE(trace.steps.size(), std::size_t{11});
    const rules::TraceStep& alternates = trace.steps[3];
    QCOMPARE(nameOf(alternates.transition), std::string("match-alt"));
    QCOMPARE(alternates.action->text, std::string("match(x / 2.0 || x * 0.5, /0)"));
    QCOMPARE(alternates.after.stackDepth, std::size_t{1});
    QCOMPARE(alternates.after.continuation.size(), std::size_t{2});
    QCOMPARE(alternates.after.continuation[0].text, std::string("match(x / 2.0, /0)"));
    QCOMPARE(alternates.after.continuation[1].text, std::string("guard(x.is_var)"));
    const rules::TraceStep& refused = trace.steps[4];
    QCOMPARE(refused.detail, std::string("the pattern has div here, the program (mul a 0.5)"));
    QCOMPARE(refused.after.stackDepth, std::size_t{0});
    const rules::TraceStep& bound = trace.steps[6];
    QCOMPARE(nameOf(bound.transition), std::string("match-var-bind"));
    QCOMPARE(bound.after.theta.size(), std::size_t{1});
    QCOMPARE(bound.after.theta[0].name + " " + bound.after.theta[0].text, std::string("x a"));
    QCOMPARE(ir::toString(bound.after.theta[0].path), std::string("/0/0"));
    // Spans lead to the text: of the named pattern in its file, of the rest in the pattern itself.
    const rules::TraceAction& inFile = *trace.steps[5].action;
    QCOMPARE(inFile.source->name(), std::string("definitions.rules"));
    QCOMPARE(std::string(inFile.source->text().substr(inFile.span.begin, inFile.span.end - inFile.span.begin)),
             std::string("x * 0.5"));
    const rules::TraceAction& guard = *trace.steps[8].action;
    QCOMPARE(guard.source->name(), std::string("pattern"));
    QCOMPARE(std::string(guard.source->text().substr(guard.span.begin, guard.span.end - guard.span.begin)),
             std::string("x.is_var"));
    QCOMPARE(nameOf(trace.steps[10].transition), std::string("next"));
    QCOMPARE(rules::toString(trace.steps[10].after.status), std::string_view("failure"));
    // φ and the locals of unfoldings.
    const rules::MatchTrace root = traced(open("Root(x, F)", "(exp a)"));
    const rules::TraceState& last = root.steps.back().after;
    QCOMPARE(last.phi.size(), std::size_t{1});
    QCOMPARE(last.phi[0].name + " " + last.phi[0].text, std::string("F exp"));
    QCOMPARE(last.theta.size(), std::size_t{2});
    QCOMPARE(last.theta[1].name + " " + last.theta[1].text, std::string("y of Root#1 a"));
}

void TestMachine::whyItDoesNotMatch_data() {
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* pattern, const char* program, const char* expected) {
        QTest::newRow(expected) << QString::fromUtf8(pattern) << QString::fromUtf8(program)
                                << QString::fromUtf8(expected);
    };
    row("exp(x)", "(log a)", "it needs `exp(x)`, but there is `(log a)`");
    row("exp(x) + log(y)", "(add (exp a) (exp b))",
        "it needs `log(y)` at the right of the sum, but there is `(exp b)`");
    // Both alternates refuse; the second one goes further.
    row("exp(Half(x)) + y * x", "(add (exp (mul a 0.5)) (mul b b))",
        "the two places of `x` must be equal: the first is `a`, the second is `b`");
    row("x * y where x.is_const and y.is_const", "(mul 2.0 a)", "its condition `y.is_const` does not hold: y = `a`");
    row("F(F(x))", "(exp (log a))",
        "the two places of `F` must have the same operator, but first it is `exp`, then `log`");
    row("x * 2", "(mul a 3.0)", "it needs the number 2 at the right of the product, but there is `3.0`");
    row("let v = x in y where v not in y", "(let (t a) (exp t))",
        "`y` must not depend on `t`, but it is `(exp <bound 1>)`");
    row("x with local y, x <= log(y)", "(exp a)", "it needs `log(y)`, but there is `(exp a)`");
    row("Open(x, y) with local y", "(exp a)", "its local variable `y` stands for nothing here");
}

void TestMachine::whyItDoesNotMatch() {
    QFETCH(const QString, pattern);
    QFETCH(const QString, program);
    QFETCH(const QString, expected);
    const rules::MatchTrace trace = traced(open(pattern.toStdString(), program.toStdString()));
    QVERIFY(!trace.matched());
    QVERIFY(trace.furthest.has_value());
    QCOMPARE(QString::fromStdString(trace.furthest->text), expected);
    QVERIFY(rules::isRefusal(trace.steps.at(trace.furthest->step).transition));
}

void TestMachine::limits() {
    // More unfoldings inside each other than are tried: the chain ends there, in both.
    const Match match = open("Chain(x)", deep(400, "a"));
    const rules::MatchTrace trace = traced(match);
    QVERIFY(trace.matched());
    const auto limit = std::find_if(trace.steps.begin(), trace.steps.end(), [](const rules::TraceStep& step) {
        return step.transition == rules::Transition::MatchMuLimit;
    });
    QVERIFY(limit != trace.steps.end());
    QCOMPARE(limit->detail, std::string("Chain is unfolded more than 300 times inside itself"));
    std::vector<rules::Substitution> compiled;
    match.pattern->match(*match.bank, match.subject, [&](const rules::Substitution& found) {
        compiled.push_back(found);
        return false;
    });
    QVERIFY(compiled == trace.matches);
    // A trace that is cut off says so.
    const rules::MatchTrace cut = rules::traceMatch(*match.bank, match.subject, *match.pattern,
                                                    {.maxSteps = 10, .maxStates = 3}, [](ir::TermId) { return ""; });
    QVERIFY(!cut.isComplete && !cut.matched());
    QCOMPARE(cut.steps.size(), std::size_t{10});
    QVERIFY(!cut.steps[2].after.continuation.empty() && cut.steps[5].after.continuation.empty());
}

MITOS_TEST(TestMachine)

}  // namespace tst_machine

#include "tst_machine.moc"

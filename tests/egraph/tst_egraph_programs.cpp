// SPDX-License-Identifier: GPL-3.0-or-later
// ks programs in the e-graph: binders, substitution and conditions keep the value of every class.
#include "core/egraph/congruence.h"
#include "core/egraph/explain.h"
#include "core/egraph/json.h"
#include "core/egraph/runner.h"
#include "core/egraph/take_snapshot.h"
#include "core/eval/evaluator.h"
#include "core/eval/testing/random_terms.h"
#include "core/ir/binding.h"
#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>

namespace tst_egraph_programs {

using namespace mitos;
using egraph::EGraph;
using egraph::ENodeId;
using ir::TermId;

namespace {

const rules::RuleBook& allRules() {
    static const rules::RuleBook book = [] {
        Result<rules::RuleBook> loaded = rules::RuleBook::load("ks-all", ks::makeRegistry());
        if (!loaded) qFatal("%s", loaded.error().render().c_str());
        return *std::move(loaded);
    }();
    return book;
}

struct Subject {
    ir::TermBank bank{allRules().registry()};
    ir::Program program;

    explicit Subject(const std::string& text) {
        const Result<ir::Program> parsed = ks::parseProgram(bank, "test.ks", text);
        if (!parsed) qFatal("%s", parsed.error().render().c_str());
        program = *parsed;
    }
};

/// The term with a constant for every loose bound variable, the same one for the same index and type ; invalid where a
/// type has no literals.
TermId closed(ir::TermBank& bank, TermId term) {
    const std::uint32_t loose = bank.looseBound(term);
    bool isPossible = true;
    const TermId result = ir::substituteLoose(
        bank, term, loose, -static_cast<std::int32_t>(loose), [&](std::uint32_t index, ir::TypeId type) {
            switch (bank.types().kind(type)) {
                case ir::TypeKind::Integer: return bank.integer(index % 2);
                case ir::TypeKind::Float: return bank.floating(0.7 + index);
                case ir::TypeKind::Bool: return bank.boolean(index % 2 == 0);
                default: isPossible = false;
            }
            return *bank.make(opId(ir::CoreOp::Dummy), {}, ir::Payload::type(type));
        });
    return isPossible ? result : TermId();
}

}  // namespace

class TestEgraphPrograms : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void classesHaveOneValue_data();
    void classesHaveOneValue();
    void threadsMentionWhatIsBound_data();
    void threadsMentionWhatIsBound();
    void threadsOfNestedProgramsAreValid();
    void undefinedTermsAreNoEquations_data();
    void undefinedTermsAreNoEquations();
    void boundVariablesOfTwoTypesAreTwo();
    void boundVariablesCarryTheirWholeType();
};

namespace {

/// Threads from the program to every program of its class.
struct Explanations {
    int valid = 0;
    int none = 0;     ///< reported to have none
    QString invalid;  ///< the checker's reason for a returned thread that is not valid
};

Explanations explainAll(Subject& subject, const rules::RuleBook& book, std::uint64_t nodes) {
    ir::TermBank& bank = subject.bank;
    EGraph graph(bank);
    const ENodeId root = graph.addExactly(subject.program.root);
    egraph::SaturationOptions options;
    options.limits.nodes = nodes;
    options.limits.iterations = 12;
    options.scheduler = "backoff";
    const auto report = egraph::saturate(graph, *egraph::prepareRules(book.directions()), options, {},
                                         [](const auto&, EGraph&) { return true; });
    if (!report) qFatal("%s", report.error().render().c_str());
    Explanations result;
    std::vector<TermId> programs;
    graph.forEachMember(root, [&](ENodeId member) {
        if (bank.looseBound(graph.term(member)) == 0) programs.push_back(graph.term(member));
    });
    // The smallest ones, as extraction finds them, are the furthest from the start.
    std::ranges::stable_sort(programs, {}, [&](TermId term) { return bank.treeSize(term); });
    constexpr std::size_t Most = 25;
    if (programs.size() > Most) programs.resize(Most);
    for (const TermId end : programs) {
        const EGraph::Mark mark = graph.mark();
        const Result<rewrite::Thread> thread = egraph::explain(graph, subject.program, end);
        graph.undoTo(mark);
        if (!thread) {
            ++result.none;
            continue;
        }
        const rewrite::ThreadReport check = rewrite::check(bank, *thread);
        if (!check.valid || thread->end().root != end) {
            result.invalid = QString::fromStdString(check.reason + "\n" + ks::printTerm(bank, subject.program.root) +
                                                    "\nto\n" + ks::printTerm(bank, end));
            return result;
        }
        ++result.valid;
    }
    return result;
}

const rules::RuleBook& simpleRules() {
    static const rules::RuleBook book = *rules::RuleBook::load("ks-simple", ks::makeRegistry());
    return book;
}

}  // namespace

void TestEgraphPrograms::classesHaveOneValue_data() {
    QTest::addColumn<QString>("program");
    QTest::newRow("arithmetic")
        << "(def f Float ((x : Float) (y : Float)) (div (mul (add x y) (sub x x)) (add 1.0 (mul y y))))";
    QTest::newRow("let") << "(def f Float ((x : Float)) (let (a (add x 1.0)) (let (b (mul a a)) (add b (mul a x)))))";
    QTest::newRow("shadowed names")
        << "(def f Float ((x : Float) (y : Float)) (let (a (add x y)) (add (let (a (mul a 2.0)) (sub a x)) a)))";
    QTest::newRow("a let out of a loop") << "(def f (Vec Float) ((n : Integer) (x : Float)) (build n (lam (i : "
                                            "Integer) (let (a (mul x x)) (mul a (to_float i))))))";
    QTest::newRow("index of build")
        << "(def f Float ((n : Integer) (v : Vec Float)) (sumbuild (size v) (lam (i : Integer) (index i (build (size "
           "v) (lam (j : Integer) (mul (index j v) (index i v))))))))";
    QTest::newRow("delta") << "(def f Float ((v : Vec Float)) (sumbuild (size v) (lam (i : Integer) (sumbuild (size v) "
                              "(lam (j : Integer) (delta i j (mul (index i v) (index j v))))))))";
    QTest::newRow("tuples") << "(def f Float ((x : Float) (y : Float)) (let ((a b) (tuple (add x y) (mul x y))) (sub "
                               "(mul a b) (mul b a))))";
    QTest::newRow("if")
        << "(def f Float ((x : Float) (y : Float)) (if (lt x y) (add x (if (lt x y) 1.0 2.0)) (mul x 1.0)))";
    QTest::newRow("fold") << "(def f Float ((v : Vec Float)) (fold (lam (a : (Tuple Float Float)) (let ((s e) a) (add "
                             "s (mul e e)))) 0.0 v))";
    QTest::newRow("nested loops")
        << "(def f (Vec (Vec Float)) ((n : Integer) (m : Integer) (x : Float)) (build n (lam (i : Integer) (build m "
           "(lam (j : Integer) (add (mul x (to_float i)) (mul x (to_float j))))))))";
}

void TestEgraphPrograms::classesHaveOneValue() {
    QFETCH(const QString, program);
    Subject subject(program.toStdString());
    ir::TermBank& bank = subject.bank;
    EGraph graph(bank);
    graph.addExactly(subject.program.root);
    const auto prepared = egraph::prepareRules(allRules().directions());
    QVERIFY(prepared.ok());
    egraph::SaturationOptions options;
    options.limits.nodes = 1200;
    options.limits.iterations = 6;
    const Result<egraph::SaturationReport> report =
        egraph::saturate(graph, *prepared, options, {}, [](const auto&, EGraph&) { return true; });
    QVERIFY(report.ok());
    QVERIFY(graph.nodeCount() <= 1200);
    QVERIFY(!graph.contradiction());

    Random random(3);
    const Result<eval::Inputs> inputs = eval::randomInputs(bank, bank.function(subject.program.function), random,
                                                           {.minSize = 2, .maxSize = 2, .equalSizes = true});
    QVERIFY(inputs.ok());
    std::map<std::uint32_t, std::pair<eval::Value, TermId>> values;  // by class
    int compared = 0;
    int explained = 0;
    const std::size_t ids = graph.idCount();
    for (std::uint32_t id = 0; id < ids; ++id) {
        const TermId term = graph.term(ENodeId(id));
        if (bank.types().kind(bank.type(term)) == ir::TypeKind::Lambda) continue;  // a function is no value to compare
        const TermId whole = closed(bank, term);
        if (!whole.isValid()) continue;
        const Result<eval::Evaluation> value = eval::evaluate(bank, {subject.program.function, whole}, *inputs);
        if (!value || !(eval::deviation(value->value, value->value) == 0.0)) continue;
        const std::uint32_t eclass = graph.find(ENodeId(id)).value;
        const auto [known, isNew] = values.try_emplace(eclass, value->value, term);
        if (isNew) continue;
        ++compared;
        const double apart = eval::deviation(known->second.first, value->value);
        QVERIFY2(apart <= 1e-9, (eval::toString(known->second.first) + " and " + eval::toString(value->value)).c_str());
        if (bank.looseBound(term) != 0 || bank.looseBound(known->second.second) != 0 || explained >= 60) continue;
        ++explained;
        const Result<rewrite::Thread> thread =
            egraph::explain(graph, {subject.program.function, known->second.second}, term);
        QVERIFY2(thread.ok(), thread.ok() ? "" : thread.error().render().c_str());
        const rewrite::ThreadReport check = rewrite::check(bank, *thread);
        QVERIFY2(check.valid, check.reason.c_str());
        QVERIFY(thread->end().root == term);
    }
    QVERIFY(compared > 20);
    QVERIFY(explained > 5);
}

void TestEgraphPrograms::threadsMentionWhatIsBound_data() {
    QTest::addColumn<QString>("program");
    QTest::newRow("a sum") << "(add (sub (exp x) 0.5) (sub x (exp x)))";
    QTest::newRow("lets in a loop")
        << "(def f (Vec Float) ((n : Integer) (v : Vec Float) (x : Float)) (build n (lam (j : Integer) (div (let (k "
           "(index j v)) x) (let (k 2.0) x)))))";
    QTest::newRow("a let of another type in a loop")
        << "(def f (Vec Float) ((n : Integer) (x : Float)) (build n (lam (j : Integer) (add (sub (exp x) (exp x)) "
           "(sub (to_float j) (to_float j))))))";
}

/// Classes hold terms of other surroundings (x - x, y - y and 0), and no thread may lead through those.
void TestEgraphPrograms::threadsMentionWhatIsBound() {
    QFETCH(const QString, program);
    Subject subject(program.toStdString());
    const Explanations found = explainAll(subject, allRules(), 6000);
    QVERIFY2(found.invalid.isEmpty(), qPrintable(found.invalid));
    QVERIFY2(found.valid > 3, qPrintable(QString::number(found.valid)));
    QCOMPARE(found.none, 0);
}

void TestEgraphPrograms::threadsOfNestedProgramsAreValid() {
    Random random(20);
    int valid = 0;
    int none = 0;
    for (int i = 0; i < 240; ++i) {
        Subject subject("(def f Float ((x : Float) (y : Float) (n : Integer) (v : Vec Float)) x)");
        ir::TermBank& bank = subject.bank;
        const ir::TypeId number = bank.types().floating();
        const eval::TermScope scope{bank.function(subject.program.function).parameters, {}};
        subject.program.root = eval::randomTerm(bank, number, scope, random, 6 + static_cast<std::uint32_t>(i % 30));
        const Explanations found = explainAll(subject, allRules(), 500);
        QVERIFY2(found.invalid.isEmpty(), qPrintable(found.invalid));
        valid += found.valid;
        none += found.none;
    }
    QVERIFY2(valid > 1000, qPrintable(QString::number(valid)));
    // A rule has a condition on a variable that is bound nowhere on the path.
    QVERIFY2(none * 100 <= valid, qPrintable(QString::number(none)));
}

void TestEgraphPrograms::undefinedTermsAreNoEquations_data() {
    QTest::addColumn<QString>("program");
    QTest::newRow("0 / 0 beside")
        << "(def f Float ((x : Float) (y : Float)) (let (j (div 0.0 (mul (sub x x) (sub 0.0 x)))) (mul x y)))";
    QTest::newRow("0 / 0 in a factor that is not needed")
        << "(def f Float ((x : Float) (y : Float)) (let (j (mul y (div (sub x x) (sub y y)))) (sub x y)))";
    QTest::newRow("log of 0") << "(def f Float ((x : Float) (y : Float)) (let (j (mul (log (sub x x)) (div x (sub y "
                                 "y)))) (add x y)))";
}

/// Rules make a term that has no value 0 and 1; in an e-graph, where both stand, everything would be equal then.
void TestEgraphPrograms::undefinedTermsAreNoEquations() {
    QFETCH(const QString, program);
    for (const rules::RuleBook* book : {&simpleRules(), &allRules()}) {
        Subject subject(program.toStdString());
        ir::TermBank& bank = subject.bank;
        EGraph graph(bank);
        const ENodeId root = graph.addExactly(subject.program.root);
        egraph::SaturationOptions options;
        options.limits.nodes = 4000;
        options.limits.iterations = 12;
        const auto report = egraph::saturate(graph, *egraph::prepareRules(book->directions()), options, {},
                                             [](const auto&, EGraph&) { return true; });
        QVERIFY(report.ok());
        QVERIFY(!graph.contradiction());
        // The program is one of two variables, and neither a constant nor one of them.
        QVERIFY(!graph.hasAtom(root));
        for (const TermId atom : {bank.floating(0.0), bank.floating(1.0)}) {
            const ENodeId node = graph.lookup(atom);
            QVERIFY(!node.isValid() || graph.find(node) != graph.find(root));
        }
    }
}

/// In a snapshot, and so in files, where e-nodes have nothing but their operator and their children.
void TestEgraphPrograms::boundVariablesOfTwoTypesAreTwo() {
    Subject subject(
        "(def f (Vec Float) ((n : Integer) (v : Vec Float))"
        " (build n (lam (i : Integer) (let (x (index i v)) (mul x x)))))");
    EGraph graph(subject.bank);
    const std::array roots{graph.add(subject.program.root)};
    graph.rebuild();
    const egraph::Snapshot snapshot = egraph::takeSnapshot(graph, roots, [](ENodeId) { return 1.0; });
    std::set<std::string> operators;
    for (const egraph::Snapshot::Node& node : snapshot.nodes) operators.insert(node.op);
    QCOMPARE(operators, (std::set<std::string>{"bound variable: Float", "bound variable: Integer", "build", "index",
                                               "lam", "let", "mul", "n", "v"}));
    const egraph::CongruentSnapshot closed = egraph::closeUnderCongruence(snapshot);
    QVERIFY(closed.report.classes.empty() && closed.report.nodes.empty());
}

/// The types differ at their end only, and are longer than texts for people. What is written and read again is still two classes.
void TestEgraphPrograms::boundVariablesCarryTheirWholeType() {
    ir::TermBank bank(ks::makeRegistry());
    EGraph graph(bank);
    std::vector<ir::TypeId> parts(60, bank.types().floating());
    std::vector<ENodeId> roots;
    for (const ir::TypeId last : {bank.types().floating(), bank.types().integer()}) {
        parts.back() = last;
        roots.push_back(graph.add(bank.bound(0, bank.types().tuple(parts))));
    }
    roots.push_back(graph.add(bank.bound(1, bank.types().boolean())));
    graph.rebuild();
    const egraph::Snapshot taken = egraph::takeSnapshot(graph, roots, [](ENodeId) { return 1.0; });
    QVERIFY(taken.nodes[0].op.ends_with("Float Float)"));
    QVERIFY(taken.nodes[1].op.ends_with("Float Integer)"));
    QCOMPARE(taken.nodes[2].op, std::string("bound variable 1 out: Bool"));
    const Result<egraph::LoadedSnapshot> loaded = egraph::readJson(SourceText("e.json", egraph::writeJson(taken)));
    QVERIFY2(loaded.ok(), loaded.ok() ? "" : loaded.error().render().c_str());
    QCOMPARE(egraph::closeUnderCongruence(loaded->snapshot).snapshot.classes.size(), std::size_t(3));
}

MITOS_TEST(TestEgraphPrograms)

}  // namespace tst_egraph_programs

#include "tst_egraph_programs.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Threads with steps at one root of several, whose other variables no match determines: their text has the values.
#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "core/rewrite/step.h"
#include "core/rules/directed_rule.h"
#include "core/rules/matching/matcher.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>
#include <fmt/format.h>

#include <QFile>
#include <QTemporaryDir>

namespace tst_given_steps {

using namespace mitos;
using rewrite::Step;
using rewrite::Thread;

namespace {

constexpr const char* Rules = R"(use ks
rule swap: x * y, y / z => z + x, y / z   where z.nodes < 4
rule both: exp(x), log(y), sin(z) => tuple(y, z).0 + x, log(y), sin(z)
)";

QString qt(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

rules::RuleBook book() {
    const QTemporaryDir folder;
    const QString name = folder.filePath(QStringLiteral("several.rules"));
    QFile file(name);
    if (!file.open(QIODevice::WriteOnly) || file.write(Rules) < 0) qFatal("cannot write");
    file.close();
    Result<rules::RuleBook> loaded = rules::RuleBook::load(name.toStdString(), ks::makeRegistry());
    if (!loaded) qFatal("%s", loaded.error().render().c_str());
    return *std::move(loaded);
}

ir::TermId parse(ir::TermBank& bank, const std::string& body) {
    const Result<ir::Program> parsed =
        ks::parseProgram(bank, "test", "(def f Float ((a : Float) (b : Float) (c : Float)) " + body + ")");
    if (!parsed) qFatal("%s", parsed.error().render().c_str());
    return parsed->root;
}

/// A thread of one step of the rule's first root, at the position. The roots are given by their positions too.
Thread threadOf(ir::TermBank& bank, const rules::RuleBook& rules, std::size_t rule, const std::string& body,
                const std::vector<ir::Path>& roots, bool isReversed) {
    const auto& multi = dynamic_cast<const rules::CompiledDirection&>(*rules.directions().at(rule));
    const ir::TermId root = parse(bank, body);
    std::vector<ir::TermId> terms;
    for (const ir::Path& path : roots) terms.push_back(*ir::subterm(bank, root, path));
    const rules::ProgramView view(bank);
    rules::Substitution found;
    rules::Matcher(view, multi.compiled()).run(view.placeOf(bank.tuple(terms)), [&](const rules::Substitution& match) {
        found = match;
        return false;
    });
    const auto own = multi.projections(bank, found);
    if (!own) qFatal("%s", own.error().message.c_str());
    const Result<ir::TermId> result = multi.roots()[0].alone->apply(bank, (*own)[0], terms[0]);
    if (!result) qFatal("%s", result.error().message.c_str());
    const ir::TermId after = bank.replaceAt(root, roots[0], *result);
    const ir::FunctionId function =
        ks::parseProgram(bank, "test", "(def f Float ((a : Float) (b : Float) (c : Float)) a)")->function;
    const Step step{multi.roots()[0].alone, {roots[0]}, (*own)[0], isReversed};
    return {{function, isReversed ? after : root}, {step}, {isReversed ? root : after}};
}

/// A step of the first rule's first root with a value that the program does not contain: (add (add (exp c) a) (div b c)).
Thread foreignThread(ir::TermBank& bank, const rules::RuleBook& rules) {
    Thread thread = threadOf(bank, rules, 0, "(add (mul a b) (div b c))", {{0}, {1}}, false);
    Step& step = thread.steps[0];
    step.substitution.values.at(2).term = parse(bank, "(exp c)");
    const Result<ir::TermId> result =
        step.rule->apply(bank, step.substitution, *ir::subterm(bank, thread.start.root, {0}));
    if (!result) qFatal("%s", result.error().message.c_str());
    thread.states[0] = bank.replaceAt(thread.start.root, ir::Path{0}, *result);
    return thread;
}

}  // namespace

class TestGivenSteps : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void comeBackFromText_data();
    void comeBackFromText();
    void theText();
    void tamperedTexts_data();
    void tamperedTexts();
};

void TestGivenSteps::comeBackFromText_data() {
    QTest::addColumn<int>("rule");
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("roots");
    QTest::newRow("one variable") << 0 << qt("(add (mul a b) (div b c))") << qt("/0 /1");
    QTest::newRow("under a binder") << 0 << qt("(let (v (exp c)) (add (mul a v) (div v (exp v))))") << qt("/1/0 /1/1");
    QTest::newRow("two variables") << 1 << qt("(add (exp a) (add (log (mul b c)) (sin c)))") << qt("/0 /1/0 /1/1");
}

void TestGivenSteps::comeBackFromText() {
    QFETCH(const int, rule);
    QFETCH(const QString, body);
    QFETCH(const QString, roots);
    const rules::RuleBook rules = book();
    ir::TermBank bank(rules.registry());
    std::vector<ir::Path> paths;
    for (const QString& path : roots.split(QLatin1Char(' '))) paths.push_back(*ir::parsePath(path.toStdString()));
    for (const bool isReversed : {false, true}) {
        const Thread thread =
            threadOf(bank, rules, static_cast<std::size_t>(rule), body.toStdString(), paths, isReversed);
        const rewrite::ThreadReport report = rewrite::check(bank, thread);
        QVERIFY2(report.valid, report.reason.c_str());
        const std::string text = rewrite::writeThread(bank, thread);
        const auto back = rewrite::readThread(bank, SourceText("t.thread", text), rules);
        QVERIFY2(back.ok(), back ? "" : back.error().render().c_str());
        QVERIFY2(back->report.valid, (back->report.reason + "\n" + text).c_str());
        QCOMPARE(back->thread.states, thread.states);
        QVERIFY(back->thread.steps[0].substitution == thread.steps[0].substitution);
        QCOMPARE(qt(rewrite::writeThread(bank, back->thread)), qt(text));
        ir::TermBank other(rules.registry());
        const auto there = rewrite::readThread(other, SourceText("t.thread", text), rules);
        QVERIFY(there.ok() && there->report.valid);
    }
}

void TestGivenSteps::theText() {
    const rules::RuleBook rules = book();
    ir::TermBank bank(rules.registry());
    const Thread thread = threadOf(bank, rules, 0, "(add (mul a b) (div b c))", {{0}, {1}}, false);
    const std::string text = rewrite::writeThread(bank, thread);
    QVERIFY2(text.starts_with("mitos-thread 4\n"), text.c_str());
    const std::string wanted = fmt::format(
        "1. swap.0 at /0 with x=./0 y=./1 z=/1/1  state {:016x}\n"
        ";      (mul a b)\n"
        ";   => (add c a)\n"
        "end\n",
        bank.hash(thread.states[0]));
    QVERIFY2(text.ends_with(wanted), text.c_str());

    const Thread foreign = foreignThread(bank, rules);
    const std::string foreignText = rewrite::writeThread(bank, foreign);
    const std::string foreignEnd = fmt::format(
        "1. swap.0 at /0 with x=./0 y=./1 z=_  state {:016x}\n"
        "program\n"
        "(def f Float ((a : Float) (b : Float) (c : Float))\n"
        "  (add (let (given (exp c)) (mul a b)) (div b c)))\n"
        "end program\n"
        ";      (mul a b)\n"
        ";   => (add (exp c) a)\n"
        "end\n",
        bank.hash(foreign.states[0]));
    QVERIFY2(foreignText.ends_with(foreignEnd), foreignText.c_str());
    const auto back = rewrite::readThread(bank, SourceText("t.thread", foreignText), rules);
    QVERIFY2(back && back->report.valid, foreignText.c_str());
    QVERIFY(back->thread.steps[0].substitution == foreign.steps[0].substitution);
}

void TestGivenSteps::tamperedTexts_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const char* from, const char* to, const char* message) {
        QTest::newRow(name) << qt(from) << qt(to) << qt(message);
    };
    row("no given value", "z=_", "z=/1/1", "'program' found");
    row("two values", "y=./1 z=_", "y=_ z=_", "there is no tuple of 2 given values");
    row("another value", "(given (exp c))", "(given a)", "leads to the state");
    row("a value of another type", "(given (exp c))", "(given 1)", "swap.0");
    row("a value that the condition refuses", "(exp c)) (mul", "(exp (exp (exp c)))) (mul", "condition");
    row("no let", "(let (given (exp c)) (mul a b))", "(mul a b)", "there is no `let` of given values at /0");
    row("another program", "(div b c)))\nend program\n;", "(div b a)))\nend program\n;", "has the state");
    row("the let is used", "(mul a b))", "(mul a given))", "there is no `let` of given values at /0");
}

void TestGivenSteps::tamperedTexts() {
    QFETCH(const QString, from);
    QFETCH(const QString, to);
    QFETCH(const QString, message);
    const rules::RuleBook rules = book();
    ir::TermBank bank(rules.registry());
    QString text = qt(rewrite::writeThread(bank, foreignThread(bank, rules)));
    const qsizetype at = text.lastIndexOf(from);
    QVERIFY(at >= 0);
    text.replace(at, from.size(), to);
    const auto back = rewrite::readThread(bank, SourceText("t.thread", text.toStdString()), rules);
    QVERIFY(!back || !back->report.valid);
    const QString found = qt(back ? back->report.reason : back.error().render());
    QVERIFY2(found.contains(message), qPrintable(found));
}

MITOS_TEST(TestGivenSteps)

}  // namespace tst_given_steps

#include "tst_given_steps.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Rule files that would take for ever, reach where they should not, or can never apply.
#include "core/dialects/dialects.h"
#include "core/rules/language/pattern_text.h"
#include "core/rules/matching/trace.h"
#include "tests/rules/rule_helpers.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>
#include <fmt/format.h>
#include <sys/stat.h>

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <string>
#include <vector>

namespace tst_rule_limits {

using namespace mitos;
using namespace mitos::tests;

class TestRuleLimits : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void longExpressionsAreCheckedOnce_data();
    void longExpressionsAreCheckedOnce();
    void includesStayInTheirFolder();
    void includesOfWhatIsNoFileEnd();
    void includesOfIncludesEnd();
    void oneBadRuleLeavesTheOthers();
    void impossibleConditionsAreErrors_data();
    void impossibleConditionsAreErrors();
    void possibleConditionsPass_data();
    void possibleConditionsPass();
    void deepMatchesAreFound();
    void treesOfGraphsEnd();
};

namespace {

std::string timesOver(std::string_view text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}

}  // namespace

void TestRuleLimits::longExpressionsAreCheckedOnce_data() {
    QTest::addColumn<QString>("source");
    const auto row = [](const char* name, const std::string& source) {
        QTest::newRow(name) << QString::fromStdString(source);
    };
    row("minus signs in a condition", "rule r: a * 1.0 => a where " + timesOver("-", 150) + "a.rank == 2");
    row("minus signs before a list",
        "use tensor\nrule r: Relu(x) => x where " + timesOver("- ", 150) + "[1, 2] == [3]");
    row("minus signs in an attribute",
        "use tensor\nrule r: Relu(x) => Transpose[perm=" + timesOver("- ", 150) + "[0, 1]](x)");
    row("nested indices",
        "use tensor\nrule r: Relu(x) => x where x.shape" + timesOver("[x.shape[0]", 60) + timesOver("]", 60) + " == 1");
    row("sums in a condition", "rule r: a * 1.0 => a where a.rank" + timesOver(" + a.rank", 150) + " == 2");
    std::string patterns = "pattern p0(x) = exp(x)\npattern p0(x) = log(x)\n";
    for (int i = 1; i <= 40; ++i) {
        const std::string line = "pattern p" + std::to_string(i) + "(x) = p" + std::to_string(i - 1) + "(x)\n";
        patterns += line + line;
    }
    row("alternates of alternates", patterns + "rule r: p40(a) => a");
    row("numbers of open type", "rule r: gt(a, b) => a" + timesOver(" * 1", 60));
}

void TestRuleLimits::longExpressionsAreCheckedOnce() {
    QFETCH(const QString, source);
    QElapsedTimer timer;
    timer.start();
    static_cast<void>(rules::loadRules(SourceText("test.rules", source.toStdString()), dialects::makeRegistry()));
    QVERIFY2(timer.elapsed() < 20'000, qPrintable(QString::number(timer.elapsed())));
}

void TestRuleLimits::includesStayInTheirFolder() {
    const QTemporaryDir outside;
    const QTemporaryDir folder;
    const auto write = [](const QString& path, const QByteArray& content) {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
    };
    const QString secret = outside.filePath(QStringLiteral("secret"));
    write(secret, "PASSWORD hunter2\n");
    write(outside.filePath(QStringLiteral("good.rules")), "rule out: a * 1.0 => a\n");
    QVERIFY(QFile::link(secret, folder.filePath(QStringLiteral("link.rules"))));
    write(folder.filePath(QStringLiteral("plain.txt")), "PASSWORD hunter2\n");
    QVERIFY(QDir(folder.path()).mkdir(QStringLiteral("sub")));
    write(folder.filePath(QStringLiteral("sub/inner.rules")),
          "include \"../beside.rules\"\nrule inner: a / 1.0 => a\n");
    write(folder.filePath(QStringLiteral("beside.rules")), "rule beside: a + 0.0 => a\n");

    const QString main = folder.filePath(QStringLiteral("main.rules"));
    const auto errorsOfInclude = [&](const QString& name) {
        write(main, "include \"" + name.toUtf8() + "\"\nrule own: a * 1.0 => a\n");
        const auto book = rules::RuleBook::load(main.toStdString(), registry());
        if (!book) return book.error().render();
        std::string all;
        for (const Error& problem : book->problems()) all += problem.render();
        return all;
    };
    const QString relative = QDir(folder.path()).relativeFilePath(secret);
    const QString names[] = {secret, relative, QStringLiteral("link.rules"),
                             outside.filePath(QStringLiteral("good.rules"))};
    for (const QString& name : names) {
        const std::string errors = errorsOfInclude(name);
        QVERIFY2(errors.find("is not in the folder of") != std::string::npos, errors.c_str());
        QVERIFY2(errors.find("hunter2") == std::string::npos && errors.find("PASSWORD") == std::string::npos,
                 errors.c_str());
    }
    const std::string plain = errorsOfInclude(QStringLiteral("plain.txt"));
    QVERIFY2(plain.find("it is not a rule file") != std::string::npos, plain.c_str());
    QVERIFY2(plain.find("hunter2") == std::string::npos && plain.find("PASSWORD") == std::string::npos, plain.c_str());
    QCOMPARE(errorsOfInclude(QStringLiteral("beside.rules")), std::string());
    QCOMPARE(errorsOfInclude(QStringLiteral("sub/inner.rules")), std::string());
}

void TestRuleLimits::includesOfWhatIsNoFileEnd() {
    const QTemporaryDir folder;
    const std::string fifo = folder.filePath(QStringLiteral("fifo.rules")).toStdString();
    QCOMPARE(mkfifo(fifo.c_str(), 0600), 0);
    const std::string main = folder.filePath(QStringLiteral("main.rules")).toStdString();
    QFile file(QString::fromStdString(main));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("include \"fifo.rules\"\nrule own: a * 1.0 => a\n");
    file.close();
    const auto book = rules::RuleBook::load(main, registry());
    QVERIFY2(book.ok(), book ? "" : book.error().render().c_str());
    QCOMPARE(book->problems().size(), std::size_t{1});
    QVERIFY(book->problems().front().message.find("is not a regular file") != std::string::npos);
    QVERIFY(book->find("own") != nullptr);
}

/// Each file includes all later ones: 2^20 ways from the first to the last.
void TestRuleLimits::includesOfIncludesEnd() {
    const QTemporaryDir folder;
    for (int i = 0; i < 21; ++i) {
        QFile file(folder.filePath(QStringLiteral("f%1.rules").arg(i)));
        QVERIFY(file.open(QIODevice::WriteOnly));
        for (int k = i + 1; k < 21; ++k) file.write("include \"f" + QByteArray::number(k) + ".rules\"\n");
        file.write("rule r" + QByteArray::number(i) + ": a * 1.0 => a\n");
    }
    const auto book = rules::RuleBook::load(folder.filePath(QStringLiteral("f0.rules")).toStdString(), registry());
    QVERIFY(book.ok());
    QVERIFY(!book->problems().empty());
}

void TestRuleLimits::oneBadRuleLeavesTheOthers() {
    const QTemporaryDir folder;
    const std::string path = folder.filePath(QStringLiteral("some.rules")).toStdString();
    QFile file(QString::fromStdString(path));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("rule good: a * 1.0 => a\nrule bad: exq(a) => a\nrule worse: a =>\nrule fine: a + 0.0 => a\n");
    file.close();
    const auto book = rules::RuleBook::load(path, registry());
    QVERIFY2(book.ok(), book ? "" : book.error().render().c_str());
    QCOMPARE(book->directions().size(), std::size_t{2});
    QVERIFY(book->find("good") != nullptr);
    QVERIFY(book->find("fine") != nullptr);
    QCOMPARE(book->problems().size(), std::size_t{2});
    QCOMPARE(book->problems()[0].place->line, 2);
    QCOMPARE(book->problems()[1].place->line, 4);  // it ends where `rule` begins
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("rule bad: exq(a) => a\n");
    file.close();
    QVERIFY(!rules::RuleBook::load(path, registry()).ok());
}

void TestRuleLimits::impossibleConditionsAreErrors_data() {
    QTest::addColumn<QString>("condition");
    for (const char* condition : {"false",
                                  "1 > 2",
                                  "len([1, 2]) == 3",
                                  "a.rank < 0",
                                  "a.nodes == 0",
                                  "not (a.rank >= 0)",
                                  "a.is_const and not a.is_const",
                                  "a.is_const and a.is_var",
                                  "a.rank == 1 and a.rank == 2",
                                  "a.value > 1 and a.value < 0",
                                  "a.value < 1 and b.is_var and a.value >= 1",
                                  "a.rank > 1 and a.rank < 2",
                                  "a.type == Float and a.type == Integer",
                                  "a.type == Float and a.rank == 2",
                                  "a.is_scalar and a.is_tuple",
                                  "a.value != a.value",
                                  "a.value < b.value and b.value < a.value",
                                  "a.rank == 1.5",
                                  "(a.is_var or a.is_let) and a.is_lambda",
                                  "a.is_var == false and a.is_var",
                                  "a.is_var and b.is_var and a.name != b.name",
                                  "a.is_var and b.is_let and a.op == b.op",
                                  "a.is_let and a.op == exp",
                                  "a.op == bound",
                                  "a.is_var and a == 1",
                                  "a.is_let and not (a + 1 < 2)",
                                  "a == b and a.is_var and b.is_const",
                                  "a == b and a != b",
                                  "a != a",
                                  "1 / 0 == 1"}) {
        QTest::newRow(condition) << QString::fromUtf8(condition);
    }
}

void TestRuleLimits::impossibleConditionsAreErrors() {
    QFETCH(const QString, condition);
    const Result<rules::LoadedRules> loaded =
        load("rule r: a * b => b * a where " + condition.toStdString() + "\nrule other: a * 1.0 => a");
    QVERIFY2(loaded.ok(), loaded ? "" : loaded.error().render().c_str());
    QCOMPARE(loaded->errors.size(), std::size_t{1});
    QCOMPARE(loaded->errors.front().message, std::string("this condition can never hold"));
    QCOMPARE(loaded->set.rules.size(), std::size_t{1});
}

void TestRuleLimits::possibleConditionsPass_data() {
    QTest::addColumn<QString>("condition");
    for (const char* condition : {"true",
                                  "a.rank == 0",
                                  "a.rank >= 0 and a.rank < 1",
                                  "a.is_const or not a.is_const",
                                  "a.value > 1 and a.value < 2",
                                  "a.value >= 1 and a.value <= 1",
                                  "a.is_var and b.is_const",
                                  "a.type == Float and b.type == Integer",
                                  "a.value < b.value and b.value > 0",
                                  "not a.is_var and not a.is_let",
                                  "a.type == Vec(Float) and a.rank == 1",
                                  "a.rank == 1 or a.rank == 2",
                                  "a.value == a.value",
                                  "a != b",
                                  "a.is_var and b.is_var and a != b",
                                  "a.is_var and b.is_var and not a == b",
                                  "a.op != b.op",
                                  "a.is_var and b.is_let and a.op != b.op",
                                  "a.is_var and b.is_var and a.op == b.op",
                                  "a.is_var and a.op == variable"}) {
        QTest::newRow(condition) << QString::fromUtf8(condition);
    }
}

void TestRuleLimits::possibleConditionsPass() {
    QFETCH(const QString, condition);
    const Result<rules::LoadedRules> loaded = load("rule r: a * b => b * a where " + condition.toStdString());
    QVERIFY2(loaded.ok(), loaded ? "" : loaded.error().render().c_str());
    QVERIFY2(loaded->errors.empty(), loaded->errors.empty() ? "" : loaded->errors.front().render().c_str());
}

/// A match of more steps than a usual stack holds: all suffixes of a chain of 290 operators, as the machine finds them, the longest first.
void TestRuleLimits::deepMatchesAreFound() {
    const SourceText source("chain.rules",
                            "use tensor\npattern Chain(x) = F(Chain(x)) with local F where F: unary_pointwise\n"
                            "pattern Chain(x) = x\n");
    const auto loaded = rules::loadPattern(SourceText("pattern", "Chain(x)"), &source, dialects::makeRegistry());
    QVERIFY(loaded.ok());
    ir::TermBank bank(loaded->registry);
    std::string text = "graph f(x: f32[2])\n  a0 = Relu(x)\n";
    for (int i = 1; i < 290; ++i) text += fmt::format("  a{} = Exp(a{})\n", i, i - 1);
    const auto program = dialects::parseProgram(bank, "chain", text + "  return a289\n");
    QVERIFY(program.ok());
    std::vector<rules::Substitution> matches;
    loaded->pattern->match(bank, program->root, [&](const rules::Substitution& match) {
        matches.push_back(match);
        return true;
    });
    QCOMPARE(matches.size(), 291U);
    QVERIFY(bank.is(matches.front().values[0].term, ir::CoreOp::Variable));
    QCOMPARE(matches.back().values[0].term, program->root);
    const rules::TermPrinter print = [](ir::TermId) { return std::string(); };
    const rules::MatchTrace trace =
        rules::traceMatch(bank, program->root, *loaded->pattern, {.allMatches = true, .maxStates = 0}, print);
    QVERIFY(matches == trace.matches);
}

/// A pattern that branches unfolds a graph to its tree, here of 2^60 nodes: the limits end that, and not the stack.
void TestRuleLimits::treesOfGraphsEnd() {
    const SourceText source("tree.rules",
                            "use tensor\npattern Tree(x) = Add(Tree(x), Tree(y)) with local y\npattern Tree(x) = x\n");
    const auto loaded = rules::loadPattern(SourceText("pattern", "Tree(x)"), &source, dialects::makeRegistry());
    QVERIFY(loaded.ok());
    ir::TermBank bank(loaded->registry);
    std::string text = "graph f(x: f32[2])\n  a0 = Relu(x)\n";
    for (int i = 1; i < 60; ++i) text += fmt::format("  a{} = Add(a{}, a{})\n", i, i - 1, i - 1);
    const auto program = dialects::parseProgram(bank, "tree", text + "  return a59\n");
    QVERIFY(program.ok());
    QElapsedTimer timer;
    timer.start();
    std::size_t matches = 0;
    loaded->pattern->match(bank, program->root, [&](const rules::Substitution&) { return ++matches < 100; });
    QVERIFY2(timer.elapsed() < 20'000, qPrintable(QString::number(timer.elapsed())));
}

MITOS_TEST(TestRuleLimits)

}  // namespace tst_rule_limits

#include "tst_rule_limits.moc"

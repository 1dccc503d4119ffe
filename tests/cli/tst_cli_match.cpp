// SPDX-License-Identifier: GPL-3.0-or-later
// mitos-cli match: patterns from text, from rules and from files of definitions; traces; positions; bad input.
#include "tests/cli/cli_process.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>

namespace tst_cli_match {

using namespace mitos::tests;

class TestCliMatch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void matchesAndBindings();
    void rulesByName();
    void definitionsOfAFile();
    void positions();
    void traces();
    void severalRoots();
    void badInput();

private:
    static CliResult match(const QStringList& arguments, const QByteArray& program) {
        return runCli(QStringList{QStringLiteral("match"), QStringLiteral("-")} + arguments, program);
    }
    static QJsonObject json(QStringList arguments, const QByteArray& program) {
        arguments.append(QStringLiteral("--json"));
        return match(arguments, program).json();
    }

    QTemporaryDir m_folder;
    QString m_definitions;
};

void TestCliMatch::initTestCase() {
    QVERIFY(m_folder.isValid());
    m_definitions = m_folder.filePath(QStringLiteral("chains.rules"));
    QFile file(m_definitions);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("use ks\nop Ramp(x)\npattern Chain(x, F) = F(Chain(x, F))\npattern Chain(x, F) = F(x)\n");
}

void TestCliMatch::matchesAndBindings() {
    const QStringList pattern{QStringLiteral("--pattern"), QStringLiteral("F(x) * (y + z) where x.is_var")};
    const QJsonObject result = json(pattern, "(mul (exp a) (add b 2.0))");
    QCOMPARE(result[QStringLiteral("matched")].toBool(), true);
    const QJsonObject bindings = result[QStringLiteral("bindings")].toObject();
    QCOMPARE(bindings.keys(), (QStringList{QStringLiteral("x"), QStringLiteral("y"), QStringLiteral("z")}));
    QCOMPARE(bindings[QStringLiteral("z")].toString(), QStringLiteral("2.0"));
    QCOMPARE(result[QStringLiteral("functions")].toObject()[QStringLiteral("F")].toString(), QStringLiteral("exp"));
    QVERIFY(result[QStringLiteral("steps")].toArray().isEmpty());
    const CliResult refused = match(pattern, "(mul (exp 1.0) (add b 2.0))");
    QCOMPARE(refused.status, 1);
    QVERIFY2(refused.output == "the pattern matches here, but its condition `x.is_var` does not hold: x = `1`.\n",
             refused.output.constData());
}

void TestCliMatch::rulesByName() {
    const QStringList rule{QStringLiteral("--rules"), QStringLiteral("ks-simple"), QStringLiteral("--pattern"),
                           QStringLiteral("mul_by_add")};
    QCOMPARE(match(rule, "(mul a (add b c))").status, 0);
    QCOMPARE(match(rule, "(mul a (sub b c))").status, 1);
}

void TestCliMatch::definitionsOfAFile() {
    // A file of patterns without any rule; its operators may stand in the program.
    const QStringList chain{QStringLiteral("--rules"), m_definitions, QStringLiteral("--pattern"),
                            QStringLiteral("Chain(x, F)")};
    const QJsonObject first = json(chain, "(Ramp (Ramp a))");
    QCOMPARE(first[QStringLiteral("bindings")].toObject()[QStringLiteral("x")].toString(), QStringLiteral("a"));
    QCOMPARE(first[QStringLiteral("matches")].toArray().size(), 1);
    const QJsonObject all = json(chain + QStringList{QStringLiteral("--all")}, "(Ramp (Ramp a))");
    QCOMPARE(all[QStringLiteral("matches")].toArray().size(), 2);
}

void TestCliMatch::positions() {
    const QByteArray program = "(add (exp a) (mul 2.0 (exp b)))";
    const QStringList pattern{QStringLiteral("--pattern"), QStringLiteral("exp(x)")};
    QCOMPARE(match(pattern, program).status, 1);
    const QJsonObject there = json(pattern + QStringList{QStringLiteral("--at"), QStringLiteral("/1/1")}, program);
    QCOMPARE(there[QStringLiteral("position")].toString(), QStringLiteral("/1/1"));
    const QJsonObject all = json(pattern + QStringList{QStringLiteral("--anywhere"), QStringLiteral("--all")}, program);
    const QJsonArray matches = all[QStringLiteral("matches")].toArray();
    QCOMPARE(matches.size(), 2);
    QCOMPARE(matches[0].toObject()[QStringLiteral("position")].toString(), QStringLiteral("/0"));
    QCOMPARE(matches[1].toObject()[QStringLiteral("position")].toString(), QStringLiteral("/1/1"));
}

void TestCliMatch::traces() {
    const QStringList pattern{QStringLiteral("--pattern"), QStringLiteral("x * x"), QStringLiteral("--trace")};
    const QJsonObject result = json(pattern, "(mul a b)");
    QCOMPARE(result[QStringLiteral("matched")].toBool(), false);
    const QJsonArray steps = result[QStringLiteral("steps")].toArray();
    QStringList names;
    for (const auto& step : steps) names.append(step.toObject()[QStringLiteral("transition")].toString());
    QCOMPARE(names.join(QLatin1Char(' ')), QStringLiteral("ST-MATCH-FUN ST-MATCH-VAR-BIND ST-MATCH-VAR-CONFLICT"));
    const QJsonObject bound = steps[1].toObject();
    QCOMPARE(bound[QStringLiteral("theta")].toArray()[0].toObject()[QStringLiteral("value")].toString(),
             QStringLiteral("a"));
    QCOMPARE(bound[QStringLiteral("stack")].toInt(), 0);
    QCOMPARE(bound[QStringLiteral("continuation")].toArray()[0].toString(), QStringLiteral("match(x, /1)"));
    QCOMPARE(result[QStringLiteral("refusal")].toObject()[QStringLiteral("reason")].toString(),
             QStringLiteral("the two places of `x` must be equal: left is `a`, right is `b`"));
    const CliResult text = match(pattern, "(mul a a)");
    QCOMPARE(text.status, 0);
    QVERIFY(text.output.contains("ST-MATCH-VAR-BOUND  match(x, /1)"));
    QVERIFY(text.output.contains("matches at /: x = a"));
}

void TestCliMatch::severalRoots() {
    const QString rules = m_folder.filePath(QStringLiteral("several.rules"));
    QFile file(rules);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("use ks\nrule swap: x * y, exp(y) => y * x, exp(y)\nrule one: x + 0 => x\n");
    file.close();
    const QStringList named{QStringLiteral("--rules"), rules, QStringLiteral("--pattern")};
    // A place of a program is one root; each root is a rule of its own, with the others' variables open.
    const CliResult whole = match(named + QStringList{QStringLiteral("swap")}, "(mul a b)");
    QCOMPARE(whole.status, 2);
    QVERIFY2(whole.errors.contains("swap has several roots") && whole.errors.contains("swap.0"),
             whole.errors.constData());
    const QJsonObject root = json(named + QStringList{QStringLiteral("swap.1")}, "(exp b)");
    QCOMPARE(root[QStringLiteral("matched")].toBool(), true);
    QCOMPARE(root[QStringLiteral("bindings")].toObject()[QStringLiteral("y")].toString(), QStringLiteral("b"));

    const QStringList list{QStringLiteral("rules"), QStringLiteral("list"), rules, QStringLiteral("--json")};
    const QJsonArray listed = runCli(list).json()[QStringLiteral("rules")].toArray();
    QCOMPARE(listed.size(), 2);
    QCOMPARE(listed[0].toObject()[QStringLiteral("roots")].toInt(), 2);
    QCOMPARE(listed[1].toObject()[QStringLiteral("roots")].toInt(), 1);
    const QStringList check{QStringLiteral("rules"), QStringLiteral("check"), rules, QStringLiteral("--json")};
    const QJsonObject set = runCli(check).json()[QStringLiteral("sets")].toArray()[0].toObject();
    QCOMPARE(set[QStringLiteral("several_roots")].toArray(), QJsonArray{QStringLiteral("swap")});
    // Programs are not rewritten by it.
    const QStringList rewrites{QStringLiteral("rewrites"), QStringLiteral("-"), QStringLiteral("--rules"), rules,
                               QStringLiteral("--json")};
    const QByteArray program = "(add (mul a b) (exp b))";
    QVERIFY(runCli(rewrites, program).json()[QStringLiteral("rewrites")].toArray().isEmpty());
}

void TestCliMatch::badInput() {
    const auto errorOf = [](const QStringList& arguments) {
        const CliResult result = match(arguments, "(mul a b)");
        return QByteArray::number(result.status) + " " + result.errors;
    };
    QCOMPARE(errorOf({QStringLiteral("--pattern"), QStringLiteral("mul(x")}),
             QByteArray("2 pattern:1:6: error: expected ',' or ')', found the end of the file\n  mul(x\n       ^\n"));
    QVERIFY(errorOf({QStringLiteral("--pattern"), QStringLiteral("")}).startsWith("2 pattern:1:1: error: expected an"));
    QVERIFY(errorOf({QStringLiteral("--pattern"), QStringLiteral("x y")})
                .startsWith("2 pattern:1:3: error: expected the end of the pattern, found 'y'"));
    QVERIFY(errorOf({QStringLiteral("--pattern"), QStringLiteral("x"), QStringLiteral("--at"), QStringLiteral("/7")})
                .startsWith("2 error: there is no subterm at /7"));
    QVERIFY(errorOf({QStringLiteral("--pattern"), QStringLiteral("x"), QStringLiteral("--rules"),
                     QStringLiteral("none.rules")})
                .startsWith("2 "));
    QVERIFY(errorOf({QStringLiteral("--pattern"), QStringLiteral("no_such_rule")})
                .startsWith("2 error: ks-all has no rule \"no_such_rule\""));
    // Literals are patterns, and no names.
    const auto status = [](const char* pattern, const QByteArray& program) {
        return match({QStringLiteral("--pattern"), QString::fromLatin1(pattern)}, program).status;
    };
    QCOMPARE(status("10", "10"), 0);
    QCOMPARE(status("10", "11"), 1);
    QCOMPARE(status("true", "true"), 0);
    QVERIFY(errorOf({}).startsWith("2 "));
}

MITOS_TEST(TestCliMatch)

}  // namespace tst_cli_match

#include "tst_cli_match.moc"

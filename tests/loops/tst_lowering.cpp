// SPDX-License-Identifier: GPL-3.0-or-later
// Programs that have a loop form, and those that have none.
#include "core/loops/lowering.h"
#include "core/loops/names.h"
#include "core/loops/text.h"
#include "tests/loops/lowered.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <QDirIterator>
#include <algorithm>
#include <variant>

namespace tst_lowering {

using namespace mitos;
using tests::Lowered;

class TestLowering : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everySampleLowers_data();
    void everySampleLowers();
    void whatHasNoLoopFormIsNamed_data();
    void whatHasNoLoopFormIsNamed();
    void formsGrowWithTheirPrograms_data();
    void formsGrowWithTheirPrograms();
    void longExpressionsAreMeasuredAsAsked();
    void statementsKnowTheirTerms();
    void namesAreUniqueWhereTheyAreVisible();
    void namesCanBeChosenAgain();
    void deepNestsNeedNoStack();
};

void TestLowering::everySampleLowers_data() {
    QTest::addColumn<QString>("file");
    const QDir samples(QStringLiteral(MITOS_SOURCE_DIR "/samples"));
    QDirIterator files(samples.path(), {QStringLiteral("*.ks")}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString file = files.next();
        QTest::newRow(qPrintable(samples.relativeFilePath(file))) << file;
    }
}

void TestLowering::everySampleLowers() {
    QFETCH(const QString, file);
    QFile text(file);
    QVERIFY(text.open(QIODevice::ReadOnly));
    Lowered lowered(text.readAll().toStdString());
    QVERIFY(!lowered.form.functions.empty());
    QVERIFY(std::ranges::none_of(lowered.form.functions,
                                 [](const loops::Function& function) { return function.body.isEmpty(); }));
    const std::string before = loops::text(lowered.bank, lowered.form);
    loops::chooseNames(lowered.form);
    QCOMPARE(loops::text(lowered.bank, lowered.form), before);
}

void TestLowering::whatHasNoLoopFormIsNamed_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("expected");
    QTest::newRow("edef") << "(edef g Float (Float)) (def f Float (x : Float) (g x))"
                          << "g is declared (edef) but not defined, so it has no loop form";
    QTest::newRow("linear map") << "(def f Float (x : Float) (lmApply (lmScale 1.0 x) 2.0))"
                                << "lmApply has no loop form";
}

void TestLowering::whatHasNoLoopFormIsNamed() {
    QFETCH(const QString, program);
    QFETCH(const QString, expected);
    ir::TermBank bank(dialects::makeRegistry());
    const Result<ir::Program> read = ks::parseProgram(bank, "test.ks", program.toStdString());
    QVERIFY2(read.ok(), read ? "" : read.error().render().c_str());
    const Result<loops::Program> form = loops::lower(bank, *read);
    QVERIFY(!form.ok());
    QCOMPARE(form.error().code, ErrorCode::Unsupported);
    QCOMPARE(QString::fromStdString(form.error().message), expected);
}

void TestLowering::formsGrowWithTheirPrograms_data() {
    QTest::addColumn<bool>("all");
    QTest::newRow("each uses the one before") << false;
    QTest::newRow("the last uses all") << true;
}

/// A statement for each let, and a number of expressions in proportion; measuring expressions reads each a few times.
void TestLowering::formsGrowWithTheirPrograms() {
    QFETCH(const bool, all);
    for (const int count : {100, 400, 3'200}) {
        ir::TermBank bank(dialects::makeRegistry());
        const Result<ir::Program> read = ks::parseProgram(bank, "test.ks", tests::chainOfLets(count, all));
        QVERIFY2(read.ok(), read ? "" : read.error().render().c_str());
        std::size_t measured = 0;
        loops::LoweringOptions options;
        options.widthOf = [&](const loops::Program&, const loops::Function&, loops::ExpressionId) {
            ++measured;
            return std::size_t{0};
        };
        const Result<loops::Program> form = loops::lower(bank, *read, options);
        QVERIFY2(form.ok(), form ? "" : form.error().render().c_str());
        const loops::Function& function = form->functions.back();
        const auto lets = static_cast<std::size_t>(count);
        QCOMPARE(function.body.statements.size(), lets + 1);
        QCOMPARE(function.symbols.size(), lets + 1);
        QVERIFY2(function.expressions.size() <= 6 * lets + 2, qPrintable(QString::number(function.expressions.size())));
        QVERIFY(measured <= 3 * lets);
    }
}

void TestLowering::longExpressionsAreMeasuredAsAsked() {
    ir::TermBank bank(dialects::makeRegistry());
    const Result<ir::Program> read = ks::parseProgram(bank, "test.ks", "(exp (mul x (sin y)))");
    loops::LoweringOptions options;
    options.longestExpression = 5;
    options.widthOf = [](const loops::Program&, const loops::Function& function, loops::ExpressionId id) {
        return function.at(id).kind == loops::ExpressionKind::Binary ? std::size_t{6} : std::size_t{5};
    };
    const Result<loops::Program> form = loops::lower(bank, *read, options);
    const loops::Function& function = form->functions.back();
    QCOMPARE(function.body.statements.size(), std::size_t{2});  // the product has a name
    const auto* const part = std::get_if<loops::Declare>(&function.body.statements[0].what);
    QVERIFY(part != nullptr);
    QCOMPARE(function.at(part->symbol).name, std::string("part"));
    QCOMPARE(function.at(part->value).kind, loops::ExpressionKind::Binary);
}

/// The loop comes from the build, and what it assigns from its element.
void TestLowering::statementsKnowTheirTerms() {
    const Lowered lowered("(def f (Vec Float) (v : Vec n Float) (build n (lam (i : Integer) (exp (index i v)))))");
    const std::vector<loops::Statement>& statements = lowered.function().body.statements;
    QCOMPARE(statements.size(), std::size_t{4});  // n, the vector, the loop, the return
    QCOMPARE(statements[2].term, lowered.program.root);
    const auto* const loop = std::get_if<loops::For>(&statements[2].what);
    QVERIFY(loop != nullptr);
    const ir::TermId lambda = lowered.bank.child(lowered.program.root, 1);
    QCOMPARE(loop->body.statements[0].term, lowered.bank.child(lambda, 0));
}

void TestLowering::namesAreUniqueWhereTheyAreVisible() {
    const Lowered lowered(
        "(def for Float (x : Float) (let (x (add x 1.0)) (let (x (mul x 2.0)) (let (double (sin x)) (add x "
        "double)))))");
    std::vector<std::string> names;
    for (const loops::SymbolInfo& symbol : lowered.function().symbols) names.push_back(symbol.name);
    QCOMPARE(names, (std::vector<std::string>{"x", "x2", "x3", "double_"}));
    QCOMPARE(lowered.function().symbols[2].hint, std::string("x"));
    QCOMPARE(lowered.function().name, std::string("for_"));
}

/// A symbol that a pass adds gets a name that no visible one has; the others keep theirs.
void TestLowering::namesCanBeChosenAgain() {
    Lowered lowered(
        "(def f (Vec Float) ((v : Vec n Float) (b : Bool)) (let (w (map (lam (x : Float) (let (y (exp x)) (mul y y))) "
        "v)) (build n (lam (i : Integer) (sumbuild n (lam (i : Integer) (if b (let (y (exp (index i w))) (mul y y)) "
        "0.5)))))))");
    const std::string before = loops::text(lowered.bank, lowered.form);
    loops::Function& function = lowered.form.functions.back();
    for (loops::SymbolInfo& symbol : function.symbols) symbol.name.clear();
    loops::chooseNames(lowered.form);
    QCOMPARE(loops::text(lowered.bank, lowered.form), before);
    const loops::SymbolId added =
        function.add(loops::SymbolInfo{"v", {}, lowered.bank.types().floating(), loops::Storage::Constant});
    const loops::ExpressionId zero =
        function.add(loops::Expression{loops::ExpressionKind::Literal, lowered.bank.types().floating(), 0.0});
    function.body.statements.insert(function.body.statements.end() - 1, {loops::Declare{added, zero}, {}});
    loops::chooseNames(lowered.form);
    QCOMPARE(function.at(added).name, std::string("v2"));
}

void TestLowering::deepNestsNeedNoStack() {
    constexpr int Levels = 4'000;
    std::string body = "(build n (lam (i : Integer) x))";
    for (int level = 0; level < Levels; ++level) body = fmt::format("(if (gt x {}.0) {} v)", level, body);
    const Lowered lowered(fmt::format("(def f (Vec Float) ((x : Float) (v : Vec n Float)) {})", body));
    QVERIFY(lowered.form.nesting >= Levels);
    QVERIFY(loops::text(lowered.bank, lowered.form).size() > Levels);
}

MITOS_TEST(TestLowering)

}  // namespace tst_lowering

#include "tst_lowering.moc"

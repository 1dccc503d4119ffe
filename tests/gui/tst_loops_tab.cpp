// SPDX-License-Identifier: GPL-3.0-or-later
// The tab Loops: the text and its work, the selection in both directions, what other programs and closing do to its jobs.
#include "core/loops/lowering.h"
#include "core/loops/text.h"
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/gui/shown_window.h"
#include "tests/gui/small_models.h"
#include "tests/support/test_program.h"
#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/program/code_view.h"
#include "views/program/internal/shown_loops.h"
#include "views/program/program_view.h"

#include <QCheckBox>
#include <QClipboard>
#include <QDirIterator>
#include <QGuiApplication>
#include <QLineEdit>
#include <QMenu>
#include <QRegularExpression>
#include <QTabBar>
#include <algorithm>

namespace tst_loops_tab {

using namespace mitos;
using namespace mitos::views;

namespace {

constexpr const char* Sums = R"((def sums Float ((n : Integer) (v : Vec Float))
  (let (a (sumbuild n (lam (i : Integer) (mul (index i v) 2.0))))
    (let (b (sumbuild n (lam (i : Integer) (exp (mul a (index i v))))))
      (add a (mul b a))))))";

constexpr const char* SumsAsLoops = R"(sums(n: Integer, v: (Vec Float)): Float
    require n > 0
    a = sum for i to n
        v[i] * 2.0
    var b = 0.0
    for i to n
        b += exp(a * v[i])
    return a + b * a
)";

struct Shown {
    test::Desk desk;
    ProgramView view{desk.document, desk.selection, desk.jobs};
    CodeView* code = view.findChild<CodeView*>(QStringLiteral("programLoops"));
    QTabBar* tabs = view.findChild<QTabBar*>(QStringLiteral("programTabs"));

    bool open(const QString& text) {
        view.resize(700, 500);
        view.showAs(ProgramView::LoopsTab);
        view.show();
        if (!desk.open(text)) return false;
        view.showAs(ProgramView::LoopsTab);
        return settle();
    }
    bool settle() {
        return QTest::qWaitFor([this] { return view.isComplete() && desk.jobs.isIdle(); }, 20'000);
    }
    void click(const QString& words) const {
        const qsizetype at = code->text().indexOf(words);
        QVERIFY2(at >= 0, qPrintable(code->text()));
        QTest::mouseClick(code->viewport(), Qt::LeftButton, {}, code->rectOf({at, at + 1}).center());
    }
    [[nodiscard]] std::string selected() const {
        return desk.selection.subterm() ? ir::toString(*desk.selection.subterm()) : "none";
    }
    [[nodiscard]] QStringList marked(CodeView::Mark mark) const {
        QStringList texts;
        for (const TextRange& range : code->marks(mark)) {
            for (const QString& line :
                 code->text().mid(range.begin, range.end - range.begin).split(QLatin1Char('\n'))) {
                texts << line.trimmed();
            }
        }
        return texts;
    }
};

/// A sum of that many products, nested in its last operand.
QString longSum(int products) {
    QString text = QStringLiteral("(mul x y)");
    for (int i = 1; i < products; ++i) text = QStringLiteral("(add (mul x %1.0) %2)").arg(i).arg(text);
    return text;
}

/// Each line but the sizes of parameters comes from somewhere and is among the lines of each such place, and what has no line is a part
/// of what has one.
void checkLines(const ShownLoops& shown, const ProgramText& program, int leastLinked) {
    const auto isIn = [](const std::vector<TextRange>& ranges, TextRange line) {
        return std::ranges::any_of(ranges,
                                   [&](TextRange range) { return range.begin <= line.begin && line.end <= range.end; });
    };
    const QRegularExpression isOfHead(QStringLiteral("^\\w+ = (size|sizeIfAny|dimension)\\("));
    std::vector<bool> hasLine(program.nodes().size(), false);
    int linked = 0;
    for (const ShownLoops::Line& line : shown.lines) {
        if (line.range.begin == line.range.end) continue;
        const QString words = shown.text.mid(line.range.begin, line.range.end - line.range.begin);
        QVERIFY2(line.isCalled || !line.nodes.empty() || isOfHead.match(words).hasMatch(), qPrintable(words));
        QCOMPARE(shown.at(line.range.begin).range, line.range);
        QCOMPARE(shown.at(line.range.end - 1).range, line.range);
        linked += line.nodes.empty() ? 0 : 1;
        QVERIFY(!line.isCalled || line.nodes.empty());
        QVERIFY(std::ranges::is_sorted(line.nodes));
        for (const NodeIndex node : line.nodes) {
            const LinesOfNode lines = shown.linesOf(program, node);
            QVERIFY(!lines.isPart && isIn(lines.ranges, line.range));
            hasLine[node] = true;
        }
    }
    QVERIFY(linked >= leastLinked);
    // What has no line is a part of what has one.
    for (NodeIndex node = 0; node < program.nodes().size(); ++node) {
        const LinesOfNode lines = shown.linesOf(program, node);
        QVERIFY(!lines.ranges.empty());
        if (hasLine[node]) QVERIFY(!lines.isPart);
    }
}

}  // namespace

class TestLoopsTab : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::forgetEverything(); }

    void showsTheLoopsAndTheirWork() {
        Shown shown;
        QVERIFY(shown.open(QLatin1String(Sums)));
        QCOMPARE(shown.code->text(), QLatin1String(SumsAsLoops));
        const std::vector<LineNote>& notes = shown.code->notes();
        QCOMPARE(notes.size(), std::size_t(8));
        for (std::size_t i = 0; i < notes.size(); ++i) QCOMPARE(notes[i].text.isEmpty(), i != 2 && i != 5);
        QCOMPARE(notes[2].text, QStringLiteral("2*n op, 8*n B"));
        QCOMPARE(notes[5].text, QStringLiteral("2*n op, n exp, 8*n B"));
        QCOMPARE(notes[5].toolTip,
                 QStringLiteral("This nest of loops, at most:\n2*n operations\nn exp\n8*n bytes read"));
    }

    /// A line selects what it comes from, and the selection marks its lines.
    void selectionGoesBothWays() {
        Shown shown;
        QVERIFY(shown.open(QLatin1String(Sums)));
        const auto lines = [&] { return shown.marked(CodeView::Mark::Selected); };
        shown.click(QStringLiteral("sum for i to n"));
        QCOMPARE(shown.selected(), "/0");
        QVERIFY(lines().contains(QStringLiteral("v[i] * 2.0")));
        QVERIFY(!lines().contains(QStringLiteral("b += exp(a * v[i])")));
        // Again: the let around it, which is everything but the head.
        shown.click(QStringLiteral("sum for i to n"));
        QCOMPARE(shown.selected(), "/");
        QVERIFY(lines().contains(QStringLiteral("b += exp(a * v[i])")));
        shown.click(QStringLiteral("return"));
        QCOMPARE(shown.selected(), "/1/1");
        QCOMPARE(lines(), QStringList{QStringLiteral("return a + b * a")});
        // A part without a line of its own is in the line of what is around it.
        shown.desk.selection.setSubterm(ir::Path{1, 1, 1});
        QCOMPARE(lines(), QStringList());
        QCOMPARE(shown.marked(CodeView::Mark::Shared), QStringList{QStringLiteral("return a + b * a")});
        shown.desk.selection.setSubterm(ir::Path{1, 0});
        QVERIFY(lines().contains(QStringLiteral("b += exp(a * v[i])")));
        QVERIFY(!lines().contains(QStringLiteral("v[i] * 2.0")));
        QCOMPARE(shown.marked(CodeView::Mark::Shared), QStringList());
        // Beside the text.
        QTest::mouseClick(shown.code->viewport(), Qt::LeftButton, {},
                          QPoint(shown.code->viewport()->width() - 5, shown.code->viewport()->height() - 5));
        QCOMPARE(shown.selected(), "none");
        QCOMPARE(lines(), QStringList());
    }

    /// Functions that are called are no part of the program.
    void calledFunctionsSelectNothing() {
        Shown shown;
        QVERIFY(shown.open(
            QStringLiteral("(def g Float (x : Float) (mul x x)) (def f Float (x : Float) (add (g x) 1.0))")));
        shown.click(QStringLiteral("return g(x)"));
        QVERIFY(shown.selected() != "none");
        shown.click(QStringLiteral("return x * x"));
        QCOMPARE(shown.selected(), "none");
    }

    void followsStepsAndOtherPrograms() {
        Shown shown;
        QVERIFY(shown.open(QLatin1String(test::CancelText)));
        QVERIFY(shown.code->text().contains(QStringLiteral("return x * 2.0 / 2.0")));
        shown.desk.document.apply(*test::anyStep(shown.desk.document));
        QVERIFY(shown.settle());
        const QString after = shown.code->text();
        QVERIFY(!after.contains(QStringLiteral("return x * 2.0 / 2.0")));
        shown.desk.document.undo();
        QVERIFY(shown.settle());
        QVERIFY(shown.code->text().contains(QStringLiteral("return x * 2.0 / 2.0")));
        shown.desk.document.redo();
        // The other program arrives while the form of the first one may still be made.
        QVERIFY(shown.desk.open(QLatin1String(test::FactorText)));
        QVERIFY(shown.settle());
        QVERIFY(shown.code->text().contains(QStringLiteral("return a * b + a * c")));
        QCOMPARE(shown.view.shownAs(), int(ProgramView::LoopsTab));
    }

    /// Short vectors are numbers in exported C++, and what is left as it was keeps its places.
    void asExported() {
        Shown shown;
        QVERIFY(shown.open(QStringLiteral(
            "(def f Float ((n : Integer) (v : Vec Float)) (let (p (Vec_init (index 0 v) 2.0)) (let (s (sumbuild n (lam "
            "(i : Integer) (mul (index i v) 3.0)))) (add s (mul (index 0 p) (index 1 p))))))")));
        QVERIFY(shown.code->text().contains(QStringLiteral("p = [v[0], 2.0]")));
        auto* exported = shown.view.findChild<QCheckBox*>(QStringLiteral("loopsExported"));
        QVERIFY(!exported->isChecked());
        exported->click();
        QVERIFY(shown.settle());
        QVERIFY2(!shown.code->text().contains(QStringLiteral("[v[0], 2.0]")), qPrintable(shown.code->text()));
        shown.click(QStringLiteral("for i to n"));
        QCOMPARE(shown.selected(), "/1/0");
        QVERIFY(test::takePictures(shown.view, QStringLiteral("loops-exported")));
        shown.click(QStringLiteral("return"));
        QCOMPARE(shown.selected(), "/1/1");
        shown.desk.selection.setSubterm(ir::Path{1, 0});
        exported->click();
        QVERIFY(shown.settle());
        QVERIFY(shown.code->text().contains(QStringLiteral("p = [v[0], 2.0]")));
        QCOMPARE(shown.selected(), "/1/0");
        QVERIFY(shown.marked(CodeView::Mark::Selected).contains(QStringLiteral("s = sum for i to n")));
    }

    /// What an opened call becomes comes from the call.
    void openedCallsAreLinked() {
        Shown shown;
        QVERIFY(shown.open(QStringLiteral(
            "(def g (Vec 2 Float) (v : Vec 2 Float) (build 2 (lam (i : Integer) (sin (index i v))))) (def f Float (x : "
            "Float) (let (p (g (Vec_init x 2.0))) (let (q (exp x)) (add q (mul (index 0 p) (index 1 p))))))")));
        shown.view.findChild<QCheckBox*>(QStringLiteral("loopsExported"))->click();
        QVERIFY(shown.settle());
        shown.click(QStringLiteral("sin(x)"));
        QCOMPARE(shown.selected(), "/0");
        QVERIFY(!shown.marked(CodeView::Mark::Selected).contains(QStringLiteral("q = exp(x)")));
        shown.click(QStringLiteral("exp(x)"));
        QCOMPARE(shown.selected(), "/1/0");
    }

    /// Nothing is made while another tab is in front.
    void isMadeWhenItIsLookedAt() {
        Shown shown;
        QVERIFY(shown.open(QLatin1String(test::CancelText)));
        shown.view.showAs(ProgramView::TreeTab);
        const QString before = shown.code->text();
        shown.desk.document.apply(*test::anyStep(shown.desk.document));
        QVERIFY(shown.settle());
        QCOMPARE(shown.code->text(), before);
        shown.view.showAs(ProgramView::LoopsTab);
        QVERIFY(shown.settle());
        QVERIFY(shown.code->text() != before);
    }

    void largeProgramsAndWhatComesInBetween() {
        Shown shown;
        QVERIFY(shown.open(longSum(2000)));
        QVERIFY(shown.code->text().contains(QStringLiteral("return")));
        shown.desk.selection.setSubterm(ir::Path{1, 1, 1, 0});
        QVERIFY(!shown.marked(CodeView::Mark::Shared).isEmpty() || !shown.marked(CodeView::Mark::Selected).isEmpty());
        // Tabs change while jobs run.
        shown.desk.document.openText(QStringLiteral("other"), longSum(2100));
        QVERIFY(QTest::qWaitFor([&] { return shown.desk.document.isOpen() && !shown.desk.document.isOpening(); }));
        for (const int tab :
             {ProgramView::TextTab, ProgramView::LoopsTab, ProgramView::GraphTab, ProgramView::LoopsTab})
            shown.view.showAs(tab);
        QVERIFY(shown.settle());
        QVERIFY(shown.code->text().contains(QStringLiteral("2099.0")));
        // Another program in the middle: the large one never appears again.
        shown.desk.document.openText(QStringLiteral("again"), longSum(2000));
        QVERIFY(QTest::qWaitFor([&] { return shown.desk.document.isOpen() && !shown.desk.document.isOpening(); }));
        QVERIFY(shown.desk.open(QLatin1String(test::FactorText)));
        QVERIFY(shown.settle());
        QVERIFY(shown.code->text().contains(QStringLiteral("return a * b + a * c")));
    }

    /// Thousands of lines, deep in lets and in branches.
    void longPrograms_data() {
        QTest::addColumn<QString>("text");
        constexpr int Count = 3000;
        QString lets;
        QString branches = QStringLiteral("(mul x 2.0)");
        for (int i = 0; i < Count; ++i) {
            const QString before = i == 0 ? QStringLiteral("x") : QStringLiteral("v%1").arg(i - 1);
            lets += QStringLiteral("(let (v%1 (add (sin %2) x)) ").arg(i).arg(before);
            branches = QStringLiteral("(if (gt x %1.0) (sin (mul x %1.5)) %2)").arg(i).arg(branches);
        }
        lets += QStringLiteral("(mul v%1 v%2)").arg(Count - 1).arg(Count / 2) + QString(Count, QLatin1Char(')'));
        QTest::addColumn<bool>("exported");
        for (const bool exported : {false, true}) {
            const QString form = exported ? QStringLiteral(", exported") : QString();
            QTest::newRow(qPrintable(QStringLiteral("lets") + form)) << lets << exported;
            QTest::newRow(qPrintable(QStringLiteral("branches") + form)) << branches << exported;
            QTest::newRow(qPrintable(QStringLiteral("terms") + form)) << longSum(Count) << exported;
        }
    }
    void longPrograms() {
        QFETCH(const QString, text);
        QFETCH(const bool, exported);
        const LoopForm which = exported ? LoopForm::Exported : LoopForm::Own;
        test::Desk desk;
        QVERIFY(desk.open(text));
        const ir::TermBank& bank = desk.document.bank();
        const ProgramText program(bank, desk.document.current(), 100);
        const auto shown = shownLoops(bank, desk.document.current(), program, which, {});
        QVERIFY2(shown.ok(), shown ? "" : shown.error().render().c_str());
        constexpr NodeIndex Stride = 97;
        for (NodeIndex node = 0; node < program.nodes().size(); node += Stride) {
            const LinesOfNode lines = shown->linesOf(program, node);
            QVERIFY(!lines.ranges.empty());
        }
    }

    void closingInTheMiddle() {
        Shown shown;
        QVERIFY(shown.open(QLatin1String(test::CancelText)));
        shown.desk.document.openText(QStringLiteral("large"), longSum(2000));
        QVERIFY(QTest::qWaitFor([&] { return shown.desk.document.isOpen() && !shown.desk.document.isOpening(); }));
        shown.desk.document.leave();
        QVERIFY(QTest::qWaitFor([&] { return shown.desk.jobs.isIdle(); }));
        QCOMPARE(shown.code->text(), QString());
        {
            Shown other;
            QVERIFY(other.open(QLatin1String(test::CancelText)));
            other.desk.document.openText(QStringLiteral("large"), longSum(2000));
            QVERIFY(QTest::qWaitFor([&] { return other.desk.document.isOpen() && !other.desk.document.isOpening(); }));
        }
    }

    void saysWhyThereAreNone() {
        Shown shown;
        QVERIFY(shown.open(QStringLiteral("(edef g Float (Float)) (def f Float (x : Float) (g x))")));
        auto* page = shown.view.findChild<QWidget*>(QStringLiteral("loopsPage"));
        auto* empty = page->findChild<EmptyState*>();
        QVERIFY(empty->isVisible());
        QCOMPARE(empty->text(),
                 QStringLiteral("g is declared (edef) but not defined, so it has no loop form; define it "
                                "with (def ...) first"));
        QVERIFY(test::takePictures(shown.view, QStringLiteral("loops-none")));
        QVERIFY(shown.desk.open(QLatin1String(test::FactorText)));
        QVERIFY(shown.settle());
        QVERIFY(!empty->isVisible());
        QVERIFY(shown.code->isVisible());
    }

    void findsAndCopies() {
        Shown shown;
        QVERIFY(shown.open(QLatin1String(Sums)));
        QCOMPARE(shown.view.subtermText(), QLatin1String(SumsAsLoops));
        shown.view.openFind();
        auto* edit = shown.view.findChild<QLineEdit*>(QStringLiteral("findEdit"));
        edit->setText(QStringLiteral("for i"));
        QCOMPARE(shown.code->marks(CodeView::Mark::Found).size(), std::size_t(2));
        shown.view.findNext(1);
        QCOMPARE(shown.selected(), "/0");
        shown.view.findNext(1);
        QCOMPARE(shown.selected(), "/1/0");
        QVERIFY(shown.view.subtermText().contains(QStringLiteral("    for i to n\n        b += exp(a * v[i])\n")));
        QVERIFY(!shown.view.subtermText().contains(QStringLiteral("a += ")));
        // In the other tab it is found in the other text.
        shown.view.showAs(ProgramView::TextTab);
        QVERIFY(shown.code->marks(CodeView::Mark::Found).empty());
        shown.view.showAs(ProgramView::LoopsTab);
        QCOMPARE(shown.code->marks(CodeView::Mark::Found).size(), std::size_t(2));
        QVERIFY(shown.view.closeFind());
        QVERIFY(shown.code->marks(CodeView::Mark::Found).empty());
        shown.desk.selection.setSubterm(std::nullopt);
        Q_EMIT shown.code->customContextMenuRequested(QPoint(5, 5));
        auto* menu = shown.view.findChild<QMenu*>(QStringLiteral("loopsMenu"));
        QVERIFY(menu != nullptr);
        const auto copied = [&](const char* name) {
            menu->findChild<QAction*>(QLatin1String(name))->trigger();
            return QGuiApplication::clipboard()->text();
        };
        QCOMPARE(copied("copyLoops"), QLatin1String(SumsAsLoops));
        QCOMPARE(copied("copyLoopsMarkdown"), QStringLiteral("```\n%1```\n").arg(QLatin1String(SumsAsLoops)));
        const auto form = loops::lower(shown.desk.document.bank(), shown.desk.document.current());
        QCOMPARE(copied("copyLoopsWithWork"), fromUtf8(loops::text(shown.desk.document.bank(), *form)));
        menu->close();
        const int height = shown.code->lineHeight();
        shown.view.zoom(3);
        QVERIFY(shown.code->lineHeight() > height);
        shown.view.zoom(0);
        QCOMPARE(shown.code->lineHeight(), height);
    }

    void networksHaveNone() {
        test::ShownWindow shown;
        auto& view = *shown.child<ProgramView>("programView");
        auto& tabs = *shown.child<QTabBar>("programTabs");
        Document& document = shown.window.document();
        QVERIFY(shown.open(test::sample("linear-algebra/gemm.ks")));
        QVERIFY(tabs.isTabEnabled(ProgramView::LoopsTab));
        shown.trigger("asLoops");
        QVERIFY(shown.settle());
        QCOMPARE(view.shownAs(), int(ProgramView::LoopsTab));
        QVERIFY(test::takePictures(shown.window, QStringLiteral("loops")));
        const QString session = document.sessionPath();
        document.apply(*test::anyStep(document));  // so that the session stays
        document.openText(QStringLiteral("network"), QLatin1String(test::TwoBranches));
        QVERIFY(shown.isOpen());
        QVERIFY(!tabs.isTabEnabled(ProgramView::LoopsTab));
        QCOMPARE(tabs.tabToolTip(ProgramView::LoopsTab),
                 QStringLiteral("A tensor program has no loop form, as it is not exported as C++."));
        QVERIFY(!shown.child<QAction>("asLoops")->isEnabled());
        QCOMPARE(view.shownAs(), int(ProgramView::GraphTab));
        shown.window.showProgramAs(QStringLiteral("loops"));
        QCOMPARE(view.shownAs(), int(ProgramView::GraphTab));
        // A session comes back as it was left.
        shown.window.openSession(session);
        QVERIFY(shown.isOpen());
        QVERIFY(tabs.isTabEnabled(ProgramView::LoopsTab));
        QCOMPARE(view.shownAs(), int(ProgramView::LoopsTab));
        QVERIFY(shown.child<CodeView>("programLoops")->text().contains(QStringLiteral("for ")));
        QVERIFY(shown.child<QAction>("asLoops")->isEnabled());
    }

    /// Each line is among the lines of each place that it comes from, in every sample.
    void linesAndPlacesAgree_data() {
        QTest::addColumn<QString>("path");
        QDirIterator files(QStringLiteral(MITOS_SOURCE_DIR "/samples"), {QStringLiteral("*.ks")}, QDir::Files,
                           QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString path = files.next();
            QTest::newRow(qPrintable(QFileInfo(path).baseName())) << path;
        }
    }
    void linesAndPlacesAgree() {
        QFETCH(const QString, path);
        test::Desk desk;
        desk.document.openFile(path);
        QVERIFY(QTest::qWaitFor([&] { return desk.document.isOpen() && desk.jobs.isIdle(); }, 20'000));
        const ir::TermBank& bank = desk.document.bank();
        const ProgramText program(bank, desk.document.current(), 80);
        for (const LoopForm which : {LoopForm::Own, LoopForm::Exported}) {
            const auto shown = shownLoops(bank, desk.document.current(), program, which, {});
            QVERIFY2(shown.ok(), shown ? "" : shown.error().render().c_str());
            checkLines(*shown, program, which == LoopForm::Own ? 2 : 1);
        }
    }
};

MITOS_TEST(TestLoopsTab)

}  // namespace tst_loops_tab

#include "tst_loops_tab.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// The program view by itself: laying out, clicking, walking, marking, finding; small and large programs.
#include "tests/gui/gui_support.h"
#include "tests/support/test_program.h"
#include "views/program/code_view.h"
#include "views/program/program_view.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QDirIterator>
#include <QElapsedTimer>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QTreeView>

namespace tst_program {

using namespace mitos;
using namespace mitos::views;

namespace {

struct Shown {
    test::Desk desk;
    ProgramView view{desk.document, desk.selection, desk.jobs};
    CodeView* code = view.findChild<CodeView*>(QStringLiteral("programText"));
    QTreeView* tree = view.findChild<QTreeView*>(QStringLiteral("programTree"));

    bool open(const QString& text) {
        view.resize(700, 500);
        view.showAs(ProgramView::TextTab);
        view.show();
        return desk.open(text) && QTest::qWaitFor([this] { return view.isComplete(); }, 20'000);
    }
    /// Clicks into the first place where the words stand.
    void click(const QString& words) const {
        const qsizetype at = code->text().indexOf(words);
        QVERIFY(at >= 0);
        const QRect rect = code->rectOf({at, at + 1});
        QTest::mouseClick(code->viewport(), Qt::LeftButton, {}, rect.center());
    }
    [[nodiscard]] std::string selected() const {
        return desk.selection.subterm() ? ir::toString(*desk.selection.subterm()) : "none";
    }
};

/// A sum with that many products: a program of 4 n - 1 nodes.
QString longSum(int products) {
    QString text = QStringLiteral("(mul x y)");
    for (int i = 1; i < products; ++i) text = QStringLiteral("(add (mul x y) %1)").arg(text);
    return text;
}

/// A balanced one, not deep: (add …) over 2^levels products.
QString wideSum(int levels) {
    if (levels == 0) return QStringLiteral("(mul x 2.0)");
    const QString half = wideSum(levels - 1);
    return QStringLiteral("(add %1 %1)").arg(half);
}

}  // namespace

class TestProgram : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void layoutKnowsEveryNode() {
        Shown shown;
        QVERIFY(shown.open(QStringLiteral("(let (t (mul a b)) (add t (mul a b)))")));
        const ProgramText text(shown.desk.document.bank(), shown.desk.document.current(), 80);
        QCOMPARE(text.nodes().size(), std::size_t(9));
        QStringList labels;
        for (NodeIndex node = 0; node < text.nodes().size(); ++node) labels << text.label(node);
        QCOMPARE(labels.join(QLatin1Char(' ')), QStringLiteral("let t mul a b add t mul a b"));
        QCOMPARE(text.find(ir::Path{1, 1, 0}), std::optional<NodeIndex>(7));
        QCOMPARE(text.find(ir::Path{1, 2}), std::nullopt);
        QCOMPARE(text.occurrences(shown.desk.document.bank(), 1), (std::vector<NodeIndex>{1, 6}));
        QCOMPARE(text.occurrences(shown.desk.document.bank(), 2), (std::vector<NodeIndex>{2, 7}));
    }

    /// A part that is selected in one form is the same subterm in the others.
    void everyPartIsFoundInBothForms_data() {
        QTest::addColumn<QString>("path");
        QDirIterator files(QStringLiteral(MITOS_SOURCE_DIR "/samples"), {QStringLiteral("*.ks")}, QDir::Files,
                           QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString path = files.next();
            QTest::newRow(qPrintable(QFileInfo(path).baseName())) << path;
        }
    }
    void everyPartIsFoundInBothForms() {
        QFETCH(const QString, path);
        Shown shown;
        shown.desk.document.openFile(path);
        QVERIFY(QTest::qWaitFor([&] { return shown.desk.document.isOpen() && shown.desk.jobs.isIdle(); }, 20'000));
        const ProgramText text(shown.desk.document.bank(), shown.desk.document.current(), 80);
        for (const auto form : {ProgramText::Form::Exchange, ProgramText::Form::Reading}) {
            std::vector<bool> found(text.nodes().size(), false);
            for (qsizetype at = 0; at < text.text(form).size(); ++at) {
                const auto node = text.at(at, form);
                if (!node) continue;
                found[*node] = true;
                // It is the innermost: no child covers the position.
                for (std::uint32_t row = 0; row < text.childCount(*node); ++row) {
                    const TextRange inner = text.range(text.child(*node, row), form);
                    QVERIFY(at < inner.begin || at >= inner.end);
                }
            }
            // A part with text of its own can be clicked; the others can be reached by widening.
            for (NodeIndex node = 0; node < text.nodes().size(); ++node) {
                if (text.childCount(node) == 0) {
                    QVERIFY2(found[node] || text.range(node, form) == text.range(text.nodes()[node].parent, form) ||
                                 text.range(node, form).begin == text.range(node, form).end,
                             qPrintable(text.text(node, form)));
                }
                const TextRange outer = text.range(text.nodes()[node].parent, form);
                const TextRange own = text.range(node, form);
                QVERIFY(outer.begin <= own.begin && own.end <= outer.end);
            }
        }
    }

    /// The weights are last in the reading form of a network, and found at the same places.
    void networksBeginWithTheirLayers() {
        Shown shown;
        QVERIFY(
            shown.open(QStringLiteral("graph f(x: f32[1,4])\n"
                                      "  weight w: f32[4,3]\n"
                                      "  weight b: f32[3]\n"
                                      "  m = MatMul(x, w)\n"
                                      "  s = Add(m, b)\n"
                                      "  y = Relu(s)\n"
                                      "  return y\n")));
        const ProgramText text(shown.desk.document.bank(), shown.desk.document.current(), 80);
        QVERIFY(text.isGraph());
        QCOMPARE(text.text(ProgramText::Form::Reading), QStringLiteral("graph f(x: f32[1,4])\n"
                                                                       "  m = MatMul(x, w)\n"
                                                                       "  s = Add(m, b)\n"
                                                                       "  y = Relu(s)\n"
                                                                       "  return y\n"
                                                                       "\n"
                                                                       "  2 weights, 60 bytes\n"
                                                                       "  weight w: f32[4,3]\n"
                                                                       "  weight b: f32[3]\n"));
        QVERIFY(text.text().indexOf(QStringLiteral("weight w")) < text.text().indexOf(QStringLiteral("MatMul")));
        for (const auto form : {ProgramText::Form::Exchange, ProgramText::Form::Reading}) {
            for (NodeIndex node = 0; node < text.nodes().size(); ++node)
                QCOMPARE(text.at(text.range(node, form).begin, form), std::optional(node));
        }
        // A weight that is clicked as math is selected as text.
        shown.view.showAs(ProgramView::MathTab);
        QTRY_VERIFY(shown.code->text().contains(QStringLiteral("2 weights, 60 bytes")));
        shown.click(QStringLiteral("weight b"));
        QCOMPARE(shown.selected(), std::string("none"));  // before the name
        shown.click(QStringLiteral("b: f32[3]"));
        QCOMPARE(shown.selected(), std::string("/0/1"));
        shown.view.showAs(ProgramView::TextTab);
        const TextRange range = shown.code->marks(CodeView::Mark::Selected).front();
        QCOMPARE(shown.code->text().mid(range.begin, range.end - range.begin), QStringLiteral("b: f32[3]"));
    }

    void aPartSelectedAsMathIsSelectedEverywhere() {
        Shown shown;
        QVERIFY(shown.open(QLatin1String(test::FactorText)));
        shown.view.showAs(ProgramView::MathTab);
        QVERIFY2(shown.code->text().endsWith(QStringLiteral("= a · b + a · c")), qPrintable(shown.code->text()));
        const auto clickLast = [&] {
            const qsizetype at = shown.code->text().lastIndexOf(QLatin1Char('c'));
            QTest::mouseClick(shown.code->viewport(), Qt::LeftButton, {}, shown.code->rectOf({at, at + 1}).center());
        };
        clickLast();
        QCOMPARE(shown.selected(), std::string("/1/1"));
        clickLast();
        QCOMPARE(shown.selected(), std::string("/1"));
        const auto selected = [&] {
            const TextRange range = shown.code->marks(CodeView::Mark::Selected).front();
            return shown.code->text().mid(range.begin, range.end - range.begin);
        };
        QCOMPARE(selected(), QStringLiteral("a · c"));
        shown.view.showAs(ProgramView::TextTab);
        QCOMPARE(selected(), QStringLiteral("(mul a c)"));
        QCOMPARE(shown.tree->currentIndex().data().toString(), QStringLiteral("mul"));
        shown.view.showAs(ProgramView::MathTab);
        QCOMPARE(selected(), QStringLiteral("a · c"));
    }

    void linesSayWhatTheyCost() {
        Shown shown;
        shown.desk.document.openFile(QStringLiteral(MITOS_SOURCE_DIR "/samples/linear-algebra/gemm.ks"));
        QVERIFY(QTest::qWaitFor([&] { return shown.desk.document.isOpen() && shown.desk.jobs.isIdle(); }, 20'000));
        shown.view.showAs(ProgramView::MathTab);
        const std::vector<LineNote>& notes = shown.code->notes();
        QCOMPARE(notes.size(), std::size_t(5));
        double sum = 0.0;
        double cost = 0.0;
        for (const LineNote& note : notes) {
            sum += note.share;
            cost += note.cost;
        }
        // 31880.8 units (ks-2021) in all, most of them for the product of matrices.
        QVERIFY(std::abs(sum - 1.0) < 1e-9);
        QVERIFY(std::abs(cost - 31880.8) < 1e-6);
        QVERIFY(notes[1].share > 0.85 && notes[1].share < 0.95);
        shown.view.showAs(ProgramView::TextTab);
        QVERIFY(shown.code->notes().empty());
    }

    void partsAreCopiedInEveryForm() {
        Shown shown;
        QVERIFY(shown.open(QStringLiteral("(mul x (div a b))")));
        shown.view.showAs(ProgramView::MathTab);
        shown.desk.selection.setSubterm(ir::Path{1});
        QCOMPARE(shown.view.subtermText(), QStringLiteral("(a / b)"));
        QCOMPARE(shown.view.subtermAsExchange(), QStringLiteral("(div a b)"));
        QCOMPARE(shown.view.subtermAsLatex(), QStringLiteral("\\frac{a}{b}"));
        QCOMPARE(shown.view.subtermAsMarkdown(), QStringLiteral("```\n(a / b)\n```\n"));
        shown.desk.selection.setSubterm(std::nullopt);
        QVERIFY(shown.view.subtermAsLatex().startsWith(QLatin1String("\\begin{align*}")));
        // The menu offers all of them, with a program and without one.
        Q_EMIT shown.code->customContextMenuRequested(QPoint(20, 20));
        auto* menu = shown.view.findChild<QMenu*>(QStringLiteral("programMenu"));
        QVERIFY(menu != nullptr);
        menu->findChild<QAction*>(QStringLiteral("copyExchange"))->trigger();
        QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("(mul x (div a b))"));
        menu->close();
        shown.desk.document.openText(QStringLiteral("bad"), QStringLiteral("(add"));
        QVERIFY(shown.desk.settle());
    }

    void boundVariablesOfOtherBindersAreNotTheSame() {
        Shown shown;
        QVERIFY(shown.open(QStringLiteral("(add (let (s (mul a b)) (exp s)) (let (t (add a b)) (exp t)))")));
        const ProgramText text(shown.desk.document.bank(), shown.desk.document.current(), 80);
        const auto first = text.find(ir::Path{0, 1});
        QVERIFY(first);
        QCOMPARE(text.nodes()[*first].term, text.nodes()[*text.find(ir::Path{1, 1})].term);  // α-equal
        QCOMPARE(text.occurrences(shown.desk.document.bank(), *first), std::vector<NodeIndex>{*first});
    }

    void clickSelectsAndWidens() {
        Shown shown;
        QVERIFY(shown.open(QLatin1String(test::FactorText)));
        shown.click(QStringLiteral("b"));
        QCOMPARE(shown.selected(), std::string("/0/1"));
        shown.click(QStringLiteral("b"));
        QCOMPARE(shown.selected(), std::string("/0"));
        shown.click(QStringLiteral("b"));
        QCOMPARE(shown.selected(), std::string("/"));
        shown.click(QStringLiteral("b"));
        QCOMPARE(shown.selected(), std::string("/0/1"));
        QTest::mouseClick(shown.code->viewport(), Qt::LeftButton, {}, QPoint(600, 400));
        QCOMPARE(shown.selected(), std::string("none"));
    }

    void keysWalkTheTree() {
        Shown shown;
        QVERIFY(shown.open(QLatin1String(test::FactorText)));
        shown.desk.selection.setSubterm(ir::Path{1, 1});
        shown.view.widen();
        QCOMPARE(shown.selected(), std::string("/1"));
        shown.view.widen();
        shown.view.widen();
        QCOMPARE(shown.selected(), std::string("/"));
        shown.view.narrow();
        shown.view.narrow();
        QCOMPARE(shown.selected(), std::string("/1/1"));
        shown.view.narrow();
        QCOMPARE(shown.selected(), std::string("/1/1"));
        shown.view.selectSibling(-1);
        QCOMPARE(shown.selected(), std::string("/1/0"));
        shown.view.selectSibling(-1);
        QCOMPARE(shown.selected(), std::string("/1/0"));
    }

    void sharedOccurrencesAreMarked() {
        Shown shown;
        QVERIFY(shown.open(QLatin1String(test::FactorText)));
        shown.click(QStringLiteral("a "));
        QCOMPARE(shown.selected(), std::string("/0/0"));
        const auto& marks = shown.code->marks(CodeView::Mark::Shared);
        QCOMPARE(marks.size(), std::size_t(1));
        QCOMPARE(shown.code->text().mid(marks[0].begin, marks[0].end - marks[0].begin), QStringLiteral("a"));
        const auto* status = shown.view.findChild<QLabel*>(QStringLiteral("programStatus"));
        QVERIFY(status->text().contains(QLatin1String("stands in 2 places")));
        QVERIFY(!status->text().contains(QLatin1Char('/')));
        QVERIFY(status->toolTip().contains(QLatin1String("at /0/0")));
    }

    void aRewriteIsPreviewed() {
        Shown shown;
        QVERIFY(shown.open(QLatin1String(test::CancelText)));
        auto* after = shown.view.findChild<CodeView*>(QStringLiteral("programAfter"));
        QVERIFY(!after->isVisible());
        const auto step = test::anyStep(shown.desk.document);
        shown.desk.selection.setRewrite(step);
        QVERIFY(after->isVisible());
        QVERIFY(!after->text().isEmpty());
        QVERIFY(after->text() != shown.code->text());
        QVERIFY(!shown.code->marks(CodeView::Mark::Removed).empty() ||
                !shown.code->marks(CodeView::Mark::Moved).empty());
        shown.desk.document.apply(*step);
        QVERIFY(!after->isVisible());
        QCOMPARE(shown.code->text(), after->text());
    }

    void differencesCutOutWhatStays() {
        Shown shown;
        QVERIFY(shown.open(QLatin1String(test::FactorText)));
        const ProgramText text(shown.desk.document.bank(), shown.desk.document.current(), 80);
        using ir::DiffMark;
        // (add [(mul a b)] (mul a c)) with the first product changed but its b kept.
        const std::vector<DiffMark> marks = {DiffMark::Kept, DiffMark::Changed, DiffMark::Changed, DiffMark::Kept,
                                             DiffMark::Kept, DiffMark::Kept,    DiffMark::Kept};
        QStringList changed;
        for (const TextRange range : markedRanges(text, marks, DiffMark::Changed)) changed << text.text(range);
        QCOMPARE(changed, (QStringList{QStringLiteral("(mul a"), QStringLiteral(")")}));
    }

    void oneOfManyLetsIsTakenAway() {
        Shown shown;
        shown.desk.document.openFile(QStringLiteral(MITOS_SOURCE_DIR "/samples/linear-algebra/gemm.ks"));
        QVERIFY(QTest::qWaitFor([&] { return shown.desk.document.isOpen() && shown.desk.jobs.isIdle(); }, 20'000));
        const auto step = test::findStep(shown.desk.document, "inline_let");
        QVERIFY(step && step->positions.front().empty());
        shown.desk.selection.setRewrite(step);
        QVERIFY(shown.desk.settle());
        const auto* after = shown.view.findChild<CodeView*>(QStringLiteral("programAfter"));
        const auto texts = [](const CodeView& code, CodeView::Mark mark) {
            QStringList marked;
            for (const TextRange range : code.marks(mark))
                marked << code.text().mid(range.begin, range.end - range.begin);
            return marked.join(QLatin1Char('|'));
        };
        // The let that goes, and where its value stands now; not the lets below it.
        const QString removed = texts(*shown.code, CodeView::Mark::Removed) + texts(*shown.code, CodeView::Mark::Moved);
        const QString added = texts(*after, CodeView::Mark::Added) + texts(*after, CodeView::Mark::Moved);
        QVERIFY2(removed.contains(QStringLiteral("β")), qPrintable(removed));
        for (const char* other : {"mat_a", "mat_b", "mat_c", "α"}) {
            QVERIFY2(!removed.contains(QString::fromUtf8(other)), qPrintable(removed));
            QVERIFY2(!added.contains(QString::fromUtf8(other)), qPrintable(added));
        }
    }

    void linesThatStayAreNotMarked() {
        // The sum around two long products is another operator now; the products, a line each, stay as they are.
        Shown shown;
        QVERIFY(shown.open(
            QStringLiteral("(add (mul (exp aaaaaaaaaa) (exp bbbbbbbbbb)) (mul (exp cccccccccc) dddddddddd))")));
        const ProgramText text(shown.desk.document.bank(), shown.desk.document.current(), 44);
        const QStringList lines = text.text().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QVERIFY2(lines.size() >= 3, qPrintable(text.text()));
        std::vector<ir::DiffMark> marks(text.nodes().size(), ir::DiffMark::Kept);
        marks[0] = ir::DiffMark::Changed;
        QStringList changed;
        for (const TextRange range : markedRanges(text, marks, ir::DiffMark::Changed)) changed << text.text(range);
        QCOMPARE(changed, QStringList{QStringLiteral("(add")});
    }

    void theTreeShowsCosts() {
        Shown shown;
        QVERIFY(shown.open(QLatin1String(test::FactorText)));
        shown.desk.document.setCostModel(QStringLiteral("size"));
        const QAbstractItemModelTester tester(shown.tree->model(),
                                              QAbstractItemModelTester::FailureReportingMode::QtTest);
        const QAbstractItemModel& model = *shown.tree->model();
        const QModelIndex root = model.index(0, 0);
        const QModelIndex product = model.index(1, 0, root);
        QCOMPARE(root.data().toString(), QStringLiteral("add"));
        QCOMPARE(product.data().toString(), QStringLiteral("mul"));
        QCOMPARE(product.siblingAtColumn(ProgramTreeModel::Type).data().toString(), QStringLiteral("Float"));
        QCOMPARE(product.siblingAtColumn(ProgramTreeModel::Own).data().toString(), QStringLiteral("1"));
        QCOMPARE(product.siblingAtColumn(ProgramTreeModel::Total).data().toString(), QStringLiteral("3"));
        QCOMPARE(product.siblingAtColumn(ProgramTreeModel::Share).data().toString(), QStringLiteral("43 %"));
        shown.view.showAs(ProgramView::TreeTab);
        shown.tree->setCurrentIndex(product);
        QCOMPARE(shown.selected(), std::string("/1"));
        shown.desk.selection.setSubterm(ir::Path{0, 1});
        QCOMPARE(shown.tree->currentIndex().data().toString(), QStringLiteral("b"));
    }

    void findWalksTheOccurrences() {
        Shown shown;
        QVERIFY(shown.open(QLatin1String(test::FactorText)));
        shown.view.openFind();
        auto* edit = shown.view.findChild<QLineEdit*>(QStringLiteral("findEdit"));
        QTest::keyClicks(edit, QStringLiteral("MUL"));
        QCOMPARE(shown.code->marks(CodeView::Mark::Found).size(), std::size_t(2));
        QTest::keyClick(edit, Qt::Key_Return);
        QCOMPARE(shown.selected(), std::string("/0"));
        shown.view.findNext(1);
        QCOMPARE(shown.selected(), std::string("/1"));
        shown.view.findNext(1);
        QCOMPARE(shown.selected(), std::string("/0"));
        QTest::keyClick(edit, Qt::Key_Escape);
        QVERIFY(shown.code->marks(CodeView::Mark::Found).empty());
    }

    void deepAndLargeProgramsDoNotBlock() {
        for (const QString& text : {longSum(2'000), wideSum(15)}) {
            Shown shown;
            QVERIFY(shown.open(text));
            const ir::TermId root = shown.desk.document.current().root;
            QVERIFY(shown.desk.document.bank().treeSize(root) > 7'000);
            shown.desk.selection.setSubterm(ir::Path{1});
            QVERIFY(shown.desk.settle());
            QCOMPARE(shown.selected(), std::string("/1"));
            shown.view.grab();
            QElapsedTimer clock;
            clock.start();
            shown.code->viewport()->repaint();
            QVERIFY(clock.elapsed() < 100);
        }
    }
};

MITOS_TEST(TestProgram)

}  // namespace tst_program

#include "tst_program.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Writing rules by hand: checking, testing and matching while one types, files, drafts, and what is in force.
#include "tests/gui/history_bench.h"
#include "tests/gui/shown_window.h"
#include "tests/gui/small_models.h"
#include "tests/support/test_program.h"
#include "views/document/own_rule_sets.h"
#include "views/rule_editor/internal/rule_set_list.h"
#include "views/rule_editor/internal/rule_text_edit.h"
#include "views/rule_editor/rule_editor_view.h"

#include <QAbstractItemModelTester>
#include <QAbstractItemView>
#include <QCompleter>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTableView>
#include <QTextBlock>
#include <QTextLayout>
#include <QToolButton>
#include <QTreeView>
#include <QTreeWidget>

namespace tst_rule_editor {

using namespace mitos;
using namespace mitos::views;
using test::part;

namespace {

constexpr const char* SwapRules = "use ks\n\n# Factors commute.\nrule my_swap [exact]: a * b => b * a\n";
constexpr const char* TwoProducts = "(add (mul a b) (mul a c))\n";

QString contents(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QTreeWidgetItem* rowOf(QTreeWidget& tree, const QString& name) {
    const auto found = tree.findItems(name, Qt::MatchExactly | Qt::MatchRecursive);
    return found.isEmpty() ? nullptr : found.front();
}

struct Bench : test::HistoryBench {
    QTemporaryDir folder;
    RuleEditorView view{document, selection, jobs};
    QStringList failures;

    Bench() {
        QObject::connect(&view, &RuleEditorView::failed, &view,
                         [this](const QString& title, const QString&) { failures << title; });
        QObject::connect(&document, &Document::failed, &view,
                         [this](const QString& title, const QString&) { failures << title; });
        view.resize(1500, 850);
        view.show();
    }
    [[nodiscard]] RuleTextEdit& edit() { return part<RuleTextEdit>(view, "ruleText"); }
    [[nodiscard]] QTreeWidget& sets() { return part<QTreeWidget>(view, "ruleSets"); }
    [[nodiscard]] QTreeView& places() { return part<QTreeView>(view, "rulePlacesRows"); }
    [[nodiscard]] QString label(const char* name) { return part<QLabel>(view, name).text(); }
    [[nodiscard]] bool isQuiet() {
        return QTest::qWaitFor([this] { return view.isSettled() && jobs.isIdle(); }, 30'000);
    }
    /// Writes a file and opens it.
    [[nodiscard]] QString openFile(const char* text, const QString& name = QStringLiteral("own.rules")) {
        const QString path = test::writeText(folder, name, text);
        view.addSet(path);
        const bool isOpen = QTest::qWaitFor([this, name] { return label("ruleTitle").startsWith(name); });
        return isOpen && isQuiet() ? path : QString();
    }
    void putCursor(int line) { edit().goTo(line, 1); }
    void type(const QString& text) {
        edit().setFocus();
        const QStringList lines = text.split(u'\n');
        for (qsizetype i = 0; i < lines.size(); ++i) {
            if (i > 0) edit().insertPlainText(QStringLiteral("\n"));
            QTest::keyClicks(&edit(), lines[i]);
        }
    }
    void saveIt() { view.save(); }
    [[nodiscard]] QStringList messages() {
        auto& list = part<QListWidget>(view, "ruleMessages");
        QStringList texts;
        for (int row = 0; row < list.count(); ++row) texts << list.item(row)->text();
        return texts;
    }
    [[nodiscard]] bool hasRewrite(const char* name) { return test::findStep(document, name).has_value(); }
};

}  // namespace

class TestRuleEditor : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() {
        test::forgetEverything();
        const QDir data(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation));
        QDir(data.filePath(QStringLiteral("rule-drafts"))).removeRecursively();
        QDir(data.filePath(QStringLiteral("rules"))).removeRecursively();
    }
    void cleanup() { QApplication::setPalette(Theme::lightPalette()); }

    void setsOfTheSameNameShowTheirFolders() {
        Bench bench;
        QVERIFY(QDir(bench.folder.path()).mkpath(QStringLiteral("first")));
        QVERIFY(QDir(bench.folder.path()).mkpath(QStringLiteral("second")));
        const char* const text = "use ks\nrule one: 1 * a => a\n";
        const QString first = test::writeText(bench.folder, QStringLiteral("first/own.rules"), text);
        const QString second = test::writeText(bench.folder, QStringLiteral("second/own.rules"), text);
        bench.view.addSet(first);
        QTRY_VERIFY(bench.isQuiet() && rowOf(bench.sets(), QStringLiteral("own.rules")) != nullptr);
        bench.view.addSet(second);
        QTRY_VERIFY(rowOf(bench.sets(), QStringLiteral("second/own.rules")) != nullptr);
        QVERIFY(rowOf(bench.sets(), QStringLiteral("first/own.rules")) != nullptr);
        QVERIFY(rowOf(bench.sets(), QStringLiteral("own.rules")) == nullptr);
        QVERIFY(bench.isQuiet());
    }

    void errorsStandWhereTheyAre() {
        Bench bench;
        QVERIFY(!bench.openFile(SwapRules).isEmpty());
        QCOMPARE(bench.label("ruleSummary"), QStringLiteral("✓ 1 rule  ·  no errors"));
        QVERIFY(bench.messages().isEmpty());
        bench.edit().moveCursor(QTextCursor::End);
        bench.type(QStringLiteral("rule my_one: a * 1 => b"));
        QVERIFY(bench.isQuiet());
        QCOMPARE(bench.messages(),
                 QStringList{QStringLiteral("✗  5:23  b is not bound: it does not occur on the side that is matched")});
        QCOMPARE(bench.label("ruleSummary"), QStringLiteral("✗ 1 rule  ·  1 error"));
        QVERIFY(bench.edit().messagesOf(5).startsWith(QStringLiteral("b is not bound")));
        QVERIFY(bench.edit().messagesOf(4).isEmpty());
        QVERIFY(part<QListWidget>(bench.view, "ruleMessages").item(0)->toolTip().contains(QStringLiteral("^")));
        // The wave is below the letter at the end of the line.
        const auto waves = bench.edit().extraSelections();
        QCOMPARE(waves.size(), 2);
        QCOMPARE(waves[1].cursor.selectedText(), QStringLiteral("b"));
        QVERIFY(test::takePictures(bench.view, QStringLiteral("rules-error")));
        // A click on the message leads there, and the correction removes it.
        bench.putCursor(1);
        auto& list = part<QListWidget>(bench.view, "ruleMessages");
        QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualItemRect(list.item(0)).center());
        QCOMPARE(bench.edit().cursorLine(), 5);
        QTest::keyClick(&bench.edit(), Qt::Key_Delete);
        bench.type(QStringLiteral("a"));
        QVERIFY(bench.isQuiet());
        QVERIFY(bench.messages().isEmpty());
        QCOMPARE(bench.label("ruleSummary"), QStringLiteral("✓ 2 rules  ·  no errors"));
    }

    void aLongSetArrivesInPortionsAndIsColouredWhereItIsSeen() {
        QByteArray text = "use ks\n";
        constexpr int Rules = 3'000;
        for (int i = 0; i < Rules; ++i)
            text += "# Swaps the operands.\nrule swap_" + QByteArray::number(i) + ": a + b => b + a\n";
        Bench bench;
        const QString path = bench.openFile(text.constData(), QStringLiteral("long.rules"));
        QVERIFY(!path.isEmpty());
        QCOMPARE(bench.edit().toPlainText(), QString::fromUtf8(text));
        QCOMPARE(bench.label("ruleSummary"), QStringLiteral("✓ 3000 rules  ·  no errors"));
        QCOMPARE(bench.edit().cursorLine(), 1);
        QVERIFY(!bench.edit().isReadOnly());
        QVERIFY(!bench.edit().document()->isUndoAvailable());
        const auto isColoured = [&](int line) {
            return !bench.edit().document()->findBlockByNumber(line - 1).layout()->formats().isEmpty();
        };
        QTRY_VERIFY(isColoured(3));
        QVERIFY(!isColoured(2 * Rules + 1));
        bench.edit().goTo(2 * Rules + 1, 1);
        QTRY_VERIFY(isColoured(2 * Rules + 1));
        QVERIFY(!isColoured(Rules));
        // Typed text is coloured anew.
        bench.edit().moveCursor(QTextCursor::End);
        bench.type(QStringLiteral("# the end"));
        QTRY_VERIFY(isColoured(2 * Rules + 2));
        bench.edit().undo();
        QTRY_VERIFY(!isColoured(2 * Rules + 2));
        QVERIFY(bench.isQuiet());

        // Another set is opened while this one arrives, and nothing of this one comes after it.
        const QString other = bench.openFile(SwapRules);
        QVERIFY(!other.isEmpty());
        bench.view.openSet(path);
        QTRY_VERIFY(bench.edit().toPlainText().size() > 1'000);
        bench.view.openSet(other);
        QTRY_COMPARE(bench.edit().toPlainText(), QString::fromUtf8(SwapRules));
        QVERIFY(bench.isQuiet());
        QCOMPARE(bench.edit().toPlainText(), QString::fromUtf8(SwapRules));
        QVERIFY(!bench.view.canSave());
    }

    void rulesAreTestedAsTheyAreTyped() {
        Bench bench;
        QVERIFY(!bench.openFile(SwapRules).isEmpty());
        QCOMPARE(bench.label("ruleVerdict"), QStringLiteral("Put the cursor into a rule."));
        bench.putCursor(3);  // the comment belongs to the rule
        QVERIFY(bench.isQuiet());
        QCOMPARE(bench.label("ruleVerdict"), QStringLiteral("✓ my_swap passed 1,000 tests as exact"));
        QVERIFY(!part<QLabel>(bench.view, "ruleExample").isVisible());
        bench.edit().moveCursor(QTextCursor::End);
        bench.type(QStringLiteral("rule my_minus: a - b => b - a"));
        QVERIFY(bench.isQuiet());
        QCOMPARE(bench.label("ruleVerdict"), QStringLiteral("✗ my_minus failed the first test: the values differ"));
        QCOMPARE(bench.label("ruleExample"),
                 QStringLiteral("before  (sub 0 1)\n      = -1\nafter   (sub 1 0)\n      = 1"));
        QVERIFY(test::takePictures(bench.view, QStringLiteral("rules-failed")));
        // Nothing is known about an operator that only the file declares.
        bench.type(QStringLiteral("\nop mystery(x)\nrule my_mystery: mystery(x) => x"));
        QVERIFY(bench.isQuiet());
        QVERIFY2(bench.label("ruleVerdict").startsWith(QStringLiteral("? my_mystery could not be tested: ")),
                 qPrintable(bench.label("ruleVerdict")));
    }

    void placesOfTheOpenProgramAreListed() {
        Bench bench;
        QVERIFY(!bench.openFile(SwapRules).isEmpty());
        bench.putCursor(4);
        QVERIFY(bench.isQuiet());
        QVERIFY(!bench.places().isVisible());  // no program is open
        QVERIFY(bench.load(TwoProducts));
        QVERIFY(bench.isQuiet());
        const QAbstractItemModelTester tester(bench.places().model());
        QCOMPARE(bench.places().model()->rowCount(), 2);
        QCOMPARE(bench.label("rulePlacesTitle"), QStringLiteral("2 places"));
        const auto text = [&](int row, int column) {
            return bench.places().model()->index(row, column).data().toString();
        };
        QCOMPARE(text(0, 0), QStringLiteral("a · b"));
        QCOMPARE(text(0, 1), QStringLiteral("b · a"));
        QCOMPARE(text(0, 2), QStringLiteral("no change"));
        QCOMPARE(text(1, 0), QStringLiteral("a · c"));
        bench.places().setCurrentIndex(bench.places().model()->index(1, 0));
        QCOMPARE(bench.selection.subterm(), std::optional<ir::Path>(ir::Path{1}));
        QVERIFY(test::takePictures(bench.view, QStringLiteral("rules-places")));
        // The text as typed counts, not the saved file: only products with c.
        bench.edit().moveCursor(QTextCursor::End);
        bench.type(QStringLiteral("rule my_less: a * b + a * c => a * (b + c)"));
        QVERIFY(bench.isQuiet());
        QCOMPARE(bench.places().model()->rowCount(), 1);
        QCOMPARE(text(0, 1), QStringLiteral("a · (b + c)"));
        QVERIFY2(text(0, 2).startsWith(QStringLiteral("▼ −")), qPrintable(text(0, 2)));
        // Nowhere is said.
        bench.type(QStringLiteral("\nrule my_exp: exp(a) => exp(a + 0)"));
        QVERIFY(bench.isQuiet());
        QVERIFY(!bench.places().isVisible());
        // Another program has other places.
        bench.putCursor(4);
        QVERIFY(bench.load("(mul x (mul y (mul z x)))"));
        QVERIFY(bench.isQuiet());
        QCOMPARE(bench.places().model()->rowCount(), 3);
    }

    void aRuleIsSavedUsedAndApplied() {
        Bench bench;
        QVERIFY(bench.load(TwoProducts));
        const QString path = bench.openFile(SwapRules);
        QVERIFY(!path.isEmpty());
        bench.document.setRules(QStringLiteral("ks-algebraic"));
        QVERIFY(bench.settle());
        bench.edit().moveCursor(QTextCursor::End);
        bench.type(QStringLiteral("rule my_less [real-only]: a * b + a * c => a * (b + c)"));
        QVERIFY(bench.isQuiet());
        QVERIFY(bench.label("ruleTitle").endsWith(QStringLiteral(" •")));
        QVERIFY(!contents(path).contains(QStringLiteral("my_less")));
        auto& apply = part<QPushButton>(bench.view, "ruleApply");
        QVERIFY(!apply.isEnabled());
        QVERIFY(apply.text().contains(QStringLiteral("Use")));
        bench.places().setCurrentIndex(bench.places().model()->index(0, 0));
        apply.click();
        QTRY_COMPARE(bench.document.history().size(), std::size_t(2));
        QVERIFY(bench.isQuiet());
        QCOMPARE(bench.document.rules().names(), "ks-algebraic," + path.toStdString());
        QVERIFY(contents(path).contains(QStringLiteral("my_less")));
        QVERIFY(!bench.label("ruleTitle").endsWith(QStringLiteral(" •")));
        const rewrite::History& history = bench.document.history();
        QCOMPARE(history.state(history.current()).step->name(), std::string("my_less"));
        QVERIFY(bench.failures.isEmpty());
        // The next place needs nothing but a click.
        bench.putCursor(4);
        QVERIFY(bench.isQuiet());
        QCOMPARE(bench.places().model()->rowCount(), 1);
        QVERIFY(!apply.text().contains(QStringLiteral("Use")));
        bench.places().setCurrentIndex(bench.places().model()->index(0, 0));
        apply.click();
        QTRY_COMPARE(bench.document.history().size(), std::size_t(3));
    }

    void savedRulesAreInForceAtOnceUnlessTheyHaveErrors() {
        Bench bench;
        QVERIFY(bench.load(TwoProducts));
        const QString path = bench.openFile(SwapRules);
        bench.document.setRules(path);
        QVERIFY(bench.settle());
        QVERIFY(bench.hasRewrite("my_swap"));
        bench.edit().replaceText(
            QString::fromUtf8(SwapRules).replace(QStringLiteral("my_swap"), QStringLiteral("my_turn")));
        bench.saveIt();
        QVERIFY(bench.isQuiet());
        QTRY_VERIFY(bench.hasRewrite("my_turn"));
        QVERIFY(!bench.hasRewrite("my_swap"));
        // Saved with an error: the file has it, and the rules stay.
        bench.edit().moveCursor(QTextCursor::End);
        bench.type(QStringLiteral("rule broken: a =>"));
        bench.saveIt();
        QVERIFY(bench.isQuiet());
        QVERIFY(contents(path).contains(QStringLiteral("broken")));
        QVERIFY2(bench.label("ruleNote").contains(QStringLiteral("those of before")),
                 qPrintable(bench.label("ruleNote")));
        QVERIFY(bench.hasRewrite("my_turn"));
        QVERIFY(bench.document.rules().problems().empty());
    }

    void singleRulesAreSwitchedOffAndStayOff() {
        QString session;
        QString path;
        QTemporaryDir kept;
        {
            Bench bench;
            QVERIFY(bench.load(TwoProducts));
            path = test::writeText(kept, QStringLiteral("kept.rules"),
                                   "use ks\nrule my_swap: a * b => b * a\nrule my_turn: a + b => b + a\n");
            bench.view.addSet(path);
            QVERIFY(bench.isQuiet());
            auto* set = rowOf(bench.sets(), QStringLiteral("kept.rules"));
            QVERIFY(set != nullptr);
            QCOMPARE(set->checkState(0), Qt::Unchecked);
            set->setCheckState(0, Qt::Checked);
            QTRY_VERIFY(bench.hasRewrite("my_swap"));
            QVERIFY(bench.isQuiet());
            rowOf(bench.sets(), QStringLiteral("kept.rules"))->setExpanded(true);
            QTRY_VERIFY(rowOf(bench.sets(), QStringLiteral("my_swap")) != nullptr);
            rowOf(bench.sets(), QStringLiteral("my_swap"))->setCheckState(0, Qt::Unchecked);
            QTRY_VERIFY(!bench.hasRewrite("my_swap"));
            QVERIFY(bench.hasRewrite("my_turn"));
            QVERIFY(bench.isQuiet());
            QCOMPARE(rowOf(bench.sets(), QStringLiteral("my_swap"))->checkState(0), Qt::Unchecked);
            QCOMPARE(rowOf(bench.sets(), QStringLiteral("my_turn"))->checkState(0), Qt::Checked);
            QVERIFY(test::takePictures(bench.view, QStringLiteral("rules-off")));
            // Searches do without it, too.
            const SearchRules searched = bench.document.searchRules();
            for (const auto& rule : searched.book.directions()) QVERIFY(rule->name() != std::string("my_swap"));
            QVERIFY(bench.step("my_turn"));
            session = bench.document.sessionPath();
        }
        {
            Bench again;
            again.document.openSession(session);
            QTRY_VERIFY(again.document.isOpen());
            QVERIFY(again.settle());
            QVERIFY(!again.hasRewrite("my_swap"));
            QVERIFY(again.hasRewrite("my_turn"));
            again.sets().expandAll();
            QTRY_VERIFY(rowOf(again.sets(), QStringLiteral("my_swap")) != nullptr);
            QTRY_COMPARE(rowOf(again.sets(), QStringLiteral("my_swap"))->checkState(0), Qt::Unchecked);
            rowOf(again.sets(), QStringLiteral("my_swap"))->setCheckState(0, Qt::Checked);
            QTRY_VERIFY(again.hasRewrite("my_swap"));
            // Not every rule can be off: what is in force stays.
            QVERIFY(again.isQuiet());
            again.document.setRules(path + QStringLiteral(",-my_swap,-my_turn"));
            QVERIFY(again.settle());
            QVERIFY(again.failures.contains(QStringLiteral("Could not load the rules")));
            QVERIFY(again.hasRewrite("my_turn"));
        }
    }

    void aShippedSetIsCopied() {
        Bench bench;
        bench.view.openSet(QStringLiteral("ks-algebraic"));
        QTRY_COMPARE(bench.label("ruleTitle"), QStringLiteral("ks-algebraic"));
        QVERIFY(bench.isQuiet());
        QVERIFY(bench.edit().isReadOnly());
        QVERIFY(bench.label("ruleKind").startsWith(QStringLiteral("read-only, comes with Mitos")));
        QVERIFY(!part<QPushButton>(bench.view, "ruleSave").isVisible());
        const QString before = bench.edit().toPlainText();
        bench.type(QStringLiteral("rule"));
        QCOMPARE(bench.edit().toPlainText(), before);
        const QString path = bench.folder.filePath(QStringLiteral("deep/copy.rules"));
        bench.view.copySet(path);
        QTRY_COMPARE(bench.label("ruleTitle"), QStringLiteral("copy.rules"));
        QVERIFY(bench.isQuiet());
        QVERIFY(!bench.edit().isReadOnly());
        QCOMPARE(contents(path), before);
        QVERIFY(ownRuleSets().contains(path));
        QVERIFY(bench.messages().isEmpty());
    }

    void aFolderThatCannotBeWrittenIsSaid() {
        Bench bench;
        bench.view.createSet(QStringLiteral("/proc/nowhere/own.rules"));
        QTRY_COMPARE(bench.failures, QStringList{QStringLiteral("own.rules could not be written")});
        QVERIFY(ownRuleSets().isEmpty());
        // A set whose folder is gone keeps its text, as a draft.
        QDir(bench.folder.path()).mkpath(QStringLiteral("gone"));
        const QString path = bench.folder.filePath(QStringLiteral("gone/own.rules"));
        bench.view.createSet(path);
        QTRY_COMPARE(bench.label("ruleTitle"), QStringLiteral("own.rules"));
        QVERIFY(bench.isQuiet());
        QVERIFY(bench.edit().toPlainText().contains(QStringLiteral("rule my_mul_one [exact]: a * 1 => a")));
        QVERIFY(QDir(bench.folder.filePath(QStringLiteral("gone"))).removeRecursively());
        bench.edit().moveCursor(QTextCursor::End);
        bench.type(QStringLiteral("# mine"));
        bench.saveIt();
        QTRY_COMPARE(bench.failures.size(), 2);
        QCOMPARE(bench.failures.back(), QStringLiteral("own.rules could not be saved"));
        QVERIFY(bench.label("ruleNote").contains(QStringLiteral("kept as a draft")));
        QVERIFY(bench.label("ruleTitle").endsWith(QStringLiteral(" •")));
        // A missing file is reported when it is opened.
        bench.view.openSet(QStringLiteral("/nowhere/at-all.rules"));
        QTRY_COMPARE(bench.failures.size(), 3);
        QCOMPARE(bench.failures.back(), QStringLiteral("Could not read at-all.rules"));
        QVERIFY(bench.edit().toPlainText().endsWith(QStringLiteral("# mine")));
    }

    void changesByOtherProgramsAreNoticed() {
        Bench bench;
        const QString path = bench.openFile(SwapRules);
        const QByteArray other = "use ks\nrule other: a + b => b + a\n";
        QVERIFY(!test::writeText(bench.folder, QStringLiteral("own.rules"), other).isEmpty());
        QTRY_COMPARE(bench.edit().toPlainText(), QString::fromUtf8(other));
        QVERIFY(bench.label("ruleNote").contains(QStringLiteral("read again")));
        QVERIFY(bench.isQuiet());
        // Text of one's own is not replaced without asking.
        bench.edit().moveCursor(QTextCursor::End);
        bench.type(QStringLiteral("# mine"));
        QVERIFY(bench.isQuiet());
        QVERIFY(!test::writeText(bench.folder, QStringLiteral("own.rules"), SwapRules).isEmpty());
        QTRY_VERIFY(part<QPushButton>(bench.view, "ruleNoteFirst").isVisible());
        QVERIFY(bench.edit().toPlainText().endsWith(QStringLiteral("# mine")));
        QVERIFY(test::takePictures(bench.view, QStringLiteral("rules-changed-on-disk")));
        part<QPushButton>(bench.view, "ruleNoteFirst").click();
        QCOMPARE(bench.edit().toPlainText(), QString::fromUtf8(SwapRules));
        QVERIFY(!bench.label("ruleTitle").endsWith(QStringLiteral(" •")));
        bench.edit().undo();
        QVERIFY(bench.edit().toPlainText().endsWith(QStringLiteral("# mine")));
    }

    void draftsSurvive() {
        QTemporaryDir kept;
        const QString path = test::writeText(kept, QStringLiteral("kept.rules"), SwapRules);
        {
            Bench bench;
            bench.view.addSet(path);
            QTRY_COMPARE(bench.label("ruleTitle"), QStringLiteral("kept.rules"));
            QVERIFY(bench.isQuiet());
            bench.edit().moveCursor(QTextCursor::End);
            bench.type(QStringLiteral("# begun"));
            // Another set is opened meanwhile, and closing comes before any timer.
            bench.view.openSet(QStringLiteral("ks-algebraic"));
            QTRY_COMPARE(bench.label("ruleTitle"), QStringLiteral("ks-algebraic"));
            QVERIFY(rowOf(bench.sets(), QStringLiteral("kept.rules •")) != nullptr);
            bench.view.openSet(path);
            QTRY_COMPARE(bench.label("ruleTitle"), QStringLiteral("kept.rules •"));
            bench.edit().moveCursor(QTextCursor::End);
            bench.type(QStringLiteral(", and more"));
        }
        QCOMPARE(contents(path), QString::fromUtf8(SwapRules));
        Bench again;
        QTRY_COMPARE(again.label("ruleTitle"), QStringLiteral("kept.rules •"));
        QVERIFY(again.edit().toPlainText().endsWith(QStringLiteral("# begun, and more")));
        QVERIFY(again.label("ruleNote").contains(QStringLiteral("not saved")));
        QVERIFY(rowOf(again.sets(), QStringLiteral("kept.rules •")) != nullptr);
        QVERIFY(again.isQuiet());
        again.saveIt();
        QVERIFY(again.isQuiet());
        QTRY_VERIFY(contents(path).endsWith(QStringLiteral("# begun, and more")));
        QTRY_VERIFY(rowOf(again.sets(), QStringLiteral("kept.rules")) != nullptr);
        QVERIFY(again.isQuiet());
        Bench last;
        QTRY_COMPARE(last.label("ruleTitle"), QStringLiteral("kept.rules"));
    }

    void wordsAreCompleted() {
        Bench bench;
        QVERIFY(!bench.openFile("use ks\npattern Half(x) = x / 2\nrule my_swap: first * b => b * first\n").isEmpty());
        const auto offered = [&] {
            QStringList words;
            const QAbstractItemModel& model = *bench.edit().completer().completionModel();
            for (int row = 0; row < model.rowCount(); ++row)
                words << model.index(row, 0).data(Qt::UserRole + 1).toString();
            return words;
        };
        QWidget& popup = *bench.edit().completer().popup();
        bench.edit().moveCursor(QTextCursor::End);
        bench.type(QStringLiteral("rule my_s: s"));
        QVERIFY(!popup.isVisible());  // one letter is not enough
        bench.type(QStringLiteral("u"));
        QVERIFY(popup.isVisible());
        QCOMPARE(offered().join(u' '), QStringLiteral("sub sumbuild sum"));
        QTest::keyClick(&popup, Qt::Key_Return);
        QVERIFY(bench.edit().toPlainText().endsWith(QStringLiteral("rule my_s: sub")));
        // Nothing is offered for a word that is complete.
        bench.type(QStringLiteral("(abs"));
        QVERIFY(!popup.isVisible());
        bench.type(QStringLiteral("(x), Hal"));
        QVERIFY(popup.isVisible());
        QCOMPARE(offered(), QStringList{QStringLiteral("Half")});
        QTest::keyClick(&popup, Qt::Key_Tab);
        bench.type(QStringLiteral("(x)) => x where x.is_c"));
        QVERIFY(popup.isVisible());
        QVERIFY(offered().contains(QStringLiteral("is_const")));
        QTest::keyClick(&popup, Qt::Key_Escape);
        QVERIFY(!popup.isVisible());
        QVERIFY(bench.edit().toPlainText().endsWith(QStringLiteral("x.is_c")));
        // Variables of the rule at the cursor, and Ctrl+Space at once.
        bench.putCursor(3);
        bench.edit().moveCursor(QTextCursor::EndOfLine);
        bench.type(QStringLiteral(" + f"));
        QTest::keyClick(&bench.edit(), Qt::Key_Space, Qt::ControlModifier);
        QVERIFY(popup.isVisible());
        QCOMPARE(offered().front(), QStringLiteral("first"));
        QTest::keyClick(&popup, Qt::Key_Escape);
        // Nothing is offered in a comment.
        bench.edit().moveCursor(QTextCursor::End);
        bench.type(QStringLiteral("\n# su"));
        QVERIFY(!popup.isVisible());
    }

    void textIsFound() {
        Bench bench;
        QVERIFY(!bench.openFile(SwapRules).isEmpty());
        bench.view.openFind();
        auto& find = part<QLineEdit>(bench.view, "ruleFind");
        QVERIFY(find.isVisible());
        find.setText(QStringLiteral("commute"));
        QTest::keyClick(&find, Qt::Key_Return);
        QCOMPARE(bench.edit().cursorLine(), 3);
        find.setText(QStringLiteral("nowhere"));
        QTest::keyClick(&find, Qt::Key_Return);
        QVERIFY(bench.label("ruleNote").contains(QStringLiteral("does not occur")));
    }

    /// Through the window: two programs of different kinds, and closed in the middle of a test.
    void theWindowWritesRules() {
        QTemporaryDir folder;
        {
            test::ShownWindow shown;
            QVERIFY(shown.child<QAction>("perspectiveRules")->isEnabled());  // without a program, too
            shown.trigger("perspectiveRules");
            auto& view = *shown.child<RuleEditorView>("ruleEditorView");
            QVERIFY(view.isVisible());
            QVERIFY(shown.settle());
            QVERIFY(test::takePictures(shown.window, QStringLiteral("window-rules-empty")));
            QVERIFY(shown.open(test::sample("linear-algebra/gemm.ks")));
            shown.trigger("perspectiveRules");
            QVERIFY(shown.child<QAction>("perspectiveRules")->isChecked());
            view.addSet(test::writeText(folder, QStringLiteral("gemm.rules"), SwapRules));
            QTRY_VERIFY(part<QLabel>(view, "ruleTitle").text() == QStringLiteral("gemm.rules"));
            auto& edit = part<RuleTextEdit>(view, "ruleText");
            edit.goTo(4, 1);
            // GEMM multiplies three times: α X, A B, β C.
            QTRY_COMPARE(part<QTreeView>(view, "rulePlacesRows").model()->rowCount(), 3);
            QTRY_VERIFY(view.isSettled());
            QVERIFY(test::takePictures(shown.window, QStringLiteral("window-rules")));
            // Rules in force appear in the list of rewrites.
            rowOf(part<QTreeWidget>(view, "ruleSets"), QStringLiteral("gemm.rules"))->setCheckState(0, Qt::Checked);
            QVERIFY(shown.settle());
            shown.trigger("perspectiveStep");
            QVERIFY(shown.settle());
            const auto listed = [&] {
                const QAbstractItemModel& rows = *shown.child<QTableView>("rewritesTable")->model();
                for (int row = 0; row < rows.rowCount(); ++row) {
                    if (rows.index(row, 0).data().toString().contains(QStringLiteral("my_swap"))) return true;
                }
                return false;
            };
            QTRY_VERIFY(listed());
            shown.trigger("perspectiveRules");
            // The window's actions are for the text here.
            edit.moveCursor(QTextCursor::End);
            QVERIFY(!shown.child<QAction>("saveRules")->isEnabled());
            QTest::keyClicks(&edit, QStringLiteral("# kept"));
            shown.trigger("saveRules");
            QTRY_VERIFY(!shown.child<QAction>("saveRules")->isEnabled());
            QVERIFY(contents(folder.filePath(QStringLiteral("gemm.rules"))).endsWith(QStringLiteral("# kept")));
            shown.trigger("find");
            QVERIFY(part<QLineEdit>(view, "ruleFind").isVisible());
            // A program of another kind: its sets are offered, and the rule is not for it.
            QTemporaryDir models;
            QVERIFY(shown.open(test::writeText(models, QStringLiteral("branches.txt"), test::TwoBranches)));
            QTRY_VERIFY(shown.window.document().title().contains(QStringLiteral("branches")));
            shown.trigger("perspectiveRules");
            QTRY_VERIFY(view.isSettled() && shown.settle());
            QVERIFY(rowOf(part<QTreeWidget>(view, "ruleSets"), QStringLiteral("tensor")) != nullptr);
            QVERIFY(rowOf(part<QTreeWidget>(view, "ruleSets"), QStringLiteral("ks-simple")) == nullptr);
            QCOMPARE(part<QTreeView>(view, "rulePlacesRows").model()->rowCount(), 0);
            edit.moveCursor(QTextCursor::End);
            edit.insertPlainText(QStringLiteral("rule slow: exp(a + b) <=> exp(a) * exp(b)\n"));
            QTest::qWait(200);  // the check has begun, or the test
        }
        test::ShownWindow again;
        again.trigger("perspectiveRules");
        QTRY_VERIFY(again.child<RuleTextEdit>("ruleText")->toPlainText().contains(QStringLiteral("rule slow")));
    }
};

MITOS_TEST(TestRuleEditor)

}  // namespace tst_rule_editor

#include "tst_rule_editor.moc"

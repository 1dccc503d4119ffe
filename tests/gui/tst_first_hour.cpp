// SPDX-License-Identifier: GPL-3.0-or-later
// A new user's first hour in one window, by clicks, keys and menus: what the README's "Five minutes" promises, station by station.
#include "tests/gui/history_bench.h"
#include "tests/gui/shown_window.h"
#include "tests/gui/small_models.h"
#include "tests/support/test_program.h"
#include "views/compare/compare_model.h"
#include "views/program/code_view.h"
#include "views/program/internal/program_graph.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSlider>
#include <QSpinBox>
#include <QTabBar>
#include <QTableView>
#include <QTextDocument>
#include <QToolButton>
#include <QTreeView>

namespace tst_first_hour {

using namespace mitos;
using namespace mitos::views;
using test::part;

namespace {

QAction* findIn(const QList<QAction*>& actions, const QString& name) {
    for (QAction* action : actions) {
        if (action->objectName() == name) return action;
        if (action->menu() == nullptr) continue;
        Q_EMIT action->menu()->aboutToShow();
        if (QAction* found = findIn(action->menu()->actions(), name)) return found;
    }
    return nullptr;
}

struct Hour : test::ShownWindow {
    /// Chooses the action in the menus; false if it is not there or not available.
    [[nodiscard]] bool choose(const char* action) {
        QAction* const found = findIn(window.menuBar()->actions(), QLatin1String(action));
        if (found == nullptr || !found->isEnabled()) return false;
        found->trigger();
        return true;
    }
    /// The window is in front again after a dialog, as a window manager would have it.
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QTest::keyClick(&window, key, modifiers);
    }
    /// To the widget with the focus.
    static void type(Qt::Key key) { QTest::keyClick(QApplication::focusWidget(), key); }
    template <typename Widget>
    [[nodiscard]] Widget& in(const char* name) {
        return part<Widget>(window, name);
    }
    [[nodiscard]] QString text(const char* label) { return in<QLabel>(label).text(); }
    [[nodiscard]] QString sentence() {
        QTextDocument document;
        document.setHtml(text("matchSentence"));
        return document.toPlainText();
    }
    [[nodiscard]] QString banner() { return in<QWidget>("resultBanner").accessibleName(); }
    void click(const char* widget) { QTest::mouseClick(&in<QWidget>(widget), Qt::LeftButton); }
    void clickRow(QAbstractItemView& view, const QModelIndex& row) {
        view.scrollTo(row);
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, view.visualRect(row).center());
    }
    void chooseRule(const QString& name) {
        auto& rules = in<QTableView>("matchRules");
        for (int row = 0; row < rules.model()->rowCount(); ++row) {
            if (rules.model()->index(row, 0).data() == name) return clickRow(rules, rules.model()->index(row, 0));
        }
        QFAIL(qPrintable(name));
    }
    /// Clicks into the program where the words stand.
    void clickText(const QString& words) {
        auto& code = in<CodeView>("programText");
        const qsizetype at = code.text().indexOf(words);
        QVERIFY2(at >= 0, qPrintable(code.text()));
        code.ensureVisible({at, at + 1});
        QTest::mouseClick(code.viewport(), Qt::LeftButton, {}, code.rectOf({at, at + 1}).center());
    }
    [[nodiscard]] QString selectedText() {
        const auto& code = in<CodeView>("programText");
        const auto& marks = code.marks(CodeView::Mark::Selected);
        return marks.empty() ? QString()
                             : code.text().mid(marks.front().begin, marks.front().end - marks.front().begin);
    }
    [[nodiscard]] QString rewrite() { return in<QTableView>("rewritesTable").currentIndex().data().toString(); }
    [[nodiscard]] QStringList history() {
        QStringList rows;
        const auto& tree = in<QTreeView>("historyTree");
        for (QModelIndex row = tree.model()->index(0, 0); row.isValid(); row = tree.indexBelow(row))
            rows << row.data().toString();
        return rows;
    }
    /// Types the path into the file dialog of that name.
    [[nodiscard]] bool typePath(const char* dialog, const QString& path) {
        auto* files = window.findChild<QFileDialog*>(QLatin1String(dialog));
        if (files == nullptr) return false;
        auto& name = part<QLineEdit>(*files, "fileNameEdit");
        name.setText(path);
        QTest::keyClick(&name, Qt::Key_Return);
        return QTest::qWaitFor([files = QPointer(files)] { return files.isNull() || !files->isVisible(); }) && settle();
    }
    [[nodiscard]] bool openByDialog(const QString& path) {
        press(Qt::Key_O, Qt::ControlModifier);
        return typePath("openDialog", path) && isOpen();
    }
    [[nodiscard]] bool takes(const char* name) {
        return test::takePictures(window, QStringLiteral("hour-") + QLatin1String(name));
    }
};

}  // namespace

/// The stations follow each other in one window, as in the hour of a user.
class TestFirstHour : public QObject {
    Q_OBJECT

    std::unique_ptr<Hour> m_hour;
    QTemporaryDir m_folder;

    static void forget() {
        test::forgetEverything();
        const QDir data(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation));
        for (const char* kept : {"rule-drafts", "rules"}) QDir(data.filePath(QLatin1String(kept))).removeRecursively();
    }

private Q_SLOTS:
    void initTestCase() {
        forget();
        qputenv("MITOS_SAMPLES", MITOS_SOURCE_DIR "/samples");
        m_hour = std::make_unique<Hour>();
        m_hour->window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&m_hour->window));
        QVERIFY(m_hour->settle());
    }
    void cleanupTestCase() {
        m_hour.reset();
        forget();
    }

    void stepsThroughGemm() {
        Hour& hour = *m_hour;
        QVERIFY(hour.takes("1-start"));
        hour.click("stepCard");
        QVERIFY(hour.isOpen());
        QVERIFY(hour.window.windowTitle().startsWith(QStringLiteral("gemm, today ")));
        auto& tabs = hour.in<QTabBar>("programTabs");
        QCOMPARE(tabs.tabText(tabs.currentIndex()), QStringLiteral("Math"));
        QCOMPARE(hour.in<CodeView>("programText").text(),
                 QStringLiteral("gemm(α, mat_a, mat_b, β, mat_c) =\n"
                                "  mat_x[i<n, k<l] = Σ j<m: mat_a[i, j] · mat_b[j, k]\n"
                                "  mat_x_6[i<n, j<l] = α · mat_x[i, j]\n"
                                "  mat_y[i<n, j<l] = β · mat_c[i, j]\n"
                                "  → [i<n, j<l] mat_x_6[i, j] + mat_y[i, j]"));
        QVERIFY(hour.takes("1-opened"));

        // A click selects, Alt+Up widens, and the list follows.
        hour.clickText(QStringLiteral("β ·"));
        QCOMPARE(hour.selectedText(), QStringLiteral("β"));
        hour.press(Qt::Key_Up, Qt::AltModifier);
        QCOMPARE(hour.selectedText(), QStringLiteral("β · mat_c[i, j]"));
        QVERIFY2(hour.text("programStatus").contains(QStringLiteral("  ·  type Float  ·  ")),
                 qPrintable(hour.text("programStatus")));
        QVERIFY2(hour.text("rewritesCount").startsWith(QStringLiteral("Rewrites:\u00a04 of 48")),
                 qPrintable(hour.text("rewritesCount")));
        QVERIFY(hour.takes("1-selected"));
        hour.press(Qt::Key_Escape);
        QVERIFY(hour.settle());
        QCOMPARE(hour.text("programStatus"),
                 QStringLiteral("Whole program  ·  type (Vec (Vec Float))  ·  cost 31.88 k units  ·  81 nodes"));
        QCOMPARE(hour.text("rewritesCount"), QStringLiteral("Rewrites:\u00a048   Lowering\u00a0the\u00a0cost:\u00a05"));

        // The cheapest rewrite by keys: previewed, applied, undone.
        hour.press(Qt::Key_2, Qt::AltModifier);
        hour.type(Qt::Key_J);
        QVERIFY(hour.settle());
        QCOMPARE(hour.rewrite(), QStringLiteral("inline_let → ×8"));
        QVERIFY(hour.in<CodeView>("programAfter").isVisible());
        QVERIFY(hour.text("programAfterTitle") == QStringLiteral("After inline_let at β:"));
        QCOMPARE(hour.text("programAfterCost"), QStringLiteral("cost 31.88 k → 31.88 k  (▼ −0.1)"));
        QVERIFY(hour.takes("1-preview"));
        hour.type(Qt::Key_Return);
        QVERIFY(hour.settle());
        QCOMPARE(hour.history().size(), 2);
        QVERIFY(hour.text("sessionStatus")
                    .startsWith(QStringLiteral("2 states  ·  cost 31.88 k  ·  best 31.88 k (▼ −0.1)")));
        QVERIFY(hour.in<QToolButton>("historyUndo").isEnabled());
        hour.press(Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(hour.settle());
        QVERIFY(!hour.in<QToolButton>("historyUndo").isEnabled());
        QCOMPARE(hour.history().size(), 2);

        // Another one makes a branch, which gets a name and a pin, and is compared with the start.
        hour.press(Qt::Key_2, Qt::AltModifier);
        hour.type(Qt::Key_J);
        hour.type(Qt::Key_J);
        QCOMPARE(hour.rewrite(), QStringLiteral("lift_bind → ×6"));
        hour.type(Qt::Key_Return);
        QVERIFY(hour.settle());
        QCOMPARE(hour.history().size(), 3);
        QVERIFY(hour.history()[1].startsWith(QStringLiteral("↳ lift_bind → @ ")));
        hour.press(Qt::Key_1, Qt::AltModifier);
        hour.type(Qt::Key_F2);
        QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("second try"));
        hour.type(Qt::Key_Return);
        QTRY_COMPARE(QApplication::focusWidget()->objectName(), QStringLiteral("historyTree"));
        hour.type(Qt::Key_P);
        QTRY_VERIFY2(hour.history()[1].startsWith(QStringLiteral("↳ ⚑ second try  (lift_bind → ")),
                     qPrintable(hour.history()[1]));
        QVERIFY(hour.choose("compareStart"));
        QVERIFY(hour.settle());
        QCOMPARE(hour.text("historyComparison"), QStringLiteral("⇄ #0 compared with #2, the current state: no change"));
        QCOMPARE(hour.text("programBeforeTitle"), QStringLiteral("Compared with the start, which is shown here:"));
        QCOMPARE(hour.text("programBeforeCost"), QStringLiteral("cost 31.88 k → 31.88 k  (no change)"));
        QVERIFY(hour.takes("1-compared"));
        hour.click("programBeforeClose");
        QVERIFY(!hour.in<CodeView>("programBefore").isVisible());
    }

    void searchesAndExports() {
        Hour& hour = *m_hour;
        QVERIFY(hour.choose("toStart"));
        hour.press(Qt::Key_F5, Qt::ControlModifier);
        auto& dialog = hour.in<QDialog>("searchDialog");
        auto& strategy = part<QComboBox>(dialog, "searchStrategy");
        strategy.setCurrentIndex(strategy.findData(QStringLiteral("phases")));
        part<QCheckBox>(dialog, "use.seconds").setChecked(false);
        part<QCheckBox>(dialog, "use.evaluations").setChecked(true);
        part<QSpinBox>(dialog, "budget.evaluations").setValue(3000);
        const auto& about = part<QLabel>(dialog, "searchDescription");
        QTRY_VERIFY(about.height() >= about.heightForWidth(about.width()));
        QVERIFY(test::takePictures(dialog, QStringLiteral("hour-2-settings")));
        QTest::mouseClick(part<QDialogButtonBox>(dialog, "searchButtons").button(QDialogButtonBox::Ok), Qt::LeftButton);
        QVERIFY(hour.settle());
        QTRY_VERIFY(hour.in<QWidget>("resultBanner").isVisible());
        QVERIFY(hour.settle());
        QVERIFY2(hour.banner().startsWith(QStringLiteral("31.88 k → 30.24 k units · ▼ −5.1 % · Phases, 20 steps, ")),
                 qPrintable(hour.banner()));
        QVERIFY2(hour.banner().endsWith(QStringLiteral(" · ✓ replayed · ✓ same values")), qPrintable(hour.banner()));
        QCOMPARE(hour.history().last(), QStringLiteral("★ phases #1: 19 steps"));  // the first one was there already
        QVERIFY(hour.takes("2-found"));
        hour.click("resultCompare");
        QVERIFY(hour.settle());
        QCOMPARE(hour.text("programBeforeTitle"), QStringLiteral("Compared with the start, which is shown here:"));
        QCOMPARE(hour.text("programBeforeCost"), QStringLiteral("cost 31.88 k → 30.24 k  (▼ −1,639)"));
        QVERIFY(hour.takes("2-compared"));

        // The thread is walked back, over its peak, and on again.
        const auto costs = [&hour] { return hour.text("sessionStatus").section(QStringLiteral("  ·  "), 1, 1); };
        QCOMPARE(costs(), QStringLiteral("cost 30.24 k"));
        for (int i = 0; i < 3; ++i) hour.press(Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(hour.settle());
        QCOMPARE(costs(), QStringLiteral("cost 46.4 k"));
        QCOMPARE(hour.in<QTreeView>("historyTree").selectionModel()->selectedRows().size(), 1);
        QVERIFY(hour.takes("2-walked"));
        for (int i = 0; i < 3; ++i) hour.press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(hour.settle());
        QCOMPARE(costs(), QStringLiteral("cost 30.24 k"));
        hour.click("programBeforeClose");

        hour.click("resultExport");
        QVERIFY(hour.settle());
        auto& window = hour.in<QDialog>("exportDialog");
        QCOMPARE(part<QComboBox>(window, "exportFormat").currentText(), QStringLiteral("C++"));
        QCOMPARE(part<QLabel>(window, "exportVerdict").text(),
                 QStringLiteral("✓ 20 of 20 steps checked; same values on 58 random inputs (largest difference 0)"));
        const QString code = part<QPlainTextEdit>(window, "exportPreview").toPlainText();
        QVERIFY2(code.startsWith(QStringLiteral("// gemm as C++17. ")), qPrintable(code.left(100)));
        QVERIFY(test::takePictures(window, QStringLiteral("hour-2-export")));
        QTest::mouseClick(&part<QPushButton>(window, "exportSave"), Qt::LeftButton);
        const QString path = m_folder.filePath(QStringLiteral("gemm.cpp"));
        QVERIFY(hour.typePath("exportSaveDialog", path));
        QTRY_COMPARE(part<QLabel>(window, "exportStatus").text(), QStringLiteral("Saved to ") + path);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(QString::fromUtf8(file.readAll()).trimmed(), code.trimmed());
        window.close();
    }

    void asksWhyARuleDoesNotMatch() {
        Hour& hour = *m_hour;
        QVERIFY(hour.choose("toStart"));
        hour.clickText(QStringLiteral("β ·"));
        hour.press(Qt::Key_Up, Qt::AltModifier);
        hour.press(Qt::Key_5, Qt::AltModifier);
        QVERIFY(hour.settle());
        QTRY_COMPARE(hour.text("matchSummary"), QStringLiteral("Rules that match here: 2 of 161"));
        hour.chooseRule(QStringLiteral("mul_one"));
        QVERIFY(hour.settle());
        QTRY_COMPARE(hour.sentence(),
                     QStringLiteral("mul_one does not match here: it needs the number 1 at the left of "
                                    "the product, but there is β."));
        QVERIFY(hour.takes("3-match"));
        hour.press(Qt::Key_M, Qt::ControlModifier);
        QVERIFY(hour.settle());
        QVERIFY(!hour.in<QWidget>("programView").isVisible());
        QVERIFY(hour.in<QLabel>("matchSentence").isVisible());
        QVERIFY(hour.takes("3-centre"));
        hour.press(Qt::Key_Escape);
        QVERIFY(hour.in<QWidget>("programView").isVisible());
        QCOMPARE(hour.selectedText(), QStringLiteral("β · mat_c[i, j]"));
    }

    void writesARule() {
        Hour& hour = *m_hour;
        hour.press(Qt::Key_4, Qt::ControlModifier);
        QVERIFY(hour.settle());
        QVERIFY(hour.takes("4-rules"));
        hour.click("ruleSetNew");
        QVERIFY(hour.typePath("newRuleSetDialog", m_folder.filePath(QStringLiteral("own.rules"))));
        auto& edit = hour.in<QPlainTextEdit>("ruleText");
        QTRY_VERIFY(edit.toPlainText().contains(QStringLiteral("my_mul_one")));
        QCOMPARE(hour.text("ruleTitle"), QStringLiteral("own.rules"));
        QCOMPARE(hour.text("ruleSummary"), QStringLiteral("✓ 1 rule  ·  no errors"));
        edit.setFocus();
        edit.moveCursor(QTextCursor::End);
        QTest::keyClicks(&edit, QStringLiteral("rule my_turn [exact]: a * b => b * c"));
        QVERIFY(hour.settle());
        QTRY_VERIFY(hour.in<QListWidget>("ruleMessages").count() > 0);
        QCOMPARE(hour.in<QListWidget>("ruleMessages").item(0)->text(),
                 QStringLiteral("✗  7:36  c is not bound: it does not occur on the side that is matched"));
        QCOMPARE(hour.text("ruleSummary"), QStringLiteral("✗ 1 rule  ·  1 error"));
        QVERIFY(hour.takes("4-error"));
        QTest::keyClick(&edit, Qt::Key_Backspace);
        QTest::keyClicks(&edit, QStringLiteral("a"));
        QTRY_COMPARE(hour.in<QListWidget>("ruleMessages").count(), 0);
        QTRY_VERIFY(hour.in<QWidget>("rulePlacesRows").isVisible());
        QVERIFY(hour.settle());
        auto& places = hour.in<QTreeView>("rulePlacesRows");
        QTRY_COMPARE(hour.text("ruleVerdict"), QStringLiteral("✓ my_turn passed 1,000 tests as exact"));
        QCOMPARE(hour.text("rulePlacesTitle"), QStringLiteral("3 places"));
        const QModelIndex first = places.model()->index(0, 0);
        QCOMPARE(first.data().toString(), QStringLiteral("mat_a[i, j] · mat_b[j, k]  in mat_x"));
        QCOMPARE(first.siblingAtColumn(1).data().toString(), QStringLiteral("mat_b[j, k] · mat_a[i, j]"));
        hour.clickRow(places, first);
        QVERIFY(hour.takes("4-mended"));
        QCOMPARE(hour.in<QPushButton>("ruleApply").text(), QStringLiteral("&Save, Use and Apply"));
        hour.click("ruleApply");
        QVERIFY(hour.settle());
        QTRY_VERIFY(hour.history().filter(QStringLiteral("↳ my_turn → @ ")).size() == 1);
        QCOMPARE(hour.text("ruleTitle"), QStringLiteral("own.rules"));
        QFile file(m_folder.filePath(QStringLiteral("own.rules")));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().endsWith("rule my_turn [exact]: a * b => b * a"));
        hour.press(Qt::Key_1, Qt::ControlModifier);
        QVERIFY(hour.settle());
        QVERIFY(hour.in<CodeView>("programText").text().contains(QStringLiteral("Σ j<m: mat_b[j, k] · mat_a[i, j]")));
        QVERIFY(hour.takes("4-applied"));
    }

    void saturatesAndProves() {
        Hour& hour = *m_hour;
        QVERIFY(hour.openByDialog(test::sample("teaching/factor.ks")));
        QTRY_VERIFY(hour.window.windowTitle().startsWith(QStringLiteral("factor")));
        QVERIFY(hour.settle());
        hour.press(Qt::Key_F5, Qt::ControlModifier | Qt::ShiftModifier);
        auto& dialog = hour.in<QDialog>("saturateDialog");
        part<QSpinBox>(dialog, "parameter.iterations").setValue(4);
        QTest::mouseClick(part<QDialogButtonBox>(dialog, "searchButtons").button(QDialogButtonBox::Ok), Qt::LeftButton);
        QVERIFY(hour.settle());
        QVERIFY2(hour.text("iterationLabel").startsWith(QStringLiteral("Iteration 4 of 4 · ")) &&
                     hour.text("iterationLabel").endsWith(QStringLiteral(" · ended by: iteration limit")),
                 qPrintable(hour.text("iterationLabel")));
        QVERIFY2(hour.banner().startsWith(QStringLiteral("5 → 3 units · ▼ −40.0 % · Saturation, 1 step, ")),
                 qPrintable(hour.banner()));
        QTest::qWait(500);  // the boxes move to their places
        QVERIFY(hour.takes("5-saturated"));
        auto& slider = hour.in<QSlider>("iterationSlider");
        slider.setFocus();
        QTest::keyClick(&slider, Qt::Key_Home);
        QVERIFY(hour.settle());
        QVERIFY2(
            hour.text("iterationLabel").startsWith(QStringLiteral("Before the first of 4 iterations · 6 e-nodes · ")),
            qPrintable(hour.text("iterationLabel")));
        QVERIFY(hour.takes("5-back"));
        QTest::keyClick(&slider, Qt::Key_End);
        QVERIFY(hour.settle());
        hour.click("takeCheapest");
        QVERIFY(hour.settle());
        QCOMPARE(hour.history(), (QStringList{QStringLiteral("start"), QStringLiteral("★ saturation #1: 1 step")}));
        hour.press(Qt::Key_1, Qt::ControlModifier);
        QVERIFY(hour.choose("toStart"));
        QVERIFY(hour.choose("prove"));
        auto& proof = hour.in<QDialog>("proofDialog");
        auto& goal = part<QPlainTextEdit>(proof, "proofGoal");
        QCOMPARE(hour.in<CodeView>("programText").text(), QStringLiteral("expression(a, b, c) = a · b + a · c"));
        QTest::keyClicks(&goal, QStringLiteral("b * a + a * c"));
        QVERIFY(test::takePictures(proof, QStringLiteral("hour-5-prove")));
        QTest::mouseClick(part<QDialogButtonBox>(proof, "searchButtons").button(QDialogButtonBox::Ok), Qt::LeftButton);
        QVERIFY(hour.settle());
        QCOMPARE(
            hour.text("messageText"),
            QStringLiteral("The goal is equal: 1 checked step joined the history; walk it in the perspective Step."));
        QVERIFY2(hour.banner().contains(QStringLiteral("\nGoal found after 1 iteration\n")), qPrintable(hour.banner()));
        QCOMPARE(hour.history(), (QStringList{QStringLiteral("start"), QStringLiteral("↳ saturation: 1 step"),
                                              QStringLiteral("★ saturation #1: 1 step")}));
        QTest::qWait(500);
        QVERIFY(hour.takes("5-proved"));
    }

    void comparesSearches() {
        Hour& hour = *m_hour;
        hour.press(Qt::Key_1, Qt::ControlModifier);
        QVERIFY(hour.choose("toStart"));
        hour.press(Qt::Key_F5, Qt::AltModifier);
        auto& dialog = hour.in<QDialog>("compareDialog");
        auto& strategies = part<QListWidget>(dialog, "compareStrategies");
        for (int row = 0; row < strategies.count(); ++row) {
            const QString name = strategies.item(row)->text();
            strategies.item(row)->setCheckState(name == u"Greedy" || name.startsWith(u"Random") ? Qt::Checked
                                                                                                : Qt::Unchecked);
        }
        part<QSpinBox>(dialog, "compareSeeds").setValue(2);
        part<QCheckBox>(dialog, "use.seconds").setChecked(false);
        part<QCheckBox>(dialog, "use.evaluations").setChecked(true);
        part<QSpinBox>(dialog, "budget.evaluations").setValue(300);
        QVERIFY(part<QLabel>(dialog, "compareMessage").text().startsWith(QStringLiteral("3 searches")));
        QVERIFY(test::takePictures(dialog, QStringLiteral("hour-6-dialog")));
        QTest::mouseClick(part<QDialogButtonBox>(dialog, "compareButtons").button(QDialogButtonBox::Ok),
                          Qt::LeftButton);
        auto& table = hour.in<QTreeView>("compareRows");
        QTRY_COMPARE(hour.text("compareProgress"), QStringLiteral("3 of 3 finished"));
        QVERIFY(hour.settle());
        QTRY_COMPARE(hour.text("compareTitle"), QStringLiteral("5 searches of factor.ks, 3 kinds"));
        const auto cell = [&table](int row, CompareModel::Column column) {
            return table.model()->index(row, column).data().toString();
        };
        QTRY_COMPARE(table.model()->rowCount(), 3);
        const QStringList rows{QStringLiteral("Saturation"), QStringLiteral("Greedy"),
                               QStringLiteral("Random rollouts")};
        for (int row = 0; row < rows.size(); ++row) {
            QVERIFY2(cell(row, CompareModel::StrategyColumn).startsWith(rows[row]),
                     qPrintable(cell(row, CompareModel::StrategyColumn)));
            QTRY_COMPARE(cell(row, CompareModel::VerdictsColumn), QStringLiteral("✓ replayed  ✓ same values"));
            QCOMPARE(cell(row, CompareModel::ChangeColumn), QStringLiteral("▼ −40.0 %"));
        }
        hour.clickRow(table, table.model()->index(1, 0));
        QVERIFY(hour.takes("6-compared"));
        hour.click("compareReport");
        const QString path = m_folder.filePath(QStringLiteral("report.html"));
        QVERIFY(hour.typePath("compareReportDialog", path));
        QTRY_VERIFY(QFile::exists(path));
        QVERIFY(hour.settle());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString page = QString::fromUtf8(file.readAll());
        // It begins with the answer.
        const qsizetype answer = page.indexOf(QStringLiteral("<p class=\"answer\">All 3 strategies tie"));
        QVERIFY(answer > 0 && answer < page.indexOf(QStringLiteral("<svg")));
        hour.click("compareGo");
        QVERIFY(hour.settle());
        QVERIFY(hour.in<QWidget>("programView").isVisible());
        QCOMPARE(hour.text("programStatus"),
                 QStringLiteral("Whole program  ·  type Float  ·  cost 3 units  ·  5 nodes"));
    }

    void goesOnWithTwoPrograms() {
        Hour& hour = *m_hour;
        const QStringList factor = hour.history();
        const QString title = hour.window.windowTitle();
        QVERIFY(title.startsWith(QStringLiteral("factor, today ")));
        hour.press(Qt::Key_Tab, Qt::ControlModifier);
        QVERIFY(hour.settle());
        QVERIFY(hour.window.windowTitle().startsWith(QStringLiteral("gemm, today ")));
        const QStringList gemm = hour.history();
        QCOMPARE(gemm.filter(QStringLiteral("⚑ second try")).size(), 1);
        QCOMPARE(gemm.filter(QStringLiteral("my_turn")).size(), 1);
        const QString status = hour.text("sessionStatus");
        QVERIFY(hour.takes("7-back"));
        hour.press(Qt::Key_Tab, Qt::ControlModifier);
        QVERIFY(hour.settle());
        QCOMPARE(hour.window.windowTitle(), title);
        QCOMPARE(hour.history(), factor);
        QVERIFY2(!hour.in<QWidget>("messageBar").isVisible(), qPrintable(hour.text("messageText")));
        hour.press(Qt::Key_W, Qt::ControlModifier);
        QVERIFY(hour.settle());
        QCOMPARE(hour.text("sessionStatus"), status);
        hour.window.close();

        m_hour = std::make_unique<Hour>();
        Hour& again = *m_hour;
        again.window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&again.window));
        QVERIFY(again.settle());
        QVERIFY(again.takes("7-continue"));
        auto& recent = again.in<QListWidget>("recent");
        const auto entry = recent.findItems(QStringLiteral("gemm, today "), Qt::MatchStartsWith);
        QCOMPARE(entry.size(), 1);
        again.clickRow(recent, recent.model()->index(recent.row(entry.front()), 0));
        QVERIFY(again.isOpen());
        QCOMPARE(again.text("sessionStatus"), status);
        QCOMPARE(again.history(), gemm);
    }

    void optimizesANetwork() {
        Hour& hour = *m_hour;
        QVERIFY(
            hour.openByDialog(test::writeModel(m_folder.filePath(QStringLiteral("branches.onnx")), test::TwoBranches)));
        QTRY_VERIFY(hour.window.windowTitle().startsWith(QStringLiteral("branches")));
        QVERIFY(hour.settle());
        auto& tabs = hour.in<QTabBar>("programTabs");
        QCOMPARE(tabs.tabText(tabs.currentIndex()), QStringLiteral("Graph"));
        auto& graph = hour.in<ProgramGraph>("programGraph");
        QStringList titles;
        for (const GraphNode& node : graph.view().graph().nodes) titles << node.title;
        const auto relu = static_cast<GraphIndex>(titles.indexOf(QStringLiteral("Relu")));
        QTest::mouseClick(graph.view().viewport(), Qt::LeftButton, {}, graph.view().rectOf(relu).center());
        QVERIFY(hour.settle());
        QVERIFY2(hour.text("programStatus")
                     .startsWith(QStringLiteral("Relu relu  ·  type f32[1,4,8,8]  ·  own cost 1.046 µs")),
                 qPrintable(hour.text("programStatus")));
        QVERIFY(hour.takes("8-box"));
        hour.press(Qt::Key_Escape);
        QVERIFY(hour.settle());
        auto& table = hour.in<QTableView>("rewritesTable");
        table.setFocus();
        QTest::keyClick(&table, Qt::Key_J);
        QVERIFY(hour.settle());
        QCOMPARE(hour.rewrite(), QStringLiteral("tensor_relu_relu →"));
        QVERIFY(hour.takes("8-preview"));
        QTest::keyClick(&table, Qt::Key_Return);
        QVERIFY(hour.settle());
        QCOMPARE(hour.history(), (QStringList{QStringLiteral("start"), QStringLiteral("★ tensor_relu_relu → @ r1")}));
        hour.press(Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(hour.settle());
        QVERIFY2(hour.text("sessionStatus").startsWith(QStringLiteral("2 states  ·  cost 4.22  ·  ")),
                 qPrintable(hour.text("sessionStatus")));
        hour.press(Qt::Key_F5, Qt::ControlModifier);
        auto& dialog = hour.in<QDialog>("searchDialog");
        auto& strategy = part<QComboBox>(dialog, "searchStrategy");
        strategy.setCurrentIndex(strategy.findData(QStringLiteral("greedy")));
        part<QCheckBox>(dialog, "use.seconds").setChecked(false);
        part<QCheckBox>(dialog, "use.evaluations").setChecked(true);
        part<QSpinBox>(dialog, "budget.evaluations").setValue(200);
        QTest::mouseClick(part<QDialogButtonBox>(dialog, "searchButtons").button(QDialogButtonBox::Ok), Qt::LeftButton);
        QVERIFY(hour.settle());
        QTRY_VERIFY(hour.in<QWidget>("resultBanner").isVisible());
        QVERIFY2(hour.banner().startsWith(QStringLiteral("4.22 → 3.169 µs · ▼ −24.9 % · Greedy, 1 step, ")) &&
                     hour.banner().endsWith(QStringLiteral(" · ✓ replayed · ✓ same values")),
                 qPrintable(hour.banner()));
        // Merging the products would not pay: the runtime copies what a Split separates. So the search found the step taken before.
        QCOMPARE(hour.history().last(), QStringLiteral("★ tensor_relu_relu → @ r1"));
        QVERIFY(hour.takes("8-found"));
    }
};

MITOS_TEST(TestFirstHour)

}  // namespace tst_first_hour

#include "tst_first_hour.moc"

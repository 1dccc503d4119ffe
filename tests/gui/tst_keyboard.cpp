// SPDX-License-Identifier: GPL-3.0-or-later
// The whole task by keyboard: open, step, search, walk, compare, look up, export; no mouse, no direct calls.
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/gui/shown_window.h"
#include "tests/support/test_program.h"
#include "views/help/help_window.h"
#include "views/program/code_view.h"
#include "views/program/program_view.h"

#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QFileDialog>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTableView>
#include <QTextBrowser>
#include <QToolButton>
#include <QTreeWidget>

namespace tst_keyboard {

using namespace mitos;
using namespace mitos::views;
using mitos::test::sample;

namespace {

struct Window : test::ShownWindow {
    Window() { window.activateWindow(); }
    /// What has the keyboard; a popup, as a list of completions is, takes it from the widget it belongs to.
    [[nodiscard]] static QWidget* keyboard() {
        if (QWidget* popup = QApplication::activePopupWidget(); popup != nullptr) return popup;
        QWidget* focus = QApplication::focusWidget();
        return focus != nullptr ? focus : QApplication::activeWindow();
    }
    static void press(QKeyCombination keys) {
        QVERIFY2(keyboard() != nullptr, qPrintable(QKeySequence(keys).toString()));
        QTest::keyClick(keyboard(), keys.key(), keys.keyboardModifiers());
    }
    static void type(const QString& text) {
        for (const QChar letter : text) {
            QVERIFY(keyboard() != nullptr);
            QTest::keyClicks(keyboard(), letter);
        }
    }
    /// Opens a file through the dialog, by keys.
    [[nodiscard]] bool open(const QString& path) {
        press(Qt::CTRL | Qt::Key_O);
        if (!QTest::qWaitFor([this] { return child<QFileDialog>("openDialog") != nullptr; })) return false;
        auto* dialog = child<QFileDialog>("openDialog");
        const auto hasKeyboard = [dialog] { return dialog->isAncestorOf(QApplication::focusWidget()); };
        if (!QTest::qWaitFor(hasKeyboard)) return false;
        type(path);
        press(Qt::Key_Return);
        return isOpen() && isBack();
    }
    /// A dialog has closed: what a window manager does then, here there is none.
    [[nodiscard]] bool isBack() {
        window.activateWindow();
        return QTest::qWaitForWindowActive(&window);
    }
    /// The lines on the page of keys: "View: F11: Full Screen", with the remark if there is one.
    [[nodiscard]] QStringList keys() {
        QStringList lines;
        const auto* table = child<QTreeWidget>("keysTable");
        for (int g = 0; g < table->topLevelItemCount(); ++g) {
            const QTreeWidgetItem* group = table->topLevelItem(g);
            for (int i = 0; i < group->childCount(); ++i) {
                const QTreeWidgetItem* item = group->child(i);
                if (item->isHidden() || group->isHidden()) continue;
                lines << group->text(0) + QStringLiteral(": ") + item->text(0) + QStringLiteral(": ") + item->text(1) +
                             item->text(2);
            }
        }
        return lines;
    }
    /// Chooses an entry of the palette by typing.
    void go(const QString& words) {
        press(Qt::CTRL | Qt::Key_K);
        QTRY_VERIFY(child<QDialog>("goDialog") != nullptr);
        QTRY_VERIFY(child<QDialog>("goDialog")->isAncestorOf(QApplication::focusWidget()));
        type(words);
        QVERIFY(child<QTreeWidget>("goList")->topLevelItemCount() > 0);
        press(Qt::Key_Return);
        QTRY_VERIFY(child<QDialog>("goDialog") == nullptr);
        QVERIFY(isBack());
    }
};

}  // namespace

class TestKeyboard : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() {
        QSettings().clear();
        QDir(Document::sessionFolder()).removeRecursively();
    }

    void theWholeTask() {
        Window shown;
        QVERIFY(QTest::qWaitForWindowActive(&shown.window));
        QVERIFY(shown.settle());
        QVERIFY(shown.open(sample("teaching/factor.ks")));
        Document& document = shown.window.document();
        const ir::TermId start = document.current().root;

        // Step: to the list of rewrites, the second one, apply; back and on.
        Window::press(Qt::ALT | Qt::Key_2);
        QVERIFY(qobject_cast<QTableView*>(QApplication::focusWidget()) != nullptr);
        Window::press(Qt::Key_J);
        Window::press(Qt::Key_J);
        Window::press(Qt::Key_K);
        QTRY_VERIFY(shown.window.selection().rewrite().has_value());
        Window::press(Qt::Key_Return);
        QTRY_COMPARE(document.history().size(), std::size_t(2));
        Window::press(Qt::CTRL | Qt::Key_Z);
        QCOMPARE(document.current().root, start);
        Window::press(Qt::CTRL | Qt::SHIFT | Qt::Key_Z);
        QVERIFY(document.current().root != start);

        // Compare with the parent, and stop.
        Window::press(Qt::CTRL | Qt::Key_D);
        QTRY_VERIFY(shown.child<CodeView>("programBefore")->isVisible());
        shown.go(QStringLiteral("stop comparing"));
        QTRY_VERIFY(!shown.child<CodeView>("programBefore")->isVisible());

        // Search, stop, then to the best state and walk the program there.
        Window::press(Qt::CTRL | Qt::Key_Z);
        shown.window.setBudgetSeconds(600.0);
        Window::press(Qt::Key_F5);
        QTRY_VERIFY(!document.runs().empty() && document.runs().front().bestCost < 5.0);
        Window::press(Qt::SHIFT | Qt::Key_F5);
        QVERIFY(shown.settle());
        QVERIFY(!document.runs().front().stop.empty());
        shown.go(QStringLiteral("start state"));
        QCOMPARE(document.current().root, start);
        Window::press(Qt::ALT | Qt::Key_0);
        Window::press(Qt::Key_B);
        QCOMPARE(document.history().current(), document.history().best());
        Window::press(Qt::ALT | Qt::Key_Up);
        QCOMPARE(*shown.window.selection().subterm(), ir::Path());
        Window::press(Qt::ALT | Qt::Key_Down);
        QCOMPARE(*shown.window.selection().subterm(), (ir::Path{0}));
        Window::press(Qt::ALT | Qt::SHIFT | Qt::Key_Right);
        QCOMPARE(*shown.window.selection().subterm(), (ir::Path{1}));

        // As a graph, and find in it.
        shown.go(QStringLiteral("as graph"));
        QCOMPARE(shown.child<ProgramView>("programView")->shownAs(), int(ProgramView::GraphTab));
        Window::press(Qt::CTRL | Qt::Key_F);
        Window::type(QStringLiteral("a"));
        Window::press(Qt::Key_Return);
        QVERIFY(shown.window.selection().subterm().has_value());
        Window::press(Qt::Key_Escape);
        QVERIFY(!shown.child<QLineEdit>("findEdit")->isVisible());

        // Export: the dialog opens and closes.
        QVERIFY(shown.isBack());
        Window::press(Qt::CTRL | Qt::Key_E);
        QTRY_VERIFY(shown.child<QDialog>("exportDialog") != nullptr);
        QTRY_VERIFY(shown.child<QDialog>("exportDialog")->isAncestorOf(QApplication::focusWidget()));
        QVERIFY(shown.settle());
        Window::press(Qt::Key_Escape);
        QTRY_VERIFY(shown.child<QDialog>("exportDialog") == nullptr);
        QVERIFY(shown.isBack());

        // Save the session elsewhere.
        const QTemporaryDir folder;
        Window::press(Qt::CTRL | Qt::SHIFT | Qt::Key_S);
        QTRY_VERIFY(shown.child<QFileDialog>("saveDialog") != nullptr);
        QTRY_VERIFY(shown.child<QFileDialog>("saveDialog")->isAncestorOf(QApplication::focusWidget()));
        Window::type(folder.filePath(QStringLiteral("kept")));
        Window::press(Qt::Key_Return);
        QTRY_VERIFY(QFile::exists(folder.filePath(QStringLiteral("kept.mitos"))));
        QCOMPARE(document.sessionPath(), folder.filePath(QStringLiteral("kept.mitos")));
    }

    void samplesOpenFromTheStartPage() {
        qputenv("MITOS_SAMPLES", MITOS_SOURCE_DIR "/samples");
        Window shown;
        QVERIFY(QTest::qWaitForWindowActive(&shown.window));
        QVERIFY(shown.settle());
        QCOMPARE(QApplication::focusWidget()->objectName(), QStringLiteral("samples"));
        Window::press(Qt::Key_Down);
        Window::press(Qt::Key_Return);
        QTRY_VERIFY(shown.window.document().isOpen());
        QCOMPARE(shown.window.document().title(), QStringLiteral("factor.ks"));
        QVERIFY(shown.child<CodeView>("programText")->hasFocus());
    }

    void aRuleEverywhere() {
        Window shown;
        QVERIFY(QTest::qWaitForWindowActive(&shown.window));
        QVERIFY(shown.settle());
        QVERIFY(shown.open(sample("teaching/factor.ks")));
        shown.go(QStringLiteral("rule commute_mul"));
        QVERIFY(shown.settle());
        QVERIFY(qobject_cast<QTableView*>(QApplication::focusWidget()) != nullptr);
        Window::press(Qt::Key_J);
        QTRY_VERIFY(shown.window.selection().rewrite().has_value());
        Window::press(Qt::CTRL | Qt::Key_Return);
        // Both products are turned around, a state each.
        QTRY_COMPARE(shown.window.document().history().size(), std::size_t(3));
        const ir::Program now = shown.window.document().current();
        QCOMPARE(QString::fromStdString(ks::printTerm(shown.window.document().bank(), now.root, {.width = 0})),
                 QStringLiteral("(add (mul b a) (mul c a))"));
    }

    void everyDockHasItsKey() {
        Window shown;
        QVERIFY(QTest::qWaitForWindowActive(&shown.window));
        QVERIFY(shown.settle());
        QVERIFY(shown.open(sample("teaching/factor.ks")));
        const char* docks[] = {"dockHistory", "dockRewrites", "dockCostCurve", "dockCost", "dockMatch", "dockJobs"};
        for (int i = 0; i < static_cast<int>(std::size(docks)); ++i) {
            shown.child<QDockWidget>(docks[i])->hide();
            Window::press(Qt::ALT | static_cast<Qt::Key>(Qt::Key_1 + i));
            QVERIFY2(shown.child<QDockWidget>(docks[i])->isVisible(), docks[i]);
            QVERIFY2(shown.child<QDockWidget>(docks[i])->isAncestorOf(QApplication::focusWidget()), docks[i]);
        }
    }

    void thePageOfKeysListsEveryKey() {
        Window shown;
        QVERIFY(QTest::qWaitForWindowActive(&shown.window));
        QVERIFY(shown.settle());
        Window::press(Qt::Key_Question);
        QTRY_VERIFY(shown.child<QTreeWidget>("keysTable") != nullptr);
        QVERIFY(shown.child<QTreeWidget>("keysTable")->isVisible());
        const QStringList listed = shown.keys();
        for (const auto* action : shown.window.findChildren<QAction*>()) {
            if (action->parent() != &shown.window || action->shortcut().isEmpty()) continue;
            const QString key = action->shortcut().toString(QKeySequence::NativeText);
            QVERIFY2(std::any_of(listed.begin(), listed.end(), [&](const QString& line) { return line.contains(key); }),
                     qPrintable(key));
        }
        // Keys of menus, of views with actions, of views with keys, and gestures.
        for (const char* line :
             {"View: F11: Full Screen", "History: P: Pin", "Rewrites: J: Next rewrite", "E-graph: S: Hide the class",
              "Graph: Space: Show all of it", "Chart: Wheel: Zoom", "Graph: Shift+E: Open all blocks of a network"}) {
            QVERIFY2(listed.contains(QLatin1String(line)), line);
        }
        for (const QString& line : listed) QVERIFY2(!line.contains(QStringLiteral("⚠")), qPrintable(line));
        QVERIFY(test::takePictures(*shown.child<QWidget>("helpWindow"), QStringLiteral("keys")));
    }

    void keysAreFoundByWordsAndByPressing() {
        Window shown;
        shown.trigger("keys");
        auto* words = shown.child<QLineEdit>("keysWords");
        QTRY_VERIFY(words->isVisible());
        words->setText(QStringLiteral("full screen"));
        QCOMPARE(shown.keys(), QStringList{QStringLiteral("View: F11: Full Screen")});
        words->setText(QStringLiteral("no such thing"));
        QVERIFY(shown.keys().isEmpty());
        QCOMPARE(shown.child<QLabel>("keysStatus")->text(), QStringLiteral("Nothing has these keys or this name."));
        QVERIFY(!shown.child<QPushButton>("keysChange")->isEnabled());
        words->clear();
        QTest::keyClick(shown.child<QKeySequenceEdit>("keysPressed"), Qt::Key_E, Qt::ControlModifier);
        QTRY_COMPARE(shown.keys(), QStringList{QStringLiteral("File: Ctrl+E: Export")});
        shown.child<QToolButton>("keysClear")->click();
        QVERIFY(shown.keys().size() > 60);
        // Keys of views cannot be changed.
        words->setText(QStringLiteral("next rewrite"));
        QCOMPARE(shown.keys(), QStringList{QStringLiteral("Rewrites: J: Next rewrite")});
        QVERIFY(!shown.child<QPushButton>("keysChange")->isEnabled());
        // Change leads to the action in the preferences.
        words->setText(QStringLiteral("full screen"));
        shown.child<QPushButton>("keysChange")->click();
        QTRY_VERIFY(shown.child<QDialog>("preferencesDialog") != nullptr);
        QCOMPARE(shown.child<QTreeWidget>("shortcutsTable")->currentItem()->text(0), QStringLiteral("Full Screen"));
        QVERIFY(shown.child<QTreeWidget>("shortcutsTable")->isVisible());
    }

    void conflictsAreMarked() {
        KeysPage page;
        const QKeySequence ctrlE(Qt::CTRL | Qt::Key_E);
        page.setEntries({{QStringLiteral("File"), {ctrlE}, {}, QStringLiteral("Export"), QStringLiteral("export")},
                         {QStringLiteral("View"), {ctrlE}, {}, QStringLiteral("Enlarge"), QStringLiteral("enlarge")},
                         {QStringLiteral("Graph"), {ctrlE}, {}, QStringLiteral("Expand"), {}}});
        const auto* table = page.findChild<QTreeWidget*>(QStringLiteral("keysTable"));
        QCOMPARE(table->topLevelItem(0)->child(0)->text(2), QStringLiteral("⚠ also: Enlarge"));
        QCOMPARE(table->topLevelItem(1)->child(0)->text(2), QStringLiteral("⚠ also: Export"));
        QCOMPARE(table->topLevelItem(2)->child(0)->text(2), QString());
    }

    void helpIsAboutTheViewWithTheFocus() {
        Window shown;
        QVERIFY(QTest::qWaitForWindowActive(&shown.window));
        QVERIFY(shown.settle());
        QVERIFY(shown.open(sample("teaching/factor.ks")));
        const auto page = [&](QKeyCombination dock) {
            Window::press(dock);
            Window::press(Qt::Key_F1);
            auto* list = shown.child<QListWidget>("helpPages");
            const QString name = list == nullptr ? QString() : list->currentItem()->data(Qt::UserRole).toString();
            shown.child<HelpWindow>("helpWindow")->close();
            return shown.isBack() ? name : QString();
        };
        QCOMPARE(page(Qt::ALT | Qt::Key_1), QStringLiteral("history"));
        QCOMPARE(page(Qt::ALT | Qt::Key_5), QStringLiteral("matching"));
        QCOMPARE(page(Qt::ALT | Qt::Key_0), QStringLiteral("stepping"));
    }

    void shortcutsDoNotCollide() {
        Window shown;
        QMap<QString, QString> owner;
        for (const auto* action : shown.window.findChildren<QAction*>()) {
            for (const QKeySequence& key : action->shortcuts()) {
                QVERIFY2(!owner.contains(key.toString()),
                         qPrintable(key.toString() + owner.value(key.toString()) + action->objectName()));
                owner.insert(key.toString(), action->objectName());
            }
        }
    }

    void helpPagesAndRules() {
        Window shown;
        QVERIFY(QTest::qWaitForWindowActive(&shown.window));
        QVERIFY(shown.settle());
        QVERIFY(shown.open(sample("teaching/factor.ks")));
        Window::press(Qt::Key_F1);
        QTRY_VERIFY(shown.child<HelpWindow>("helpWindow") != nullptr);
        auto* help = shown.child<HelpWindow>("helpWindow");
        QSet<QString> texts;
        for (const QString& page : help->pages()) {
            if (page == QLatin1String("keys")) continue;
            help->showPage(page);
            const QString text = help->findChild<QTextBrowser*>()->toPlainText();
            QVERIFY2(text.size() > 400, qPrintable(page));
            QVERIFY2(!texts.contains(text), qPrintable(page));
            texts.insert(text);
        }
        help->showRule(QStringLiteral("commute_mul"));
        QVERIFY(help->findChild<QTextBrowser*>()->toPlainText().contains(QLatin1String("commute_mul")));
    }
};

MITOS_TEST(TestKeyboard)

}  // namespace tst_keyboard

#include "tst_keyboard.moc"

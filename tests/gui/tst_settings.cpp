// SPDX-License-Identifier: GPL-3.0-or-later
// Preferences, keys, recent files and the session are kept between two starts; damaged settings do not stop the program.
#include "tests/gui/gui_support.h"
#include "tests/gui/shown_window.h"
#include "tests/support/test_program.h"
#include "views/main_window/appearance.h"
#include "views/main_window/internal/message_bar.h"
#include "views/preferences/preferences_dialog.h"
#include "views/program/code_view.h"
#include "views/program/program_view.h"
#include "views/start_page/recent.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDockWidget>
#include <QDoubleSpinBox>
#include <QDropEvent>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTreeWidget>

namespace tst_settings {

using namespace mitos;
using namespace mitos::views;
using mitos::test::sample;
using rewrite::StateId;

namespace {

struct Window : test::ShownWindow {
    /// The preferences, changed and agreed to.
    void prefer(const std::function<void(PreferencesDialog&)>& change) {
        child<QAction>("preferences")->trigger();
        QTRY_VERIFY(child<PreferencesDialog>("preferencesDialog") != nullptr);
        auto* dialog = child<PreferencesDialog>("preferencesDialog");
        change(*dialog);
        dialog->accept();
        QTRY_VERIFY(child<PreferencesDialog>("preferencesDialog") == nullptr);
    }
};

template <typename T>
T& part(QWidget& widget, const char* name) {
    T* found = widget.findChild<T*>(QLatin1String(name));
    if (found == nullptr) qFatal("no %s", name);
    return *found;
}

/// Chooses a key for an action on the page of shortcuts, and returns the page's message.
QString assignKey(PreferencesDialog& dialog, const QString& action, const QKeySequence& keys) {
    auto& table = part<QTreeWidget>(dialog, "shortcutsTable");
    const QList<QTreeWidgetItem*> rows = table.findItems(action, Qt::MatchExactly);
    if (rows.size() != 1) return QStringLiteral("no such action");
    table.setCurrentItem(rows.front());
    part<QKeySequenceEdit>(dialog, "shortcutsKeys").setKeySequence(keys);
    part<QPushButton>(dialog, "shortcutsAssign").click();
    return part<QLabel>(dialog, "shortcutsStatus").text();
}

}  // namespace

class TestSettings : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() {
        QSettings().clear();
        QDir(Document::sessionFolder()).removeRecursively();
        applyPreferences(*qApp, Preferences());
    }

    void preferencesSurviveARestart() {
        const int usualSize = QApplication::font().pointSize();
        {
            Window shown;
            QVERIFY(shown.settle());
            shown.prefer([](PreferencesDialog& dialog) {
                part<QComboBox>(dialog, "preferenceAppearance").setCurrentIndex(2);
                part<QSpinBox>(dialog, "preferencePointSize").setValue(15);
                part<QCheckBox>(dialog, "preferenceMotion").setChecked(true);
                auto& model = part<QComboBox>(dialog, "preferenceCostModel");
                QVERIFY(model.findData(QStringLiteral("roofline:laptop")) > 0);  // a model with one of its devices
                model.setCurrentIndex(model.findData(QStringLiteral("size")));
                part<QComboBox>(dialog, "preferenceRules").setCurrentText(QStringLiteral("ks-simple"));
                part<QDoubleSpinBox>(dialog, "preferenceSeconds").setValue(7.5);
            });
            QVERIFY(Theme(shown.window.palette()).isDark());
            QCOMPARE(QApplication::font().pointSize(), 15);
            shown.window.close();
        }
        applyPreferences(*qApp, Preferences());
        QCOMPARE(QApplication::font().pointSize(), usualSize);
        const Preferences kept = Preferences::stored();
        QVERIFY(kept.reducedMotion);
        applyPreferences(*qApp, kept);
        QCOMPARE(QApplication::font().pointSize(), 15);
        Window again;
        QVERIFY(again.open(sample("teaching/factor.ks")));
        QCOMPARE(again.window.document().costModel().info().name, std::string("size"));
        QCOMPARE(again.window.document().rules().names(), std::string("ks-simple"));
        QCOMPARE(again.child<QDoubleSpinBox>("budget")->value(), 7.5);
        QVERIFY(Theme(again.window.palette()).isDark());
    }

    void keysBelongToOneAction() {
        const QKeySequence taken(Qt::CTRL | Qt::Key_E);  // of Export
        const QKeySequence chosen(Qt::CTRL | Qt::SHIFT | Qt::Key_X);
        {
            Window shown;
            QVERIFY(shown.settle());
            shown.prefer([&](PreferencesDialog& dialog) {
                QVERIFY(assignKey(dialog, QStringLiteral("Run"), taken).contains(QLatin1String("Export")));
                QVERIFY(assignKey(dialog, QStringLiteral("Export"), chosen).isEmpty());
                QVERIFY(assignKey(dialog, QStringLiteral("Run"), taken).isEmpty());
                // What Export came with is taken now.
                auto& table = part<QTreeWidget>(dialog, "shortcutsTable");
                table.setCurrentItem(table.findItems(QStringLiteral("Export"), Qt::MatchExactly).front());
                part<QPushButton>(dialog, "shortcutsReset").click();
                QVERIFY(part<QLabel>(dialog, "shortcutsStatus").text().contains(QLatin1String("Run")));
            });
        }
        Window again;
        QCOMPARE(again.child<QAction>("export")->shortcut(), chosen);
        QCOMPARE(again.child<QAction>("run")->shortcut(), taken);
    }

    void changedKeysReachOtherWindows() {
        const QKeySequence chosen(Qt::CTRL | Qt::SHIFT | Qt::Key_X);
        Window other;
        Window shown;
        QVERIFY(shown.settle() && other.settle());
        shown.prefer(
            [&](PreferencesDialog& dialog) { QVERIFY(assignKey(dialog, QStringLiteral("Export"), chosen).isEmpty()); });
        QCOMPARE(shown.child<QAction>("export")->shortcut(), chosen);
        QCOMPARE(other.child<QAction>("export")->shortcut(), chosen);
    }

    void damagedSettingsDoNoHarm() {
        {
            QSettings settings;
            settings.setValue(QStringLiteral("geometry"), QByteArray("not a geometry"));
            settings.setValue(QStringLiteral("perspective/step"), QByteArray("not a layout"));
            settings.setValue(QStringLiteral("strategy"), QStringLiteral("no such strategy"));
            settings.setValue(QStringLiteral("budget"), QStringLiteral("nan"));
            settings.setValue(QStringLiteral("appearance"), 17);
            settings.setValue(QStringLiteral("preferences/pointSize"), QStringLiteral("huge"));
            settings.setValue(QStringLiteral("preferences/seconds"), QStringLiteral("-3"));
            settings.setValue(QStringLiteral("shortcuts/run"), QStringLiteral("no such keys"));
            settings.setValue(QStringLiteral("shortcuts/about"), QStringLiteral("Ctrl+O"));  // those of Open
            settings.setValue(QStringLiteral("recent/size"), 2'000'000'000);
            settings.setValue(QStringLiteral("recent/1/path"), QStringLiteral("/no/such/file.ks"));
            settings.setValue(QStringLiteral("version"), QStringLiteral("one"));
        }
        Window shown;
        QVERIFY(shown.open(sample("teaching/cancel.ks")));
        QVERIFY(shown.child<QDockWidget>("dockRewrites")->isVisible());
        QVERIFY(shown.child<QComboBox>("strategy")->currentIndex() >= 0);
        QCOMPARE(shown.child<QDoubleSpinBox>("budget")->value(), 10.0);
        QCOMPARE(shown.child<QAction>("run")->shortcut(), QKeySequence(Qt::Key_F5));
        QCOMPARE(shown.child<QAction>("about")->shortcut(), QKeySequence(Qt::CTRL | Qt::Key_O));
        QVERIFY(!shown.child<QAction>("open")->shortcuts().contains(QKeySequence(Qt::CTRL | Qt::Key_O)));
        QVERIFY(!shown.child<MessageBar>("messageBar")->isVisible());
    }

    void settingsOfANewerVersionAreLeftAlone() {
        QSettings().setValue(QStringLiteral("version"), SettingsVersion + 1);
        QSettings().setValue(QStringLiteral("budget"), 77.0);
        const Window shown;
        QCOMPARE(shown.window.findChild<QDoubleSpinBox*>(QStringLiteral("budget"))->value(), 10.0);
    }

    void aCostModelThatIsGoneIsReported() {
        QSettings().setValue(QStringLiteral("preferences/costModel"), QStringLiteral("of-the-past"));
        Window shown;
        QVERIFY(shown.settle());
        QVERIFY(shown.child<MessageBar>("messageBar")->details().contains(QLatin1String("of-the-past")));
        QVERIFY(shown.open(sample("teaching/cancel.ks")));
        QCOMPARE(shown.window.document().costModel().info().name, std::string("ks-2021"));
    }

    void recentFilesThatAreGone() {
        addRecent({QStringLiteral("/no/such/gone.ks"), QStringLiteral("gone.ks")});
        addRecent({sample("teaching/cancel.ks"), QStringLiteral("cancel.ks")});
        Window shown;
        QVERIFY(shown.settle());
        const auto* list = shown.child<QListWidget>("recent");
        const QList<QListWidgetItem*> gone = list->findItems(QStringLiteral("gone.ks"), Qt::MatchExactly);
        QCOMPARE(gone.size(), 1);
        QVERIFY(!gone.front()->flags().testFlag(Qt::ItemIsEnabled));
        QMenu* file = shown.window.menuBar()->actions().front()->menu();
        Q_EMIT file->aboutToShow();
        QMenu* recent = nullptr;
        for (QAction* action : file->actions()) {
            if (action->menu() != nullptr && action->text().contains(QLatin1String("Recent"))) recent = action->menu();
        }
        QVERIFY(recent != nullptr);
        QAction* remove = nullptr;
        int enabled = 0;
        for (QAction* action : recent->actions()) {
            if (action->text().startsWith(QLatin1String("Remove"))) remove = action;
            if (action->text().contains(QLatin1String(".ks"))) enabled += action->isEnabled() ? 1 : 0;
        }
        QCOMPARE(enabled, 1);
        QVERIFY(remove != nullptr);
        remove->trigger();
        QCOMPARE(recentEntries().size(), 1);
    }

    void aDroppedFileOpens() {
        Window shown;
        QVERIFY(shown.settle());
        QMimeData files;
        files.setUrls({QUrl::fromLocalFile(sample("teaching/cancel.ks"))});
        QDragEnterEvent enter(QPoint(400, 400), Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
        QVERIFY(QApplication::sendEvent(&shown.window, &enter));
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(400, 400), Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&shown.window, &drop);
        QVERIFY(shown.isOpen());
        QCOMPARE(shown.window.document().title(), QStringLiteral("cancel.ks"));
        // Entries that are not files are ignored.
        QMimeData text;
        text.setText(QStringLiteral("(add a b)"));
        QDragEnterEvent other(QPoint(400, 400), Qt::CopyAction, &text, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&shown.window, &other);
        QVERIFY(!other.isAccepted());
    }

    void aSessionComesBackAsItWasLeft() {
        QString path;
        const rewrite::Marks marks{.name = "turned", .note = "two\nlines", .pinned = true, .color = 3};
        {
            Window shown;
            QVERIFY(shown.open(sample("teaching/factor.ks")));
            Document& document = shown.window.document();
            document.apply(*test::findStep(document, "commute_add"));
            document.apply(*test::findStep(document, "commute_mul"));
            QVERIFY(shown.settle());
            document.mark(StateId(1), marks);
            document.setCostModel(QStringLiteral("size"));
            shown.window.selection().setSubterm(ir::Path{1});
            shown.window.selection().setCompared(StateId(1));
            shown.window.showProgramAs(QStringLiteral("graph"));
            shown.child<QDockWidget>("dockHistory")->hide();
            shown.child<QDockWidget>("dockMatch")->raise();
            QVERIFY(shown.settle());
            path = document.sessionPath();
            shown.window.close();
        }
        QSettings().setValue(QStringLiteral("preferences/reopenSession"), true);
        Window again;
        again.window.reopenLastSession();
        QVERIFY(again.isOpen());
        const Document& document = again.window.document();
        QCOMPARE(document.sessionPath(), path);
        QCOMPARE(document.history().size(), std::size_t(3));
        QCOMPARE(document.history().current(), StateId(2));
        QCOMPARE(document.history().state(StateId(1)).marks, marks);
        QCOMPARE(document.costModel().info().name, std::string("size"));
        QCOMPARE(*again.window.selection().subterm(), (ir::Path{1}));
        QCOMPARE(again.window.selection().compared(), std::optional(StateId(1)));
        QCOMPARE(again.child<ProgramView>("programView")->shownAs(), int(ProgramView::GraphTab));
        QVERIFY(!again.child<QDockWidget>("dockHistory")->isVisible());
        QTRY_VERIFY(again.child<QWidget>("matchView")->isVisible());
        QVERIFY(!again.child<QWidget>("costCurveView")->isVisible());
    }

    void thePythonOfOnnxRuntimeIsCheckedAndKept() {
        QTemporaryDir folder;
        const auto python = [&](const char* name, const QByteArray& commands) {
            QFile file(folder.filePath(QLatin1String(name)));
            if (!file.open(QIODevice::WriteOnly)) qFatal("not written");
            file.write("#!/bin/sh\n" + commands + "\n");
            file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
            return file.fileName();
        };
        const QString good =
            python("good", R"(echo '{"onnxruntime": "1.32.0", "python": "3.11.2"}'; echo '{"done": 0}')");
        const QString bare =
            python("bare", R"(echo '{"missing": "onnxruntime", "message": "No module", "python": "3.11.2"}'; exit 3)");
        {
            Window shown;
            shown.prefer([&](PreferencesDialog& dialog) {
                auto& path = part<QLineEdit>(dialog, "preferencePython");
                auto& status = part<QLabel>(dialog, "preferencePythonStatus");
                QVERIFY(status.text().startsWith(QStringLiteral("Without one")));
                const auto enter = [&](const QString& text) {
                    path.setText(text);
                    Q_EMIT path.editingFinished();
                };
                enter(folder.filePath(QStringLiteral("none")));
                QTRY_VERIFY(status.text().contains(QStringLiteral("was not found")));
                enter(bare);
                QTRY_VERIFY(status.text().contains(QStringLiteral("has no module onnxruntime")));
                QVERIFY(status.text().contains(QStringLiteral("pip install onnxruntime")));
                enter(good);
                QTRY_COMPARE(status.text(), QStringLiteral("✓ ONNX Runtime 1.32.0, Python 3.11.2"));
            });
        }
        QCOMPARE(Preferences::stored().python, good);
        Window again;
        again.prefer([&](PreferencesDialog& dialog) {
            QTRY_COMPARE(part<QLabel>(dialog, "preferencePythonStatus").text(),
                         QStringLiteral("✓ ONNX Runtime 1.32.0, Python 3.11.2"));
        });
    }
};

MITOS_TEST(TestSettings)

}  // namespace tst_settings

#include "tst_settings.moc"

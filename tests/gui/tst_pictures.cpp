// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of the window with each view in front, and of every dialog, light and dark, for people to look at.
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/gui/shown_window.h"
#include "tests/support/test_program.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QDockWidget>
#include <QListWidget>
#include <QTabWidget>

namespace tst_pictures {

using namespace mitos;
using namespace mitos::views;
using mitos::test::sample;

class TestPictures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::forgetEverything(); }

    void everyDockAndRendering() {
        test::ShownWindow shown;
        QVERIFY(shown.open(sample("linear-algebra/gemm.ks")));
        shown.child<QComboBox>("strategy")->setCurrentText(QStringLiteral("phases"));
        shown.window.setBudgetSeconds(1.0);
        shown.trigger("run");
        QVERIFY(shown.settle(60'000));
        shown.window.selection().setSubterm(ir::Path{1, 0, 1, 0});
        for (const char* name : {"dockCostCurve", "dockCost", "dockMatch", "dockJobs"}) {
            shown.child<QDockWidget>(name)->raise();
            QCoreApplication::processEvents();  // a view asks for what it shows once it is seen
            QVERIFY(shown.settle());
            QVERIFY2(test::takePictures(shown.window, QStringLiteral("window-") + QLatin1String(name)), name);
        }
        shown.trigger("asGraph");
        QVERIFY(shown.settle());
        QVERIFY(test::takePictures(shown.window, QStringLiteral("window-graph")));
        shown.trigger("asText");
        shown.trigger("compareStart");
        QVERIFY(shown.settle());
        QVERIFY(test::takePictures(shown.window, QStringLiteral("window-compare")));
    }

    void everyDialog() {
        test::ShownWindow shown;
        QVERIFY(shown.open(sample("teaching/factor.ks")));
        const auto show = [&](const char* action, const char* name) {
            shown.trigger(action);
            QTRY_VERIFY2(shown.child<QDialog>(name) != nullptr, name);
            auto* dialog = shown.child<QDialog>(name);
            QVERIFY(shown.settle());
            QVERIFY2(test::takePictures(*dialog, QLatin1String(name)), name);
            for (auto* tabs : dialog->findChildren<QTabWidget*>()) {
                for (int tab = 1; tab < tabs->count(); ++tab) {
                    tabs->setCurrentIndex(tab);
                    QVERIFY(test::takePictures(*dialog, QStringLiteral("%1-%2").arg(QLatin1String(name)).arg(tab)));
                }
            }
            auto* pages = dialog->findChild<QListWidget*>(QStringLiteral("helpPages"));
            for (int page = 0; pages != nullptr && page < pages->count(); ++page) {
                pages->setCurrentRow(page);
                QVERIFY(test::takePictures(*dialog, QStringLiteral("help-%1").arg(page)));
            }
            dialog->close();
            QTRY_VERIFY(shown.child<QDialog>(name) == nullptr || !dialog->isVisible());
        };
        show("goto", "goDialog");
        show("preferences", "preferencesDialog");
        show("keys", "helpWindow");
        show("help", "helpWindow");
        show("new", "programDialog");
        show("searchSettings", "searchDialog");
        show("export", "exportDialog");
    }
};

MITOS_TEST(TestPictures)

}  // namespace tst_pictures

#include "tst_pictures.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// The panel below the program: a strip of tabs until there is a run, and then as the user leaves it.
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/gui/shown_window.h"
#include "tests/support/test_program.h"

#include <QComboBox>
#include <QDockWidget>
#include <QTabBar>
#include <QToolButton>

namespace tst_bottom_panel {

using namespace mitos;
using namespace mitos::views;
using mitos::test::sample;

namespace {

constexpr int StripHeight = 32;
constexpr int OpenHeight = 150;

struct Window : test::ShownWindow {
    [[nodiscard]] QTabBar* tabs() {
        for (auto* bar : window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
            if (bar->isVisible() && bar->count() > 1) return bar;
        }
        return nullptr;
    }
    void clickTab(const QString& title) {
        for (int tab = 0; tab < tabs()->count(); ++tab) {
            if (tabs()->tabText(tab) == title)
                return QTest::mouseClick(tabs(), Qt::LeftButton, {}, tabs()->tabRect(tab).center());
        }
        QFAIL(qPrintable(title));
    }
    /// The height below the program, tabs included.
    [[nodiscard]] int panelHeight() {
        auto* front = window.findChild<QDockWidget*>(frontName());
        return tabs()->height() + front->height();
    }
    [[nodiscard]] QString frontName() {
        const QString title = tabs()->tabText(tabs()->currentIndex());
        for (auto* dock : window.findChildren<QDockWidget*>()) {
            if (dock->windowTitle() == title) return dock->objectName();
        }
        return {};
    }
    [[nodiscard]] bool isCollapsed() {
        return QTest::qWaitFor([this] { return tabs() != nullptr && panelHeight() <= StripHeight; }, 5'000);
    }
    [[nodiscard]] bool isPanelOpen() {
        return QTest::qWaitFor([this] { return tabs() != nullptr && panelHeight() > OpenHeight; }, 5'000);
    }
    void runSearch() {
        child<QComboBox>("strategy")->setCurrentText(QStringLiteral("Greedy search"));
        window.setBudgetSeconds(0.5);
        trigger("run");
        QVERIFY(settle());
    }
};

}  // namespace

class TestBottomPanel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::forgetEverything(); }

    void aStripUntilThereIsARun() {
        Window shown;
        QVERIFY(shown.open(sample("linear-algebra/gemm.ks")));
        QVERIFY(shown.isCollapsed());
        QVERIFY(!shown.child<QWidget>("costCurveView")->isVisible());
        QCOMPARE(shown.tabs()->count(), 4);
        auto* toggle = shown.child<QToolButton>("panelToggle");
        QTRY_VERIFY(toggle != nullptr && toggle->isVisible() && !toggle->visibleRegion().isEmpty());
        QVERIFY(test::takePictures(shown.window, QStringLiteral("panel-collapsed")));
        // A window that comes back shows what it showed.
        shown.window.hide();
        shown.window.show();
        QVERIFY(shown.settle());
        QVERIFY(shown.isCollapsed());
        shown.runSearch();
        QVERIFY(shown.isPanelOpen());
        QTRY_VERIFY(shown.child<QWidget>("costCurveView")->isVisible());
        QCOMPARE(shown.window.size(), QSize(1280, 800));
        QVERIFY(test::takePictures(shown.window, QStringLiteral("panel-open")));
    }

    void tabsAndTheButtonOpenAndCollapseIt() {
        Window shown;
        QVERIFY(shown.open(sample("teaching/factor.ks")));
        QVERIFY(shown.isCollapsed());
        // A tab opens it, with its view.
        shown.clickTab(QStringLiteral("Match"));
        QVERIFY(shown.isPanelOpen());
        QTRY_VERIFY(shown.child<QWidget>("matchView")->isVisible());
        // The tab in front collapses and opens it; another one only changes the view.
        shown.clickTab(QStringLiteral("Match"));
        QVERIFY(shown.isCollapsed());
        QVERIFY(!shown.child<QWidget>("matchView")->isVisible());
        shown.clickTab(QStringLiteral("Match"));
        QVERIFY(shown.isPanelOpen());
        shown.clickTab(QStringLiteral("Jobs"));
        QTRY_VERIFY(shown.child<QWidget>("jobsView")->isVisible());
        QVERIFY(shown.isPanelOpen());
        QTest::mouseClick(shown.child<QToolButton>("panelToggle"), Qt::LeftButton);
        QVERIFY(shown.isCollapsed());
        QTest::keyClick(&shown.window, Qt::Key_J, Qt::ControlModifier);
        QVERIFY(shown.isPanelOpen());
        // Keys that lead to a view open it.
        QTest::keyClick(&shown.window, Qt::Key_J, Qt::ControlModifier);
        QVERIFY(shown.isCollapsed());
        QTest::keyClick(&shown.window, Qt::Key_4, Qt::AltModifier);
        QVERIFY(shown.isPanelOpen());
        QTRY_VERIFY(shown.child<QWidget>("costView")->isVisible());
    }

    void itsHeightIsKept() {
        Window shown;
        QVERIFY(shown.open(sample("teaching/factor.ks")));
        shown.trigger("bottomPanel");
        QVERIFY(shown.isPanelOpen());
        auto* curve = shown.child<QDockWidget>("dockCostCurve");
        shown.window.resizeDocks({curve}, {190 + shown.tabs()->height()}, Qt::Vertical);
        QTRY_COMPARE(curve->height(), 190);
        shown.trigger("bottomPanel");
        QVERIFY(shown.isCollapsed());
        shown.trigger("bottomPanel");
        QTRY_COMPARE(curve->height(), 190);
        // The start page and other perspectives change nothing.
        shown.window.showStartPage();
        shown.trigger("perspectiveStep");
        QVERIFY(shown.isPanelOpen());
    }

    void theChoiceBelongsToTheProgram() {
        Window shown;
        QVERIFY(shown.open(sample("teaching/factor.ks")));
        shown.window.document().apply(*test::anyStep(shown.window.document()));
        QVERIFY(shown.settle());
        shown.trigger("bottomPanel");
        QVERIFY(shown.isPanelOpen());
        const QString session = shown.window.document().sessionPath();
        QVERIFY(shown.open(sample("teaching/cancel.ks")));
        QVERIFY(shown.isCollapsed());
        shown.window.openSession(session);
        QTRY_COMPARE(shown.window.document().sessionPath(), session);
        QVERIFY(shown.settle());
        QVERIFY(shown.isPanelOpen());
        // Also that it is collapsed in spite of a run.
        shown.runSearch();
        shown.trigger("bottomPanel");
        QVERIFY(shown.isCollapsed());
        shown.runSearch();
        QVERIFY(shown.isCollapsed());
        shown.trigger("resetLayout");
        QVERIFY(shown.isPanelOpen());
    }
};

MITOS_TEST(TestBottomPanel)

}  // namespace tst_bottom_panel

#include "tst_bottom_panel.moc"

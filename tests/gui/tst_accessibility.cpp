// SPDX-License-Identifier: GPL-3.0-or-later
// Every control has a name for screen readers, Tab reaches all of them in reading order, the focus is visible, and larger texts fit.
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/gui/shown_window.h"
#include "tests/support/test_program.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTabBar>
#include <QTableView>
#include <QToolButton>

namespace tst_accessibility {

using namespace mitos;
using namespace mitos::views;

namespace {

/// Qt's own parts of a widget, which it names and reaches through that widget.
bool isPart(const QWidget& widget) {
    const QWidget* parent = widget.parentWidget();
    if (widget.objectName().startsWith(QLatin1String("qt_")) || qobject_cast<const QScrollBar*>(&widget) != nullptr)
        return true;
    const auto* area = qobject_cast<const QAbstractScrollArea*>(parent);
    if ((area != nullptr && area->viewport() == &widget) || widget.inherits("QTableCornerButton")) return true;
    return qobject_cast<const QAbstractSpinBox*>(parent) != nullptr ||
           qobject_cast<const QComboBox*>(parent) != nullptr || qobject_cast<const QLineEdit*>(parent) != nullptr ||
           widget.inherits("QComboBoxPrivateContainer");
}

QString describe(const QWidget& widget) {
    QString text = QLatin1String(widget.metaObject()->className()) + QLatin1Char(' ') + widget.objectName();
    if (const auto* button = qobject_cast<const QAbstractButton*>(&widget)) text += QLatin1Char(' ') + button->text();
    if (widget.objectName().isEmpty() && widget.parentWidget() != nullptr)
        text += QStringLiteral(" in ") + widget.parentWidget()->objectName();
    return text;
}

/// Controls that accept the focus by Tab and are shown.
QList<QWidget*> controls(const QWidget& root) {
    QList<QWidget*> found;
    for (QWidget* widget : root.findChildren<QWidget*>()) {
        if (widget->window() != root.window() || widget->visibleRegion().isEmpty() || !widget->isEnabled() ||
            isPart(*widget))
            continue;
        const bool isReachable = (widget->focusPolicy() & Qt::TabFocus) == Qt::TabFocus;
        if (isReachable && widget->focusProxy() == nullptr) found << widget;
    }
    return found;
}

QStringList unnamed(const QWidget& root) {
    QStringList missing;
    for (QWidget* widget : root.findChildren<QWidget*>()) {
        if (widget->window() != root.window() || !widget->isVisible() || isPart(*widget)) continue;
        if (widget->focusPolicy() == Qt::NoFocus && qobject_cast<QAbstractButton*>(widget) == nullptr) continue;
        if (qobject_cast<QTabBar*>(widget) != nullptr) continue;  // its tabs have names
        QAccessibleInterface* face = QAccessible::queryAccessibleInterface(widget);
        if (face == nullptr || face->text(QAccessible::Name).isEmpty()) missing << describe(*widget);
    }
    return missing;
}

struct Window : test::ShownWindow {
    Window() { window.activateWindow(); }
    [[nodiscard]] bool ready() {
        return QTest::qWaitForWindowActive(&window) && settle() && open(test::sample("linear-algebra/gemm.ks"));
    }
    /// The controls that Tab visits, from the first one until it comes back.
    [[nodiscard]] QList<QWidget*> tabbed() {
        constexpr int Most = 200;
        QList<QWidget*> visited;
        for (int i = 0; i < Most; ++i) {
            QWidget* const focus = QApplication::focusWidget();
            if (focus == nullptr || visited.contains(focus)) break;
            visited << focus;
            QTest::keyClick(focus, Qt::Key_Tab);
        }
        return visited;
    }
};

/// Layouts follow a change in later events, and views that wait for the user to stop resizing in up to 50 ms; no signal announces the end.
void waitForLayouts() {
    constexpr int LayoutMs = 100;
    QTest::qWait(LayoutMs);
}

/// Dialogs open and are deleted in queued events.
void processQueue() { QTest::qWait(1); }

}  // namespace

class TestAccessibility : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::forgetEverything(); }
    void cleanup() {
        applyPreferences(*qApp, Preferences());
        applyAppearance(*qApp, Appearance::Light);
    }

    void everyControlHasAName() {
        Window shown;
        QStringList missing;
        const auto look = [&](const QWidget& root, const char* where) {
            for (const QString& text : unnamed(root)) {
                const QString line = QLatin1String(where) + QStringLiteral(": ") + text;
                if (!missing.contains(line)) missing << line;
            }
        };
        QVERIFY(shown.settle());
        look(shown.window, "start");
        QVERIFY(shown.open(test::sample("linear-algebra/gemm.ks")));
        for (const char* dock : {"dockCostCurve", "dockCost", "dockMatch", "dockJobs"}) {
            shown.child<QDockWidget>(dock)->raise();
            QVERIFY(shown.settle());
            look(shown.window, dock);
        }
        for (const char* form : {"text", "tree", "graph", "loops"}) {
            shown.window.showProgramAs(QLatin1String(form));
            QVERIFY(shown.settle());
            look(shown.window, form);
        }
        for (const char* dialog : {"preferences", "export", "searchSettings", "compareSearches", "saturate", "prove",
                                   "new", "network", "goto", "keys", "help", "ruleHelp"}) {
            shown.trigger(dialog);
            processQueue();
            for (auto* each : shown.window.findChildren<QDialog*>()) {
                look(*each, dialog);
                each->close();
            }
            processQueue();
        }
        for (const Perspective& each : perspectives()) {
            shown.window.showPerspective(each.name);
            QVERIFY(shown.settle());
            look(shown.window, qPrintable(each.name));
        }
        // Those of networks.
        shown.window.document().openText(QStringLiteral("g"),
                                         QStringLiteral("graph g(x: f32[8])\n  y = Relu(x)\n  return Exp(y)\n"));
        QVERIFY(shown.isOpen());
        shown.trigger("partition");
        QVERIFY(shown.settle());
        auto* partition = shown.window.findChild<QDialog*>(QStringLiteral("partitionDialog"));
        QVERIFY(partition != nullptr);
        look(*partition, "partition");
        partition->findChild<QPushButton*>(QStringLiteral("partitionParameters"))->click();
        processQueue();
        auto* parameters = partition->findChild<QDialog*>(QStringLiteral("partitionParametersDialog"));
        QVERIFY(parameters != nullptr);
        look(*parameters, "partitionParameters");
        parameters->close();
        partition->close();
        processQueue();
        shown.window.showPerspective(saturatePerspective());
        shown.window.saturate(test::saturation(2, 500, 0.3));
        QVERIFY(shown.settle());
        look(shown.window, "saturated");
        QVERIFY2(missing.isEmpty(), qPrintable(QStringLiteral("\n") + missing.join(QLatin1Char('\n'))));
    }

    void tabReachesEveryControl_data() {
        QTest::addColumn<QString>("perspective");
        for (const Perspective& each : perspectives()) QTest::newRow(qPrintable(each.name)) << actionName(each);
    }

    void tabReachesEveryControl() {
        QFETCH(const QString, perspective);
        Window shown;
        QVERIFY(shown.ready());
        if (!shown.child<QAction>(qPrintable(perspective))->isVisible()) {
            // It is about other programs.
            shown.window.document().openText(QStringLiteral("g"),
                                             QStringLiteral("graph g(x: f32[8])\n  y = Relu(x)\n  return Exp(y)\n"));
            QVERIFY(shown.isOpen());
        }
        shown.trigger(qPrintable(perspective));
        QVERIFY(shown.settle());
        shown.child<QWidget>("programTitle")->setFocus(Qt::TabFocusReason);
        const QList<QWidget*> visited = shown.tabbed();
        QStringList missing;
        for (const QWidget* control : controls(shown.window)) {
            if (!visited.contains(control)) missing << describe(*control);
        }
        QVERIFY2(missing.isEmpty(), qPrintable(QStringLiteral("\n") + missing.join(QLatin1Char('\n'))));
        // It comes back to where it began: nothing keeps it.
        QStringList way;
        for (const QWidget* control : visited) way << describe(*control);
        const QWidget* const back = QApplication::focusWidget();
        QVERIFY2(
            back == shown.child<QWidget>("programTitle"),
            qPrintable(QStringLiteral("back at %1 after %2").arg(back ? describe(*back) : QString(), way.join(u", "))));
    }

    void tabGoesInReadingOrder() {
        Window shown;
        QVERIFY(shown.ready());
        shown.trigger("bottomPanel");
        shown.child<QWidget>("programTitle")->setFocus(Qt::TabFocusReason);
        const QList<QWidget*> visited = shown.tabbed();
        const char* const regions[] = {"toolBar",     "rail",         "dockHistory",
                                       "programView", "dockRewrites", "dockCostCurve"};
        QStringList order;
        for (const QWidget* widget : visited) {
            for (const char* region : regions) {
                const auto* part = shown.child<QWidget>(region);
                if (!part->isAncestorOf(widget)) continue;
                if (order.isEmpty() || order.last() != QLatin1String(region)) order << QLatin1String(region);
            }
        }
        QCOMPARE(order.join(QLatin1Char(' ')),
                 QStringLiteral("toolBar rail dockHistory programView dockRewrites dockCostCurve"));
    }

    void theFocusIsVisible() {
        Window shown;
        QVERIFY(shown.ready());
        QTest::keyClick(&shown.window, Qt::Key_Tab);  // the window is used by keys
        QStringList invisible;
        const auto look = [&](const char* where) {
            for (QWidget* control : controls(shown.window)) {
                const auto picture = [&] {
                    QCoreApplication::processEvents();
                    const QRect room(control->mapTo(&shown.window, QPoint(-2, -2)), control->size() + QSize(4, 4));
                    return shown.window.grab(room).toImage();
                };
                control->setFocus(Qt::TabFocusReason);
                const QImage with = picture();
                control->clearFocus();
                const QImage without = picture();
                const QString line = QLatin1String(where) + QStringLiteral(": ") + describe(*control);
                if (with == without) invisible << line;
            }
        };
        look("step");
        shown.trigger("perspectiveCompare");
        QVERIFY(shown.settle());
        waitForLayouts();
        look("compare");
        shown.trigger("perspectiveSaturate");
        QVERIFY(shown.settle());
        look("saturate");
        shown.window.showStartPage();
        QVERIFY(shown.settle());
        look("start");
        QVERIFY2(invisible.isEmpty(), qPrintable(QStringLiteral("\n") + invisible.join(QLatin1Char('\n'))));
    }

    /// Where texts are large, the bar first leaves out words, then what the menus have too; the window stays as it is.
    void theBarLeavesOutWordsFirst() {
        Window shown;
        QVERIFY(shown.ready());
        auto* anything = shown.child<QWidget>("goToAnything");
        auto* rules = shown.child<QToolButton>("ruleChooser");
        const auto isWhole = [&](const char* name) {
            const auto* widget = shown.child<QWidget>(name);
            return widget->isVisible() && widget->visibleRegion().boundingRect() == widget->rect();
        };
        const auto isFitted = [&] {
            const auto* more = shown.child<QWidget>("qt_toolbar_ext_button");
            return isWhole("runButton") && isWhole("strategy") && isWhole("costModel") && isWhole("budget") &&
                   isWhole("goToAnything") && !more->isVisible();
        };
        QTRY_VERIFY(isFitted());
        QVERIFY(anything->width() > 150 && rules->text().startsWith(QLatin1String("Rules")));
        for (int i = 0; i < 3; ++i) shown.trigger("largerText");  // 150 %
        QTRY_VERIFY(anything->width() < 60 && isFitted());
        QCOMPARE(shown.window.size(), QSize(1280, 800));
        shown.window.resize(1600, 1000);
        for (int i = 0; i < 2; ++i) shown.trigger("largerText");  // 200 %
        waitForLayouts();
        QTRY_VERIFY(isFitted());
        QCOMPARE(shown.window.size(), QSize(1600, 1000));
        shown.window.showPerspective(QStringLiteral("compare"));
        QTRY_VERIFY(isFitted());
        shown.trigger("perspectiveStep");
        shown.trigger("usualText");
        shown.window.resize(1024, 640);
        QTRY_VERIFY(isFitted());
        QVERIFY(test::takePictures(shown.window, QStringLiteral("bar-1024")));
        shown.window.resize(1600, 1000);
        QTRY_VERIFY(anything->width() > 150 && rules->text().startsWith(QLatin1String("Rules")));
    }

    void textsScale() {
        Window shown;
        QVERIFY(shown.ready());
        const double usual = QApplication::font().pointSizeF();
        auto* rows = shown.child<QTableView>("rewritesTable");
        const int row = rows->rowHeight(0);
        auto* label = shown.child<QLabel>("programStatus");
        const int line = label->fontMetrics().height();
        for (int i = 0; i < 5; ++i) shown.trigger("largerText");
        QCOMPARE(QApplication::font().pointSizeF(), qRound(usual * 2) * 1.0);
        QTRY_VERIFY2(rows->rowHeight(0) > row * 3 / 2,
                     qPrintable(QStringLiteral("%1 %2").arg(row).arg(rows->rowHeight(0))));
        QVERIFY(label->fontMetrics().height() > line * 3 / 2);
        shown.trigger("largerText");  // not above 200 %
        QCOMPARE(QApplication::font().pointSizeF(), qRound(usual * 2) * 1.0);
        QVERIFY(shown.settle());
        waitForLayouts();
        // Buttons and the numbers of the lists are whole.
        for (const auto* button : shown.window.findChildren<QAbstractButton*>()) {
            const auto* tool = qobject_cast<const QToolButton*>(button);
            if (!button->isVisible() || button->text().isEmpty() || isPart(*button)) continue;
            if (tool != nullptr && tool->toolButtonStyle() == Qt::ToolButtonIconOnly) continue;
            const int wanted = button->fontMetrics().height();
            QVERIFY2(
                button->height() >= wanted,
                qPrintable(QStringLiteral("%1: %2 of %3").arg(describe(*button)).arg(button->height()).arg(wanted)));
        }
        waitForLayouts();
        QVERIFY(test::takePictures(shown.window, QStringLiteral("text-200")));
        shown.trigger("smallerText");
        shown.trigger("smallerText");
        QCOMPARE(QApplication::font().pointSizeF(), qRound(usual * 1.5) * 1.0);
        QVERIFY(shown.settle());
        waitForLayouts();
        QVERIFY(shown.child<QWidget>("toolBar")->isAncestorOf(shown.child<QWidget>("goToAnything")));
        QVERIFY2(!shown.child<QWidget>("goToAnything")->visibleRegion().isEmpty(), "the bar is cut off");
        QVERIFY(test::takePictures(shown.window, QStringLiteral("text-150")));
        shown.trigger("perspectiveCompare");
        waitForLayouts();
        QVERIFY(test::takePictures(shown.window, QStringLiteral("text-150-compare")));
        shown.window.showStartPage();
        QVERIFY(shown.settle());
        QVERIFY(test::takePictures(shown.window, QStringLiteral("text-150-start")));
        // It is kept, and the usual size comes back.
        QCOMPARE(Preferences::stored().pointSize, qRound(usual * 1.5));
        shown.child<QAction>("usualText")->trigger();
        QCOMPARE(QApplication::font().pointSizeF(), usual);
        for (int i = 0; i < 4; ++i) shown.child<QAction>("smallerText")->trigger();
        QCOMPARE(QApplication::font().pointSizeF(), qRound(usual * 0.8) * 1.0);
    }
};

MITOS_TEST(TestAccessibility)

}  // namespace tst_accessibility

#include "tst_accessibility.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// The list of perspectives and what is made from it: actions, keys, the rail, docks, layouts, help and the main button. Whatever is on
// the list is tested.
#include "core/ir/dialect.h"
#include "tests/gui/gui_support.h"
#include "tests/gui/shown_window.h"
#include "tests/support/test_program.h"
#include "views/main_window/perspectives.h"

#include <QDockWidget>
#include <QRegularExpression>
#include <QSet>
#include <QToolBar>
#include <QToolButton>
#include <algorithm>

namespace tst_perspectives {

using namespace mitos;
using namespace mitos::views;

namespace {

struct Window : test::ShownWindow {
    [[nodiscard]] bool ready() { return open(test::sample("teaching/factor.ks")); }
    [[nodiscard]] QAction* action(const Perspective& perspective) {
        return window.findChild<QAction*>(actionName(perspective));
    }
    [[nodiscard]] bool suits(const Perspective& perspective) {
        return !perspective.suits || perspective.suits(window.document().dialect());
    }
    void show(const Perspective& perspective) {
        trigger(qPrintable(actionName(perspective)));
        QVERIFY(settle());
    }
    /// The docks that the user can see or bring to the front.
    [[nodiscard]] QStringList docks() {
        QStringList names;
        for (const auto* dock : window.findChildren<QDockWidget*>()) {
            if (!dock->isHidden()) names << dock->objectName();
        }
        return names;
    }
};

QStringList sorted(QStringList names) {
    names.sort();
    return names;
}

}  // namespace

class TestPerspectives : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::forgetEverything(); }

    /// Sessions, settings and the command line know them by their names.
    void theirNamesAreWords() {
        static const QRegularExpression word(QStringLiteral("^[a-z]+$"));
        QSet<QString> names{QStringLiteral("start")};  // the start page
        for (const Perspective& each : perspectives()) {
            QVERIFY2(word.match(each.name).hasMatch(), qPrintable(each.name));
            QVERIFY2(!names.contains(each.name), qPrintable(each.name));
            names << each.name;
        }
        QCOMPARE(perspectives().front().name, stepPerspective());
    }

    /// Names in the list are names of things that there are.
    void theListIsRight() {
        test::ShownWindow shown;
        QStringList docks;
        for (const DockedView& docked : dockedViews()) docks << docked.name;
        for (const Perspective& each : perspectives()) {
            const QByteArray name = each.name.toUtf8();
            for (const QString& dock : each.docks) QVERIFY2(docks.contains(dock), name);
            for (const QString& action : each.actions)
                QVERIFY2(shown.window.findChild<QAction*>(action) != nullptr, qPrintable(each.name + action));
            QVERIFY2(each.mainAction.isEmpty() || each.actions.contains(each.mainAction), name);
            QVERIFY2(!each.toolTip.isEmpty(), name);
            QVERIFY2(!shown.window.findChild<QAction*>(actionName(each))->icon().isNull(), name);
            QVERIFY2(each.help.isEmpty() ||
                         QFile::exists(QStringLiteral(MITOS_SOURCE_DIR "/resources/help/%1.md").arg(each.help)),
                     name);
        }
        for (const DockedView& docked : dockedViews()) {
            if (docked.help.isEmpty()) continue;
            QVERIFY2(QFile::exists(QStringLiteral(MITOS_SOURCE_DIR "/resources/help/%1.md").arg(docked.help)),
                     qPrintable(docked.name));
        }
    }

    void eachIsShownByItsAction() {
        Window shown;
        QVERIFY(shown.window.shownPerspective().isEmpty());
        QVERIFY(shown.ready());
        QCOMPARE(shown.window.shownPerspective(), stepPerspective());
        auto* rail = shown.child<QToolBar>("rail");
        int place = 0;
        for (const Perspective& each : perspectives()) {
            ++place;
            if (!shown.suits(each)) continue;
            shown.show(each);
            QCOMPARE(shown.window.shownPerspective(), each.name);
            for (const Perspective& other : perspectives())
                QCOMPARE(shown.action(other)->isChecked(), other.name == each.name);
            QCOMPARE(sorted(shown.docks()), sorted(each.docks));
            QVERIFY2(rail->actions().contains(shown.action(each)), qPrintable(each.name));
            QCOMPARE(shown.action(each)->shortcut(),
                     QKeySequence(Qt::CTRL | static_cast<Qt::Key>(static_cast<int>(Qt::Key_0) + place)));
            // Shown again, it stays as it is.
            shown.show(each);
            QVERIFY(shown.action(each)->isChecked());
        }
        shown.window.showPerspective(QStringLiteral("none"));
        QCOMPARE(shown.window.shownPerspective(), perspectives().back().name);
        shown.window.showStartPage();
        QVERIFY(shown.window.shownPerspective().isEmpty());
        QVERIFY(shown.docks().isEmpty());
    }

    void theMainButtonFollows() {
        Window shown;
        QVERIFY(shown.ready());
        auto* button = shown.child<QToolButton>("runButton");
        for (const Perspective& each : perspectives()) {
            if (!shown.suits(each)) continue;
            shown.show(each);
            const QString expected = each.mainAction.isEmpty() ? QStringLiteral("run") : each.mainAction;
            QCOMPARE(button->defaultAction()->objectName(), expected);
            QCOMPARE(button->isEnabled(), each.actions.contains(expected));
            QCOMPARE(button->actions().size(), 1);
        }
    }

    void actionsArePossibleWhereTheyMeanSomething() {
        Window shown;
        QVERIFY(shown.ready());
        const auto possible = [&shown](const char* name) { return shown.child<QAction>(name)->isEnabled(); };
        shown.window.showPerspective(QStringLiteral("rules"));
        QVERIFY(possible("find") && !possible("widen") && !possible("picture") && !possible("run"));
        shown.window.showPerspective(QStringLiteral("gradient"));
        QVERIFY(!possible("find") && possible("widen") && possible("larger") && !possible("asMath"));
        shown.window.showPerspective(QStringLiteral("compare"));
        QVERIFY(possible("run") && possible("export") && !possible("find") && !possible("resetLayout"));
        shown.window.showPerspective(QStringLiteral("saturate"));
        QVERIFY(possible("picture") && possible("saturate") && possible("resetLayout") && !possible("run"));
        shown.window.showPerspective(stepPerspective());
        QVERIFY(possible("find") && possible("widen") && possible("asMath") && possible("run") && possible("copy"));
        QVERIFY(!possible("saveRules") && !possible("iterationOn"));
    }

    /// Each perspective with docks keeps its own arrangement.
    void arrangementsAreKept() {
        Window shown;
        QVERIFY(shown.ready());
        shown.child<QDockWidget>("dockRewrites")->hide();
        shown.window.showPerspective(saturatePerspective());
        QVERIFY(!shown.child<QDockWidget>("dockSaturation")->isHidden());
        shown.window.showPerspective(QStringLiteral("measure"));
        QVERIFY(shown.docks().isEmpty());
        shown.window.showPerspective(stepPerspective());
        QVERIFY(shown.child<QDockWidget>("dockRewrites")->isHidden());
        QVERIFY(!shown.child<QDockWidget>("dockHistory")->isHidden());
        QVERIFY(shown.child<QDockWidget>("dockSaturation")->isHidden());
    }

    /// A view that needs more width than the program does not push the docks together for good.
    void docksKeepTheirWidth() {
        Window shown;
        shown.window.resize(1280, 800);
        QVERIFY(shown.ready());
        const auto widths = [&shown] {
            return std::pair(shown.child<QDockWidget>("dockHistory")->width(),
                             shown.child<QDockWidget>("dockRewrites")->width());
        };
        const std::pair<int, int> before = widths();
        for (const Perspective& each : perspectives()) {
            if (!shown.suits(each)) continue;
            shown.show(each);
            shown.show(perspectives().front());
            QTRY_VERIFY2(widths() == before, qPrintable(each.name));
        }
    }

    /// A dialect without derivatives has no perspective Gradient.
    void dialectsHaveWhatSuitsThem() {
        ir::Dialect dialect;
        const auto names = [&] {
            QStringList found;
            for (const Perspective& each : perspectives()) {
                if (!each.suits || each.suits(dialect)) found << each.name;
            }
            return found.join(QLatin1Char(' '));
        };
        QCOMPARE(names(), QStringLiteral("step saturate compare rules measure"));
        dialect.capabilities = {ir::Capability::Train};
        QCOMPARE(names(), QStringLiteral("step saturate compare rules measure gradient"));
    }
};

MITOS_TEST(TestPerspectives)

}  // namespace tst_perspectives

#include "tst_perspectives.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Gains drawn over the program: switched on, walked with, switched off, and left in the middle of an estimate.
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/gui/shown_window.h"
#include "tests/support/test_program.h"
#include "views/graph/graph_view.h"
#include "views/program/code_view.h"
#include "views/program/program_view.h"
#include "views/program/shown_gain.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QFileInfo>
#include <QLabel>
#include <QSettings>
#include <QSpinBox>
#include <QTreeView>
#include <cmath>

namespace tst_gain_overlay {

using namespace mitos;
using namespace mitos::views;

namespace {

constexpr const char* Shared = "(add (mul (add x y) 2.0) (mul (add x y) 3.0))";

struct Shown {
    test::Desk desk;
    ProgramView view{desk.document, desk.selection, desk.jobs};
    CodeView* code = view.findChild<CodeView*>(QStringLiteral("programText"));
    QTreeView* tree = view.findChild<QTreeView*>(QStringLiteral("programTree"));
    QComboBox* choice = view.findChild<QComboBox*>(QStringLiteral("gainChoice"));
    QSpinBox* steps = view.findChild<QSpinBox*>(QStringLiteral("gainSteps"));
    QWidget* legend = view.findChild<QWidget*>(QStringLiteral("gainLegend"));

    bool open(const QString& text) {
        view.resize(700, 500);
        view.showAs(ProgramView::TextTab);
        view.show();
        return desk.open(text) && settle();
    }
    bool settle() {
        return QTest::qWaitFor([this] { return view.isComplete(); }, 20'000) && desk.settle();
    }
    bool choose(const char* value) {
        choice->setCurrentIndex(choice->findData(QLatin1String(value)));
        return settle();
    }
    [[nodiscard]] QString label(const char* name) const {
        const auto* found = view.findChild<QLabel*>(QLatin1String(name));
        return found != nullptr && found->isVisible() ? found->text() : QString();
    }
    /// The hot texts and their heat.
    [[nodiscard]] QStringList hot() const {
        QStringList found;
        for (const HeatRange& range : code->heat()) {
            found << QStringLiteral("%1 %2")
                         .arg(range.heat, 0, 'f', 2)
                         .arg(code->text().mid(range.range.begin, range.range.end - range.range.begin).simplified());
        }
        return found;
    }
    /// The line below the program, and its tool tip.
    [[nodiscard]] QString gainOf(const ir::Path& path) {
        desk.selection.setSubterm(path);
        const auto* status = view.findChild<QLabel*>(QStringLiteral("programStatus"));
        return status->text() + QLatin1Char('\n') + status->toolTip();
    }
};

QString longSum(int products) {
    QString text = QStringLiteral("(mul x y)");
    for (int i = 1; i < products; ++i) text = QStringLiteral("(add (mul x y) %1)").arg(text);
    return text;
}

}  // namespace

class TestGainOverlay : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::forgetEverything(); }

    void isOffAtFirst() {
        Shown shown;
        QVERIFY(shown.open(QLatin1String(Shared)));
        QCOMPARE(shown.choice->currentText(), QStringLiteral("Gain: off"));
        QCOMPARE(shown.choice->findData(QStringLiteral("zero")), -1);
        QVERIFY(shown.choice->findData(QStringLiteral("potential")) > 0);
        QVERIFY(!shown.legend->isVisible());
        QVERIFY(shown.code->heat().empty());
        QVERIFY(shown.tree->isColumnHidden(ProgramTreeModel::Gain));
    }

    void showsWhereSharingPays() {
        Shown shown;
        QVERIFY(shown.open(QLatin1String(Shared)));
        QVERIFY(shown.choose("sharing"));
        QVERIFY(shown.legend->isVisible());
        QCOMPARE(shown.label("gainLeast"), QStringLiteral("0 units"));
        QCOMPARE(shown.label("gainMost"), QStringLiteral("▼ −0.9 units within"));
        QCOMPARE(shown.steps->value(), 10);
        QCOMPARE(shown.legend->accessibleDescription(),
                 QStringLiteral("Colours from 0 units to ▼ −0.9 units within 10 steps."));
        // The whole sum is hot, and nothing in it is by itself.
        QCOMPARE(shown.hot(), QStringList{QStringLiteral("1.00 ") + QLatin1String(Shared)});
        const QString root = shown.gainOf({});
        QVERIFY2(root.contains(QStringLiteral("Gain ▼ −0.9 units of 7 units within 10 steps")), qPrintable(root));
        QVERIFY2(shown.code->accessibleDescription().endsWith(
                     QStringLiteral(": Gain ▼ −0.9 units of 7 units within 10 steps")),
                 qPrintable(shown.code->accessibleDescription()));
        QVERIFY2(root.contains(QStringLiteral("  ·  gain ▼ −0.9 units")), qPrintable(root));
        const QString leaf = shown.gainOf({0, 0});
        QVERIFY2(leaf.contains(QStringLiteral("No gain expected within 10 steps")), qPrintable(leaf));

        // Few steps do not suffice; nothing is estimated again.
        shown.steps->setValue(2);
        QVERIFY(shown.desk.jobs.isIdle());
        QVERIFY(shown.code->heat().empty());
        QCOMPARE(shown.label("gainMost"), QStringLiteral("No gain is expected within"));
        shown.steps->setValue(10);
        QCOMPARE(shown.code->heat().size(), std::size_t(1));

        shown.choice->setCurrentIndex(0);
        QVERIFY(!shown.legend->isVisible());
        QVERIFY(shown.code->heat().empty());
        QVERIFY(!shown.gainOf({}).contains(QStringLiteral("gain"), Qt::CaseInsensitive));
    }

    void everyFormShowsTheSame() {
        Shown shown;
        QVERIFY(shown.open(QStringLiteral("(exp (add (exp z) (sub (add x (mul y z)) (mul y z))))")));
        QVERIFY(shown.choose("algebra"));
        QCOMPARE(shown.hot(), QStringList{QStringLiteral("1.00 (sub (add x (mul y z)) (mul y z))")});
        shown.view.showAs(ProgramView::MathTab);
        QCOMPARE(shown.hot(), QStringList{QStringLiteral("1.00 (x + y · z − y · z)")});

        shown.view.showAs(ProgramView::TreeTab);
        QVERIFY(!shown.tree->isColumnHidden(ProgramTreeModel::Gain));
        auto* model = qobject_cast<ProgramTreeModel*>(shown.tree->model());
        const QAbstractItemModelTester tester(model);
        const auto cell = [&](NodeIndex node, int role) {
            return model->data(model->indexOf(node).siblingAtColumn(ProgramTreeModel::Gain), role);
        };
        QCOMPARE(cell(0, Qt::DisplayRole).toString(), QStringLiteral("▼ −6"));
        QVERIFY(!cell(0, Qt::BackgroundRole).isValid());  // all of it is in a smaller part
        QCOMPARE(cell(0, Qt::ToolTipRole).toString(),
                 QStringLiteral("Gain ▼ −6 units of 15 units within 10 steps, all of it in smaller parts"));
        const NodeIndex difference = 4;  // exp add exp z sub
        QCOMPARE(cell(difference, Qt::DisplayRole).toString(), QStringLiteral("▼ −6"));
        QCOMPARE(cell(difference, Qt::BackgroundRole).value<QColor>(), Theme(shown.view.palette()).heat(1.0));
        QCOMPARE(cell(3, Qt::DisplayRole).toString(), QStringLiteral("0"));

        shown.view.showAs(ProgramView::GraphTab);
        QVERIFY(shown.settle());
        const auto* graph = shown.view.findChild<GraphView*>();
        int hot = 0;
        for (const GraphNode& node : graph->graph().nodes) {
            QVERIFY(node.heat.has_value());
            hot += *node.heat > 0.0 ? 1 : 0;
            if (*node.heat > 0.0) QVERIFY(node.note.startsWith(QStringLiteral("Gain ▼ −6 units of")));
        }
        QCOMPARE(hot, 1);
        shown.choice->setCurrentIndex(0);
        for (const GraphNode& node : graph->graph().nodes) QVERIFY(!node.heat.has_value());
    }

    /// The state that is shown is the one that is estimated.
    void followsSteps() {
        Shown shown;
        QVERIFY(shown.open(QLatin1String(test::CancelText)));
        QVERIFY(shown.choose("algebra"));
        QCOMPARE(shown.label("gainMost"), QStringLiteral("▼ −4 units within"));
        QCOMPARE(shown.code->heat().size(), std::size_t(1));
        const auto step = test::findStep(shown.desk.document, "commute_mul");
        QVERIFY(step.has_value());
        shown.desk.document.apply(*step);
        QVERIFY(shown.code->heat().empty());  // not that of the state before
        QVERIFY(shown.settle());
        QCOMPARE(shown.hot(), QStringList{QStringLiteral("1.00 (div (mul 2.0 x) 2.0)")});
        shown.desk.document.undo();
        QVERIFY(shown.settle());
        QCOMPARE(shown.hot(), QStringList{QStringLiteral("1.00 (div (mul x 2.0) 2.0)")});

        shown.desk.document.setCostModel(QStringLiteral("size"));
        QVERIFY(shown.settle());
        QCOMPARE(shown.label("gainMost"), QStringLiteral("▼ −4 nodes within"));
        // Rules that cannot simplify gain nothing.
        shown.desk.document.setRules(QStringLiteral("ks-binding"));
        QVERIFY(shown.settle());
        QCOMPARE(shown.label("gainMost"), QStringLiteral("No gain is expected within"));
        QCOMPARE(shown.legend->accessibleDescription(), QStringLiteral("No gain is expected within 10 steps."));

        QVERIFY(shown.open(QStringLiteral("(exp x)")));
        QVERIFY(shown.code->heat().empty());
        QCOMPARE(shown.label("gainMost"), QStringLiteral("No gain is expected within"));
    }

    void networksHaveNoEstimates() {
        Shown shown;
        QVERIFY(shown.open(QStringLiteral("graph f(x: f32[4,4])\n  s = Relu(x)\n  return Relu(s)\n")));
        QVERIFY(shown.choose("potential"));
        QCOMPARE(shown.label("gainNote"),
                 QStringLiteral("The value function potential has no estimates for programs of this kind."));
        QCOMPARE(shown.label("gainMost"), QString());
        QCOMPARE(shown.legend->accessibleDescription(), shown.label("gainNote"));
    }

    void settingsAreKept() {
        {
            Shown shown;
            QVERIFY(shown.open(QLatin1String(Shared)));
            QVERIFY(shown.choose("sharing"));
            shown.steps->setValue(7);
        }
        Shown again;
        QCOMPARE(again.choice->currentData().toString(), QStringLiteral("sharing"));
        QCOMPARE(again.steps->value(), 7);
        QVERIFY(again.open(QLatin1String(Shared)));
        QCOMPARE(again.label("gainMost"), QStringLiteral("▼ −0.9 units within"));
        // A function that is not there any more is not chosen.
        QSettings().setValue(QStringLiteral("program/gain"), QStringLiteral("removed"));
        const Shown other;
        QCOMPARE(other.choice->currentIndex(), 0);
    }

    void isChosenByKeys() {
        Shown shown;
        QVERIFY(shown.open(QLatin1String(Shared)));
        QVERIFY(shown.choice->focusPolicy() & Qt::TabFocus);
        shown.choice->setFocus();
        QTest::keyClick(shown.choice, Qt::Key_Down);
        QCOMPARE(shown.choice->currentData().toString(), QStringLiteral("sharing"));
        QVERIFY(shown.settle());
        QCOMPARE(shown.code->heat().size(), std::size_t(1));
        shown.steps->setFocus();
        QTest::keyClick(shown.steps, Qt::Key_Up);
        QCOMPARE(shown.steps->value(), 11);
        shown.choice->setFocus();
        QTest::keyClick(shown.choice, Qt::Key_Home);
        QVERIFY(shown.code->heat().empty());
    }

    /// A hidden view estimates nothing, and catches up once it is shown.
    void waitsWhileHidden() {
        Shown shown;
        QVERIFY(shown.open(QLatin1String(Shared)));
        QVERIFY(shown.choose("sharing"));
        shown.view.hide();
        QVERIFY(shown.desk.open(QStringLiteral("(add (exp x) (exp x))")));
        QVERIFY(shown.desk.settle());
        QVERIFY(shown.code->heat().empty());
        shown.view.show();
        QTRY_COMPARE(shown.code->heat().size(), std::size_t(1));
    }

    void canBeLeftInTheMiddle() {
        {
            Shown shown;
            QVERIFY(shown.open(longSum(2400)));
            shown.choice->setCurrentIndex(shown.choice->findData(QStringLiteral("potential")));
            QCOMPARE(shown.label("gainMost"), QStringLiteral("Estimating gains…"));
            QVERIFY(!shown.desk.jobs.isIdle());
            // Another program in the middle of it.
            QVERIFY(shown.open(QLatin1String(Shared)));
            QTRY_COMPARE(shown.hot(), QStringList{QStringLiteral("1.00 ") + QLatin1String(Shared)});
            QVERIFY(shown.open(longSum(2400)));
            QTRY_VERIFY(!shown.label("gainMost").isEmpty());
            QVERIFY2(shown.label("gainNote").contains(QStringLiteral("parts are too large for an estimate.")),
                     qPrintable(shown.label("gainNote")));
            shown.choice->setCurrentIndex(0);
            QVERIFY(shown.code->heat().empty());
            shown.choice->setCurrentIndex(2);
            QVERIFY(!shown.desk.jobs.isIdle());
        }
        // The view is gone while the estimate runs.
    }

    void colourAndTextAreReadable() {
        const auto luminance = [](const QColor& colour) {
            const auto linear = [](double part) {
                return part <= 0.03928 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
            };
            return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
        };
        const auto contrast = [&](const QColor& a, const QColor& b) {
            const double x = luminance(a) + 0.05;
            const double y = luminance(b) + 0.05;
            return std::max(x, y) / std::min(x, y);
        };
        for (const QPalette& palette : {Theme::lightPalette(), Theme::darkPalette()}) {
            const Theme theme(palette);
            QCOMPARE(theme.heat(0.0), palette.color(QPalette::Base));
            double last = 1.0;
            for (const double share : {0.01, 0.3, 0.6, 1.0}) {
                const QColor heat = theme.heat(share);
                QVERIFY(contrast(heat, theme.heat(0.0)) > last);
                last = contrast(heat, theme.heat(0.0));
                for (const QColor& text : {palette.color(QPalette::Text), theme.keyword(), theme.literal()})
                    QVERIFY(contrast(heat, text) >= 4.5);
                QVERIFY(contrast(heat, theme.faintText()) >= 4.4);  // brackets
            }
        }
    }

    void pictures() {
        test::ShownWindow shown;
        QVERIFY(shown.open(test::sample("arithmetic/table6-6.ks")));
        auto* choice = shown.child<QComboBox>("gainChoice");
        choice->setCurrentIndex(choice->findData(QStringLiteral("potential")));
        for (const char* form : {"asMath", "asText", "asTree", "asGraph"}) {
            shown.trigger(form);
            QVERIFY(shown.settle());
            QVERIFY(test::takePictures(shown.window, QStringLiteral("gain-%1").arg(QLatin1String(form))));
        }
        QVERIFY(shown.open(test::sample("linear-algebra/gemm.ks")));  // no gain is expected
        QVERIFY(test::takePictures(shown.window, QStringLiteral("gain-none")));
        shown.trigger("asMath");
        for (const char* name : {"arithmetic/table5-test-07", "teaching/polynomial"}) {
            const QString path = test::sample(name) + QStringLiteral(".ks");
            QVERIFY(shown.open(path));
            QVERIFY(test::takePictures(shown.window, QStringLiteral("gain-%1").arg(QFileInfo(path).baseName())));
        }
    }
};

MITOS_TEST(TestGainOverlay)

}  // namespace tst_gain_overlay

#include "tst_gain_overlay.moc"

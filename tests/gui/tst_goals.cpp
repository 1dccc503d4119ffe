// SPDX-License-Identifier: GPL-3.0-or-later
// Proving from the window that the open program is equal to another one, the goal.
#include "core/ir/dialect.h"
#include "core/ks/module.h"
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/gui/shown_window.h"
#include "tests/gui/small_models.h"
#include "tests/support/test_program.h"
#include "views/main_window/internal/message_bar.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>

namespace tst_goals {

using namespace mitos;
using namespace mitos::views;

namespace {

struct Window : test::ShownWindow {
    /// Asks whether the open program is equal to the goal, with the values given.
    [[nodiscard]] bool prove(const char* goal, int iterations) {
        trigger("prove");
        auto* dialog = child<QDialog>("proofDialog");
        if (dialog == nullptr) return false;
        dialog->findChild<QSpinBox*>(QStringLiteral("parameter.iterations"))->setValue(iterations);
        dialog->findChild<QPlainTextEdit*>(QStringLiteral("proofGoal"))->setPlainText(QLatin1String(goal));
        dialog->accept();
        return dialog->result() == QDialog::Accepted;
    }
    [[nodiscard]] QString current() {
        Document& document = window.document();
        return QString::fromStdString(ks::printTerm(document.bank(), document.current().root, {.width = 0}));
    }
    [[nodiscard]] QString label() { return child<QLabel>("iterationLabel")->text(); }
};

}  // namespace

class TestGoals : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The goal is not the cheapest program: the run stops at it, and it becomes current.
    void aGoalIsProved() {
        Window shown;
        shown.window.document().openText(QStringLiteral("test"), QLatin1String(test::FactorText));
        QVERIFY(shown.isOpen());
        QVERIFY(shown.prove("b * a + a * c", 20));
        QVERIFY(shown.settle());
        QTRY_COMPARE(shown.current(), QStringLiteral("(add (mul b a) (mul a c))"));
        EGraphDocument& egraph = shown.window.egraph();
        QCOMPARE(egraph.report().stop, egraph::StopReason::Found);
        QCOMPARE(egraph.report().iterations.size(), std::size_t(1));
        QCOMPARE(egraph.goalText(), QStringLiteral("Goal found after 1 iteration"));
        QVERIFY2(shown.label().contains(QLatin1String("Goal found after 1 iteration")), qPrintable(shown.label()));
        const QString remarks = shown.child<QLabel>("resultRemarks")->text();
        QVERIFY2(remarks.startsWith(QLatin1String("Goal found after 1 iteration\n")), qPrintable(remarks));
        QCOMPARE(
            shown.child<MessageBar>("messageBar")->text(),
            QStringLiteral("The goal is equal: 1 checked step joined the history; walk it in the perspective Step."));
        const rewrite::History& history = shown.window.document().history();
        QCOMPARE(history.pathTo(history.current()).size(), std::size_t(2));
        QVERIFY(test::takePictures(shown.window, QStringLiteral("window-goal-found")));
    }

    void aGoalIsNotFound() {
        Window shown;
        shown.window.document().openText(QStringLiteral("test"), QLatin1String(test::FactorText));
        QVERIFY(shown.isOpen());
        QVERIFY(shown.prove("(add a b)", 2));
        QVERIFY(shown.settle());
        QTRY_COMPARE(shown.window.egraph().goalText(),
                     QStringLiteral("Goal not found after 2 iterations; with higher limits it may be"));
        QVERIFY2(shown.label().contains(QLatin1String("Goal not found after 2 iterations")), qPrintable(shown.label()));
        const QString remarks = shown.child<QLabel>("resultRemarks")->text();
        QVERIFY2(remarks.startsWith(QLatin1String("Goal not found after 2 iterations")), qPrintable(remarks));
        // The cheapest program is found all the same.
        QCOMPARE(shown.current(), QStringLiteral("(mul a (add b c))"));
        const auto* messages = shown.child<MessageBar>("messageBar");
        QTRY_COMPARE(messages->text(), QStringLiteral("The goal was not found."));
        const QString details = messages->details();
        QVERIFY2(details.startsWith(QLatin1String("They have different values, so no sound rule makes them equal.")),
                 qPrintable(details));
    }

    void aGoalIsCheckedWhileItIsTyped() {
        Window shown;
        shown.window.document().openText(QStringLiteral("test"),
                                         QStringLiteral("(def f Float (v : Vec Float) (mul (index 0 v) 1.0))"));
        QVERIFY(shown.isOpen());
        shown.trigger("prove");
        auto* dialog = shown.child<QDialog>("proofDialog");
        auto* goal = dialog->findChild<QPlainTextEdit*>(QStringLiteral("proofGoal"));
        const auto* prove = dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok);
        const auto problem = [&](const char* text) {
            goal->setPlainText(QLatin1String(text));
            const QString message = dialog->findChild<QLabel*>(QStringLiteral("searchMessage"))->text();
            return prove->isEnabled() ? QStringLiteral("fine") : message.section(QLatin1Char('\n'), 0, 0);
        };
        QCOMPARE(prove->text(), QStringLiteral("Prove"));
        QCOMPARE(problem(" "), QStringLiteral("⚠ Write the program that the current one may be equal to."));
        QCOMPARE(problem("(index 0 v)"), QStringLiteral("fine"));
        const auto place = [&](const char* text) { return problem(text).section(QLatin1Char(':'), 0, 0); };
        QCOMPARE(place("(index\n 0 w)"), QStringLiteral("⚠ Line 2, column 4"));
        QCOMPARE(place("(index 0 v"), QStringLiteral("⚠ Line 1, column 11"));
        QCOMPARE(problem("v"), QStringLiteral("⚠ goal is declared to give Float, but its body is a (Vec Float)"));
        QCOMPARE(problem("w * 2.0"), QStringLiteral("⚠ unknown variable w"));
        QCOMPARE(problem("(def g Float (v : Vec Float) (index 0 v))"), QStringLiteral("fine"));
        QCOMPARE(problem("(def g Float (w : Vec Float) (index 0 w))"),
                 QStringLiteral("⚠ the program has no parameter w : (Vec Float)"));
        QCOMPARE(problem("(def g Integer (v : Vec Float) 1)"),
                 QStringLiteral("⚠ the type is Integer, that of the program is Float"));
        QVERIFY(test::takePictures(*dialog, QStringLiteral("proofDialog")));
        // Nothing can be asked with a text that is wrong.
        dialog->accept();
        QVERIFY(dialog->isVisible());
        // The question belongs to the program.
        shown.window.document().openText(QStringLiteral("other"), QLatin1String(test::CancelText));
        QTRY_VERIFY(shown.child<QDialog>("proofDialog") == nullptr);
    }

    void anotherProgramIsOpenedWhileAGoalIsLookedFor() {
        Window shown;
        shown.window.document().openText(
            QStringLiteral("test"),
            QStringLiteral(
                "(mul a (mul b (mul c (mul d (mul e (mul f (mul g (mul h (add i (add j (add k l)))))))))))"));
        QVERIFY(shown.isOpen());
        QVERIFY(shown.prove("a + b", 10'000));
        EGraphDocument& egraph = shown.window.egraph();
        QTRY_VERIFY(egraph.stepCount() > 1);
        QCOMPARE(egraph.goalText(), QStringLiteral("Looking for the goal"));
        shown.window.document().openText(QStringLiteral("other"), QLatin1String(test::CancelText));
        QTRY_COMPARE(shown.window.document().title(), QStringLiteral("other"));
        QVERIFY(shown.settle());
        QVERIFY(!egraph.isSaturating() && !egraph.canExplain());
        QCOMPARE(egraph.goalText(), QString());
        QCOMPARE(shown.window.document().history().size(), std::size_t(1));
        // A run of the same number in the new program has nothing to do with the old goal.
        QVERIFY(shown.prove("x", 4));
        QVERIFY(shown.settle());
        QTRY_COMPARE(shown.current(), QStringLiteral("x"));
        const std::size_t states = shown.window.document().history().size();
        shown.window.document().openText(QStringLiteral("third"), QLatin1String(test::CancelText));
        QTRY_COMPARE(shown.window.document().title(), QStringLiteral("third"));
        QVERIFY(shown.settle());
        SearchSettings settings{.strategy = QStringLiteral("greedy"), .parameters = {}, .budget = {}};
        settings.budget.seconds = 0.1;
        QCOMPARE(shown.window.document().startSearch(settings), 1);
        QVERIFY(shown.settle());
        QVERIFY(states >= 2);
        QVERIFY(!shown.child<QLabel>("resultRemarks")->text().contains(QLatin1String("oal")));
        QVERIFY(!shown.child<MessageBar>("messageBar")->text().contains(QLatin1String("not open any more")));
    }

    /// The goal is written with the names of the program's listing.
    void aGoalOfANetworkIsProved() {
        Window shown;
        shown.window.document().openText(
            QStringLiteral("test"),
            QStringLiteral("graph net(x: f32[2,3])\n  weight w: f32[2,3]\n  t = Transpose[perm=[1,0]](x)\n"
                           "  back = Transpose[perm=[1,0]](t)\n  y = Relu(back)\n  return Add(y, w)\n"));
        QVERIFY(shown.isOpen());
        QVERIFY(shown.prove("return Add(w, Relu(x))", 5));
        QVERIFY(shown.settle());
        QTRY_COMPARE(shown.window.egraph().goalText(), QStringLiteral("Goal found after 2 iterations"));
        Document& document = shown.window.document();
        QTRY_COMPARE(QString::fromStdString(ir::printProgram(document.bank(), document.current())).simplified(),
                     QStringLiteral("graph net(x: f32[2,3]) weight w: f32[2,3] y = Relu(x) # f32[2,3] "
                                    "add = Add(w, y) # f32[2,3] return add"));
        QVERIFY(shown.child<MessageBar>("messageBar")->text().startsWith(QLatin1String("The goal is equal:")));
        QVERIFY(
            shown.child<QLabel>("resultRemarks")->text().startsWith(QLatin1String("Goal found after 2 iterations")));
        // And one with other values.
        QVERIFY(shown.prove("Add(w, Sigmoid(x))", 3));
        QVERIFY(shown.settle());
        QTRY_COMPARE(shown.child<MessageBar>("messageBar")->text(), QStringLiteral("The goal was not found."));
        const QString details = shown.child<MessageBar>("messageBar")->details();
        QVERIFY2(details.startsWith(QLatin1String("They have different values, so no sound rule makes them equal.")),
                 qPrintable(details));
    }

    void aGoalOfANetworkIsCheckedWhileItIsTyped() {
        Window shown;
        shown.window.document().openText(QStringLiteral("test"), QLatin1String(test::TwoBranches));
        QVERIFY(shown.isOpen());
        shown.trigger("prove");
        auto* dialog = shown.child<QDialog>("proofDialog");
        QVERIFY(dialog != nullptr);
        auto* goal = dialog->findChild<QPlainTextEdit*>(QStringLiteral("proofGoal"));
        const auto* prove = dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok);
        const auto problem = [&](const QString& text) {
            goal->setPlainText(text);
            const QString message = dialog->findChild<QLabel*>(QStringLiteral("searchMessage"))->text();
            return prove->isEnabled() ? QStringLiteral("fine") : message.section(QLatin1Char('\n'), 0, 0);
        };
        QCOMPARE(problem(QLatin1String(test::TwoBranches)), QStringLiteral("fine"));
        QCOMPARE(problem(QStringLiteral("Add(c1, c2)")), QStringLiteral("fine"));
        QCOMPARE(problem(QStringLiteral("z = Relu(c2)\nAdd(r1, z")),
                 QStringLiteral("⚠ Line 2, column 10: ',' expected between inputs, the end of the text found"));
        QCOMPARE(problem(QStringLiteral("Relu(x)")),
                 QStringLiteral("⚠ the type is f32[1,3,8,8], that of the program is f32[1,4,8,8]"));
        QVERIFY(test::takePictures(*dialog, QStringLiteral("proofDialog-network")));
    }
};

MITOS_TEST(TestGoals)

}  // namespace tst_goals

#include "tst_goals.moc"

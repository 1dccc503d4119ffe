// SPDX-License-Identifier: GPL-3.0-or-later
// Assumptions about signs in the window: they are allowed for steps by hand, searches and saturation alike, and stand beside what
// came of them, also when the session is opened again.
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/gui/shown_window.h"
#include "tests/support/test_program.h"
#include "views/document/verdicts.h"
#include "views/export_dialog/export_dialog.h"
#include "views/history/history_model.h"
#include "views/main_window/internal/message_bar.h"
#include "views/main_window/internal/result_banner.h"
#include "views/main_window/internal/rule_chooser.h"
#include "views/rewrites/rewrites_model.h"
#include "views/search_dialog/search_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QPlainTextEdit>
#include <QProcess>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QTextEdit>
#include <algorithm>

namespace tst_signs {

using namespace mitos;
using namespace mitos::views;

namespace {

const QString LogText = QStringLiteral("(log (mul (add x 3.0) (add x 3.0)))");
const QString Assumed = QStringLiteral("assuming x + 3 > 0");

struct Window : test::ShownWindow {
    [[nodiscard]] Document& document() { return window.document(); }
    [[nodiscard]] bool openLog() {
        window.setBudgetSeconds(1.0);
        document().openText(QStringLiteral("typed"), LogText);
        return isOpen();
    }
    [[nodiscard]] QAction* allow() {
        const QList<QAction*> choices = child<RuleChooser>("ruleChooser")->choices()->actions();
        return *std::ranges::find(choices, QStringLiteral("allowAssumptions"), &QAction::objectName);
    }
    /// The row of log_of_mul among the rewrites; -1: none.
    [[nodiscard]] int logRow() {
        const QAbstractItemModel* rows = child<QTableView>("rewritesTable")->model();
        for (int row = 0; row < rows->rowCount(); ++row) {
            if (rows->index(row, RewritesModel::RuleColumn).data().toString().contains(QLatin1String("log_of_mul")))
                return row;
        }
        return -1;
    }
    [[nodiscard]] QString message() { return child<MessageBar>("messageBar")->text(); }
    [[nodiscard]] QString status() { return child<QLabel>("sessionStatus")->text(); }
    [[nodiscard]] QString toolTipOf(std::uint32_t state) {
        const HistoryModel model(document());
        return model.indexOf(rewrite::StateId(state)).data(Qt::ToolTipRole).toString();
    }
    /// Searches with the dialog's switch as given; what is said of the result.
    [[nodiscard]] QString search(bool allowed) {
        trigger("searchSettings");
        auto* dialog = child<SearchDialog>("searchDialog");
        auto* strategy = dialog->findChild<QComboBox*>(QStringLiteral("searchStrategy"));
        strategy->setCurrentIndex(strategy->findData(QStringLiteral("astar")));
        dialog->findChild<QCheckBox*>(QStringLiteral("searchAssume"))->setChecked(allowed);
        if (allowed && !test::takePictures(*dialog, QStringLiteral("signs-search"))) return {};
        dialog->accept();
        return settle() ? verdictText(document().runs().back()) : QString();
    }
};

}  // namespace

class TestSigns : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::forgetEverything(); }

    void aStepByHandSaysWhatItAssumes() {
        Window shown;
        QVERIFY(!shown.allow()->isEnabled());
        QVERIFY(shown.openLog());
        QVERIFY(!shown.document().allowsAssumptions());
        QCOMPARE(shown.logRow(), -1);
        QVERIFY(!shown.allow()->isChecked());
        shown.allow()->trigger();
        QVERIFY(shown.settle());
        QVERIFY(shown.allow()->isChecked());
        QVERIFY(shown.child<RuleChooser>("ruleChooser")->text().contains(QLatin1String("assuming")));
        const int row = shown.logRow();
        QVERIFY(row >= 0);
        auto* table = shown.child<QTableView>("rewritesTable");
        const auto cell = [&](int column) { return table->model()->index(row, column).data().toString(); };
        QCOMPARE(cell(RewritesModel::RuleColumn), QStringLiteral("⚠ log_of_mul →"));
        QCOMPARE(cell(RewritesModel::SoundnessColumn), Assumed);
        table->selectRow(row);
        QTRY_VERIFY(shown.window.selection().rewrite().has_value());
        const QString preview = shown.child<QTextEdit>("rewritePreviewText")->toPlainText();
        QVERIFY2(preview.startsWith(QStringLiteral("⚠ Assuming x + 3 > 0")), qPrintable(preview));
        QVERIFY(test::takePictures(shown.window, QStringLiteral("signs-preview")));

        QTest::mouseClick(shown.child<QPushButton>("applyRewrite"), Qt::LeftButton);
        QVERIFY(shown.settle());
        QCOMPARE(shown.document().history().size(), std::size_t(2));
        QCOMPARE(shown.document().assumptions(rewrite::StateId(1)), QStringList{QStringLiteral("x + 3 > 0")});
        QCOMPARE(shown.message(), QStringLiteral("log_of_mul: assuming x + 3 > 0"));
        QVERIFY2(shown.status().contains(Assumed), qPrintable(shown.status()));
        QVERIFY(shown.toolTipOf(1).contains(QLatin1String("Assuming x + 3 > 0")));
        QVERIFY(test::takePictures(shown.window, QStringLiteral("signs-by-hand")));
        shown.document().undo();
        QVERIFY(!shown.status().contains(QLatin1String("assuming")));
        QVERIFY(!shown.toolTipOf(0).contains(QLatin1String("Assuming")));
    }

    void aSearchSaysWhatItsResultAssumes() {
        Window shown;
        QVERIFY(shown.openLog());
        const QString without = shown.search(false);
        QVERIFY2(without.startsWith(QStringLiteral("✓")), qPrintable(without));
        QVERIFY(!without.contains(QLatin1String("assuming")));
        const double best = shown.document().runs().back().bestCost;
        shown.document().checkout(rewrite::StateId(0));

        const QString with = shown.search(true);
        QVERIFY2(with.startsWith(QStringLiteral("⚠")), qPrintable(with));
        QVERIFY2(with.contains(Assumed) && with.contains(QLatin1String("same values on ")), qPrintable(with));
        QVERIFY(shown.document().runs().back().bestCost < best);
        const auto* result = shown.child<ResultBanner>("resultBanner");
        QVERIFY2(result->text().contains(Assumed), qPrintable(result->text()));
        QVERIFY2(result->text().contains(QStringLiteral("⚠ same values where assumptions hold")),
                 qPrintable(result->text()));
        QVERIFY(shown.document().allowsAssumptions());
        QVERIFY(test::takePictures(shown.window, QStringLiteral("signs-result")));

        // The session keeps it all, and the next program begins without.
        const QString session = shown.document().sessionPath();
        const std::size_t states = shown.document().history().size();
        QVERIFY(shown.openLog());
        QVERIFY(!shown.document().allowsAssumptions());
        QCOMPARE(shown.logRow(), -1);
        shown.window.openSession(session);
        QVERIFY(QTest::qWaitFor([&] { return shown.document().runs().size() == 2; }, 20'000) && shown.settle());
        QVERIFY(shown.document().allowsAssumptions());
        QCOMPARE(shown.document().history().size(), states);
        QCOMPARE(shown.document().sessionPath(), session);
        QCOMPARE(verdictText(shown.document().runs().back()), with);
        QVERIFY2(shown.status().contains(Assumed), qPrintable(shown.status()));
    }

    /// Which of the steps assumed something does not depend on what is allowed when the session is left.
    void stepsComeBackAlthoughAssumptionsAreForbiddenAgain() {
        Window shown;
        QVERIFY(shown.openLog());
        shown.document().setAllowingAssumptions(true);
        shown.document().apply(*test::findStep(shown.document(), "log_of_mul"));
        shown.document().setAllowingAssumptions(false);
        shown.document().apply(*test::anyStep(shown.document()));
        QVERIFY(shown.settle());
        const QString session = shown.document().sessionPath();
        QVERIFY(shown.openLog());
        shown.window.openSession(session);
        QVERIFY(QTest::qWaitFor([&] { return shown.document().history().size() == 3; }, 20'000) && shown.settle());
        QVERIFY(!shown.document().allowsAssumptions());
        QCOMPARE(shown.document().sessionPath(), session);
        QCOMPARE(shown.document().assumptions(rewrite::StateId(2)), QStringList{QStringLiteral("x + 3 > 0")});
    }

    void saturationAssumesToo() {
        const QTemporaryDir folder;
        Window shown;
        shown.document().openText(QStringLiteral("typed"), QStringLiteral("(sqrt (mul (add x 3.0) (add x 3.0)))"));
        QVERIFY(shown.isOpen());
        shown.document().setRules(
            test::writeText(folder, QStringLiteral("own.rules"),
                            "# Mine.\nrule own_root [domain]: sqrt(a * a) => a  where a.is_nonnegative\n"));
        QVERIFY(shown.settle());
        const auto saturate = [&shown](bool allowed) {
            shown.trigger("saturate");
            auto* dialog = shown.child<SearchDialog>("saturateDialog");
            dialog->findChild<QSpinBox*>(QStringLiteral("parameter.iterations"))->setValue(4);
            dialog->findChild<QCheckBox*>(QStringLiteral("searchAssume"))->setChecked(allowed);
            if (allowed && !test::takePictures(*dialog, QStringLiteral("signs-saturate"))) return -1.0;
            dialog->accept();
            return shown.settle() ? shown.window.egraph().cheapestCost().value_or(-1.0) : -1.0;
        };
        const double without = saturate(false);
        const double with = saturate(true);
        QVERIFY(without > 0.0 && with > 0.0 && with < without);
        shown.window.egraph().takeCheapest(shown.document().sharedCostModel());
        QVERIFY(shown.settle());
        QCOMPARE(shown.document().history().state(shown.document().history().current()).cost, with);
        const auto& jobs = shown.window.jobs().jobs();
        QVERIFY(std::ranges::any_of(jobs, [](const JobInfo& job) {
            return job.status.startsWith(QStringLiteral("⚠")) &&
                   job.status.contains(QLatin1String("assuming x + 3 >= 0"));
        }));
        QVERIFY2(shown.status().contains(QLatin1String("assuming x + 3 >= 0")), qPrintable(shown.status()));
    }

    void anExportSaysThem() {
        Window shown;
        QVERIFY(shown.openLog());
        shown.document().setAllowingAssumptions(true);
        shown.document().apply(*test::findStep(shown.document(), "log_of_mul"));
        QVERIFY(shown.settle());
        ExportDialog dialog(shown.document(), shown.window.jobs());
        dialog.show();
        QVERIFY(shown.settle());
        const auto* verdict = dialog.findChild<QLabel*>(QStringLiteral("exportVerdict"));
        QVERIFY2(verdict->isVisible() && verdict->text().startsWith(QStringLiteral("⚠ 1 of 1 step checked; same ")),
                 qPrintable(verdict->text()));
        QVERIFY2(verdict->text().contains(Assumed), qPrintable(verdict->text()));
        const auto* preview = dialog.findChild<QPlainTextEdit*>(QStringLiteral("exportPreview"));
        QTRY_VERIFY2(preview->toPlainText().contains(Assumed), qPrintable(preview->toPlainText()));
        QVERIFY(test::takePictures(dialog, QStringLiteral("signs-export")));
    }

    void aSessionOfTheCommandLineOpens() {
        const QTemporaryDir folder;
        const QString session = folder.filePath(QStringLiteral("a.mitos"));
        QProcess cli;
        cli.start(QStringLiteral(MITOS_BINARY_DIR "/app/mitos-cli"),
                  {QStringLiteral("optimize"), QStringLiteral("--expr"), LogText, QStringLiteral("--strategy"),
                   QStringLiteral("astar"), QStringLiteral("--evaluations"), QStringLiteral("2000"),
                   QStringLiteral("--allow-assumptions"), QStringLiteral("--session"), session});
        QVERIFY(cli.waitForFinished(60'000));
        QCOMPARE(cli.exitCode(), 0);
        Window shown;
        shown.window.openSession(session);
        QVERIFY(shown.isOpen());
        QVERIFY(shown.document().allowsAssumptions());
        QVERIFY(shown.document().history().size() > 1);
        QCOMPARE(shown.document().sessionPath(), session);
        QVERIFY2(verdictText(shown.document().runs().back()).contains(Assumed),
                 qPrintable(verdictText(shown.document().runs().back())));
        QVERIFY2(shown.status().contains(Assumed), qPrintable(shown.status()));
    }
};

MITOS_TEST(TestSigns)

}  // namespace tst_signs

#include "tst_signs.moc"

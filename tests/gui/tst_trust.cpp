// SPDX-License-Identifier: GPL-3.0-or-later
// The user's own rules in the window: they are tested, searches leave out what failed unless the user insists, and results are
// compared by value whatever was promised.
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/gui/shown_window.h"
#include "tests/gui/small_models.h"
#include "tests/support/test_program.h"
#include "views/document/verdicts.h"
#include "views/main_window/internal/message_bar.h"
#include "views/main_window/internal/rule_chooser.h"
#include "views/search_dialog/search_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QTableView>
#include <QTextEdit>
#include <QTreeView>
#include <algorithm>

namespace tst_trust {

using namespace mitos;
using namespace mitos::views;

namespace {

/// `own_drop` is wrong, and what every search would do first.
constexpr const char* OwnRules =
    "# Mine.\n"
    "rule own_relu [exact]: Relu(Relu(x)) => Relu(x)\n"
    "rule own_drop [exact]: Add(a, b) => a\n";

SearchSettings greedy() {
    SearchSettings settings;
    settings.strategy = QStringLiteral("greedy");
    settings.budget.evaluations = 200;
    return settings;
}

struct Window : test::ShownWindow {
    QTemporaryDir folder;
    QString rules = test::writeText(folder, QStringLiteral("own.rules"), OwnRules);

    /// TwoBranches under those rules, which are tested.
    [[nodiscard]] bool openUnder(const QString& names) {
        window.document().openText(QStringLiteral("typed"), QLatin1String(test::TwoBranches));
        if (!isOpen()) return false;
        window.document().setRules(names);
        return settle();
    }
    [[nodiscard]] MessageBar& messages() { return *child<MessageBar>("messageBar"); }
    [[nodiscard]] QAction* choice(const char* name) {
        const QList<QAction*> choices = child<RuleChooser>("ruleChooser")->choices()->actions();
        const auto found = std::ranges::find_if(
            choices, [name](const QAction* action) { return action->objectName() == QLatin1String(name); });
        return found == choices.end() ? nullptr : *found;
    }
    [[nodiscard]] const Run& lastRun() { return window.document().runs().back(); }
    /// The steps of the last run's thread by name.
    [[nodiscard]] QStringList lastSteps() {
        QStringList names;
        const rewrite::History& history = window.document().history();
        for (const rewrite::StateId state : history.pathTo(lastRun().resultState)) {
            if (const auto& step = history.state(state).step) names << QString::fromStdString(step->name());
        }
        return names;
    }
};

}  // namespace

class TestTrust : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::forgetEverything(); }

    void shippedRulesAreNotInDoubt() {
        Window shown;
        QVERIFY(shown.openUnder(QStringLiteral("tensor,tensor-multi")));
        QVERIFY(!shown.window.document().hasDoubtfulRules());
        QVERIFY(shown.choice("insistOnRules") == nullptr);
        shown.trigger("searchSettings");
        auto* dialog = shown.child<SearchDialog>("searchDialog");
        QVERIFY(!dialog->findChild<QCheckBox*>(QStringLiteral("searchInsist"))->isVisible());
        dialog->reject();
    }

    void whatFailsIsLeftOutAndSaid() {
        Window shown;
        QVERIFY(shown.openUnder(shown.rules));
        Document& document = shown.window.document();
        QCOMPARE(document.failedRules().size(), std::size_t(1));
        QCOMPARE(document.failedRules()[0].name, std::string("own_drop"));
        // When the rules come into force, with the counterexample at hand.
        QVERIFY2(shown.messages().text().contains(QLatin1String("own_drop")), qPrintable(shown.messages().text()));
        QVERIFY(shown.messages().details().contains(QLatin1String("Add(")));
        QVERIFY(shown.child<RuleChooser>("ruleChooser")->text().contains(QStringLiteral("⚠")));
        document.startSearch(greedy());
        QVERIFY(shown.settle());
        QCOMPARE(shown.lastSteps(), QStringList{QStringLiteral("own_relu")});
        QVERIFY2(shown.messages().text().contains(QLatin1String("left out")), qPrintable(shown.messages().text()));
        QVERIFY2(verdictText(shown.lastRun()).startsWith(QStringLiteral("✓ 1 of 1 step checked; same values on ")),
                 qPrintable(verdictText(shown.lastRun())));
        QCOMPARE(leftOutText(shown.lastRun()), QStringLiteral("1 failed rule left out"));
        QVERIFY(test::takePictures(shown.window, QStringLiteral("trust-left-out")));
        // The same where runs and their results are listed.
        auto* history = shown.child<QTreeView>("historyTree");
        QVERIFY(history != nullptr);
        bool said = false;
        for (int row = 0; row < history->model()->rowCount(); ++row) {
            const QModelIndex top = history->model()->index(row, 0);
            for (int child = -1; child < history->model()->rowCount(top); ++child) {
                const QModelIndex index = child < 0 ? top : history->model()->index(child, 0, top);
                said = said || index.data(Qt::ToolTipRole).toString().contains(QLatin1String("same values"));
            }
        }
        QVERIFY(said);
        const std::vector<JobInfo>& jobs = shown.window.jobs().jobs();
        QVERIFY(std::ranges::any_of(
            jobs, [](const JobInfo& job) { return job.status.contains(QLatin1String("same values")); }));
    }

    void whoInsistsGetsThemAndTheValuesTell() {
        Window shown;
        QVERIFY(shown.openUnder(shown.rules));
        Document& document = shown.window.document();
        shown.trigger("searchSettings");
        auto* dialog = shown.child<SearchDialog>("searchDialog");
        auto* insist = dialog->findChild<QCheckBox*>(QStringLiteral("searchInsist"));
        QVERIFY(insist->isVisible() && !insist->isChecked());
        QVERIFY(insist->toolTip().contains(QLatin1String("own_drop")));
        auto* strategy = dialog->findChild<QComboBox*>(QStringLiteral("searchStrategy"));
        strategy->setCurrentIndex(strategy->findData(QStringLiteral("greedy")));
        QVERIFY(test::takePictures(*dialog, QStringLiteral("trust-dialog")));
        insist->click();
        QVERIFY(
            dialog->findChild<QLabel*>(QStringLiteral("searchMessage"))->text().contains(QLatin1String("compared")));
        QSignalSpy failed(&document, &Document::failed);
        dialog->accept();
        QVERIFY(document.isInsisting());
        QVERIFY(shown.settle());
        QVERIFY(shown.lastSteps().contains(QStringLiteral("own_drop")));
        QVERIFY(verdictText(shown.lastRun()).contains(QLatin1String("DIFFERENT VALUES")));
        QCOMPARE(failed.count(), 1);
        QVERIFY(failed.front().at(0).toString().contains(QLatin1String("differs from its input")));
        QVERIFY(test::takePictures(shown.window, QStringLiteral("trust-insisted")));
        QVERIFY(shown.choice("insistOnRules")->isChecked());
        // Other rules begin without.
        document.setRules(QStringLiteral("tensor"));
        QVERIFY(shown.settle());
        QVERIFY(!document.isInsisting() && !document.hasDoubtfulRules());
    }

    void aFailedRuleAppliedByHandSaysSo() {
        Window shown;
        QVERIFY(shown.openUnder(shown.rules));
        Document& document = shown.window.document();
        auto* rows = shown.child<QTableView>("rewritesTable");
        int drop = -1;
        for (int row = 0; row < rows->model()->rowCount(); ++row) {
            if (rows->model()->index(row, 0).data().toString().contains(QLatin1String("own_drop"))) drop = row;
        }
        QVERIFY(drop >= 0);
        QVERIFY(rows->model()->index(drop, 0).data().toString().startsWith(QStringLiteral("⚠")));
        rows->selectRow(drop);
        QTRY_VERIFY(shown.window.selection().rewrite().has_value());
        const QString preview = shown.child<QTextEdit>("rewritePreviewText")->toPlainText();
        QVERIFY2(preview.contains(QLatin1String("failed its test")), qPrintable(preview));
        QVERIFY(test::takePictures(shown.window, QStringLiteral("trust-by-hand")));
        QTest::mouseClick(shown.child<QPushButton>("applyRewrite"), Qt::LeftButton);
        QTRY_COMPARE(document.history().size(), std::size_t(2));
        QVERIFY2(shown.messages().text().contains(QLatin1String("own_drop failed its test")),
                 qPrintable(shown.messages().text()));
        QVERIFY(shown.messages().details().contains(QLatin1String("Add(")));
    }

    void nothingIsLeftToSearchWith() {
        Window shown;
        const QString bad = test::writeText(shown.folder, QStringLiteral("bad.rules"),
                                            "# Bad.\nrule own_drop [exact]: Add(a, b) => a\n");
        QVERIFY(shown.openUnder(bad));
        QSignalSpy failed(&shown.window.document(), &Document::failed);
        shown.window.document().startSearch(greedy());
        QVERIFY(shown.settle());
        QCOMPARE(failed.count(), 1);
        QVERIFY(failed.front().at(1).toString().contains(QLatin1String("nothing is left to search with")));
        QCOMPARE(shown.window.document().history().size(), std::size_t(1));
    }

    void saturationLeavesThemOutToo() {
        Window shown;
        QVERIFY(shown.openUnder(shown.rules));
        const auto rulesOfRun = [&shown] {
            shown.window.saturate(test::saturation(3, 20'000, 10.0));
            if (!shown.settle()) return std::vector<std::string>();
            return shown.window.egraph().report().rules;
        };
        QCOMPARE(rulesOfRun(), (std::vector<std::string>{"own_relu"}));
        QVERIFY2(shown.messages().text().contains(QLatin1String("left out")), qPrintable(shown.messages().text()));
        shown.window.document().setInsisting(true);
        QCOMPARE(rulesOfRun(), (std::vector<std::string>{"own_relu", "own_drop"}));
    }

    /// What comes from an e-graph: its checker believes the rules.
    void joinedThreadsAreComparedByValue() {
        Window shown;
        QVERIFY(shown.openUnder(shown.rules));
        Document& document = shown.window.document();
        const auto join = [&](const char* rule) {
            const ProgramCopy copy = document.snapshot(document.current()).copy();
            const rewrite::Rewriter rewriter(*copy.bank, document.rules().directions(), ir::Sharing::Graph);
            rewrite::Thread thread{copy.program, {}, {}};
            rewriter.forEach(copy.program.root, [&](const rewrite::Rewrite& one) {
                if (one.step.rule->name() != rule) return true;
                thread.steps = {one.step};
                thread.states = {one.result};
                return false;
            });
            document.joinThread(document.history().current(), copy.bank, thread, QStringLiteral("saturation"));
            return shown.settle() && !thread.steps.empty();
        };
        QSignalSpy failed(&document, &Document::failed);
        QVERIFY(join("own_relu"));
        QCOMPARE(failed.count(), 0);
        QVERIFY(shown.window.jobs().jobs().back().status.startsWith(
            QStringLiteral("✓ 1 of 1 step checked; same values on ")));
        QVERIFY(join("own_drop"));
        QCOMPARE(document.history().size(), std::size_t(3));
        // What has the same values is current again.
        QCOMPARE(document.history().current(), document.history().state(rewrite::StateId(2)).parent);
        QVERIFY(failed.front().at(1).toString().contains(QLatin1String("has the same values")));
        QCOMPARE(failed.count(), 1);
        QVERIFY(failed.front().at(0).toString().contains(QLatin1String("saturation differs from its input")));
        QCOMPARE(shown.window.jobs().jobs().back().state, JobInfo::State::Failed);
    }

    void tensatsRulesComeFromTheMenu() {
        Window shown;
        // The second of them is wrong.
        const QString file = test::writeText(shown.folder, QStringLiteral("few.txt"),
                                             "(ewadd ?input_1 ?input_2)=>(ewadd ?input_2 ?input_1)\n"
                                             "(ewadd ?input_1 ?input_2)=>(ewmul ?input_2 ?input_1)\n");
        QVERIFY(shown.openUnder(QStringLiteral("tensor")));
        Document& document = shown.window.document();
        shown.choice("addRuleFile")->trigger();
        auto* files = shown.child<QFileDialog>("ruleFileDialog");
        QVERIFY(files != nullptr);
        files->selectNameFilter(files->nameFilters().at(1));
        Q_EMIT files->fileSelected(file);
        files->close();
        QVERIFY(shown.settle());
        QCOMPARE(QString::fromStdString(document.rules().names()), QStringLiteral("tensor,tensat:") + file);
        QCOMPARE(document.failedRules().size(), std::size_t(1));
        document.startSearch(greedy());
        QVERIFY(shown.settle());
        QVERIFY(shown.lastRun().threadChecked);
        QCOMPARE(leftOutText(shown.lastRun()), QStringLiteral("1 failed rule left out"));
        // A session under such rules comes back under them, and they are tested again.
        const QString session = document.sessionPath();
        shown.window.document().openText(QStringLiteral("other"), QLatin1String(test::CancelText));
        QVERIFY(shown.isOpen());
        QVERIFY(document.failedRules().empty());
        shown.window.openSession(session);
        QVERIFY(QTest::qWaitFor([&] { return document.dialect().sharing == ir::Sharing::Graph; }, 20'000) &&
                shown.settle());
        QCOMPARE(document.failedRules().size(), std::size_t(1));
        QCOMPARE(leftOutText(shown.lastRun()), QStringLiteral("1 failed rule left out"));
    }

    /// The four files of a folder are one set, under the numbers of papers.
    void allOfTensatsRulesComeFromAFolder() {
        Window shown;
        const char* const swap = "(ewadd ?input_1 ?input_2)=>(ewadd ?input_2 ?input_1)\n";
        const QString chosen = test::writeText(shown.folder, QStringLiteral("single.txt"), swap);
        test::writeText(shown.folder, QStringLiteral("predefined-single.txt"),
                        "(ewadd ?input_1 ?input_2)=>(ewmul ?input_2 ?input_1)\n");
        const char* const pair = "(relu ?x)=>(relu ?y)\n(relu ?y)=>(relu ?x)\n";
        test::writeText(shown.folder, QStringLiteral("multi.txt"), pair);
        test::writeText(shown.folder, QStringLiteral("predefined-multi.txt"), pair);
        QVERIFY(shown.openUnder(QStringLiteral("tensor")));
        Document& document = shown.window.document();
        shown.choice("addRuleFile")->trigger();
        auto* files = shown.child<QFileDialog>("ruleFileDialog");
        QVERIFY(files != nullptr);
        files->selectNameFilter(files->nameFilters().at(2));
        Q_EMIT files->fileSelected(chosen);
        files->close();
        QVERIFY(shown.settle());
        QCOMPARE(QString::fromStdString(document.rules().names()),
                 QStringLiteral("tensor,tensat:") + QFileInfo(chosen).absolutePath());
        QVERIFY(document.rules().find("tensat_0") != nullptr && document.rules().find("tensat_3") != nullptr);
        std::string failed;
        for (const auto& rule : document.failedRules()) failed += rule.name + " ";
        QCOMPARE(failed, std::string("tensat_1 tensat_2 tensat_3 "));
    }
};

MITOS_TEST(TestTrust)

}  // namespace tst_trust

#include "tst_trust.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Starting, following and ending tasks: the jobs view, the search dialog, the export dialog with its check.
#include "core/tensor/dialect.h"
#include "search/strategies/strategies.h"
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/gui/small_models.h"
#include "tests/support/test_program.h"
#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/export_dialog/export_dialog.h"
#include "views/export_dialog/internal/onnx_panel.h"
#include "views/jobs/jobs_view.h"
#include "views/search_dialog/cost_dialog.h"
#include "views/search_dialog/search_dialog.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>

namespace tst_task_dialogs {

using namespace mitos;
using namespace mitos::views;

namespace {

template <typename T>
T& part(QWidget& view, const char* name) {
    T* found = view.findChild<T*>(QString::fromUtf8(name));
    if (found == nullptr) qFatal("no %s", name);
    return *found;
}

SearchSettings endlessSearch() {
    SearchSettings settings;
    settings.strategy = QStringLiteral("random");
    settings.budget.seconds = 600;
    return settings;
}

QString cell(const QTableView& table, int row, int column) {
    return table.model()->index(row, column).data().toString();
}

QPushButton& okButton(SearchDialog& dialog) {
    return *part<QDialogButtonBox>(dialog, "searchButtons").button(QDialogButtonBox::Ok);
}

}  // namespace

class TestTaskDialogs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        QLocale::setDefault(QLocale::c());
        QApplication::setPalette(Theme::lightPalette());
        QCoreApplication::setOrganizationName(QStringLiteral("MitosTests"));
        QCoreApplication::setApplicationName(QStringLiteral("tst_task_dialogs"));
    }

    void init() {
        QDir(Document::sessionFolder()).removeRecursively();
        QSettings().clear();
    }

    // --- jobs ---

    void jobsAreShownStoppedAndCleared() {
        test::Desk desk;
        JobsView view(desk.document, desk.jobs);
        view.resize(760, 220);
        view.show();
        auto& table = part<QTableView>(view, "jobsTable");
        const QAbstractItemModelTester tester(table.model());
        auto& stop = part<QToolButton>(view, "jobsStop");
        auto& clear = part<QToolButton>(view, "jobsClear");
        QVERIFY(part<EmptyState>(view, "emptyState").isVisible());
        QVERIFY(!stop.isEnabled() && !clear.isEnabled());

        QVERIFY(desk.open(QString::fromUtf8(test::FactorText)));
        const RunNumber run = desk.document.startSearch(endlessSearch());
        QTRY_COMPARE(table.model()->rowCount(), 1);
        QTRY_VERIFY(cell(table, 0, JobsModel::StatusColumn).contains(QStringLiteral("evaluations")));
        QCOMPARE(cell(table, 0, JobsModel::StateColumn), QStringLiteral("▶ running"));
        const QString elapsed = cell(table, 0, JobsModel::ElapsedColumn);
        QTRY_VERIFY(cell(table, 0, JobsModel::ElapsedColumn) != elapsed);
        QVERIFY(stop.isEnabled());
        QTest::mouseClick(&stop, Qt::LeftButton);
        QVERIFY(desk.settle());
        QCOMPARE(cell(table, 0, JobsModel::StateColumn), QStringLiteral("■ stopped"));
        QVERIFY(desk.document.run(run) != nullptr);  // what it found is kept
        QVERIFY(!stop.isEnabled());
        // What it found was compared with its start.
        const int rows = table.model()->rowCount();

        desk.document.checkout(rewrite::StateId(0));
        const RunNumber dropped = desk.document.startSearch(endlessSearch());
        QTRY_COMPARE(table.model()->rowCount(), rows + 1);
        QTRY_VERIFY(!cell(table, rows, JobsModel::StatusColumn).isEmpty());
        QVERIFY(test::takePictures(view, QStringLiteral("jobs")));
        QTest::mouseClick(&part<QToolButton>(view, "jobsDiscard"), Qt::LeftButton);
        QTRY_COMPARE(table.model()->rowCount(), rows);
        QVERIFY(desk.document.run(dropped) == nullptr);
        QTest::mouseClick(&clear, Qt::LeftButton);
        QCOMPARE(table.model()->rowCount(), 0);
        QVERIFY(part<EmptyState>(view, "emptyState").isVisible());
        QVERIFY(desk.settle());
    }

    // --- search dialog ---

    void everyParameterHasAField() {
        test::Desk desk;
        QVERIFY(desk.open(QString::fromUtf8(test::FactorText)));
        SearchDialog dialog(desk.document);
        dialog.show();
        auto& strategies = part<QComboBox>(dialog, "searchStrategy");
        QCOMPARE(strategies.count(), static_cast<int>(search::rewritingStrategies().size()));
        for (const auto& strategy : search::rewritingStrategies()) {
            strategies.setCurrentIndex(strategies.findData(fromUtf8(strategy->info().name)));
            QCOMPARE(part<QLabel>(dialog, "searchDescription").text(), fromUtf8(strategy->info().description));
            for (const ParameterInfo& parameter : strategy->info().parameters) {
                const QString name = QStringLiteral("parameter.") + fromUtf8(parameter.name);
                QVERIFY2(dialog.findChild<QWidget*>(name) != nullptr, qPrintable(name));
                QCOMPARE(dialog.settings().parameters.at(parameter.name), parameter.defaultValue);
            }
            QVERIFY(okButton(dialog).isEnabled());
        }
        strategies.setCurrentIndex(strategies.findData(QStringLiteral("astar")));
        QVERIFY(part<QLabel>(dialog, "searchContext").text().contains(QStringLiteral("ks-2021")));
        QVERIFY(part<QLabel>(dialog, "searchContext").text().contains(QStringLiteral("ks-all")));
        QVERIFY(test::takePictures(dialog, QStringLiteral("search-dialog")));
    }

    void valuesAreTakenAndRemembered() {
        test::Desk desk;
        QVERIFY(desk.open(QString::fromUtf8(test::FactorText)));
        const std::shared_ptr<const search::Strategy> first = search::rewritingStrategies().front();
        std::string changed;
        std::int64_t expected = 0;
        {
            SearchDialog dialog(desk.document);
            dialog.show();
            part<QComboBox>(dialog, "searchStrategy").setCurrentIndex(0);
            part<QSpinBox>(dialog, "searchSeed").setValue(17);
            part<QCheckBox>(dialog, "use.seconds").setChecked(true);
            part<QDoubleSpinBox>(dialog, "budget.seconds").setValue(2.5);
            part<QCheckBox>(dialog, "use.evaluations").setChecked(true);
            part<QSpinBox>(dialog, "budget.evaluations").setValue(1234);
            part<QCheckBox>(dialog, "use.memory").setChecked(false);
            for (const ParameterInfo& parameter : first->info().parameters) {
                if (!std::holds_alternative<std::int64_t>(parameter.defaultValue)) continue;
                changed = parameter.name;
                auto& field = part<QSpinBox>(dialog, ("parameter." + parameter.name).c_str());
                field.setValue(field.value() + 1);
                expected = field.value();
            }
            QTest::mouseClick(&okButton(dialog), Qt::LeftButton);
            QCOMPARE(dialog.result(), static_cast<int>(QDialog::Accepted));
            const SearchSettings settings = dialog.settings();
            QCOMPARE(settings.seed, std::uint64_t{17});
            QCOMPARE(settings.budget.seconds.value_or(0), 2.5);
            QCOMPARE(settings.budget.evaluations.value_or(0), std::uint64_t{1234});
            QVERIFY(!settings.budget.memoryBytes && !settings.budget.states);
        }
        SearchDialog again(desk.document);
        QCOMPARE(again.settings().strategy, fromUtf8(first->info().name));
        QCOMPARE(again.settings().seed, std::uint64_t{17});
        QCOMPARE(again.settings().budget.evaluations.value_or(0), std::uint64_t{1234});
        QVERIFY(!again.settings().budget.memoryBytes);
        if (!changed.empty()) QCOMPARE(std::get<std::int64_t>(again.settings().parameters.at(changed)), expected);

        part<QCheckBox>(again, "use.seconds").setChecked(false);
        part<QCheckBox>(again, "use.evaluations").setChecked(false);
        QVERIFY(part<QLabel>(again, "searchMessage")
                    .text()
                    .contains(QLocale().toString(5000) + QStringLiteral(" expressions")));
        part<QCheckBox>(again, "use.memory").setChecked(true);
        QVERIFY(part<QLabel>(again, "searchMessage").text().contains(QStringLiteral("until you stop it")));
        QVERIFY(okButton(again).isEnabled());
    }

    void costModelsAreChosenWithTheirParameters() {
        const auto begun = cost::findCostModel("roofline:laptop,N=8");
        QVERIFY(begun.ok());
        CostDialog dialog(tensor::dialect(), (*begun)->info());
        QCOMPARE(dialog.name(), QStringLiteral("roofline:laptop,N=8"));
        part<QComboBox>(dialog, "parameter.device").setCurrentText(QStringLiteral("gpu.json"));
        part<QLineEdit>(dialog, "parameter.sizes").setText(QStringLiteral("64"));
        QCOMPARE(dialog.name(), QStringLiteral("roofline:gpu.json,64"));
        auto& models = part<QComboBox>(dialog, "costDialogModel");
        models.setCurrentIndex(models.findData(QStringLiteral("peak-memory")));
        QCOMPARE(dialog.name(), QStringLiteral("peak-memory"));
        QVERIFY(dialog.findChild<QWidget*>(QStringLiteral("parameter.device")) == nullptr);
    }

    void nothingRunsWithoutAProgram() {
        test::Desk desk;
        SearchDialog dialog(desk.document);
        QVERIFY(!okButton(dialog).isEnabled());
        QVERIFY(part<QLabel>(dialog, "searchMessage").text().startsWith(QStringLiteral("⚠ There is no program")));
    }

    // --- export ---

    void exportShowsCopiesAndSaves() {
        test::Desk desk;
        QVERIFY(desk.open(QString::fromUtf8(test::FactorText)));
        desk.document.apply(*test::findStep(desk.document, "add_of_muls"));
        QVERIFY(desk.settle());
        ExportDialog dialog(desk.document, desk.jobs);
        dialog.show();
        auto& preview = part<QPlainTextEdit>(dialog, "exportPreview");
        QTRY_VERIFY(preview.toPlainText().contains(QStringLiteral("double")));
        QVERIFY(preview.toPlainText().contains(QStringLiteral("add_of_muls")));  // the thread
        QVERIFY(!preview.toPlainText().contains(QStringLiteral("int main(")));

        QTest::keyClicks(&part<QLineEdit>(dialog, "exportFunction"), QStringLiteral("my fast_1"));
        QCOMPARE(part<QLineEdit>(dialog, "exportFunction").text(), QStringLiteral("myfast_1"));
        QTRY_VERIFY(preview.toPlainText().contains(QStringLiteral("myfast_1(")));
        part<QCheckBox>(dialog, "exportTestMain").setChecked(true);
        QTRY_VERIFY(preview.toPlainText().contains(QStringLiteral("int main(")));
        part<QCheckBox>(dialog, "exportThread").setChecked(false);
        QTRY_VERIFY(!preview.toPlainText().contains(QStringLiteral("add_of_muls")));

        QVERIFY(desk.settle());
        // The verdict makes the text again, and there is nothing to save until that is done.
        QTRY_VERIFY(part<QPushButton>(dialog, "exportSave").isEnabled());
        QTest::mouseClick(&part<QPushButton>(dialog, "exportCopy"), Qt::LeftButton);
        QCOMPARE(QGuiApplication::clipboard()->text(), preview.toPlainText());

        const QTemporaryDir folder;
        const auto save = [&](const QString& path) {
            QTest::mouseClick(&part<QPushButton>(dialog, "exportSave"), Qt::LeftButton);
            auto& files = part<QFileDialog>(dialog, "exportSaveDialog");
            Q_EMIT files.fileSelected(path);
            files.reject();
        };
        const QString path = folder.filePath(QStringLiteral("out.cpp"));
        save(path);
        auto& status = part<QLabel>(dialog, "exportStatus");
        QTRY_VERIFY2(status.text().startsWith(QStringLiteral("Saved to")), qPrintable(status.text()));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(QString::fromUtf8(file.readAll()), preview.toPlainText());
        save(folder.filePath(QStringLiteral("missing/out.cpp")));
        QTRY_VERIFY2(status.text().startsWith(QStringLiteral("✗")), qPrintable(status.text()));

        part<QComboBox>(dialog, "exportFormat").setCurrentIndex(2);
        QTRY_VERIFY2(preview.toPlainText().contains(QStringLiteral("(mul a (add b c))")),
                     qPrintable(preview.toPlainText()));
        QVERIFY(!part<QWidget>(dialog, "checkPanel").isVisible());
        QVERIFY(!part<QLineEdit>(dialog, "exportFunction").isVisible());
    }

    void exportedCodeHasANamespaceAHeaderAndAVerdict() {
        test::Desk desk;
        QVERIFY(desk.open(QString::fromUtf8(test::FactorText)));
        desk.document.apply(*test::findStep(desk.document, "add_of_muls"));
        QVERIFY(desk.settle());
        ExportDialog dialog(desk.document, desk.jobs);
        dialog.show();
        auto& preview = part<QPlainTextEdit>(dialog, "exportPreview");
        auto& nameSpace = part<QLineEdit>(dialog, "exportNamespace");
        QTRY_VERIFY(preview.toPlainText().contains(QStringLiteral("namespace ") + nameSpace.placeholderText()));
        QVERIFY(nameSpace.placeholderText().startsWith(QStringLiteral("ks_")));
        QTest::keyClicks(&nameSpace, QStringLiteral("my fast_1"));
        QTRY_VERIFY(preview.toPlainText().contains(QStringLiteral("namespace myfast_1 {")));
        QVERIFY(desk.settle());
        const QString verdict = part<QLabel>(dialog, "exportVerdict").text();
        QVERIFY2(verdict.startsWith(QStringLiteral("✓ 1 of 1 step checked; same values on ")), qPrintable(verdict));
        QTRY_VERIFY(preview.toPlainText().contains(QStringLiteral("// ; verdict: ") + verdict.mid(2, 30)));

        auto& format = part<QComboBox>(dialog, "exportFormat");
        QCOMPARE(format.itemText(1), QStringLiteral("C++ header"));
        format.setCurrentIndex(1);
        QTRY_VERIFY2(preview.toPlainText().contains(QStringLiteral("#pragma once")) ||
                         preview.toPlainText().contains(QStringLiteral("#ifndef")),
                     qPrintable(preview.toPlainText()));
        QVERIFY(preview.toPlainText().contains(QStringLiteral("namespace myfast_1 {")));
        QVERIFY(!preview.toPlainText().contains(QStringLiteral("return ")));
        QVERIFY(nameSpace.isVisible());
        QVERIFY(!part<QCheckBox>(dialog, "exportThread").isVisible());
        QVERIFY(!part<QWidget>(dialog, "checkPanel").isVisible());
        QVERIFY(test::takePictures(dialog, QStringLiteral("export-header")));
    }

    void exportedCodeIsCompiledCheckedAndTimed() {
        test::Desk desk;
        QVERIFY(desk.open(QString::fromUtf8(test::FactorText)));
        desk.document.apply(*test::findStep(desk.document, "add_of_muls"));
        QVERIFY(desk.settle());
        ExportDialog dialog(desk.document, desk.jobs);
        dialog.show();
        auto& verdict = part<QLabel>(dialog, "checkVerdict");
        QTest::mouseClick(&part<QPushButton>(dialog, "checkStart"), Qt::LeftButton);
        QVERIFY(part<QPushButton>(dialog, "checkStop").isVisible());
        QVERIFY(!part<QPushButton>(dialog, "checkStart").isEnabled());
        QVERIFY(desk.settle(180'000));
        QVERIFY2(verdict.text().startsWith(QStringLiteral("✓")), qPrintable(verdict.text()));
        QVERIFY(part<QLabel>(dialog, "checkRatio").text().contains(QStringLiteral(" of the start program's time: ")));
        QVERIFY(!part<QLabel>(dialog, "checkCompiler").text().isEmpty());
        QVERIFY(!part<QPlainTextEdit>(dialog, "checkMessage").isVisible());
        QVERIFY(test::takePictures(dialog, QStringLiteral("export-dialog")));
    }

    void theCheckCanBeStopped() {
        test::Desk desk;
        QVERIFY(desk.open(QString::fromUtf8(test::FactorText)));
        ExportDialog dialog(desk.document, desk.jobs);
        dialog.show();
        QTest::mouseClick(&part<QPushButton>(dialog, "checkStart"), Qt::LeftButton);
        QTest::mouseClick(&part<QPushButton>(dialog, "checkStop"), Qt::LeftButton);
        QVERIFY(desk.settle(60'000));
        QCOMPARE(part<QLabel>(dialog, "checkVerdict").text(), QStringLiteral("Stopped by you."));
        QVERIFY(part<QPushButton>(dialog, "checkStart").isEnabled());
    }

    /// What was begun in the dialog ends in the Jobs view, after the dialog was closed and another program was opened.
    void theCheckGoesOnWithoutTheDialog() {
        test::Desk desk;
        QVERIFY(desk.open(QString::fromUtf8(test::FactorText)));
        desk.document.apply(*test::findStep(desk.document, "add_of_muls"));
        QVERIFY(desk.settle());
        {
            ExportDialog dialog(desk.document, desk.jobs);
            dialog.show();
            QTest::mouseClick(&part<QPushButton>(dialog, "checkStart"), Qt::LeftButton);
        }
        QCOMPARE(desk.jobs.runningVisible(), 1);  // nobody needs what the dialog compared before saving
        desk.document.openText(QStringLiteral("other"), QLatin1String(test::FactorText));
        QVERIFY(QTest::qWaitFor([&] { return desk.document.title() == QLatin1String("other"); }, 30'000));
        QVERIFY(desk.settle(180'000));
        const JobInfo job = desk.jobs.jobs().front();
        QVERIFY2(job.title.startsWith(QLatin1String("Compile and check ")), qPrintable(job.title));
        QCOMPARE(job.state, JobInfo::State::Finished);
        QVERIFY2(job.status.startsWith(QStringLiteral("✓ Agrees with the evaluator on ")), qPrintable(job.status));
    }

    void aModelIsWrittenWithoutTheDialog() {
        test::Desk desk;
        QVERIFY(desk.open(QLatin1String(test::TwoBranches)));
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("model.onnx"));
        {
            OnnxPanel panel(std::make_shared<ExportSource>(desk.document), desk.jobs);
            panel.write(path, true);
        }
        QVERIFY(desk.open(QString::fromUtf8(test::FactorText)));
        QVERIFY(desk.settle(60'000));
        QVERIFY(QFileInfo(path).size() > 0);
        const JobInfo job = desk.jobs.jobs().front();
        QCOMPARE(job.title, QStringLiteral("Export model.onnx"));
        QCOMPARE(job.state, JobInfo::State::Finished);
        QVERIFY2(job.status.startsWith(QStringLiteral("✓ Saved to %1; ").arg(path)), qPrintable(job.status));
    }
};

MITOS_TEST(TestTaskDialogs)

}  // namespace tst_task_dialogs

#include "tst_task_dialogs.moc"

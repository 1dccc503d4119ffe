// SPDX-License-Identifier: GPL-3.0-or-later
// Training by mouse: settings, live curve, stop, resume, the session afterwards, and the models.
#include "search/placement/policy_trainer.h"
#include "search/placement/shipped_models.h"
#include "search/rewriting/value_model.h"
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/support/test_program.h"
#include "views/compare/compare_model.h"
#include "views/search_dialog/internal/learning_chart.h"
#include "views/search_dialog/search_dialog.h"
#include "views/search_dialog/training_dialog.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableWidget>
#include <QTemporaryDir>

namespace tst_training_dialog {

using namespace mitos;
using namespace mitos::views;

namespace {

using search::placement::Objective;

constexpr int FitsColumn = 1;

int rowOf(const QTableWidget& table, const QString& name) {
    for (int row = 0; row < table.rowCount(); ++row) {
        if (table.item(row, 0)->text() == name) return row;
    }
    return -1;
}

int shippedCount() {
    return static_cast<int>(search::placement::shippedModels().size() + search::shippedValues().size());
}

constexpr const char* Tasks =
    "tasks small\n"
    "  a() takes 3, makes 16\n"
    "  b(a) takes 2, makes 8\n"
    "  c(a) takes 5, makes 8\n"
    "  d(b, c) takes 1, makes 4\n";

template <typename T>
T& part(QWidget& view, const char* name) {
    T* found = view.findChild<T*>(QString::fromUtf8(name));
    if (found == nullptr) qFatal("no %s", name);
    return *found;
}

/// The settings of a training whose steps take a fraction of a second.
void makeSmall(TrainingDialog& dialog) {
    const std::pair<const char*, int> sizes[]{
        {"generated", 8}, {"search_evaluations", 30}, {"population", 8}, {"elites", 2},        {"mutants", 4},
        {"hidden", 8},    {"graphs_per_step", 2},     {"samples", 2},    {"validate_every", 2}};
    for (const auto& [name, value] : sizes) {
        auto* const box = dialog.findChild<QSpinBox*>(QStringLiteral("parameter.") + QString::fromUtf8(name));
        if (box == nullptr) qFatal("no field for %s", name);
        box->setValue(value);
    }
}

}  // namespace

class TestTrainingDialog : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        QLocale::setDefault(QLocale::c());
        QApplication::setPalette(Theme::lightPalette());
        QCoreApplication::setOrganizationName(QStringLiteral("MitosTests"));
        QCoreApplication::setApplicationName(QStringLiteral("tst_training_dialog"));
        QDir(Document::sessionFolder()).removeRecursively();
        QSettings().clear();
    }

    void trainsStopsResumesAndKeeps() {
        const QTemporaryDir folder;
        const QString model = folder.filePath(QStringLiteral("small.model"));
        QString session;
        {
            test::Desk desk;
            QVERIFY(desk.open(QString::fromUtf8(Tasks)));
            session = desk.document.sessionPath();
            const double cost = desk.document.history().state(desk.document.history().start()).cost;
            TrainingDialog dialog(desk.document, desk.jobs);
            dialog.show();
            auto& begin = part<QPushButton>(dialog, "trainingBegin");
            auto& resume = part<QPushButton>(dialog, "trainingResume");
            auto& stop = part<QPushButton>(dialog, "trainingStop");
            part<QLineEdit>(dialog, "trainingModel").setText(folder.filePath(QStringLiteral("small.txt")));
            QVERIFY(!begin.isEnabled());
            QVERIFY(part<QLabel>(dialog, "trainingMessage").text().contains(QStringLiteral(".model")));
            part<QLineEdit>(dialog, "trainingModel").setText(model);
            QVERIFY(begin.isEnabled() && !resume.isEnabled() && !stop.isEnabled());
            makeSmall(dialog);
            part<QDoubleSpinBox>(dialog, "trainingSeconds").setValue(20);
            QTest::mouseClick(&begin, Qt::LeftButton);
            auto* const chart = dialog.findChild<LearningChart*>(QStringLiteral("trainingCurves"));
            QVERIFY(chart != nullptr);
            QTRY_VERIFY2_WITH_TIMEOUT(chart->points() >= 3, qPrintable(part<QLabel>(dialog, "trainingState").text()),
                                      30'000);
            QVERIFY(stop.isEnabled() && !begin.isEnabled());
            QVERIFY(test::takePictures(dialog, QStringLiteral("training")));
            QTest::mouseClick(&stop, Qt::LeftButton);
            QVERIFY(desk.settle());
            QCOMPARE(desk.document.runs().size(), std::size_t{1});
            const Run& first = desk.document.runs().front();
            QCOMPARE(first.state, search::RunState::Finished);
            QCOMPARE(QString::fromStdString(first.stop), QStringLiteral("stopped"));
            QCOMPARE(QString::fromStdString(first.outcomeKind), QStringLiteral("model"));
            // A training is no search for a cheaper program.
            QCOMPARE(first.initialCost, cost);
            QCOMPARE(first.bestCost, cost);
            CompareModel compared(desk.document);
            QCOMPARE(compared.rowCount(), 0);
            const auto before = search::learningCurveIn(first.events);
            QVERIFY(before.size() >= 3);
            QVERIFY(resume.isEnabled());
            QTest::mouseClick(&resume, Qt::LeftButton);
            QTRY_VERIFY_WITH_TIMEOUT(chart->curveCount() == 2, 60'000);
            QTest::mouseClick(&stop, Qt::LeftButton);
            QVERIFY(desk.settle());
            const auto after = search::learningCurveIn(desk.document.runs().back().events);
            QVERIFY(after.front().step > before.back().step);

            part<QTabWidget>(dialog, "trainingPages").setCurrentIndex(1);
            auto& table = part<QTableWidget>(dialog, "modelTable");
            const int shipped = shippedCount();
            QTRY_COMPARE(table.rowCount(), 1 + shipped);
            QCOMPARE(table.item(0, 0)->text(), QStringLiteral("small.model"));
            QCOMPARE(table.item(0, FitsColumn)->text(), QStringLiteral("on 2 devices, for peak memory"));
            QVERIFY(test::takePictures(dialog, QStringLiteral("models")));
            QSignalSpy used(&dialog, &TrainingDialog::useRequested);
            QTest::mouseClick(&part<QPushButton>(dialog, "modelUse"), Qt::LeftButton);
            QCOMPARE(used.count(), 1);
            QCOMPARE(used.front().at(0).toString(), model);
            QCOMPARE(used.front().at(1).toInt(), 2);
            QCOMPARE(used.front().at(2).value<Objective>(), Objective::Memory);
            // A file that is no model is listed with the reason.
            const QString broken = test::writeText(folder, QStringLiteral("broken.model"), "nothing");
            dialog.addModel(broken);
            QTRY_COMPARE(table.rowCount(), 2 + shipped);
            QVERIFY(part<QLabel>(dialog, "modelAbout").text().startsWith(QStringLiteral("⚠")));
            QVERIFY(!part<QPushButton>(dialog, "modelUse").isEnabled());
        }
        test::Desk again;
        again.document.openFile(session);
        QVERIFY(QTest::qWaitFor([&] { return again.document.isOpen() && again.settle(); }, 20'000));
        QCOMPARE(again.document.runs().size(), std::size_t{2});
        QVERIFY(search::learningCurveIn(again.document.runs().front().events).size() >= 3);
        TrainingDialog dialog(again.document, again.jobs);
        // Files that were opened are remembered, too.
        QTRY_COMPARE(part<QTableWidget>(dialog, "modelTable").rowCount(), 2 + shippedCount());
        QCOMPARE(dialog.findChild<LearningChart*>(QStringLiteral("trainingCurves"))->curveCount(), 2);
    }

    /// The shipped ones are listed, with the reason if they do not fit.
    void listsShippedModels() {
        test::Desk desk;
        TrainingDialog dialog(desk.document, desk.jobs);
        part<QTabWidget>(dialog, "trainingPages").setCurrentIndex(1);
        auto& table = part<QTableWidget>(dialog, "modelTable");
        QTRY_VERIFY(rowOf(table, QStringLiteral("shipped: memory-2")) >= 0);
        const int row = rowOf(table, QStringLiteral("shipped: memory-2"));
        QCOMPARE(table.item(row, FitsColumn)->text(), QStringLiteral("no: no program is open"));
        table.setCurrentCell(row, 0);
        QVERIFY(!part<QPushButton>(dialog, "modelUse").isEnabled());
        QVERIFY(desk.open(QStringLiteral("(def f Float (x : Float) (mul x x))")));
        QTRY_COMPARE(table.item(row, FitsColumn)->text(), QStringLiteral("no: the program cannot be scheduled"));
        QVERIFY(!part<QPushButton>(dialog, "modelUse").isEnabled());
    }

    /// A search gets what the model was trained for, whatever was chosen before.
    void usesShippedModels() {
        test::Desk desk;
        QVERIFY(desk.open(QString::fromUtf8(Tasks)));
        TrainingDialog dialog(desk.document, desk.jobs);
        dialog.show();
        part<QTabWidget>(dialog, "trainingPages").setCurrentIndex(1);
        auto& table = part<QTableWidget>(dialog, "modelTable");
        QTRY_VERIFY(rowOf(table, QStringLiteral("shipped: memory-2")) >= 0);
        const int row = rowOf(table, QStringLiteral("shipped: memory-2"));
        // The cost model in force is one of run time.
        QCOMPARE(table.item(row, FitsColumn)->text(), QStringLiteral("on 2 devices, for peak memory"));
        table.setCurrentCell(row, 0);
        QVERIFY(test::takePictures(dialog, QStringLiteral("shipped-models")));
        QSignalSpy used(&dialog, &TrainingDialog::useRequested);
        QTest::mouseClick(&part<QPushButton>(dialog, "modelUse"), Qt::LeftButton);
        QCOMPARE(used.count(), 1);
        QCOMPARE(used.front().at(0).toString(), QStringLiteral("shipped"));

        QSettings().setValue(QStringLiteral("search/graphs/schedule-brkga-learned/decode"), QStringLiteral("finish"));
        rememberModel(desk.document.dialect(), used.front().at(0).toString(), used.front().at(1).toInt());
        const std::unique_ptr<SearchDialog> search(SearchDialog::forScheduling(desk.document));
        search->chooseObjective(used.front().at(2).value<Objective>());
        SearchSettings settings = search->settings();
        QCOMPARE(settings.strategy, QStringLiteral("schedule-brkga-learned"));
        QCOMPARE(std::get<std::string>(settings.parameters.at("model")), std::string("shipped"));
        QCOMPARE(std::get<std::int64_t>(settings.parameters.at("devices")), std::int64_t{2});
        QCOMPARE(std::get<std::string>(settings.parameters.at("decode")), std::string("usual"));
        QCOMPARE(settings.costModel, scheduleGoals(desk.document).back().costModel);
        settings.budget = {.evaluations = 50};
        QVERIFY(desk.document.startSearch(settings) != 0);
        QVERIFY(desk.settle());
        const Run& run = desk.document.runs().back();
        QVERIFY2(run.state == search::RunState::Finished, run.stop.c_str());
        QCOMPARE(QString::fromStdString(run.outcomeKind), QStringLiteral("schedule"));
    }
};

MITOS_TEST(TestTrainingDialog)

}  // namespace tst_training_dialog

#include "tst_training_dialog.moc"

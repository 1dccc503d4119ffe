// SPDX-License-Identifier: GPL-3.0-or-later
// A value function from the desktop: trained by mouse, used in a search and as heat, trained on in the reopened session; bad files; closing in the
// middle.
#include "search/learned/training_file.h"
#include "search/rewriting/value_model.h"
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/gui/shown_window.h"
#include "views/search_dialog/internal/learning_chart.h"
#include "views/search_dialog/internal/model_page.h"
#include "views/search_dialog/internal/training_progress.h"
#include "views/search_dialog/search_dialog.h"
#include "views/search_dialog/training_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableWidget>
#include <QTemporaryDir>

namespace tst_value_training_dialog {

using namespace mitos;
using namespace mitos::views;

namespace {

/// The dialog of a window, and its parts.
struct ShownTraining {
    explicit ShownTraining(test::ShownWindow& shown) {
        shown.trigger("train");
        dialog = shown.window.findChild<TrainingDialog*>();
        if (dialog == nullptr) qFatal("no dialog");
    }
    template <typename T>
    [[nodiscard]] T& part(const char* name) const {
        T* found = dialog->findChild<T*>(QLatin1String(name));
        if (found == nullptr) qFatal("no %s", name);
        return *found;
    }
    [[nodiscard]] QPushButton& button(const char* name) const { return part<QPushButton>(name); }
    void click(const char* name) const {
        QVERIFY2(button(name).isEnabled(), qPrintable(message() + state()));
        QTest::mouseClick(&button(name), Qt::LeftButton);
    }
    [[nodiscard]] QString message() const { return part<QLabel>("trainingMessage").text(); }
    [[nodiscard]] QString state() const { return part<QLabel>("trainingState").text(); }
    [[nodiscard]] QTableWidget& table() const { return part<QTableWidget>("modelTable"); }
    [[nodiscard]] LearningChart& chart() const { return part<LearningChart>("trainingCurves"); }
    void showModels() const { part<QTabWidget>("trainingPages").setCurrentIndex(1); }
    void setModel(const QString& path) const { part<QLineEdit>("trainingModel").setText(path); }
    /// Epochs take a fraction of a second.
    void makeSmall(const char* rules = "ks-simple") const {
        part<QComboBox>("trainingKind").setCurrentIndex(1);
        auto& choice = part<QComboBox>("trainingRules");
        choice.setCurrentIndex(choice.findData(QLatin1String(rules)));
        Q_EMIT choice.activated(choice.currentIndex());
        const std::pair<const char*, int> sizes[]{{"search_evaluations", 60},
                                                  {"labels", 4},
                                                  {"label_evaluations", 60},
                                                  {"validation_evaluations", 60},
                                                  {"programs_per_epoch", 2},
                                                  {"hidden", 8},
                                                  {"readout", 8}};
        for (const auto& [name, value] : sizes) set(name, value);
    }
    void set(const char* name, int value) const {
        part<QSpinBox>((std::string("parameter.") + name).c_str()).setValue(value);
    }
    /// The row of that model; -1: none.
    [[nodiscard]] int rowOf(const QString& name) const {
        for (int row = 0; row < table().rowCount(); ++row) {
            if (table().item(row, ModelPage::NameColumn)->text() == name) return row;
        }
        return -1;
    }
    [[nodiscard]] QString cell(const QString& name, int column) const {
        const int row = rowOf(name);
        return row < 0 ? QString() : table().item(row, column)->text();
    }

    TrainingDialog* dialog;
};

/// A model of two epochs in the file.
bool trainInto(test::ShownWindow& shown, const ShownTraining& training, const QString& model) {
    training.makeSmall();
    if (!shown.settle()) return false;
    training.setModel(model);
    training.set("epochs", 2);
    training.click("trainingBegin");
    return QTest::qWaitFor([&] { return QFile::exists(model); }, 30'000) && shown.settle();
}

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

class TestValueTrainingDialog : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() {
        QLocale::setDefault(QLocale::c());
        QCoreApplication::setOrganizationName(QStringLiteral("MitosTests"));
        QCoreApplication::setApplicationName(QStringLiteral("tst_value_training_dialog"));
        test::forgetEverything();
    }

    void trainsSearchesAndTrainsOn() {
        const QTemporaryDir folder;
        const QString model = folder.filePath(QStringLiteral("sums.model"));
        QString session;
        std::uint32_t lastStep = 0;
        {
            test::ShownWindow shown;
            QVERIFY(shown.open(test::sample("arithmetic/table6-4.ks")));
            Document& document = shown.window.document();
            session = document.sessionPath();
            const ShownTraining training(shown);
            QCOMPARE(training.part<QComboBox>("trainingKind").currentText(), QStringLiteral("Value of rewriting"));
            QVERIFY(shown.settle());
            QVERIFY(test::takePictures(*training.dialog, QStringLiteral("value-training-idle")));
            training.makeSmall();
            QVERIFY(shown.settle());
            QCOMPARE(document.rules().names(), std::string("ks-simple"));
            training.setModel(model);
            training.part<QDoubleSpinBox>("trainingSeconds").setValue(60);
            QVERIFY(!training.button("trainingResume").isEnabled() && !training.button("trainingSearch").isEnabled());
            training.click("trainingBegin");
            QTRY_VERIFY2_WITH_TIMEOUT(training.chart().points() >= 3, qPrintable(training.state()), 20'000);
            const auto& progress = training.part<QProgressBar>("trainingProgress");
            QTRY_VERIFY(progress.isVisible() && progress.value() > 0);
            QVERIFY2(progress.toolTip().startsWith(QStringLiteral("epoch ")) &&
                         progress.toolTip().contains(QStringLiteral(" left")),
                     qPrintable(progress.toolTip()));
            QVERIFY(test::takePictures(*training.dialog, QStringLiteral("value-training-running")));
            QTRY_VERIFY(QFile::exists(model));
            training.click("trainingStop");
            QVERIFY(shown.settle());
            QCOMPARE(document.runs().size(), std::size_t{1});
            QCOMPARE(QString::fromStdString(document.runs().front().stop), QStringLiteral("stopped"));
            lastStep = search::learningCurveIn(document.runs().front().events).back().step;
            QVERIFY(!progress.isVisible() && training.button("trainingResume").isEnabled());
            // The loss instead of the improvement, over epochs; there is none before the first epoch.
            const int points = training.chart().points();
            training.part<QComboBox>("trainingMeasure").setCurrentIndex(1);
            training.part<QComboBox>("trainingAxis").setCurrentIndex(1);
            QCOMPARE(training.chart().points(), points - 1);
            QVERIFY(test::takePictures(*training.dialog, QStringLiteral("value-training-done")));

            training.click("trainingSearch");
            QTRY_VERIFY(shown.window.findChild<SearchDialog*>() != nullptr);
            auto* const search = shown.window.findChild<SearchDialog*>();
            QVERIFY(QTest::qWaitForWindowExposed(search));
            QCoreApplication::processEvents();
            const SearchSettings settings = search->settings();
            QCOMPARE(settings.strategy, QStringLiteral("astar"));
            QCOMPARE(std::get<std::string>(settings.parameters.at("value")), std::string("learned"));
            QCOMPARE(QString::fromStdString(std::get<std::string>(settings.parameters.at("model"))), model);
            QVERIFY(test::takePictures(*search, QStringLiteral("value-training-search")));
            auto* const buttons = search->findChild<QDialogButtonBox*>(QStringLiteral("searchButtons"));
            QTest::mouseClick(buttons->button(QDialogButtonBox::Ok), Qt::LeftButton);
            QVERIFY(shown.settle());
            const Run& searched = document.runs().back();
            QCOMPARE(QString::fromStdString(searched.strategy), QStringLiteral("astar"));
            QVERIFY2(searched.state == search::RunState::Finished, searched.stop.c_str());
            QVERIFY(searched.bestCost < searched.initialCost);

            QTRY_VERIFY(training.rowOf(QStringLiteral("sums.model")) == 0);
            QCOMPARE(training.cell(QStringLiteral("sums.model"), ModelPage::FitsColumn), QStringLiteral("yes"));
            QCOMPARE(training.cell(QStringLiteral("sums.model"), ModelPage::PurposeColumn),
                     QStringLiteral("rewriting: ks-2021, ks-simple"));
            QCOMPARE(training.cell(QStringLiteral("sums.model"), ModelPage::SeedColumn), QStringLiteral("1"));
            QVERIFY(test::takePictures(*training.dialog, QStringLiteral("value-models")));

            // As heat in the program.
            document.checkout(document.history().start());
            auto* const gain = shown.child<QComboBox>("gainChoice");
            gain->setFocus();
            const int item = gain->findData(QStringLiteral("learned:") + model);
            QVERIFY(item > 0);
            QCOMPARE(gain->itemText(item), QStringLiteral("Gain: sums.model"));
            gain->setCurrentIndex(item);
            QVERIFY(shown.settle());
            const auto* const most = shown.child<QLabel>("gainMost");
            QTRY_VERIFY(most->isVisible() && most->text().contains(QStringLiteral("within")));
            QVERIFY(shown.child<QPushButton>("gainModel")->isVisible());
            QVERIFY(test::takePictures(shown.window, QStringLiteral("gain-learned")));
        }
        test::ShownWindow again;
        QVERIFY(again.open(session));
        Document& document = again.window.document();
        QCOMPARE(document.runs().size(), std::size_t{2});
        const ShownTraining training(again);
        QVERIFY(again.settle());
        QCOMPARE(training.chart().curveCount(), 1);
        training.showModels();
        QTRY_VERIFY(training.rowOf(QStringLiteral("sums.model")) == 0);
        training.table().setCurrentCell(0, 0);
        training.click("modelTrainOn");
        QCOMPARE(training.part<QTabWidget>("trainingPages").currentIndex(), 0);
        QCOMPARE(training.part<QLineEdit>("trainingModel").text(), model);
        QCOMPARE(training.part<QSpinBox>("parameter.search_evaluations").value(), 60);
        QCOMPARE(training.message(), QStringLiteral("These are the settings of training #1. Resume goes on with it."));
        training.click("trainingResume");
        QTRY_VERIFY2_WITH_TIMEOUT(training.chart().curveCount() == 2, qPrintable(training.state()), 20'000);
        training.click("trainingStop");
        QVERIFY(again.settle());
        QVERIFY(search::learningCurveIn(document.runs().back().events).front().step > lastStep);
    }

    /// The other program is a session without threads.
    void learnsFromAllOpenPrograms() {
        const QTemporaryDir folder;
        const QString model = folder.filePath(QStringLiteral("both.model"));
        test::ShownWindow shown;
        QVERIFY(shown.open(test::sample("arithmetic/table6-5.ks")));
        QVERIFY(shown.open(test::sample("arithmetic/table6-4.ks")));
        const ShownTraining training(shown);
        training.part<QComboBox>("trainingGraphs").setCurrentIndex(1);
        QVERIFY(trainInto(shown, training, model));
        QVERIFY2(!training.state().startsWith(QStringLiteral("⚠")), qPrintable(training.state()));
        const auto trained = search::loadValueModel(model.toStdString());
        QVERIFY(trained.ok());
        QCOMPARE(trained->programs.size(), std::size_t{2});
        QCOMPARE(trained->programs.front(), std::string("the open program"));
        QVERIFY2(trained->programs.back().find("table6-5") != std::string::npos, trained->programs.back().c_str());

        // Another session: the settings come from the state beside the model.
        QVERIFY(shown.open(test::sample("arithmetic/table6-1.ks")));
        training.set("search_evaluations", 99);
        training.showModels();
        QTRY_VERIFY(training.rowOf(QStringLiteral("both.model")) == 0);
        training.table().setCurrentCell(0, 0);
        training.click("modelTrainOn");
        QTRY_COMPARE(training.part<QSpinBox>("parameter.search_evaluations").value(), 60);
        QVERIFY2(training.message().contains(QStringLiteral("what it learned from")), qPrintable(training.message()));
        training.click("trainingResume");
        QVERIFY(shown.settle());
        QVERIFY2(training.state().contains(QStringLiteral("belongs to another training")),
                 qPrintable(training.state()));
        QVERIFY(search::loadValueModel(model.toStdString()).ok());
    }

    void learnsFromFiles() {
        const QTemporaryDir folder;
        const QString model = folder.filePath(QStringLiteral("files.model"));
        test::ShownWindow shown;
        QVERIFY(shown.open(test::sample("arithmetic/table6-4.ks")));
        const ShownTraining training(shown);
        training.part<QComboBox>("trainingGraphs").setCurrentIndex(2);
        auto& files = training.part<QPlainTextEdit>("trainingFiles");
        auto& validation = training.part<QPlainTextEdit>("trainingValidation");
        QVERIFY(files.isVisible() && validation.isVisible());
        QVERIFY2(training.message().contains(QStringLiteral("Add files")), qPrintable(training.message()));
        files.setPlainText(test::sample("arithmetic/table6-1.ks") + QLatin1Char('\n') +
                           test::sample("arithmetic/table6-5.ks"));
        validation.setPlainText(test::sample("arithmetic/table6-4.ks"));
        QVERIFY(trainInto(shown, training, model));
        const auto trained = search::loadValueModel(model.toStdString());
        QVERIFY2(trained.ok(), qPrintable(training.state()));
        QCOMPARE(trained->programs,
                 (std::vector<std::string>{test::sample("arithmetic/table6-1.ks").toStdString(),
                                           test::sample("arithmetic/table6-5.ks").toStdString(),
                                           test::sample("arithmetic/table6-4.ks").toStdString() + " (validation)"}));
        // Without the run, its settings and programs are those of the state beside it.
        QVERIFY(shown.open(test::sample("arithmetic/table6-7.ks")));
        files.clear();
        validation.clear();
        training.set("search_evaluations", 99);
        training.showModels();
        QTRY_VERIFY(training.rowOf(QStringLiteral("files.model")) == 0);
        training.table().setCurrentCell(0, 0);
        training.click("modelTrainOn");
        QTRY_COMPARE(training.message(),
                     QStringLiteral("These are the settings of the stored training. Resume goes on with it."));
        training.set("epochs", 4);
        QTest::mouseClick(&training.button("trainingResume"), Qt::LeftButton);
        QVERIFY(shown.settle());
        QCOMPARE(search::loadValueModel(model.toStdString())->curve.back().step, 4U);

        files.setPlainText(folder.filePath(QStringLiteral("missing.ks")));
        training.click("trainingBegin");
        QVERIFY(shown.settle());
        QVERIFY2(training.state().contains(QStringLiteral("missing.ks: no such file")), qPrintable(training.state()));
        QVERIFY(search::loadValueModel(model.toStdString()).ok());
    }

    void saysWhatIsWrong() {
        const QTemporaryDir folder;
        const QString model = folder.filePath(QStringLiteral("good.model"));
        test::ShownWindow shown;
        QVERIFY(shown.open(test::sample("arithmetic/table6-4.ks")));
        const ShownTraining training(shown);
        QVERIFY(trainInto(shown, training, model));
        QVERIFY2(training.message().contains(QStringLiteral("Resume goes on with it")), qPrintable(training.message()));
        // Folders that are missing, or are files.
        for (const QString& bad :
             {folder.filePath(QStringLiteral("missing/a.model")), model + QStringLiteral("/a.model"),
              QStringLiteral("/proc/a.model"), folder.filePath(QStringLiteral("a.txt"))}) {
            training.setModel(bad);
            if (bad.startsWith(QStringLiteral("/proc")) && training.button("trainingBegin").isEnabled()) {
                training.click("trainingBegin");  // an administrator may write everywhere but there
                QVERIFY(shown.settle());
                QVERIFY2(training.state().startsWith(QStringLiteral("⚠")), qPrintable(training.state()));
                QVERIFY(test::takePictures(*training.dialog, QStringLiteral("value-training-error")));
                continue;
            }
            QVERIFY2(training.message().startsWith(QStringLiteral("⚠")), qPrintable(bad));
            QVERIFY(!training.button("trainingBegin").isEnabled());
        }
        // A state that was cut off: an error, and nothing is lost.
        training.setModel(model);
        const QString state = model + QStringLiteral(".training");
        const QByteArray good = contentOf(state);
        const QByteArray bytes = contentOf(model);
        QVERIFY(QFile::resize(state, good.size() / 2));
        training.set("epochs", 4);
        training.click("trainingResume");
        QVERIFY(shown.settle());
        QVERIFY2(training.state().contains(QStringLiteral("damaged")), qPrintable(training.state()));
        QVERIFY(test::takePictures(*training.dialog, QStringLiteral("value-training-damaged")));
        QCOMPARE(contentOf(model), bytes);

        training.showModels();
        const auto add = [&](const char* name, QByteArray content) {
            training.dialog->addModel(test::writeText(folder, QLatin1String(name), content));
            return QTest::qWaitFor([&] { return training.rowOf(QLatin1String(name)) >= 0; }, 10'000);
        };
        QVERIFY(add("text.model", "nothing"));
        QVERIFY(add("cut.model", bytes.chopped(100)));
        QVERIFY(add("new.model", QByteArray(bytes).replace(0, 13, "mitos-model 9")));
        QVERIFY(add("state.model", good));
        const auto reason = [&](const char* name) { return training.cell(QLatin1String(name), ModelPage::FitsColumn); };
        QVERIFY2(reason("text.model").startsWith(QStringLiteral("⚠ text.model is no model")),
                 qPrintable(reason("text.model")));
        QVERIFY2(reason("cut.model").contains(QStringLiteral("it was cut off")), qPrintable(reason("cut.model")));
        QVERIFY2(reason("new.model").contains(QStringLiteral("format 9")), qPrintable(reason("new.model")));
        QCOMPARE(reason("state.model"), QStringLiteral("⚠ it is the state of a training; the model stands beside it"));
        QVERIFY(!training.button("modelUse").isEnabled() && !training.button("modelTrainOn").isEnabled());
        QVERIFY(test::takePictures(*training.dialog, QStringLiteral("value-models-bad")));
        // Another cost model, then a program with other nodes.
        shown.window.document().setCostModel(QStringLiteral("size"));
        QTRY_COMPARE(reason("good.model"), QStringLiteral("no: it was trained for --cost ks-2021, and this is size"));
        shown.window.document().setCostModel(QStringLiteral("ks-2021"));
        QVERIFY(shown.open(test::sample("linear-algebra/gemm.ks")));
        QTRY_VERIFY2(reason("good.model").contains(QStringLiteral("a kind of node of the program")),
                     qPrintable(reason("good.model")));
        // The gain of a model that does not fit has no number, but a reason.
        auto* const gain = shown.child<QComboBox>("gainChoice");
        gain->setFocus();
        gain->setCurrentIndex(gain->findData(QStringLiteral("learned:") + model));
        QVERIFY(shown.settle());
        QTRY_VERIFY(shown.child<QLabel>("gainNote")->text().contains(QStringLiteral("does not fit")));
        QVERIFY(test::takePictures(shown.window, QStringLiteral("gain-misfit")));

        // Deleted after a question, with its state.
        training.table().setCurrentCell(training.rowOf(QStringLiteral("good.model")), 0);
        training.click("modelDelete");
        auto* box = training.dialog->findChild<QMessageBox*>(QStringLiteral("modelDeleteDialog"));
        QVERIFY(box != nullptr);
        QTest::mouseClick(box->button(QMessageBox::Cancel), Qt::LeftButton);
        QVERIFY(QFile::exists(model));
        QTRY_VERIFY(training.dialog->findChild<QMessageBox*>() == nullptr);
        training.click("modelDelete");
        box = training.dialog->findChild<QMessageBox*>(QStringLiteral("modelDeleteDialog"));
        QTest::mouseClick(box->findChild<QPushButton*>(QStringLiteral("modelDeleteReally")), Qt::LeftButton);
        QTRY_VERIFY(training.rowOf(QStringLiteral("good.model")) < 0);
        QVERIFY(!QFile::exists(model) && !QFile::exists(state));
    }

    /// The dialog is closed first, then the window, while the training runs.
    void canBeClosedInTheMiddle() {
        const QTemporaryDir folder;
        const QString model = folder.filePath(QStringLiteral("closed.model"));
        QString session;
        {
            test::ShownWindow shown;
            QVERIFY(shown.open(test::sample("arithmetic/table6-4.ks")));
            session = shown.window.document().sessionPath();
            {
                const ShownTraining training(shown);
                training.makeSmall();
                QVERIFY(shown.settle());
                training.setModel(model);
                training.click("trainingBegin");
                QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(model), 20'000);
                training.dialog->close();
            }
            QTRY_VERIFY(shown.window.findChild<TrainingDialog*>() == nullptr);
            QCOMPARE(shown.window.document().runningSearches(), 1);
            const ShownTraining again(shown);
            QTRY_VERIFY(again.part<QProgressBar>("trainingProgress").isVisible());
            QVERIFY(again.button("trainingStop").isEnabled());
            shown.window.close();
        }
        QVERIFY(search::loadValueModel(model.toStdString()).ok());
        test::ShownWindow shown;
        QVERIFY(shown.open(session));
        const ShownTraining training(shown);
        training.showModels();
        QTRY_VERIFY(training.rowOf(QStringLiteral("closed.model")) >= 0);
        training.table().setCurrentCell(training.rowOf(QStringLiteral("closed.model")), 0);
        QVERIFY(training.button("modelTrainOn").isEnabled());
    }

    /// The network of the paper, by LibTorch.
    void trainsThePapersNetwork() {
        const QTemporaryDir folder;
        const QString model = folder.filePath(QStringLiteral("graph.model"));
        test::ShownWindow shown;
        QVERIFY(shown.open(test::sample("arithmetic/table6-4.ks")));
        const ShownTraining training(shown);
        training.makeSmall();
        QVERIFY(shown.settle());
        training.setModel(model);
        training.part<QComboBox>("parameter.network").setCurrentText(QStringLiteral("knossos"));
        training.set("hidden", 40);
        training.set("rounds", 2);
        training.set("epochs", 1);
        training.click("trainingBegin");
        QVERIFY(QTest::qWaitFor([&] { return shown.window.document().runningSearches() == 0; }, 60'000));
        QVERIFY(shown.settle());
        if (training.state().contains(QStringLiteral("LibTorch"))) {
            QVERIFY2(training.state().startsWith(QStringLiteral("⚠ #1: learned strategies need LibTorch")),
                     qPrintable(training.state()));
            QVERIFY(test::takePictures(*training.dialog, QStringLiteral("value-training-libtorch")));
            QVERIFY(!QFile::exists(model));
            return;
        }
        training.showModels();
        QTRY_VERIFY(training.rowOf(QStringLiteral("graph.model")) == 0);
        QVERIFY2(training.part<QLabel>("modelAbout").text().contains(QStringLiteral("Knossos paper")),
                 qPrintable(training.part<QLabel>("modelAbout").text()));
    }

    void progressIsOfTheFirstLimit() {
        Run run;
        run.parameters = {{"epochs", std::int64_t{10}}};
        run.budget.seconds = 100.0;
        TrainingProgressNow now = progressOf(run, "epochs", 20.0);
        QCOMPARE(now.share, std::optional(0.2));
        QCOMPARE(now.secondsLeft, std::optional(80.0));
        const auto point = [&](std::uint32_t step, double seconds) {
            search::SearchEvent event;
            event.seconds = seconds;
            event.what = search::Validated{{.step = step, .seconds = seconds}, 1};
            run.events.push_back(event);
        };
        point(0, 2.0);
        point(4, 10.0);
        now = progressOf(run, "epochs", 11.0);  // 2 s an epoch, 1 s of the fifth one has passed
        QCOMPARE(now.step, 4U);
        QCOMPARE(now.share, std::optional(0.4));
        QCOMPARE(now.secondsLeft, std::optional(11.0));
        QCOMPARE(progressText(now, QStringLiteral("epoch")),
                 QStringLiteral("epoch 4 of 10, 11.0 s so far, at most about 11.0 s left"));
        run.budget.seconds.reset();
        run.parameters = {{"epochs", std::int64_t{0}}};
        QCOMPARE(progressOf(run, "epochs", 300.0).share, std::optional(0.5));  // the usual ten minutes
        run.parameters.emplace("early_stop", std::int64_t{5});
        QCOMPARE(progressOf(run, "epochs", 300.0).share, std::optional<double>());
    }
};

MITOS_TEST(TestValueTrainingDialog)

}  // namespace tst_value_training_dialog

#include "tst_value_training_dialog.moc"

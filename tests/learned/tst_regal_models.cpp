// SPDX-License-Identifier: GPL-3.0-or-later
// The REGAL experiment with networks: a policy that has learned nothing is the genetic algorithm without one, and a changed model is run again.
#include "core/base/result.h"
#include "search/experiments/regal_experiment.h"
#include "search/experiments/regal_results.h"
#include "search/learned/learned_library.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <vector>

namespace tst_regal_models {

using namespace mitos::search;
using namespace mitos::search::experiments;
using namespace Qt::StringLiterals;
using placement::Objective;
using placement::PolicyModel;

namespace {

const QString NetworkLibrary = QStringLiteral(MITOS_BINARY_DIR "/app/mitos-learned.so");

/// A model for peak memory whose parameters are all the same number.
PolicyModel modelOf(std::uint32_t rounds, float parameter) {
    PolicyModel model{.objective = Objective::Memory, .decode = placement::Decode::Paper};
    model.shape = placement::policyShape(model, 8, rounds);
    const auto library = learned::LearnedLibrary::load(NetworkLibrary.toStdString());
    const auto network = library->makeNetwork(model.shape);
    model.parameters.assign((*network)->parameterCount(), parameter);
    return model;
}

}  // namespace

class TestRegalModels : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_models;
    QTemporaryDir m_folder;

    void save(const QString& name, const PolicyModel& model) {
        const auto saved = learned::saveModel(m_models.filePath(name).toStdString(), placement::toFile(model));
        if (!saved) qFatal("%s", saved.error().message.c_str());
    }
    RegalPlan plan() {
        RegalPlan plan;
        plan.parts = {"table1"};
        plan.graphs = 4;
        plan.seeds = 2;
        plan.evaluations = 300;
        plan.exactSeconds = 0.01;
        plan.models = m_models.path().toStdString();
        plan.library = NetworkLibrary.toStdString();
        return plan;
    }

private Q_SLOTS:
    void initTestCase() {
        if (!QFile::exists(NetworkLibrary)) QSKIP("built without LibTorch");
    }

    void withoutKnowledgeItIsTheGeneticAlgorithm() {
        save(u"regal.model"_s, modelOf(2, 0.0F));
        save(u"isolated.model"_s, modelOf(0, 0.0F));
        const auto experiment = RegalExperiment::open(plan());
        QVERIFY2(experiment.ok(), experiment ? "" : experiment.error().message.c_str());
        const auto runs = carryOut(**experiment, m_folder.filePath(u"x"_s).toStdString(), {});
        QVERIFY2(runs.ok(), runs ? "" : runs.error().message.c_str());
        QVERIFY2(runs->failures.empty(), runs->failures.empty() ? "" : runs->failures[0].second.c_str());
        std::vector<std::vector<std::uint64_t>> peaks(3);
        const std::vector<std::string> names{"memory-unseen-brkga-300-0000", "memory-unseen-regal-300-0000",
                                             "memory-unseen-no-messages-300-0000"};
        for (const auto& text : runs->records) {
            const auto record = readRegalRecord(*text);
            for (std::size_t i = 0; i < names.size(); ++i) {
                if (record->run != names[i]) continue;
                QCOMPARE(record->model.empty(), i == 0);
                for (const RegalOutcome& outcome : record->outcomes) {
                    QCOMPARE(outcome.actions.has_value(), i != 0);
                    if (outcome.actions) QCOMPARE(outcome.actions->devices, 0.0);
                    for (const RegalSearch& search : outcome.searches) peaks[i].push_back(search.peak);
                }
            }
        }
        QCOMPARE(peaks[0].size(), 8U);
        QCOMPARE(peaks[1], peaks[0]);
        QCOMPARE(peaks[2], peaks[0]);
    }

    void anotherModelIsRunAgain() {
        save(u"isolated.model"_s, modelOf(0, 0.25F));
        const auto experiment = RegalExperiment::open(plan());
        const auto runs = carryOut(**experiment, m_folder.filePath(u"x"_s).toStdString(), {});
        QVERIFY(runs.ok());
        QCOMPARE(runs->found, runs->records.size() - 1);
    }
};

MITOS_TEST(TestRegalModels)

}  // namespace tst_regal_models

#include "tst_regal_models.moc"

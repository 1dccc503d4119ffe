// SPDX-License-Identifier: GPL-3.0-or-later
// Exports of all samples, of their gradients and of those of their closed forms, compiled with both sanitizers: they compute what the
// evaluator does, and stay in bounds.
#include "core/autodiff/derivative.h"
#include "core/coarsening/coarsen.h"
#include "core/dialects/dialects.h"
#include "core/eval/samples.h"
#include "core/ks/module.h"
#include "tests/codegen/batch.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>
#include <fmt/format.h>

#include <QDirIterator>

namespace tst_codegen_samples {

using namespace mitos;
using tests::Case;

namespace {

/// With the inputs on which it has a value, and with vectors that have no element or one.
void add(std::vector<Case>& cases, const ir::TermBank& bank, const ir::Program& program, const std::string& name) {
    const eval::Limits limits{.steps = 200'000};
    Case made = tests::exported(bank, program, name);
    const auto addRun = [&](const eval::Inputs& inputs) {
        for (const tests::Run& run : tests::evaluated(bank, program, inputs, limits)) made.runs.push_back(run);
    };
    const Result<eval::Samples> drawn = eval::drawSamples(bank, program, 4, 1, limits);
    if (!drawn) return;  // a function is a parameter
    for (const eval::Sample& sample : drawn->samples) addRun(sample.inputs);
    Random random(2);
    for (const std::int64_t size : {0, 1}) {
        const eval::InputOptions options{.minSize = size, .maxSize = size};
        const Result<eval::Inputs> inputs = eval::randomInputs(bank, bank.function(program.function), random, options);
        if (inputs) addRun(*inputs);
    }
    cases.push_back(std::move(made));
}

}  // namespace

class TestCodegenSamples : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void samplesStayInBounds_data();
    void samplesStayInBounds();
};

void TestCodegenSamples::samplesStayInBounds_data() {
    QTest::addColumn<QString>("folder");
    const QDir samples(QStringLiteral(MITOS_SOURCE_DIR "/samples"));
    for (const QString& folder : samples.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        if (!QDir(samples.filePath(folder)).entryList({QStringLiteral("*.ks")}).isEmpty())
            QTest::newRow(qPrintable(folder)) << samples.filePath(folder);
    }
}

void TestCodegenSamples::samplesStayInBounds() {
    QFETCH(const QString, folder);
    std::vector<Case> cases;
    QDirIterator files(folder, {QStringLiteral("*.ks")}, QDir::Files);
    while (files.hasNext()) {
        QFile file(files.next());
        QVERIFY(file.open(QIODevice::ReadOnly));
        const std::string text = file.readAll().toStdString();
        const std::string name = QFileInfo(file).fileName().toStdString();
        ir::TermBank bank(dialects::makeRegistry());
        const Result<ir::Program> program = ks::parseProgram(bank, name, text);
        QVERIFY(program.ok());
        if (!eval::isRepeatable(bank, *program)) continue;
        add(cases, bank, *program, name);
        QVERIFY2(!cases.empty() && !cases.back().runs.empty(), name.c_str());
        const Result<ir::FunctionId> derived = autodiff::derive(bank, autodiff::Direction::Reverse, program->function);
        if (derived) add(cases, bank, {*derived, bank.function(*derived).body}, "derivative of " + name);
        ir::TermBank other(dialects::makeRegistry());
        const Result<ir::Program> same = ks::parseProgram(other, name, text);
        const Result<coarsening::ElevationRules> rules = coarsening::ElevationRules::load(other.sharedRegistry());
        QVERIFY(same.ok() && rules.ok());
        const Result<coarsening::Coarsened> coarsened = coarsening::coarsen(other, *same, *rules, {});
        if (!coarsened) continue;
        const ir::FunctionId closed = coarsened->derivative;
        add(cases, other, {closed, other.function(closed).body}, "derivative of closed forms of " + name);
    }
    const std::string difference = tests::difference(cases, tests::sanitized());
    QVERIFY2(difference.empty(), difference.c_str());
}

MITOS_TEST(TestCodegenSamples)

}  // namespace tst_codegen_samples

#include "tst_codegen_samples.moc"

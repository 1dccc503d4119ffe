// SPDX-License-Identifier: GPL-3.0-or-later
// The device that is fitted to measured times, and names of devices that depend on the machine.
#include "core/base/source_text.h"
#include "core/cost/calibration.h"
#include "core/cost/cost_model.h"
#include "core/cost/device.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>

namespace tst_calibration {

using namespace mitos;
using cost::CostProfile;
using cost::Device;
using cost::Operand;
using cost::Operation;

namespace {

constexpr double Launch = 2e-6;
constexpr double Bandwidth = 20e9;

/// The times of a machine with 100 GFLOP/s on f32, 40 on f64 and no f16, where only the largest operations are as fast as that.
CostProfile profile() {
    CostProfile profile;
    profile.setup.device = "cpu";
    profile.setup.processor = "P";
    profile.setup.runtime = "R 1";
    for (const Operation& operation : cost::calibrationOperations("cpu")) {
        const Operand& first = operation.inputs.front();
        double elements = 1.0;
        for (const std::int64_t size : first.shape) elements *= static_cast<double>(size);
        double seconds = Launch;
        if (first.dtype == ir::Dtype::F16) {
            profile.refused[operation] = "no kernel";
            continue;
        }
        if (operation.op == "MatMul") {
            const auto size = static_cast<double>(first.shape.front());
            const double best = first.dtype == ir::Dtype::F64 ? 40e9 : size < 1000.0 ? 50e9 : 100e9;
            seconds += 2.0 * size * size * size / best;
        } else if (operation.op == "Conv") {
            const auto channels = static_cast<double>(first.shape[1]);
            seconds += 2.0 * 9.0 * channels * elements / 30e9;
        } else if (elements > 1.0) {
            const double arrays = operation.op == "Add" ? 3.0 : 2.0;
            seconds += 4.0 * arrays * elements / (operation.op == "Add" ? Bandwidth : 0.7 * Bandwidth);
        }
        profile.times[operation] = {seconds, seconds, 0.0, 1, 15, 0};
    }
    return profile;
}

bool isNear(double value, double expected) { return std::abs(value - expected) <= 0.01 * expected; }

}  // namespace

class TestCalibration : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() {
        m_before = qgetenv("XDG_CONFIG_HOME");
        m_home = std::make_unique<QTemporaryDir>();
        qputenv("XDG_CONFIG_HOME", QFile::encodeName(m_home->path()));
    }
    void cleanup() { qputenv("XDG_CONFIG_HOME", m_before); }

    void aDeviceIsFittedToTimes() {
        const auto device = cost::fittedDevice(profile());
        QVERIFY2(device.ok(), device ? "" : device.error().render().c_str());
        QCOMPARE(device->title, std::string("P, R 1, 1 thread"));
        QCOMPARE(device->launchSeconds, Launch);
        QVERIFY(isNear(device->singleFlops, 100e9));
        QVERIFY(isNear(device->doubleFlops, 40e9));
        QCOMPARE(device->halfFlops, device->singleFlops);  // nothing on f16 was measured
        QVERIFY(isNear(device->bytesPerSecond, Bandwidth));
    }

    void tooFewTimesFitNothing() {
        QVERIFY(!cost::fittedDevice({}).ok());
        for (const char* op : {"MatMul", "Add"}) {
            CostProfile some = profile();
            std::erase_if(some.times, [op](const auto& entry) { return entry.first.op != op; });
            const auto device = cost::fittedDevice(some);
            // Sums alone compute, too, although slowly; products move too little to show the bandwidth.
            QCOMPARE(device.ok(), std::string(op) == "Add");
            if (device) continue;
            QVERIFY2(device.error().message.find("no operation that moves much") != std::string::npos,
                     device.error().message.c_str());
        }
    }

    void aDeviceIsAFileLikeTheShippedOnes() {
        const Device device = *cost::fittedDevice(profile());
        const std::string path = m_home->filePath(QStringLiteral("own.json")).toStdString();
        QVERIFY(writeFile(path, cost::deviceText(device)).ok());
        const auto read = cost::findDevice(path);
        QVERIFY2(read.ok(), read ? "" : read.error().render().c_str());
        QCOMPARE(read->launchSeconds, device.launchSeconds);
        QCOMPARE(read->halfFlops, device.halfFlops);
        QCOMPARE(read->doubleFlops, device.doubleFlops);
        QCOMPARE(read->bytesPerSecond, device.bytesPerSecond);
        QCOMPARE(read->title, device.title);
    }

    void aCalibratedNameStatesItsParameters() {
        const Device device{.name = "own",
                            .title = "Own",
                            .launchSeconds = 0.85e-6,
                            .halfFlops = 1234567e9,
                            .singleFlops = 96.24e9,
                            .doubleFlops = 48.1e9,
                            .bytesPerSecond = 11.8e9};
        const std::string name = cost::calibratedName(device);
        QCOMPARE(name, std::string("calibrated@0.85us_96.2f32_48.1f64_1230000f16_11.8gb"));
        const auto found = cost::findDevice(name);
        QVERIFY2(found.ok(), found ? "" : found.error().render().c_str());
        QVERIFY(isNear(found->launchSeconds, 0.85e-6) && isNear(found->halfFlops, 1.23e15));
        QVERIFY(isNear(found->singleFlops, 96.2e9) && isNear(found->bytesPerSecond, 11.8e9));
        QVERIFY(cost::findCostModel("roofline:" + name + ",N=8").ok());
        for (const std::string wrong :
             {"calibrated@", "calibrated@0.85us_96.2f32_48.1f64_96f16", "calibrated@0us_1f32_1f64_1f16_1gb",
              "calibrated@1us_1f32_1f64_1f16_1gb_1", "calibrated@1us_1f64_1f32_1f16_1gb",
              "calibrated@1us_nanf32_1f64_1f16_1gb", "calibrated@1us_-1f32_1f64_1f16_1gb",
              "calibrated@1us_1e999f32_1f64_1f16_1gb"}) {
            QVERIFY2(!cost::findDevice(wrong).ok(), wrong.c_str());
            QVERIFY2(!cost::findCostModel("roofline:" + wrong).ok(), wrong.c_str());
        }
    }

    void withoutACalibrationTheProcessorIsThatOfALaptop() {
        const auto usual = cost::findCostModel("roofline:processor,kernels=onnxruntime");
        QVERIFY(usual.ok());
        QCOMPARE((*usual)->info().name, std::string("roofline:laptop,kernels=onnxruntime"));
        const cost::SettledName settled = cost::settledName("roofline:processor,kernels=onnxruntime");
        QCOMPARE(settled.name, std::string("roofline:laptop,kernels=onnxruntime"));
        QCOMPARE(settled.warning, std::string());
        const auto own = cost::findCostModel("roofline:this-machine");
        QVERIFY(!own.ok());
        QCOMPARE(own.error().message, std::string("this machine has not been calibrated"));
        QVERIFY(own.error().hint.find("measure --calibrate") != std::string::npos);
    }

    void aCalibrationIsUsedAndNamedByItsParameters() {
        const Device device = *cost::fittedDevice(profile());
        const auto file = cost::writeCalibration(device);
        QVERIFY2(file.ok(), file ? "" : file.error().render().c_str());
        QCOMPARE(*file, m_home->filePath(QStringLiteral("mitos/this-machine.json")).toStdString());
        const std::string expected = "roofline:calibrated@2us_100f32_40f64_100f16_20gb";
        QCOMPARE(cost::settledName("roofline:processor,N=8").name, expected + ",N=8");
        for (const char* name : {"roofline:processor", "roofline:this-machine"}) {
            const auto model = cost::findCostModel(name);
            QVERIFY2(model.ok(), model ? "" : model.error().render().c_str());
            QCOMPARE((*model)->info().name, expected);
            QVERIFY((*model)->info().description.find("This machine: P, R 1, 1 thread") != std::string::npos);
        }
        QCOMPARE(cost::settledName("roofline:a100,N=8").name, std::string("roofline:a100,N=8"));
        QCOMPARE(cost::settledName("size").name, std::string("size"));
        QCOMPARE(cost::settledName("roofline:processor,charges=none").name,
                 std::string("roofline:processor,charges=none"));

        // On a machine with another calibration, or none, the name means the same, and does not say that it is this machine.
        std::filesystem::remove(*file);
        const auto elsewhere = cost::findCostModel(expected);
        QVERIFY(elsewhere.ok());
        QCOMPARE((*elsewhere)->info().name, expected);
        QVERIFY((*elsewhere)->info().description.find("This machine") == std::string::npos);
        QVERIFY((*elsewhere)->info().description.find("a machine that was calibrated") != std::string::npos);
    }

    void aDamagedCalibrationIsIgnoredWithAWarning() {
        const auto file = cost::writeCalibration(*cost::fittedDevice(profile()));
        QVERIFY(file.ok());
        for (const char* text : {"", "[]", "{\"launch_seconds\": -1}"}) {
            QVERIFY(writeFile(*file, text).ok());
            const cost::SettledName settled = cost::settledName("roofline:processor");
            QCOMPARE(settled.name, std::string("roofline:laptop"));
            QVERIFY2(settled.warning.find("is ignored") != std::string::npos, settled.warning.c_str());
            const auto own = cost::findCostModel("roofline:this-machine");
            QVERIFY(!own.ok());
            QVERIFY(own.error().message.find("this-machine.json") != std::string::npos);
        }
    }

    void itsOperationsAreOnesThatCostModelsKnow() {
        for (const char* device : {"cpu", "cuda"}) {
            for (const Operation& operation : cost::calibrationOperations(device)) {
                QVERIFY(!cost::isView(operation));
                const auto read = cost::operationFrom(cost::textsOf(operation));
                QVERIFY2(read.ok(), read ? "" : read.error().render().c_str());
                QVERIFY(*read == operation);
            }
        }
    }

private:
    QByteArray m_before;
    std::unique_ptr<QTemporaryDir> m_home;
};

MITOS_TEST(TestCalibration)

}  // namespace tst_calibration

#include "tst_calibration.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Measuring through LibTorch, and through processes that lie, die, hang or are stopped.
#include "core/cost/measuring/torch.h"
#include "core/cost/measuring/worker.h"
#include "core/tensor/operator.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

namespace tst_measuring {

using namespace mitos;
using cost::CostProfile;
using cost::MeasuredProfile;
using cost::Operand;
using cost::Operation;

namespace {

Operand array(std::vector<std::int64_t> shape, bool isConstant = false) {
    return {.dtype = ir::Dtype::F32, .shape = std::move(shape), .isConstant = isConstant};
}

Operation matMul(std::int64_t size) { return {"MatMul", "", {array({size, size}), array({size, size}, true)}}; }

/// The attributes as the dialect writes them; those that are not given have their defaults.
std::string attributes(const std::string& name,
                       const std::vector<std::pair<std::string, tensor::AttributeValue>>& given) {
    tensor::Attributes all(*tensor::findOperator(name));
    for (const auto& [key, value] : given) all.set(key, value);
    return all.text();
}

std::unique_ptr<cost::Measurer> torch() {
    return cost::torchMeasurer({.secondsPerOperation = 0.02, .program = MITOS_BINARY_DIR "/app/mitos-measure"});
}

constexpr const char* Greeting = "printf 'mitos-measure\\t1\\n'\n";
constexpr const char* Setup =
    "printf 'setup\\tprotocol=1\\tdevice=cpu\\tprocessor=P\\tfeatures=\\truntime=R "
    "1\\tblas=\\tthreads=1\\tsettings=\\n'\n";

/// A process that a shell script stands in for.
std::unique_ptr<cost::Measurer> script(const std::string& text, double silentSeconds = 20.0) {
    return cost::workerMeasurer({.runtime = "Fake",
                                 .command = {"sh", "-c", text},
                                 .environment = {"PATH=/usr/bin:/bin"},
                                 .howToGet = "install it",
                                 .silentSeconds = silentSeconds});
}

std::string fake(const std::string& answers) { return std::string(Greeting) + Setup + answers; }

const std::vector<Operation>& three() {
    static const std::vector<Operation> operations{matMul(2), matMul(3), matMul(4)};
    return operations;
}

}  // namespace

class TestMeasuring : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void operationsAreMeasured() {
        const std::vector<std::int64_t> one{1, 1};
        const std::vector<std::int64_t> uneven{0, 0, 1, 1};
        const std::string conv = attributes("Conv", {{"strides", one}, {"pads", uneven}, {"dilations", one}});
        const std::string fused =
            attributes("FusedConv", {{"strides", one}, {"pads", uneven}, {"dilations", one}, {"activation", "Relu"}});
        const std::vector<std::int64_t> two{2, 2};
        const std::vector<std::int64_t> none{0, 0, 0, 0};
        const std::string pool =
            attributes("MaxPool", {{"kernel_shape", two}, {"strides", two}, {"pads", none}, {"dilations", one}});
        const std::string mean = attributes("AveragePool", {{"kernel_shape", two}, {"strides", one}, {"pads", uneven}});
        const std::vector<Operation> operations{
            matMul(64),
            matMul(512),
            {"Conv", conv, {array({1, 8, 14, 14}), array({8, 8, 3, 3}, true)}},
            {"FusedConv", fused, {array({1, 8, 14, 14}), array({8, 8, 3, 3}, true), array({8}, true)}},
            {"NhwcConv", conv, {array({1, 14, 14, 8}), array({8, 8, 3, 3}, true)}},
            {"NhwcFusedConv",
             fused,
             {array({1, 14, 14, 8}), array({8, 8, 3, 3}, true), Operand{.isAbsent = true}, array({1, 13, 13, 8})}},
            {"NhwcMaxPool", pool, {array({1, 56, 56, 32})}},
            {"MaxPool", pool, {array({1, 32, 56, 56})}},
            {"NhwcAveragePool", mean, {array({1, 14, 14, 8})}},
            {"Add", "", {array({16, 1}), array({1, 16})}},
            {"Relu", "", {array({1000})}},
            {"Softmax", attributes("Softmax", {{"axis", std::int64_t{1}}}), {array({4, 10})}},
            {"Concat", attributes("Concat", {{"axis", std::int64_t{0}}}), {array({4, 10}), array({2, 10})}},
        };
        std::vector<std::string> seen;
        const MeasuredProfile measured = torch()->measure(
            operations, [&](const cost::OperationOutcome& outcome) { seen.push_back(outcome.operation.op); }, {});
        QVERIFY2(!measured.ended, measured.ended ? measured.ended->message.c_str() : "");
        QCOMPARE(seen, (std::vector<std::string>{"MatMul", "MatMul", "Conv", "FusedConv", "NhwcConv", "NhwcFusedConv",
                                                 "NhwcMaxPool", "MaxPool", "NhwcAveragePool", "Add", "Relu", "Softmax",
                                                 "Concat"}));
        const auto& [profile, ended] = measured;
        QCOMPARE(profile.times.size(), operations.size());
        for (const auto& [operation, time] : profile.times) {
            QVERIFY2(time.minimum > 0.0 && time.minimum <= time.median && time.batches >= 5,
                     cost::text(operation).c_str());
        }
        // A product of matrices that are eight times as large in each direction takes 512 times as many steps.
        QVERIFY(profile.times.at(matMul(512)).minimum > 20.0 * profile.times.at(matMul(64)).minimum);
        QCOMPARE(profile.setup.device, std::string("cpu"));
        QCOMPARE(profile.setup.threads, std::int64_t{1});
        QVERIFY(profile.setup.runtime.starts_with("LibTorch "));
        QVERIFY(profile.setup.blas.starts_with("OpenBLAS "));
        QVERIFY(profile.drift >= 0.0);
    }

    void whatCannotBeMeasuredIsRefusedWithItsReason() {
        const Operation huge{"Add", "", {array({1'000'000, 1'000'000}), array({1})}};
        const Operation large{
            "Expand", attributes("Expand", {{"shape", std::vector<std::int64_t>{1'000'000, 100'000}}}), {array({1})}};
        const Operation unfit{"MatMul", "", {array({2, 3}), array({2, 3})}};
        const Operation own{"MergeGroups",
                            attributes("MergeGroups", {{"group", std::int64_t{2}}, {"count", std::int64_t{2}}}),
                            {array({4, 2, 1, 1})}};
        const std::vector<std::int64_t> one{1, 1};
        const Operation lines{
            "NhwcConv",
            attributes("NhwcConv", {{"strides", one}, {"pads", std::vector<std::int64_t>(4, 0)}, {"dilations", one}}),
            {array({1, 8, 4}), array({4, 4, 1, 1}, true)}};
        const Operation small = matMul(8);
        const std::vector<Operation> operations{huge, large, unfit, own, lines, small};
        const MeasuredProfile measured = torch()->measure(operations, {}, {});
        QVERIFY(!measured.ended);
        const CostProfile& profile = measured.profile;
        QCOMPARE(profile.refused.at(huge), std::string("its inputs do not fit into the memory that measuring may use"));
        QCOMPARE(profile.refused.at(large), std::string("it needs more memory than measuring may use"));
        QVERIFY(profile.refused.contains(unfit));
        QCOMPARE(profile.refused.at(own),
                 std::string("LibTorch has no operator that computes it in one call or a few"));
        QCOMPARE(profile.refused.at(lines), std::string("images have four axes"));
        QVERIFY(profile.times.contains(small));
    }

    void aDeviceThatIsNotThereIsAnError() {
        const auto cuda =
            cost::torchMeasurer({.device = "cuda", .program = MITOS_BINARY_DIR "/app/mitos-measure"})->setup({});
        QVERIFY(!cuda);
        QVERIFY2(cuda.error().message.find("there is no CUDA GPU") != std::string::npos, cuda.error().message.c_str());
        QVERIFY(cuda.error().hint.find("app/measure builds alone against any other LibTorch") != std::string::npos);
        const auto missing = cost::torchMeasurer({.program = "/nowhere/mitos-measure"})->setup({});
        QVERIFY(!missing);
        QVERIFY(missing.error().hint.find("libtorch-dev") != std::string::npos);
    }

    void knownOperationsAreNotMeasuredAgain() {
        CostProfile known;
        const std::vector<Operation> first{matMul(8), matMul(16)};
        const std::vector<Operation> all{matMul(8), matMul(16), matMul(24)};
        const auto measurer =
            script(fake("read -r head; n=0; while read -r line; do n=$((n + 1));\n"
                        "printf 'time\\t%s\\t1e-6\\t2e-6\\t0\\t1\\t5\\n' $n; done"));
        const auto count = [&](const std::vector<Operation>& operations, cost::Remeasure remeasure) {
            int measured = 0;
            const Status done =
                cost::measureInto(known, *measurer, operations, remeasure, [&](const auto&) { ++measured; }, {});
            return done ? measured : -1;
        };
        QCOMPARE(count(first, cost::Remeasure::Never), 2);
        QCOMPARE(count(all, cost::Remeasure::Never), 1);
        QCOMPARE(count(all, cost::Remeasure::Always), 3);
        QCOMPARE(known.times.size(), std::size_t(3));

        known.setup.threads = 4;
        const Status other = cost::measureInto(known, *measurer, all, cost::Remeasure::Never, {}, {});
        QVERIFY(!other);
        QCOMPARE(other.error().message, std::string("the profile was measured differently: threads: 1 instead of 4"));
    }

    void whatAProcessMeasuredIsReadFromItsLines() {
        const MeasuredProfile measured =
            script(fake("printf 'calibration\\t0.001\\ntime\\t1\\t1e-6\\t2e-6\\t5e-7\\t10\\t15\\n"
                        "refused\\t2\\tno kernel\\ntime\\t3\\t3e-6\\t3e-6\\t0\\t1\\t5\\n"
                        "calibration\\t0.0015\\n'\n"))
                ->measure(three(), {}, {});
        QVERIFY2(!measured.ended, measured.ended ? measured.ended->message.c_str() : "");
        const CostProfile& profile = measured.profile;
        QCOMPARE(profile.times.size(), std::size_t(2));
        QCOMPARE(profile.times.at(matMul(2)).minimum, 1e-6);
        QCOMPARE(profile.times.at(matMul(2)).median, 2e-6);
        QCOMPARE(profile.times.at(matMul(2)).spread, 5e-7);
        QCOMPARE(profile.times.at(matMul(2)).launches, 10U);
        QCOMPARE(profile.times.at(matMul(4)).batches, 5U);
        QCOMPARE(profile.refused.at(matMul(3)), std::string("no kernel"));
        QVERIFY(std::abs(profile.drift - 0.5) < 1e-12);
        QCOMPARE(profile.setup.runtime, std::string("R 1"));
    }

    void wrongAnswersEndTheMeasuring_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("message");
        QTest::addColumn<int>("kept");
        const auto row = [](const char* name, const std::string& text, const char* message, int kept = 0) {
            QTest::newRow(name) << QString::fromStdString(text) << QString::fromUtf8(message) << kept;
        };
        const std::string good = "printf 'time\\t1\\t1e-6\\t2e-6\\t0\\t1\\t5\\n'\n";
        row("another program", "echo hello", "is of another version, or another program");
        row("no setup", std::string(Greeting) + "printf 'time\\t1\\t1e-6\\t2e-6\\t0\\t1\\t5\\n'",
            "gave a wrong answer");
        row("half a setup", std::string(Greeting) + "printf 'setup\\tdevice=cpu\\n'", "gave a wrong answer");
        row("garbage", fake(good + "echo garbage; sleep 1000"), "gave a wrong answer: \"garbage\"", 1);
        row("not a number", fake(good + "printf 'time\\t2\\tnan\\t2e-6\\t0\\t1\\t5\\n'; sleep 1000"),
            "gave a wrong answer", 1);
        row("no time at all", fake(good + "printf 'time\\t2\\t0\\t2e-6\\t0\\t1\\t5\\n'; sleep 1000"),
            "gave a wrong answer", 1);
        row("median below minimum", fake("printf 'time\\t1\\t3e-6\\t2e-6\\t0\\t1\\t5\\n'; sleep 1000"),
            "gave a wrong answer");
        row("another operation", fake("printf 'time\\t2\\t1e-6\\t2e-6\\t0\\t1\\t5\\n'; sleep 1000"),
            "gave a wrong answer");
        row("too many",
            fake(good + "printf 'time\\t2\\t1e-6\\t2e-6\\t0\\t1\\t5\\ntime\\t3\\t1e-6\\t2e-6\\t0\\t1\\t5\\n"
                        "time\\t4\\t1e-6\\t2e-6\\t0\\t1\\t5\\n'; sleep 1000"),
            "gave a wrong answer", 3);
        row("too few", fake(good), "ended after 1 of 3 operations, at MatMul of f32[3,3], f32[3,3] constant", 1);
        row("killed", fake(good + "kill -9 $$"), "ended by signal 9 after 1 of 3 operations", 1);
        row("failed", fake(good + "echo no memory >&2; exit 3"),
            "ended with status 3 after 1 of 3 operations, at MatMul of f32[3,3], f32[3,3] constant: no memory", 1);
        row("hung", fake(good + ": hang; sleep 1000"), "printed nothing for 2 s and was stopped", 1);
    }

    void wrongAnswersEndTheMeasuring() {
        QFETCH(QString, text);
        QFETCH(QString, message);
        QFETCH(int, kept);
        const MeasuredProfile measured =
            script(text.toStdString(), text.contains(QStringLiteral("hang")) ? 2.0 : 60.0)->measure(three(), {}, {});
        QVERIFY(measured.ended);
        QVERIFY2(measured.ended->message.find(message.toStdString()) != std::string::npos,
                 measured.ended->message.c_str());
        QCOMPARE(int(measured.profile.times.size()), kept);
    }

    void aStopEndsTheMeasuringAtOnce() {
        std::stop_source stop;
        const auto begin = std::chrono::steady_clock::now();
        const MeasuredProfile measured = script(fake("printf 'time\\t1\\t1e-6\\t2e-6\\t0\\t1\\t5\\n'; sleep 1000"))
                                             ->measure(
                                                 three(), [&](const auto&) { stop.request_stop(); }, stop.get_token());
        QVERIFY(measured.ended);
        QCOMPARE(measured.ended->code, ErrorCode::Cancelled);
        QCOMPARE(measured.profile.times.size(), std::size_t(1));
        QVERIFY(std::chrono::steady_clock::now() - begin < std::chrono::seconds(15));
    }

    /// The environment is small. The first line of the requests says how many threads there are.
    void theEnvironmentIsSmall() {
        qputenv("MITOS_SECRET", "secret");
        QTemporaryDir folder;
        const QString program = folder.filePath(QStringLiteral("program"));
        QFile file(program);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(
            "#!/bin/sh\nprintf 'mitos-measure\\t1\\n'\n(head -n 1 | cut -f 5; env | sort | cut -d= -f1) | tr '\\n' ' ' "
            ">&2; exit 3\n");
        file.close();
        QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::ExeOwner));
        const auto setup = cost::torchMeasurer({.threads = 2, .program = program.toStdString()})->setup({});
        qunsetenv("MITOS_SECRET");
        QVERIFY(!setup);
        const std::string& message = setup.error().message;
        QVERIFY2(message.find("LANG") != std::string::npos, message.c_str());
        QVERIFY2(message.find("threads=2") != std::string::npos, message.c_str());
        QVERIFY2(message.find("MITOS_SECRET") == std::string::npos, message.c_str());
    }
};

MITOS_TEST(TestMeasuring)

}  // namespace tst_measuring

#include "tst_measuring.moc"

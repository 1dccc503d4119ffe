// SPDX-License-Identifier: GPL-3.0-or-later
// Requests and answers as files: what is written, what mitos-measure makes of it, and files that lie or are damaged.
#include "core/cost/measuring/answers.h"
#include "core/cost/measuring/requests.h"
#include "core/cost/measuring/torch.h"
#include "core/tensor/operator.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QProcess>
#include <QTest>
#include <cmath>
#include <csignal>
#include <string>
#include <vector>

namespace tst_measure_elsewhere {

using namespace mitos;
using cost::AnswersFile;
using cost::Operand;
using cost::Operation;

namespace {

Operand array(std::vector<std::int64_t> shape, bool isConstant = false) {
    return {.dtype = ir::Dtype::F32, .shape = std::move(shape), .isConstant = isConstant};
}
Operation matMul(std::int64_t size) { return {"MatMul", "", {array({size, size}), array({size, size}, true)}}; }

Operation softmax() {
    tensor::Attributes attributes(*tensor::findOperator("Softmax"));
    attributes.set("axis", std::int64_t{1});
    return {"Softmax", attributes.text(), {array({4, 10})}};
}

const std::string Requests =
    "mitos-requests\t1\toperations=2\tdevice=cuda\tthreads=3\tseconds=0.5\n"
    "operation\tMatMul\tin f32[2,2]\tin f32[2,2] constant\n"
    "operation\tSoftmax\taxis=1\tin f32[4,10]\n";

const std::string Answers =
    "mitos-measure\t1\n"
    "setup\tprotocol=1\tdevice=cuda\tprocessor=Some GPU\tfeatures=9.0\truntime=LibTorch 2.1\tblas=\tthreads=3\t"
    "settings=TF32 off\n"
    "when\t1700000000\n"
    "calibration\t0.001\n"
    "operation\tMatMul\tin f32[2,2]\tin f32[2,2] constant\n"
    "time\t1\t1e-6\t2e-6\t5e-7\t10\t15\n"
    "operation\tSoftmax\taxis=1\tin f32[4,10]\n"
    "refused\t2\tno kernel\n"
    "calibration\t0.0012\n"
    "end\t2\n";

std::string changed(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    return at == std::string::npos ? std::string() : text.replace(at, from.size(), to);
}

/// mitos-measure, which reads requests and writes answers.
class Program {
public:
    explicit Program(const std::string& requests, const QStringList& flags = {}) {
        m_process.start(QStringLiteral(MITOS_BINARY_DIR "/app/mitos-measure"), flags);
        m_process.write(QByteArray::fromStdString(requests));
        m_process.closeWriteChannel();
    }
    /// Its output, until that contains the text or it ends.
    QByteArray readUntil(const char* text) {
        while (!m_output.contains(text) && m_process.waitForReadyRead(60'000)) {
            m_output += m_process.readAllStandardOutput();
        }
        return m_output;
    }
    QByteArray readAll() {
        m_process.waitForFinished(120'000);
        m_output += m_process.readAllStandardOutput();
        return m_output;
    }
    [[nodiscard]] int status() const { return m_process.exitCode(); }
    QByteArray errors() { return m_process.readAllStandardError(); }
    /// The process that measures; 0 if there is none.
    [[nodiscard]] pid_t child() const {
        const qint64 id = m_process.processId();
        QFile children(QStringLiteral("/proc/%1/task/%1/children").arg(id));
        if (!children.open(QIODevice::ReadOnly)) return 0;
        return static_cast<pid_t>(children.readAll().trimmed().split(' ').first().toLongLong());
    }

private:
    QProcess m_process;
    QByteArray m_output;
};

}  // namespace

class TestMeasureElsewhere : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void requestsAreWrittenForOtherMachines() {
        const std::vector<Operation> operations{matMul(2), softmax()};
        QCOMPARE(cost::torchRequests({.device = "cuda", .threads = 3, .secondsPerOperation = 0.5}, operations),
                 Requests);
    }

    void aLineStatesAnOperation() {
        for (const Operation& operation : {matMul(2), softmax(), Operation{"Relu", "", {array({})}}}) {
            const auto read = cost::requestedOperation(cost::requestLine(operation));
            QVERIFY2(read.ok(), read ? "" : read.error().render().c_str());
            QVERIFY(*read == operation);
        }
        for (const auto& [line, message] : std::vector<std::pair<std::string, std::string>>{
                 {"", "states no operation"},
                 {"operation", "states no operation"},
                 {"time\tAdd", "states no operation"},
                 {"operation\tFrobnicate\tin f32[1]", "there is no operator \"Frobnicate\""},
                 {"operation\tSoftmax\taxis=x\tin f32[4]", "Softmax"},
                 {"operation\tSoftmax\taxis=1\taxis=1\tin f32[4,10]", "Softmax has \"axis\" twice"},
                 {"operation\tSoftmax\tdepth=1\tin f32[4,10]", "Softmax has no attribute \"depth\""},
                 {"operation\tMatMul\tin f32[2,2]", "the number of inputs of MatMul cannot be 1"},
                 {"operation\tRelu\tin f32[2,x]", "an input must be like"}}) {
            const auto read = cost::requestedOperation(line);
            QVERIFY2(!read.ok(), line.c_str());
            QVERIFY2(read.error().message.find(message) != std::string::npos, read.error().message.c_str());
        }
    }

    void answersBecomeAProfile() {
        const auto file = cost::readAnswers("a.txt", Answers);
        QVERIFY2(file.ok(), file ? "" : file.error().render().c_str());
        QVERIFY(file->isWhole);
        QCOMPARE(file->setup.processor, std::string("Some GPU"));
        QCOMPARE(file->setup.threads, std::int64_t{3});
        QCOMPARE(file->setup.device, std::string("cuda"));
        QVERIFY(std::abs(file->drift - 0.2) < 1e-12);

        cost::CostProfile profile;
        const std::vector<Operation> operations{matMul(2), softmax()};
        const auto measurer = cost::answersMeasurer(*file);
        QVERIFY(cost::measureInto(profile, *measurer, operations, cost::Remeasure::Never, {}, {}).ok());
        QVERIFY(profile.setup == file->setup);
        const cost::Measurement time{1e-6, 2e-6, 5e-7, 10, 15, 1'700'000'000};
        QVERIFY(profile.times.at(matMul(2)) == time);
        QCOMPARE(profile.refused.at(softmax()), std::string("no kernel"));

        const std::vector<Operation> more{matMul(2), matMul(3)};
        const Status missing = cost::measureInto(profile, *measurer, more, cost::Remeasure::Always, {}, {});
        QVERIFY(!missing.ok());
        QCOMPARE(missing.error().message,
                 std::string("a.txt has no answer for 1 of 2 operations, for instance MatMul of "
                             "f32[3,3], f32[3,3] constant"));
    }

    /// A measuring that was interrupted leaves whole lines, and the beginning of one. No number may be taken from that.
    void answersThatWereCutOffAreKept() {
        for (std::size_t length = 0; length < Answers.size(); ++length) {
            const auto file = cost::readAnswers("a.txt", Answers.substr(0, length));
            const std::size_t setUp = Answers.find("when");
            QCOMPARE(file.ok(), length >= setUp);
            if (!file) continue;
            QVERIFY(!file->isWhole);
            const std::size_t first = Answers.find("operation\tSoftmax");
            const std::size_t second = Answers.find("calibration\t0.0012");
            QCOMPARE(file->answers.size(), std::size_t(length >= second ? 2 : length >= first ? 1 : 0));
        }
    }

    void answersWithOtherLineEndsAreRead() {
        std::string text;
        for (const char c : Answers) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
        const auto file = cost::readAnswers("a.txt", text);
        QVERIFY2(file.ok(), file ? "" : file.error().render().c_str());
        QVERIFY(file->isWhole);
    }

    void wrongAnswersAreNamed_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* name, const std::string& from, const std::string& to, const char* message) {
            QTest::newRow(name) << QString::fromStdString(changed(Answers, from, to)) << QString::fromUtf8(message);
        };
        const std::string matMulLine = "operation\tMatMul\tin f32[2,2]\tin f32[2,2] constant\n";
        const std::string time = "time\t1\t1e-6\t2e-6\t5e-7\t10\t15\n";
        row("another file", "mitos-measure\t1", "{\"format\": 1}", "these are no answers of mitos-measure");
        row("another version", "mitos-measure\t1", "mitos-measure\t2", "or those of another version");
        row("no setup", "setup\t", "settings\t", "line 2 is wrong: the setup is missing");
        row("half a setup", "\tdevice=cuda", "", "line 2 is wrong: the setup is missing, or a field of it");
        row("a setup twice", "\tblas=", "\tdevice=cpu", "the setup has a field twice");
        row("another protocol", "protocol=1", "protocol=2", "it was measured in another way");
        row("no threads", "threads=3", "threads=0", "a number of the setup is not from 1 on");
        row("not a number", "\t1e-6\t", "\tnan\t", "line 6 is wrong: a time is not a time");
        row("no time at all", "\t1e-6\t", "\t0\t", "a time is not a time");
        row("endless", "\t5e-7\t", "\tinf\t", "a time is not a time");
        row("median below minimum", "\t2e-6\t", "\t2e-7\t", "the median is below the minimum");
        row("no batches", "\t15\n", "\t0\n", "a number is not from 1 on");
        row("too few fields", "\t10\t15\n", "\t10\n", "the number of fields is wrong");
        row("another number", "time\t1", "time\t2", "it answers another operation");
        row("unnamed", matMulLine, "", "it does not name its operation");
        row("unanswered", time, "", "line 6 is wrong: the operation before has no answer");
        row("twice", "operation\tSoftmax\taxis=1\tin f32[4,10]\n", matMulLine, "the operation was answered before");
        row("answered twice", time, time + time, "line 7 is wrong");
        row("unknown operator", "operation\tMatMul", "operation\tFrobnicate", "there is no operator \"Frobnicate\"");
        row("no reason", "\tno kernel", "\t", "the reason is missing");
        row("garbage", "when\t1700000000", "garbage", "there are no such lines: \"garbage\"");
        row("escape", "when\t1700000000", "\x1b[31m", "\\u001b[31m");
        row("no moment", "when\t1700000000", "when\t-5", "the moment is not in seconds since 1970");
        row("calibrated in no time", "calibration\t0.001\n", "calibration\t0\n", "the time of a calibration");
        row("another number of answers", "end\t2", "end\t3", "the number of answers is another one");
        row("two files", "end\t2\n", "end\t2\n" + Answers, "line 11 is wrong: something follows the end");
    }

    void wrongAnswersAreNamed() {
        QFETCH(QString, text);
        QFETCH(QString, message);
        QVERIFY(!text.isEmpty());
        const auto file = cost::readAnswers("a.txt", text.toStdString());
        QVERIFY(!file.ok());
        QVERIFY2(file.error().message.starts_with("a.txt: "), file.error().message.c_str());
        QVERIFY2(file.error().message.find(message.toStdString()) != std::string::npos, file.error().message.c_str());
        QVERIFY(!file.error().hint.empty());
    }

    /// A clock that is fast does not make times newer than all that follow.
    void noTimeIsOfTheFuture() {
        const auto file = cost::readAnswers("a.txt", changed(Answers, "when\t1700000000", "when\t9000000000000"));
        QVERIFY(file.ok());
        QVERIFY(file->answers.front().time->when <= cost::secondsNow());
    }

    void theProgramAnswersFiles() {
        const std::vector<Operation> operations{matMul(8), {"MatMul", "", {array({2, 3}), array({2, 3})}}, softmax()};
        Program program(cost::torchRequests({.secondsPerOperation = 0.02}, operations));
        const auto file = cost::readAnswers("a.txt", program.readAll().toStdString());
        QVERIFY2(file.ok(), file ? "" : file.error().render().c_str());
        QCOMPARE(program.status(), 0);
        QVERIFY(file->isWhole);
        QCOMPARE(file->answers.size(), std::size_t(3));
        QVERIFY(file->answers[0].operation == matMul(8) && file->answers[0].time);
        QVERIFY(!file->answers[1].time && !file->answers[1].refused.empty());
        QVERIFY(file->answers[2].operation == softmax() && file->answers[2].time);
        QVERIFY(std::abs(file->answers[2].time->when - cost::secondsNow()) < 600);
        QVERIFY(file->setup.runtime.starts_with("LibTorch "));
        QCOMPARE(file->setup.threads, std::int64_t{1});
    }

    /// A process that is killed while it measures loses that operation only.
    void aCrashLosesOneOperation() {
        const std::vector<Operation> operations{matMul(8), matMul(16), matMul(24)};
        Program program(cost::torchRequests({.secondsPerOperation = 1.5}, operations));
        QVERIFY(program.readUntil("\ntime\t1\t").contains("\ntime\t1\t"));
        const pid_t child = program.child();
        QVERIFY(child > 0);
        QCOMPARE(::kill(child, SIGKILL), 0);
        const auto file = cost::readAnswers("a.txt", program.readAll().toStdString());
        QVERIFY2(file.ok(), file ? "" : file.error().render().c_str());
        QCOMPARE(file->answers.size(), std::size_t(3));
        QVERIFY(file->answers[0].time && !file->answers[1].time && file->answers[2].time);
        QVERIFY2(file->answers[1].refused.starts_with("the measuring process ended by signal 9"),
                 file->answers[1].refused.c_str());
    }

    void anOperationThatHangsIsGivenUp() {
        const std::vector<Operation> operations{matMul(8)};
        // There is patience for the start, but not for an operation that is measured for a thousand seconds.
        Program program(cost::torchRequests({.secondsPerOperation = 1000.0}, operations),
                        {QStringLiteral("--patience"), QStringLiteral("20")});
        const auto file = cost::readAnswers("a.txt", program.readAll().toStdString());
        QVERIFY2(file.ok(), file ? "" : file.error().render().c_str());
        QCOMPARE(file->answers.front().refused, std::string("the measuring process gave no answer in time"));
    }

    void flagsOverrideWishes() {
        const std::vector<Operation> operations{matMul(8)};
        Program program(cost::torchRequests({.device = "cuda", .threads = 2, .secondsPerOperation = 0.02}, operations),
                        {QStringLiteral("--device"), QStringLiteral("cpu")});
        const auto file = cost::readAnswers("a.txt", program.readAll().toStdString());
        QVERIFY2(file.ok(), file ? "" : file.error().render().c_str());
        QCOMPARE(file->setup.device, std::string("cpu"));
        QCOMPARE(file->setup.threads, std::int64_t{2});
    }

    void requestsThatWereCutOffAreRefused() {
        const std::vector<Operation> operations{matMul(8), matMul(16)};
        const std::string whole = cost::torchRequests({}, operations);
        for (const auto& [text, message] : std::vector<std::pair<std::string, QByteArray>>{
                 {whole.substr(0, whole.rfind("operation")), "1 requests, but the first line states 2"},
                 {changed(whole, "requests\t1", "requests\t7"), "the requests are of another version"},
                 {changed(whole, "threads=1", "threads=0"), "unknown setting: threads=0"},
                 {changed(whole, "operations=2", "operations=x"), "does not state how many there are"}}) {
            Program program(text);
            QCOMPARE(program.readAll(), QByteArray());
            QCOMPARE(program.status(), 2);
            const QByteArray errors = program.errors();
            QVERIFY2(errors.contains(message), errors.constData());
        }
    }
};

MITOS_TEST(TestMeasureElsewhere)

}  // namespace tst_measure_elsewhere

#include "tst_measure_elsewhere.moc"

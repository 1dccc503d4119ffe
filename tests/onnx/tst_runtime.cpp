// SPDX-License-Identifier: GPL-3.0-or-later
// ONNX Runtime as Mitos talks with it: interpreters that are not there, lack it, hang, end too early or lie; and, where the variable
// MITOS_ONNXRUNTIME names a Python that has it, the real one.
#include "core/cost/cost_model.h"
#include "core/onnx/measure_operators.h"
#include "core/onnx/runtime.h"
#include "tests/onnx/onnx_fixture.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <fstream>
#include <thread>

namespace tst_runtime {

using namespace mitos;
using namespace mitos::tests;
namespace fs = std::filesystem;

namespace {

constexpr const char* Hello =
    R"(echo '{"onnxruntime": "9.9.0", "python": "3.99.1", "processor": "P", "features": "avx2"}')";
constexpr const char* OneRound =
    "{\"block\": %, \"launches\": [2, 1]}\n{\"block\": %, \"seconds\": [0.5, 0.25], \"elapsed\": 1.5}\n";

/// Commands that print whole answers for two models: in each of five blocks one round.
std::string wholeAnswers(const std::string& round = OneRound, int blocks = 5) {
    std::string commands = std::string(Hello) + "\ncat <<'END'\n";
    for (int block = 0; block < blocks; ++block) {
        for (const char c : round) commands += c == '%' ? std::to_string(block) : std::string(1, c);
    }
    return commands + "END\n";
}

}  // namespace

class TestRuntime : public QObject, private OnnxFixture {
    Q_OBJECT

private:
    std::unique_ptr<QTemporaryDir> m_folder;

    [[nodiscard]] fs::path home() const { return m_folder->path().toStdString(); }
    fs::path file(const std::string& name, const std::string& graph) {
        const fs::path path = home() / name;
        if (!onnx::exportFile(*m_bank, model(graph), path, {.foldWeights = false, .keepIdle = true}))
            qFatal("not written");
        return path;
    }
    fs::path relu() { return file("relu.onnx", "g (float[2] x) => (float[2] y) { y = Relu(x) }"); }
    /// A program in the place of a Python.
    onnx::RuntimeOptions fake(const std::string& commands) {
        const fs::path path = home() / "python";
        std::ofstream(path) << "#!/bin/sh\n" << commands << '\n';
        fs::permissions(path, fs::perms::owner_all);
        return {.python = path.string(), .limitSeconds = 20.0, .startSeconds = 2.0, .silentSeconds = 2.0};
    }
    /// The real one; none if there is none.
    static std::optional<onnx::RuntimeOptions> real() {
        const QString python = qEnvironmentVariable("MITOS_ONNXRUNTIME");
        if (python.isEmpty()) return std::nullopt;
        return onnx::RuntimeOptions{.python = python.toStdString()};
    }

private Q_SLOTS:
    void init() {
        newBank();
        m_folder = std::make_unique<QTemporaryDir>();
    }

    void versionsAreReported() {
        const Result<onnx::RuntimeVersion> version =
            onnx::checkRuntime(fake(std::string(Hello) + "\necho '{\"done\": 0}'"));
        QVERIFY2(version.ok(), version ? "" : version.error().render().c_str());
        QCOMPARE(version->text(), std::string("ONNX Runtime 9.9.0, Python 3.99.1"));
        QCOMPARE(version->processor, std::string("P"));
        QCOMPARE(version->features, std::string("avx2"));
    }

    void whatIsNoPythonSaysHowToGetOne_data() {
        QTest::addColumn<QByteArray>("commands");
        QTest::addColumn<QByteArray>("message");
        QTest::newRow("silent") << QByteArray("exit 0")
                                << QByteArray("is not a Python interpreter that runs ONNX Runtime");
        QTest::newRow("hanging") << QByteArray("sleep 1000") << QByteArray("printed nothing for 2 s");
        QTest::newRow("failing") << QByteArray("echo oh no >&2; exit 7") << QByteArray("ended with status 7: oh no");
        QTest::newRow("talking") << QByteArray("echo hello") << QByteArray("gave an answer that cannot be: hello");
        QTest::newRow("without the module")
            << QByteArray(
                   R"(echo '{"missing": "onnxruntime", "message": "No module named x", "python": "3.11.2"}'; exit 3)")
            << QByteArray("(Python 3.11.2) has no module onnxruntime that works: No module named x");
        QTest::newRow("a version that is none")
            << QByteArray(R"(echo '{"onnxruntime": 3, "python": "3.11.2"}')") << QByteArray("an answer that cannot be");
    }
    void whatIsNoPythonSaysHowToGetOne() {
        QFETCH(const QByteArray, commands);
        QFETCH(const QByteArray, message);
        const Result<onnx::RuntimeVersion> version = onnx::checkRuntime(fake(commands.toStdString()));
        QVERIFY(!version.ok());
        QVERIFY2(version.error().message.find(message.toStdString()) != std::string::npos,
                 version.error().message.c_str());
        QVERIFY2(version.error().hint.find("pip install onnxruntime") != std::string::npos,
                 version.error().hint.c_str());
    }

    void anInterpreterThatIsNotThere() {
        const Result<onnx::RuntimeVersion> version = onnx::checkRuntime({.python = (home() / "none").string()});
        QVERIFY(!version.ok());
        QVERIFY(version.error().message.find("was not found") != std::string::npos);
        QVERIFY(version.error().hint.find("pip install onnxruntime") != std::string::npos);
        const Result<onnx::RuntimeVersion> unnamed = onnx::checkRuntime({.python = ""});
        QVERIFY(!unnamed.ok());
        QCOMPARE(unnamed.error().message, std::string("no Python interpreter is named"));
        QVERIFY(unnamed.error().hint.find("pip install onnxruntime") != std::string::npos);
    }

    void itsEnvironmentIsSmall() {
        qputenv("PYTHONSTARTUP", "/anything");
        qputenv("ORT_LOAD_CONFIG_FROM_MODEL", "1");
        const onnx::RuntimeOptions options = fake("env >" + (home() / "environment").string() + "; cat >" +
                                                  (home() / "job").string() + "\n" + Hello + "\necho '{\"done\": 0}'");
        QVERIFY(onnx::checkRuntime(options).ok());
        qunsetenv("PYTHONSTARTUP");
        qunsetenv("ORT_LOAD_CONFIG_FROM_MODEL");
        const auto text = [&](const char* name) {
            std::ifstream file(home() / name);
            return std::string(std::istreambuf_iterator<char>(file), {});
        };
        QVERIFY(text("environment").find("PATH=") != std::string::npos);
        QVERIFY(text("environment").find("PYTHONSTARTUP") == std::string::npos);
        QVERIFY(text("environment").find("ORT_LOAD") == std::string::npos);
        QVERIFY(text("job").find("\"job\":\"check\"") != std::string::npos);
    }

    void timesAreSummarized() {
        const fs::path model = relu();
        std::vector<double> parts;
        const Result<onnx::TimedModels> times =
            onnx::timeModels({model, model}, fake(wholeAnswers() + "echo '{\"done\": 5}'"),
                             {.seconds = 7.5, .progress = [&](double part) { parts.push_back(part); }});
        QVERIFY2(times.ok(), times ? "" : times.error().render().c_str());
        QCOMPARE(times->rounds, std::size_t{5});
        QCOMPARE(times->models[0].seconds.median, 0.5);
        QCOMPARE(times->models[0].calls, 2U);
        QCOMPARE(times->models[1].seconds.least, 0.25);
        QCOMPARE(times->models[1].seconds.width(), 0.0);
        QCOMPARE(times->models[1].likely.low, 0.25);
        QCOMPARE(times->models[1].likely.high, 0.25);
        QCOMPARE(times->ratios[1].value, 0.5);
        QVERIFY(times->ratios[1].isFaster());
        QVERIFY(!times->ratios[0].isFaster() && !times->ratios[0].isSlower());
        QVERIFY(std::abs(times->elsewhere - (1.0 - 1.25 / 1.5)) < 1e-12);
        QCOMPARE(parts, (std::vector<double>{0.2, 0.4, 0.6, 0.8, 1.0}));
    }

    void answersThatCannotBeAreRefused_data() {
        QTest::addColumn<QByteArray>("commands");
        QTest::addColumn<QByteArray>("message");
        const auto row = [](const char* name, const std::string& commands, const char* message) {
            QTest::newRow(name) << QByteArray::fromStdString(commands) << QByteArray(message);
        };
        const std::string hello = std::string(Hello) + "\n";
        const std::string block = hello + "echo '{\"block\": 0, \"launches\": [1, 1]}'\n";
        const char* const cannotBe = "gave an answer that cannot be";
        row("no times", hello + "echo '{\"done\": 0}'", "without the times of all rounds");
        row("no end", wholeAnswers(), "ended with status 0 before the end of its work");
        row("an end that counts more rounds", wholeAnswers() + "echo '{\"done\": 6}'",
            "without the times of all rounds");
        row("fewer blocks", wholeAnswers(OneRound, 4) + "echo '{\"done\": 4}'", "without the times of all rounds");
        row("more blocks", wholeAnswers(OneRound, 6) + "echo '{\"done\": 6}'", cannotBe);
        row("something after the end", wholeAnswers() + "echo '{\"done\": 5}'; echo '{\"done\": 5}'", cannotBe);
        row("half a line after the end", wholeAnswers() + "echo '{\"done\": 5}'; printf x", cannotBe);
        row("not a number", block + R"(echo '{"block": 0, "seconds": [NaN, 1], "elapsed": 1}')", cannotBe);
        row("negative times", block + R"(echo '{"block": 0, "seconds": [-1, 1], "elapsed": 1}')", cannotBe);
        row("no time", block + R"(echo '{"block": 0, "seconds": [0, 1], "elapsed": 1}')", cannotBe);
        row("times beyond numbers", block + R"(echo '{"block": 0, "seconds": [1e999, 1], "elapsed": 1}')", cannotBe);
        row("times of one model", block + R"(echo '{"block": 0, "seconds": [1], "elapsed": 1}')", cannotBe);
        row("times of three models", block + R"(echo '{"block": 0, "seconds": [1, 1, 1], "elapsed": 1}')", cannotBe);
        row("texts as times", block + R"(echo '{"block": 0, "seconds": ["1", "1"], "elapsed": 1}')", cannotBe);
        row("a round before its block", hello + R"(echo '{"block": 0, "seconds": [1, 1], "elapsed": 1}')", cannotBe);
        row("a block that was not begun", block + R"(echo '{"block": 3, "seconds": [1, 1], "elapsed": 1}')", cannotBe);
        row("no launches", hello + R"(echo '{"block": 0, "launches": [0, 1]}')", cannotBe);
        row("garbage", block + "head -c 100 /dev/urandom | tr -d '{}'; echo", cannotBe);
        row("a list", hello + "echo '[1]'", cannotBe);
        row("a failure of no model", hello + R"(echo '{"failed": 9, "message": "m"}'; exit 4)", cannotBe);
        row("a failure", hello + R"(echo '{"failed": 1, "message": "no kernel"}'; exit 4)", "ONNX Runtime cannot run ");
        row("its end by a signal", block + "kill -9 $$", "ended with status 137 before the end of its work");
        row("a hang", block + "sleep 100", "printed nothing for 2 s");
    }
    void answersThatCannotBeAreRefused() {
        QFETCH(const QByteArray, commands);
        QFETCH(const QByteArray, message);
        const fs::path model = relu();
        const Result<onnx::TimedModels> times = onnx::timeModels({model, model}, fake(commands.toStdString()));
        QVERIFY(!times.ok());
        QVERIFY2(times.error().message.find(message.toStdString()) != std::string::npos, times.error().message.c_str());
    }

    void timingCanBeStopped() {
        const fs::path model = relu();
        std::stop_source source;
        onnx::RuntimeOptions options = fake(wholeAnswers() + "sleep 100");
        options.stop = source.get_token();
        const Result<onnx::TimedModels> times =
            onnx::timeModels({model, model}, options, {.progress = [&](double) { source.request_stop(); }});
        QVERIFY(!times.ok());
        QCOMPARE(times.error().code, ErrorCode::Cancelled);
    }

    void anOptimizedGraphThatIsNoneReplacesNothing() {
        const fs::path output = home() / "out.onnx";
        std::ofstream(output) << "before";
        const Result<onnx::RuntimeVersion> written =
            onnx::writeOptimized(relu(), output, fake(std::string(Hello) + "\necho '{\"done\": 1}'"));
        QVERIFY(!written.ok());
        std::ifstream file(output);
        QCOMPARE(std::string(std::istreambuf_iterator<char>(file), {}), std::string("before"));
    }

    void sizesThatNoInputHasAreReported() {
        std::string commands = wholeAnswers() + "echo '{\"done\": 5}'";
        commands.replace(commands.find("{\"block\": 0, \"seconds\""), 0, "{\"unused\": [\"lenght\"]}\n");
        const auto times = onnx::timeModels({relu(), relu()}, fake(commands));
        QVERIFY2(times.ok(), times.ok() ? "" : times.error().render().c_str());
        QCOMPARE(times->unusedSizes, std::vector<std::string>{"lenght"});
        commands.replace(commands.find("[\"lenght\"]"), 10, "[7]");
        QVERIFY(!onnx::timeModels({relu(), relu()}, fake(commands)).ok());
    }

    void memoryIsTheMedianOfItsRuns() {
        const std::string good = std::string(Hello) +
                                 "\necho '{\"model\": 0, \"peaks\": [5, 1, 3, 2, 4]}'"
                                 "\necho '{\"model\": 1, \"peaks\": [70, 70, 70, 70, 70]}'\necho '{\"done\": 2}'";
        const auto memory = onnx::measureMemory({relu(), relu()}, fake(good));
        QVERIFY2(memory.ok(), memory.ok() ? "" : memory.error().render().c_str());
        QCOMPARE(memory->peaks, (std::vector<std::uint64_t>{3, 70}));
        for (const auto& [from, to] : {std::pair{"\"model\": 1", "\"model\": 0"},
                                       {"[5, 1,", "[5, -1,"},
                                       {"[5, 1,", "[1,"},
                                       {"\"peaks\": [70", "\"peak\": [70"}}) {
            std::string wrong = good;
            wrong.replace(wrong.find(from), std::string_view(from).size(), to);
            QVERIFY2(!onnx::measureMemory({relu(), relu()}, fake(wrong)).ok(), to);
        }
        QVERIFY(!onnx::measureMemory({relu()}, fake(std::string(Hello) + "\necho '{\"done\": 1}'")).ok());
    }

    void operationsAreMeasuredInTheirOrder() {
        const cost::Operation add{"Add", "", {{ir::Dtype::F32, {4}}, {ir::Dtype::F32, {4}}}};
        const cost::Operation strange{"Strange", "", {{ir::Dtype::F32, {4}}}};
        const cost::Operation tanh{"Tanh", "", {{ir::Dtype::F32, {4}}}};
        std::string answers =
            std::string(Hello) + "\nread job\ncase \"$job\" in *check*) echo '{\"done\": 0}'; exit;; esac\n";
        const auto answer = [&](int index, double seconds) {
            answers += fmt::format("echo '{{\"model\": {}, \"launches\": 100, \"batches\": [{}]}}'\n", index, [&] {
                std::string list = fmt::format("{}", seconds);
                for (int i = 0; i < 14; ++i) list += fmt::format(", {}", seconds);
                return list;
            }());
        };
        answer(0, 5e-6);          // one node
        answer(1, 5e-6 + 64e-6);  // 65 nodes: a call takes 4 µs, a node 1 µs
        answer(2, 1e-3);
        answer(3, 12e-6);
        answers += "echo '{\"failed\": 4, \"message\": \"no kernel\"}'\necho '{\"done\": 5}'\n";
        const auto measurer = onnx::runtimeMeasurer(m_registry, fake(answers));
        std::vector<cost::Operation> seen;
        const std::vector<cost::Operation> all{add, strange, tanh};
        const cost::MeasuredProfile measured = measurer->measure(
            all, [&](const cost::OperationOutcome& outcome) { seen.push_back(outcome.operation); }, {});
        QVERIFY2(!measured.ended, measured.ended ? measured.ended->render().c_str() : "");
        const cost::CostProfile& profile = measured.profile;
        QCOMPARE(profile.setup.runtime, std::string("ONNX Runtime 9.9.0"));
        QCOMPARE(profile.setup.settings, std::string("level all"));
        QCOMPARE(seen.size(), std::size_t{3});
        QVERIFY(std::abs(profile.times.at(add).minimum - 8e-6) < 1e-12);
        const cost::Operand square{ir::Dtype::F32, {2, 2}};
        QVERIFY(measurer->isFree({"Reshape", "[4]", {square}}));
        QVERIFY(!measurer->isFree({"Split", "0$[1,1]", {square}}));
        QCOMPARE(profile.refused.at(tanh), std::string("no kernel"));
        QCOMPARE(profile.refused.at(strange), std::string("the operator Strange is unknown"));
    }

    void whatWasMeasuredBeforeTheEndIsKept() {
        const cost::Operation tanh{"Tanh", "", {{ir::Dtype::F32, {4}}}};
        const std::string times =
            "[1e-5, 1e-5, 1e-5, 1e-5, 1e-5, 1e-5, 1e-5, 1e-5, 1e-5, 1e-5, 1e-5, 1e-5, 1e-5, 1e-5, 1e-5]";
        std::string answers =
            std::string(Hello) + "\nread job\ncase \"$job\" in *check*) echo '{\"done\": 0}'; exit;; esac\n";
        for (int i = 0; i < 4; ++i) {
            answers += fmt::format("echo '{{\"model\": {}, \"launches\": 1, \"batches\": {}}}'\n", i, times);
        }
        const cost::Operation relu{"Relu", "", {{ir::Dtype::F32, {4}}}};
        const auto measurer = onnx::runtimeMeasurer(m_registry, fake(answers + "kill -9 $$"));
        const cost::MeasuredProfile measured = measurer->measure(std::vector{tanh, relu}, {}, {});
        QVERIFY(measured.ended.has_value());
        QVERIFY(measured.profile.times.contains(tanh));
        QVERIFY(!measured.profile.times.contains(relu));
    }

    void viewsThatARuntimeCopiesHaveTheirMeasuredCost() {
        const tensor::Model halves = model("g (float[4, 2] x) => (float[2, 2] y, float[2, 2] z) { y, z = Split(x) }");
        const std::vector<cost::Operation> operations = cost::operationsOf(*m_bank, halves.program.root, {});
        QCOMPARE(operations.size(), std::size_t{1});
        QVERIFY(cost::isView(operations.front()));
        const auto costUnder = [&](const cost::CostProfile& profile) {
            const std::string path = (home() / "profile.json").string();
            std::ofstream(path) << cost::profileText(profile);
            const auto costs = cost::findCostModel("measured:" + path);
            if (!costs) qFatal("%s", costs.error().render().c_str());
            return *(*costs)->evaluator(*m_bank, halves.program.function)->cost(halves.program.root);
        };
        cost::CostProfile profile;
        profile.title = "Made up";
        profile.setup.device = "cpu";
        profile.setup.processor = "P";
        profile.setup.runtime = "ONNX Runtime 9.9.0";
        profile.times[{"Relu", "", {{ir::Dtype::F32, {4}}}}] = {1e-6, 1e-6, 0.0, 1, 15, 1'764'000'000};
        QCOMPARE(costUnder(profile), 0.0);
        profile.times[operations.front()] = {5e-6, 5e-6, 0.0, 1, 15, 1'764'000'000};
        QCOMPARE(costUnder(profile), 5.0);
    }

    // --- the real one ---

    void theRealOneTimesAndOptimizes() {
        const std::optional<onnx::RuntimeOptions> options = real();
        // ONNX Runtime is no package of Debian, so only a user's own can be tested; other tests use a worker of their own.
        if (!options) QSKIP("MITOS_ONNXRUNTIME names no Python that has ONNX Runtime");
        const fs::path one = file("one.onnx", "g (float[N, 64] x) => (float[N, 64] y) { y = Tanh(x) }");
        std::string chain = "g (float[N, 64] x) => (float[N, 64] y) { a0 = Tanh(x) ";
        for (int i = 1; i < 20; ++i) chain += fmt::format("a{} = Tanh(a{}) ", i, i - 1);
        const fs::path many = file("many.onnx", chain + "y = Tanh(a19) }");
        const Result<onnx::TimedModels> times =
            onnx::timeModels({one, many, one}, *options, {.seconds = 1.0, .sizes = {.otherwise = 32, .named = {}}});
        QVERIFY2(times.ok(), times ? "" : times.error().render().c_str());
        QVERIFY(times->ratios[1].isSlower());
        QVERIFY(times->ratios[1].value > 3.0);
        QVERIFY(times->models[0].seconds.least <= times->models[0].seconds.median);
        const fs::path output = home() / "optimized.onnx";
        const fs::path idle =
            file("idle.onnx", "g (float[4] x) => (float[4] y) { a = Identity(x) b = Identity(a) y = Tanh(b) }");
        const Result<onnx::RuntimeVersion> written = onnx::writeOptimized(idle, output, *options);
        QVERIFY2(written.ok(), written ? "" : written.error().render().c_str());
        const Result<tensor::Model> read = onnx::importFile(*m_bank, output);
        QVERIFY(read.ok());
        QCOMPARE(programText(*read), programText(model("g (float[4] x) => (float[4] y) { y = Tanh(x) }")));
        const Result<onnx::TimedModels> refused =
            onnx::timeModels({file("mine.onnx", "g (float[4] x) => (float[4] y) { y = my.ops.Mine(x) }")}, *options);
        QVERIFY(!refused.ok());
        QVERIFY2(refused.error().message.find("mine.onnx") != std::string::npos, refused.error().message.c_str());
    }

    void theRealOneMeasuresOperations() {
        const std::optional<onnx::RuntimeOptions> options = real();
        // As above.
        if (!options) QSKIP("MITOS_ONNXRUNTIME names no Python that has ONNX Runtime");
        const cost::Operand a{ir::Dtype::F32, {128, 128}};
        const cost::Operand weight{ir::Dtype::F32, {128, 128}, true};
        const cost::Operation product{"MatMul", "", {a, weight}};
        const cost::Operation relu{"Relu", "", {{ir::Dtype::F32, {8}}}};
        const auto measurer = onnx::runtimeMeasurer(m_registry, *options, 0.02);
        const cost::MeasuredProfile measured = measurer->measure(std::vector{product, relu}, {}, {});
        QVERIFY2(!measured.ended, measured.ended ? measured.ended->render().c_str() : "");
        const auto& times = measured.profile.times;
        QCOMPARE(times.size(), std::size_t{2});
        QVERIFY(times.at(product).minimum > times.at(relu).minimum);
        QVERIFY(times.at(product).median < 0.1);
    }
};

MITOS_TEST(TestRuntime)

}  // namespace tst_runtime
#include "tst_runtime.moc"

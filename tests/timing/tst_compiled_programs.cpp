// SPDX-License-Identifier: GPL-3.0-or-later
// Compiling, running and timing C++, and the lines of measuring programs.
#include "core/timing/compiled_programs.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>
#include <stop_token>
#include <string>
#include <utility>

namespace tst_compiled_programs {

using namespace mitos;
using timing::CompiledPrograms;

class TestCompiledPrograms : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void linesAreReadOrSkipped() {
        const auto batches = timing::batchesIn("times\tgradient,a b\t64\t1e-06 2.5e-06 0 ");
        QVERIFY(batches.has_value());
        QCOMPARE(batches->label, std::string("gradient,a b"));
        QCOMPARE(batches->calls, 64U);
        QCOMPARE(batches->seconds, (std::vector<double>{1e-6, 2.5e-6, 0.0}));
        for (const char* const other :
             {"", "times", "times\ta\t1\t", "times\ta\t0\t1", "times\ta\t1\t-1", "times\ta\t1\tnan", "times\ta\t1\t1 x",
              "times\ta\tb\t1", "a remark of a library"})
            QVERIFY2(!timing::batchesIn(other), other);
        const auto all = timing::allBatchesIn("remark\ntimes\ta\t1\t1 \n\ntimes\tb\t2\t3");
        QCOMPARE(all.size(), std::size_t{2});
        QCOMPARE(all[1].label, std::string("b"));
        QCOMPARE(all[1].seconds, std::vector<double>{3.0});
    }

    void allIsCompiledWithOneListOfFlags() {
        QCOMPARE(timing::flagsText(), std::string("-std=c++17 -O3 -DNDEBUG -falign-functions=64 -falign-loops=64"));
    }

    void callsAreTimedAlternately() {
        const Result<CompiledPrograms> programs = CompiledPrograms::make({});
        QVERIFY2(programs, programs ? "" : programs.error().message.c_str());
        QVERIFY(!programs->compilerVersion().empty());
        const std::string main =
            "#include <iostream>\nvolatile double sink = 0.0;\nint main(int, char** words) {\n"
            "    const auto adding = [](int numbers) {\n"
            "        return [numbers](long calls) {\n"
            "            for (long i = 0; i < calls; ++i) { for (int k = 0; k < numbers; ++k) sink = sink + k; }\n"
            "        };\n    };\n"
            "    std::vector<measuring::Timed> all{{\"few\", adding(100)}, {\"many\", adding(10000)}};\n"
            "    measuring::alternate(all, std::atof(words[1]));\n    measuring::print(std::cout, all);\n}\n";
        QVERIFY(programs->write("main.cpp", std::string(timing::measuringText()) + main));
        const Result<timing::Compilation> compiled = programs->compile({"main.cpp", "-o", "main"});
        QVERIFY2(compiled && compiled->isAccepted, compiled ? compiled->messages.c_str() : "");
        QVERIFY(compiled->status());
        const Result<std::string> output = programs->measure("main", {"0.05"}, 60.0);
        QVERIFY2(output, output ? "" : output.error().message.c_str());
        const auto batches = timing::allBatchesIn(*output);
        QCOMPARE(batches.size(), std::size_t{2});
        QCOMPARE(batches[0].label, std::string("few"));
        QCOMPARE(batches[1].label, std::string("many"));
        QCOMPARE(batches[0].seconds.size(), batches[1].seconds.size());
        QVERIFY(batches[0].seconds.size() >= 5);
        QVERIFY(batches[0].calls > batches[1].calls);
    }

    void whatTheCompilerRefusesIsSaid() {
        const Result<CompiledPrograms> programs = CompiledPrograms::make({});
        QVERIFY(programs);
        QVERIFY(programs->write("wrong.cpp", "int main() { return nothing; }\n"));
        const Result<timing::Compilation> compiled = programs->compile({"wrong.cpp", "-o", "wrong"});
        QVERIFY(compiled);
        QVERIFY(!compiled->isAccepted);
        const Status status = compiled->status();
        QVERIFY(!status);
        QCOMPARE(static_cast<int>(status.error().code), static_cast<int>(ErrorCode::Unsupported));
        QVERIFY2(status.error().message.find("the compiler refused the program: error: ") == 0,
                 status.error().message.c_str());
        QVERIFY(timing::isOfProgram(status.error()));
    }

    void aProgramThatFailsHasNoTimes() {
        const Result<CompiledPrograms> programs = CompiledPrograms::make({});
        QVERIFY(programs);
        QVERIFY(programs->write("fails.cpp",
                                "#include <cstdio>\nint main() { std::fputs(\"no input\", stderr); return 3; }\n"));
        QVERIFY(programs->compile({"fails.cpp", "-o", "fails"}));
        QCOMPARE(programs->run("fails", {}, 60.0)->exitStatus, 3);
        const Result<std::string> output = programs->measure("fails", {}, 60.0);
        QVERIFY(!output);
        QCOMPARE(output.error().message, std::string("the compiled program ended with status 3: no input"));
    }

    void headersAreFoundOrNot() {
        const Result<CompiledPrograms> programs = CompiledPrograms::make({});
        QVERIFY(programs);
        QVERIFY(*programs->hasHeader("vector", {}));
        QVERIFY(!*programs->hasHeader("no/such/header.h", {}));
    }

    void withoutACompilerTheHintSaysHowToGetOne() {
        const Result<CompiledPrograms> none = CompiledPrograms::make({.compiler = "no-such-compiler"});
        QVERIFY(!none);
        QCOMPARE(static_cast<int>(none.error().code), static_cast<int>(ErrorCode::Io));
        QCOMPARE(none.error().hint, std::string("install a C++ compiler (Debian: g++)"));
        QVERIFY(!timing::isOfProgram(none.error()));
    }

    void aStopEndsAll() {
        std::stop_source source;
        const Result<CompiledPrograms> programs = CompiledPrograms::make({.stop = source.get_token()});
        QVERIFY(programs);
        source.request_stop();
        const Result<timing::Compilation> compiled = programs->compile({"--version"});
        QVERIFY(!compiled);
        QCOMPARE(static_cast<int>(compiled.error().code), static_cast<int>(ErrorCode::Cancelled));
        QVERIFY(!timing::isOfProgram(compiled.error()));
    }
};

MITOS_TEST(TestCompiledPrograms)

}  // namespace tst_compiled_programs

#include "tst_compiled_programs.moc"

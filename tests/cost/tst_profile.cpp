// SPDX-License-Identifier: GPL-3.0-or-later
// Tests cost profiles: what they contain, and what damaged, foreign and stale ones get.
#include "core/cost/profile.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <string>
#include <vector>

namespace tst_profile {

using namespace mitos;
using cost::CostProfile;
using cost::Operand;
using cost::Operation;

namespace {

CostProfile sample() {
    CostProfile profile;
    profile.name = "sample";
    profile.title = "A sample";
    profile.setup = {.device = "cpu",
                     .processor = "Processor \"X\"",
                     .features = "avx2",
                     .runtime = "LibTorch 1.13.0",
                     .blas = "OpenBLAS",
                     .threads = 1,
                     .settings = ""};
    const Operand image{ir::Dtype::F32, {1, 3, 8, 8}};
    profile.times[{"Relu", "", {image}}] = {1e-6, 1.5e-6, 2e-7, 100, 15, 1'764'000'000};
    profile.times[{"Add", "", {image, {ir::Dtype::F32, {}}}}] = {2e-6, 2e-6, 0.0, 10, 15, 1'764'000'000};
    profile.refused[{"Relu", "", {Operand{ir::Dtype::Bf16, {2}}}}] = "no such kernel";
    const Operand bias{ir::Dtype::F32, {3}, true};
    profile.times[{"Concat", "1", {image, bias}}] = {3e-6, 4e-6, 5e-7, 1, 3, 1'764'000'060};
    return profile;
}

}  // namespace

class TstProfile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void profilesAreReadAsTheyWereWritten() {
        const CostProfile profile = sample();
        const auto read = cost::readProfile("sample", cost::profileText(profile));
        QVERIFY2(read.ok(), read.ok() ? "" : read.error().render().c_str());
        QVERIFY(*read == profile);
        QVERIFY(read->times.contains({"Add", "", {{ir::Dtype::F32, {1, 3, 8, 8}}, {ir::Dtype::F32, {}}}}));
    }

    void inputsAreWrittenAsPeopleWriteTypes() {
        QCOMPARE(cost::text(Operand{ir::Dtype::F32, {64, 3, 7, 7}, true}), std::string("f32[64,3,7,7] constant"));
        QCOMPARE(cost::text(Operand{ir::Dtype::I64, {}}), std::string("i64[]"));
        for (const std::string text : {"f32[64,3,7,7] constant", "i64[]", "absent", "bool[0]"}) {
            const auto operand = cost::operandFrom(text);
            QVERIFY2(operand.has_value(), text.c_str());
            QCOMPARE(cost::text(*operand), text);
        }
        for (const std::string text : {"", "f32", "f32[", "f32[1,]", "f32[,1]", "f32[-1]", "f32[1] const", "x[1]",
                                       "f32[99999999999999999999]"}) {
            QVERIFY2(!cost::operandFrom(text).has_value(), text.c_str());
        }
    }

    void mistakesAreNamed() {
        struct Row {
            std::string from;
            std::string to;
            std::string message;
        };
        const std::vector<Row> rows{
            {"\n ]\n}\n", "", "this is no JSON text, or its end is missing"},                  // cut off
            {"mitos cost profile", "device", "this is no cost profile"},                       // another format
            {"\"version\": 1", "\"version\": 2", "its format has version 2"},                  // newer
            {"\"protocol\": 1", "\"protocol\": 7", "measure anew"},                            // another protocol
            {"\"Add\"", "\"Frobnicate\"", "there is no operator \"Frobnicate\""},              // unknown operator
            {"1e-06", "-1e-06", "\"minimum\" must be a number"},                               // negative
            {"1e-06", "0.0", "\"minimum\" must be a number from 1e-12 to 1000000"},            // no time at all
            {"1e-06", "\"fast\"", "\"minimum\" must be a number"},                             // text
            {"1e-06", "1.0", "the median is below the minimum"},                               // order
            {"f32[1,3,8,8]", "f32[1,3,8,x]", "an input must be like"},                         // input
            {"\"setup\"", "\"set\"", "\"setup\" must be an object"},                           // no setup
            {"\"threads\": 1", "\"threads\": 4, \"threads\": 1", "\"threads\" occurs twice"},  // contradictory
            {"\"minimum\":1e-06", "\"minimum\":1.0,\"minimum\":1e-06", "\"minimum\" occurs twice"},
            {"\"f32[1,3,8,8]\",\"f32[]\"", "\"f32[1,3,8,8]\"",
             "the number of inputs of Add cannot be 1"},                                        // too few inputs
            {"\"launches\":100", "\"launches\":0", "\"launches\" must be a number from 1 on"},  // count
        };
        for (const Row& row : rows) {
            std::string text = cost::profileText(sample());
            const std::size_t at = text.find(row.from);
            QVERIFY2(at != std::string::npos, row.from.c_str());
            text.replace(at, row.from.size(), row.to);
            const auto read = cost::readProfile("sample", text);
            QVERIFY2(!read.ok(), row.message.c_str());
            QVERIFY2(read.error().message.find(row.message) != std::string::npos, read.error().render().c_str());
            QVERIFY2(read.error().message.starts_with("cost profile sample: "), read.error().render().c_str());
        }
    }

    void newerTimesCountAndSetupsAreNotMixed() {
        CostProfile profile = sample();
        CostProfile newer = sample();
        newer.times.begin()->second.minimum = 5e-7;
        newer.times.begin()->second.when += 60;
        QVERIFY(cost::merge(profile, newer).ok());
        QCOMPARE(profile.times.begin()->second.minimum, 5e-7);
        QVERIFY(cost::merge(profile, sample()).ok());
        QCOMPARE(profile.times.begin()->second.minimum, 5e-7);

        newer.setup.threads = 4;
        const Status refused = cost::merge(profile, newer);
        QVERIFY(!refused.ok());
        QVERIFY2(refused.error().message.find("threads: 4 instead of 1") != std::string::npos,
                 refused.error().message.c_str());
    }

    void missingProfilesAreNamed() {
        const auto none = cost::findProfile("no-such-profile");
        QVERIFY(!none.ok());
        QCOMPARE(none.error().message, std::string("there is no cost profile \"no-such-profile\""));
        QVERIFY(!cost::findProfile("/no/such/file.json").ok());
    }
};

MITOS_TEST(TstProfile)

}  // namespace tst_profile

#include "tst_profile.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// The cost model of measured times, with a profile written by hand.
#include "core/base/source_text.h"
#include "core/cost/cost_model.h"
#include "core/cost/profile.h"
#include "core/dialects/dialects.h"
#include "core/ir/dialect.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <string>

namespace tst_measured_costs {

using namespace mitos;
using cost::Operand;

namespace {

Operand array(std::vector<std::int64_t> shape, bool isConstant = false) {
    return {.dtype = ir::Dtype::F32, .shape = std::move(shape), .isConstant = isConstant};
}

cost::CostProfile byHand() {
    cost::CostProfile profile;
    profile.title = "By hand";
    profile.setup = {.device = "cpu", .processor = "P", .features = "", .runtime = "R 1", .blas = "", .settings = ""};
    const auto time = [](double micros, double spread) {
        return cost::Measurement{micros * 1e-6, micros * 1.25e-6, spread * 1e-6, 1, 15, 0};
    };
    profile.times[{"Relu", "", {array({10, 100})}}] = time(2.0, 0.5);
    profile.times[{"Add", "", {array({10, 100}), array({10, 100})}}] = time(4.0, 0.25);
    profile.times[{"MatMul", "", {array({10, 100}), array({100, 100}, true)}}] = time(64.0, 1.0);
    profile.refused[{"Tanh", "", {array({10, 100})}}] = "no kernel";
    return profile;
}

struct Fixture {
    ir::TermBank bank{dialects::makeRegistry()};
    QTemporaryDir folder;
    std::string path = folder.filePath(QStringLiteral("hand.json")).toStdString();
    std::string measured = "measured:" + path;

    Fixture() {
        if (const Status written = writeFile(path, cost::profileText(byHand())); !written)
            qFatal("%s", written.error().render().c_str());
    }

    ir::Program parse(const std::string& text) {
        const Result<ir::Program> parsed = dialects::parseProgram(bank, "test", text);
        if (!parsed) qFatal("%s", parsed.error().render().c_str());
        return *parsed;
    }
    std::unique_ptr<cost::CostEvaluator> costs(const ir::Program& program) {
        const auto found = cost::findCostModel(measured, "tensor");
        if (!found) qFatal("%s", found.error().render().c_str());
        return (*found)->evaluator(bank, program.function);
    }
    std::vector<cost::CostPart> parts(const std::string& text) {
        const ir::Program program = parse(text);
        const auto explained = costs(program)->explain(program.root);
        if (!explained) qFatal("%s", explained.error().render().c_str());
        return *explained;
    }
    double cost(const std::string& text) {
        const ir::Program program = parse(text);
        return *costs(program)->cost(program.root);
    }
};

bool isAbout(double value, double expected) { return std::abs(value - expected) < 1e-9 * expected; }

}  // namespace

class TestMeasuredCosts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void measuredTimesAddUp() {
        Fixture f;
        const std::string text =
            "graph f(x: f32[10,100])\n weight w: f32[100,100]\n weight v: f32[100,100]\n"
            " y = MatMul(x, Add(w, v))\n return Reshape[shape=[1000]](Relu(Add(y, y)))\n";
        // The sum of weights is computed beforehand, and a reshape moves nothing: 64 + 4 + 2 µs.
        QVERIFY(isAbout(f.cost(text), 70.0));
        const std::vector<cost::CostPart> parts = f.parts(text);
        QVERIFY(isAbout(parts.front().total, 70.0));
        QCOMPARE(parts[0].reason, std::string("Reshape: a view, nothing is moved"));
        QCOMPARE(parts[1].reason, std::string("Relu: 2 µs measured (median 2.5 µs, spread 0.5 µs)"));
        QVERIFY(isAbout(parts[1].spread, 0.5));
        QCOMPARE(parts[1].shares.size(), std::size_t(1));
        QCOMPARE(parts[1].shares[0].name, std::string_view("measured"));
    }

    void chargesMayBeThoseOfTaso() {
        Fixture f;
        const std::string text =
            "graph f(x: f32[10,100])\n weight w: f32[10,100]\n weight u: f32[5,100]\n weight v: f32[5,100]\n"
            " return Relu(Add(x, Add(w, Concat[axis=0](u, v))))\n";
        // Computations from weights are free: 4 + 2 µs.
        QVERIFY(isAbout(f.cost(text), 6.0));
        // TASO charges the other sum, too, but not the join of weights.
        f.measured += ",charges=taso";
        QVERIFY(isAbout(f.cost(text), 10.0));
        const std::vector<cost::CostPart> parts = f.parts(text);
        QVERIFY(isAbout(parts.front().total, 10.0));
        const auto reasons = [&](const std::string& end) {
            return std::ranges::count_if(parts, [&](const cost::CostPart& part) { return part.reason.ends_with(end); });
        };
        QCOMPARE(reasons(", although of weights only: TASO charges it"), 1);
        QCOMPARE(reasons(": of weights only, which TASO joins before the program runs"), 1);
    }

    void operationsWithOtherConstantsAreTheNextBest() {
        Fixture f;
        const std::string text = "graph f(x: f32[10,100], w: f32[100,100])\n return MatMul(x, w)\n";
        QVERIFY(isAbout(f.cost(text), 64.0));
        QCOMPARE(f.parts(text)[0].reason,
                 std::string("MatMul: 64 µs measured, with other inputs constant (median 80 µs, spread 1 µs)"));
    }

    /// Otherwise a search would prefer the order whose time is only estimated.
    void anOrderOfInputsThatWasNotMeasuredCostsAsMuch() {
        cost::CostProfile profile = byHand();
        profile.times[{"Add", "", {array({10, 100}), array({100}, true)}}] = {5e-6, 6e-6, 1e-6, 1, 15, 0};
        profile.times[{"Sub", "", {array({10, 100}), array({100}, true)}}] = {7e-6, 8e-6, 1e-6, 1, 15, 0};
        Fixture f;
        QVERIFY(writeFile(f.path, cost::profileText(profile)).ok());
        const std::string weight = "graph f(x: f32[10,100])\n weight b: f32[100]\n return ";
        QVERIFY(isAbout(f.cost(weight + "Add(x, b)\n"), 5.0));
        QVERIFY(isAbout(f.cost(weight + "Add(b, x)\n"), 5.0));
        QCOMPARE(f.parts(weight + "Add(b, x)\n")[0].reason,
                 std::string("Add: 5 µs measured, with its inputs in the other order (median 6 µs, spread 1 µs)"));
        const std::string input = "graph f(x: f32[10,100], b: f32[100])\n return ";
        QCOMPARE(f.parts(input + "Add(b, x)\n")[0].reason,
                 std::string("Add: 5 µs measured, with other inputs constant (median 6 µs, spread 1 µs)"));
        // A difference depends on the order.
        QVERIFY(f.parts(weight + "Sub(b, x)\n")[0].reason.find("estimated") != std::string::npos);
    }

    void whatWasNotMeasuredIsEstimatedFromItsKind() {
        Fixture f;
        // As much work as the Relu that was measured, and so as much time.
        const std::string flat = "graph f(x: f32[1000])\n return Relu(x)\n";
        QVERIFY(isAbout(f.cost(flat), 2.0));
        const cost::CostPart part = f.parts(flat)[0];
        QVERIFY2(part.reason.starts_with("Relu: 2 µs estimated, not in the profile: "), part.reason.c_str());
        QVERIFY2(part.reason.ends_with("times its roofline, as the most similar Relu operations measured"),
                 part.reason.c_str());
        QCOMPARE(part.shares[0].name, std::string_view("estimated"));
        // Ten times as many elements take longer.
        QVERIFY(f.cost("graph f(x: f32[10000])\n return Relu(x)\n") > 2.0);
    }

    /// A profile without operations in one order of axes does not prefer that order.
    void anOrderThatWasNotMeasuredCostsAsMuch() {
        cost::CostProfile profile = byHand();
        const std::string window = "[1,1]$[0,0,0,0]$[1,1]$1";
        profile.times[{"Conv", window, {array({1, 4, 6, 8}), array({2, 4, 1, 1}, true)}}] = {5e-6, 6e-6, 1e-6,
                                                                                             1,    15,   0};
        Fixture f;
        QVERIFY(writeFile(f.path, cost::profileText(profile)).ok());
        const std::string text =
            "graph f(x: f32[1,6,8,4])\n weight w: f32[2,4,1,1]\n"
            " return NhwcConv[strides=[1,1],pads=[0,0,0,0],dilations=[1,1]](x, w)\n";
        QVERIFY(isAbout(f.cost(text), 5.0));
        const cost::CostPart part = f.parts(text)[0];
        QCOMPARE(part.reason,
                 std::string("NhwcConv: 5 µs estimated, as with the channels first; no NhwcConv is in the profile"));
        QCOMPARE(part.shares[0].name, std::string_view("estimated"));
        // One that was measured is what others are estimated from.
        profile.times[{"NhwcConv", window, {array({1, 1, 1, 4}), array({2, 4, 1, 1}, true)}}] = {1e-6, 1e-6, 0.0,
                                                                                                 1,    15,   0};
        QVERIFY(writeFile(f.path, cost::profileText(profile)).ok());
        QVERIFY2(f.parts(text)[0].reason.ends_with("as the most similar NhwcConv operations measured"),
                 f.parts(text)[0].reason.c_str());
    }

    void aRefusedOperationSaysWhy() {
        Fixture f;
        const cost::CostPart part = f.parts("graph f(x: f32[10,100])\n return Tanh(x)\n")[0];
        QVERIFY2(part.reason.find("not measured (no kernel)") != std::string::npos, part.reason.c_str());
        QVERIFY2(part.reason.ends_with("as all operations measured"), part.reason.c_str());
        QVERIFY(part.own > 0.0);
    }

    void profilesThatDoNotFitAreErrors() {
        Fixture f;
        const auto message = [&](const std::string& text) {
            const std::string path = f.folder.filePath(QStringLiteral("bad.json")).toStdString();
            if (!writeFile(path, text)) return std::string("not written");
            const auto model = cost::findCostModel("measured:" + path);
            return model ? std::string("accepted") : model.error().message;
        };
        const std::string good = cost::profileText(byHand());
        QVERIFY(message(good.substr(0, good.size() / 2)).find("this is no JSON text, or its end is missing") !=
                std::string::npos);
        cost::CostProfile empty = byHand();
        empty.times.clear();
        QVERIFY(message(cost::profileText(empty)).ends_with("has no times"));
        cost::CostProfile stale = byHand();
        stale.setup.protocol = 2;
        QVERIFY(message(cost::profileText(stale)).find("measure anew") != std::string::npos);
        QVERIFY(!cost::findCostModel("measured:nowhere").ok());
        QVERIFY(!cost::findCostModel("measured:/nowhere.json").ok());
    }

    void theDefaultComesWithTheProgram() {
        const auto model = cost::findCostModel("measured", "tensor");
        QVERIFY2(model.ok(), model ? "" : model.error().render().c_str());
        QVERIFY((*model)->info().description.find("LibTorch") != std::string::npos);
        QVERIFY(!cost::findCostModel("measured", "ks").ok());
    }
};

MITOS_TEST(TestMeasuredCosts)

}  // namespace tst_measured_costs

#include "tst_measured_costs.moc"

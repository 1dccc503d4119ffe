// SPDX-License-Identifier: GPL-3.0-or-later
// Costs of tensor programs against numbers worked out by hand.
#include "core/base/source_text.h"
#include "core/cost/cost_model.h"
#include "core/cost/device.h"
#include "core/ir/binding.h"
#include "core/ir/shared.h"
#include "tests/dialects/random_graphs.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>

#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <map>

namespace tst_tensor_cost {

using namespace mitos;

namespace {

/// A device on which a launch takes 1 µs, an operation 1 µs and a byte 0.001 µs.
std::string slowDevice(const QTemporaryDir& folder) {
    const std::string path = folder.filePath(QStringLiteral("slow.json")).toStdString();
    const Status written = writeFile(path, R"({"launch_seconds": 1e-6, "half_flops": 1e6, "single_flops": 1e6,
                                               "double_flops": 1e6, "bytes_per_second": 1e9})");
    if (!written) qFatal("%s", written.error().render().c_str());
    return path;
}

struct Fixture {
    ir::TermBank bank{dialects::makeRegistry()};
    QTemporaryDir folder;
    std::string roofline = "roofline:" + slowDevice(folder);

    ir::Program parse(const std::string& text) {
        const Result<ir::Program> parsed = dialects::parseProgram(bank, "test", text);
        if (!parsed) qFatal("%s", parsed.error().render().c_str());
        return *parsed;
    }
    std::unique_ptr<cost::CostEvaluator> costs(const std::string& model, const ir::Program& program) {
        const auto found = cost::findCostModel(model, "tensor");
        if (!found) qFatal("%s", found.error().render().c_str());
        return (*found)->evaluator(bank, program.function);
    }
    double cost(const std::string& model, const std::string& text) {
        const ir::Program program = parse(text);
        return *costs(model, program)->cost(program.root);
    }
};

}  // namespace

class TstTensorCost : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aNodeCostsItsLaunchAndTheSlowerOfTwo() {
        Fixture f;
        // 6 additions: 6 µs; 72 bytes: 0.072 µs.
        QCOMPARE(f.cost(f.roofline, "graph f(x: f32[2,3])\n return Add(x, x)\n"), 7.0);
        // Nothing to compute, 2 × 4,000,000 bytes to move: 8000 µs.
        QCOMPARE(f.cost(f.roofline, "graph f(x: f32[1000,1000])\n return Transpose[perm=[1,0]](x)\n"), 8001.0);
    }

    void aProductOfMatricesIsTwoFlopsAnElement() {
        Fixture f;
        // 2 × 4 × 5 × 6 = 240 flops.
        QCOMPARE(f.cost(f.roofline, "graph f(x: f32[4,5], y: f32[5,6])\n return MatMul(x, y)\n"), 241.0);
    }

    void sharedNodesArePaidOnce() {
        Fixture f;
        QCOMPARE(f.cost(f.roofline, "graph f(x: f32[2,3])\n a = Relu(x)\n return Add(a, a)\n"), 14.0);
        const ir::Program program = test::doublings(f.bank, 60);
        QCOMPARE(*f.costs(f.roofline, program)->cost(program.root), 60 * 7.0);
        QCOMPARE(*f.costs("size", program)->cost(program.root), 61.0);
        QCOMPARE(f.costs(f.roofline, program)->explain(program.root)->size(), std::size_t(61));
        QCOMPARE(f.costs("peak-memory", program)->explain(program.root)->size(), std::size_t(61));
    }

    void whatDependsOnWeightsOnlyIsFree() {
        Fixture f;
        const std::string text =
            "graph f(x: f32[2,3])\n weight w: f32[2,3]\n weight v: f32[2,3]\n sum = Relu(Add(w, v))\n return Mul(x, "
            "sum)\n";
        QCOMPARE(f.cost(f.roofline, text), 7.0);
        const ir::Program program = f.parse(text);
        const auto parts = *f.costs(f.roofline, program)->explain(program.root);
        QCOMPARE(parts.size(), std::size_t(6));
        QVERIFY(parts[0].reason.starts_with("Mul: 1 µs to launch + 6 µs for 6 FLOP (bound by computing)"));
        QVERIFY(parts[2].reason.find("before the program runs") != std::string::npos);
    }

    /// TASO's charges: movement is free, and so are joins of weights; all else that is computed from weights is charged.
    void chargesAsInTaso_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<double>("run");
        QTest::addColumn<double>("taso");
        // 4 operations, 48 bytes: 1 + 4 µs. The product of a row with 2 x 2: 8 operations.
        QTest::newRow("a sum of weights") << QStringLiteral("MatMul(x, Add(w, v))") << 9.0 << 9.0 + 5.0;
        QTest::newRow("joined weights") << QStringLiteral("MatMul(x, Concat[axis=1](w, v))") << 17.0 << 17.0;
        QTest::newRow("joined inputs") << QStringLiteral("MatMul(Concat[axis=0](x, x), w)") << 1.032 + 17.0
                                       << 1.032 + 17.0;
        QTest::newRow("a product of weights") << QStringLiteral("MatMul(x, MatMul(w, v))") << 9.0 << 9.0 + 17.0;
        QTest::newRow("an enlarged weight") << QStringLiteral("MatMul(x, Pad[pads=[0,0,0,2]](w))") << 17.0 << 17.0;
        // A transposed matrix is a copy: 32 bytes; one of one row is a view.
        QTest::newRow("a transpose") << QStringLiteral("Transpose[perm=[1,0]](MatMul(Concat[axis=0](x, x), w))")
                                     << 1.032 + 17.0 + 1.032 << 1.032 + 17.0;
        QTest::newRow("a reshape") << QStringLiteral("Reshape[shape=[2]](MatMul(x, w))") << 9.0 << 9.0;
    }
    void chargesAsInTaso() {
        QFETCH(const QString, body);
        QFETCH(const double, run);
        QFETCH(const double, taso);
        Fixture f;
        const std::string text =
            "graph f(x: f32[1,2])\n weight w: f32[2,2]\n weight v: f32[2,2]\n return " + body.toStdString() + "\n";
        QCOMPARE(f.cost(f.roofline, text), run);
        QCOMPARE(f.cost(f.roofline + ",charges=run", text), run);
        QCOMPARE(f.cost(f.roofline + ",charges=taso", text), taso);
    }
    void chargesAreExplained() {
        Fixture f;
        const ir::Program program = f.parse(
            "graph f(x: f32[1,2])\n weight w: f32[2,2]\n weight v: f32[2,2]\n return MatMul(x, Concat[axis=1](w, "
            "Transpose[perm=[1,0]](Add(w, v))))\n");
        std::string reasons;
        const auto parts = *f.costs(f.roofline + ",charges=taso", program)->explain(program.root);
        for (const cost::CostPart& part : parts) reasons += part.reason + "\n";
        QCOMPARE(reasons,
                 std::string("MatMul: 1 µs to launch + 16 µs for 16 FLOP (bound by computing)\nnothing runs\nConcat: "
                             "of weights only, which TASO joins before the program runs\nnothing runs\nTranspose: "
                             "movement, which TASO does not charge\nAdd: 1 µs to launch + 4 µs for 4 FLOP (bound by "
                             "computing), although of weights only: TASO charges it\nnothing runs\n"));
        QCOMPARE(cost::findCostModel("roofline:charges=taso", "tensor").value()->info().name,
                 std::string("roofline:charges=taso"));
        const auto unknown = cost::findCostModel("roofline:charges=tasso", "tensor");
        QVERIFY(!unknown.ok());
    }

    void viewsAreFree() {
        Fixture f;
        QCOMPARE(f.cost(f.roofline, "graph f(x: f32[2,3])\n return Reshape[shape=[3,2]](x)\n"), 0.0);
    }

    /// 1000 bytes a microsecond: what is not a view costs a launch of 1 and its bytes, read and written.
    void partsAreViewsAlongTheOutermostAxis_data() {
        QTest::addColumn<QString>("shape");
        QTest::addColumn<int>("axis");
        QTest::addColumn<double>("cost");
        QTest::newRow("rows") << QStringLiteral("[4,250]") << 0 << 0.0;
        QTest::newRow("columns") << QStringLiteral("[250,4]") << 1 << 1.0 + 2 * 4.0 * 1000 / 1000;
        QTest::newRow("columns of one row") << QStringLiteral("[1,4]") << 1 << 0.0;
        QTest::newRow("channels of one image") << QStringLiteral("[1,4,5,50]") << 1 << 0.0;
        QTest::newRow("channels of five images") << QStringLiteral("[5,4,1,50]") << 1 << 1.0 + 2 * 4.0 * 1000 / 1000;
    }
    void partsAreViewsAlongTheOutermostAxis() {
        QFETCH(const QString, shape);
        QFETCH(const int, axis);
        QFETCH(const double, cost);
        Fixture f;
        const std::string text =
            fmt::format("graph f(x: f32{})\n  s = Split[axis={}, sizes=[1,3]](x)\n  return (s[0], s[1])\n",
                        shape.toStdString(), axis);
        QCOMPARE(f.cost(f.roofline, text), cost);
    }

    void sizesThatAreNamesCountAsStated() {
        Fixture f;
        const std::string text = "graph f(x: f32[N,3])\n return Add(x, x)\n";
        QCOMPARE(f.cost(f.roofline, text), 4.0);
        QCOMPARE(f.cost(f.roofline + ",N=4", text), 13.0);
        QCOMPARE(f.cost(f.roofline + ",2", text), 7.0);
        QCOMPARE(f.cost(f.roofline + ",N=4", "graph f(x: f32[2*N-(N+1)/2,3])\n return Add(x, x)\n"),
                 19.0);  // 2*4 - 5/2 = 6
        // What a broadcast gives is as large as the larger one.
        QCOMPARE(f.cost(f.roofline + ",M=5,N=2", "graph f(x: f32[max(M:N),3])\n return Add(x, x)\n"), 16.0);
        QCOMPARE(f.cost(f.roofline + ",N=4", "graph f(x: f32[slice(N:-3::1),3])\n return Add(x, x)\n"), 10.0);
    }

    void unknownOperatorsMoveTheirBytes() {
        Fixture f;
        QCOMPARE(f.cost(f.roofline, "graph f(x: f32[250])\n return Opaque[\"d::O#1\"](x): f32[250]\n"), 3.0);
    }

    void peakMemoryIsWhatIsHeldAtATime() {
        Fixture f;
        const auto peak = [&](const std::string& text) { return f.cost("peak-memory", text); };
        QCOMPARE(peak("graph f(x: f32[2,3])\n return Relu(Relu(Relu(x)))\n"), 48.0);
        // The sum needs the first array: three arrays live at once.
        QCOMPARE(peak("graph f(x: f32[2,3])\n a = Relu(x)\n b = Relu(a)\n return Add(Relu(b), a)\n"), 72.0);
        QCOMPARE(peak("graph f(x: f32[2,3])\n weight w: f32[2,3]\n weight v: f32[1000]\n"
                      " return (Relu(Mul(x, w)), v)\n"),
                 48.0 + 24.0 + 4000.0);
        // Arrays computed from weights in advance replace the weights.
        QCOMPARE(peak("graph f(x: f32[2,3])\n weight w: f32[2,3]\n weight v: f32[2,3]\n return Mul(x, Add(w, v))\n"),
                 72.0);
        // A view keeps its input alive, and needs no memory of its own.
        QCOMPARE(peak("graph f(x: f32[2,3])\n return Relu(Reshape[shape=[3,2]](x))\n"), 48.0);
    }

    void partsSumUp() {
        Random random(17);
        for (int round = 0; round < 40; ++round) {
            Fixture f;
            const ir::Program program = test::randomGraph(f.bank, random, 5 + round * 5);
            for (const std::string& model : {f.roofline, std::string("peak-memory"), std::string("size")}) {
                const auto costs = f.costs(model, program);
                const double cost = *costs->cost(program.root);
                const std::vector<cost::CostPart> parts = *costs->explain(program.root);
                QCOMPARE(parts.size(), ir::sharedSize(f.bank, program.root));
                double sum = 0.0;
                for (const cost::CostPart& part : parts) sum += part.own * part.times;
                QVERIFY(std::abs(sum - cost) <= 1e-9 * std::max(1.0, cost));
                QVERIFY(std::abs(parts[0].total - cost) <= 1e-9 * std::max(1.0, cost));
                // Totals, computed node by node.
                std::vector<ir::TermId> nodes;
                std::map<ir::TermId, double> own;
                ir::forEachShared(f.bank, program.root, [&](const ir::Path&, ir::TermId node) {
                    own[node] = parts[nodes.size()].own;
                    nodes.push_back(node);
                    return true;
                });
                for (std::size_t part = 0; part < parts.size(); ++part) {
                    double total = 0.0;
                    for (const ir::TermId node : ir::SharedNodes(f.bank, nodes[part])) total += own.at(node);
                    QVERIFY(std::abs(parts[part].total - total) <= 1e-9 * std::max(1.0, total));
                }
            }
        }
    }

    void modelsKnowTheirPrograms() {
        QCOMPARE(cost::costModelsFor("tensor").front()->info().name, std::string("roofline"));
        QCOMPARE(cost::costModelsFor("a dialect that no model names").size(), std::size_t{1});
        QCOMPARE(cost::costModelsFor("ks").front()->info().name, std::string("ks-2021"));
        QCOMPARE((*cost::findCostModel("", "tensor"))->info().name, std::string("roofline"));
        const auto wrong = cost::findCostModel("ks-2021", "tensor");
        QVERIFY(!wrong);
        QCOMPARE(wrong.error().message, std::string("the cost model ks-2021 does not price tensor programs"));
        QVERIFY(!cost::findCostModel("roofline", "ks").ok());
        QVERIFY(cost::findCostModel("size", "ks").ok());
        QVERIFY(cost::findCostModel("size", "tensor").ok());
    }

    void devicesAreData() {
        QVERIFY(cost::shippedDevices().size() >= 3);
        for (const cost::ShippedDevice& device : cost::shippedDevices()) {
            const auto found = cost::findDevice(device.name);
            QVERIFY2(found.ok(), found ? "" : found.error().render().c_str());
            QVERIFY(found->halfFlops >= found->singleFlops);
            QVERIFY(found->flops(ir::Dtype::F64) <= found->flops(ir::Dtype::F32));
        }
        QVERIFY(!cost::findCostModel("roofline:nothing").ok());
        QVERIFY(!cost::findCostModel("roofline:").ok());
        QVERIFY(!cost::findCostModel("roofline:nothing.json").ok());
        QVERIFY(!cost::findCostModel("roofline:a100,N=0").ok());
        QVERIFY(!cost::findCostModel("peak-memory:x").ok());
        QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("bad.json")).toStdString();
        for (const char* text : {"", "[]", "{}", R"({"launch_seconds": "much"})", R"({"launch_seconds": -1})"}) {
            QVERIFY(writeFile(path, text).ok());
            const auto bad = cost::findDevice(path);
            QVERIFY(!bad);
            QVERIFY(bad.error().message.find("bad.json") != std::string::npos);
        }
    }
};

MITOS_TEST(TstTensorCost)

}  // namespace tst_tensor_cost

#include "tst_tensor_cost.moc"

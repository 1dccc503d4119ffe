// SPDX-License-Identifier: GPL-3.0-or-later
// Tensor programs have values: arrays, as text and JSON, and comparisons of two programs.
#include "core/eval/evaluator.h"
#include "core/eval/verify/verify.h"
#include "tests/dialects/random_graphs.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>

#include <QTest>

namespace tst_graph_values {

using namespace mitos;

namespace {

struct Fixture {
    ir::TermBank bank{dialects::makeRegistry()};

    ir::Program parse(const std::string& text) {
        const Result<ir::Program> parsed = dialects::parseProgram(bank, "test", text);
        if (!parsed) qFatal("%s", parsed.error().render().c_str());
        return *parsed;
    }
    Result<eval::Value> value(const ir::Program& program, std::size_t parameter, const std::string& json) {
        return eval::valueFromJson(bank, bank.function(program.function).parameters[parameter].type, json);
    }
};

}  // namespace

class TstGraphValues : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void programsAreEvaluated() {
        Fixture f;
        const ir::Program program = f.parse(
            "graph f(x: f32[2,N], n: i64[])\n  weight w: f32[2,1]\n  y = Relu(x)\n  return (Mul(y, w), y, n)\n");
        auto weights = std::make_shared<tensor::Weights>();
        weights->set("w", tensor::WeightData::filled(ir::Dtype::F32, {2, 1}, 2.0));
        eval::Inputs inputs{
            .arguments = {f.value(program, 0, "[[1, -2], [0.5, 4]]").value(), f.value(program, 1, "7").value()},
            .extraSizes = {},
            .weights = weights};
        const Result<eval::Evaluation> result = eval::evaluate(f.bank, program, inputs);
        QVERIFY2(result.ok(), result ? "" : result.error().render().c_str());
        QCOMPARE(eval::toString(result->value), std::string("([[2.0, 0.0], [1.0, 8.0]], [[1.0, 0.0], [0.5, 4.0]], 7)"));
        QCOMPARE(eval::toJson(result->value),
                 std::string(R"({"tuple":[[[2.0,0.0],[1.0,8.0]],[[1.0,0.0],[0.5,4.0]],7]})"));
    }

    void weightsThatAreNotGivenAreTheSameEveryTime() {
        Fixture f;
        const ir::Program program = f.parse("graph f()\n  weight w: f32[4]\n  return w\n");
        const auto first = eval::evaluate(f.bank, program, {});
        const auto second = eval::evaluate(f.bank, program, {});
        QVERIFY(first.ok() && second.ok());
        QCOMPARE(eval::deviation(first->value, second->value), 0.0);
        const auto other = eval::evaluate(f.bank, f.parse("graph g()\n  weight v: f32[4]\n  return v\n"), {});
        QVERIFY(eval::deviation(first->value, other->value) > 0.0);
    }

    void valuesRoundTrip() {
        Fixture f;
        const ir::Program program =
            f.parse("graph f(a: f32[2], b: bool[2], c: f64[...], d: i32[N])\n  return (a, b, c, d)\n");
        for (const auto& [parameter, json] :
             {std::pair(1, "[true,false]"), std::pair(2, "[[1.5,\"nan\"],[\"inf\",\"-inf\"]]"), std::pair(2, "2.5"),
              std::pair(3, "[1,-2,3]"), std::pair(3, "[]")}) {
            const auto value = f.value(program, static_cast<std::size_t>(parameter), json);
            QVERIFY2(value.ok(), json);
            QCOMPARE(eval::toJson(*value), std::string(json));
            QCOMPARE(eval::deviation(*value, *value), 0.0);
        }
        for (const auto& [parameter, json] :
             {std::pair(1, "[true]"), std::pair(1, "[1,0]"), std::pair(1, "true"), std::pair(3, "[1.5]"),
              std::pair(3, "[[1]]"), std::pair(2, "[[1],[1,2]]"), std::pair(2, "[\"x\"]"), std::pair(3, "{}")}) {
            QVERIFY2(!f.value(program, static_cast<std::size_t>(parameter), json).ok(), json);
        }
    }

    void wrongArgumentsAreRefused() {
        Fixture f;
        const ir::Program program = f.parse("graph f(x: f32[2])\n  return Relu(x)\n");
        QVERIFY(!eval::evaluate(f.bank, program, {}).ok());
        QVERIFY(!eval::evaluate(f.bank, program, {.arguments = {eval::Value(1.0)}, .extraSizes = {}}).ok());
        const ir::Program wide = f.parse("graph g(x: f32[3])\n  return Relu(x)\n");
        QVERIFY(!eval::evaluate(f.bank, program, {.arguments = {f.value(wide, 0, "[1,2,3]").value()}, .extraSizes = {}})
                     .ok());
    }

    void programsAreCompared() {
        Fixture f;
        const ir::Program first = f.parse("graph f(x: f32[2,3], y: f32[2,3])\n  return Relu(Add(x, y))\n");
        const ir::Program same = f.parse("graph g(x: f32[2,3], y: f32[2,3])\n  return Relu(Relu(Add(y, x)))\n");
        const ir::Program other = f.parse("graph h(x: f32[2,3], y: f32[2,3])\n  return Relu(Mul(x, y))\n");
        const auto good = eval::compare(f.bank, first, same);
        QVERIFY(good.ok() && good->equivalent);
        QCOMPARE(good->compared, 24);
        QVERIFY(good->note.starts_with("in double precision, to 1e-08"));
        const auto bad = eval::compare(f.bank, first, other);
        QVERIFY(bad.ok() && !bad->equivalent);
        QVERIFY(!bad->counterexample.empty());
        const ir::Program narrow = f.parse("graph i(x: f32[2], y: f32[2,3])\n  return Add(x, x)\n");
        QVERIFY(!eval::compare(f.bank, first, narrow).ok());
    }

    void integersAreComparedExactly() {
        Fixture f;
        const auto scaled = [&](const char* factor) {
            return f.parse("graph f(x: i64[2])\n  c = Constant[value=" + std::string(factor) +
                           ",dtype=i64,shape=[]]()\n  return Mul(x, c)\n");
        };
        const ir::Program first = scaled("1099511627776.0");
        const ir::Program other = scaled("1099511627777.0");
        const auto compared = eval::compare(f.bank, first, other);
        QVERIFY(compared.ok() && !compared->equivalent);
        const auto verified = eval::verify(f.bank, first, {{.name = "other", .positions = {{}}, .result = other.root}});
        QVERIFY(verified.ok() && verified->difference.has_value());
        // What double precision cannot give exactly says nothing for or against.
        const ir::Program large = scaled("9007199254740992.0");
        const auto unknown = eval::compare(f.bank, large, large);
        QVERIFY(unknown.ok() && !unknown->equivalent);
        QVERIFY(unknown->counterexample.empty());
        const auto without = eval::compare(f.bank, first, large);
        QVERIFY(without.ok() && without->counterexample.empty());
    }

    /// Differences that only zeros of the other sign or NaN make are named, and whole numbers wrap at both ends of their type.
    void specialNumbersAreCompared() {
        Fixture f;
        const std::string head =
            "graph f(n: i8[4], x: f32[4], y: f32[4])\n"
            "  one = Constant[value=1.0,dtype=f32,shape=[]]()\n"
            "  zero = Constant[value=0.0,dtype=f32,shape=[]]()\n"
            "  whole = Constant[value=1,dtype=i8,shape=[]]()\n"
            "  return ";
        const auto compare = [&](const char* first, const char* second) {
            return eval::compare(f.bank, f.parse(head + first + "\n"), f.parse(head + second + "\n")).value();
        };
        const eval::Equivalence same = compare("Add(x, y)", "Add(y, x)");
        QVERIFY(same.equivalent && same.exceptions.empty());
        const eval::Equivalence nan = compare("Where(Equal(x, x), y, Neg(y))", "y");
        QVERIFY(nan.equivalent);
        QCOMPARE(nan.exceptions.size(), std::size_t(1));
        QCOMPARE(nan.exceptions[0].kind, eval::ValueException::Kind::NotANumber);
        const eval::Equivalence sign = compare("Where(Less(Div(one, x), zero), x, y)", "Where(Less(x, zero), x, y)");
        QVERIFY2(sign.equivalent, sign.counterexample.c_str());
        QCOMPARE(sign.exceptions.size(), std::size_t(1));
        QCOMPARE(sign.exceptions[0].kind, eval::ValueException::Kind::ZeroSign);
        const eval::Equivalence wrapping = compare("Where(Greater(Add(n, whole), n), x, y)", "x");
        QVERIFY(!wrapping.equivalent);
        QVERIFY(!wrapping.counterexample.empty());
    }

    void whatCancelsIsNoDifference() {
        Fixture f;
        const std::string head = "graph f(x: f32[1000])\n  m = ReduceMean[axes=[0],keepdims=true](x)\n";
        const ir::Program first = f.parse(head + "  return ReduceSum[axes=[0],keepdims=true](Sub(x, m))\n");
        const auto summed = [&](const char* count) {
            return f.parse(head + "  n = Constant[value=" + count + ",dtype=f32,shape=[]]()\n" +
                           "  return Sub(ReduceSum[axes=[0],keepdims=true](x), Mul(m, n))\n");
        };
        const ir::Program same = summed("1000.0");
        const ir::Program other = summed("1000.001");
        const auto equal = eval::compare(f.bank, first, same);
        QVERIFY2(equal.ok() && equal->equivalent, equal ? equal->counterexample.c_str() : "");
        const auto different = eval::compare(f.bank, first, other);
        QVERIFY(different.ok() && !different->equivalent);
        const auto verify = [&](const ir::Program& after) {
            return eval::verify(f.bank, first, {{.name = "step", .positions = {{}}, .result = after.root}}).value();
        };
        QVERIFY(verify(same).holds());
        QVERIFY(verify(other).difference.has_value());
    }

    /// What is only failed by a rule taken back is not the verdict on a rule that must not fail.
    void verdictsAreSharedBetweenEqualStepsOnly() {
        Fixture f;
        const std::string head =
            "graph f(x: f32[4], y: f32[4])\n  c = Constant[value=1000000.0,dtype=f32,shape=[]]()\n"
            "  a = Mul(x, c)\n  b = Mul(y, c)\n";
        const ir::Program start = f.parse(head + "  return (a, b)\n");
        const ir::Program middle = f.parse(head + "  return (Exp(Log(a)), b)\n");
        const ir::Program end = f.parse(head + "  return (Exp(Log(a)), Exp(Log(b)))\n");
        const auto operand = [&](std::size_t i) { return f.bank.child(start.root, i); };
        const auto steps = [&](bool isStrict) {
            eval::VerifyStep first{.name = "log", .positions = {{0}}, .result = middle.root};
            first.soundness = rules::Soundness::Domain;
            first.isReversed = true;
            first.operands = {operand(0)};
            eval::VerifyStep second = first;
            second.positions = {{1}};
            second.result = end.root;
            second.isReversed = !isStrict;
            second.operands = {operand(1)};
            return eval::verify(f.bank, start, {first, second}).value();
        };
        const eval::Verification lenient = steps(false);
        QVERIFY2(lenient.holds(), lenient.summary().c_str());
        QVERIFY(lenient.steps[1].note.starts_with("as step 1"));
        const eval::Verification strict = steps(true);
        QVERIFY(strict.difference.has_value());
        QCOMPARE(strict.difference->step, std::size_t{2});
    }

    /// In double precision nothing shows that 2 million is no f16.
    void weightsThatTheirTypeCannotHoldAreADifference() {
        for (const bool isHalf : {true, false}) {
            Fixture f;
            const std::string type = isHalf ? "f16" : "f32";
            const std::string head =
                fmt::format("graph f(x: {0}[2,2])\n  weight v: {0}[2,2]\n  weight w: {0}[2,2]\n", type);
            const ir::Program first = f.parse(head + "  return MatMul(MatMul(x, v), w)\n");
            const ir::Program second = f.parse(head + "  return MatMul(x, MatMul(v, w))\n");
            const ir::Program third = f.parse(head + "  return MatMul(x, MatMul(v, Identity(w)))\n");
            const ir::Dtype dtype = isHalf ? ir::Dtype::F16 : ir::Dtype::F32;
            const auto array = std::make_shared<tensor::Array>(tensor::Array{dtype, {2, 2}, {1000, 999, 998, 1000}});
            auto weights = std::make_shared<tensor::Weights>();
            for (const char* name : {"v", "w"}) weights->set(name, tensor::WeightData::of(array));
            const auto verified = [&](const ir::Program& before, const ir::Program& after) {
                eval::VerifyOptions options;
                options.weights = weights;
                return eval::verify(f.bank, before, {{.name = "step", .positions = {{}}, .result = after.root}},
                                    options);
            };
            const auto made = verified(first, second);
            QVERIFY(made.ok());
            QCOMPARE(made->difference.has_value(), isHalf);
            // Who has them already may go on with them.
            const auto kept = verified(second, third);
            QVERIFY(kept.ok() && kept->holds());
            if (isHalf) {
                QCOMPARE(made->difference->afterValue,
                         std::string("weights that f16 cannot hold: MatMul would be up to 1.998e+06"));
            }
        }
    }

    void listsWithoutElementsHaveTheSizesOfTheirType() {
        Fixture f;
        const ir::Program program = f.parse("graph f(x: f32[0,4], y: f32[2,0,3], z: f32[N,M])\n  return (x, y, z)\n");
        const auto shape = [&](std::size_t parameter, const char* json) {
            const auto value = f.value(program, parameter, json);
            return value ? value->asArray().shape : tensor::Shape{-1};
        };
        QCOMPARE(shape(0, "[]"), (tensor::Shape{0, 4}));
        QCOMPARE(shape(1, "[[],[]]"), (tensor::Shape{2, 0, 3}));
        QCOMPARE(shape(2, "[]"), (tensor::Shape{0, 0}));
        QCOMPARE(shape(0, "[[]]"), (tensor::Shape{-1}));
        QCOMPARE(shape(1, "[]"), (tensor::Shape{-1}));
    }

    void unknownOperatorsHaveNoValue() {
        Fixture f;
        const ir::Program program = f.parse("graph f(x: f32[2])\n  return Opaque[\"d::O#1\"](x): f32[2]\n");
        const auto compared = eval::compare(f.bank, program, program);
        QVERIFY(compared.ok() && !compared->equivalent);
        QCOMPARE(compared->compared, 0);
        QVERIFY(!compared->note.empty());
    }
};

MITOS_TEST(TstGraphValues)

}  // namespace tst_graph_values

#include "tst_graph_values.moc"

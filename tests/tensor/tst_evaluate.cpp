// SPDX-License-Identifier: GPL-3.0-or-later
// The reference evaluator on whole programs: sharing, sizes, missing numbers; random inputs and comparison.
#include "core/tensor/dialect.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/samples.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <QElapsedTimer>
#include <array>
#include <cmath>

namespace tst_evaluate {

using namespace mitos;
using namespace mitos::tensor;
using ir::Dimension;
using ir::Dtype;
using ir::TermId;

namespace {

std::shared_ptr<const ir::OperatorRegistry> makeRegistry() {
    auto registry = std::make_shared<ir::OperatorRegistry>();
    registry->addDialect(tensor::dialect());
    return registry;
}

ArrayPtr array(Shape shape, std::vector<double> elements, Dtype dtype = Dtype::F32) {
    return std::make_shared<Array>(Array{dtype, std::move(shape), std::move(elements)});
}

}  // namespace

class TestEvaluate : public QObject {
    Q_OBJECT

private:
    ir::TermBank m_bank{makeRegistry()};

    ir::TypeId type(const std::vector<Dimension>& dimensions, Dtype dtype = Dtype::F32) {
        return m_bank.types().array(dtype, dimensions);
    }
    Dimension size(const char* name) { return Dimension::named(m_bank.symbols().intern(name)); }
    TermId input(const char* name, ir::TypeId type) { return m_bank.variable(m_bank.symbols().intern(name), type); }
    TermId term(const char* op, const std::vector<TermId>& inputs, const char* name = nullptr) {
        const Operator& entry = *findOperator(op);
        const Symbol hint = name != nullptr ? m_bank.symbols().intern(name) : Symbol();
        return *make(m_bank, entry, inputs, Attributes(entry), hint);
    }
    TermId weight(const char* name, ir::TypeId type) {
        return m_bank.stated(m_bank.registry().find(WeightName), type, {},
                             ir::Payload::name(m_bank.symbols().intern(name)));
    }
    Error failure(TermId root, const Inputs& inputs, const EvaluateOptions& options = {}) {
        const Result<std::vector<ArrayPtr>> result = evaluate(m_bank, root, inputs, {}, options);
        return result ? Error{} : result.error();
    }

private Q_SLOTS:
    void aProgramWithTwoOutputsAndAWeight() {
        const TermId x = input("x", type({size("N"), Dimension::of(2)}));
        const TermId w = weight("w", type({Dimension::of(2)}));
        const TermId sum = term("Add", {x, w});
        const TermId root = m_bank.tuple(std::array{term("Relu", {sum}), term("Mul", {sum, sum}), sum});
        Weights weights;
        weights.set("w", WeightData::of(array({2}, {10.0, -3.0})));
        const Result<std::vector<ArrayPtr>> result =
            evaluate(m_bank, root, {{"x", array({3, 2}, {0, 1, 2, 3, 4, 5})}}, weights);
        QVERIFY2(result.ok(), result ? "" : result.error().message.c_str());
        QCOMPARE(result->size(), std::size_t{3});
        QCOMPARE((*result)[0]->elements, (std::vector<double>{10, 0, 12, 0, 14, 2}));
        QCOMPARE((*result)[1]->elements, (std::vector<double>{100, 4, 144, 0, 196, 4}));
        QCOMPARE((*result)[2]->shape, (Shape{3, 2}));
    }

    void whatGrowsWithoutBoundIsRefusedBeforeItIsComputed() {
        TermId doubled = input("x", type({Dimension::of(2)}));
        TermId named = input("y", type({size("N")}));
        const Operator& concat = *findOperator("Concat");
        Attributes attributes(concat);
        attributes.set("axis", std::int64_t{0});
        for (int i = 0; i < 60; ++i) {  // 2^61 elements
            doubled = *make(m_bank, concat, std::array{doubled, doubled}, attributes);
            named = *make(m_bank, concat, std::array{named, named}, attributes);
        }
        const Inputs inputs{{"x", array({2}, {1.0, 2.0})}, {"y", array({2}, {1.0, 2.0})}};
        for (const TermId root : {doubled, named}) {
            QElapsedTimer timer;
            timer.start();
            const auto result = evaluate(m_bank, root, inputs, {});
            QVERIFY(!result.ok());
            QCOMPARE(result.error().code, ErrorCode::Limit);
            QVERIFY2(timer.elapsed() < 500, qPrintable(QString::number(timer.elapsed())));
        }
    }

    void aSharedChainIsComputedOnceAndHoweverDeep() {
        TermId chain = input("x", type({}));
        for (int i = 0; i < 60; ++i) chain = term("Add", {chain, chain});  // a tree of 2^60 leaves
        for (int i = 0; i < 100'000; ++i) chain = term("Mul", {chain, input("one", type({}))});
        const auto result = evaluate(m_bank, chain, {{"x", array({}, {1.0})}, {"one", array({}, {1.0})}}, {});
        QVERIFY(result.ok());
        QCOMPARE(result->front()->elements, std::vector<double>{0x1p60});
    }

    void errorsNameTheOperatorAndTheNode() {
        const TermId x = input("x", type({size("N")}));
        const TermId y = input("y", type({Dimension::of(3)}));
        const TermId sum = term("Add", {x, y}, "total");
        QCOMPARE(failure(sum, {{"x", array({2}, {1, 2})}}).message,
                 std::string("variable y: the input y is not given"));
        const Error misfit = failure(sum, {{"x", array({2}, {1, 2})}, {"y", array({3}, {1, 2, 3})}});
        QCOMPARE(misfit.code, ErrorCode::Evaluation);
        QCOMPARE(misfit.message, std::string("Add total: sizes 2 and 3 do not broadcast"));
        QCOMPARE(failure(sum, {{"x", array({1}, {1})}, {"y", array({2}, {1, 2})}}).message,
                 std::string("variable y: expected f32[3]; found f32[2]"));
        QCOMPARE(failure(y, {{"y", array({3}, {1, 2, 3}, Dtype::I64)}}).message,
                 std::string("variable y: expected f32[3]; found i64[3]"));
        QCOMPARE(failure(weight("w", type({})), {}).message,
                 std::string("Weight w: there are no numbers for the weight w"));
    }

    void oneNameIsOneSize() {
        const TermId sum = term("Add", {input("x", type({size("N")})), input("y", type({size("N"), size("N")}))});
        QVERIFY(failure(sum, {{"x", array({2}, {1, 2})}, {"y", array({2, 2}, {1, 2, 3, 4})}}).message.empty());
        QCOMPARE(failure(sum, {{"x", array({2}, {1, 2})}, {"y", array({2, 1}, {1, 2})}}).message,
                 std::string("variable y: the size N is both 2 and 1"));
    }

    void opaqueOperatorsCannotBeComputed() {
        const TermId x = input("x", type({}));
        const TermId opaque = m_bank.stated(m_bank.registry().find(OpaqueName), type({}), std::array{x},
                                            ir::Payload::name(m_bank.symbols().intern("my::Op#1")));
        QCOMPARE(failure(opaque, {{"x", array({}, {1})}}).code, ErrorCode::Unsupported);
    }

    void stopsAndLimits() {
        std::stop_source stopped;
        stopped.request_stop();
        const TermId x = input("x", type({size("N"), Dimension::of(1)}));
        const TermId y = input("y", type({size("M")}));
        const TermId sum = term("Add", {x, y});
        const Inputs inputs{{"x", array({3, 1}, {1, 2, 3})}, {"y", array({3}, {1, 2, 3})}};
        QCOMPARE(failure(sum, inputs, {.stop = stopped.get_token()}).code, ErrorCode::Cancelled);
        QCOMPARE(failure(sum, inputs, {.maxElements = 8}).code, ErrorCode::Limit);
        QCOMPARE(failure(sum, inputs, {.maxElements = 9}).message, std::string());
        QCOMPARE(failure(sum, inputs, {.maxHeld = 14}).message,
                 std::string("Add: more than 14 elements are held at one time"));
        QCOMPARE(failure(sum, inputs, {.maxHeld = 15}).message, std::string());
        // Arrays are freed after their last use.
        const TermId chain = term("Relu", {term("Neg", {term("Exp", {y})})});
        QCOMPARE(failure(chain, inputs, {.maxHeld = 5}).code, ErrorCode::Limit);
        QCOMPARE(failure(chain, inputs, {.maxHeld = 6}).message, std::string());
    }

    void deviationIsRelativeForLargeNumbersOnly() {
        const double nan = std::nan("");
        QCOMPARE(*maxDeviation(*array({2}, {0.25, 200}), *array({2}, {0.5, 100})), 0.5);
        QCOMPARE(*maxDeviation(*array({2}, {0.25, 100}), *array({2}, {0.5, 100})), 0.25);
        QCOMPARE(*maxDeviation(*array({2}, {nan, HUGE_VAL}), *array({2}, {nan, HUGE_VAL})), 0.0);
        QCOMPARE(*maxDeviation(*array({1}, {nan}), *array({1}, {1})), HUGE_VAL);
        QCOMPARE(*maxDeviation(*array({1}, {HUGE_VAL}), *array({1}, {-HUGE_VAL})), HUGE_VAL);
        QVERIFY(!maxDeviation(*array({2}, {1, 2}), *array({2, 1}, {1, 2})).ok());
        QVERIFY(!maxDeviation(*array({1}, {1}), *array({1}, {1}, Dtype::F64)).ok());
    }

    void randomInputsHaveTheTypesOfTheParameters() {
        ir::Function function;
        function.parameters = {
            {m_bank.symbols().intern("x"), type({size("N"), Dimension::of(4), size("M")})},
            {m_bank.symbols().intern("i"), type({size("N")}, Dtype::I64)},
            {m_bank.symbols().intern("b"), type({Dimension::of(50)}, Dtype::Bool)},
        };
        Random random(1);
        const Result<Inputs> inputs = randomInputs(m_bank, function, {{"M", 7}}, random);
        QVERIFY(inputs.ok());
        const Array& x = *inputs->at("x");
        QCOMPARE(x.shape[2], std::int64_t{7});
        QCOMPARE(x.shape[0], inputs->at("i")->shape[0]);
        QVERIFY(x.shape[0] >= 2 && x.shape[0] <= 5);
        for (const double element : x.elements) {
            QVERIFY(element >= -1.0 && element < 1.0 && static_cast<double>(static_cast<float>(element)) == element);
        }
        const std::vector<double>& flags = inputs->at("b")->elements;
        QVERIFY(std::count(flags.begin(), flags.end(), 1.0) > 0 && std::count(flags.begin(), flags.end(), 0.0) > 0);
        Random same(1);
        QCOMPARE(randomInputs(m_bank, function, {{"M", 7}}, same)->at("x")->elements, x.elements);
        function.parameters.push_back({m_bank.symbols().intern("u"), m_bank.types().unranked(Dtype::F32)});
        QVERIFY(!randomInputs(m_bank, function, {}, random).ok());
    }

    /// Sizes that are computed from others follow from theirs, in whatever order they come.
    void randomInputsHaveSizesThatGoTogether() {
        const auto function = [&](const std::vector<std::string>& names) {
            ir::Function made;
            for (const std::string& name : names)
                made.parameters.push_back({m_bank.symbols().intern(name), type({size(name.c_str())})});
            return made;
        };
        const auto length = [](const Result<Inputs>& inputs, const char* name) { return inputs->at(name)->shape[0]; };
        Random random(1);
        for (int i = 0; i < 20; ++i) {
            const Result<Inputs> inputs =
                randomInputs(m_bank, function({"2*N", "N", "M+N", "max(M:N)", "(N+1)/2", "past + N"}), {}, random);
            QVERIFY2(inputs.ok(), inputs ? "" : inputs.error().message.c_str());
            const std::int64_t n = length(inputs, "N");
            const std::int64_t m = length(inputs, "M+N") - n;
            QCOMPARE(length(inputs, "2*N"), 2 * n);
            QCOMPARE(length(inputs, "max(M:N)"), std::max(m, n));
            QCOMPARE(length(inputs, "(N+1)/2"), (n + 1) / 2);
            QVERIFY(length(inputs, "past + N") >= n + 2);
            // At least 1, which requires larger numbers for the others.
            const Result<Inputs> small = randomInputs(m_bank, function({"K-6"}), {}, random);
            QVERIFY2(small.ok(), small ? "" : small.error().message.c_str());
            QVERIFY(length(small, "K-6") >= 1);
        }
        QCOMPARE(length(randomInputs(m_bank, function({"2*N"}), {{"N", 7}}, random), "2*N"), std::int64_t{14});
        QCOMPARE(length(randomInputs(m_bank, function({"2*N"}), {{"2*N", 3}}, random), "2*N"), std::int64_t{3});
        const Result<Inputs> none = randomInputs(m_bank, function({"N-9"}), {{"N", 9}}, random);
        QVERIFY(!none.ok());
        QCOMPARE(none.error().message, std::string("no sizes were found for which N-9 is 1 or more"));
    }

    void elementTypesRoundAndWrap() {
        QCOMPARE(roundTo(Dtype::F32, 0.1), static_cast<double>(0.1F));
        QCOMPARE(roundTo(Dtype::F16, 1.0 + 0x1p-11), 1.0);               // a tie goes to even
        QCOMPARE(roundTo(Dtype::F16, 1.0 + 3 * 0x1p-11), 1.0 + 0x1p-9);  // so does this one
        QCOMPARE(roundTo(Dtype::F16, 65519.0), 65504.0);
        QCOMPARE(roundTo(Dtype::F16, 65520.0), HUGE_VAL);
        QCOMPARE(roundTo(Dtype::F16, 0x1.8p-24), 0x1p-23);  // subnormal
        QCOMPARE(roundTo(Dtype::Bf16, 1.0 + 0x1p-7 + 0x1p-9), 1.0 + 0x1p-7);
        QCOMPARE(roundTo(Dtype::I8, 200.0), -56.0);
        QCOMPARE(roundTo(Dtype::I8, -3.9), -3.0);
        QCOMPARE(roundTo(Dtype::U8, -1.0), 255.0);
        QCOMPARE(roundTo(Dtype::I64, HUGE_VAL), 0.0);
        QCOMPARE(roundTo(Dtype::Bool, -0.5), 1.0);
    }
};

MITOS_TEST(TestEvaluate)

}  // namespace tst_evaluate

#include "tst_evaluate.moc"

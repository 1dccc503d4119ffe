// SPDX-License-Identifier: GPL-3.0-or-later
// What ks programs mean: every operator against literal values, failures with their places, limits, inputs, comparison.
#include "core/eval/evaluator.h"
#include "core/eval/testing/random_terms.h"
#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "tests/eval/operator_cases.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <cmath>
#include <limits>

namespace tst_eval {

using namespace mitos;

namespace {

/// A parsed program in a bank of its own.
struct Parsed {
    ir::TermBank bank{ks::makeRegistry()};
    Result<ir::Program> program;

    explicit Parsed(const std::string& text) : program(ks::parseProgram(bank, "test.ks", text)) {}
    [[nodiscard]] const ir::Function& function() const { return bank.function(program->function); }

    /// Arguments as JSON, one a parameter.
    Result<eval::Inputs> inputs(const std::vector<std::string>& json) const {
        eval::Inputs inputs;
        for (std::size_t i = 0; i < json.size(); ++i) {
            Result<eval::Value> value = eval::valueFromJson(bank, function().parameters.at(i).type, json[i]);
            if (!value) return std::move(value).error();
            inputs.arguments.push_back(std::move(*value));
        }
        return inputs;
    }
};

/// The value as JSON, or "error: …".
std::string run(const std::string& text, const std::vector<std::string>& json = {}, const eval::Limits& limits = {}) {
    const Parsed parsed(text);
    if (!parsed.program) return "parse error: " + parsed.program.error().render();
    const Result<eval::Inputs> inputs = parsed.inputs(json);
    if (!inputs) return "bad input: " + inputs.error().message;
    const Result<eval::Evaluation> result = eval::evaluate(parsed.bank, *parsed.program, *inputs, limits);
    return result ? eval::toJson(result->value) : "error: " + result.error().message;
}

std::string printedBy(const std::string& text) {
    const Parsed parsed(text);
    if (!parsed.program) return parsed.program.error().render();
    const Result<eval::Evaluation> result = eval::evaluate(parsed.bank, *parsed.program, {});
    return result ? result->printed + " -> " + eval::toJson(result->value) : result.error().message;
}

std::string floatMain(const std::string& expression, const std::string& type = "Float") {
    return "(def f " + type + " () " + expression + ")";
}

const char* const Gemm = R"(
(def gemm (Vec (Vec Float))
  ((n : Integer) (m : Integer) (k : Integer) (a : (Vec (Vec Float))) (b : (Vec (Vec Float))) (c : (Vec (Vec Float)))
   (alpha : Float) (beta : Float))
  (build n (lam (i : Integer) (build m (lam (j : Integer)
    (add (mul alpha (sumbuild k (lam (l : Integer) (mul (index l (index i a)) (index j (index l b))))))
         (mul beta (index j (index i c)))))))))
)";

}  // namespace

class TestEval : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void operators_data();
    void operators();
    void functionsOfArguments_data();
    void functionsOfArguments();
    void failuresNameThePlace_data();
    void failuresNameThePlace();
    void prints();
    void gemmAgreesWithThreeLoops();
    void sizesComeFromTheArguments();
    void limitsStopWhatDoesNotEnd();
    void deepProgramsRun();
    void stopsWhenAsked();
    void jsonRoundTrip();
    void badJsonIsRefused_data();
    void badJsonIsRefused();
    void deviationOfValues();
    void randomInputsFollowTheSignature();
    void compareFindsWrongRewrites_data();
    void compareFindsWrongRewrites();
    void compareNamesExceptions();
    void measuredTimesAreNotCompared();
    void randomTermsRunAndPrintBack();
};

void TestEval::operators_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("expression");
    QTest::addColumn<QString>("expected");
    for (const OperatorCase& c : OperatorCases) QTest::newRow(c.expression) << c.type << c.expression << c.expected;
}

void TestEval::operators() {
    QFETCH(QString, type);
    QFETCH(QString, expression);
    QFETCH(QString, expected);
    QCOMPARE(QString::fromStdString(run(floatMain(expression.toStdString(), type.toStdString()))), expected);
}

void TestEval::functionsOfArguments_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("arguments");  // JSON, separated by |
    QTest::addColumn<QString>("expected");
    QTest::newRow("bare expression") << "(div (mul x y) x)"
                                     << "2|3.5"
                                     << "3.5";
    QTest::newRow("factorial by recursion")
        << "(def fac Integer (n : Integer) (if (lte n 1) 1 (mul n (fac (sub n 1)))))"
        << "20"
        << "2432902008176640000";
    QTest::newRow("a call") << "(def sq Float (x : Float) (mul x x)) (def f Float (x : Float) (add (sq x) (sq 2.0)))"
                            << "3"
                            << "13.0";
    QTest::newRow("overloads") << "(def g Float (x : Float) 1.0) (def g Float (x : Integer) 2.0)"
                                  "(def f (Tuple Float Float) ((x : Float) (n : Integer)) (tuple (g x) (g n)))"
                               << "0|0"
                               << R"({"tuple":[1.0,2.0]})";
    QTest::newRow("a lambda as an argument keeps what is around it")
        << "(def twice Float ((g : Lam Float Float) (a : Float)) (add a (g (g a)))) "
           "(def f Float (x : Float) (let (y (add x 1.0)) (twice (lam (e : Float) (mul y (mul e x))) 10.0)))"
        << "2"
        << "370.0";
    QTest::newRow("a lambda uses outer variables")
        << "(def f (Vec Float) ((v : (Vec Float)) (x : Float)) (let (y (add x 1.0)) (build (size v) (lam (i : Integer) "
           "(mul y (index i v))))))"
        << "[1,2]|2"
        << "[3.0,6.0]";
    QTest::newRow("empty vector") << "(def f Integer (v : (Vec Float)) (size v))"
                                  << "[]"
                                  << "0";
}

void TestEval::functionsOfArguments() {
    QFETCH(QString, program);
    QFETCH(QString, arguments);
    QFETCH(QString, expected);
    std::vector<std::string> json;
    for (const QString& argument : arguments.split(u'|')) json.push_back(argument.toStdString());
    QCOMPARE(QString::fromStdString(run(program.toStdString(), json)), expected);
}

void TestEval::failuresNameThePlace_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("expected");
    QTest::newRow("index")
        << "(def f Float () (add 1.0 (index 3 (Vec_init 1.0 2.0))))"
        << "error: the index 3 is outside of a tensor of size 2; at /1: (index 3 (Vec_init 1.0 2.0))";
    QTest::newRow("in a lambda") << "(def f (Vec Integer) () (build 3 (lam (i : Integer) (div 6 i))))"
                                 << "error: an Integer is divided by zero; at /1/0: (div 6 i)";
    QTest::newRow("in a function")
        << "(def g Float (x : Float) (assert (gt x 0.0) x)) (def f Float () (mul 2.0 (g -1.0)))"
        << "error: an assertion does not hold; in function g at /: (assert (gt x 0.0) x)";
    QTest::newRow("sumbuild of nothing") << "(def f Float () (sumbuild 0 (lam (i : Integer) 1.0)))"
                                         << "error: sumbuild of size 0; at /: (sumbuild 0 (lam (i : Integer) 1.0))";
    QTest::newRow("negative size") << "(def f (Vec Float) () (constVec -1 1.0))"
                                   << "error: the size -1 is negative; at /: (constVec -1 1.0)";
    QTest::newRow("sizes differ")
        << "(def f (Vec Float) () (add (constVec 1 1.0) (constVec 2 1.0)))"
        << "error: add: the sizes 1 and 2 differ; at /: (add (constVec 1 1.0) (constVec 2 1.0))";
    QTest::newRow("empty maximum") << "(def f Float () (max (constVec 0 1.0)))"
                                   << "error: the maximum of an empty vector; at /: (max (constVec 0 1.0))";
    QTest::newRow("empty sum") << "(def f Float () (sum (constVec 0 1.0)))"
                               << "error: the sum of an empty tensor; at /: (sum (constVec 0 1.0))";
    QTest::newRow("sparse index")
        << "(def f (Vec Float) () (buildFromSparse (constVec 1 (tuple)) 2 (lam (i : Integer) (tuple i 1.0))))"
        << "error: the index 1 is outside of a tensor of size 1; at /: (buildFromSparse (constVec 1 "
           "(tuple)) 2 (lam (i : Integer) (tuple i 1.0)))";
    QTest::newRow("an edef") << "(edef g Float (Float)) (def f Float () (g 1.0))"
                             << "error: g is declared (edef) but not defined, so it cannot be run; at /: (g 1.0)";
    QTest::newRow("lmFold") << "(def f Integer () (let (m (lmZero 1.0 2.0)) (index 1 (Vec_init 3))))"
                            << "error: the index 1 is outside of a tensor of size 1; at /1: (index 1 (Vec_init 3))";
    QTest::newRow("too large")
        << "(def f Integer () (size (constVec 1000000000000 1.0)))"
        << "error: more than 1024 MiB of memory were needed; at /0: (constVec 1000000000000 1.0)";
}

void TestEval::failuresNameThePlace() {
    QFETCH(QString, program);
    QFETCH(QString, expected);
    QString found = QString::fromStdString(run(program.toStdString()));
    // How much the steps of a constVec count is no promise; a limit on either is.
    found.replace(QStringLiteral("200000000 steps were"), QStringLiteral("1024 MiB of memory were"));
    QCOMPARE(found, expected);
}

void TestEval::prints() {
    QCOMPARE(printedBy("(def f Integer () (print \"x = \" 1.5 true (tuple 1 2) (Vec_init 1 2)))"),
             std::string("x = 1.511,2[1, 2] -> 4"));
    QCOMPARE(printedBy("(def f Float () (add 1.0 ($trace (mul 2.0 3.0))))"), std::string("Trace[6] -> 7.0"));
    QCOMPARE(printedBy("(def f Integer () (print))"), std::string(" -> -1"));
}

void TestEval::gemmAgreesWithThreeLoops() {
    const Parsed parsed(Gemm);
    QVERIFY2(parsed.program.ok(), "the program parses");
    constexpr int N = 3;
    constexpr int M = 4;
    constexpr int K = 2;
    const auto matrix = [](int rows, int columns, int salt) {
        std::vector<std::vector<double>> result(rows, std::vector<double>(columns));
        for (int i = 0; i < rows; ++i) {
            for (int j = 0; j < columns; ++j) result[i][j] = std::sin(i * 7.0 + j * 3.0 + salt);
        }
        return result;
    };
    const auto value = [](const std::vector<std::vector<double>>& rows) {
        eval::TensorValue outer{{static_cast<std::int64_t>(rows.size())}, {}};
        for (const auto& row : rows) {
            eval::TensorValue inner{{static_cast<std::int64_t>(row.size())}, {}};
            for (const double x : row) inner.elements.emplace_back(x);
            outer.elements.emplace_back(std::move(inner));
        }
        return eval::Value(std::move(outer));
    };
    const auto a = matrix(N, K, 1);
    const auto b = matrix(K, M, 2);
    const auto c = matrix(N, M, 3);
    eval::Inputs inputs;
    for (const int size : {N, M, K}) inputs.arguments.emplace_back(std::int64_t{size});
    for (const auto* m : {&a, &b, &c}) inputs.arguments.push_back(value(*m));
    inputs.arguments.emplace_back(0.5);
    inputs.arguments.emplace_back(-2.0);
    const Result<eval::Evaluation> result = eval::evaluate(parsed.bank, *parsed.program, inputs);
    QVERIFY2(result.ok(), result ? "" : result.error().message.c_str());
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < M; ++j) {
            double expected = -2.0 * c[i][j];
            for (int l = 0; l < K; ++l) expected += 0.5 * a[i][l] * b[l][j];
            const double found = result->value.asTensor().elements[i].asTensor().elements[j].asFloat();
            QVERIFY2(std::abs(found - expected) < 1e-12, qPrintable(QStringLiteral("%1 %2").arg(found).arg(expected)));
        }
    }
}

void TestEval::sizesComeFromTheArguments() {
    const std::string program =
        "(def f (Vec n Float) ((x : (Vec n Float)) (y : (Vec m (Vec n Float))))"
        " (build n (lam (i : Integer) (add (index i x) (to_float m)))))";
    QCOMPARE(run(program, {"[1,2]", "[[1,2],[3,4],[5,6]]"}), std::string("[4.0,5.0]"));
    QCOMPARE(run(program, {"[1,2]", "[[1,2],[3]]"}), std::string("error: the size n is 2 in x and 1 in y"));
    const std::string fixed = "(def f Integer ((x : (Vec 3 Float))) (size x))";
    QCOMPARE(run(fixed, {"[1,2,3]"}), std::string("3"));
    QCOMPARE(run(fixed, {"[1,2]"}), std::string("error: a size of x is 2, but its type says 3"));
    QCOMPARE(run(fixed, {}), std::string("error: f takes 1 arguments, 0 given"));
    // A size that only the result names is an input of its own.
    const Parsed parsed("(def f (Vec k Float) ((x : Float)) (build k (lam (i : Integer) x)))");
    QVERIFY(parsed.program.ok());
    eval::Inputs inputs{{eval::Value(2.0)}, {3}};
    const Result<eval::Evaluation> result = eval::evaluate(parsed.bank, *parsed.program, inputs);
    QVERIFY2(result.ok(), result ? "" : result.error().message.c_str());
    QCOMPARE(eval::toJson(result->value), std::string("[2.0,2.0,2.0]"));
}

void TestEval::limitsStopWhatDoesNotEnd() {
    const std::string runaway = "(def f Integer (n : Integer) (add 1 (f (add n 1))))";
    const std::string deep = run(runaway, {"0"});
    QVERIFY2(deep.starts_with("error: calls and operators are nested more than 20000 deep; in function f "),
             deep.c_str());
    const std::string loop =
        "(def f Integer () (sumbuild 1000000 (lam (i : Integer) (sumbuild 1000000 (lam (j : Integer) j)))))";
    const std::string steps = run(loop, {}, {.steps = 100'000});
    QVERIFY2(steps.starts_with("error: more than 100000 steps were needed"), steps.c_str());
    const std::string large =
        "(def f Integer () (size (build 3000 (lam (i : Integer) (build 3000 (lam (j : Integer) j))))))";
    const std::string bytes = run(large, {}, {.bytes = 10U << 20U});
    QVERIFY2(bytes.starts_with("error: more than 10 MiB of memory were needed"), bytes.c_str());
    // What is released does not count: 1000 times a megabyte fits into ten.
    const std::string often = "(def f Integer () (sumbuild 300 (lam (i : Integer) (size (constVec 40000 1.0)))))";
    QCOMPARE(run(often, {}, {.bytes = 10U << 20U}), std::string("12000000"));
}

void TestEval::deepProgramsRun() {
    std::string text = "x";
    for (int i = 0; i < 5000; ++i) text.insert(0, "(add 1.0 ").append(")");
    QCOMPARE(run("(def f Float (x : Float) " + text + ")", {"0.5"}), std::string("5000.5"));
    QCOMPARE(run("(def f Integer (n : Integer) (if (lte n 0) 0 (add 1 (f (sub n 1)))))", {"6000"}),
             std::string("6000"));
}

void TestEval::stopsWhenAsked() {
    std::stop_source source;
    source.request_stop();
    const Parsed parsed("(def f Integer () (sumbuild 1000000000 (lam (i : Integer) i)))");
    eval::Limits limits;
    limits.steps = std::numeric_limits<std::uint64_t>::max() - 1;
    limits.stop = source.get_token();
    const Result<eval::Evaluation> result = eval::evaluate(parsed.bank, *parsed.program, {}, limits);
    QVERIFY(!result.ok());
    QCOMPARE(static_cast<int>(result.error().code), static_cast<int>(ErrorCode::Cancelled));
}

void TestEval::jsonRoundTrip() {
    ir::TermBank bank(ks::makeRegistry());
    ir::TypeTable& types = bank.types();
    const std::vector<ir::TypeId> parts{types.floating(), types.integer(), types.boolean(), types.string(),
                                        types.tensor(2, types.floating())};
    const ir::TypeId type = types.tuple(parts);
    const std::string json = R"({"tuple":[0.1,9007199254740993,true,"a\"é\n",[[1.0,"nan"],["-inf",1e+300]]]})";
    const Result<eval::Value> value = eval::valueFromJson(bank, type, json);
    QVERIFY2(value.ok(), value ? "" : value.error().message.c_str());
    QCOMPARE(eval::toJson(*value), json);
    QCOMPARE(eval::toString(*value),
             std::string("(0.1, 9007199254740993, true, \"a\\\"é\\n\", [[1.0, nan], [-inf, 1e+300]])"));
    const Result<eval::Value> longVector = eval::valueFromJson(bank, types.vec(types.integer()), "[1,2,3,4,5]");
    QCOMPARE(eval::toString(*longVector, 3), std::string("[1, 2, 3, … 2 more]"));
    const auto images = std::make_shared<tensor::Array>(
        tensor::Array{.dtype = ir::Dtype::I32, .shape = {4, 3, 100, 100}, .elements = std::vector<double>(120'000, 7)});
    const std::string brief = eval::toString(eval::Value(images));
    QVERIFY2(brief.size() < 400, brief.c_str());
    QVERIFY2(brief.starts_with("[[[[7, 7, … 98 more], [7, 7, … 98 more], … 98 more], "), brief.c_str());
}

void TestEval::badJsonIsRefused_data() {
    QTest::addColumn<QString>("json");
    QTest::addColumn<QString>("expected");
    QTest::newRow("not JSON") << "[1,"
                              << "this is not JSON: \"[1,\"";
    QTest::newRow("wrong kind") << "true"
                                << "expected {\"tuple\": [2 values]} for (Tuple Float (Vec Integer)), found true";
    QTest::newRow("wrong element") << R"({"tuple":["x",[1]]})"
                                   << "expected a number (Float), found \"x\"";
    QTest::newRow("fraction") << R"({"tuple":[1,[1.5]]})"
                              << "expected Integer, found 1.5";
    QTest::newRow("too large") << R"({"tuple":[1,[18446744073709551615]]})"
                               << "expected Integer, found 18446744073709551615";
    QTest::newRow("not a list") << R"({"tuple":[1,2]})"
                                << "a list for (Vec Integer)";
}

void TestEval::badJsonIsRefused() {
    QFETCH(QString, json);
    QFETCH(QString, expected);
    ir::TermBank bank(ks::makeRegistry());
    const std::vector<ir::TypeId> parts{bank.types().floating(), bank.types().vec(bank.types().integer())};
    const Result<eval::Value> value = eval::valueFromJson(bank, bank.types().tuple(parts), json.toStdString());
    QVERIFY(!value.ok());
    QVERIFY2(QString::fromStdString(value.error().message).contains(expected), value.error().message.c_str());
}

void TestEval::deviationOfValues() {
    using eval::Value;
    constexpr double Inf = std::numeric_limits<double>::infinity();
    constexpr double Nan = std::numeric_limits<double>::quiet_NaN();
    QCOMPARE(eval::deviation(Value(1.0), Value(1.5)), 0.5 / 1.5);
    QCOMPARE(eval::deviation(Value(0.25), Value(0.0)), 0.25);
    QCOMPARE(eval::deviation(Value(Nan), Value(Nan)), 0.0);
    QCOMPARE(eval::deviation(Value(Inf), Value(Inf)), 0.0);
    QCOMPARE(eval::deviation(Value(Inf), Value(-Inf)), Inf);
    QCOMPARE(eval::deviation(Value(1.0), Value(Nan)), Inf);
    QCOMPARE(eval::deviation(Value(std::int64_t{1}), Value(std::int64_t{2})), Inf);
    QCOMPARE(eval::deviation(Value(1e308), Value(-1e308)), 2.0);
    // Small elements of arrays count by the array's largest: one per cent of a probability is no rounding.
    const auto array = [](std::vector<double> elements) {
        tensor::Array made{.dtype = ir::Dtype::F32, .shape = {2}, .elements = std::move(elements)};
        return Value(std::make_shared<const tensor::Array>(std::move(made)));
    };
    QCOMPARE(eval::deviation(array({0.001, 0.002}), array({0.001, 0.00198})), 0.01);
    QCOMPARE(eval::deviation(array({4.0, 0.0}), array({4.0, 0.5})), 0.5);
    QCOMPARE(eval::deviation(array({0.0, 0.0}), array({0.0, 1e-16})), 1e-10);
    const Value one(eval::TensorValue{{1}, {Value(1.0)}});
    const Value two(eval::TensorValue{{2}, {Value(1.0), Value(1.0)}});
    QCOMPARE(eval::deviation(one, two), Inf);
}

void TestEval::randomInputsFollowTheSignature() {
    const Parsed parsed(
        "(def f Float ((a : (Vec n (Vec m Float))) (b : (Vec m Float)) (t : (Tuple Integer Bool)) "
        "(c : (Tensor 2 n 3 Float))) 1.0)");
    QVERIFY2(parsed.program.ok(), parsed.program ? "" : parsed.program.error().render().c_str());
    Random random(7);
    bool differentSizes = false;
    for (int i = 0; i < 40; ++i) {
        const Result<eval::Inputs> inputs = eval::randomInputs(parsed.bank, parsed.function(), random);
        QVERIFY(inputs.ok());
        const eval::TensorValue& a = inputs->arguments[0].asTensor();
        const std::int64_t m = inputs->arguments[1].asTensor().dims[0];
        QVERIFY(a.dims[0] >= 1 && a.dims[0] <= 4);
        for (const eval::Value& row : a.elements) QCOMPARE(row.asTensor().dims[0], m);
        QCOMPARE(inputs->arguments[3].asTensor().dims, (std::vector<std::int64_t>{a.dims[0], 3}));
        differentSizes = differentSizes || m != a.dims[0];
        QVERIFY(eval::evaluate(parsed.bank, *parsed.program, *inputs).ok());
    }
    QVERIFY(differentSizes);
    const Result<eval::Inputs> sized = eval::sizedInputs(parsed.bank, parsed.function(), random, 50);
    QCOMPARE(sized->arguments[0].asTensor().dims[0], 50);
    QVERIFY(!eval::sizedInputs(parsed.bank, parsed.function(), random, 1'000'000).ok());

    Random first(3);
    Random second(3);
    const auto text = [&](Random& r) {
        std::string all;
        const Result<eval::Inputs> inputs = eval::randomInputs(parsed.bank, parsed.function(), r);
        for (const eval::Value& v : inputs->arguments) all += eval::toJson(v);
        return all;
    };
    QCOMPARE(text(first), text(second));

    const Parsed taking("(edef g Float (Lam Float Float)) (def f Float ((h : (Lam Float Float))) 1.0)");
    if (taking.program) QVERIFY(!eval::randomInputs(taking.bank, taking.function(), random).ok());
}

void TestEval::compareFindsWrongRewrites_data() {
    QTest::addColumn<QString>("first");
    QTest::addColumn<QString>("second");
    QTest::addColumn<bool>("equivalent");
    QTest::addColumn<QString>("note");
    QTest::newRow("cancel") << "(div (mul x y) x)"
                            << "(add y (mul 0.0 x))" << true << "";
    QTest::newRow("wrong sign") << "(sub x y)"
                                << "(sub y x)" << false << "";
    QTest::newRow("only for x > 1") << "(def f Float ((x : Float)) (max x 1.0))"
                                    << "(def f Float ((x : Float)) x)" << false << "";
    QTest::newRow("logarithms") << "(def f Float ((x : Float) (y : Float)) (add (log x) (log y)))"
                                << "(def f Float ((x : Float) (y : Float)) (log (mul x y)))" << true << "positive";
    QTest::newRow("the logarithm of a square") << "(log (mul (add x 3.0) (add x 3.0)))"
                                               << "(mul 2.0 (log (add x 3.0)))" << false << "";
    QTest::newRow("a bound that is far away") << "(def f Float ((x : Float)) (max x -1000000000.0))"
                                              << "(def f Float ((x : Float)) x)" << false << "";
    QTest::newRow("one number decides") << "(def f Float ((x : Float) (y : Float)) (if (gt (add x 70.0) 3.0) y x))"
                                        << "(def f Float ((x : Float) (y : Float)) (if (gte (add x 70.0) 3.0) y x))"
                                        << false << "";
    QTest::newRow("overflow is no difference")
        << "(def f Float ((x : Float)) x)"
        << "(def f Float ((x : Float)) (div (mul x 1e10) 1e10))" << true << "equal over the reals only";
    QTest::newRow("loops that do not run")
        << "(def f (Vec Float) ((n : Integer) (v : (Vec Float))) (build n (lam (i : Integer) (index 7 v))))"
        << "(def f (Vec Float) ((n : Integer) (v : (Vec Float))) (constVec n (index 7 v)))" << false << "";
    QTest::newRow("an empty array among others")
        << "(def f Float ((n : Integer) (w : (Vec Float)) (v : (Vec Float))) (if (gt n 0) (fold (lam (t : (Tuple Float "
           "Float)) (add (get$1$2 t) (mul (get$2$2 t) (index 2 w)))) 0.0 v) 0.0))"
        << "(def f Float ((n : Integer) (w : (Vec Float)) (v : (Vec Float))) (if (gt n 0) (let (a (index 2 w)) (fold "
           "(lam "
           "(t : (Tuple Float Float)) (add (get$1$2 t) (mul (get$2$2 t) a))) 0.0 v)) 0.0))"
        << false << "";
    QTest::newRow("nearly all inputs overflow")
        << "(def f Float ((x : Float)) (let (d (exp (add 2000.0 (mul x 0.0)))) (if (lt x d) (add (mul x x) 1.0) 3.0)))"
        << "(def f Float ((x : Float)) (let (d (exp (add 2000.0 (mul x 0.0)))) (if (lt x d) (add x 1.0) 3.0)))" << false
        << "so the comparison decides nothing";
    QTest::newRow("the same for square matrices only")
        << "(def f (Vec (Vec Float)) ((a : (Vec n (Vec m Float))) (b : (Vec m (Vec l "
           "Float)))) (build n (lam (i : Integer) "
           "(build m (lam (j : Integer) (sumbuild l (lam (k : Integer) (mul (index i "
           "(index k a)) (index k (index j b))))))))))"
        << "(def f (Vec (Vec Float)) ((a : (Vec n (Vec m Float))) (b : (Vec m (Vec l "
           "Float)))) (build l (lam (i : Integer) "
           "(build n (lam (j : Integer) (sumbuild m (lam (k : Integer) (mul (index k "
           "(index j b)) (index i (index k a))))))))))"
        << false << "";
    QTest::newRow("equal sizes only")
        << "(def f (Vec Float) ((a : (Vec Float)) (b : (Vec Float)) (c : (Vec Float))) (add a (add b c)))"
        << "(def f (Vec Float) ((a : (Vec Float)) (b : (Vec Float)) (c : (Vec Float))) (add (add a b) c))" << true
        << "mostly with equal sizes";
    QTest::newRow("elements of different sizes never meet")
        << "(def f (Vec (Vec Float)) ((w : (Vec Float)) (v : (Vec Float)) (k : Integer)) "
           "(sumbuild k (lam (x : Integer) (deltaVec (size w) 0 (if (gt x 0) v w)))))"
        << "(def f (Vec (Vec Float)) ((w : (Vec Float)) (v : (Vec Float)) (k : Integer)) "
           "(deltaVec (size w) 0 (sumbuild k (lam (x : Integer) (if (gt x 0) v w)))))"
        << false << "";
    QTest::newRow("a ragged vector of vectors")
        << "(def f Integer ((m : (Vec (Vec Float)))) (sumbuild (size m) (lam (i : Integer) (size (index i m)))))"
        << "(def f Integer ((m : (Vec (Vec Float)))) (mul (size m) (size (index 0 m))))" << false << "";
    QTest::newRow("Integers wrap around")
        << "(def f Float ((n : Integer) (m : Integer) (x : Float)) (if (gt (sub n m) 0) x (mul 2.0 x)))"
        << "(def f Float ((n : Integer) (m : Integer) (x : Float)) (if (gt n m) x (mul 2.0 x)))" << false << "";
    QTest::newRow("products of Integers wrap around")
        << "(def f Integer ((n : Integer) (m : Integer)) (add (div (mul n 2) 2) m))"
        << "(def f Integer ((n : Integer) (m : Integer)) (add n m))" << false << "";
    QTest::newRow("a square of Integers may be negative") << "(def f Float ((n : Integer) (v : (Vec Float))) (let (a "
                                                             "(to_float (add 1 (mul n n)))) (sumbuild (size v) (lam "
                                                             "(i : Integer) (log (mul a (index i v)))))))"
                                                          << "(def f Float ((n : Integer) (v : (Vec Float))) (let (a "
                                                             "(to_float (add 1 (mul n n)))) (sumbuild (size v) (lam "
                                                             "(i : Integer) (add (log a) (log (index i v)))))))"
                                                          << false << "";
    QTest::newRow("one Integer decides") << "(def f Float ((n : Integer) (x : Float)) (if (eq n 12345) x (mul 2.0 x)))"
                                         << "(def f Float ((n : Integer) (x : Float)) (mul 2.0 x))" << false << "";
    QTest::newRow("one size decides")
        << "(def f Float ((v : (Vec Float)) (x : Float)) (if (eq (size v) 30) x (mul 2.0 x)))"
        << "(def f Float ((v : (Vec Float)) (x : Float)) (mul 2.0 x))" << false << "";
    QTest::newRow("the bound of a loop is no wide Integer")
        << "(def f Float ((n : Integer) (x : Float)) (sumbuild n (lam (i : Integer) x)))"
        << "(def f Float ((n : Integer) (x : Float)) (mul x (to_float n)))" << true << "";
    QTest::newRow("the second fails") << "(def f Float ((v : (Vec Float))) (index 0 v))"
                                      << "(def f Float ((v : (Vec Float))) (index 1 v))" << false << "";
    QTest::newRow("never defined") << "(def f Float ((x : Float)) (assert (gt 0 1) x))"
                                   << "(def f Float ((x : Float)) x)" << false << "no input was found";
}

void TestEval::compareFindsWrongRewrites() {
    QFETCH(QString, first);
    QFETCH(QString, second);
    QFETCH(bool, equivalent);
    QFETCH(QString, note);
    ir::TermBank bank(ks::makeRegistry());
    const Result<ir::Program> a = ks::parseProgram(bank, "a", first.toStdString());
    QVERIFY2(a.ok(), a ? "" : a.error().render().c_str());
    // The same signature under another name, so that both live in one bank.
    std::string other = second.toStdString();
    if (const std::size_t name = other.find("(def f "); name == 0) other.replace(0, 7, "(def g ");
    const Result<ir::Program> b = ks::parseProgram(bank, "b", other);
    ir::Program state = *a;
    if (b) {
        state.root = b->root;
    } else {
        QFAIL(b.error().render().c_str());
    }
    const Result<eval::Equivalence> result = eval::compare(bank, *a, state);
    QVERIFY2(result.ok(), result ? "" : result.error().message.c_str());
    QVERIFY2(result->equivalent == equivalent, (result->counterexample + " " + result->note).c_str());
    QVERIFY2(QString::fromStdString(result->note).contains(note), result->note.c_str());
    QCOMPARE(result->counterexample.empty(), equivalent || result->compared == 0);
}

void TestEval::compareNamesExceptions() {
    using Kind = eval::ValueException::Kind;
    const auto exceptions = [](const std::string& first, const std::string& second) {
        ir::TermBank bank(ks::makeRegistry());
        const std::string head = " Float ((x : Float) (y : Float) (z : Float)) ";
        const Result<ir::Program> a = ks::parseProgram(bank, "a", "(def f" + head + first + ")");
        const Result<ir::Program> b = ks::parseProgram(bank, "b", "(def g" + head + second + ")");
        std::vector<Kind> kinds;
        if (!a || !b) qFatal("a program does not parse");
        const Result<eval::Equivalence> result = eval::compare(bank, *a, {a->function, b->root});
        if (!result || !result->equivalent) qFatal("the programs differ");
        for (const eval::ValueException& exception : result->exceptions) {
            if (exception.inputs < 1 || exception.example.empty()) qFatal("an exception without an input");
            kinds.push_back(exception.kind);
        }
        return kinds;
    };
    QCOMPARE(exceptions("(if (gt (div 1.0 (add 0.0 x)) 0.0) 5.0 3.0)", "(if (gt (div 1.0 x) 0.0) 5.0 3.0)"),
             std::vector<Kind>{Kind::ZeroSign});
    QCOMPARE(exceptions("(if (eq x x) y z)", "y"), std::vector<Kind>{Kind::NotANumber});
    // Equal zeros of different signs are the same value.
    QCOMPARE(exceptions("(add 0.0 x)", "x"), std::vector<Kind>());
    QCOMPARE(exceptions("(add (add x y) z)", "(add x (add y z))"), std::vector<Kind>());
}

void TestEval::measuredTimesAreNotCompared() {
    ir::TermBank bank(ks::makeRegistry());
    const Result<ir::Program> program = ks::parseProgram(
        bank, "-",
        "(def t Float (n : Integer) ($BENCH (lam (u : (Tuple)) (sumbuild 9 (lam (i : Integer) (to_float i)))))) "
        "(def f Float (n : Integer) (add 1.0 (t n)))");
    QVERIFY2(program.ok(), program ? "" : program.error().render().c_str());
    const Result<eval::Equivalence> same = eval::compare(bank, *program, *program);
    QVERIFY(same.ok());
    QCOMPARE(same->compared, 0);
    QCOMPARE(same->note, std::string("$BENCH gives another time whenever it is run"));
}

void TestEval::randomTermsRunAndPrintBack() {
    ir::TermBank bank(ks::makeRegistry());
    ir::TypeTable& types = bank.types();
    const std::vector<ir::TypeId> pair{types.floating(), types.vec(types.floating())};
    const std::vector<ir::TypeId> wanted{types.floating(),
                                         types.integer(),
                                         types.boolean(),
                                         types.string(),
                                         types.tuple(pair),
                                         types.vec(types.floating()),
                                         types.tensor(2, types.floating()),
                                         types.vec(types.vec(types.floating())),
                                         types.unit()};
    ir::Function function;
    function.name = "f";
    const Symbol x = bank.symbols().intern("x");
    const Symbol v = bank.symbols().intern("v");
    function.parameters = {{x, types.floating()}, {v, types.vec(types.floating())}};
    const std::vector<ir::TypeId> arguments{types.floating(), types.vec(types.floating())};
    function.argument = types.tuple(arguments);
    const Result<ir::FunctionId> id = bank.declare(function);
    const eval::TermScope scope{function.parameters, {}};
    Random random(11);
    int succeeded = 0;
    constexpr int Count = 900;
    for (int i = 0; i < Count; ++i) {
        const ir::TypeId type = wanted[static_cast<std::size_t>(i) % wanted.size()];
        const ir::TermId term = eval::randomTerm(bank, type, scope, random, 5 + static_cast<std::uint32_t>(i % 40));
        QCOMPARE(bank.type(term), type);
        QCOMPARE(bank.looseBound(term), 0U);
        const Result<eval::Inputs> inputs = eval::randomInputs(bank, bank.function(*id), random);
        const Result<eval::Evaluation> result = eval::evaluate(bank, {*id, term}, *inputs, {.steps = 1'000'000});
        if (result) {
            ++succeeded;
            QVERIFY(eval::valueFromJson(bank, type, eval::toJson(result->value)).ok());
        } else {
            QVERIFY2(!result.error().message.empty(), "a failure says why");
        }
    }
    QVERIFY2(succeeded > Count * 6 / 10, qPrintable(QString::number(succeeded)));
    Random a(5);
    Random b(5);
    QCOMPARE(eval::randomTerm(bank, types.floating(), scope, a, 40),
             eval::randomTerm(bank, types.floating(), scope, b, 40));
}

MITOS_TEST(TestEval)

}  // namespace tst_eval

#include "tst_eval.moc"

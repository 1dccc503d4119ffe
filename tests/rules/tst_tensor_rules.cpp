// SPDX-License-Identifier: GPL-3.0-or-later
// Rules over arrays: what the language says about them, and the shipped rules against evaluation.
#include "core/dialects/dialects.h"
#include "core/eval/testing/rule_test.h"
#include "core/rules/directed_rule.h"
#include "core/rules/matching/graph_matcher.h"
#include "core/rules/matching/graph_view.h"
#include "core/rules/matching/machine.h"
#include "core/rules/rule.h"
#include "core/tensor/operator.h"
#include "core/tensor/text.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <QTemporaryDir>
#include <fstream>
#include <memory>
#include <string>

namespace tst_tensor_rules {

using namespace mitos;

namespace {

std::shared_ptr<const ir::OperatorRegistry> registry() {
    static const auto shared = dialects::makeRegistry();
    return shared;
}

Result<rules::LoadedRules> load(const std::string& rule) {
    return rules::loadRules(SourceText("test.rules", "use tensor\nrule r: " + rule + "\n"), registry());
}

/// What the rule makes of the root of a graph, each result as a term; "none". Each substitution must pass the independent check,
/// and the machine and the matcher of graphs must find the same ones.
std::string rewrites(const std::string& rule, const std::string& body, const std::string& parameters) {
    const Result<rules::LoadedRules> loaded = load(rule);
    if (!loaded) return loaded.error().oneLine() + " | " + loaded.error().hint;
    if (!loaded->errors.empty()) return loaded->errors.front().oneLine() + " | " + loaded->errors.front().hint;
    ir::TermBank bank(registry());
    const Result<ir::Program> program =
        tensor::parseListing(bank, SourceText("test", "graph g(" + parameters + ")\n" + body + "\n"));
    if (!program) return program.error().render();
    const auto direction =
        std::dynamic_pointer_cast<const rules::CompiledDirection>(loaded->set.rules.front()->directions.front());
    std::string result;
    std::vector<rules::Substitution> found;
    direction->match(bank, program->root, [&](const rules::Substitution& match) {
        found.push_back(match);
        const Status instance = direction->isInstance(bank, match, program->root);
        if (!instance) result += "not an instance: " + instance.error().message;
        const Result<ir::TermId> after = direction->apply(bank, match, program->root);
        result += (result.empty() ? "" : " | ") +
                  (after ? tensor::termText(bank, *after, 20) : "refused: " + after.error().message);
        return true;
    });
    const rules::ProgramView view(bank);
    std::vector<rules::Substitution> byMachine;
    rules::Machine machine(view, direction->compiled(), view.placeOf(program->root));
    while (machine.status() != rules::Machine::Status::Failure) {
        machine.step();
        if (machine.status() == rules::Machine::Status::Success) byMachine.push_back(machine.state().values);
    }
    if (byMachine != found) return "the machine finds others";
    return found.empty() ? "none" : result;
}

}  // namespace

class TestTensorRules : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void language_data();
    void language();
    void mistakes_data();
    void mistakes();
    void unsoundRulesFail_data();
    void unsoundRulesFail();
    void sizesThatMayDiffer_data();
    void sizesThatMayDiffer();
    void guardedAgainstWhatFails_data();
    void guardedAgainstWhatFails();
    void counterexamplesAreMinimal_data();
    void counterexamplesAreMinimal();
    void declaringAnOperatorOfTheDialect();
    void shippedRulesHold_data();
    void shippedRulesHold();
    void shippedRulesAreDocumented();
};

void TestTensorRules::language_data() {
    QTest::addColumn<QString>("rule");
    QTest::addColumn<QString>("parameters");
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const char* rule, const char* parameters, const char* body,
                        const char* expected) { QTest::newRow(name) << rule << parameters << body << expected; };
    const char* const matrices = "x: f32[2,3], y: f32[3,4], z: f32[3,5]";
    row("infix", "a * (b + a) => a * a + a * b", "x: f32[2], y: f32[2]", "return Mul(x, Add(y, x))",
        "Add(Mul(x, x), Mul(x, y))");
    row("shapes in conditions",
        "MatMul(a, b) => MatMul(a, Transpose[perm=[1, 0]](Transpose[perm=[1, 0]](b)))"
        " where a.shape[1] == b.shape[0] and a.shape == [2, 3] and b.shape[-1] == 4 and len(a.shape) == 2",
        matrices, "return MatMul(x, y)", "MatMul(x, Transpose[perm=[1,0]](Transpose[perm=[1,0]](y)))");
    row("a shape that is another", "MatMul(a, b) => MatMul(a, b) where a.shape == b.shape", matrices,
        "return MatMul(x, y)", "none");
    row("permutations", "Transpose[perm=p](Transpose[perm=q](a)) => Transpose[perm=q[p]](a)", "x: f32[2,3,4]",
        "return Transpose[perm=[1,2,0]](Transpose[perm=[0,2,1]](x))", "Transpose[perm=[2,1,0]](x)");
    row("an inverse", "Transpose[perm=p](a) => Transpose[perm=inverse(inverse(p))](a) where p == inverse(inverse(p))",
        "x: f32[2,3,4]", "return Transpose[perm=[1,2,0]](x)", "Transpose[perm=[1,2,0]](x)");
    row("a list that is named by elements",
        "Split[axis=0, sizes=[m, n]](a).1 => Split[axis=0, sizes=[m, n]](a).1 where m < n", "x: f32[5]",
        "s = Split[axis=0,sizes=[2,3]](x)\nreturn s[1]", "Split[axis=0,sizes=[2,3]](x)[1]");
    row("a list of another length", "Split[axis=0, sizes=[m, n]](a).1 => a", "x: f32[3]",
        "s = Split[axis=0,sizes=[1,1,1]](x)\nreturn s[1]", "none");
    row("all other attributes",
        "Conv[group=1, ...c](a, w) + Conv[group=1, ...c](a, v) => Conv[group=1, ...c](a, w + v)",
        "x: f32[1,2,5,5], w: f32[3,2,3,3], v: f32[3,2,3,3]",
        "return Add(Conv[strides=[2,2],pads=[1,1,1,1],dilations=[1,1]](x, w), "
        "Conv[strides=[2,2],pads=[1,1,1,1],dilations=[1,1]](x, v))",
        "Conv[strides=[2,2],pads=[1,1,1,1],dilations=[1,1]](x, Add(w, v))");
    // What an element type cannot hold is not written into programs.
    const char* const fold = "c * (d * x) => const(c * d) * x where c.is_const and d.is_const";
    const auto product = [](const char* type, const char* factor) {
        return "c = Constant[value=" + std::string(factor) + ",dtype=" + type +
               ",shape=[]]()\nreturn Mul(c, Mul(c, x))";
    };
    const char* const lost = "refused: an element type cannot hold a number that the rule would compute";
    const auto constant = [](const char* type, const char* value) {
        return "Mul(Constant[value=" + std::string(value) + ",dtype=" + type + ",shape=[]](), x)";
    };
    row("a constant", fold, "x: f16[2]", product("f16", "100.0").c_str(), constant("f16", "10000.0").c_str());
    row("one too large", fold, "x: f16[2]", product("f16", "1000.0").c_str(),
        "refused: 1000000 is no value of type f16");
    row("one that would be 0", fold, "x: f16[2]", product("f16", "0.0001").c_str(), lost);
    row("one with few digits", fold, "x: f16[2]", product("f16", "0.001").c_str(), lost);
    row("the same in bf16", fold, "x: bf16[2]", product("bf16", "1000.0").c_str(),
        constant("bf16", "1000000.0").c_str());
    row("too large for f32", fold, "x: f32[2]", product("f32", "1e+30").c_str(),
        "refused: 1.0000000000000001e+60 is no value of type f32");
    row("lost in double precision", fold, "x: f64[2]", product("f64", "1e-200").c_str(),
        "refused: the computed constant has no finite value");
    row("an Integer that wraps around", fold, "x: u8[2]", product("u8", "20.0").c_str(),
        "refused: 400 is no value of type u8");
    row("an Integer that is not exact", fold, "x: i64[2]", product("i64", "94906267.0").c_str(), lost);
    row("a quotient", "x / c => x * const(1.0 / c) where c.is_const", "x: f16[2]",
        "c = Constant[value=1e-6,dtype=f16,shape=[]]()\nreturn Div(x, c)", "refused: 1000000 is no value of type f16");
    row("constants that a rule brings together", "x * (y * z) => (x * y) * z", "x: f16[2]",
        product("f16", "1000.0").c_str(), lost);
    row("an attribute", "MatMul(x, y) / c => FusedMatMul[alpha=1.0 / c](x, y) where c.is_const", "x: f32[2,2]",
        "c = Constant[value=1e-40,dtype=f32,shape=[]]()\nreturn Div(MatMul(x, x), c)",
        "refused: single precision cannot hold a number that the rule would compute");
    row("sizes with names are not 0", "Relu(a) => a where not contains(a.shape, 0)", "x: f32[N,3]", "return Relu(x)",
        "x");
    row("a size that is 0", "Relu(a) => a where not contains(a.shape, 0)", "x: f32[0,3]", "return Relu(x)", "none");
    row("other attributes that differ", "Conv[...c](a, w) + Conv[...c](a, v) => Conv[...c](a, w + v)",
        "x: f32[1,2,5,5], w: f32[3,2,3,3], v: f32[3,2,3,3]",
        "return Add(Conv[strides=[1,1],pads=[1,1,1,1],dilations=[1,1]](x, w), "
        "Conv[strides=[1,1],pads=[2,2,2,2],dilations=[2,2]](x, v))",
        "none");
    row("attributes of the rest in conditions",
        "Conv[...c](a, w) => Conv[pads=c.pads + 0, ...c](a, w) where all(c.pads, 1)",
        "x: f32[1,2,5,5], w: f32[3,2,3,3]", "return Conv[strides=[1,1],pads=[1,1,1,1],dilations=[1,1]](x, w)",
        "Conv[strides=[1,1],pads=[1,1,1,1],dilations=[1,1]](x, w)");
    row("defaults", "MatMul(a, b) => Gemm[transA=false](a, b)", matrices, "return MatMul(x, y)", "Gemm(x, y)");
    row("a whole number for a Float", "MatMul(a, b) => Gemm[alpha=1](a, b)", matrices, "return MatMul(x, y)",
        "Gemm(x, y)");
    row("inputs that are left out", "Gemm(a, b) => MatMul(a, b)", "x: f32[2,3], y: f32[3,4], b: f32[4]",
        "return Gemm(x, y, b)", "none");
    row("sequences", "Concat[axis=k](a..., Concat[axis=k](b...)) => Concat[axis=k](a..., b...)",
        "x: f32[2], y: f32[2], z: f32[3]", "return Concat[axis=0](x, Concat[axis=0](y, z))", "Concat[axis=0](x, y, z)");
    row("sizes of a sequence",
        "Concat[axis=k](a...) => Split[axis=k, sizes=concat(sizes(a, k), [])](Concat[axis=k](a...)).0",
        "x: f32[2], y: f32[3]", "return Concat[axis=0](x, y)", "refused: r gives a f32[2] where a f32[5] is needed");
    row("a result of another type", "a + b => a", "x: f32[1], y: f32[4]", "return Add(x, y)",
        "refused: r gives a f32[1] where a f32[4] is needed");
    row("names of sizes", "a + b => b + a where a.shape == b.shape", "x: f32[N], y: f32[N]", "return Add(x, y)",
        "Add(y, x)");
    row("names of sizes that may differ", "MatMul(a, b) => MatMul(a, b) where a.shape[0] != b.shape[1]",
        "x: f32[N,3], y: f32[3,M]", "return MatMul(x, y)", "none");
    row("what has names is not static", "a + b => b + a where not a.is_static and b.is_static and a.is_floating",
        "x: f32[N], y: f32[1]", "return Add(x, y)", "Add(y, x)");
    row("weights",
        "MatMul(a, b) => MatMul(a, Transpose[perm=[1, 0]](Transpose[perm=[1, 0]](b)))"
        " where b.is_weight and not a.is_weight",
        "x: f32[2,3]", "weight w: f32[3,4]\nreturn MatMul(x, Mul(w, w))",
        "MatMul(x, Transpose[perm=[1,0]](Transpose[perm=[1,0]](Mul(w, w))))");
    row("element types", "a + b => b + a where a.dtype == i64", "x: i64[2], y: i64[2]", "return Add(x, y)",
        "Add(y, x)");
    row("function variables", "F(Transpose[perm=p](a)) => Transpose[perm=p](F(a)) where F: unary_pointwise",
        "x: f32[2,3]", "return Relu(Transpose[perm=[1,0]](x))", "Transpose[perm=[1,0]](Relu(x))");
    row("slices and products", "Reshape(a) => Reshape[shape=concat(a.shape[:1], [product(a.shape[1:])])](a)",
        "x: f32[2,3,4]", "return Reshape[shape=[2,12]](x)", "Reshape[shape=[2,12]](x)");
}

void TestTensorRules::language() {
    QFETCH(const QString, rule);
    QFETCH(const QString, parameters);
    QFETCH(const QString, body);
    QFETCH(const QString, expected);
    QCOMPARE(QString::fromStdString(rewrites(rule.toStdString(), body.toStdString(), parameters.toStdString())),
             expected);
}

void TestTensorRules::mistakes_data() {
    QTest::addColumn<QString>("rule");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* rule, const char* message) { QTest::newRow(rule) << rule << message; };
    row("Transpose[perm=p](x) => Transpose(x)", "the attribute perm of Transpose is missing");
    row("Transpose[order=p](x) => x", "Transpose has no attribute order");
    row("x + y => Conv[...a](x, y)", "a.strides is not bound: it does not occur on the side that is matched");
    row("x + y => [1, 2]", "a list can only be the value of an attribute");
    row("x + y => y where x.shape == 2", "a list is compared with a number");
    row("x + y => y where x.shape", "expected a truth value, this is a list");
    row("x + y => y where len(x) == 2 and len(3) == 1", "expected a list, this is a number");
    row("x + y => y where x.shape[x.dtype] == 2", "expected a number or a list, this is a type");
    row("x + y => y where all(x.shape) == 2", "all takes 2 arguments here");
    row("x + y => y where sizes(x, 0) == [1]", "x is not a sequence");
    row("Concat[axis=a](x...) => Concat[axis=a](x...) where [x...] == [1]", "a list cannot contain a sequence");
}

void TestTensorRules::mistakes() {
    QFETCH(const QString, rule);
    QFETCH(const QString, message);
    const Result<rules::LoadedRules> loaded = load(rule.toStdString());
    QVERIFY(!loaded.ok());
    QCOMPARE(QString::fromStdString(loaded.error().message), message);
}

void TestTensorRules::unsoundRulesFail_data() {
    QTest::addColumn<QString>("rule");
    QTest::newRow("operands exchanged") << "MatMul(x, y) => MatMul(y, x)";
    QTest::newRow("filters of groups")
        << "Conv[...a](x, Concat[axis=0](u, v)) => Concat[axis=1](Conv[...a](x, u), Conv[...a](x, v))";
    QTest::newRow("pads that only maxima leave out") << "Relu(AveragePool[...a](x)) => AveragePool[...a](Relu(x))";
    QTest::newRow("a bias twice") << "Conv[...a](x, w, b) + Conv[...a](y, w, b) => Conv[...a](x + y, w, b)";
    QTest::newRow("parts exchanged") << "Concat[axis=a](x, y) => Concat[axis=a](y, x)";
    QTest::newRow("a permutation turned round") << "Transpose[perm=p](Transpose[perm=q](x)) => Transpose[perm=p[q]](x)";
    QTest::newRow("strides forgotten") << "Conv[strides=s, ...a](x, u) + Conv[strides=t, ...a](y, u) => "
                                          "Conv[strides=s, ...a](x + y, u) where x.shape == y.shape";
    QTest::newRow("values of attention")
        << "Attention[...a](q, k, Neg(v)) => Attention[...a](q, k, v) where q.rank == 4";
    QTest::newRow("the sign of a mean square") << "RMSNormalization[...a](Neg(x), s) => RMSNormalization[...a](x, s)";
    QTest::newRow("several roots")
        << "MatMul(x, y), MatMul(x, z) => s.1, s.0 let m = MatMul(x, Concat[axis=1](y, z)), "
           "s = Split[axis=1, sizes=[y.shape[1], z.shape[1]]](m) where x.rank == 2 and y.rank == 2 and z.rank == 2";
    // Right wherever all sizes are known: images of H by W and of K by L have means, but cannot be joined.
    QTest::newRow("images of sizes that may differ")
        << "Concat[axis=k](GlobalAveragePool(x), GlobalAveragePool(y)) => GlobalAveragePool(Concat[axis=k](x, y)) "
           "where k < 2";
    QTest::newRow("windows over sizes that may differ")
        << "Concat[axis=0](Conv[...a](x, w), Conv[...a](y, w)) => Conv[...a](Concat[axis=0](x, y), w)";
    QTest::newRow("the largest of no elements") << "Relu(ReduceMax[...r](x)) => ReduceMax[...r](Relu(x))";
    QTest::newRow("divisors that nobody looked up")
        << "Gather[axis=a](x, i) / Gather[axis=a](y, i) => Gather[axis=a](x / y, i) where x.shape == y.shape";
    QTest::newRow("channels that may be one")
        << "Conv[group=1, ...a](x * s, w) => Conv[group=1, ...a](x, w * Reshape[shape=[1, w.shape[1], 1, 1]](s)) "
           "where w.rank == 4 and w.is_static and s.shape == [1, w.shape[1], 1, 1]";
}

void TestTensorRules::unsoundRulesFail() {
    QFETCH(const QString, rule);
    const QTemporaryDir folder;
    const std::string file = folder.filePath(QStringLiteral("unsound.rules")).toStdString();
    std::ofstream(file) << "use tensor\nrule unsound [reassociating]: " << rule.toStdString() << "\n";
    const Result<rules::RuleBook> book = rules::RuleBook::load(file, registry());
    QVERIFY2(book.ok(), book ? "" : book.error().render().c_str());
    eval::RuleTestOptions options;
    options.samplesPerRule = 1000;
    const std::vector<eval::RuleVerdict> verdicts = eval::testRules(*book, options);
    QCOMPARE(verdicts.size(), std::size_t{1});
    QVERIFY2(verdicts[0].verdict == eval::Verdict::Fail, verdicts[0].note.c_str());
    // A small counterexample: a mistake is hard to see among hundreds of numbers.
    const std::string& inputs = verdicts[0].counterexample->inputs;
    QVERIFY2(inputs.size() < 400, verdicts[0].counterexample->toString().c_str());
}

void TestTensorRules::sizesThatMayDiffer_data() {
    QTest::addColumn<QString>("direction");
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("parameters");
    QTest::addColumn<bool>("applies");
    const auto row = [](const char* direction, const char* body, const char* same, const char* different) {
        QTest::addRow("%s, one size", direction) << direction << body << same << true;
        QTest::addRow("%s, two sizes", direction) << direction << body << different << false;
    };
    const char* const same = "x: f32[1,3,H,W], z: f32[1,5,H,W]";
    const char* const different = "x: f32[1,3,H,W], z: f32[1,5,H,L]";
    const char* const means = "return Concat[axis=1](GlobalAveragePool(x), GlobalAveragePool(z))";
    row("global_average_concat~", means, same, different);
    row("global_max_concat~", "return Concat[axis=1](GlobalMaxPool(x), GlobalMaxPool(z))", same, different);
    row("maxpool_concat~",
        "return Concat[axis=1](MaxPool[kernel_shape=[2,2],strides=[2,2],pads=[0,0,0,0],dilations=[1,1]](x), "
        "MaxPool[kernel_shape=[2,2],strides=[2,2],pads=[0,0,0,0],dilations=[1,1]](z))",
        same, different);
    row("averagepool_concat~",
        "return Concat[axis=1](AveragePool[kernel_shape=[2,2],strides=[2,2],pads=[0,0,0,0]](x), "
        "AveragePool[kernel_shape=[2,2],strides=[2,2],pads=[0,0,0,0]](z))",
        same, different);
    const char* const images = "x: f32[A,3,H,W], z: f32[B,3,H,W], w: f32[2,3,1,1], b: f32[2]";
    const char* const others = "x: f32[A,3,H,W], z: f32[B,3,K,W], w: f32[2,3,1,1], b: f32[2]";
    row("conv_concat_batch~",
        "return Concat[axis=0](Conv[strides=[2,2],pads=[0,0,0,0],dilations=[1,1]](x, w), "
        "Conv[strides=[2,2],pads=[0,0,0,0],dilations=[1,1]](z, w))",
        images, others);
    row("conv_concat_batch_bias~",
        "return Concat[axis=0](Conv[strides=[2,2],pads=[0,0,0,0],dilations=[1,1]](x, w, b), "
        "Conv[strides=[2,2],pads=[0,0,0,0],dilations=[1,1]](z, w, b))",
        images, others);
    row("conv_scale_input_channels", "return Conv[strides=[1,1],pads=[0,0,0,0],dilations=[1,1]](Mul(x, s), w)",
        "x: f32[N,3,4,4], s: f32[1,3,1,1], w: f32[2,3,1,1]", "x: f32[N,C,4,4], s: f32[1,3,1,1], w: f32[2,3,1,1]");
}

/// A rule applies where two sizes have one name, and not where they have two.
void TestTensorRules::sizesThatMayDiffer() {
    QFETCH(const QString, direction);
    QFETCH(const QString, body);
    QFETCH(const QString, parameters);
    QFETCH(const bool, applies);
    static const Result<rules::RuleBook> book = rules::RuleBook::load("tensor-default", registry());
    QVERIFY2(book.ok(), book ? "" : book.error().render().c_str());
    const auto rule = book->find(direction.toStdString());
    QVERIFY(rule != nullptr);
    ir::TermBank bank(registry());
    const std::string listing = "graph g(" + parameters.toStdString() + ")\n" + body.toStdString() + "\n";
    const Result<ir::Program> program = tensor::parseListing(bank, SourceText("test", listing));
    QVERIFY2(program.ok(), program ? "" : program.error().render().c_str());
    int results = 0;
    rule->match(bank, program->root, [&](const rules::Substitution& match) {
        if (rule->apply(bank, match, program->root)) ++results;
        return true;
    });
    QCOMPARE(results > 0, applies);
}

void TestTensorRules::guardedAgainstWhatFails_data() {
    QTest::addColumn<QString>("direction");
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("parameters");
    QTest::addColumn<bool>("applies");
    const auto row = [](const char* name, const char* direction, const char* body, const char* parameters,
                        bool applies) { QTest::newRow(name) << direction << body << parameters << applies; };
    const char* const gathered = "return Div(Gather[axis=0](x, i), Gather[axis=0](z, i))";
    row("Integers that are looked up", "binary_gather", gathered, "x: i32[4], z: i32[4], i: i64[2]", false);
    row("floating numbers that are", "binary_gather", gathered, "x: f32[4], z: f32[4], i: i64[2]", true);
    row("sums of Integers that are", "binary_gather", "return Add(Gather[axis=0](x, i), Gather[axis=0](z, i))",
        "x: i32[4], z: i32[4], i: i64[2]", true);
    row("Integers that are cut off", "binary_slice",
        "return Mod(Slice[starts=[0],ends=[2],axes=[0],steps=[1]](x), "
        "Slice[starts=[0],ends=[2],axes=[0],steps=[1]](z))",
        "x: i32[4], z: i32[4]", false);
    row("the largest of none", "relu_largest", "return Relu(ReduceMax[axes=[1],keepdims=true](x))", "x: f32[3,0]",
        false);
    row("the largest of some", "relu_largest", "return Relu(ReduceMax[axes=[1],keepdims=true](x))", "x: f32[3,N]",
        true);
    row("the largest of an image", "relu_global_max", "return Relu(GlobalMaxPool(x))", "x: f32[1,2,0,3]", false);
}

void TestTensorRules::guardedAgainstWhatFails() {
    QFETCH(const QString, direction);
    QFETCH(const QString, body);
    QFETCH(const QString, parameters);
    QFETCH(const bool, applies);
    const Result<rules::RuleBook> book = rules::RuleBook::load("tensor", registry());
    QVERIFY2(book.ok(), book ? "" : book.error().render().c_str());
    ir::TermBank bank(registry());
    const Result<ir::Program> program = tensor::parseListing(
        bank, SourceText("test", "graph g(" + parameters.toStdString() + ")\n" + body.toStdString() + "\n"));
    QVERIFY2(program.ok(), program ? "" : program.error().render().c_str());
    int found = 0;
    book->find(direction.toStdString())->match(bank, program->root, [&](const rules::Substitution&) {
        ++found;
        return true;
    });
    QCOMPARE(found > 0, applies);
}

void TestTensorRules::counterexamplesAreMinimal_data() {
    QTest::addColumn<QString>("rule");
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>("inputs");
    // Nothing with fewer elements is a counterexample, which is seen by hand.
    QTest::newRow("numbers") << "x + y => x - y"
                             << "Add(x0, x1)"
                             << "x0: f32[1] = [0], x1: f32[1] = [1]";
    QTest::newRow("sizes") << "Concat[axis=a](x, y) => Concat[axis=a](y, x)"
                           << "Concat[axis=0](x0, x1)"
                           << "x0: f32[1] = [0], x1: f32[1] = [1]";
    QTest::newRow("ranks and permutations") << "Transpose[perm=p](x) => Reshape[shape=x.shape](x) where x.is_static"
                                            << "Transpose[perm=[1,0]](x0)"
                                            << "x0: f32[2,2] = [0 0 1 0] or x0: f32[2,2] = [0 1 0 0]";
    QTest::newRow("operators") << "F(x) => Relu(x) where F in {Relu, Neg}"
                               << "Neg(x0)"
                               << "x0: f32[1] = [1]";
    QTest::newRow("attributes") << "Conv[pads=p, ...a](x, w) => Conv[pads=p, ...a](x, -w)"
                                << "Conv[strides=[1],pads=[0,0],dilations=[1]](x1, x0)"
                                << "x0: f32[1,1,1] = [1], x1: f32[1,1,1] = [1]";
}

void TestTensorRules::counterexamplesAreMinimal() {
    QFETCH(const QString, rule);
    QFETCH(const QString, before);
    QFETCH(const QString, inputs);
    const QTemporaryDir folder;
    const std::string file = folder.filePath(QStringLiteral("unsound.rules")).toStdString();
    std::ofstream(file) << "use tensor\nrule unsound [reassociating]: " << rule.toStdString() << "\n";
    const Result<rules::RuleBook> book = rules::RuleBook::load(file, registry());
    QVERIFY2(book.ok(), book ? "" : book.error().render().c_str());
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        eval::RuleTestOptions options;
        options.seed = seed;
        const std::vector<eval::RuleVerdict> verdicts = eval::testRules(*book, options);
        QVERIFY(verdicts.size() == 1 && verdicts[0].counterexample);
        QCOMPARE(QString::fromStdString(verdicts[0].counterexample->before), before);
        const QString found = QString::fromStdString(verdicts[0].counterexample->inputs);
        QVERIFY2(inputs.split(QStringLiteral(" or ")).contains(found), qPrintable(found));
    }
}

void TestTensorRules::declaringAnOperatorOfTheDialect() {
    const Result<rules::LoadedRules> loaded =
        rules::loadRules(SourceText("test.rules", "op Relu(x)\nrule r: Relu(Relu(x)) => Relu(x)\n"), registry());
    QVERIFY(loaded.ok());
    QVERIFY(!loaded->errors.empty());
    QCOMPARE(loaded->errors.front().message, std::string("Relu is an operator of the dialect tensor already"));
    QCOMPARE(loaded->errors.front().hint,
             std::string("leave this declaration out and write `use tensor`, or choose another name"));
}

void TestTensorRules::shippedRulesHold_data() {
    QTest::addColumn<QString>("set");
    QTest::newRow("one root, several roots") << "tensor-default";
    QTest::newRow("channels last") << "tensor-layout";
    QTest::newRow("fused operators") << "fused";
    QTest::newRow("approximate") << "tensor-approximate";
}

void TestTensorRules::shippedRulesHold() {
    QFETCH(const QString, set);
    const Result<rules::RuleBook> book = rules::RuleBook::load(set.toStdString(), registry());
    QVERIFY2(book.ok(), book ? "" : book.error().render().c_str());
    eval::RuleTestOptions options;
    options.samplesPerRule = 30;
    QStringList bad;
    for (const eval::RuleVerdict& verdict : eval::testRules(*book, options)) {
        if (verdict.verdict == eval::Verdict::Pass && verdict.samples == options.samplesPerRule) continue;
        const std::string why = verdict.counterexample ? verdict.counterexample->toString() : verdict.note;
        qWarning("%s after %d: %s", verdict.name.c_str(), verdict.samples, why.c_str());
        bad << QString::fromStdString(verdict.name);
    }
    QVERIFY2(bad.isEmpty(), qPrintable(bad.join(QLatin1Char(' '))));
}

void TestTensorRules::shippedRulesAreDocumented() {
    for (const std::string& set : rules::shippedRuleSets()) {
        if (!set.starts_with("tensor")) continue;
        const Result<rules::LoadedRules> loaded = rules::loadRules(*rules::shippedRuleSetText(set), registry());
        QVERIFY(loaded.ok());
        QVERIFY2(loaded->errors.empty() && loaded->warnings.empty(), set.c_str());
        QVERIFY2(!loaded->set.title.empty() && !loaded->set.doc.empty(), set.c_str());
    }
}

MITOS_TEST(TestTensorRules)

}  // namespace tst_tensor_rules

#include "tst_tensor_rules.moc"

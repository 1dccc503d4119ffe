// SPDX-License-Identifier: GPL-3.0-or-later
// Facts about terms: no evaluation contradicts one.
#include "core/eval/evaluator.h"
#include "core/eval/real_watch.h"
#include "core/eval/testing/random_terms.h"
#include "core/facts/analysis.h"
#include "tests/rules/rule_helpers.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <map>

namespace tst_facts {

using namespace mitos;
using namespace mitos::tests;

class TestFacts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sizes_data();
    void sizes();
    void totalTerms_data();
    void totalTerms();
    void wholeNumbersWrap_data();
    void wholeNumbersWrap();
    void factsOfContexts();
    void operatorsWithoutRule();
    void areNeverContradicted();
    void areNeverContradictedByCalls();
    void factsOfCalls_data();
    void factsOfCalls();
    void areTheSameInEveryOrder();
};

namespace {

constexpr std::int64_t Smallest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t Largest = std::numeric_limits<std::int64_t>::max();

/// A program of these parameters: sizes k of v and w, a vector of rows m, and numbers.
struct Subject {
    explicit Subject(const std::string& body, const std::string& type = "Float", const std::string& functions = "")
        : bank(registry()) {
        Result<ir::Program> read = ks::parseProgram(bank, "-",
                                                    functions + "(def f " + type +
                                                        " ((v : Vec k Float) (w : Vec k Float) (u : (Vec Float)) (m : "
                                                        "(Vec (Vec Float))) (n : Integer) (x : Float)) " +
                                                        body + ")");
        if (!read) qFatal("%s", read.error().render().c_str());
        program = *read;
    }

    [[nodiscard]] const std::vector<ir::Parameter>& parameters() const {
        return bank.function(program.function).parameters;
    }
    /// Another function of the same parameters.
    ir::FunctionId declare(const std::string& name, ir::TypeId result) {
        ir::Function function = bank.function(program.function);
        function.name = name;
        function.result = function.declaredResult = result;
        function.body = {};
        return *bank.declare(std::move(function));
    }

    ir::TermBank bank;
    ir::Program program;
};

/// Compares a value with what is known about it.
class Contradictions {
public:
    explicit Contradictions(const ir::AbstractValues& values, bool isReal) : m_values(values), m_isReal(isReal) {}

    /// The first contradiction, or nothing. Without `isReal` nothing is asked of Floats.
    std::string find(const eval::Value& value, ir::ValueId id) {
        const ir::AbstractValue& known = m_values[id];
        if (value.isFunction() || value.isLinearMap()) return {};
        if (value.isTuple()) {
            if (known.kind != ir::ValueKind::Tuple) return {};
            return parts(value.asTuple().elements, [&](std::size_t i) { return known.parts[i]; });
        }
        if (value.isTensor()) {
            if (known.kind != ir::ValueKind::Tensor) return {};
            for (std::size_t i = 0; i < known.sizes.size(); ++i) {
                if (std::string wrong = size(value.asTensor().dims[i], known.sizes[i]); !wrong.empty()) return wrong;
            }
            return parts(value.asTensor().elements, [&](std::size_t) { return known.parts[0]; });
        }
        const ir::ValueRange range = m_values.range(id);
        if (value.isInteger()) {
            const auto number = static_cast<double>(value.asInteger());
            const bool isOutside = number < range.low || number > range.high || (range.isNonzero && number == 0.0);
            if (isOutside) return "range of " + eval::toString(value);
            if (known.kind == ir::ValueKind::Integer && known.bits != value.asInteger()) return "constant";
        }
        if (value.isBool() && m_values.truth(id).value_or(value.asBool()) != value.asBool()) return "truth";
        if (value.isFloat() && m_isReal) {
            const double number = value.asFloat();
            const bool isOutside = number < range.low || number > range.high || (range.isNonzero && number == 0.0);
            if (isOutside) return "range of " + eval::toString(value);
        }
        return {};
    }

private:
    template <typename Known>
    std::string parts(const std::vector<eval::Value>& elements, const Known& known) {
        for (std::size_t i = 0; i < elements.size(); ++i) {
            if (std::string wrong = find(elements[i], known(i)); !wrong.empty()) return wrong;
        }
        return {};
    }

    /// One symbol stands for one number.
    std::string size(std::int64_t number, ir::Size known) {
        if (const std::optional<std::int64_t> constant = known.number())
            return *constant == number ? "" : "constant size";
        if (!known.symbol() || m_values.isRagged(known)) return {};
        return m_numbers.emplace(*known.symbol(), number).first->second == number ? "" : "symbol of a size";
    }

    const ir::AbstractValues& m_values;
    bool m_isReal;
    std::map<std::uint32_t, std::int64_t> m_numbers;
};

/// How many programs and values a property test has looked at.
struct Counts {
    int ranges = 0;
    int totals = 0;
    int compared = 0;
    [[nodiscard]] std::string text() const { return fmt::format("{} {} {}", ranges, totals, compared); }
};

/// Puts numbers at the ends of their types among the inputs.
void widen(eval::Value& value, Random& random) {
    static constexpr std::array Integers{Smallest,        Smallest + 1,    std::int64_t{-1},
                                         std::int64_t{0}, std::int64_t{1}, std::int64_t{3037000500},
                                         Largest / 2 + 1, Largest - 1,     Largest};
    static constexpr std::array Floats{-0.0, 0.0, 5e-324, -1.0, 1.0, 1e300, -1e300, 0x1p53, 0.1};
    if (value.isInteger()) value = eval::Value(Integers.at(random.below(Integers.size())));
    if (value.isFloat()) value = eval::Value(Floats.at(random.below(Floats.size())));
    if (value.isTensor()) {
        eval::TensorValue tensor = value.asTensor();
        for (eval::Value& element : tensor.elements) {
            if (random.chance(0.5)) widen(element, random);
        }
        value = eval::Value(std::move(tensor));
    }
}

/// A random term of one of several types.
ir::TermId randomBody(Subject& subject, std::vector<ir::TypeId> bound, Random& random) {
    ir::TypeTable& types = subject.bank.types();
    const ir::TypeId vec = types.vec(types.floating());
    const std::array wanted{types.floating(), types.integer(), vec, types.vec(vec), types.boolean()};
    return eval::randomTerm(subject.bank, wanted.at(random.below(wanted.size())),
                            {subject.parameters(), std::move(bound), 0, random.chance(0.2)}, random, 14);
}

/// Evaluates the program on random inputs; returns what contradicts a fact about it, or nothing.
std::string contradiction(const ir::TermBank& bank, const ir::Program& program, Random& random, Counts& counts) {
    const ir::Function& function = bank.function(program.function);
    facts::Analysis analysis(bank, function);
    const facts::Facts known = analysis.of(program.root);
    counts.ranges += analysis.values().range(known.value) == ir::ValueRange() ? 0 : 1;
    counts.totals += known.isTotal ? 1 : 0;
    const std::string where = ir::printProgram(bank, program);
    for (int draw = 0; draw < 6; ++draw) {
        Result<eval::Inputs> inputs =
            eval::randomInputs(bank, function, random, {.minSize = 0, .maxSize = 3, .isRagged = draw % 2 == 1});
        if (!inputs) return inputs.error().render();
        for (eval::Value& argument : inputs->arguments) {
            if (draw > 1 && random.chance(0.6)) widen(argument, random);
        }
        eval::RealWatch watch;
        const Result<eval::Evaluation> value =
            eval::evaluate(bank, program, *inputs, {.steps = 100'000, .bytes = 10'000'000, .watch = &watch});
        if (!value) {
            if (value.error().code != ErrorCode::Limit && known.isTotal) return where + value.error().render();
            continue;
        }
        if (known.isDefined && watch.isUndefined() && !watch.leftRange()) return where;
        const bool isReal = !watch.isUndefined() && !watch.leftRange();
        const std::string wrong = Contradictions(analysis.values(), isReal).find(value->value, known.value);
        if (!wrong.empty()) return fmt::format("{}\n{}{}", wrong, where, eval::toString(value->value));
        ++counts.compared;
    }
    return {};
}

}  // namespace

void TestFacts::sizes_data() {
    QTest::addColumn<QString>("a");
    QTest::addColumn<QString>("b");
    QTest::addColumn<bool>("areSame");
    const auto row = [](const char* a, const char* b, bool areSame) {
        QTest::newRow(qPrintable(QStringLiteral("%1 %2").arg(QLatin1StringView(a), QLatin1StringView(b))))
            << a << b << areSame;
    };
    row("v", "w", true);
    row("v", "u", false);
    row("v", "(build (size w) (lam (i : Integer) 0.0))", true);
    row("(constVec n 1.0)", "(build n (lam (i : Integer) (to_float i)))", true);
    row("(constVec (add n 1) 1.0)", "(constVec (add n 1) 0.0)", true);
    row("(constVec (add n 1) 1.0)", "(constVec (add n 2) 0.0)", false);
    row("(constVec (add n -1) 1.0)", "(constVec (add n -2) 0.0)", false);
    row("(let (s (size u)) (constVec s 1.0))", "(exp u)", true);
    row("(if (gt x 0.0) v w)", "v", true);
    row("(if (gt x 0.0) v u)", "v", false);
    row("(constVec 3 1.0)", "(Vec_init 1.0 2.0 3.0)", true);
    row("(index 0 m)", "(index 0 m)", true);
    row("(index 0 m)", "(index 1 m)", false);
}

void TestFacts::sizes() {
    QFETCH(const QString, a);
    QFETCH(const QString, b);
    QFETCH(const bool, areSame);
    Subject subject("(tuple " + a.toStdString() + " " + b.toStdString() + ")", "(Tuple (Vec Float) (Vec Float))");
    facts::Analysis analysis(subject.bank, subject.bank.function(subject.program.function));
    const ir::AbstractValue pair = analysis.values()[analysis.of(subject.program.root).value];
    QCOMPARE(analysis.values().haveSameSizes(pair.parts[0], pair.parts[1]), areSame);
}

void TestFacts::totalTerms_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<bool>("isTotal");
    QTest::addColumn<bool>("isDefined");
    const auto row = [](const char* body, bool isTotal, bool isDefined) {
        QTest::newRow(body) << body << isTotal << isDefined;
    };
    row("(add x 1.0)", true, true);
    row("(div x 2.0)", true, true);
    row("(div x (index 0 v))", false, false);
    row("(div 1.0 x)", true, false);
    row("(log (add 1.0 (mul x x)))", true, true);
    row("(log x)", true, false);
    row("(if (gt x 0.0) (log x) 0.0)", true, true);
    row("(sqrt (sub x 1.0))", true, false);
    row("(to_float (div n 2))", true, true);
    row("(to_float (div 2 n))", false, false);
    row("(to_float (if (ne n 0) (div 2 n) 0))", true, true);
    row("(dot v w)", true, true);
    row("(dot v u)", false, false);
    row("(sumbuild 3 (lam (i : Integer) (to_float i)))", true, true);
    row("(sumbuild (size v) (lam (i : Integer) (index i v)))", false, false);
    row("(if (gt (size v) 0) (sumbuild (size v) (lam (i : Integer) (index i v))) 0.0)", true, true);
    row("(if (gt (size u) 0) (sumbuild (size u) (lam (i : Integer) (index i v))) 0.0)", false, false);
    row("(if (gt n 0) (sum (build n (lam (i : Integer) (to_float i)))) 0.0)", false, false);
    row("(index 2 (Vec_init 1.0 2.0 3.0))", true, true);
    row("(index 3 (Vec_init 1.0 2.0 3.0))", false, false);
    row("(pow x 2)", true, true);
    row("(pow x -1)", true, false);
    row("(lgamma 3.0)", true, true);
    row("(assert (gt x 0.0) x)", false, false);
    row("(assert true x)", true, true);
    // The sum of a number with itself may wrap to a negative size.
    row("(if (gt n 0) (to_float (size (constVec (mul n n) 1.0))) 0.0)", false, false);
}

void TestFacts::totalTerms() {
    QFETCH(const QString, body);
    QFETCH(const bool, isTotal);
    QFETCH(const bool, isDefined);
    Subject subject(body.toStdString());
    facts::Analysis analysis(subject.bank, subject.bank.function(subject.program.function));
    QCOMPARE(analysis.of(subject.program.root).isTotal, isTotal);
    QCOMPARE(analysis.of(subject.program.root).isDefined, isDefined);
}

void TestFacts::wholeNumbersWrap_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<double>("low");
    QTest::addColumn<double>("high");
    const auto row = [](const char* body, double low, double high) { QTest::newRow(body) << body << low << high; };
    constexpr double Low = -0x1p63;
    constexpr double High = 0x1p63;
    row("n", Low, High);
    row("(mul n n)", Low, High);  // 3037000500 squared is negative
    row("(add (mul n n) 1)", Low, High);
    row("(neg n)", Low, High);  // the smallest number is its own negative
    row("(if (gt n 0) n 1)", 1.0, High);
    row("(if (gt n 0) (add n 1) 1)", Low, High);
    row("(if (and (gte n 0) (lt n 10)) (mul n n) 0)", 0.0, 81.0);
    row("(size u)", 0.0, 0x1p48);
    row("(add 1 (size u))", 1.0, 0x1p48 + 1.0);
    row("(mul (size u) (size v))", Low, High);
    row("(add 9223372036854775807 1)", Low, High);
    row("(div n 2)", -0x1p62, 0x1p62);
    row("(div n -1)", Low, High);
}

void TestFacts::wholeNumbersWrap() {
    QFETCH(const QString, body);
    QFETCH(const double, low);
    QFETCH(const double, high);
    Subject subject(body.toStdString(), "Integer");
    const ir::ValueRange range = facts::of(subject.bank).range(subject.program.root);
    QCOMPARE(range.low, low);
    QCOMPARE(range.high, high);
}

void TestFacts::factsOfCalls_data() {
    QTest::addColumn<QString>("functions");
    QTest::addColumn<QString>("call");
    QTest::addColumn<bool>("isTotal");
    QTest::addColumn<double>("low");
    const auto row = [](const char* functions, const char* call, bool isTotal, double low) {
        QTest::newRow(call) << functions << call << isTotal << low;
    };
    constexpr double Nothing = -std::numeric_limits<double>::infinity();
    constexpr const char* Root = "(def root Float (x : Float) (sqrt (add 1.0 x)))";
    row(Root, "(root (mul x x))", true, 1.0);
    row(Root, "(root (to_float (div 1 n)))", false, 0.0);
    row("(def pick Float ((i : Integer) (p : Vec k Float)) (if (and (gte i 0) (lt i k)) (index i p) 0.0))",
        "(pick n (build 3 (lam (j : Integer) 2.0)))", true, 0.0);
    row("(def first Float (p : Vec k Float) (index 0 p))", "(first (Vec_init 3.0 4.0))", true, 3.0);
    row("(def first Float (p : Vec k Float) (index 0 p))", "(first v)", false, Nothing);
    row("(def square Float (x : Float) (mul x x)) (def fourth Float (x : Float) (square (square x)))",
        "(add 1.0 (fourth x))", true, 1.0);
    row("(def down Float (n : Integer) (if (gt n 0) (down (add n -1)) 1.0))", "(down n)", false, Nothing);
    row("(edef far Float (Float))", "(far x)", false, Nothing);
    // The sizes of the results are not the same in each iteration.
    row("(def ones (Vec Float) (x : Float) (constVec (if (gt x 1.0) 2 1) 1.0))",
        "(dot (ones (index 0 v)) (ones (index 1 v)))", false, 0.0);
    // A call fails where two sizes of one name differ.
    constexpr const char* Dot = "(def inner Float ((a : Vec k Float) (b : Vec k Float)) (dot a b))";
    row(Dot, "(inner v w)", true, Nothing);
    row(Dot, "(inner v u)", false, Nothing);
    row("(def one Float ((a : Vec k Float) (b : Vec k Float)) 1.0)", "(one v (index 0 m))", false, 1.0);
    row("(def two Float (a : Vec 3 Float) 2.0)", "(two (constVec 3 x))", true, 2.0);
    row("(def two Float (a : Vec 3 Float) 2.0)", "(two v)", false, 2.0);
}

void TestFacts::factsOfCalls() {
    QFETCH(const QString, functions);
    QFETCH(const QString, call);
    QFETCH(const bool, isTotal);
    QFETCH(const double, low);
    Subject subject(call.toStdString(), "Float", functions.toStdString());
    facts::Analysis analysis(subject.bank, subject.bank.function(subject.program.function));
    QCOMPARE(analysis.isTotal(subject.program.root), isTotal);
    QCOMPARE(analysis.range(subject.program.root).low, low);
}

/// Facts about a part of a program, from what surrounds it.
void TestFacts::factsOfContexts() {
    Subject subject("(if (gt x 2.0) (sumbuild 4 (lam (i : Integer) (let (y (mul 2.0 x)) (mul y (to_float i))))) 0.0)");
    facts::Analysis analysis(subject.bank);
    const ir::TermBank& bank = subject.bank;
    const ir::TermId root = subject.program.root;
    const ir::TermId sum = bank.child(root, 1);
    const ir::TermId let = bank.child(bank.child(sum, 1), 0);
    const facts::EnvId inArm = analysis.below(root, 1, analysis.outside());
    const facts::EnvId inLoop = analysis.inFunction(sum, 1, inArm);
    const facts::EnvId inLet = analysis.below(let, 1, inLoop);
    const ir::TermId product = bank.child(let, 1);
    QCOMPARE(analysis.range(bank.child(product, 0), inLet).low, 4.0);
    QCOMPARE(analysis.range(bank.child(product, 1), inLet).high, 3.0);
    QVERIFY(analysis.range(product, inLet).isNonnegative());
    QCOMPARE(analysis.range(product).low, -std::numeric_limits<double>::infinity());
}

/// Nothing is known of an operator without a transfer rule.
void TestFacts::operatorsWithoutRule() {
    Subject subject("(lmApply (lmScale 1.0 x) 2.0)");
    facts::Analysis analysis(subject.bank);
    const facts::Facts known = analysis.of(subject.program.root);
    QVERIFY(!known.isTotal && !known.isDefined);
    QCOMPARE(analysis.values().range(known.value), ir::ValueRange());
}

void TestFacts::areNeverContradicted() {
    Random random(5);
    Counts counts;
    for (int i = 0; i < 6000; ++i) {
        Subject subject("0.0");
        const ir::TermId root = randomBody(subject, {}, random);
        const std::string wrong = contradiction(subject.bank, {subject.program.function, root}, random, counts);
        QVERIFY2(wrong.empty(), wrong.c_str());
    }
    QVERIFY2(counts.ranges > 1500 && counts.totals > 1500 && counts.compared > 15000, counts.text().c_str());
}

/// The facts of a function's body hold for each call of it, also where a loop passes it other arguments in each iteration.
void TestFacts::areNeverContradictedByCalls() {
    Random random(7);
    Counts counts;
    for (int i = 0; i < 3000; ++i) {
        Subject subject("0.0");
        ir::TermBank& bank = subject.bank;
        const ir::TermId body = randomBody(subject, {}, random);
        const ir::FunctionId callee = subject.declare("g", bank.type(body));
        bank.define(callee, body);
        const bool isInLoop = random.chance(0.5);
        const std::vector<ir::TypeId> bound(isInLoop ? 1 : 0, bank.types().integer());
        std::vector<ir::TermId> arguments;
        for (const ir::Parameter& parameter : bank.function(callee).parameters) {
            arguments.push_back(eval::randomTerm(bank, bank.types().erased(parameter.type),
                                                 {subject.parameters(), bound, 0, false}, random, 5));
        }
        const Result<ir::TermId> call = bank.call(callee, arguments);
        QVERIFY(call.ok());
        ir::TermId root = *call;
        if (isInLoop) {
            const ir::TermId function = bank.lambda(bank.symbols().intern("i"), bank.types().integer(), root);
            const ir::TermId count = bank.integer(random.integer(0, 3));
            root = *bank.make(ks::opId(ks::Op::Build), std::array{count, function});
        }
        const std::string wrong = contradiction(bank, {subject.program.function, root}, random, counts);
        QVERIFY2(wrong.empty(), (wrong + ir::printProgram(bank, {callee, body})).c_str());
    }
    QVERIFY2(counts.ranges > 500 && counts.totals > 100 && counts.compared > 5000, counts.text().c_str());
}

/// A search asks about terms in another order than the checker of its result.
void TestFacts::areTheSameInEveryOrder() {
    Random random(6);
    for (int i = 0; i < 300; ++i) {
        ir::TermBank bank(registry());
        const ir::TermId root = eval::randomTerm(bank, bank.types().floating(), {}, random, 40);
        facts::Analysis upwards(bank);
        for (std::uint32_t term = 0; term < bank.size(); ++term) {
            if (bank.looseBound(ir::TermId(term)) == 0) static_cast<void>(upwards.of(ir::TermId(term)));
        }
        facts::Analysis atOnce(bank);
        QCOMPARE(upwards.range(root), atOnce.range(root));
        QCOMPARE(upwards.isTotal(root), atOnce.isTotal(root));
    }
}

MITOS_TEST(TestFacts)

}  // namespace tst_facts

#include "tst_facts.moc"

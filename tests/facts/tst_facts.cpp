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
    void areTheSameInEveryOrder();
};

namespace {

constexpr std::int64_t Smallest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t Largest = std::numeric_limits<std::int64_t>::max();

/// A program of these parameters: sizes k of v and w, a vector of rows m, and numbers.
struct Subject {
    explicit Subject(const std::string& body, const std::string& type = "Float") : bank(registry()) {
        Result<ir::Program> read = ks::parseProgram(bank, "-",
                                                    "(def f " + type +
                                                        " ((v : Vec k Float) (w : Vec k Float) (u : (Vec Float)) (m : "
                                                        "(Vec (Vec Float))) (n : Integer) (x : Float)) " +
                                                        body + ")");
        if (!read) qFatal("%s", read.error().render().c_str());
        program = *read;
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
    int ranges = 0;
    int totals = 0;
    int compared = 0;
    for (int i = 0; i < 6000; ++i) {
        ir::TermBank bank(registry());
        ir::TypeTable& types = bank.types();
        const Result<ir::Program> signature =
            ks::parseProgram(bank, "-",
                             "(def f Float ((v : Vec k Float) (w : Vec k Float) (m : (Vec (Vec Float))) (n : Integer) "
                             "(x : Float) (y : Float)) 0.0)");
        QVERIFY(signature.ok());
        const ir::Function& function = bank.function(signature->function);
        const ir::TypeId vec = types.vec(types.floating());
        const std::array wanted{types.floating(), types.integer(), vec, types.vec(vec), types.boolean()};
        const ir::TermId root = eval::randomTerm(bank, wanted.at(random.below(wanted.size())),
                                                 {function.parameters, {}, 0, random.chance(0.2)}, random, 14);
        facts::Analysis analysis(bank, function);
        const facts::Facts known = analysis.of(root);
        ranges += analysis.values().range(known.value) == ir::ValueRange() ? 0 : 1;
        totals += known.isTotal ? 1 : 0;
        for (int draw = 0; draw < 6; ++draw) {
            Result<eval::Inputs> inputs =
                eval::randomInputs(bank, function, random, {.minSize = 0, .maxSize = 3, .isRagged = draw % 2 == 1});
            QVERIFY(inputs.ok());
            if (draw > 1) {
                for (eval::Value& argument : inputs->arguments) {
                    if (random.chance(0.6)) widen(argument, random);
                }
            }
            eval::RealWatch watch;
            const Result<eval::Evaluation> value = eval::evaluate(
                bank, {signature->function, root}, *inputs, {.steps = 100'000, .bytes = 10'000'000, .watch = &watch});
            const std::string where = ir::printProgram(bank, {signature->function, root});
            if (!value) {
                const bool isFailure = value.error().code != ErrorCode::Limit;
                QVERIFY2(!(isFailure && known.isTotal),
                         qPrintable(QString::fromStdString(where + value.error().render())));
                continue;
            }
            QVERIFY2(!(known.isDefined && watch.isUndefined() && !watch.leftRange()), where.c_str());
            const bool isReal = !watch.isUndefined() && !watch.leftRange();
            const std::string wrong = Contradictions(analysis.values(), isReal).find(value->value, known.value);
            QVERIFY2(wrong.empty(), fmt::format("{}\n{}{}", wrong, where, eval::toString(value->value)).c_str());
            ++compared;
        }
    }
    QVERIFY2(ranges > 1500 && totals > 1500 && compared > 15000,
             qPrintable(QStringLiteral("%1 %2 %3").arg(ranges).arg(totals).arg(compared)));
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

// SPDX-License-Identifier: GPL-3.0-or-later
// Loops whose ranges are split, or that keep a value for the next iteration, give the same values, bit for bit, and fail where they
// failed before.
#include "core/eval/samples.h"
#include "core/loops/interpreter.h"
#include "core/loops/text.h"
#include "tests/loops/lowered.h"
#include "tests/support/edge_programs.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace tst_split {

using namespace mitos;
using tests::Lowered;

namespace {

bool areSame(double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// Whether two Floats, or vectors of them, are the same, bit for bit.
bool areSame(const eval::Value& a, const eval::Value& b) {
    if (a.isFloat()) return areSame(a.asFloat(), b.asFloat());
    return std::ranges::equal(a.asTensor().elements, b.asTensor().elements,
                              [](const eval::Value& left, const eval::Value& right) { return areSame(left, right); });
}

/// Sizes from none to more than all offsets, and numbers of all kinds.
std::vector<eval::InputOptions> inputOptions() {
    using eval::Region;
    std::vector<eval::InputOptions> all;
    for (const Region region : {Region::Plain, Region::Zero, Region::Wide, Region::Infinite, Region::NotANumber}) {
        all.push_back({.minSize = 0, .maxSize = 12, .region = region});
    }
    for (const std::int64_t size : {0, 1, 2, 20}) all.push_back({.minSize = size, .maxSize = size});
    for (int i = 0; i < 4; ++i) all.push_back({.minSize = 0, .maxSize = 20});
    return all;
}

/// A program of a vector and what else its parameters say.
QString ofVector(const char* others, const char* body) {
    return QStringLiteral("(def f (Vec Float) ((v : Vec n Float) %1) %2)")
        .arg(QString::fromUtf8(others), QString::fromUtf8(body));
}

void splitRanges() {
    QTest::newRow("split: both ends, where an offset leaves the vector")
        << ofVector("(d : Vec k Float)",
                    "(build n (lam (i : Integer) (let ((o (sub (add i 3) k)) (outside (or (gt 0 o) "
                    "(gte o n)))) (mul (if outside 0.0 (index o v)) (index 0 d)))))")
        << R"(    var result = unset(n)
    begin = clamp(k - 3, 0, n)
    end = clamp(k + n - 3, begin, n)
    for i to begin  # begin operations, 8*begin bytes read, 8*begin bytes written
        result[i] := 0.0 * d[0]
    for i from begin to end  # (end - begin) operations, 16*(end - begin) bytes read, 8*(end - begin) bytes written
        o = i + 3 - k
        result[i] := v[o] * d[0]
    for i from end to n  # (n - end) operations, 8*(n - end) bytes read, 8*(n - end) bytes written
        result[i] := 0.0 * d[0]
    return result
)";
    QTest::newRow("split: a triangle, whose other half adds nothing")
        << ofVector("(m : Vec k (Vec n Float))",
                    "(build k (lam (r : Integer) (sumbuild n (lam (i : Integer) (if (lte i r) "
                    "(mul (index i v) (index i (index r m))) 0.0)))))")
        << R"(    var result = unset(k)
    require k == 0 or n > 0
    for r to k  # 2*k*n operations, 16*k*n bytes read, 8*k bytes written
        var sum = 0.0
        begin = clamp(r + 1, 0, n)
        for i to begin
            sum += v[i] * m[r, i]
        result[r] := sum
    return result
)";
    QTest::newRow("split: what is not known at an end stays there")
        << ofVector("",
                    "(build n (lam (i : Integer) (sub (if (eq i (sub n 1)) (index 0 v) (index (add i 1) v)) (if "
                    "(eq i 0) 1.0 (index (sub i 1) v)))))")
        << R"(    var result = unset(n)
    begin = clamp(1, 0, n)
    end = clamp(n - 1, begin, n)
    for i to begin  # begin operations, 8*begin bytes read, 8*begin bytes written
        result[i] := (if i == n - 1 then v[0] else v[i + 1]) - 1.0
    for i from begin to end  # (end - begin) operations, 16*(end - begin) bytes read, 8*(end - begin) bytes written
        result[i] := v[i + 1] - v[i - 1]
    for i from end to n  # (n - end) operations, 16*(n - end) bytes read, 8*(n - end) bytes written
        result[i] := v[0] - v[i - 1]
    return result
)";
    QTest::newRow("split: at any Integer")
        << ofVector("(a : Integer)", "(build n (lam (i : Integer) (if (lt i a) (index i v) 2.0)))")
        << R"(    var result = unset(n)
    begin = clamp(a, 0, n)
    for i to begin  # 8*begin bytes read, 8*begin bytes written
        result[i] := v[i]
    for i from begin to n  # 8*(n - begin) bytes written
        result[i] := 2.0
    return result
)";
    QTest::newRow("split: a condition that always holds is not asked")
        << ofVector("", "(build n (lam (i : Integer) (if (gte i 0) (index i v) 2.0)))") << R"(    var result = unset(n)
    for i to n  # 8*n bytes read, 8*n bytes written
        result[i] := v[i]
    return result
)";
    QTest::newRow("split: also backwards, and in a branch")
        << ofVector("(w : Vec k (Vec n Float))",
                    "(fold (lam (p : Tuple (Vec Float) Integer) (let ((s (get$1$2 p)) (j (get$2$2 p))) (build n (lam "
                    "(i : Integer) (if (and (gte j 0) (lt j k)) (add (index i s) (index i (index j w))) 0.0))))) v "
                    "(build k (lam (j : Integer) j)))")
        << R"(    var result = v
    for i to k  # k*n operations, 16*k*n bytes read, 8*k*n bytes written
        var next = unset(n)
        for i2 to n
            next[i2] := result[i2] + w[i, i2]
        result := next
    return result
)";
    QTest::newRow("split: not where Integers may wrap")
        << ofVector("(a : Integer)", "(build n (lam (i : Integer) (if (lt (add i a) n) (index i v) 2.0)))")
        << R"(    var result = unset(n)
    for i to n  # 8*n bytes read, 8*n bytes written
        result[i] := if plus(i, a) < n then v[i] else 2.0
    return result
)";
    QTest::newRow("split: not at one index in the middle")
        << ofVector("(a : Integer)", "(build n (lam (i : Integer) (if (eq i a) (index i v) 2.0)))")
        << R"(    var result = unset(n)
    for i to n  # 8*n bytes read, 8*n bytes written
        result[i] := if i == a then v[i] else 2.0
    return result
)";
    QTest::newRow("split: not where a condition stays") << ofVector("",
                                                                    "(build n (lam (i : Integer) (if (and (gt i 1) "
                                                                    "(gt (index i v) 0.0)) (index i v) 2.0)))")
                                                        << R"(    var result = unset(n)
    for i to n  # 16*n bytes read, 8*n bytes written
        result[i] := if i > 1 and v[i] > 0.0 then v[i] else 2.0
    return result
)";
    QTest::newRow("split: not where a function takes longer than the condition")
        << ofVector("", "(build n (lam (i : Integer) (if (gt i 1) (exp (index i v)) 2.0)))")
        << R"(    var result = unset(n)
    for i to n  # n exp, 8*n bytes read, 8*n bytes written
        result[i] := if i > 1 then exp(v[i]) else 2.0
    return result
)";
    QTest::newRow("split: not where no element is guarded")
        << ofVector("", "(build n (lam (i : Integer) (if (gt i 1) 1.0 2.0)))") << R"(    var result = unset(n)
    for i to n  # 8*n bytes written
        result[i] := if i > 1 then 1.0 else 2.0
    return result
)";
}

void carry() {
    QTest::newRow("carry: the right end of the step before")
        << ofVector("",
                    "(build (add n 1) (lam (i : Integer) (let ((left (if (eq i 0) 0.0 (sqrt (sub 1.0 (index (sub i 1) "
                    "v))))) (right (sqrt (sub 1.0 (if (eq i n) 0.0 (index i v)))))) (div 2.0 (add left right)))))")
        << R"(    var result = unset(size)
    var right = 0.0
    for i to size  # 3*size operations, size sqrt, 8*size bytes read, 8*size bytes written
        left = if i == 0 then 0.0 else right
        right := sqrt(1.0 - (if i == n then 0.0 else v[i]))
        result[i] := 2.0 / (left + right)
    return result
)";
    QTest::newRow("carry: not where the first iteration needs it, too")
        << ofVector("",
                    "(build (sub n 1) (lam (i : Integer) (let ((left (sqrt (index i v))) (right (sqrt (index (add i 1) "
                    "v)))) (mul left (mul right right)))))")
        << R"(    var result = unset(asSize(size))
    for i to size  # 2*size operations, 2*size sqrt, 16*size bytes read, 8*size bytes written
        left = sqrt(v[i])
        right = sqrt(v[i + 1])
        result[i] := left * (right * right)
    return result
)";
    QTest::newRow("carry: not what is another value at an end")
        << ofVector("",
                    "(build n (lam (i : Integer) (let ((left (if (eq i 0) 0.0 (sqrt (index (sub i 1) v)))) (right "
                    "(sqrt (if (eq i 1) 0.0 (index i v))))) (mul left (mul right right)))))")
        << R"(    var result = unset(n)
    for i to n  # 2*n operations, 2*n sqrt, 16*n bytes read, 8*n bytes written
        left = if i == 0 then 0.0 else sqrt(v[i - 1])
        right = sqrt(if i == 1 then 0.0 else v[i])
        result[i] := left * (right * right)
    return result
)";
}

}  // namespace

class TestSplit : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void programs_data();
    void programs();
    void valuesStayTheSame();
};

void TestSplit::programs_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("body");  // below the sizes
    splitRanges();
    carry();
}

void TestSplit::programs() {
    QFETCH(const QString, program);
    QFETCH(const QString, body);
    const Lowered lowered(program.toStdString());
    const QString text = QString::fromStdString(loops::text(lowered.bank, lowered.form));
    QVERIFY2(text.endsWith(body), qPrintable(text));
}

void TestSplit::valuesStayTheSame() {
    constexpr int Programs = 400;
    int split = 0;
    int carried = 0;
    int failures = 0;
    int values = 0;
    Random random(3);
    for (int i = 0; i < Programs; ++i) {
        const std::string text = tests::programOfEdges(random);
        const Lowered lowered(text);
        const Result<loops::Program> before = loops::lower(lowered.bank, lowered.program, {.isOptimized = false});
        QVERIFY(before.ok());
        const std::string form = loops::text(lowered.bank, lowered.form);
        split += form.find("clamp(") != std::string::npos ? 1 : 0;
        carried += form.find("right := ") != std::string::npos ? 1 : 0;
        for (const eval::InputOptions& options : inputOptions()) {
            const ir::Function& function = lowered.bank.function(lowered.program.function);
            const Result<eval::Inputs> inputs = eval::randomInputs(lowered.bank, function, random, options);
            QVERIFY(inputs.ok());
            const std::string at = text + " at " + eval::describeInputs(lowered.bank, function, *inputs);
            const Result<loops::Interpretation> wanted = loops::interpret(lowered.bank, *before, *inputs);
            const Result<loops::Interpretation> run = loops::interpret(lowered.bank, lowered.form, *inputs);
            QVERIFY2(run.ok() == wanted.ok(), (at + (run ? "" : run.error().message)).c_str());
            QCOMPARE(run.ok(), eval::evaluate(lowered.bank, lowered.program, *inputs).ok());
            ++(run ? values : failures);
            if (!run) continue;
            QVERIFY2(areSame(run->value, wanted->value),
                     fmt::format("{}: {} instead of {}", at, eval::toString(run->value), eval::toString(wanted->value))
                         .c_str());
        }
    }
    qInfo("of %d programs, %d were split and %d carry a value; %d values, %d failures", Programs, split, carried,
          values, failures);
    QVERIFY(split > Programs / 4);
    QVERIFY(carried > Programs / 40);
    QVERIFY(failures > values / 20);
}

MITOS_TEST(TestSplit)

}  // namespace tst_split

#include "tst_split.moc"

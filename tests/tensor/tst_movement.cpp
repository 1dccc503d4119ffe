// SPDX-License-Identifier: GPL-3.0-or-later
// Operators that move elements about: literal arrays, types with named sizes, messages, ONNX forms old and new.
#include "tests/support/test_program.h"
#include "tests/tensor/operators.h"

#include <QtTest/QTest>

namespace tst_movement {

using namespace mitos;
using namespace mitos::tensor;
using namespace mitos::tensor::test;

namespace {

using Numbers = std::vector<double>;
using Integers = std::vector<std::int64_t>;

constexpr int Nothing = -1000000;

}  // namespace

class TestMovement : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sizesHaveTheValuesOfTheirNames_data() {
        QTest::addColumn<std::string>("name");
        QTest::addColumn<int>("value");
        const auto row = [](const char* name, int value) { QTest::newRow(name) << std::string(name) << value; };
        row("N", 7);
        row("5", 5);
        row("2*N-3", 11);
        row("-N+30", 23);
        row("M*N", 21);
        row("past + N", 107);
        row("(N+1)/2", 4);
        row("(N-10)/2", -2);  // rounded down
        row("N/M/2", 1);
        row("(M*N)/(N-M)*2", 10);
        row("max(M:N:5)", 7);
        row("max(M:2*M)+1", 7);
        row("slice(N:0:5:1)", 5);
        row("slice(M:0:5:1)", 3);
        row("slice(M+1:-3::1)", 3);
        row("slice(N:-9::2)", 4);
        row("slice(N:5:1:-1)", 4);
        row("floor(0.5:N)", 3);
        row("floor(0.29:past)", 29);  // in single precision, as Resize rounds
        row("floor(0.5:(N+1)/2)+M", 5);
        row("batch size", 9);
        row("seq-len", 8);  // known as a whole
        row("2*(seq-len)+1", 17);
        row("N/0", Nothing);
        row("unknown", Nothing);
        row("max(M:unknown)", Nothing);
        row("slice(N:0)", Nothing);
        row("N*9223372036854775807", Nothing);
        row("-", Nothing);
    }

    void sizesHaveTheValuesOfTheirNames() {
        QFETCH(const std::string, name);
        QFETCH(const int, value);
        const Sizes numbers{{"M", 3}, {"N", 7}, {"past", 100}, {"batch size", 9}, {"seq-len", 8}};
        const std::optional<std::int64_t> found =
            SizeExpression::value(name, [&](std::string_view one, SizeExpression::Asked) {
                const auto number = numbers.find(one);
                return number == numbers.end() ? std::nullopt : std::optional(number->second);
            });
        QCOMPARE(found.value_or(Nothing), std::int64_t{value});
    }

    /// Names come from files: nested too deeply they have no value, and nothing else happens.
    void deeplyNestedSizesHaveNoValue() {
        const auto one = [](std::string_view, SizeExpression::Asked asked) {
            return asked == SizeExpression::Asked::Plain ? std::optional<std::int64_t>(1) : std::nullopt;
        };
        const std::string deep = std::string(100'000, '(') + "N" + std::string(100'000, ')');
        QVERIFY(!SizeExpression::value(deep, one));
        QCOMPARE(SizeExpression::value(std::string(20, '(') + "N" + std::string(20, ')'), one).value_or(0), 1);
    }

    void sizesAreComputedInANormalForm() {
        SymbolTable symbols;
        const auto size = [&symbols](const char* name) {
            return SizeExpression(ir::Dimension::named(symbols.intern(name)), symbols);
        };
        const SizeExpression n = size("N");
        const SizeExpression m = size("M");
        QCOMPARE((n + 1).text(), "N+1");
        QCOMPARE(size("N+1") - 1, n);
        QCOMPARE((n - 3 + n).text(), "2*N-3");
        QCOMPARE(m * n, n * m);
        QCOMPARE(((n + 1) * m).text(), "M+M*N");
        QCOMPARE((m - n).text(), "M-N");
        QCOMPARE(size("M-N") + n, m);
        QCOMPARE((n - n).number(), std::optional<std::int64_t>(0));
        QCOMPARE((n - (n + 4)).number(), std::optional<std::int64_t>(-4));
        QCOMPARE((n * 12) / 4, n * 3);
        QCOMPARE((n * m) / n, m);
        QCOMPARE(((n - 3) / 2).text(), "(N+1)/2-2");
        QCOMPARE(size("(N+1)/2-2") + 2, (n + 1) / 2);
        QCOMPARE((n * 2 + 1) / 2, n);
        QCOMPARE((SizeExpression(-3) / 2).number(), std::optional<std::int64_t>(-2));
        QCOMPARE((n / m).text(), "N/M");
        QCOMPARE(n.dimension(symbols), ir::Dimension::named(symbols.find("N")));
        QCOMPARE((n - n + 7).dimension(symbols), ir::Dimension::of(7));
        QCOMPARE((size("past (tokens") + 0).text(), "past (tokens");  // no expression: a name as it stands
    }

    void namesThatAreNotInTheNormalFormAreOneName() {
        SymbolTable symbols;
        const auto size = [&symbols](const char* name) {
            return SizeExpression(ir::Dimension::named(symbols.intern(name)), symbols);
        };
        for (const char* const name : {"seq-len", "1+N", "2-5", "-3", "N-N", "b+a", "(b+a)", "N*b+a"}) {
            QCOMPARE(size(name).text(), std::string(name));
            QVERIFY(!size(name).number());
            // What is computed of it is read again as that.
            const SizeExpression computed = size(name) * size("N") * 2 + 1;
            QCOMPARE(size(computed.text().c_str()), computed);
            QCOMPARE((computed - 1) / (size("N") * 2), size(name));
        }
        QCOMPARE((size("seq-len") + 1).text(), "(seq-len)+1");
        QCOMPARE((size("b+a") * size("N")).text(), "N*(b+a)");
        QVERIFY(size("N*(b+a)") != size("N*((b+a))"));
        QCOMPARE(size("M-N") + size("N"), size("M"));
        QCOMPARE(readDimension("seq-len", symbols), ir::Dimension::named(symbols.find("seq-len")));
        QCOMPARE(readDimension("5", symbols), ir::Dimension::of(5));
    }

    void theLeastInteger() {
        constexpr std::int64_t Least = std::numeric_limits<std::int64_t>::min();
        constexpr std::int64_t Largest = std::numeric_limits<std::int64_t>::max();
        QCOMPARE((SizeExpression(Least) / -1).number(), std::optional(Largest));
        SymbolTable symbols;
        const SizeExpression n(ir::Dimension::named(symbols.intern("N")), symbols);
        QCOMPARE((n * Least) / -1, n * Largest);
        QCOMPARE(wholeNumber(0x1p63), Largest);
        QCOMPARE(wholeNumber(-0x1p64), Least);
        QCOMPARE(wholeNumber(std::nan("")), std::int64_t{0});
        QCOMPARE(wholeNumber(-2.75), std::int64_t{-2});
        const auto failed = run("Gather", "0", {counting({3}), array({1}, {0x1p63}, ir::Dtype::I64)});
        QCOMPARE(failed.error().message, std::string("there is no element 9223372036854775807 along an axis of 3"));
    }

    void arithmeticOfSizesIsCutOff() {
        SymbolTable symbols;
        QCOMPARE((SizeExpression(std::int64_t{1} << 40) * (std::int64_t{1} << 40)).number(),
                 std::optional(std::numeric_limits<std::int64_t>::max()));
    }

    void reshaping() {
        QCOMPARE(types("Reshape", "[2,-1]", {"f32[3,4]"}), "f32[2,6]");
        QCOMPARE(types("Reshape", "[0,-1]", {"f32[N,3,4]"}), "f32[N,12]");
        QCOMPARE(types("Reshape", "[-1,4]", {"f32[N,2,6]"}), "f32[3*N,4]");
        QCOMPARE(types("Reshape", "[]", {"f32[1,1]"}), "f32[]");
        QCOMPARE(types("Reshape", "[2,3]", {"f32[...]"}), "f32[2,3]");
        QCOMPARE(types("Reshape", "[-1,3]", {"f32[...]"}), "f32[...]");
        QCOMPARE(types("Reshape", "[5,2]", {"f32[3,4]"}), "Reshape: the elements of [3,4] do not make [5,2]");
        QCOMPARE(types("Reshape", "[5,-1]", {"f32[3,4]"}), "Reshape: the elements of [3,4] do not make [5,-1]");
        QCOMPARE(types("Reshape", "[-1,-1]", {"f32[3,4]"}),
                 "Reshape: -1, the size that follows from the others, is given twice");
        QCOMPARE(types("Reshape", "[3,4,0]", {"f32[3,4]"}), "Reshape: 0 copies size 3 of an array that has 2 sizes");
        QCOMPARE(types("Reshape", "[-2]", {"f32[3,4]"}), "Reshape: -2 is no size");
        QCOMPARE(types("Reshape", "[2,-1,0]", {"f32[4,0,0]"}), "Reshape: the elements of [4,0,0] do not make [2,-1,0]");
        const auto reshaped = run("Reshape", "[3,2]", {counting({2, 3})});
        QCOMPARE(reshaped->front()->shape, (Shape{3, 2}));
        QCOMPARE(reshaped->front()->elements, (Numbers{0, 1, 2, 3, 4, 5}));
        QVERIFY(workOf("Reshape", "[6]", {"f32[2,3]"}).isView);
        QCOMPARE(types("Flatten", "2", {"f32[N,2,3,4]"}), "f32[2*N,12]");
        QCOMPARE(types("Flatten", "0", {"f32[2,3]"}), "f32[1,6]");
        QCOMPARE(types("Flatten", "3", {"f32[2,3]"}), "Flatten: there is no axis 3 in rank 2");
        QCOMPARE(types("Squeeze", "[0,2]", {"f32[1,3,M]"}), "f32[3]");
        QCOMPARE(types("Squeeze", "[1]", {"f32[1,3]"}), "Squeeze: axis 1 has a size of 3, not 1");
        QCOMPARE(types("Unsqueeze", "[0,3]", {"f32[2,3]"}), "f32[1,2,3,1]");
        QCOMPARE(types("Unsqueeze", "[3,0]", {"f32[2,3]"}), "Unsqueeze takes axes in rising order; found [3,0]");
        QCOMPARE(types("Unsqueeze", "[3]", {"f32[2]"}), "Unsqueeze: there is no axis 3 in rank 2");
    }

    void transposing() {
        QCOMPARE(run("Transpose", "[1,0]", {counting({2, 3})})->front()->elements, (Numbers{0, 3, 1, 4, 2, 5}));
        const auto turned = run("Transpose", "[2,0,1]", {counting({2, 2, 3})});
        QCOMPARE(turned->front()->shape, (Shape{3, 2, 2}));
        QCOMPARE(turned->front()->elements, (Numbers{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11}));
        QCOMPARE(types("Transpose", "[1,0]", {"f32[N,3]"}), "f32[3,N]");
        QCOMPARE(types("Transpose", "[1,1]", {"f32[N,3]"}), "Transpose takes an order of 2 axes; found [1,1]");
        QVERIFY(!workOf("Transpose", "[1,0]", {"f32[2,3]"}).isView);
        QVERIFY(workOf("Transpose", "[1,0,2]", {"f32[2,1,3]"}).isView);
    }

    void joiningAndTakingApart() {
        const auto joined = run("Concat", "1", {counting({2, 1}), counting({2, 2}, 10)});
        QCOMPARE(joined->front()->elements, (Numbers{0, 10, 11, 1, 12, 13}));
        QCOMPARE(types("Concat", "0", {"f32[N,3]", "f32[2,3]", "f32[N,3]"}), "f32[2*N+2,3]");
        QCOMPARE(types("Concat", "0", {"f32[1,H]", "f32[1,3]"}), "f32[2,3]");
        QCOMPARE(types("Concat", "1", {"f32[2,3]", "f32[4,3]"}), "Concat along axis 1: sizes 2 and 4 of axis 0 differ");
        QCOMPARE(types("Concat", "2", {"f32[2,3]"}), "Concat: there is no axis 2 in rank 2");
        QCOMPARE(types("Concat", "-1", {"f32[2,3]"}), "Concat: there is no axis -1 in rank 2");
        QCOMPARE(types("Concat", "0", {"f32[2]", "i64[2]"}),
                 "Concat takes arrays of one element type; found f32 and i64");
        const auto parts = run("Split", "1$[1,2]", {counting({2, 3})});
        QCOMPARE(parts->size(), std::size_t{2});
        QCOMPARE((*parts)[0]->elements, (Numbers{0, 3}));
        QCOMPARE((*parts)[1]->elements, (Numbers{1, 2, 4, 5}));
        QCOMPARE(types("Split", "0$[1,2]", {"f32[N,3]"}), "f32[1,3] f32[2,3]");
        QCOMPARE(types("Split", "1$[1,1]", {"f32[2,3]"}), "Split: parts of [1,1] do not make the 3 elements of axis 1");
        QVERIFY(workOf("Split", "1$[1,2]", {"f32[1,3,5]"}).isView);
        QVERIFY(!workOf("Split", "1$[1,2]", {"f32[2,3,5]"}).isView);
    }

    void onnxFormsOldAndNew() {
        const FakeContext constant({"f32[2,3,1]", "i64[2]"}, {{1, {2, -1}}});
        QCOMPARE(imported({.domain = "", .type = "Reshape", .inputs = {"x", "s"}}, constant), "[2,3]");
        QCOMPARE(imported({.domain = "", .type = "Reshape", .inputs = {"x", "s"}},
                          FakeContext({"f32[N,3,4]", "i64[2]"}, {{1, {0, -1}}})),
                 "[-1,12]");
        QCOMPARE(imported({.domain = "", .type = "Reshape", .inputs = {"x", "s"}},
                          FakeContext({"f32[N,3,M]", "i64[2]"}, {{1, {0, -1}}})),
                 "[0,-1]");
        QCOMPARE(imported({.domain = "", .type = "Reshape", .inputs = {"x", "s"}}, FakeContext({"f32[6]", "i64[2]"})),
                 "the shape of Reshape is known only when the program runs");
        QCOMPARE(imported({.domain = "", .type = "Squeeze", .inputs = {"x"}}, constant), "[2]");
        QCOMPARE(imported({.domain = "", .type = "Squeeze", .inputs = {"x"}, .attributes = {{"axes", Integers{-1}}}},
                          constant),
                 "[2]");
        QCOMPARE(imported({.domain = "", .type = "Unsqueeze", .inputs = {"x", "axes"}},
                          FakeContext({"f32[2]", "i64[2]"}, {{1, {-1, 0}}})),
                 "[0,2]");
        QCOMPARE(imported({.domain = "", .type = "Transpose", .inputs = {"x"}}, constant), "[2,1,0]");
        QCOMPARE(
            imported({.domain = "", .type = "Concat", .inputs = {"x", "x"}, .attributes = {{"axis", std::int64_t{-1}}}},
                     constant),
            "2");
        const OnnxNode equal{.domain = "",
                             .type = "Split",
                             .inputs = {"x"},
                             .outputs = {"a", "b"},
                             .attributes = {{"axis", std::int64_t{-2}}}};
        QCOMPARE(imported(equal, constant), "1$[2,1]");
        OnnxNode old = equal;
        old.attributes["split"] = Integers{1, 2};
        QCOMPARE(imported(old, constant), "1$[1,2]");
        QCOMPARE(imported(equal, FakeContext({"f32[2,N,1]"})), "the size that Split divides is unknown");
    }
};

MITOS_TEST(TestMovement)

}  // namespace tst_movement

#include "tst_movement.moc"

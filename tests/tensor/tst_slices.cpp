// SPDX-License-Identifier: GPL-3.0-or-later
// Parts, padding, repetition, resampling and indexing: literal arrays, types with named sizes, messages, ONNX forms.
#include "tests/support/test_program.h"
#include "tests/tensor/operators.h"

#include <QtTest/QTest>

#include <limits>

namespace tst_slices {

using namespace mitos;
using namespace mitos::tensor;
using namespace mitos::tensor::test;

namespace {

using Numbers = std::vector<double>;
using Integers = std::vector<std::int64_t>;

ArrayPtr indices(Shape shape, Numbers elements) { return array(std::move(shape), std::move(elements), ir::Dtype::I64); }

Shape shapeOf(const Result<std::vector<ArrayPtr>>& result) { return result ? result->front()->shape : Shape{-999}; }

OnnxNode slice(std::int64_t opset = 13) {
    return {.domain = "", .type = "Slice", .opset = opset, .inputs = {"x", "s", "e", "a", "t"}};
}

}  // namespace

class TestSlices : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void slices() {
        const ArrayPtr x = counting({3, 4});
        QCOMPARE(elementsOf(run("Slice", "[1,0]$[3,4]$[0,1]$[1,2]", {x})), (Numbers{4, 6, 8, 10}));
        QCOMPARE(elementsOf(run("Slice", "[-1]$[-5]$[1]$[-1]", {x})), (Numbers{3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8}));
        QCOMPARE(elementsOf(run("Slice", "[-2]$[9223372036854775807]$[0]$[1]", {x})),
                 (Numbers{4, 5, 6, 7, 8, 9, 10, 11}));
        QCOMPARE(shapeOf(run("Slice", "[2]$[1]$[0]$[1]", {x})), (Shape{0, 4}));
        QCOMPARE(elementsOf(run("Slice", "[]$[]$[]$[]", {x})), x->elements);
        QCOMPARE(types("Slice", "[1]$[9223372036854775807]$[0]$[1]", {"f32[N,4]"}), "f32[N-1,4]");
        QCOMPARE(types("Slice", "[0]$[-1]$[0]$[1]", {"f32[N+1]"}), "f32[N]");
        QCOMPARE(types("Slice", "[-3]$[-1]$[0]$[1]", {"f32[N+1]"}), "f32[slice(N+1:-3:-1:1)]");
        // Names stand for 1 or more: the last three of two are two.
        QCOMPARE(types("Slice", "[-3]$[-1]$[0]$[1]", {"f32[N+3]"}), "f32[2]");
        QCOMPARE(types("Slice", "[-3]$[9223372036854775807]$[0]$[1]", {"f32[N]"}), "f32[slice(N:-3::1)]");
        QCOMPARE(types("Slice", "[-1]$[9223372036854775807]$[0]$[1]", {"f32[N]"}), "f32[1]");
        QCOMPARE(types("Slice", "[-1]$[-2]$[0]$[1]", {"f32[N]"}), "f32[0]");
        QCOMPARE(types("Slice", "[0]$[9223372036854775807]$[0]$[2]", {"f32[N]"}), "f32[(N+1)/2]");
        QCOMPARE(types("Slice", "[0]$[5]$[0]$[1]", {"f32[N]"}), "f32[slice(N:0:5:1)]");
        // The last one of N is there; of what is computed there may be none.
        const char* const last = "[-1]$[9223372036854775807]$[0]$[1]";
        QCOMPARE(types("Slice", last, {"f32[N]"}), "f32[1]");
        QCOMPARE(types("Slice", last, {"f32[N-1]"}), "f32[slice(N-1:-1::1)]");
        QCOMPARE(types("Slice", last, {"f32[N/2]"}), "f32[slice(N/2:-1::1)]");
        QCOMPARE(types("Slice", "[-3]$[9223372036854775807]$[0]$[1]", {"f32[2*N+1]"}), "f32[3]");
        QCOMPARE(types("Slice", "[-9223372036854775808]$[9223372036854775807]$[0]$[1]", {"f32[N]"}),
                 "f32[slice(N:-9223372036854775808::1)]");
        QCOMPARE(types("Slice", "[5]$[2]$[0]$[1]", {"f32[N]"}), "f32[0]");
        QCOMPARE(types("Slice", "[0]$[1]$[2]$[1]", {"f32[3,4]"}), "Slice: there is no axis 2 in rank 2");
        QCOMPARE(types("Slice", "[0]$[1]$[0]$[0]", {"f32[3,4]"}), "Slice cannot take steps of 0");
        QCOMPARE(types("Slice", "[0,0]$[1,1]$[1,0]$[1,1]", {"f32[3,4]"}), "Slice takes rising axes; found [1,0]");
        QCOMPARE(types("Slice", "[0]$[1,1]$[0]$[1]", {"f32[3,4]"}),
                 "Slice takes as many starts, ends and steps as axes");
        QVERIFY(workOf("Slice", "[1]$[2]$[0]$[1]", {"f32[3,4]"}).isView);
        QVERIFY(!workOf("Slice", "[1]$[2]$[1]$[1]", {"f32[3,4]"}).isView);
    }

    /// Every slice of a size against indexing one by one.
    void slicesAgreeWithIndexing() {
        const Numbers x{0, 1, 2, 3, 4};
        for (std::int64_t start = -7; start <= 7; ++start) {
            for (std::int64_t end = -7; end <= 7; ++end) {
                for (const std::int64_t step : {-3, -2, -1, 1, 2, 3}) {
                    // as Python indexes: bounds from the end, then moved inside, then walked
                    std::int64_t i = start < 0 ? start + 5 : start;
                    std::int64_t last = end < 0 ? end + 5 : end;
                    i = step > 0 ? std::clamp<std::int64_t>(i, 0, 5) : std::clamp<std::int64_t>(i, 0, 4);
                    last = step > 0 ? std::clamp<std::int64_t>(last, 0, 5) : std::clamp<std::int64_t>(last, -1, 4);
                    Numbers expected;
                    for (; step > 0 ? i < last : i > last; i += step)
                        expected.push_back(x[static_cast<std::size_t>(i)]);
                    const FakeContext context({"f32[5]"}, {{1, {start}}, {2, {end}}, {3, {0}}, {4, {step}}});
                    const std::string canonical = imported(slice(), context);
                    QCOMPARE(elementsOf(run("Slice", canonical, {counting({5})})), expected);
                }
            }
        }
    }

    void equalSlicesAreEqualText() {
        constexpr std::int64_t Most = std::numeric_limits<std::int64_t>::max();
        const auto text = [](const char* type, Integers starts, Integers ends, Integers axes, Integers steps) {
            const FakeContext context(
                {type}, {{1, std::move(starts)}, {2, std::move(ends)}, {3, std::move(axes)}, {4, std::move(steps)}});
            return imported(slice(), context);
        };
        QCOMPARE(text("f32[4,6]", {0, 1}, {Most, -1}, {0, -1}, {1, 2}), "[1]$[4]$[1]$[2]");
        QCOMPARE(text("f32[4,6]", {1, 0}, {5, 9}, {1, 0}, {2, 1}), "[1]$[4]$[1]$[2]");
        QCOMPARE(text("f32[4]", {-1}, {-9}, {0}, {-1}), "[3]$[-5]$[0]$[-1]");
        QCOMPARE(text("f32[4]", {2}, {3}, {0}, {7}), "[2]$[3]$[0]$[1]");
        QCOMPARE(text("f32[4]", {3}, {1}, {0}, {1}), "[0]$[0]$[0]$[1]");
        QCOMPARE(text("f32[N,3]", {0}, {2147483647}, {0}, {1}), "[]$[]$[]$[]");
        QCOMPARE(text("f32[N,3]", {1}, {2147483647}, {0}, {1}), "[1]$[9223372036854775807]$[0]$[1]");
        QCOMPARE(text("f32[4]", {0}, {2}, {1}, {1}), "there is no axis 1 in an array of rank 1");
        QCOMPARE(text("f32[4,4]", {0, 0}, {2, 2}, {0, -2}, {1, 1}), "the axis 0 is named twice");
        OnnxNode old = slice(9);
        old.inputs = {"x"};
        old.attributes = {{"starts", Integers{1}}, {"ends", Integers{-1}}};
        QCOMPARE(imported(old, FakeContext({"f32[4,6]"})), "[1]$[3]$[0]$[1]");
        QCOMPARE(imported(slice(), FakeContext({"f32[4]"})),
                 "the starts of Slice are known only when the program runs");
    }

    void padding() {
        const ArrayPtr x = counting({2, 3}, 1);
        QCOMPARE(elementsOf(run("Pad", "[0,1,1,0]$constant$9.0", {x})), (Numbers{9, 1, 2, 3, 9, 4, 5, 6, 9, 9, 9, 9}));
        QCOMPARE(elementsOf(run("Pad", "[0,2,0,1]$reflect$0.0", {x})), (Numbers{3, 2, 1, 2, 3, 2, 6, 5, 4, 5, 6, 5}));
        QCOMPARE(elementsOf(run("Pad", "[1,0,0,2]$edge$0.0", {x})),
                 (Numbers{1, 2, 3, 3, 3, 1, 2, 3, 3, 3, 4, 5, 6, 6, 6}));
        QCOMPARE(elementsOf(run("Pad", "[0,-1,-1,1]$constant$0.0", {x})), (Numbers{2, 3, 0}));
        QCOMPARE(types("Pad", "[0,1,0,1]$constant$0.0", {"f32[N,M]"}), "f32[N,M+2]");
        QCOMPARE(types("Pad", "[0,1]$constant$0.0", {"f32[2,3]"}), "Pad takes 4 numbers as pads; found 2");
        QCOMPARE(types("Pad", "[9223372036854775807,1]$constant$0.0", {"f32[2]"}),
                 "Pad: no number may be more than 2147483648");
        QCOMPARE(types("Pad", "[0,3,0,0]$reflect$0.0", {"f32[2,3]"}),
                 "Pad: a size of 3 has nothing to reflect 3 times");
        QCOMPARE(types("Pad", "[0,-2,0,-2]$constant$0.0", {"f32[2,3]"}), "Pad: 4 cannot be taken from a size of 3");
        const OnnxNode node{.domain = "", .type = "Pad", .inputs = {"x", "p", "v"}};
        QCOMPARE(imported(node, FakeContext({"f32[2,3]"}, {{1, {0, 1, 0, 1}}}, {{2, {1.5}}})),
                 "[0,1,0,1]$constant$1.5");
        OnnxNode old{.domain = "", .type = "Pad", .opset = 2, .inputs = {"x"}};
        old.attributes = {{"pads", Integers{1, 0, 0, 0}}, {"mode", std::string("edge")}, {"value", 3.0}};
        QCOMPARE(imported(old, FakeContext({"f32[2,3]"})), "[1,0,0,0]$edge$0.0");
        QCOMPARE(imported(node, FakeContext({"f32[2,3]"}, {{1, {0, 1, 0, 1}}})),
                 "the value with which Pad fills is not a constant");
    }

    void repeating() {
        QCOMPARE(elementsOf(run("Expand", "[2,1,2]", {counting({2, 1})})), (Numbers{0, 0, 1, 1, 0, 0, 1, 1}));
        QCOMPARE(elementsOf(run("Expand", "[2]", {array({}, {7})})), (Numbers{7, 7}));
        QCOMPARE(types("Expand", "[4,1]", {"f32[N]"}), "f32[4,N]");
        QCOMPARE(types("Expand", "[4]", {"f32[3]"}), "sizes 3 and 4 do not broadcast");
        QCOMPARE(elementsOf(run("Tile", "[2,2]", {counting({1, 2})})), (Numbers{0, 1, 0, 1, 0, 1, 0, 1}));
        QCOMPARE(types("Tile", "[1,3]", {"f32[4,N]"}), "f32[4,3*N]");
        QCOMPARE(types("Tile", "[1]", {"f32[4,N]"}), "Tile takes 2 numbers as repeats; found 1");
        QCOMPARE(shapeOf(run("Tile", "[0,3]", {counting({2, 2})})), (Shape{0, 6}));
        QCOMPARE(imported({.domain = "", .type = "Expand", .inputs = {"x", "s"}},
                          FakeContext({"f32[3,1]", "i64[1]"}, {{1, {4}}})),
                 "[3,4]");
    }

    void blocks() {
        // 8 channels of one element become 2 of 2x2: by blocks first, or by channels first
        const ArrayPtr x = counting({1, 8, 1, 1});
        QCOMPARE(elementsOf(run("DepthToSpace", "2$DCR", {x})), (Numbers{0, 2, 4, 6, 1, 3, 5, 7}));
        QCOMPARE(elementsOf(run("DepthToSpace", "2$CRD", {x})), (Numbers{0, 1, 2, 3, 4, 5, 6, 7}));
        const auto back = run("SpaceToDepth", "2", {run("DepthToSpace", "2$DCR", {x})->front()});
        QCOMPARE(elementsOf(back), x->elements);
        QCOMPARE(types("DepthToSpace", "2$DCR", {"f32[N,8,H,3]"}), "f32[N,2,2*H,6]");
        QCOMPARE(types("DepthToSpace", "3$DCR", {"f32[N,8,H,3]"}),
                 "DepthToSpace: size 8 of axis 1 is no multiple of 9");
        QCOMPARE(types("SpaceToDepth", "2", {"f32[N,3,4,6]"}), "f32[N,12,2,3]");
        QCOMPARE(types("SpaceToDepth", "2", {"f32[3,4,6]"}), "SpaceToDepth takes an image [N,C,H,W]; found rank 3");
    }

    void gathering() {
        const ArrayPtr x = counting({3, 2});
        QCOMPARE(elementsOf(run("Gather", "0", {x, indices({2, 1}, {2, -3})})), (Numbers{4, 5, 0, 1}));
        QCOMPARE(shapeOf(run("Gather", "0", {x, indices({2, 1}, {2, -3})})), (Shape{2, 1, 2}));
        QCOMPARE(elementsOf(run("Gather", "1", {x, indices({}, {1})})), (Numbers{1, 3, 5}));
        QVERIFY(!run("Gather", "0", {array({3, 0}, {}), indices({1}, {3})}).ok());  // of no elements too
        const auto outside = run("Gather", "0", {x, indices({1}, {3})});
        QVERIFY(!outside.ok());
        QCOMPARE(outside.error().message, "there is no element 3 along an axis of 3");
        QCOMPARE(types("Gather", "1", {"f32[N,5,3]", "i64[B,L]"}), "f32[N,B,L,3]");
        QCOMPARE(types("Gather", "0", {"f32[5]", "f32[2]"}), "Gather takes indices of type i32 or i64; found f32");
        QCOMPARE(elementsOf(run("GatherElements", "1", {x, indices({3, 1}, {1, 0, -1})})), (Numbers{1, 2, 5}));
        QCOMPARE(types("GatherElements", "0", {"f32[3,2]", "i64[9,3]"}),
                 "GatherElements: 3 indices for 2 elements of axis 1");
        const ArrayPtr cube = counting({2, 2, 2});
        QCOMPARE(elementsOf(run("GatherND", "0", {cube, indices({2, 2}, {0, 1, 1, -2})})), (Numbers{2, 3, 4, 5}));
        QCOMPARE(elementsOf(run("GatherND", "1", {cube, indices({2, 1}, {1, 0})})), (Numbers{2, 3, 4, 5}));
        QCOMPARE(types("GatherND", "0", {"f32[2,3]", "i64[4,3]"}),
                 "GatherND: 3 indices (after 0 axes of a batch) for an array of rank 2");
        QCOMPARE(
            imported({.domain = "", .type = "Gather", .inputs = {"x", "i"}, .attributes = {{"axis", std::int64_t{-1}}}},
                     FakeContext({"f32[3,2]", "i64[1]"})),
            "1");
    }

    void scattering() {
        const ArrayPtr x = counting({2, 2});
        QCOMPARE(elementsOf(run("ScatterElements", "1$none", {x, indices({2, 1}, {1, 0}), array({2, 1}, {8, 9})})),
                 (Numbers{0, 8, 9, 3}));
        QCOMPARE(elementsOf(run("ScatterElements", "0$add", {x, indices({2, 1}, {1, 1}), array({2, 1}, {8, 9})})),
                 (Numbers{0, 1, 19, 3}));
        QCOMPARE(elementsOf(run("ScatterND", "mul", {x, indices({1, 1}, {1}), array({1, 2}, {2, 3})})),
                 (Numbers{0, 1, 4, 9}));
        QCOMPARE(types("ScatterND", "none", {"f32[2,2]", "i64[1,1]", "f32[2,2]"}),
                 "ScatterND: the updates do not have the sizes of the parts that the indices name");
        QVERIFY(!run("ScatterND", "none", {x, indices({1, 1}, {2}), array({1, 2}, {2, 3})}).ok());
    }

    void resizing() {
        const ArrayPtr x = counting({1, 1, 2, 2}, 1);
        const char* const nearest = "[1.0,1.0,2.0,1.0]$[]$nearest$half_pixel$round_prefer_floor$-0.75$false$[]$0.0";
        QCOMPARE(elementsOf(run("Resize", nearest, {x})), (Numbers{1, 2, 1, 2, 3, 4, 3, 4}));
        const auto linear =
            run("Resize", "[]$[1,1,1,4]$linear$half_pixel$floor$-0.75$false$[]$0.0", {counting({1, 1, 1, 2}, 1)});
        QCOMPARE(elementsOf(linear), (Numbers{1, 1.25, 1.75, 2}));
        const auto corners =
            run("Resize", "[]$[3,3]$linear$align_corners$floor$-0.75$false$[]$0.0", {counting({2, 2}, 1)});
        QCOMPARE(elementsOf(corners), (Numbers{1, 1.5, 2, 2, 2.5, 3, 3, 3.5, 4}));
        QCOMPARE(elementsOf(run("Resize", "[0.5]$[]$nearest$asymmetric$floor$-0.75$false$[]$0.0", {counting({5})})),
                 (Numbers{0, 2}));
        // 29, as ONNX has it in single precision; in double precision 28.999….
        QCOMPARE(types("Resize", "[]$[1,4]$nearest$asymmetric$floor$-0.75$false$[]$0.0", {"f32[1,0]"}),
                 "Resize: there is nothing to enlarge");
        QCOMPARE(types("Resize", "[0.29]$[]$nearest$asymmetric$floor$-0.75$false$[]$0.0", {"f32[100]"}), "f32[29]");
        QCOMPARE(types("Resize", "[1.0,2.0]$[]$nearest$asymmetric$floor$-0.75$false$[]$0.0", {"f32[N,M]"}),
                 "f32[N,2*M]");
        QCOMPARE(types("Resize", "[1.0]$[]$nearest$asymmetric$floor$-0.75$false$[]$0.0", {"f32[N,M]"}),
                 "Resize takes 2 numbers, as sizes or as scales");
        const OnnxNode upsample{.domain = "", .type = "Upsample", .opset = 9, .inputs = {"x", "s"}};
        const Operator& op = *findOperator("Resize");
        const auto read = op.onnx.import(op, upsample, FakeContext({"f32[1,2]", "f32[2]"}, {}, {{1, {1.0, 2.0}}}));
        QVERIFY(read.ok());
        QCOMPARE(read->attributes.text(), "[1.0,2.0]$[]$nearest$asymmetric$floor$-0.75$false$[]$0.0");
        OnnxNode cubic{
            .domain = "", .type = "Resize", .inputs = {"x", "", "s"}, .attributes = {{"mode", std::string("cubic")}}};
        QCOMPARE(imported(cubic, FakeContext({"f32[1,2]", "", "f32[2]"}, {}, {{2, {1.0, 2.0}}})),
                 "[1.0,2.0]$[]$cubic$half_pixel$round_prefer_floor$-0.75$false$[]$0.0");
        cubic.attributes["mode"] = std::string("sinc");
        QCOMPARE(imported(cubic, FakeContext({"f32[1,2]", "", "f32[2]"}, {}, {{2, {1.0, 2.0}}})),
                 "Resize with mode sinc");
    }

    void generating() {
        QCOMPARE(elementsOf(run("Shape", "1$3", {counting({2, 3, 4})})), (Numbers{3, 4}));
        QCOMPARE(elementsOf(run("Size", "", {counting({2, 3})})), Numbers{6});
        QCOMPARE(elementsOf(run("Range", "[n]", {array({}, {10}), array({}, {4}), array({}, {-2})})),
                 (Numbers{10, 8, 6}));
        QVERIFY(!run("Range", "[n]", {array({}, {0}), array({}, {4}), array({}, {0})}).ok());
        const auto eye = run("EyeLike", "i32$1", {counting({2, 3})});
        QCOMPARE(elementsOf(eye), (Numbers{0, 1, 0, 0, 0, 1}));
        QCOMPARE(eye->front()->dtype, ir::Dtype::I32);
        QCOMPARE(elementsOf(run("Trilu", "true$0", {counting({3, 3}, 1)})), (Numbers{1, 2, 3, 0, 5, 6, 0, 0, 9}));
        QCOMPARE(elementsOf(run("Trilu", "false$-1", {counting({3, 3}, 1)})), (Numbers{0, 0, 0, 4, 0, 0, 7, 8, 0}));
        QCOMPARE(elementsOf(run("OneHot", "3$0", {indices({2}, {1, -1}), array({2}, {0, 5})})),
                 (Numbers{0, 0, 5, 0, 0, 5}));
        QCOMPARE(elementsOf(run("OneHot", "2$1", {indices({2}, {1, 7}), array({2}, {0, 5})})), (Numbers{0, 5, 0, 0}));
        QCOMPARE(types("OneHot", "10$1", {"i64[N]", "f32[2]"}), "f32[N,10]");
        QCOMPARE(imported({.domain = "", .type = "OneHot", .inputs = {"i", "d", "v"}},
                          FakeContext({"i64[N]", "i64[]", "f32[2]"}, {{1, {10}}})),
                 "10$1");
        QCOMPARE(imported({.domain = "", .type = "Shape", .inputs = {"x"}, .attributes = {{"start", std::int64_t{-2}}}},
                          FakeContext({"f32[A,B,C]"})),
                 "1$3");
    }

    /// A kernel with merged groups convolves as the groups do one by one.
    void mergedGroupsConvolveTheSame() {
        Random random(5);
        const ArrayPtr x = randomIntegers({2, 8, 4, 4}, random);
        const ArrayPtr w = randomIntegers({12, 2, 3, 3}, random);  // four groups of two channels
        const auto expected = run("Conv", "[1,1]$[1,1,1,1]$[1,1]$4", {x, w});
        for (const auto& [count, text] : {std::pair{2, "4$2"}, std::pair{4, "4$4"}}) {
            const auto merged = run("MergeGroups", text, {w});
            QCOMPARE(shapeOf(merged), (Shape{12, 2 * count, 3, 3}));
            const auto y = run("Conv", "[1,1]$[1,1,1,1]$[1,1]$" + std::to_string(4 / count), {x, merged->front()});
            QCOMPARE(elementsOf(y), elementsOf(expected));
        }
        QCOMPARE(types("MergeGroups", "4$3", {"f32[12,2,3,3]"}), "MergeGroups: 4 groups cannot be merged by 3");
        QCOMPARE(types("MergeGroups", "4$2", {"f32[10,2,3,3]"}), "MergeGroups: 10 filters are no multiple of 4 groups");
    }
};

MITOS_TEST(TestSlices)

}  // namespace tst_slices

#include "tst_slices.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// What each pass over the loop form does, and what it leaves alone. That values stay is tested by running forms (tst_interpreter.cpp).
#include "core/loops/lowering.h"
#include "core/loops/text.h"
#include "tests/loops/lowered.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

namespace tst_passes {

using namespace mitos;
using tests::Lowered;

class TestPasses : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void programs_data();
    void programs();
};

namespace {

void addTargets() {
    QTest::newRow("targets: a vector that is made to be added")
        << "(def f (Vec n Float) ((a : Vec m (Vec n Float)) (x : Vec m Float)) (fold (lam (p : Tuple (Vec Float) "
           "Integer) (let ((s (get$1$2 p)) (i (get$2$2 p))) (add s (build n (lam (j : Integer) (mul (index i x) (index "
           "j (index i a)))))))) (constVec n 0.0) (build m (lam (i : Integer) i))))"
        << R"(    var result = filled(n, 0.0)
    for i to m  # 2*m*n operations, 24*m*n bytes read, 8*m*n bytes written
        for j to n
            result[j] += x[i] * a[i, j]
    return result
)";
    QTest::newRow("targets: not where 0.0 changes a number")
        << "(def f (Vec n Float) ((a : Vec n Float) (x : Vec m Float)) (fold (lam (p : Tuple (Vec Float) Float) (add "
           "(get$1$2 p) (build n (lam (j : Integer) (mul (index j a) (get$2$2 p)))))) a x))"
        << R"(    var result = a
    var v = unset(n)
    for i to size(x)  # n*size(x) operations, size(x) add, 16*n*size(x) bytes read, 8*n*size(x) bytes written
        for j to n
            v[j] := a[j] * x[i]
        result += v
    return result
)";
    QTest::newRow("targets: rows of a matrix that is made to be added")
        << "(def f (Tuple (Vec (Vec Float)) (Vec Float)) ((m : Vec k (Vec n Float)) (v : Vec n Float) (x : Vec "
           "q Float)) (let (d (buildFromSparseTupled (tuple (constVec 1 (shape m)) (constVec q (tuple))) q (lam "
           "(c : Integer) (let (d (buildFromSparseTupled (tuple (shape m) (constVec k (tuple))) k (lam (i : "
           "Integer) (let (e (mul (index c x) (index 0 (index i m)))) (tuple (tuple i (ts_scale e v)) (tuple i "
           "e)))))) (tuple (tuple 0 (get$1$2 d)) (tuple c (sum (get$2$2 d)))))))) (tuple (index 0 (get$1$2 d)) "
           "(get$2$2 d))))"
        << R"(    var scattered = zeroLike(m)
    var scattered2 = zeros(q)
    var scattered3 = unset(k)
    for c to q  # 2*k*q*size(v) + 2*k*q + q operations, q sum, 16*k*q*size(v) + 16*k*q + 8*q bytes read, 8*k*q*size(v) + 8*k*q + 8*q bytes written
        for i to k
            e = x[c] * m[i, 0]
            place total = scattered[i]
            require size(total) == size(v)
            for i2 to size(v)
                total[i2] += e * v[i2]
            scattered3[i] := 0.0 + e
        scattered2[c] += sum(scattered3)
    return (scattered, scattered2)
)";
    QTest::newRow("targets: not where the shapes of matrices may differ")
        << "(def f (Tuple (Vec (Vec Float)) (Vec Float)) ((m : Vec k (Vec n Float)) (w : Vec k (Vec n Float)) "
           "(v : Vec n Float) (x : Vec q Float)) (let (d (buildFromSparseTupled (tuple (constVec 1 (shape w)) "
           "(constVec q (tuple))) q (lam (c : Integer) (let (d (buildFromSparseTupled (tuple (shape m) "
           "(constVec k (tuple))) k (lam (i : Integer) (let (e (mul (index c x) (index 0 (index i m)))) (tuple "
           "(tuple i (ts_scale e v)) (tuple i e)))))) (tuple (tuple 0 (get$1$2 d)) (tuple c (sum (get$2$2 "
           "d)))))))) (tuple (index 0 (get$1$2 d)) (get$2$2 d))))"
        << R"(    var scattered = zeroLike(w)
    var scattered2 = zeros(q)
    var scattered3 = unset(k)
    for c to q  # 2*k*q*size(v) + 2*k*q + q operations, q add, q sum, q zeroLike, 16*k*q*size(v) + 16*k*q + 8*q bytes read, 8*k*q*size(v) + 8*k*q + 8*q bytes written
        var scattered4 = zeroLike(m)
        for i to k
            e = x[c] * m[i, 0]
            place total = scattered4[i]
            require size(total) == size(v)
            for i2 to size(v)
                total[i2] += e * v[i2]
            scattered3[i] := 0.0 + e
        scattered += scattered4
        scattered2[c] += sum(scattered3)
    return (scattered, scattered2)
)";
}

void addReadable() {
    QTest::newRow("copies: a variable is read where it is")
        << "(def f Float (x : Vec n Float) (fold (lam (p : Tuple Float Float) (let ((s (get$1$2 p)) (e (mul 2.0 "
           "(get$2$2 p)))) (add s (mul s e)))) 1.0 x))"
        << R"(    var result = 1.0
    for i to size(x)  # 3*size(x) operations, 8*size(x) bytes read
        e = 2.0 * x[i]
        result += result * e
    return result
)";
    QTest::newRow("copies: not after the variable changed")
        << "(def f (Tuple Float Float) (x : Vec n Float) (fold (lam (p : Tuple (Tuple Float Float) Float) (let ((a "
           "(get$1$2 (get$1$2 p))) (b (get$2$2 (get$1$2 p)))) (tuple (mul a (get$2$2 p)) (sub b a)))) (tuple 1.0 0.0) "
           "x))"
        << R"(    var result_1 = 1.0
    var b = 0.0
    for i to size(x)  # 2*size(x) operations, 8*size(x) bytes read
        a = result_1
        result_1 := a * x[i]
        b -= a
    return (result_1, b)
)";
    QTest::newRow("copies: a vector that takes over the storage of another one")
        << "(def f (Vec Float) ((x : Vec n Float) (m : Integer)) (fold (lam (p : Tuple (Vec Float) Integer) (let (v "
           "(get$1$2 p)) (build n (lam (i : Integer) (mul (index i v) (index i x)))))) (build n (lam (i : Integer) "
           "(exp (index i x)))) (build m (lam (k : Integer) k))))"
        << R"(    var result = unset(n)
    for i to n  # n exp, 8*n bytes read, 8*n bytes written
        result[i] := exp(x[i])
    require m >= 0
    for i to m  # m*n operations, 16*m*n bytes read, 8*m*n bytes written
        var next = unset(n)
        for i2 to n
            next[i2] := result[i2] * x[i2]
        result := next
    return result
)";
    QTest::newRow("conditions: the range of a loop") << "(def f (Vec Float) (x : Vec n Float) (build n (lam (i : "
                                                        "Integer) (if (gte i 0) (if (lt i n) (index i x) 1.0) 2.0))))"
                                                     << R"(    var result = unset(n)
    for i to n  # 8*n bytes read, 8*n bytes written
        result[i] := x[i]
    return result
)";
    QTest::newRow("conditions: what one branch has")
        << "(def f Float ((a : Float) (b : Float) (x : Vec n Float)) (sumbuild n (lam (i : Integer) (if (gt a b) (if "
           "(gt a b) (index i x) 1.0) (if (gt a b) 2.0 a)))))"
        << R"(    require n > 0
    result = sum for i to n  # n operations, 8*n bytes read
        if a > b then x[i] else a
    return result
)";
    QTest::newRow("conditions: what an iteration requires")
        << "(def f Float ((x : Vec n Float) (y : Vec m Float)) (sumbuild n (lam (i : Integer) (mul (index i x) "
           "(sumbuild m (lam (j : Integer) (mul (index j y) (index i x))))))))"
        << R"(    require n > 0
    var result = 0.0
    require m > 0
    for i to n  # 2*m*n + 2*n operations, 16*m*n + 8*n bytes read
        sum = sum for j to m
            y[j] * x[i]
        result += x[i] * sum
    return result
)";
    QTest::newRow("conditions: not an assertion") << "(def f Float ((x : Vec n Float) (a : Float)) (sumbuild n (lam (i "
                                                     ": Integer) (assert (gt a 0.0) (assert (gt a 0.0) (index i x))))))"
                                                  << R"(    require n > 0
    var result = 0.0
    for i to n  # n operations, 8*n bytes read
        assert a > 0.0
        assert a > 0.0
        result += x[i]
    return result
)";
    QTest::newRow("conditions: sizes of rows that are added to")
        << "(def f (Vec (Vec Float)) ((x : Vec k (Vec n Float)) (m : Vec k (Vec n Float))) (buildFromSparse (shape x) "
           "k (lam (i : Integer) (tuple i (ts_scale 2.0 (index i m))))))"
        << R"(    var result = zeroLike(x)
    for i to k  # 2*k*size(m[i]) operations, 16*k*size(m[i]) bytes read, 8*k*size(m[i]) bytes written
        place total = result[i]
        require size(total) == size(m[i])
        for i2 to size(m[i])
            total[i2] += 2.0 * m[i][i2]
    return result
)";
    QTest::newRow("zeros: an element that is set")
        << "(def f (Vec Float) ((x : Vec n Float) (y : Vec m Float)) (build m (lam (j : Integer) (let (d "
           "(buildFromSparse (constVec n (tuple)) n (lam (i : Integer) (tuple i (mul (index i x) (index j y)))))) "
           "(sumbuild n (lam (i : Integer) (mul (index i d) (index i x))))))))"
        << R"(    var result = unset(m)
    var d = unset(n)
    require m == 0 or n > 0
    for j to m  # 3*m*n operations, 32*m*n bytes read, 8*m*n + 8*m bytes written
        for i to n
            d[i] := x[i] * y[j]
        sum = sum for i to n
            d[i] * x[i]
        result[j] := sum
    return result
)";
    QTest::newRow("zeros: not where a sign is seen")
        << "(def f (Vec Float) ((x : Vec n Float) (a : Float)) (buildFromSparse (constVec n (tuple)) n (lam (i : "
           "Integer) (tuple i (mul a (index i x))))))"
        << R"(    var result = zeros(n)
    for i to n  # 2*n operations, 16*n bytes read, 8*n bytes written
        result[i] += a * x[i]
    return result
)";
    QTest::newRow("zeros: not where other elements are added to")
        << "(def f Float (x : Vec n Float) (let (d (buildFromSparseTupled (tuple (constVec n (tuple)) (constVec n "
           "(tuple))) n (lam (i : Integer) (tuple (tuple i (index i x)) (tuple (sub (sub n 1) i) 1.0))))) (let (s "
           "(ts_add "
           "(get$2$2 d) (get$1$2 d))) (sumbuild n (lam (i : Integer) (mul (index i s) (index i x)))))))"
        << R"(    var scattered = zeros(n)
    for i to n  # 2*n operations, 24*n bytes read, 16*n bytes written
        scattered[i] += x[i]
        size = n - 1 - i
        scattered[size] += 1.0
    require n > 0
    result = sum for i to n  # 2*n operations, 16*n bytes read
        scattered[i] * x[i]
    return result
)";
    QTest::newRow("zeros: not where an index occurs twice")
        << "(def f Float ((x : Vec n Float) (k : Integer)) (let (d (buildFromSparse (constVec n (tuple)) n (lam (i : "
           "Integer) (tuple k (index i x))))) (sumbuild n (lam (i : Integer) (mul (index i d) (index i x))))))"
        << R"(    var d = zeros(n)
    for i to n  # n operations, 16*n bytes read, 8*n bytes written
        d[k] += x[i]
    require n > 0
    result = sum for i to n  # 2*n operations, 16*n bytes read
        d[i] * x[i]
    return result
)";
}

}  // namespace

void TestPasses::programs_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("body");  // below the sizes
    QTest::newRow("hoist: a function that differs in an inner loop only")
        << "(def f Float ((q : Vec k Float) (x : Vec n Float)) (sumbuild n (lam (i : Integer) (sumbuild k (lam (c : "
           "Integer) (mul (exp (index c q)) (index i x)))))))"
        << R"(    require n > 0
    var result = 0.0
    var table = unset(k)
    for c to k  # k exp, 8*k bytes read, 8*k bytes written
        table[c] := exp(q[c])
    require k > 0
    for i to n  # 2*k*n + n operations, 16*k*n bytes read
        term = sum for c to k
            table[c] * x[i]
        result += term
    return result
)";
    QTest::newRow("hoist: not what a branch may need") << "(def f Float ((q : Float) (x : Vec n Float)) (sumbuild n "
                                                          "(lam (i : Integer) (if (gt (index i x) 0.0) (exp q) "
                                                          "0.0))))"
                                                       << R"(    require n > 0
    var result = 0.0
    for i to n  # n operations, n exp, 8*n bytes read
        result += if x[i] > 0.0 then exp(q) else 0.0
    return result
)";
    QTest::newRow("hoist: a sum that all iterations share")
        << "(def f Float (x : Vec n Float) (sumbuild n (lam (i : Integer) (log (add (index i x) (sumbuild n (lam (j : "
           "Integer) (exp (index j x)))))))))"
        << R"(    require n > 0
    var result = 0.0
    var sum = 0.0
    for j to n  # n operations, n exp, 8*n bytes read
        sum += exp(x[j])
    for i to n  # 2*n operations, n log, 8*n bytes read
        result += log(x[i] + sum)
    return result
)";
    QTest::newRow("hoist: a vector that all iterations read, unless there are none")
        << "(def f (Vec Float) ((x : Vec n Float) (m : Integer)) (build m (lam (i : Integer) (let (e (build n (lam (j "
           ": "
           "Integer) (mul 2.0 (index j x))))) (dot e e)))))"
        << R"(    n = size(x)
    var result = unset(asSize(m))
    var e = zeros(n)
    if m > 0
        for j to n  # n operations, 8*n bytes read, 8*n bytes written
            e[j] := 2.0 * x[j]
    repeated = if m > 0 then dot(e, e) else 0.0
    for i to m  # 8*m bytes written
        result[i] := repeated
    return result
)";
    QTest::newRow("hoist: the vector and the sum of a normalization")
        << "(def f (Vec Float) (x : Vec n Float) (build n (lam (i : Integer) (let (e (build n (lam (j : Integer) (exp "
           "(index j x))))) (div (index i e) (sum e))))))"
        << R"(    n = size(x)
    var result = unset(n)
    for j to n  # n exp, 8*n bytes read, 8*n bytes written
        result[j] := exp(x[j])
    repeated = if n > 0 then sum(result) else 0.0
    for i to n  # n operations, 8*n bytes read, 8*n bytes written
        result[i] := result[i] / repeated
    return result
)";
    QTest::newRow("share: the same function of the same numbers in two loops")
        << "(def f Float (v : Vec n Float) (mul (sumbuild n (lam (i : Integer) (exp (index i v)))) (sumbuild n (lam (i "
           ": "
           "Integer) (mul 2.0 (exp (index i v)))))))"
        << R"(    require n > 0
    var sum = 0.0
    var kept = unset(n)
    for i to n  # n operations, n exp, 16*n bytes read, 8*n bytes written
        kept[i] := exp(v[i])
        sum += kept[i]
    sum2 = sum for i to n  # 2*n operations, 8*n bytes read
        2.0 * kept[i]
    return sum * sum2
)";
    QTest::newRow("fuse: a vector whose elements are read once")
        << "(def f Float (v : Vec n Float) (let (e (build n (lam (i : Integer) (exp (index i v))))) (sumbuild n (lam "
           "(i : "
           "Integer) (mul 0.5 (index i e))))))"
        << R"(    require n > 0
    var result = 0.0
    for i to n  # 2*n operations, n exp, 8*n bytes read
        e = exp(v[i])
        result += 0.5 * e
    return result
)";
    QTest::newRow("fuse: a matrix whose elements are read by a nest over the same ranges")
        << "(def f (Vec n (Vec m Float)) ((a : Vec n (Vec m Float)) (s : Float)) (let (b (build n (lam (i : Integer) "
           "(build m (lam (j : Integer) (mul s (index j (index i a)))))))) (build n (lam (i : Integer) (build m (lam "
           "(j : Integer) (exp (index j (index i b)))))))))"
        << R"(    m = sizeIfAny(a, size(a[0]))
    var result = unset(n)
    for i to n  # m*n operations, m*n exp, 8*m*n bytes read, 8*m*n bytes written
        result[i] := unset(m)
        for j to m
            result[i][j] := exp(s * a[i, j])
    return result
)";
    QTest::newRow("fuse: not what may fail where it is not read")
        << "(def f (Vec n Float) ((x : Vec n Float) (y : Vec m Float)) (let (v (build n (lam (i : Integer) (index i "
           "y)))) (build n (lam (i : Integer) (if (gt (index i x) 0.0) (index i v) 0.0)))))"
        << R"(    var result = unset(n)
    for i to n  # 8*n bytes read, 8*n bytes written
        result[i] := y[i]
    for i to n  # 16*n bytes read, 8*n bytes written
        result[i] := if x[i] > 0.0 then result[i] else 0.0
    return result
)";
    QTest::newRow("fuse: not where an index may be outside of the vector")
        << "(def f (Vec m Float) ((x : Vec n Float) (y : Vec m Float)) (let (v (build n (lam (i : Integer) (mul 2.0 "
           "(index i x))))) (build m (lam (i : Integer) (index i v)))))"
        << R"(    m = size(y)
    var v = unset(n)
    for i to n  # n operations, 8*n bytes read, 8*n bytes written
        v[i] := 2.0 * x[i]
    var result = unset(m)
    for i to m  # 8*m bytes read, 8*m bytes written
        result[i] := v[i]
    return result
)";
    QTest::newRow("in place: a product of matrices")
        << "(def f (Vec n (Vec m Float)) ((a : Vec n (Vec l Float)) (b : Vec l (Vec m Float))) (let (c (build n (lam "
           "(i : Integer) (build m (lam (j : Integer) (sumbuild l (lam (k : Integer) (mul (index k (index i a)) (index "
           "j (index k b)))))))))) (build n (lam (i : Integer) (build m (lam (j : Integer) (exp (index j (index i "
           "c)))))))))"
        << R"(    l = sizeIfAny(a, size(a[0]))
    m = sizeIfAny(b, size(b[0]))
    var result = filled(n, zeros(m))
    require n == 0 or m == 0 or l > 0
    result += product(a, b) of n x l x m  # 2*l*m*n operations, 16*l*m*n + 8*l*n bytes read, 8*l*m*n bytes written
    for i to n  # m*n exp, 8*m*n bytes read, 8*m*n bytes written
        for j to m
            result[i][j] := exp(result[i, j])
    return result
)";
    QTest::newRow("tuples: parts of a choice, set where they are computed")
        << "(def f Float ((x : Float) (y : Float)) (let (p (if (gt x 0.0) (let (r (sqrt x)) (tuple r (mul r y) (exp "
           "r))) (tuple 0.0 y x))) (add (get$1$3 p) (mul (get$2$3 p) (mul (get$3$3 p) (get$3$3 p))))))"
        << R"(    var r = zero Float
    var p_2 = zero Float
    var p_3 = zero Float
    if x > 0.0
        r := sqrt(x)
        p_2 := r * y
        p_3 := exp(r)
    else
        p_2 := y
        p_3 := x
    return r + p_2 * (p_3 * p_3)
)";
    QTest::newRow("tuples: parts that are made of each other")
        << "(def f Float ((x : Float) (n : Integer)) (let (s (fold (lam (si : (Tuple (Tuple Float Float) Integer)) "
           "(tuple (get$2$2 (get$1$2 si)) (mul x (get$1$2 (get$1$2 si))))) (tuple 0.0 1.0) (build n (lam (i : Integer) "
           "i)))) (mul (get$1$2 s) (get$2$2 s))))"
        << R"(    require n >= 0
    var s_1 = 0.0
    var s_2 = 1.0
    for i to n  # n operations
        next = s_2
        s_2 := x * s_1
        s_1 := next
    return s_1 * s_2
)";
    QTest::newRow("fuse: not what would be computed again")
        << "(def f Float ((v : Vec n Float) (w : Vec m Float)) (let (e (build n (lam (i : Integer) (exp (index i "
           "v))))) "
           "(sumbuild m (lam (j : Integer) (sumbuild n (lam (i : Integer) (mul (index j w) (index i e))))))))"
        << R"(    var e = unset(n)
    for i to n  # n exp, 8*n bytes read, 8*n bytes written
        e[i] := exp(v[i])
    require m > 0
    var result = 0.0
    require n > 0
    for j to m  # 2*m*n + m operations, 16*m*n bytes read
        term = sum for i to n
            w[j] * e[i]
        result += term
    return result
)";
    QTest::newRow("fuse: not what may be read outside of it")
        << "(def f Float ((v : Vec n Float) (w : Vec m Float)) (let (e (build n (lam (i : Integer) (exp (index i "
           "v))))) (sumbuild m (lam (j : Integer) (mul (index j w) (index j e))))))"
        << R"(    n = size(v)
    m = size(w)
    var e = unset(n)
    for i to n  # n exp, 8*n bytes read, 8*n bytes written
        e[i] := exp(v[i])
    require m > 0
    result = sum for j to m  # 2*m operations, 16*m bytes read
        w[j] * e[j]
    return result
)";
    QTest::newRow("unused: names of what was moved out of a loop")
        << "(def f Float ((x : Float) (v : Vec n Float)) (sumbuild n (lam (i : Integer) (let (t (sub 0.0 x)) (mul "
           "(index i v) (cosh t))))))"
        << R"(    n = size(v)
    require n > 0
    repeated = cosh(0.0 - x)
    result = sum for i to n  # 2*n operations, 8*n bytes read
        v[i] * repeated
    return result
)";
    QTest::newRow("interchange and in place: sums down the columns, then a function of each")
        << "(def f (Vec m Float) (b : Vec l (Vec m Float)) (build m (lam (j : Integer) (log (sumbuild l (lam (k : "
           "Integer) "
           "(exp (index j (index k b)))))))))"
        << R"(    var result = zeros(m)
    require m == 0 or l > 0
    for k to l  # l*m operations, l*m exp, 16*l*m bytes read, 8*l*m bytes written
        for j to m
            result[j] += exp(b[k, j])
    for j to m  # m log, 8*m bytes read, 8*m bytes written
        result[j] := log(result[j])
    return result
)";
    QTest::newRow("in place: a vector that another one is made of")
        << "(def f (Vec n Float) (x : Vec n Float) (let ((e (build n (lam (i : Integer) (exp (index i x))))) (total "
           "(sum "
           "e))) (build n (lam (i : Integer) (div (index i e) total)))))"
        << R"(    var result = unset(n)
    for i to n  # n exp, 8*n bytes read, 8*n bytes written
        result[i] := exp(x[i])
    total = sum(result)
    for i to n  # n operations, 8*n bytes read, 8*n bytes written
        result[i] := result[i] / total
    return result
)";
    QTest::newRow("singles: a place for a tangent without an index")
        << "(def f (Tuple (Vec Float) Float) (v : Vec n Float) (let (d (buildFromSparseTupled (tuple (constVec n "
           "(tuple)) "
           "(constVec 1 (tuple))) n (lam (i : Integer) (tuple (tuple i (mul 2.0 (index i v))) (tuple 0 (index i "
           "v)))))) "
           "(tuple (get$1$2 d) (index 0 (get$2$2 d)))))"
        << R"(    n = size(v)
    var scattered = zeros(n)
    var scattered2 = 0.0
    for i to n  # 3*n operations, 24*n bytes read, 8*n bytes written
        scattered[i] += 2.0 * v[i]
        scattered2 += v[i]
    return (scattered, scattered2)
)";
    QTest::newRow("sizes: an element that is read through two vectors at once")
        << "(def f (Vec Float) (v : Vec Float) (let (w (index 0 (index 0 (constVec (size v) (constVec 2 v))))) (map "
           "(lam "
           "(a : Float) (mul 2.0 a)) w)))"
        << R"(    w = v2[0, 0]
    var result = unset(sizes(w))
    for i to size(w)  # size(w) operations, 8*size(w) bytes read, 8*size(w) bytes written
        result[i] := 2.0 * w[i]
    return result
)";
    QTest::newRow("targets: a vector of zeros that is only added to a row")
        << "(def f (Tuple (Vec (Vec Float)) (Vec Float)) ((m : Vec k (Vec n Float)) (v : Vec n Float)) "
           "(buildFromSparseTupled (tuple (shape m) (constVec k (tuple))) k (lam (c : Integer) (let (d "
           "(buildFromSparseTupled (tuple (constVec n (tuple)) (constVec n (tuple))) n (lam (i : Integer) (let (e "
           "(exp (index i v))) (tuple (tuple i e) (tuple i (mul e (index i (index c m))))))))) (tuple (tuple c "
           "(get$1$2 d)) (tuple c (sum (get$2$2 d))))))))"
        << R"(    k = size(m)
    n = sizeIfAny(m, size(m[0]))
    var scattered = zeroLike(m)
    var scattered2 = zeros(k)
    var table = zeros(n)
    if k > 0
        for i to n  # n exp, 8*n bytes read, 8*n bytes written
            table[i] := exp(v[i])
    var scattered3 = unset(n)
    for c to k  # 3*k*n + k operations, k sum, 24*k*n + 8*k bytes read, 16*k*n + 8*k bytes written
        place total = scattered[c]
        require size(total) == n
        for i to n
            e = table[i]
            total[i] += e
            scattered3[i] := 0.0 + e * m[c, i]
        scattered2[c] += sum(scattered3)
    return (scattered, scattered2)
)";
    QTest::newRow("merge: two sums over one range")
        << "(def f Float ((v : Vec n Float) (w : Vec n Float)) (let ((a (sumbuild n (lam (i : Integer) (exp (index i "
           "v))))) (b (sumbuild n (lam (i : Integer) (exp (index i w)))))) (mul a b)))"
        << R"(    n = size(v)
    require n > 0
    var a = 0.0
    var b = 0.0
    for i to n  # 2*n operations, 2*n exp, 16*n bytes read
        a += exp(v[i])
        b += exp(w[i])
    return a * b
)";
    QTest::newRow("merge and sums: one sum twice, and another one")
        << "(def f Float ((v : Vec n Float) (w : Vec n Float)) (let ((a (sumbuild n (lam (i : Integer) (mul (index i "
           "v) (index i w))))) (b (div 1.0 a)) (c (sumbuild (size w) (lam (i : Integer) (mul (index i v) (index i "
           "w))))) "
           "(d (sumbuild n (lam (i : Integer) (index i v))))) (mul b (mul c d))))"
        << R"(    n = size(v)
    require n > 0
    a = sum for i to n  # 2*n operations, 16*n bytes read
        v[i] * w[i]
    d = sum for i to n  # n operations, 8*n bytes read
        v[i]
    b = 1.0 / a
    return b * (a * d)
)";
    QTest::newRow("sizes: rows that a loop makes")
        << "(def f (Vec Float) (v : Vec n Float) (let (m (build 20 (lam (c : Integer) (build n (lam (i : Integer) "
           "(exp (index i v))))))) (build 20 (lam (c : Integer) (let (w (build (size (index c m)) (lam (i : "
           "Integer) (mul (index i v) (index i (index c m)))))) (dot w w))))))"
        << R"(    n = size(v)
    var result = unset(20)
    var table = unset(n)
    for i to n  # n exp, 8*n bytes read, 8*n bytes written
        table[i] := exp(v[i])
    var w = unset(n)
    for c to 20  # 20*n operations, 20 dot, 320*n bytes read, 160*n + 160 bytes written
        for i to n
            m = table[i]
            w[i] := v[i] * m
        result[c] := dot(w, w)
    return result
)";
    QTest::newRow("buffers: a vector of each iteration")
        << "(def f Float ((x : Vec n (Vec d Float))) (sumbuild n (lam (i : Integer) (let (e (build d (lam (j : "
           "Integer) "
           "(exp (index j (index i x)))))) (mul (sum e) (index 0 e))))))"
        << R"(    require n > 0
    var result = 0.0
    var e = unset(d)
    for i to n  # 2*n operations, d*n exp, n sum, 8*d*n + 8*n bytes read, 8*d*n bytes written
        for j to d
            e[j] := exp(x[i, j])
        result += sum(e) * e[0]
    return result
)";
    QTest::newRow("sizes and buffers: rows of rows that a nest makes, and rows of each iteration")
        << "(def f Float ((x : Vec n Float) (w : Vec k (Vec d Float))) (let (t (build k (lam (c : Integer) "
           "(build d (lam (i : Integer) (build d (lam (j : Integer) (exp (mul (index i (index c w)) (index "
           "j (index c w))))))))))) (sumbuild n (lam (m : Integer) (let (y (build k (lam (c : Integer) "
           "(build (size (index c t)) (lam (i : Integer) (exp (mul (index m x) (index i (index i (index c "
           "t)))))))))) (mul (sum (index 0 y)) (sum (index 1 y))))))))"
        << R"(    n = size(x)
    k = size(w)
    d = sizeIfAny(w, size(w[0]))
    var t = unset(k)
    for c to k  # d*d*k operations, d*d*k exp, 16*d*d*k bytes read, 8*d*d*k bytes written
        t[c] := unset(d)
        for i to d
            t[c][i] := unset(d)
            for j to d
                t[c][i][j] := exp(w[c, i] * w[c, j])
    require n > 0
    var result = 0.0
    var y = unset(k)
    for m to n  # d*k*n + 2*n operations, d*k*n exp, 2*n sum, 16*d*k*n bytes read, 8*d*k*n bytes written
        for c to k
            y[c] := unset(d)
            for i to d
                y[c][i] := exp(x[m] * t[c, i, i])
        result += sum(y[0]) * sum(y[1])
    return result
)";
    QTest::newRow("tuples and updates: a vector that gets one element in each iteration")
        << "(def f (Vec Float) (x : Vec n Float) (get$2$2 (fold (lam (p : Tuple (Tuple Float (Vec Float)) Integer) "
           "(let "
           "((s (get$1$2 (get$1$2 p))) (i (get$2$2 p)) (t (add s (index i x)))) (tuple t (add (get$2$2 (get$1$2 p)) "
           "(deltaVec n i t))))) (tuple 0.0 (constVec n 0.0)) (build n (lam (i : Integer) i)))))"
        << R"(    var s = 0.0
    var tuple_2 = unset(n)
    for i to n  # n operations, 8*n bytes read, 8*n bytes written
        s += x[i]
        tuple_2[i] := s
    return tuple_2
)";
    QTest::newRow("tuples: parts that take the place of each other")
        << "(def f Float (x : Vec n Float) (let (r (fold (lam (p : Tuple (Tuple Float Float) Float) (let ((s (get$1$2 "
           "p)) (e (get$2$2 p))) (tuple (get$2$2 s) (add (get$1$2 s) e)))) (tuple 0.0 1.0) x)) (sub (get$1$2 r) "
           "(get$2$2 r))))"
        << R"(    var r_1 = 0.0
    var r_2 = 1.0
    for i to size(x)  # size(x) operations, 8*size(x) bytes read
        e = x[i]
        next = r_2
        r_2 := r_1 + e
        r_1 := next
    return r_1 - r_2
)";
    QTest::newRow("updates: a vector that is made again with another element")
        << "(def f (Vec Float) (x : Vec n Float) (fold (lam (p : Tuple (Vec Float) Integer) (let ((s (get$1$2 p)) (i "
           "(get$2$2 p))) (if (gt (index i x) 0.0) (build n (lam (j : Integer) (if (eq i j) (index i x) (index j "
           "s)))) s))) (constVec n 0.0) (build n (lam (i : Integer) i))))"
        << R"(    var result = filled(n, 0.0)
    for i to n  # 16*n bytes read, 8*n bytes written
        if x[i] > 0.0
            result[i] := x[i]
    return result
)";
    QTest::newRow("updates: all elements, where one of them may be -0.0")
        << "(def f (Vec Float) ((v : Vec n Float)) (fold (lam (p : Tuple (Vec Float) Integer) (add (get$1$2 p) "
           "(deltaVec n (get$2$2 p) 1.0))) v (build n (lam (i : Integer) i))))"
        << R"(    var result = v
    for i to n  # n add, n delta
        result += delta(n, i, 1.0)
    return result
)";
    QTest::newRow("unused: a part that nothing reads")
        << "(def f Float (x : Vec n Float) (get$1$2 (fold (lam (p : Tuple (Tuple Float Float) Float) (let ((s (get$1$2 "
           "p)) (e (get$2$2 p))) (tuple (add (get$1$2 s) e) (mul (get$2$2 s) e)))) (tuple 0.0 1.0) x)))"
        << R"(    tuple_1 = sum for i to size(x)  # size(x) operations, 8*size(x) bytes read
        e = x[i]
        e
    return tuple_1
)";
    QTest::newRow("unused: not what may fail")
        << "(def f Float ((x : Vec n Float) (k : Integer)) (get$1$2 (fold (lam (p : Tuple (Tuple Float Float) Float) "
           "(let ((s (get$1$2 p)) (e (get$2$2 p))) (tuple (add (get$1$2 s) e) (mul (get$2$2 s) (index k x))))) (tuple "
           "0.0 1.0) x)))"
        << R"(    var tuple_1 = 0.0
    var tuple_2 = 1.0
    for i to size(x)  # 2*size(x) operations, 16*size(x) bytes read
        e = x[i]
        tuple_1 += e
        tuple_2 := tuple_2 * x[k]
    return tuple_1
)";
    QTest::newRow("unused: a sum of elements that exist")
        << "(def f (Vec n Float) (v : Vec n Float) (get$1$2 (fold (lam (p : Tuple (Tuple (Vec Float) Float) Integer) "
           "(let (y (build n (lam (i : Integer) (mul (index i v) (index i (get$1$2 (get$1$2 p))))))) (tuple y (add "
           "(get$2$2 (get$1$2 p)) (sumbuild n (lam (i : Integer) (mul (index i y) (index i y)))))))) (tuple v 0.0) "
           "(build n (lam (i : Integer) i)))))"
        << R"(    var tuple_1 = v
    var y = unset(n)
    for i to n  # n*n operations, 16*n*n bytes read, 8*n*n bytes written
        for i2 to n
            y[i2] := v[i2] * tuple_1[i2]
        tuple_1 := y
    return tuple_1
)";
    QTest::newRow("unused: not a sum of elements of a vector that may be shorter")
        << "(def f (Vec n Float) ((v : Vec n Float) (k : Integer)) (get$1$2 (fold (lam (p : Tuple (Tuple (Vec Float) "
           "Float) Integer) (let (y (build n (lam (i : Integer) (mul (index i v) (index i (get$1$2 (get$1$2 p))))))) "
           "(tuple y (add (get$2$2 (get$1$2 p)) (sumbuild k (lam (i : Integer) (mul (index i y) (index i y)))))))) "
           "(tuple v 0.0) (build n (lam (i : Integer) i)))))"
        << R"(    var tuple_1 = v
    var y = unset(n)
    require n == 0 or k > 0
    for i to n  # k*n + n*n operations, 16*k*n + 16*n*n bytes read, 8*n*n bytes written
        for i2 to n
            y[i2] := v[i2] * tuple_1[i2]
        for i2 to k
            drop y[i2] * y[i2]
        tuple_1 := y
    return tuple_1
)";
    QTest::newRow("sums: one of the state and a vector that is made only for it")
        << "(def f (Vec Float) ((v : Vec n Float) (x : Vec m Float)) (fold (lam (p : Tuple (Vec Float) Float) "
           "(let (s (ts_add (get$1$2 p) (build n (lam (i : Integer) (mul (get$2$2 p) (index i v)))))) (build n "
           "(lam (i : Integer) (mul (index i s) (index (sub (sub n 1) i) s)))))) v x))"
        << R"(    var result = v
    var s = unset(n)
    for i to size(x)  # 3*n*size(x) operations, 40*n*size(x) bytes read, 16*n*size(x) bytes written
        require n == size(result)
        for i2 to n
            v2 = x[i] * v[i2]
            s[i2] := result[i2] + v2
        var next = unset(n)
        for i2 to n
            next[i2] := s[i2] * s[n - 1 - i2]
        result := next
    return result
)";
    QTest::newRow("sums: the vector that is added does not change")
        << "(def f (Vec Float) ((v : Vec n Float) (x : Vec m Float)) (fold (lam (p : Tuple (Vec Float) Float) "
           "(let (s (ts_add (get$1$2 p) (build n (lam (i : Integer) (exp (index i v)))))) (build n (lam (i : "
           "Integer) (mul (get$2$2 p) (mul (index i s) (index i s))))))) v x))"
        << R"(    var result = v
    var v2 = zeros(n)
    if size(x) > 0
        for i to n  # n exp, 8*n bytes read, 8*n bytes written
            v2[i] := exp(v[i])
    for i to size(x)  # 3*n*size(x) operations, 40*n*size(x) bytes read, 16*n*size(x) bytes written
        require n == size(result)
        var next = unset(n)
        for i2 to n
            next[i2] := result[i2] + v2[i2]
        for i2 to n
            next[i2] := x[i] * (next[i2] * next[i2])
        result := next
    return result
)";
    addTargets();
    addReadable();
    QTest::newRow("keep: a number that two loops compute in each iteration")
        << "(def f (Tuple (Vec Float) (Vec Float)) ((a : Vec m (Vec n Float)) (x : Vec n Float)) (let (v (build m (lam "
           "(i : Integer) (let (s (sumbuild n (lam (j : Integer) (mul (index j x) (index j (index i a)))))) (mul s "
           "s))))) (tuple v (build m (lam (i : Integer) (let (s (sumbuild n (lam (j : Integer) (mul (index j x) (index "
           "j (index i a)))))) (sub s 1.0)))))))"
        << R"(    var v = unset(m)
    var v2 = unset(m)
    require m == 0 or n > 0
    for i to m  # 2*m*n + m operations, 16*m*n bytes read, 16*m bytes written
        s = sum for j to n
            x[j] * a[i, j]
        v2[i] := s
        v[i] := s * s
    for i to m  # m operations, 8*m bytes read, 8*m bytes written
        s = v2[i]
        v2[i] := s - 1.0
    return (v, v2)
)";
    QTest::newRow("branches and merge: two values of one condition")
        << "(def f Float ((x : Vec n Float) (t : Float)) (let ((a (if (gt t 0.0) (sumbuild n (lam (i : Integer) (index "
           "i x))) t)) (b (if (gt t 0.0) (mul t (sumbuild n (lam (i : Integer) (exp (index i x))))) 1.0))) (mul a (mul "
           "a "
           "b))))"
        << R"(    n = size(x)
    var a = zero Float
    var b = zero Float
    if t > 0.0
        require n > 0
        var sum = 0.0
        for i to n  # 2*n operations, n exp, 16*n bytes read
            a += x[i]
            sum += exp(x[i])
        b := t * sum
    else
        a := t
        b := 1.0
    return a * (a * b)
)";
}

void TestPasses::programs() {
    QFETCH(const QString, program);
    QFETCH(const QString, body);
    const Lowered lowered(program.toStdString());
    const QString text = QString::fromStdString(loops::text(lowered.bank, lowered.form));
    QVERIFY2(text.endsWith(body), qPrintable(text));
}

MITOS_TEST(TestPasses)

}  // namespace tst_passes

#include "tst_passes.moc"

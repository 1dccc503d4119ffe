// SPDX-License-Identifier: GPL-3.0-or-later
// The table of ks operators.
#include "core/ks/operators.h"

#include "core/ks/dialect.h"
#include "core/ks/internal/operator_rules.h"

#include <cassert>
#include <utility>
#include <vector>

namespace mitos::ks {

using ir::OperatorDerivative;
using ir::OperatorInfo;
using ir::OperatorRegistry;
using ir::OperatorTraits;
using ir::PayloadKind;
using ir::TypeRule;

namespace {

constexpr std::uint32_t Many = OperatorInfo::Variadic;
constexpr OperatorTraits Plain{};
constexpr OperatorTraits Commutative{.commutative = true};
constexpr OperatorTraits MayFail{.mayFail = true};
constexpr OperatorTraits Effect{.effectful = true};
constexpr OperatorTraits Pointwise{.pointwise = true};
constexpr OperatorTraits PointwiseCommutative{.commutative = true, .pointwise = true};
constexpr OperatorTraits Choice{.chooses = true};
constexpr OperatorTraits Quotient{.mayFail = true, .pointwise = true, .divisor = 1};

constexpr OperatorTraits truth(OperatorTraits traits, ir::Truth truth) {
    traits.truth = truth;
    return traits;
}

OperatorDerivative undefined() { return {}; }
OperatorDerivative constant() { return {.kind = OperatorDerivative::Kind::Constant}; }
OperatorDerivative structural() { return {.kind = OperatorDerivative::Kind::Structural}; }

/// A part that is its own transpose: one text for both directions.
OperatorDerivative::Part both(const char* text) { return {text, text}; }

OperatorDerivative texts(std::vector<OperatorDerivative::Case> cases, const char* helpers = "") {
    return {OperatorDerivative::Kind::Texts, std::move(cases), helpers};
}

/// The derivative of a function of one Float.
OperatorDerivative slope(const char* text) { return texts({{"F", {both(text)}}}); }

constexpr const char* MatrixTimesVector = R"((let (n (size a))
  (build (get$1$2 n) (lam (i : Integer)
    (sumbuild (get$2$2 n) (lam (j : Integer)
      (mul (index (tuple i j) a) (index j b))))))))";

/// The derivative of the largest element: equal ones have equal shares.
constexpr const char* MeanOfLargest = R"((div
  (sumbuild (size a) (lam (i : Integer) (if (eq (index i a) r) (index i d) 0.0)))
  (sumbuild (size a) (lam (i : Integer) (bool_to_float (eq (index i a) r))))))";
constexpr const char* ShareOfLargest = R"((let (share (div d
    (sumbuild (size a) (lam (i : Integer) (bool_to_float (eq (index i a) r))))))
  (build (size a) (lam (i : Integer) (if (eq (index i a) r) share 0.0)))))";

/// The derivative of lgamma: reflection below 1/2, recurrence below 8, the asymptotic series above (its error is below 1e-13).
constexpr const char* Digamma = R"((def digamma Float (x : Float)
  (if (lt x 0.5)
      (sub (digamma (sub 1.0 x)) (div (mul 3.141592653589793 (cos (mul 3.141592653589793 x))) (sin (mul 3.141592653589793 x))))
      (if (lt x 8.0)
          (sub (digamma (add x 1.0)) (div 1.0 x))
          (let (s (div 1.0 (mul x x)))
            (sub (sub (log x) (div 0.5 x))
                 (mul s (sub 0.08333333333333333
                   (mul s (sub 0.008333333333333333
                     (mul s (sub 0.003968253968253968
                       (mul s (sub 0.004166666666666667
                         (mul s (sub 0.007575757575757576
                           (mul s (sub 0.021092796092796094
                             (mul s 0.08333333333333333)))))))))))))))))))";

/// The number of children, and what terms hold besides them.
struct Arity {
    Arity(std::uint32_t exactly) : min(exactly), max(exactly) {}
    Arity(std::uint32_t least, std::uint32_t most, PayloadKind kind = PayloadKind::None)
        : min(least),
          max(most),
          payload(kind) {}

    std::uint32_t min = 0;
    std::uint32_t max = 0;
    PayloadKind payload = PayloadKind::None;
};

/// Registers operators in the order of Op and checks that order.
class Registrar {
public:
    explicit Registrar(OperatorRegistry& registry) : m_registry(registry) {}

    void add(Op op, const char* name, Arity arity, TypeRule rule, OperatorTraits traits, const char* doc,
             OperatorDerivative derivative, ir::OperatorFacts facts) {
        const Result<ir::OpId> id = m_registry.add({.name = name,
                                                    .dialect = std::string(DialectName),
                                                    .minArity = arity.min,
                                                    .maxArity = arity.max,
                                                    .payload = arity.payload,
                                                    .typeRule = rule,
                                                    .traits = traits,
                                                    .doc = doc,
                                                    .derivative = std::move(derivative),
                                                    .facts = facts});
        assert(id.ok() && *id == opId(op));
        static_cast<void>(id);
        static_cast<void>(op);
    }

private:
    OperatorRegistry& m_registry;
};

void addControlAndArithmetic(Registrar& r) {
    r.add(Op::If, "if", 3, typeOfIf, Choice, "(if c a b): a if c is true, else b; only the taken branch is evaluated",
          structural(), {factsOfIf});
    r.add(Op::Assert, "assert", 2, typeOfAssert, MayFail, "(assert c e): e, or failure if c is false", structural(),
          {factsOfAssert});

    r.add(Op::Add, "add", 2, [](Types in) { return typeOfSum2(in, "add"); }, PointwiseCommutative,
          "(add a b): a + b, part by part",
          texts({{"FF", {both("d"), both("d")}}, {"II", {{}, {}}}, {"VV", {both("d"), both("d")}}}), {factsOfAdd});
    r.add(Op::Sub, "sub", 2, [](Types in) { return typeOfSum2(in, "sub"); }, Pointwise,
          "(sub a b): a - b, part by part",
          texts({{"FF", {both("d"), both("(neg d)")}}, {"II", {{}, {}}}, {"VV", {both("d"), both("(ts_neg d)")}}}),
          {factsOfSub});
    r.add(Op::Mul, "mul", 2, typeOfMul, PointwiseCommutative,
          "(mul a b): product of numbers, a number times every part, or matrix times vector",
          texts({{"FF", {both("(mul d b)"), both("(mul a d)")}},
                 {"II", {{}, {}}},
                 {"FI", {both("(mul d (to_float b))"), {}}},
                 {"IF", {{}, both("(mul (to_float a) d)")}},
                 {"FV", {{"(ts_scale d b)", "(ts_dot d b)"}, both("(ts_scale a d)")}},
                 {"VF", {both("(ts_scale b d)"), {"(ts_scale d a)", "(ts_dot d a)"}}},
                 {"MV", {}, MatrixTimesVector}}),
          {factsOfMul});
    r.add(Op::Div, "div", 2, typeOfDiv, Quotient, "(div a b): a / b; Integers truncate towards zero",
          texts({{"FF", {both("(div d b)"), both("(neg (mul (div d b) r))")}},
                 {"II", {{}, {}}},
                 {"VF", {both("(div d b)"), {"(ts_neg (ts_scale (div d b) r))", "(neg (div (ts_dot d r) b))"}}}}),
          {factsOfDiv});
    r.add(Op::Neg, "neg", 1, typeOfNeg, Pointwise, "(neg a): -a", texts({{"F", {both("(neg d)")}}, {"I", {{}}}}),
          {factsOfNeg});

    r.add(Op::Gt, "gt", 2, [](Types in) { return typeOfOrder(in, "gt"); }, truth(Pointwise, ir::Truth::Greater),
          "(gt a b): a > b", constant(), {factsOfGt});
    r.add(Op::Lt, "lt", 2, [](Types in) { return typeOfOrder(in, "lt"); }, truth(Pointwise, ir::Truth::Less),
          "(lt a b): a < b", constant(), {factsOfLt});
    r.add(Op::Gte, "gte", 2, [](Types in) { return typeOfOrder(in, "gte"); }, truth(Pointwise, ir::Truth::GreaterEqual),
          "(gte a b): a >= b", constant(), {factsOfGte});
    r.add(Op::Lte, "lte", 2, [](Types in) { return typeOfOrder(in, "lte"); }, truth(Pointwise, ir::Truth::LessEqual),
          "(lte a b): a <= b", constant(), {factsOfLte});
    r.add(Op::Eq, "eq", 2, [](Types in) { return typeOfEquality(in, "eq"); }, truth(Commutative, ir::Truth::Equal),
          "(eq a b): whether a and b are equal, of any type", constant(), {factsOfEq});
    r.add(Op::Ne, "ne", 2, [](Types in) { return typeOfEquality(in, "ne"); }, truth(Commutative, ir::Truth::NotEqual),
          "(ne a b): whether a and b differ, of any type", constant(), {factsOfNe});
    r.add(Op::And, "and", 2, [](Types in) { return typeOfLogic(in, "and"); },
          truth(PointwiseCommutative, ir::Truth::And), "(and a b): both; both are evaluated", constant(), {factsOfAnd});
    r.add(Op::Or, "or", 2, [](Types in) { return typeOfLogic(in, "or"); }, truth(PointwiseCommutative, ir::Truth::Or),
          "(or a b): at least one; both are evaluated", constant(), {factsOfOr});
    r.add(Op::Not, "not", 1, typeOfNot, truth(Pointwise, ir::Truth::Not), "(not a): true if a is false", constant(),
          {factsOfNot});
}

void addFunctions(Registrar& r) {
    r.add(Op::Log, "log", 1, [](Types in) { return typeOfFloatFunction(in, "log"); }, Pointwise, "natural logarithm",
          slope("(div d a)"), {factsOfLog});
    r.add(Op::Exp, "exp", 1, typeOfExp, Pointwise, "exponential, of a Float or of each element of a (Vec Float)",
          texts({{"F", {both("(mul d r)")}},
                 {"V", {both("(map2 (lam (p : (Tuple Float Float)) (mul (get$1$2 p) (get$2$2 p))) d r)")}}}),
          {factsOfExp});
    r.add(Op::Sin, "sin", 1, [](Types in) { return typeOfFloatFunction(in, "sin"); }, Pointwise, "sine, in radians",
          slope("(mul d (cos a))"), {factsOfWave});
    r.add(Op::Cos, "cos", 1, [](Types in) { return typeOfFloatFunction(in, "cos"); }, Pointwise, "cosine, in radians",
          slope("(neg (mul d (sin a)))"), {factsOfWave});
    r.add(Op::Tanh, "tanh", 1, [](Types in) { return typeOfFloatFunction(in, "tanh"); }, Pointwise,
          "hyperbolic tangent", slope("(mul d (sub 1.0 (mul r r)))"), {factsOfSigmoid});
    r.add(Op::Cosh, "cosh", 1, [](Types in) { return typeOfFloatFunction(in, "cosh"); }, Pointwise, "hyperbolic cosine",
          slope("(mul d (mul r (tanh a)))"), {factsOfCosh});
    r.add(Op::Sqrt, "sqrt", 1, [](Types in) { return typeOfFloatFunction(in, "sqrt"); }, Pointwise, "square root",
          slope("(if (eq r 0.0) 0.0 (div d (mul 2.0 r)))"), {factsOfSqrt});
    r.add(Op::Erf, "erf", 1, [](Types in) { return typeOfFloatFunction(in, "erf"); }, Pointwise, "error function",
          slope("(mul d (mul 1.1283791670955126 (exp (neg (mul a a)))))"), {factsOfSigmoid});
    r.add(Op::Lgamma, "lgamma", 1, [](Types in) { return typeOfFloatFunction(in, "lgamma"); }, Pointwise,
          "logarithm of the gamma function", texts({{"F", {both("(mul d (digamma a))")}}}, Digamma), {factsOfLgamma});
    r.add(Op::Abs, "abs", 1, [](Types in) { return typeOfFloatFunction(in, "abs"); }, Pointwise, "absolute value",
          slope("(if (gt a 0.0) d (if (lt a 0.0) (neg d) 0.0))"), {factsOfAbs});
    r.add(
        Op::Max, "max", {1, 2}, typeOfMax, MayFail,
        "(max a b): the larger; (max v): the largest element of a non-empty vector",
        texts({{"FF",
                {{"(if (gt a b) d (if (eq a b) (mul 0.5 d) 0.0))", "(mul d (if (gt a b) 1.0 (if (eq a b) 0.5 0.0)))"},
                 {"(if (gt b a) d (if (eq a b) (mul 0.5 d) 0.0))", "(mul d (if (gt b a) 1.0 (if (eq a b) 0.5 0.0)))"}}},
               {"V", {{MeanOfLargest, ShareOfLargest}}}}),
        {factsOfMax});
    r.add(Op::Imax, "imax", 1, typeOfImax, MayFail,
          "(imax v): index of the first largest element of a non-empty vector", constant(), {factsOfImax});
    r.add(Op::Pow, "pow", 2, typeOfPow, Pointwise, "(pow x n): x to the Integer power n",
          texts({{"FI", {both("(if (eq b 0) 0.0 (mul d (mul (to_float b) (pow a (sub b 1)))))"), {}}}}), {factsOfPow});
    r.add(Op::ToFloat, "to_float", 1, typeOfToFloat, Pointwise, "an Integer as a Float", constant(), {factsOfToFloat});
    r.add(Op::BoolToFloat, "bool_to_float", 1, typeOfBoolToFloat, Pointwise, "1.0 for true, 0.0 for false", constant(),
          {factsOfBoolToFloat});
    r.add(Op::Pi, "pi", 0, typeOfPi, Plain, "(pi): 3.14159...", constant(), {factsOfPi});
    r.add(Op::Dot, "dot", 2, typeOfDot, OperatorTraits{.commutative = true, .mayFail = true},
          "(dot v w): inner product of two vectors of equal size",
          texts({{"VV", {{"(dot d b)", "(ts_scale d b)"}, {"(dot a d)", "(ts_scale d a)"}}}}), {factsOfDot});
    r.add(Op::Mymul, "mymul", 2, typeOfMymul, PointwiseCommutative, "(mymul a b): product of two Floats",
          texts({{"FF", {both("(mul d b)"), both("(mul a d)")}}}), {factsOfMul});
}

void addTensors(Registrar& r) {
    r.add(Op::Build, "build", 2, typeOfBuild, OperatorTraits{.mayFail = true, .iterates = ir::Iterates::Maybe},
          "(build n f): the tensor of size n whose element at i is f(i)", structural(), {factsOfBuild, indexArgument});
    r.add(Op::Sumbuild, "sumbuild", 2, typeOfSumbuild,
          OperatorTraits{.mayFail = true, .iterates = ir::Iterates::AtLeastOnce},
          "(sumbuild n f): the sum of f(i) over all i below n, n > 0", structural(), {factsOfSumbuild, indexArgument});
    r.add(Op::Fold, "fold", 3, typeOfFold, Plain,
          "(fold f s v): f applied to (state, element) from left to right, from state s", structural(),
          {factsOfFold, foldArgument});
    r.add(Op::Map, "map", 2, typeOfMap, Plain, "(map f v): f of each element", structural(),
          {factsOfMap, elementArgument});
    r.add(Op::Map2, "map2", 3, typeOfMap2, MayFail, "(map2 f v w): f of each pair of elements, equal sizes",
          structural(), {factsOfMap2, elementsArgument});
    r.add(Op::Index, "index", 2, typeOfIndex, MayFail, "(index i v): the element of v at i, counted from 0",
          structural(), {factsOfIndex});
    r.add(Op::Size, "size", 1, typeOfSize, Plain,
          "(size v): number of elements, a tuple for tensors of rank 2 and more", constant(), {factsOfSize});
    r.add(Op::Shape, "shape", 1, typeOfShape, Plain, "(shape x): the sizes in x that its type does not tell",
          constant(), {factsOfTotal});
    r.add(Op::Sum, "sum", 1, typeOfSum, MayFail, "(sum v): the sum of all elements, non-empty", structural(),
          {factsOfSum});
    r.add(Op::Unzip, "unzip", 1, typeOfUnzip, Plain, "(unzip v): a tensor of tuples as a tuple of tensors",
          structural(), {factsOfUnzip});
    r.add(Op::VecInit, "Vec_init", {1, Many}, typeOfVecInit, Plain, "(Vec_init a b ...): the vector of its arguments",
          structural(), {factsOfVecInit});
    r.add(Op::ConstVec, "constVec", 2, typeOfConstVec, MayFail,
          "(constVec n e): the tensor of size n with e everywhere", structural(), {factsOfConstVec});
    r.add(Op::DeltaVec, "deltaVec", 3, typeOfDeltaVec, MayFail,
          "(deltaVec n i e): zeros of size n with e at i (all zeros if i is outside)", structural(), {factsOfDeltaVec});
    r.add(Op::Delta, "delta", 3, typeOfDelta, Plain, "(delta i j e): e if i = j, else a zero of its shape",
          texts({{"***", {{}, {}, both("(delta a b d)")}}}), {factsOfDelta});
    r.add(Op::Diag, "diag", 3, typeOfDiag, MayFail, "(diag r c f): r rows of c columns, f(i) on the diagonal",
          structural(), {factsOfDiag, indexArgument});
    r.add(Op::BuildFromSparse, "buildFromSparse", 3, typeOfBuildFromSparse, MayFail,
          "(buildFromSparse s n f): zeros of shape s, plus for each i below n the pair f(i) = (index, value)",
          structural(), {factsOfBuildFromSparse, sparseArgument});
    r.add(Op::BuildFromSparseTupled, "buildFromSparseTupled", 3, typeOfBuildFromSparseTupled, MayFail,
          "(buildFromSparseTupled s n f): as buildFromSparse, for several tensors at once", structural(),
          {nullptr, sparseArgument});

    r.add(Op::TsAdd, "ts_add", 2, typeOfTsAdd, MayFail, "(ts_add x dx): x moved by the tangent dx",
          texts({{"**", {both("d"), both("d")}}}), {factsOfTsAdd});
    r.add(Op::TsScale, "ts_scale", 2, typeOfTsScale, Plain, "(ts_scale r x): every Float in x times r",
          texts({{"FF", {both("(mul d b)"), both("(mul a d)")}},
                 {"FV", {{"(ts_scale d b)", "(ts_dot d b)"}, both("(ts_scale a d)")}}}),
          {factsOfTsScale});
    r.add(Op::TsNeg, "ts_neg", 1, typeOfTsNeg, Plain, "(ts_neg x): every Float in x negated",
          texts({{"F", {both("(neg d)")}}, {"V", {both("(ts_neg d)")}}}), {factsOfTsNeg});
    r.add(Op::TsDot, "ts_dot", 2, typeOfTsDot, OperatorTraits{.commutative = true, .mayFail = true},
          "(ts_dot x y): inner product over all Floats in x and y",
          texts({{"FF", {both("(mul d b)"), both("(mul a d)")}},
                 {"VV", {{"(ts_dot d b)", "(ts_scale d b)"}, {"(ts_dot a d)", "(ts_scale d a)"}}}}),
          {factsOfDot});
}

void addEffects(Registrar& r) {
    r.add(Op::Print, "print", {0, Many}, typeOfPrint, Effect,
          "(print a b ...): prints its arguments; the value is their number less one", constant(), {factsOfTotal});
    r.add(Op::Trace, "$trace", 1, [](Types in) { return typeOfIdentity(in, "$trace"); }, Effect,
          "($trace e): prints e; the value is e", texts({{"*", {both("d")}}}), {factsOfIdentity});
    r.add(Op::Inline, "$inline", 1, [](Types in) { return typeOfIdentity(in, "$inline"); }, Plain,
          "($inline (f x)): asks for f to be inlined; the value is (f x)", texts({{"*", {both("d")}}}),
          {factsOfIdentity});
    r.add(Op::Copydown, "$copydown", 1, [](Types in) { return typeOfIdentity(in, "$copydown"); }, Plain,
          "($copydown e): asks for memory to be compacted; the value is e", texts({{"*", {both("d")}}}),
          {factsOfIdentity});
    r.add(Op::Check, "$check", 5, typeOfCheck, Plain,
          "($check f revf x dx df): how far revf is from being f's reverse derivative, about 0 if right", undefined(),
          {nullptr, checkArgument});
    r.add(Op::Ranhashdoub, "$ranhashdoub", 1, typeOfRanhashdoub, Plain,
          "($ranhashdoub i): a fixed random number in [0, 1) for each i", constant(), {factsOfRanhashdoub});
    r.add(Op::Bench, "$BENCH", 1, typeOfBench, Effect, "($BENCH f): seconds that one run of f takes", undefined(), {});
    r.add(Op::Elim, "elim", 1, typeOfElim, Plain, "(elim x): the empty tuple", constant(), {factsOfTotal});
    r.add(Op::Dup, "dup", {1, 1, PayloadKind::Integer}, typeOfDup, Plain, "(dup$n x): the n-tuple of copies of x",
          structural(), {factsOfDup});
}

void addLinearMaps(Registrar& r) {
    r.add(Op::LmZero, "lmZero", 2, typeOfLmZero, Plain, "(lmZero s t): the zero map between the types of s and t",
          undefined(), {factsOfTotal});
    r.add(Op::LmOne, "lmOne", 1, typeOfLmOne, Plain, "(lmOne t): the identity map", undefined(), {factsOfTotal});
    r.add(Op::LmScale, "lmScale", 2, typeOfLmScale, Plain, "(lmScale t r): times the Float r", undefined(),
          {factsOfTotal});
    r.add(Op::LmScaleR, "lmScaleR", 1, typeOfLmScaleR, Plain, "(lmScaleR v): from a Float r to r times v", undefined(),
          {factsOfTotal});
    r.add(Op::LmDot, "lmDot", 1, typeOfLmDot, Plain, "(lmDot v): inner product with v", undefined(), {factsOfTotal});
    r.add(Op::LmCompose, "lmCompose", 2, typeOfLmCompose, Plain, "(lmCompose f g): f after g", undefined(),
          {factsOfTotal});
    r.add(Op::LmAdd, "lmAdd", 2, typeOfLmAdd, Commutative, "(lmAdd f g): the sum of two maps", undefined(),
          {factsOfTotal});
    r.add(Op::LmVCat, "lmVCat", {1, Many}, typeOfLmVCat, Plain, "(lmVCat f g ...): the tuple of the maps' results",
          undefined(), {factsOfTotal});
    r.add(Op::LmHCat, "lmHCat", {1, Many}, typeOfLmHCat, Plain,
          "(lmHCat f g ...): from a tuple, the sum of the maps of its elements", undefined(), {factsOfTotal});
    r.add(Op::LmVCatV, "lmVCatV", 1, typeOfLmVCatV, Plain, "(lmVCatV v): lmVCat of a tensor of maps", undefined(),
          {factsOfTotal});
    r.add(Op::LmHCatV, "lmHCatV", 1, typeOfLmHCatV, Plain, "(lmHCatV v): lmHCat of a tensor of maps", undefined(),
          {factsOfTotal});
    r.add(Op::LmApply, "lmApply", 2, typeOfLmApply, MayFail, "(lmApply f ds): f of the tangent ds", undefined(), {});
    r.add(Op::LmApplyR, "lmApplyR", 2, typeOfLmApplyR, MayFail, "(lmApplyR dt f): the transpose of f of the tangent dt",
          undefined(), {});
    r.add(Op::LmFold, "lmFold", 5, typeOfLmFold, Plain, "(lmFold z f f' s v): the derivative of (fold f s v)",
          undefined(), {factsOfTotal});
    r.add(Op::FFold, "FFold", 6, typeOfFFold, Plain, "(FFold f s v f' ds dv): forward derivative of (fold f s v)",
          structural(), {});
    r.add(Op::RFold, "RFold", 6, typeOfRFold, Plain,
          "(RFold z f f' s v dr): reverse derivative of (fold f s v); f may keep a value of each step for f'",
          structural(), {});
    r.add(Op::Apply, "apply", 2, typeOfApply, Plain, "(apply f x): the function value f of x", undefined(),
          {factsOfApply, applyArgument});
    r.add(
        Op::Loop, "loop", 3, typeOfLoop, Plain,
        "(loop n s f): f applied to (k, state) for k = 0, 1, ... below n, from state s, gives (done, next state); the "
        "value is (iterations before done, last state)",
        structural(), {factsOfLoop, loopArgument});
}

}  // namespace

void addOperators(OperatorRegistry& registry) {
    Registrar registrar(registry);
    addControlAndArithmetic(registrar);
    addFunctions(registrar);
    addTensors(registrar);
    addEffects(registrar);
    addLinearMaps(registrar);
    assert(registry.size() == static_cast<std::size_t>(ir::CoreOp::Count) + static_cast<std::size_t>(Op::Count));
}

std::shared_ptr<const ir::OperatorRegistry> makeRegistry() {
    const auto registry = std::make_shared<OperatorRegistry>();
    registry->addDialect(dialect());
    return registry;
}

}  // namespace mitos::ks

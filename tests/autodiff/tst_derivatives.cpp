// SPDX-License-Identifier: GPL-3.0-or-later
// Derivatives of every operator and construct against values worked out by hand, requests in files, overrides, errors, depth.
#include "core/ir/calls.h"
#include "tests/autodiff/derived.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>

namespace tst_derivatives {

using namespace mitos;
using autodiff::Direction;
using autodiff::Form;
using tests::Derived;

namespace {

struct Case {
    const char* name;
    const char* program;
    const char* point;  ///< JSON; several parameters are one tuple
    const char* dx;
    const char* forward;  ///< [fwd f](point, dx)
    const char* dt;
    const char* reverse;  ///< [rev f](point, dt)
};

constexpr Case Cases[] = {
    {"constant", "(def f Float (x : Float) 3.0)", "2.0", "1.0", "0.0", "1.0", "0.0"},
    {"identity", "(def f Float (x : Float) x)", "2.0", "5.0", "5.0", "7.0", "7.0"},
    {"add", "(def f Float ((x : Float) (y : Float)) (add x y))", R"({"tuple":[1.0,2.0]})", R"({"tuple":[3.0,4.0]})",
     "7.0", "2.0", R"({"tuple":[2.0,2.0]})"},
    {"sub", "(def f Float ((x : Float) (y : Float)) (sub x y))", R"({"tuple":[1.0,2.0]})", R"({"tuple":[3.0,4.0]})",
     "-1.0", "2.0", R"({"tuple":[2.0,-2.0]})"},
    {"mul", "(def f Float ((x : Float) (y : Float)) (mul x y))", R"({"tuple":[3.0,5.0]})", R"({"tuple":[1.0,10.0]})",
     "35.0", "2.0", R"({"tuple":[10.0,6.0]})"},
    {"square", "(def f Float (x : Float) (mul x x))", "3.0", "1.0", "6.0", "2.0", "12.0"},
    {"mul by an Integer", "(def f Float ((x : Float) (n : Integer)) (mul x n))", R"({"tuple":[3.0,5]})",
     R"({"tuple":[2.0,{"tuple":[]}]})", "10.0", "1.0", R"({"tuple":[5.0,{"tuple":[]}]})"},
    {"div", "(def f Float ((x : Float) (y : Float)) (div x y))", R"({"tuple":[3.0,2.0]})", R"({"tuple":[1.0,4.0]})",
     "-2.5", "4.0", R"({"tuple":[2.0,-3.0]})"},
    {"neg", "(def f Float (x : Float) (neg x))", "3.0", "2.0", "-2.0", "1.0", "-1.0"},
    {"log", "(def f Float (x : Float) (log x))", "4.0", "2.0", "0.5", "1.0", "0.25"},
    {"exp", "(def f Float (x : Float) (exp x))", "0.0", "3.0", "3.0", "2.0", "2.0"},
    {"sin", "(def f Float (x : Float) (sin x))", "0.0", "3.0", "3.0", "2.0", "2.0"},
    {"cos", "(def f Float (x : Float) (cos x))", "0.0", "3.0", "-0.0", "2.0", "-0.0"},
    {"tanh", "(def f Float (x : Float) (tanh x))", "0.0", "3.0", "3.0", "2.0", "2.0"},
    {"cosh", "(def f Float (x : Float) (cosh x))", "0.0", "3.0", "0.0", "2.0", "0.0"},
    {"sqrt", "(def f Float (x : Float) (sqrt x))", "4.0", "8.0", "2.0", "1.0", "0.25"},
    {"erf", "(def f Float (x : Float) (erf x))", "0.0", "1.0", "1.1283791670955126", "1.0", "1.1283791670955126"},
    {"abs above zero", "(def f Float (x : Float) (abs x))", "3.0", "2.0", "2.0", "1.0", "1.0"},
    {"abs below zero", "(def f Float (x : Float) (abs x))", "-3.0", "2.0", "-2.0", "1.0", "-1.0"},
    {"abs at zero", "(def f Float (x : Float) (abs x))", "0.0", "2.0", "0.0", "1.0", "0.0"},
    {"max", "(def f Float ((x : Float) (y : Float)) (max x y))", R"({"tuple":[1.0,2.0]})", R"({"tuple":[3.0,4.0]})",
     "4.0", "5.0", R"({"tuple":[0.0,5.0]})"},
    {"max of equal numbers", "(def f Float ((x : Float) (y : Float)) (max x y))", R"({"tuple":[2.0,2.0]})",
     R"({"tuple":[3.0,4.0]})", "3.5", "5.0", R"({"tuple":[2.5,2.5]})"},
    {"max of a number and the constant it equals", "(def f Float (x : Float) (max 0.0 x))", "0.0", "3.0", "1.5", "5.0",
     "2.5"},
    {"max of a vector", "(def f Float (v : Vec Float) (max v))", "[1.0,7.0,3.0]", "[1.0,2.0,4.0]", "2.0", "3.0",
     "[0.0,3.0,0.0]"},
    {"max of a vector has equal shares", "(def f Float (v : Vec Float) (max v))", "[1.0,7.0,7.0]", "[1.0,2.0,4.0]",
     "3.0", "3.0", "[0.0,1.5,1.5]"},
    {"sqrt at zero", "(def f Float (x : Float) (sqrt x))", "0.0", "2.0", "0.0", "1.0", "0.0"},
    {"the length of a vector of zeros", "(def f Float (v : Vec n Float) (sqrt (dot v v)))", "[0.0,0.0]", "[1.0,2.0]",
     "0.0", "1.0", "[0.0,0.0]"},
    {"a length with a floor", "(def f Float ((x : Float) (y : Float)) (max (sqrt (add (mul x x) (mul y y))) 1e-10))",
     R"({"tuple":[0.0,0.0]})", R"({"tuple":[1.0,2.0]})", "0.0", "1.0", R"({"tuple":[0.0,0.0]})"},
    {"the square of a length",
     "(def f Float ((x : Float) (y : Float)) (let (n (sqrt (add (mul x x) (mul y y)))) (mul n n)))",
     R"({"tuple":[0.0,0.0]})", R"({"tuple":[1.0,2.0]})", "0.0", "1.0", R"({"tuple":[0.0,0.0]})"},
    {"the root of the square of nothing", "(def f Float (x : Float) (sqrt (pow (sub x x) 2)))", "0.3", "1.0", "0.0",
     "1.0", "0.0"},
    {"a logarithm that is not the maximum", "(def f Float (x : Float) (max (log x) -10.0))", "0.0", "1.0", "0.0", "1.0",
     "0.0"},
    {"a logarithm that the branch does not use", "(def f Float (x : Float) (let (l (log x)) (if (gt x 0.0) l x)))",
     "0.0", "1.0", "1.0", "1.0", "1.0"},
    {"a quotient that the branch does not use",
     "(def f Float ((x : Float) (y : Float)) (let (q (div x y)) (if (eq y 0.0) x (mul q q))))",
     R"({"tuple":[3.0,0.0]})", R"({"tuple":[1.0,2.0]})", "1.0", "5.0", R"({"tuple":[5.0,0.0]})"},
    {"an exponential under a ceiling", "(def f Float (x : Float) (neg (max (neg (exp x)) -10.0)))", "1000.0", "1.0",
     "-0.0", "1.0", "0.0"},
    {"logarithms of which one is read",
     "(def f Float (v : Vec n Float) (let (l (build n (lam (i : Integer) (log (index i v))))) (add (index 1 l) (index "
     "1 l))))",
     "[0.0,4.0]", "[1.0,1.0]", "0.5", "1.0", "[0.0,0.5]"},
    {"logarithms where a mask is set",
     "(def f Float (v : Vec n Float) (let (l (build n (lam (i : Integer) (log (index i v))))) (sumbuild n (lam (i : "
     "Integer) "
     "(if (gt (index i v) 0.0) (index i l) 0.0)))))",
     "[0.0,4.0]", "[1.0,1.0]", "0.25", "1.0", "[0.0,0.25]"},
    {"pow", "(def f Float (x : Float) (pow x 3))", "2.0", "1.0", "12.0", "0.5", "6.0"},
    {"pow to zero", "(def f Float ((x : Float) (n : Integer)) (pow x n))", R"({"tuple":[0.0,0]})",
     R"({"tuple":[1.0,{"tuple":[]}]})", "0.0", "1.0", R"({"tuple":[0.0,{"tuple":[]}]})"},
    {"to_float is constant", "(def f Float ((x : Float) (n : Integer)) (mul x (to_float n)))", R"({"tuple":[2.0,3]})",
     R"({"tuple":[1.0,{"tuple":[]}]})", "3.0", "2.0", R"({"tuple":[6.0,{"tuple":[]}]})"},
    {"bool_to_float is constant", "(def f Float (x : Float) (mul x (bool_to_float (gt x 1.0))))", "2.0", "3.0", "3.0",
     "1.0", "1.0"},
    {"if", "(def f Float ((x : Float) (y : Float)) (if (gt x y) (mul x 2.0) (mul y y)))", R"({"tuple":[1.0,3.0]})",
     R"({"tuple":[10.0,1.0]})", "6.0", "1.0", R"({"tuple":[0.0,6.0]})"},
    {"let shares", "(def f Float (x : Float) (let (y (mul x x)) (mul y y)))", "2.0", "1.0", "32.0", "1.0", "32.0"},
    {"let without use", "(def f Float (x : Float) (let (y (mul x x)) 1.0))", "2.0", "1.0", "0.0", "1.0", "0.0"},
    {"assert", "(def f Float (x : Float) (assert (gt x 0.0) (mul x x)))", "2.0", "1.0", "4.0", "1.0", "4.0"},
    {"trace", "(def f Float (x : Float) ($trace (mul x x)))", "2.0", "1.0", "4.0", "1.0", "4.0"},
    {"tuple", "(def f (Tuple Float Float) (x : Float) (tuple (mul x 2.0) (mul x x)))", "3.0", "1.0",
     R"({"tuple":[2.0,6.0]})", R"({"tuple":[1.0,10.0]})", "62.0"},
    {"nested tuples", "(def f Float (t : (Tuple Float (Tuple Integer Float))) (mul (get$1$2 t) (get$2$2 (get$2$2 t))))",
     R"({"tuple":[3.0,{"tuple":[1,5.0]}]})", R"({"tuple":[1.0,{"tuple":[{"tuple":[]},1.0]}]})", "8.0", "1.0",
     R"({"tuple":[5.0,{"tuple":[{"tuple":[]},3.0]}]})"},
    {"index", "(def f Float ((v : Vec Float) (i : Integer)) (index i v))", R"({"tuple":[[1.0,2.0,3.0],1]})",
     R"({"tuple":[[10.0,20.0,30.0],{"tuple":[]}]})", "20.0", "5.0", R"({"tuple":[[0.0,5.0,0.0],{"tuple":[]}]})"},
    {"index twice", "(def f Float (v : Vec Float) (mul (index 0 v) (index 2 v)))", "[3.0,4.0,5.0]", "[1.0,1.0,1.0]",
     "8.0", "1.0", "[5.0,0.0,3.0]"},
    {"build", "(def f (Vec Float) ((n : Integer) (x : Float)) (build n (lam (i : Integer) (mul x (to_float i)))))",
     R"({"tuple":[3,2.0]})", R"({"tuple":[{"tuple":[]},1.0]})", "[0.0,1.0,2.0]", "[10.0,20.0,30.0]",
     R"({"tuple":[{"tuple":[]},80.0]})"},
    {"build of nothing", "(def f (Vec Float) ((n : Integer) (x : Float)) (build n (lam (i : Integer) (mul x x))))",
     R"({"tuple":[0,2.0]})", R"({"tuple":[{"tuple":[]},1.0]})", "[]", "[]", R"({"tuple":[{"tuple":[]},0.0]})"},
    {"build of an empty vector",
     "(def f (Vec Float) (v : Vec Float) (build (size v) (lam (i : Integer) (sin (index i v)))))", "[]", "[]", "[]",
     "[]", "[]"},
    {"sumbuild", "(def f Float (v : Vec n Float) (sumbuild n (lam (i : Integer) (mul (index i v) (index i v)))))",
     "[1.0,2.0]", "[1.0,1.0]", "6.0", "1.0", "[2.0,4.0]"},
    {"gather",
     "(def f (Vec Float) ((v : Vec Float) (at : Vec m Integer)) (build m (lam (i : Integer) (index (index i at) "
     "v))))",
     R"({"tuple":[[1.0,2.0,3.0],[2,0,2]]})", R"({"tuple":[[1.0,2.0,3.0],[{"tuple":[]},{"tuple":[]},{"tuple":[]}]]})",
     "[3.0,1.0,3.0]", "[10.0,20.0,30.0]", R"({"tuple":[[20.0,0.0,40.0],[{"tuple":[]},{"tuple":[]},{"tuple":[]}]]})"},
    {"neighbours",
     "(def f (Vec Float) (v : Vec n Float) (build n (lam (i : Integer) (if (gt i 0) (index (sub i 1) v) 0.0))))",
     "[1.0,2.0,3.0]", "[1.0,2.0,4.0]", "[0.0,1.0,2.0]", "[10.0,20.0,30.0]", "[20.0,30.0,0.0]"},
    {"map", "(def f (Vec Float) (v : Vec Float) (map (lam (x : Float) (mul x x)) v))", "[1.0,2.0]", "[1.0,1.0]",
     "[2.0,4.0]", "[1.0,10.0]", "[2.0,40.0]"},
    {"map2",
     "(def f (Vec Float) ((v : Vec Float) (w : Vec Float)) (map2 (lam (p : (Tuple Float Float)) (mul (get$1$2 p) "
     "(get$2$2 p))) v w))",
     R"({"tuple":[[1.0,2.0],[3.0,4.0]]})", R"({"tuple":[[1.0,1.0],[0.0,1.0]]})", "[3.0,6.0]", "[1.0,10.0]",
     R"({"tuple":[[3.0,40.0],[1.0,20.0]]})"},
    {"fold",
     "(def f Float ((v : Vec Float) (a : Float)) (fold (lam (p : (Tuple Float Float)) (mul (get$1$2 p) (add a (get$2$2 "
     "p)))) 1.0 v))",
     R"({"tuple":[[1.0,2.0],3.0]})", R"({"tuple":[[1.0,0.0],1.0]})", "14.0", "1.0", R"({"tuple":[[5.0,4.0],9.0]})"},
    {"loop whose exit changes the state",
     "(def f Float ((x : Float) (n : Integer)) (get$2$2 (loop n 1.0 (lam (p : (Tuple Integer Float)) (tuple (gt "
     "(get$2$2 "
     "p) 10.0) (mul x (get$2$2 p)))))))",
     R"({"tuple":[3.0,10]})", R"({"tuple":[1.0,{"tuple":[]}]})", "108.0", "2.0", R"({"tuple":[216.0,{"tuple":[]}]})"},
    {"loop whose exit leaves the state",
     "(def f Float ((x : Float) (n : Integer)) (get$2$2 (loop n 1.0 (lam (p : (Tuple Integer Float)) (if (gt (get$2$2 "
     "p) 10.0) (tuple true (get$2$2 p)) (tuple false (mul x (get$2$2 p))))))))",
     R"({"tuple":[3.0,10]})", R"({"tuple":[1.0,{"tuple":[]}]})", "27.0", "2.0", R"({"tuple":[54.0,{"tuple":[]}]})"},
    {"loop that reaches its bound",
     "(def f (Tuple Integer Float) ((x : Float) (n : Integer)) (loop n x (lam (p : (Tuple Integer Float)) (tuple (gt "
     "(get$2$2 p) 10.0) (mul x (get$2$2 p))))))",
     R"({"tuple":[2.0,2]})", R"({"tuple":[1.0,{"tuple":[]}]})", R"({"tuple":[{"tuple":[]},12.0]})",
     R"({"tuple":[{"tuple":[]},1.0]})", R"({"tuple":[12.0,{"tuple":[]}]})"},
    {"loop without an iteration",
     "(def f Float ((x : Float) (n : Integer)) (get$2$2 (loop n x (lam (p : (Tuple Integer Float)) (tuple false (mul x "
     "(get$2$2 p)))))))",
     R"({"tuple":[2.0,-1]})", R"({"tuple":[1.0,{"tuple":[]}]})", "1.0", "1.0", R"({"tuple":[1.0,{"tuple":[]}]})"},
    {"a linear map that is applied",
     "(def f Float (a : Vec n Float) (sumbuild n (lam (i : Integer) (lmApply (lmScale 1.0 (index i a)) 2.0))))",
     "[1.0,2.0]", "[1.0,10.0]", "22.0", "3.0", "[6.0,6.0]"},
    {"sum and composition of linear maps",
     "(def f Float ((x : Float) (y : Float)) (lmApply (lmAdd (lmScale 1.0 x) (lmCompose (lmScale 1.0 y) (lmScale 1.0 "
     "x))) y))",
     R"({"tuple":[2.0,3.0]})", R"({"tuple":[1.0,10.0]})", "152.0", "1.0", R"({"tuple":[12.0,14.0]})"},
    {"linear map to a tuple",
     "(def f Float ((x : Float) (y : Float)) (let (t (lmApply (lmVCat (lmScale 1.0 x) (lmOne 1.0)) y)) (mul (get$1$2 "
     "t) "
     "(get$2$2 t))))",
     R"({"tuple":[2.0,3.0]})", R"({"tuple":[1.0,10.0]})", "129.0", "1.0", R"({"tuple":[9.0,12.0]})"},
    {"linear map from a tuple",
     "(def f Float ((v : Vec Float) (x : Float)) (lmApply (lmHCat (lmDot v) (lmScale 1.0 x)) (tuple v x)))",
     R"({"tuple":[[1.0,2.0],3.0]})", R"({"tuple":[[1.0,0.0],1.0]})", "8.0", "1.0", R"({"tuple":[[2.0,4.0],6.0]})"},
    {"transposed linear map",
     "(def f Float ((v : Vec Float) (x : Float)) (sum (lmApplyR (mul x x) (lmCompose (lmScale 1.0 x) (lmDot v)))))",
     R"({"tuple":[[1.0,2.0],3.0]})", R"({"tuple":[[1.0,0.0],1.0]})", "108.0", "1.0", R"({"tuple":[[27.0,27.0],81.0]})"},
    {"vector of linear maps",
     "(def f Float ((v : Vec n Float) (x : Float)) (sum (lmApply (lmVCatV (build n (lam (i : Integer) (lmScale 1.0 "
     "(index "
     "i v))))) x)))",
     R"({"tuple":[[1.0,2.0],3.0]})", R"({"tuple":[[1.0,0.0],1.0]})", "6.0", "1.0", R"({"tuple":[[3.0,3.0],3.0]})"},
    {"linear map from a vector",
     "(def f Float (v : Vec n Float) (lmApply (lmHCatV (build n (lam (i : Integer) (lmScale 1.0 (index i v))))) v))",
     "[1.0,2.0]", "[1.0,10.0]", "42.0", "1.0", "[2.0,4.0]"},
    {"linear map with a name, and by a condition",
     "(def f Float (x : Float) (let (m (if (gt x 0.0) (lmScale 1.0 (mul x x)) (lmZero 1.0 1.0))) (lmApply m x)))",
     "2.0", "1.0", "12.0", "1.0", "12.0"},
    {"linear map that is not chosen",
     "(def f Float (x : Float) (let (m (if (gt x 0.0) (lmScaleR x) (lmZero 1.0 1.0))) (lmApply m x)))", "-2.0", "1.0",
     "0.0", "1.0", "0.0"},
    {"fold over nothing",
     "(def f Float ((v : Vec Float) (a : Float)) (fold (lam (p : (Tuple Float Float)) (mul a (get$1$2 "
     "p))) a v))",
     R"({"tuple":[[],3.0]})", R"({"tuple":[[],1.0]})", "1.0", "2.0", R"({"tuple":[[],2.0]})"},
    {"sum", "(def f Float (v : Vec Float) (sum v))", "[1.0,2.0]", "[1.0,5.0]", "6.0", "3.0", "[3.0,3.0]"},
    {"dot", "(def f Float ((v : Vec Float) (w : Vec Float)) (dot v w))", R"({"tuple":[[1.0,2.0],[3.0,4.0]]})",
     R"({"tuple":[[1.0,0.0],[0.0,1.0]]})", "5.0", "2.0", R"({"tuple":[[6.0,8.0],[2.0,4.0]]})"},
    {"Vec_init", "(def f (Vec Float) (x : Float) (Vec_init x (mul x x)))", "3.0", "1.0", "[1.0,6.0]", "[1.0,10.0]",
     "61.0"},
    {"constVec", "(def f (Vec Float) (x : Float) (constVec 3 (mul x x)))", "2.0", "1.0", "[4.0,4.0,4.0]",
     "[1.0,2.0,3.0]", "24.0"},
    {"deltaVec", "(def f (Vec Float) (x : Float) (deltaVec 3 1 (mul x x)))", "2.0", "1.0", "[0.0,4.0,0.0]",
     "[1.0,2.0,3.0]", "8.0"},
    {"deltaVec outside", "(def f (Vec Float) (x : Float) (deltaVec 3 5 x))", "2.0", "1.0", "[0.0,0.0,0.0]",
     "[1.0,2.0,3.0]", "0.0"},
    {"delta", "(def f Float ((x : Float) (i : Integer)) (delta i 2 (mul x x)))", R"({"tuple":[3.0,2]})",
     R"({"tuple":[1.0,{"tuple":[]}]})", "6.0", "1.0", R"({"tuple":[6.0,{"tuple":[]}]})"},
    {"diag", "(def f (Vec (Vec Float)) (x : Float) (diag 2 3 (lam (i : Integer) (mul x (to_float (add i 1))))))", "2.0",
     "1.0", "[[1.0,0.0,0.0],[0.0,2.0,0.0]]", "[[1.0,5.0,5.0],[5.0,10.0,5.0]]", "21.0"},
    {"unzip", "(def f Float (v : Vec (Tuple Float Float)) (dot (get$1$2 (unzip v)) (get$2$2 (unzip v))))",
     R"([{"tuple":[1.0,2.0]},{"tuple":[3.0,4.0]}])", R"([{"tuple":[1.0,0.0]},{"tuple":[0.0,1.0]}])", "5.0", "1.0",
     R"([{"tuple":[2.0,1.0]},{"tuple":[4.0,3.0]}])"},
    {"buildFromSparse",
     "(def f (Vec Float) (v : Vec Float) (buildFromSparse (constVec 2 (tuple)) (size v) (lam (i : Integer) "
     "(tuple (div i 2) (mul (index i v) (index i v))))))",
     "[1.0,2.0,3.0]", "[1.0,1.0,1.0]", "[6.0,6.0]", "[1.0,10.0]", "[2.0,4.0,60.0]"},
    {"a number on every part", "(def f (Tuple Float Float) ((x : Float) (t : (Tuple Float Float))) (sub x t))",
     R"({"tuple":[1.0,{"tuple":[2.0,3.0]}]})", R"({"tuple":[1.0,{"tuple":[10.0,20.0]}]})", R"({"tuple":[-9.0,-19.0]})",
     R"({"tuple":[1.0,2.0]})", R"({"tuple":[3.0,{"tuple":[-1.0,-2.0]}]})"},
    {"a number times a vector", "(def f (Vec Float) ((x : Float) (v : Vec Float)) (mul x v))",
     R"({"tuple":[2.0,[3.0,4.0]]})", R"({"tuple":[1.0,[1.0,0.0]]})", "[5.0,4.0]", "[1.0,10.0]",
     R"({"tuple":[43.0,[2.0,20.0]]})"},
    {"matrix times vector", "(def f (Vec Float) ((m : (Tensor 2 Float)) (v : Vec Float)) (mul m v))",
     R"({"tuple":[[[1.0,2.0],[3.0,4.0]],[5.0,6.0]]})", R"({"tuple":[[[1.0,0.0],[0.0,0.0]],[0.0,1.0]]})", "[7.0,4.0]",
     "[1.0,10.0]", R"({"tuple":[[[5.0,6.0],[50.0,60.0]],[31.0,42.0]]})"},
    {"tangent space", "(def f Float ((v : Vec Float) (w : Vec Float)) (ts_dot (ts_neg v) (ts_add v (ts_scale 2.0 w))))",
     R"({"tuple":[[1.0],[3.0]]})", R"({"tuple":[[1.0],[1.0]]})", "-10.0", "1.0", R"({"tuple":[[-8.0],[-2.0]]})"},
    {"Integers alone", "(def f Integer ((n : Integer) (b : Bool)) (if b (add n 1) n))", R"({"tuple":[1,true]})",
     R"({"tuple":[{"tuple":[]},{"tuple":[]}]})", R"({"tuple":[]})", R"({"tuple":[]})",
     R"({"tuple":[{"tuple":[]},{"tuple":[]}]})"},
    {"apply", "(def f Float (x : Float) (apply (lam (y : Float) (mul y y)) (mul 2.0 x)))", "3.0", "1.0", "24.0", "1.0",
     "24.0"},
    {"call", "(def g Float ((x : Float) (y : Float)) (mul x (mul y y))) (def f Float (x : Float) (g (mul 2.0 x) x))",
     "2.0", "1.0", "24.0", "1.0", "24.0"},
    {"recursion",
     "(def p Float ((x : Float) (n : Integer)) (if (lte n 0) 1.0 (mul x (p x (sub n 1))))) (def f Float (x : Float) (p "
     "x 4))",
     "2.0", "1.0", "32.0", "1.0", "32.0"},
};

}  // namespace

class Derivatives : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void haveTheValuesWorkedOutByHand_data();
    void haveTheValuesWorkedOutByHand();
    void ofLgammaIsDigamma();
    void readLikeTheProgram_data();
    void readLikeTheProgram();
    void addElementsOfATensorInOneLoop();
    void areDefinedWithoutIterations_data();
    void areDefinedWithoutIterations();
    void areReadBackAsTheyArePrinted();
    void areMadeOnceForEachFunction();
    void openCallsOfSmallFunctions();
    void gradientsLeaveOtherParametersAlone();
    void areTakenFromTheProgramIfItDefinesThem();
    void areMadeForRequestsInFiles();
    void ofForwardDerivativesAreSecondDerivatives();
    void ofChosenParameters();
    void ofReverseFoldsAreSecondDerivatives();
    void ofFoldsThatKeepValuesReadBack();
    void areRefusedWithAReason_data();
    void areRefusedWithAReason();
    void ofDeepProgramsNeedNoStack();
};

void Derivatives::haveTheValuesWorkedOutByHand_data() {
    QTest::addColumn<int>("index");
    int index = 0;
    for (const Case& c : Cases) QTest::addRow("%s", c.name) << index++;
}

void Derivatives::haveTheValuesWorkedOutByHand() {
    QFETCH(int, index);
    const Case& c = Cases[index];
    Derived scattered(c.program);
    QVERIFY2(scattered.program().ok(), scattered.program() ? "" : scattered.program().error().render().c_str());
    QCOMPARE(QString::fromStdString(scattered.forward(c.point, c.dx)), QString::fromUtf8(c.forward));
    QCOMPARE(QString::fromStdString(scattered.reverse(c.point, c.dt)), QString::fromUtf8(c.reverse));
}

void Derivatives::ofLgammaIsDigamma() {
    Derived f("(def f Float (x : Float) (lgamma x))");
    const auto isNear = [&](const std::string& x, double expected) {
        const double value = std::stod(f.reverse(x, "1.0"));
        return std::abs(value - expected) <= 1e-12 * std::abs(expected);
    };
    QVERIFY(isNear("1.0", -0.5772156649015329));  // minus Euler's constant
    QVERIFY(isNear("0.5", -1.9635100260214235));
    QVERIFY(isNear("-1.5", 0.7031566406452432));
    QVERIFY(isNear("20.0", 2.9705239922421498));
}

void Derivatives::readLikeTheProgram_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<bool>("isForward");
    QTest::addColumn<bool>("isDelta");
    QTest::addColumn<QString>("expected");
    QTest::newRow("names of lets") << "(def f Float (x : Float) (let (y (sin x)) (mul y y)))" << false << false
                                   << "(let (y (sin x)) (let (dy (mul 2.0 (mul dt y))) (mul dy (cos x))))";
    QTest::newRow("forward") << "(def f Float (x : Float) (let (y (sin x)) (mul y y)))" << true << false
                             << "(let (y (sin x)) (let (dy (mul dx (cos x))) (mul 2.0 (mul dy y))))";
    QTest::newRow("elements of a vector stay a loop over the vector")
        << "(def f (Vec n Float) (v : Vec n Float) (build n (lam (i : Integer) (mul 2.0 (index i v)))))" << false
        << false << "(build n (lam (i : Integer) (mul 2.0 (index i dt))))";
    QTest::newRow("scattered")
        << "(def f (Vec m Float) ((at : Vec m Integer) (v : Vec n Float)) (build m (lam (i : Integer) "
           "(index (index i at) v))))"
        << false << false
        << "(let (at (get$1$2 args)) (let (dv (buildFromSparse (constVec n (tuple)) m (lam (i : Integer) "
           "(tuple (index i at) (index i dt))))) (let (dat (constVec m (tuple))) (tuple dat dv))))";
    QTest::newRow("loops in the order of the indices")
        << "(def f (Vec c Float) (t : Vec r (Vec c Float)) (build c (lam (j : Integer) (sumbuild r (lam (i : Integer) "
           "(mul 2.0 "
           "(index j (index i t))))))))"
        << false << false << "(build r (lam (i : Integer) (build c (lam (j : Integer) (mul 2.0 (index j dt))))))";
    QTest::newRow("equal values have one tangent")
        << "(def f Float (v : Vec n Float) (add (exp (sumbuild n (lam (i : Integer) (mul 2.0 (index i v))))) "
           "(sin (sumbuild n (lam (i : Integer) (mul 2.0 (index i v)))))))"
        << false << false
        << "(let (t (sumbuild n (lam (i : Integer) (mul 2.0 (index i v))))) (let (dt_1 (add (mul dt (exp t)) (mul dt "
           "(cos t)))) (build n (lam (i : Integer) (mul 2.0 dt_1)))))";
    QTest::newRow("values of one branch stay there")
        << "(def f Float ((x : Float) (y : Float)) (if (gt x 0.0) (mul (exp y) (exp y)) (exp y)))" << false << false
        << "(let (x (get$1$2 args)) (let (y (get$2$2 args)) (let (dy (if (gt x 0.0) (let (t (exp y)) (let (dt_1 (mul "
           "2.0 (mul dt t))) (mul dt_1 t))) (mul dt (exp y)))) (tuple 0.0 dy))))";
    QTest::newRow("the value of a branch is not computed again")
        << "(def f Float (x : Float) (let (s (if (gt x 0.0) (sqrt x) x)) (mul s s)))" << false << false
        << "(let (t (gt x 0.0)) (let (s (if t (sqrt x) x)) (let (ds (mul 2.0 (mul dt s))) (if t (if (eq s "
           "0.0) 0.0 (div ds (mul 2.0 s))) ds))))";
    QTest::newRow("a value that only a branch needs is computed there")
        << "(def f Float (x : Float) (if (gt x 0.0) (sqrt x) x))" << false << false
        << "(if (gt x 0.0) (let (t (sqrt x)) (if (eq t 0.0) 0.0 (div dt (mul 2.0 t)))) dt)";
    QTest::newRow("a root that is not zero needs no test")
        << "(def f Float (x : Float) (sqrt (add (mul x x) 1e-06)))" << false << false
        << "(mul 2.0 (mul (div dt (mul 2.0 (sqrt (add (mul x x) 1e-06)))) x))";
    QTest::newRow("a divisor that is not zero needs no test")
        << "(def f Float (x : Float) (max 0.5 (div 1.0 (add 1.0 (mul x x)))))" << false << false
        << "(let (t (div 1.0 (add 1.0 (mul x x)))) (neg (mul 2.0 (mul (mul (mul (mul dt (if (gt t 0.5) 1.0 (if (eq 0.5 "
           "t) 0.5 0.0))) t) t) x))))";
    QTest::newRow("a divisor that may be zero passes on no zero")
        << "(def f Float (x : Float) (max 0.5 (div 1.0 x)))" << false << false
        << "(let (t (div 1.0 x)) (let (d (mul dt (if (gt t 0.5) 1.0 (if (eq 0.5 t) 0.5 0.0)))) (if (eq d 0.0) 0.0 (neg "
           "(mul (mul d t) t)))))";
    QTest::newRow("the paper's rev$matrix_multiply")
        << "(def f (Vec o Float) ((w : Vec o (Vec k Float)) (image : Vec k Float)) (build o (lam (oi : Integer) "
           "(sumbuild k (lam "
           "(ki : Integer) (mul (index ki (index oi w)) (index ki image)))))))"
        << false << true
        << "(let (w (get$1$2 args)) (let (image (get$2$2 args)) (let (d (sumbuild o (lam (oi : Integer) (let (dt_1 "
           "(index oi "
           "dt)) (sumbuild k (lam (ki : Integer) (tuple (deltaVec o oi (deltaVec k ki (mul dt_1 (index ki image)))) "
           "(deltaVec k "
           "ki (mul (index ki (index oi w)) dt_1))))))))) (let (dw (get$1$2 d)) (let (dimage (get$2$2 d)) (tuple dw "
           "dimage))))))";
    QTest::newRow("in delta form")
        << "(def f (Vec n Float) (v : Vec n Float) (build n (lam (i : Integer) (mul 2.0 (index i v)))))" << false
        << true << "(sumbuild n (lam (i : Integer) (deltaVec n i (mul 2.0 (index i dt)))))";
}

void Derivatives::readLikeTheProgram() {
    QFETCH(QString, program);
    QFETCH(bool, isForward);
    QFETCH(bool, isDelta);
    QFETCH(QString, expected);
    Derived f(program.toStdString());
    const std::string text =
        f.text(isForward ? Direction::Forward : Direction::Reverse, isDelta ? Form::Delta : Form::Scatter);
    QCOMPARE(QString::fromStdString(text), expected);
}

void Derivatives::areDefinedWithoutIterations_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("point");
    QTest::addColumn<QString>("tangent");
    QTest::addColumn<QString>("expected");
    const QString sizes = QStringLiteral(
        "(def f Float ((n : Integer) (v : (Vec Float)) (w : (Vec Float)) (u : (Vec Float))) (ts_dot "
        "(build n (lam (i : Integer) (index (sub (size (add v w)) 1) u))) (build n (lam (i : Integer) (to_float "
        "i)))))");
    QTest::newRow("vectors of different sizes") << sizes << R"({"tuple":[0,[1.0],[1.0,2.0],[5.0]]})"
                                                << "1.0"
                                                << R"({"tuple":[{"tuple":[]},[0.0],[0.0,0.0],[0.0]]})";
    QTest::newRow("three iterations") << sizes << R"({"tuple":[3,[1.0],[1.0],[5.0]]})"
                                      << "1.0"
                                      << R"({"tuple":[{"tuple":[]},[0.0],[0.0],[3.0]]})";
    const QString loop = QStringLiteral(
        "(def f Float ((x : Float) (v : Vec m Float) (w : Vec n (Vec m Float))) (do (var s x) (for k 3 "
        "(if (gt (abs s) 1.0) (break)) (set s (mul s (dot v (index 1 w))))) (return s)))");
    QTest::newRow("loop that ends at once") << loop << R"({"tuple":[2.0,[1.0,1.0],[[1.0,2.0]]]})"
                                            << "1.0"
                                            << R"({"tuple":[1.0,[0.0,0.0],[[0.0,0.0]]]})";
    QTest::newRow("loop that runs once") << loop << R"({"tuple":[0.5,[1.0,1.0],[[0.0,0.0],[1.0,3.0]]]})"
                                         << "1.0"
                                         << R"({"tuple":[4.0,[0.5,1.5],[[0.0,0.0],[0.5,0.5]]]})";
    const QString two = QStringLiteral(
        "(def f (Vec Float) ((n : Integer) (u : Vec Float)) "
        "(build n (lam (i : Integer) (add (index 3 u) (mul 2.0 (index 4 u))))))");
    QTest::newRow("two elements") << two << R"({"tuple":[0,[1.0]]})"
                                  << "[]"
                                  << R"({"tuple":[{"tuple":[]},[0.0]]})";
    QTest::newRow("two elements of nothing") << two << R"({"tuple":[0,[]]})"
                                             << "[]"
                                             << R"({"tuple":[{"tuple":[]},[]]})";
    QTest::newRow("two elements that exist") << two << R"({"tuple":[1,[1.0,1.0,1.0,1.0,1.0]]})"
                                             << "[3.0]"
                                             << R"({"tuple":[{"tuple":[]},[0.0,0.0,0.0,3.0,6.0]]})";
    const QString row = QStringLiteral(
        "(def f (Vec Float) ((n : Integer) (w : Vec (Vec Float))) (build n (lam (i : Integer) (index i (index 2 "
        "w)))))");
    QTest::newRow("row") << row << R"({"tuple":[0,[[1.0]]]})"
                         << "[]"
                         << R"({"tuple":[{"tuple":[]},[[0.0]]]})";
    QTest::newRow("row of nothing") << row << R"({"tuple":[0,[]]})"
                                    << "[]"
                                    << R"({"tuple":[{"tuple":[]},[]]})";
    QTest::newRow("row that exists") << row << R"({"tuple":[1,[[1.0],[],[2.0,3.0]]]})"
                                     << "[5.0]"
                                     << R"({"tuple":[{"tuple":[]},[[0.0],[],[5.0,0.0]]]})";
    const QString rows = QStringLiteral(
        "(def f (Vec (Vec Float)) ((m : Integer) (n : Integer) (w : Vec (Vec Float))) (build m (lam (k : Integer) "
        "(build n (lam (i : Integer) (index i (index (add k 1) w)))))))");
    QTest::newRow("row in each iteration") << rows << R"({"tuple":[2,0,[[1.0]]]})"
                                           << "[[],[]]"
                                           << R"({"tuple":[{"tuple":[]},{"tuple":[]},[[0.0]]]})";
    QTest::newRow("row in each iteration that exists") << rows << R"({"tuple":[1,2,[[1.0],[2.0,3.0]]]})"
                                                       << "[[5.0,7.0]]"
                                                       << R"({"tuple":[{"tuple":[]},{"tuple":[]},[[0.0],[5.0,7.0]]]})";
}

/// Where a loop makes no iteration, the function reads none of the elements that its iterations read.
void Derivatives::areDefinedWithoutIterations() {
    QFETCH(QString, program);
    QFETCH(QString, point);
    QFETCH(QString, tangent);
    QFETCH(QString, expected);
    Derived f(program.toStdString());
    QCOMPARE(QString::fromStdString(f.reverse(point.toStdString(), tangent.toStdString())), expected);
}

void Derivatives::addElementsOfATensorInOneLoop() {
    const auto loopsOf = [](Derived& f) {
        return QString::fromStdString(f.text(autodiff::Direction::Reverse)).count(QStringLiteral("(lam "));
    };
    Derived edges(
        "(def f Float ((at : Vec m (Tuple Integer Integer)) (v : Vec n Float)) (sumbuild m (lam (i : Integer) "
        "(let ((x (index (get$1$2 (index i at)) v)) (y (index (get$2$2 (index i at)) v))) (mul (mul x x) y)))))");
    QCOMPARE(loopsOf(edges), 1);
    QCOMPARE(
        QString::fromStdString(edges.reverse(R"({"tuple":[[{"tuple":[0,1]},{"tuple":[1,1]}],[2.0,3.0,5.0]]})", "1.0")),
        QStringLiteral(R"({"tuple":[[{"tuple":[{"tuple":[]},{"tuple":[]}]},{"tuple":[{"tuple":[]},{"tuple":[]}]}],)"
                       R"([12.0,31.0,0.0]]})"));
    // The first and the last neighbour do not exist, and an empty vector has none.
    Derived neighbours(
        "(def f Float (v : Vec n Float) (sumbuild (add n 1) (lam (i : Integer) (let ((x (if (eq i 0) 1.0 (index (sub i "
        "1) v))) (y (if (eq i n) 2.0 (index i v)))) (mul (mul x x) y)))))");
    QCOMPARE(loopsOf(neighbours), 1);
    QCOMPARE(QString::fromStdString(neighbours.reverse("[3.0,5.0]", "1.0")), QStringLiteral("[31.0,29.0]"));
    QCOMPARE(QString::fromStdString(neighbours.reverse("[]", "1.0")), QStringLiteral("[]"));
}

void Derivatives::areReadBackAsTheyArePrinted() {
    for (const Case& c : Cases) {
        for (const Direction direction : {Direction::Forward, Direction::Reverse}) {
            Derived f(c.program);
            const Result<ir::FunctionId> id = f.derivative(direction);
            QVERIFY2(id.ok(), c.name);
            const ir::Program derivative{*id, f.bank().function(*id).body};
            const std::string text = ks::printProgram(f.bank(), derivative);
            ir::TermBank bank(dialects::makeRegistry());
            const Result<ir::Program> read = ks::parseProgram(bank, "printed.ks", text);
            QVERIFY2(read.ok(), read ? "" : (text + read.error().render()).c_str());
            QCOMPARE(QString::fromStdString(ks::printProgram(bank, *read)), QString::fromStdString(text));
            QCOMPARE(bank.hash(read->root), f.bank().hash(derivative.root));
        }
    }
}

namespace {

/// The names of the functions that a function calls, directly or not.
std::vector<std::string> calleesOf(const ir::TermBank& bank, ir::FunctionId id) {
    std::vector<std::string> names;
    for (const ir::FunctionId callee : ir::callOrder(bank, {id, bank.function(id).body})) {
        names.push_back(bank.function(callee).name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace

void Derivatives::areMadeOnceForEachFunction() {
    Derived f(
        "(def g Float (x : Float) (mul x x)) (def h Float (x : Float) (add (g x) (g (sin x)))) (def f Float (x : "
        "Float) (mul (g "
        "x) (h x)))");
    const Result<ir::FunctionId> id = f.derivative(Direction::Reverse, Form::Delta);
    QVERIFY(id.ok());
    const std::vector<std::string> expected{"[rev [g Float]]", "[rev [h Float]]", "g", "h"};
    QCOMPARE(calleesOf(f.bank(), *id), expected);
    const Result<ir::FunctionId> again = f.derivative(Direction::Reverse, Form::Delta);
    QVERIFY(again.ok());
    QCOMPARE(*again, *id);
}

void Derivatives::openCallsOfSmallFunctions() {
    Derived f(
        "(def g Float ((v : Vec n Float) (k : Integer)) (mul (to_float n) (index k v)))"
        "(def fac Float (x : Float) (if (lt x 1.0) x (mul x (fac (sub x 1.0)))))"
        "(def h Float (x : Float) (mul x x)) (def [rev h] Float ((x : Float) (dt : Float)) (mul 7.0 dt))"
        "(def f Float (v : Vec n Float) (add (g v 1) (mul (fac (index 0 v)) (h (index 1 v)))))");
    const Result<ir::FunctionId> id = f.derivative(Direction::Reverse);
    QVERIFY(id.ok());
    // A function that calls itself or has a derivative of its own stays a function.
    const std::vector<std::string> expected{"[rev [fac Float]]", "[rev h]", "fac", "h"};
    QCOMPARE(calleesOf(f.bank(), *id), expected);
    // 2 v[1] + fac(v[0]) h(v[1]) with fac(2.5) = 2.5 * 1.5 * 0.5 and fac'(2.5) = 1.5 * 0.5 + 2.5 * 0.5 + 2.5 * 1.5
    QCOMPARE(f.reverse("[2.5, 3.0]", "1.0"), std::string("[51.75,15.125]"));
}

void Derivatives::gradientsLeaveOtherParametersAlone() {
    Derived f(
        "(def f Float ((r : Float) (v : Vec n Float) (k : Integer)) (mul (mul r r) (sumbuild n (lam (i : Integer) (mul "
        "(index i v) (index k v))))))");
    QVERIFY(f.program().ok());
    const auto gradient = [&](std::vector<std::size_t> wrt) {
        const Result<ir::FunctionId> id = autodiff::gradient(f.bank(), f.program()->function, wrt);
        if (!id) return id.error().message;
        const eval::Value vector =
            *eval::valueFromJson(f.bank(), f.bank().types().vec(f.bank().types().floating()), "[2.0, 3.0]");
        const eval::Inputs inputs{{eval::Value(5.0), vector, eval::Value(std::int64_t{1})}, {}};
        const ir::Function& function = f.bank().function(*id);
        const Result<eval::Evaluation> result = eval::evaluate(f.bank(), {*id, function.body}, inputs);
        return function.name + " " + (result ? eval::toJson(result->value) : result.error().message);
    };
    // r^2 (v0 v1 + v1 v1) at r = 5, v = (2, 3)
    QCOMPARE(gradient({0}), std::string("f_gradient 150.0"));
    QCOMPARE(gradient({1}), std::string("f_gradient2 [75.0,200.0]"));
    QCOMPARE(gradient({0, 1}), std::string(R"(f_gradient3 {"tuple":[150.0,[75.0,200.0]]})"));
    QCOMPARE(gradient({2}), std::string("k has the type Integer, which has no tangent"));
    // Nothing is added up for v where only r counts.
    const ir::FunctionId first = f.bank().findFunction("f_gradient", f.bank().function(f.program()->function).argument);
    const std::string text = ks::printTerm(f.bank(), f.bank().function(first).body, {.width = 0});
    QVERIFY2(text.find("buildFromSparse") == std::string::npos, text.c_str());
    Derived vector("(def f (Vec n Float) (v : Vec n Float) v)");
    const std::vector<std::size_t> only{0};
    const Result<ir::FunctionId> refused = autodiff::gradient(vector.bank(), vector.program()->function, only);
    QVERIFY(!refused.ok());
    QCOMPARE(refused.error().message, std::string("the result of f has the type (Vec n Float)"));
}

void Derivatives::areTakenFromTheProgramIfItDefinesThem() {
    // The derivatives of h are wrong on purpose, so that their use shows.
    Derived f(
        "(def h Float (x : Float) (mul x x)) (def [rev h] Float ((x : Float) (dt : Float)) 100.0)"
        "(def [fwd [h Float]] Float ((x : Float) (dx : Float)) 1000.0) (edef e Float Float)"
        "(def [rev e] Float ((x : Float) (dt : Float)) (mul 7.0 dt)) (def f Float (x : Float) (add (h x) x))");
    QCOMPARE(f.reverse("2.0", "1.0"), std::string("101.0"));
    QCOMPARE(f.forward("2.0", "1.0"), std::string("1001.0"));
    Derived external(
        "(edef e Float Float) (def [rev e] Float ((x : Float) (dt : Float)) (mul 7.0 dt)) (def f Float (x : Float) (e "
        "x))");
    QCOMPARE(external.reverse("2.0", "3.0"), std::string("21.0"));
}

void Derivatives::areMadeForRequestsInFiles() {
    const std::string base = "(def f Float ((x : Float) (y : Float)) (mul x (mul y y)))";
    const auto main = [&](const std::string& before, const std::string& type, const std::string& body) {
        Derived program(base + before + "(def main " + type + " () " + body + ")");
        if (!program.program()) return program.program().error().render();
        const Result<eval::Evaluation> result = eval::evaluate(program.bank(), *program.program(), {});
        return result ? eval::toJson(result->value) : result.error().message;
    };
    const std::string pair = "(Tuple Float Float)";
    QCOMPARE(main("(gdef rev [f (Tuple Float Float)])", pair, "([rev f] (tuple 2.0 3.0) 1.0)"),
             std::string(R"({"tuple":[9.0,12.0]})"));
    QCOMPARE(main("(gdef rev [f (Tuple Float Float)])", pair, "([rev [f (Tuple Float Float)]] (tuple 2.0 3.0) 1.0)"),
             std::string(R"({"tuple":[9.0,12.0]})"));
    QCOMPARE(main("(gdef fwd [f (Tuple Float Float)])", "Float", "([fwd f] (tuple 2.0 3.0) (tuple 1.0 1.0))"),
             std::string("21.0"));
    QCOMPARE(main("(gdef sufrev [f (Tuple Float Float)])", pair, "([sufrev f] (tuple 2.0 3.0) 1.0)"),
             std::string(R"({"tuple":[9.0,12.0]})"));
    QCOMPARE(main("(gdef CL [f (Tuple Float Float)])", "Float", "([CL f] 2.0 3.0)"), std::string("18.0"));
    QCOMPARE(main("(gdef shape [f (Tuple Float Float)])", "(Tuple)", "([shape f] 2.0 3.0)"),
             std::string(R"({"tuple":[]})"));
    QCOMPARE(main("", pair, "(rev$f 2.0 3.0 1.0)"), std::string(R"({"tuple":[9.0,12.0]})"));
    QCOMPARE(main("(gdef suffwdpass [f (Tuple Float Float)]) (gdef sufrevpass [f (Tuple Float Float)])", pair,
                  "(let (r ([suffwdpass f] 2.0 3.0)) ([sufrevpass f] 1.0 (get$2$2 r)))"),
             std::string(R"({"tuple":[9.0,12.0]})"));
    QCOMPARE(main("(gdef suffwdpass [f (Tuple Float Float)])", "Float", "(get$1$2 ([suffwdpass f] 2.0 3.0))"),
             std::string("18.0"));
    // Forward over reverse: the second derivative of x y² by y is 2 x.
    QCOMPARE(main("(gdef rev [f (Tuple Float Float)]) (gdef fwd [rev [f (Tuple Float Float)]])", pair,
                  "([fwd [rev f]] (tuple (tuple 2.0 3.0) 1.0) (tuple (tuple 0.0 1.0) 0.0))"),
             std::string(R"({"tuple":[6.0,4.0]})"));
}

void Derivatives::ofForwardDerivativesAreSecondDerivatives() {
    // The product of all elements times x to the number of elements.
    const std::string product =
        "(def f Float ((v : Vec Float) (x : Float)) (fold (lam (p : (Tuple Float Float)) (mul (mul (get$1$2 p) x) "
        "(get$2$2 p))) "
        "1.0 v)) (gdef fwd [f (Tuple (Vec Float) Float)])";
    Derived f(product +
              "(def g Float (x : Float) ([fwd f] (tuple (Vec_init 2.0 3.0 5.0) x) (tuple (constVec 3 0.0) 1.0)))");
    QVERIFY2(f.program().ok(), f.program() ? "" : f.program().error().render().c_str());
    QCOMPARE(f.forward("2.0", "1.0"), std::string("360.0"));  // 30 x³ has the second derivative 180 x
    QCOMPARE(f.reverse("2.0", "1.0"), std::string("360.0"));
}

void Derivatives::ofChosenParameters() {
    Derived f(
        "(def g Float (x : Float) (mul x x)) (def f Float ((x : Float) (v : Vec n Float) (y : Float)) (sumbuild n "
        "(lam (i : Integer) (mul (g x) (mul y (index i v))))))");
    ir::TermBank& bank = f.bank();
    const auto text = [&](const std::vector<std::size_t>& parameters) {
        const Result<ir::FunctionId> id = autodiff::gradient(bank, f.program()->function, parameters);
        return id ? ks::printTerm(bank, bank.function(*id).body, {.width = 0}) : id.error().message;
    };
    QCOMPARE(text({2}), std::string("(sumbuild n (lam (i : Integer) (mul (mul x x) (index i v))))"));
    QCOMPARE(text({1}), std::string("(build n (lam (i : Integer) (mul y (mul x x))))"));
    const Result<ir::FunctionId> both = autodiff::gradient(bank, f.program()->function, std::vector<std::size_t>{2, 0});
    QVERIFY(both.ok());
    eval::Inputs inputs;
    inputs.arguments = {eval::Value(3.0), eval::Value(eval::TensorValue{{2}, {eval::Value(1.0), eval::Value(4.0)}}),
                        eval::Value(2.0)};
    const Result<eval::Evaluation> value = eval::evaluate(bank, {*both, bank.function(*both).body}, inputs);
    QVERIFY2(value.ok(), value ? "" : value.error().message.c_str());
    QCOMPARE(eval::toJson(value->value), std::string(R"({"tuple":[45.0,60.0]})"));
}

void Derivatives::ofReverseFoldsAreSecondDerivatives() {
    // f = x³ v0 v1 v2, by a fold and by a loop. The second derivative by x is 6 x v0 v1 v2, the mixed one with v1 is 3 x² v0 v2.
    const std::array<std::string, 2> programs{
        "(def f Float ((v : Vec Float) (x : Float)) (fold (lam (p : (Tuple Float Float)) (mul (mul (get$1$2 p) x) "
        "(get$2$2 p))) 1.0 v))",
        "(def f Float ((v : Vec Float) (x : Float)) (get$2$2 (loop (size v) 1.0 (lam (p : (Tuple Integer Float)) "
        "(tuple "
        "false (mul (mul (get$2$2 p) x) (index (get$1$2 p) v)))))))"};
    for (const std::string& program : programs) {
        Derived f(program +
                  "(gdef rev [f (Tuple (Vec Float) Float)])"
                  "(def g Float (x : Float) (get$2$2 ([rev f] (tuple (Vec_init 2.0 3.0 5.0) x) 1.0)))");
        QVERIFY2(f.program().ok(), f.program() ? "" : f.program().error().render().c_str());
        QCOMPARE(f.forward("2.0", "1.0"), std::string("360.0"));
        Derived h(program +
                  "(gdef rev [f (Tuple (Vec Float) Float)])"
                  "(def h (Vec Float) (x : Float) (get$1$2 ([rev f] (tuple (Vec_init 2.0 3.0 5.0) x) 1.0)))");
        QCOMPARE(h.forward("2.0", "1.0"), std::string("[180.0,120.0,72.0]"));
    }
}

void Derivatives::ofFoldsThatKeepValuesReadBack() {
    // f is exp(exp(x)): f' = exp(x) f, f'' = (1 + exp(x)) f'.
    const std::string program =
        "(def f Float (x : Float) (fold (lam (p : (Tuple Float Integer)) (exp (get$1$2 p))) x (build 2 (lam (i : "
        "Integer) i))))";
    Derived f(program + "(gdef rev [f Float]) (def g Float (x : Float) ([rev f] x 1.0))");
    QVERIFY2(f.program().ok(), f.program() ? "" : f.program().error().render().c_str());
    const double e = std::exp(1.0);
    QCOMPARE(f.forward("0.0", "1.0"), eval::toJson(eval::Value(2.0 * e)));
    Derived plain(program);
    const Result<ir::FunctionId> derivative = plain.derivative(autodiff::Direction::Reverse);
    QVERIFY(derivative.ok());
    const std::string body = plain.text(autodiff::Direction::Reverse);
    QVERIFY(body.find("(Tuple (Tuple Float Integer) Float Float)") != std::string::npos);
    Derived read("(def main Float ((x : Float) (dt : Float)) " + body + ")");
    QVERIFY2(read.program().ok(), read.program() ? "" : read.program().error().render().c_str());
    QCOMPARE(ks::printTerm(read.bank(), read.program()->root, {.width = 0}), body);
}

void Derivatives::areRefusedWithAReason_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("expected");
    QTest::newRow("opaque call")
        << "(edef g Float Float) (def f Float (x : Float) (mul 2.0 (g x)))"
        << "f has no derivative: (g x): g is defined outside of the program (edef), and there is no "
           "[rev g]";
    QTest::newRow("function as a parameter")
        << "(edef g Float (Tuple (Lam Float Float) Float)) (def f Float (x : Float) (g (lam (y : Float) (mul y y)) x))"
        << "f has no derivative: (g (lam (y : Float) (mul y y)) x): a function that takes functions has no derivative";
    QTest::newRow("linear map that is read from a tensor")
        << "(def f Float (x : Float) (lmApply (index 0 (build 2 (lam (i : Integer) (lmScale 1.0 x)))) 2.0))"
        << "f has no derivative: (lmApply (index 0 (build 2 (lam (i : Integer) (lmScale 1.0 x)))) 2.0): lmApply has a "
           "derivative only where its linear map is constructed in place, by lmOne, lmZero, lmScale, lmScaleR, lmDot, "
           "lmAdd, lmCompose, lmVCat, lmHCat, lmVCatV or lmHCatV";
    QTest::newRow("linear map as a parameter")
        << "(def f Float ((g : LM Float Float) (x : Float)) (lmApply g 2.0))"
        << "f has no derivative: there is none by a parameter of the type (LM Float Float)";
    QTest::newRow("function as an argument")
        << "(def f Float ((g : Lam Float Float) (x : Float)) (mul x (g 2.0)))"
        << "f has no derivative: there is none by a parameter of the type (Lam Float Float)";
    QTest::newRow("operator")
        << "(def f Float (x : Float) ($check (lam (y : Float) y) (lam (p : (Tuple Float Float)) (get$2$2 "
           "p)) x 1.0 1.0))"
        << "f has no derivative: ($check (lam (y : Float) y) (lam (p : (Tuple Float Float)) (get$2$2 p)) "
           "x 1.0 1.0): $check has no derivative";
}

void Derivatives::areRefusedWithAReason() {
    QFETCH(QString, program);
    QFETCH(QString, expected);
    Derived f(program.toStdString());
    QVERIFY(f.program().ok());
    const Result<ir::FunctionId> id = f.derivative(Direction::Reverse);
    QVERIFY(!id.ok());
    QCOMPARE(QString::fromStdString(id.error().message), expected);
}

void Derivatives::ofDeepProgramsNeedNoStack() {
    constexpr int Lets = 2'500;
    std::string text = "(def f Float (x0 : Float) ";
    for (int i = 0; i < Lets; ++i) text += fmt::format("(let (x{} (mul x{} 1.0001)) ", i + 1, i);
    text += fmt::format("x{}", Lets) + std::string(Lets + 1, ')');
    Derived chain(text);
    QVERIFY2(chain.program().ok(), chain.program() ? "" : chain.program().error().render().c_str());
    const double expected = std::pow(1.0001, Lets);
    QVERIFY(std::abs(std::stod(chain.reverse("1.0", "1.0")) / expected - 1.0) < 1e-12);
    QVERIFY(std::abs(std::stod(chain.forward("1.0", "1.0")) / expected - 1.0) < 1e-12);

    constexpr int Levels = 5'000;
    std::string nested = "(def f Float (x : Float) ";
    for (int i = 0; i < Levels; ++i) nested += "(mul 1.0001 ";
    nested += "x" + std::string(Levels + 1, ')');
    Derived tower(nested);
    const double slope = std::pow(1.0001, Levels);
    QVERIFY(std::abs(std::stod(tower.reverse("1.0", "1.0")) / slope - 1.0) < 1e-12);
}

MITOS_TEST(Derivatives)

}  // namespace tst_derivatives

#include "tst_derivatives.moc"

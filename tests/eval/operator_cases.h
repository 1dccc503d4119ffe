// SPDX-License-Identifier: GPL-3.0-or-later
// Every operator of ks with the value it must have (ks-language.md 5 to 7).
#pragma once

/// An expression without variables, its type, and its value as JSON.
struct OperatorCase {
    const char* type;
    const char* expression;
    const char* expected;
};

constexpr OperatorCase OperatorCases[] = {
    // arithmetic
    {"Float", "(add 1.5 2.0)", "3.5"},
    {"Integer", "(add 9223372036854775807 1)", "-9223372036854775808"},
    {"Integer", "(sub -9223372036854775808 1)", "9223372036854775807"},
    {"Integer", "(mul 4611686018427387904 4)", "0"},
    {"Integer", "(div -7 2)", "-3"},
    {"Integer", "(div 7 -2)", "-3"},
    {"Integer", "(div -9223372036854775808 -1)", "-9223372036854775808"},
    {"Float", "(div 1.0 0.0)", "\"inf\""},
    {"Float", "(div 0.0 0.0)", "\"nan\""},
    {"Float", "(mul 2.5 3)", "7.5"},
    {"Integer", "(neg -4)", "4"},
    {"Float", "(neg 0.0)", "-0.0"},
    {"(Vec Float)", "(add (Vec_init 1.0 2.0) (Vec_init 10.0 20.0))", "[11.0,22.0]"},
    {"(Vec Float)", "(sub (Vec_init 1.0 2.0) 0.5)", "[0.5,1.5]"},
    {"(Vec Float)", "(mul 3.0 (Vec_init 1.0 2.0))", "[3.0,6.0]"},
    {"(Vec Float)", "(div (Vec_init 1.0 2.0) 4.0)", "[0.25,0.5]"},
    {"(Tuple Float (Vec Float))", "(add (tuple 1.0 (Vec_init 2.0)) (tuple 0.5 (Vec_init 0.25)))",
     R"({"tuple":[1.5,[2.25]]})"},
    {"(Vec Float)",
     "(mul (build (tuple 2 3) (lam (ij : (Tuple Integer Integer)) (to_float (add (mul 10 (get$1$2 ij)) (get$2$2 "
     "ij))))) "
     "(Vec_init 1.0 2.0 3.0))",
     "[8.0,68.0]"},
    // comparisons and logic
    {"Bool", "(gt 2.0 1.0)", "true"},
    {"Bool", "(lt 2 2)", "false"},
    {"Bool", "(gte 2 2)", "true"},
    {"Bool", "(lte 3.0 2.0)", "false"},
    {"Bool", "(eq (Vec_init 1 2) (Vec_init 1 2))", "true"},
    {"Bool", "(eq (Vec_init 1 2) (Vec_init 1 2 3))", "false"},
    {"Bool", "(ne (tuple 1 \"a\") (tuple 1 \"b\"))", "true"},
    {"Bool", "(and true false)", "false"},
    {"Bool", "(or true false)", "true"},
    {"Bool", "(not true)", "false"},
    {"Float", "(if (gt 1.0 0.0) 1.0 (index 5 (Vec_init 0.0)))", "1.0"},
    {"Float", "(assert (lt 1 2) 4.0)", "4.0"},
    // functions of Floats
    {"Float", "(exp 0.0)", "1.0"},
    {"(Vec Float)", "(exp (Vec_init 0.0 0.0))", "[1.0,1.0]"},
    {"Float", "(log 1.0)", "0.0"},
    {"Float", "(log -1.0)", "\"nan\""},
    {"Float", "(sin 0.0)", "0.0"},
    {"Float", "(cos 0.0)", "1.0"},
    {"Float", "(tanh 0.0)", "0.0"},
    {"Float", "(cosh 0.0)", "1.0"},
    {"Float", "(sqrt 6.25)", "2.5"},
    {"Float", "(erf 0.0)", "0.0"},
    {"Float", "(lgamma 3.0)", "0.6931471805599453"},
    {"Float", "(abs -2.5)", "2.5"},
    {"Float", "(max 1.0 2.0)", "2.0"},
    {"Float", "(max (Vec_init 1.0 5.0 3.0))", "5.0"},
    {"Integer", "(imax (Vec_init 1.0 5.0 3.0 5.0))", "1"},
    {"Float", "(pow 2.0 -2)", "0.25"},
    {"Float", "(to_float -3)", "-3.0"},
    {"Float", "(bool_to_float true)", "1.0"},
    {"Float", "(pi)", "3.141592653589793"},
    {"Float", "(dot (Vec_init 1.0 2.0) (Vec_init 3.0 4.0))", "11.0"},
    {"Float", "(mymul 3.0 4.0)", "12.0"},
    // tuples and let
    {"Float", "(get$2$3 (tuple 1.0 2.0 3.0))", "2.0"},
    {"(Tuple)", "(tuple)", R"({"tuple":[]})"},
    {"Float", "(let ((x 2.0) (y (mul x 3.0))) (add x y))", "8.0"},
    // tensors
    {"(Vec Integer)", "(build 3 (lam (i : Integer) (mul i i)))", "[0,1,4]"},
    {"(Vec Integer)", "(build 0 (lam (i : Integer) i))", "[]"},
    {"(Tensor 2 Integer)",
     "(build (tuple 2 3) (lam (t : (Tuple Integer Integer)) (add (mul 10 (get$1$2 t)) (get$2$2 t))))",
     "[[0,1,2],[10,11,12]]"},
    {"Integer", "(sumbuild 4 (lam (i : Integer) i))", "6"},
    {"(Tuple Float (Vec Float))", "(sumbuild 3 (lam (i : Integer) (tuple (to_float i) (deltaVec 3 i 1.0))))",
     R"({"tuple":[3.0,[1.0,1.0,1.0]]})"},
    {"Float", "(fold (lam (t : (Tuple Float Float)) (sub (get$2$2 t) (get$1$2 t))) 1.0 (Vec_init 10.0 20.0))", "11.0"},
    {"(Vec Bool)", "(map (lam (x : Integer) (gt x 1)) (Vec_init 1 2))", "[false,true]"},
    {"(Vec Float)",
     "(map2 (lam (t : (Tuple Float Integer)) (mul (get$1$2 t) (get$2$2 t))) (Vec_init 1.5 2.0) (Vec_init 2 3))",
     "[3.0,6.0]"},
    {"Float", "(index 1 (Vec_init 1.0 2.0))", "2.0"},
    {"Float", "(index (tuple 1 0) (constVec (tuple 2 2) 7.0))", "7.0"},
    {"Integer", "(size (Vec_init 1.0 2.0))", "2"},
    {"(Tuple Integer Integer)", "(size (constVec (tuple 2 5) 1.0))", R"({"tuple":[2,5]})"},
    {"Integer", "(shape (Vec_init 1.0 2.0))", "2"},
    {"(Tuple)", "(shape 3.0)", R"({"tuple":[]})"},
    {"(Tuple (Tuple) Integer)", "(shape (tuple 1.0 (Vec_init 1 2 3)))", R"({"tuple":[{"tuple":[]},3]})"},
    {"(Vec Integer)", "(shape (build 3 (lam (i : Integer) (constVec i 1.0))))", "[0,1,2]"},
    {"Float", "(sum (Vec_init 1.0 2.0 4.0))", "7.0"},
    {"(Tuple (Vec Integer) (Vec Float))", "(unzip (Vec_init (tuple 1 2.0) (tuple 3 4.0)))",
     R"({"tuple":[[1,3],[2.0,4.0]]})"},
    {"(Vec Float)", "(constVec 2 1.5)", "[1.5,1.5]"},
    {"(Vec Float)", "(deltaVec 3 1 5.0)", "[0.0,5.0,0.0]"},
    {"(Vec Float)", "(deltaVec 3 7 5.0)", "[0.0,0.0,0.0]"},
    {"(Vec (Vec Float))", "(deltaVec 2 -1 (Vec_init 1.0 2.0))", "[[0.0,0.0],[0.0,0.0]]"},
    {"(Tensor 2 Float)", "(deltaVec (tuple 2 2) (tuple 0 1) 3.0)", "[[0.0,3.0],[0.0,0.0]]"},
    {"Float", "(delta 2 2 1.5)", "1.5"},
    {"(Vec Float)", "(delta 2 3 (Vec_init 1.5))", "[0.0]"},
    {"(Vec (Vec Integer))", "(diag 2 3 (lam (i : Integer) (add i 5)))", "[[5,0,0],[0,6,0]]"},
    {"(Vec Float)", "(buildFromSparse (constVec 3 (tuple)) 4 (lam (i : Integer) (tuple (div i 2) (to_float i))))",
     "[1.0,5.0,0.0]"},
    {"(Vec (Vec Float))", "(buildFromSparse (Vec_init 1 2) 2 (lam (i : Integer) (tuple i (constVec (add i 1) 3.0))))",
     "[[3.0],[3.0,3.0]]"},
    {"(Vec (Vec Float))",
     "(buildFromSparse (Vec_init (constVec 1 (tuple)) (constVec 3 (tuple))) 2 (lam (i : Integer) (if (eq i 0) (tuple 1 "
     "(Vec_init 1.0 2.0 3.0)) (tuple 1 (Vec_init 0.5 0.0 4.0)))))",
     "[[0.0],[1.5,2.0,7.0]]"},
    {"(Tuple (Vec Float) (Vec Integer))",
     "(buildFromSparseTupled (tuple (constVec 2 (tuple)) (constVec 1 (tuple))) 3 (lam (i : Integer) "
     "(tuple (tuple 1 2.0) (tuple 0 i))))",
     R"({"tuple":[[0.0,6.0],[3]]})"},
    // tangent space
    {"(Tuple Float Integer)", "(ts_add (tuple 1.0 5) (tuple 0.5 (tuple)))", R"({"tuple":[1.5,5]})"},
    {"(Vec Float)", "(ts_add (Vec_init 1.0 2.0) (Vec_init 0.5 0.5))", "[1.5,2.5]"},
    {"(Tuple Float Integer)", "(ts_scale 2.0 (tuple 1.5 3))", R"({"tuple":[3.0,3]})"},
    {"(Vec Float)", "(ts_neg (Vec_init 1.0 -2.0))", "[-1.0,2.0]"},
    {"Float", "(ts_dot (tuple 2.0 (Vec_init 1.0 3.0)) (tuple 4.0 (Vec_init 5.0 6.0)))", "31.0"},
    // effects, hints, helpers
    {"Integer", "(print 1 2 3)", "2"},
    {"Float", "($trace 2.0)", "2.0"},
    {"Float", "($copydown 2.0)", "2.0"},
    {"(Tuple)", "(elim 4.0)", R"({"tuple":[]})"},
    {"(Tuple Integer Integer)", "(dup$2 4)", R"({"tuple":[4,4]})"},
    {"Bool", "(lt (abs (sub ($ranhashdoub 0) 0.4815004496193184)) 1e-15)", "true"},
    {"Bool", "(lt (abs (sub ($ranhashdoub 1) 0.7447711623842486)) 1e-15)", "true"},
    {"Bool", "(lt (abs (sub ($ranhashdoub 2) 0.2848453197336949)) 1e-15)", "true"},
    {"Bool", "(lt (abs (sub ($ranhashdoub 3) 0.4543757667987405)) 1e-15)", "true"},
    {"Bool", "(lt (abs (sub ($ranhashdoub 4) 0.0465506137039625)) 1e-15)", "true"},
    {"Bool", "(gte ($BENCH (lam (u : (Tuple)) 1.0)) 0.0)", "true"},
    {"Float", "($dummy Float)", "0.0"},
    {"Bool",
     "(lt ($check (lam (x : Float) (mul x x)) (lam (t : (Tuple Float Float)) (mul 2.0 (mul (get$1$2 t) (get$2$2 "
     "t)))) "
     "3.0 0.00001 1.0) 0.0001)",
     "true"},
    // linear maps
    {"Float", "(lmApply (lmZero 1.0 2.0) 5.0)", "0.0"},
    {"Float", "(lmApply (lmOne 1.0) 5.0)", "5.0"},
    {"Float", "(lmApplyR 5.0 (lmScale 1.0 3.0))", "15.0"},
    {"(Vec Float)", "(lmApply (lmScaleR (Vec_init 1.0 2.0)) 3.0)", "[3.0,6.0]"},
    {"Float", "(lmApplyR (Vec_init 3.0 4.0) (lmScaleR (Vec_init 1.0 2.0)))", "11.0"},
    {"Float", "(lmApply (lmDot (Vec_init 1.0 2.0)) (Vec_init 3.0 4.0))", "11.0"},
    {"(Vec Float)", "(lmApplyR 2.0 (lmDot (Vec_init 1.0 2.0)))", "[2.0,4.0]"},
    {"Float", "(lmApply (lmCompose (lmScale 1.0 2.0) (lmScale 1.0 3.0)) 1.0)", "6.0"},
    {"Float", "(lmApply (lmAdd (lmScale 1.0 2.0) (lmScale 1.0 3.0)) 1.0)", "5.0"},
    {"(Tuple Float Float)", "(lmApply (lmVCat (lmOne 1.0) (lmScale 1.0 2.0)) 4.0)", R"({"tuple":[4.0,8.0]})"},
    {"Float", "(lmApplyR (tuple 1.0 10.0) (lmVCat (lmOne 1.0) (lmScale 1.0 2.0)))", "21.0"},
    {"Float", "(lmApply (lmHCat (lmOne 1.0) (lmScale 1.0 2.0)) (tuple 1.0 10.0))", "21.0"},
    {"(Vec Float)", "(lmApply (lmVCatV (build 3 (lam (i : Integer) (lmScale 1.0 (to_float i))))) 2.0)",
     "[0.0,2.0,4.0]"},
    {"Float", "(lmApply (lmHCatV (build 3 (lam (i : Integer) (lmScale 1.0 (to_float i))))) (Vec_init 1.0 1.0 5.0))",
     "11.0"},
    // d/dx of folding x*e: FFold and RFold of the product of [2, 3] from 1
    {"Float",
     "(FFold (lam (t : (Tuple Float Float)) (mul (get$1$2 t) (get$2$2 t))) 1.0 (Vec_init 2.0 3.0) "
     "(lam (q : (Tuple (Tuple Float Float) (Tuple Float Float))) (add (mul (get$1$2 (get$2$2 q)) (get$2$2 (get$1$2 "
     "q))) "
     "(mul (get$1$2 (get$1$2 q)) (get$2$2 (get$2$2 q))))) 0.0 (Vec_init 1.0 0.0))",
     "3.0"},
    {"(Tuple (Tuple) (Tuple Float (Vec Float)))",
     "(RFold (tuple) (lam (t : (Tuple Float Float)) (mul (get$1$2 t) (get$2$2 t))) "
     "(lam (q : (Tuple (Tuple Float Float) Float)) (tuple (tuple) (tuple (mul (get$2$2 q) (get$2$2 (get$1$2 q))) "
     "(mul (get$2$2 q) (get$1$2 (get$1$2 q)))))) 1.0 (Vec_init 2.0 3.0) 1.0)",
     R"({"tuple":[{"tuple":[]},{"tuple":[6.0,[3.0,2.0]]}]})"},
    // the same with the elements kept, and with nothing but them: of twice the product, in parts and from a tuple that is computed
    {"(Tuple (Tuple) (Tuple Float (Vec Float)))",
     "(RFold (tuple) (lam (t : (Tuple Float Float)) (tuple (mul (get$1$2 t) (get$2$2 t)) (get$2$2 t))) "
     "(lam (q : (Tuple (Tuple Float Float) Float Float)) (tuple (tuple) (tuple (mul (get$2$3 q) (get$3$3 q)) "
     "(mul (get$2$3 q) (get$1$2 (get$1$3 q)))))) 1.0 (Vec_init 2.0 3.0) 1.0)",
     R"({"tuple":[{"tuple":[]},{"tuple":[6.0,[3.0,2.0]]}]})"},
    {"(Tuple Float (Tuple Float (Vec Float)))",
     "(RFold 0.5 (lam (t : (Tuple Float Float)) (let (y (mul 2.0 (get$2$2 t))) (let (r (tuple (mul (get$1$2 t) y) "
     "(tuple y (Vec_init (get$1$2 t))))) r))) (lam (q : (Tuple (Tuple Float Float) Float (Tuple Float (Vec Float)))) "
     "(let (dt (get$2$3 q)) (let (r (tuple (mul dt (index 0 (get$2$2 (get$3$3 q)))) (tuple (mul dt (get$1$2 (get$3$3 "
     "q))) (mul dt (mul 2.0 (index 0 (get$2$2 (get$3$3 q)))))))) r))) 1.0 (Vec_init 2.0 3.0) 1.0)",
     R"({"tuple":[10.5,{"tuple":[24.0,[12.0,8.0]]}]})"},
    {"(Tuple Float (Tuple Float (Vec Float)))",
     "(RFold 0.5 (lam (t : (Tuple Float Float)) (tuple (get$1$2 t) (get$2$2 t))) (lam (q : (Tuple (Tuple Float Float) "
     "Float Float)) (tuple (get$3$3 q) (tuple (get$2$3 q) 0.0))) 1.0 (build 0 (lam (i : Integer) 2.0)) 3.0)",
     R"({"tuple":[0.5,{"tuple":[3.0,[]]}]})"},
    // loops: to the bound, with an exit that leaves the state or changes it, and without a round
    {"(Tuple Integer Float)", "(loop 4 1.0 (lam (p : (Tuple Integer Float)) (tuple false (mul 2.0 (get$2$2 p)))))",
     R"({"tuple":[4,16.0]})"},
    {"(Tuple Integer Float)",
     "(loop 100 1.0 (lam (p : (Tuple Integer Float)) (if (gt (get$2$2 p) 10.0) (tuple true (get$2$2 p)) "
     "(tuple false (mul 2.0 (get$2$2 p))))))",
     R"({"tuple":[4,16.0]})"},
    {"(Tuple Integer Float)",
     "(loop 100 1.0 (lam (p : (Tuple Integer Float)) (let (w (mul 2.0 (get$2$2 p))) (tuple (gt w 10.0) w))))",
     R"({"tuple":[3,16.0]})"},
    {"(Tuple Integer Integer)",
     "(loop 3 0 (lam (p : (Tuple Integer Integer)) (tuple (eq (get$1$2 p) 2) (add (get$2$2 p) (get$1$2 p)))))",
     R"({"tuple":[2,3]})"},
    {"(Tuple Integer Float)", "(loop -2 7.0 (lam (p : (Tuple Integer Float)) (tuple true 0.0)))",
     R"({"tuple":[0,7.0]})"},
};

// SPDX-License-Identifier: GPL-3.0-or-later
// Folds whose steps compute what their derivatives keep, or what they must not keep.
#pragma once

#include <array>

namespace mitos::tests {

struct FoldProgram {
    const char* name;
    const char* text;  ///< the last function is f
    bool isKeeping;    ///< whether the derivative keeps values of the steps
};

inline constexpr std::array FoldPrograms{
    FoldProgram{"functions of Floats",
                "(def f Float ((v : Vec n Float) (w : Float)) (fold (lam (p : Tuple Float Float) (tanh (add (mul w "
                "(get$1$2 p)) (exp (get$2$2 p))))) 0.5 v))",
                true},
    FoldProgram{"a matrix times the state",
                "(def f (Vec n Float) ((w : Vec n (Vec n Float)) (x : Vec k (Vec n Float))) (fold (lam (p : Tuple (Vec "
                "Float) (Vec Float)) (build n (lam (i : Integer) (tanh (add (index i (get$2$2 p)) (dot (index i w) "
                "(get$1$2 p))))))) (constVec n 0.1) x))",
                true},
    FoldProgram{
        "sums without functions",
        "(def f (Vec n Float) ((w : Vec n (Vec n Float)) (s : Vec n Float)) (fold (lam (p : Tuple (Vec Float) "
        "Integer) (let (y (build n (lam (i : Integer) (sumbuild n (lam (j : Integer) (mul (index j (index i "
        "w)) (index j (get$1$2 p)))))))) (build n (lam (i : Integer) (mul (index i y) (index i y)))))) s (build "
        "3 (lam (i : Integer) i))))",
        true},
    FoldProgram{"gates",
                "(def f Float ((w : Vec n Float) (s : Tuple (Vec n Float) (Vec n Float)) (k : Integer)) (let (r (fold "
                "(lam (p : Tuple (Tuple (Vec Float) (Vec Float)) Integer) (let ((h (get$1$2 (get$1$2 p))) (cell (build "
                "n (lam (i : Integer) (let ((a (tanh (mul (index i w) (index i h)))) (b (div 1.0 (add 1.0 (exp (neg "
                "(index i h))))))) (add (mul a b) (index i (get$2$2 (get$1$2 p))))))))) (tuple (build n (lam (i : "
                "Integer) (mul (tanh (index i cell)) (index i w)))) cell))) s (build (if (gt k 0) 4 0) (lam (i : "
                "Integer) i)))) (dot (get$1$2 r) (get$2$2 r))))",
                true},
    FoldProgram{
        "a fold in the step of a fold",
        "(def f Float ((v : Vec n Float) (w : Vec k Float)) (fold (lam (p : Tuple Float Float) (add (get$1$2 p) "
        "(fold (lam (q : Tuple Float Float) (sin (add (get$1$2 q) (exp (mul (get$2$2 q) (get$2$2 p)))))) "
        "(get$1$2 p) w))) 0.25 v))",
        true},
    FoldProgram{
        "a fold in a build",
        "(def f (Vec Float) ((m : Vec k (Vec n Float)) (x : Float)) (build k (lam (j : Integer) (fold (lam (p : "
        "Tuple Float Float) (exp (sub (mul x (get$2$2 p)) (mul (get$1$2 p) (get$1$2 p))))) 0.5 (index j m)))))",
        true},
    FoldProgram{"sizes that depend on the iteration",
                "(def f (Vec n Float) ((v : Vec n Float) (x : Float)) (fold (lam (p : Tuple (Vec Float) Integer) (let "
                "(t (sumbuild (add 1 (get$2$2 p)) (lam (i : Integer) (exp (mul x (index i (get$1$2 p))))))) (build n "
                "(lam (i : Integer) (div (index i (get$1$2 p)) (add 1.0 t)))))) v (build n (lam (i : Integer) i))))",
                true},
    FoldProgram{
        "vectors of sizes that depend on the iteration",
        "(def f Float ((v : Vec n Float) (x : Float)) (fold (lam (p : Tuple Float Integer) (let (t (build (add "
        "1 (get$2$2 p)) (lam (i : Integer) (exp (mul (get$1$2 p) (index i v)))))) (add (mul x (get$1$2 p)) (mul "
        "0.1 (dot t t))))) 0.1 (build n (lam (i : Integer) i))))",
        false},
    FoldProgram{"a state that grows",
                "(def f Float ((v : Vec n Float) (x : Float)) (let (r (fold (lam (p : Tuple (Vec Float) Integer) (let "
                "((s (get$1$2 p)) (e (build (size s) (lam (i : Integer) (tanh (mul x (index i s))))))) (build (add 1 "
                "(size s)) (lam (i : Integer) (if (lt i (size s)) (mul (index i s) (index i e)) 0.5))))) v (build 3 "
                "(lam (i : Integer) i)))) (dot r r)))",
                true},
    FoldProgram{"vectors that are longer than the state",
                "(def f Float ((v : Vec n Float) (x : Float)) (fold (lam (p : Tuple Float Integer) (let (t (build n "
                "(lam (i : Integer) (exp (mul (get$1$2 p) (index i v)))))) (mul 0.1 (add x (dot t t))))) 0.1 (build 3 "
                "(lam (i : Integer) i))))",
                false},
    FoldProgram{
        "matrices that are larger than the state",
        "(def f (Vec n Float) ((w : Vec n (Vec m Float)) (s : Vec n Float)) (fold (lam (p : Tuple (Vec Float) "
        "Integer) (build n (lam (i : Integer) (mul 0.1 (sumbuild m (lam (j : Integer) (exp (mul (index j (index "
        "i w)) (index i (get$1$2 p)))))))))) s (build 3 (lam (i : Integer) i))))",
        false},
    FoldProgram{"products alone",
                "(def f Float ((v : Vec n Float) (x : Float)) (fold (lam (p : Tuple Float Float) (mul (get$1$2 p) (add "
                "x (get$2$2 p)))) 1.0 v))",
                false},
    FoldProgram{"elements that are vectors",
                "(def f Float ((m : Vec k (Vec n Float)) (x : Float)) (fold (lam (p : Tuple Float (Vec Float)) (let (e "
                "(build n (lam (i : Integer) (exp (mul (get$1$2 p) (index i (get$2$2 p))))))) (div (dot e (get$2$2 p)) "
                "(add x (dot e e))))) x m))",
                true},
    FoldProgram{
        "a state that is a matrix",
        "(def f (Vec n (Vec n Float)) (m : Vec n (Vec n Float)) (fold (lam (p : Tuple (Vec (Vec Float)) Float) "
        "(let (e (build n (lam (i : Integer) (build n (lam (j : Integer) (tanh (mul (get$2$2 p) (index j (index "
        "i (get$1$2 p)))))))))) (build n (lam (i : Integer) (build n (lam (j : Integer) (mul (index j (index i "
        "e)) (index i (index j e))))))))) m (Vec_init 0.5 2.0)))",
        true},
    FoldProgram{"a call",
                "(def r (Tuple Float Integer) ((x : Float) (k : Integer)) (if (lt k 1) (tuple x 2) (let (t (r (sin x) "
                "(sub k 1))) (tuple (mul 0.5 (mul x (get$1$2 t))) (get$2$2 t))))) (def f Float (v : Vec n Float) (fold "
                "(lam (p : Tuple Float Float) (let (t (r (get$2$2 p) 2)) (mul (add (get$1$2 p) (get$1$2 t)) (mul "
                "(get$1$2 t) (to_float (get$2$2 t)))))) 0.5 v))",
                true},
    FoldProgram{"a branch",
                "(def f Float ((v : Vec n Float) (x : Float)) (fold (lam (p : Tuple Float Float) (let (e (exp (mul x "
                "(get$2$2 p)))) (if (gt (get$1$2 p) 0.5) (mul e (get$1$2 p)) (sub (tanh (get$1$2 p)) e)))) 0.4 v))",
                true},
    FoldProgram{
        "a loop that ends early",
        "(def f Float (x : Float) (get$2$2 (loop 20 x (lam (p : Tuple Integer Float) (let (y (exp (mul 0.5 (sin "
        "(get$2$2 p))))) (if (gt (get$1$2 p) 3) (tuple true (get$2$2 p)) (tuple false y)))))))",
        true},
    FoldProgram{
        "a loop in the step of a fold",
        "(def f Float ((v : Vec n Float) (x : Float)) (fold (lam (p : Tuple Float Float) (let (r (get$2$2 (loop "
        "5 (get$1$2 p) (lam (q : Tuple Integer Float) (let (y (mul 0.5 (add x (mul (get$2$2 q) (get$2$2 q))))) "
        "(if (gt y 2.0) (tuple true (get$2$2 q)) (tuple false y))))))) (mul r (add r (get$2$2 p))))) 0.3 v))",
        true},
    FoldProgram{"short vectors",
                "(def f Float ((m : Vec k (Vec 2 Float)) (x : Float)) (let (r (fold (lam (p : Tuple (Vec Float) (Vec "
                "Float)) (build 2 (lam (i : Integer) (exp (sub (mul x (index i (get$2$2 p))) (dot (get$1$2 p) (get$1$2 "
                "p))))))) (constVec 2 0.5) m)) (mul (index 0 r) (index 1 r))))",
                true}};

}  // namespace mitos::tests

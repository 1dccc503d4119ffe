// SPDX-License-Identifier: GPL-3.0-or-later
// The matrix product that several tests write as C++.
#pragma once

namespace mitos::tests {

inline constexpr const char* Gemm = R"(
(def gemm (Vec n (Vec m Float))
  ((alpha : Float) (a : (Vec n (Vec l Float))) (b : (Vec l (Vec m Float))) (beta : Float) (c : (Vec n (Vec m Float))))
  (build n (lam (i : Integer) (build m (lam (j : Integer)
    (add (mul alpha (sumbuild l (lam (k : Integer) (mul (index k (index i a)) (index j (index k b))))))
         (mul beta (index j (index i c)))))))))
)";

}  // namespace mitos::tests

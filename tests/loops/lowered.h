// SPDX-License-Identifier: GPL-3.0-or-later
// Programs of ks in their loop form.
#pragma once

#include "core/dialects/dialects.h"
#include "core/ks/module.h"
#include "core/loops/lowering.h"

#include <QtTest/QTest>
#include <fmt/format.h>

#include <string>

namespace mitos::tests {

/// A program that was read and translated; invalid if that failed, which is a failed test.
struct Lowered {
    explicit Lowered(const std::string& text) : bank(dialects::makeRegistry()) {
        Result<ir::Program> read = ks::parseProgram(bank, "test.ks", text);
        QVERIFY2(read.ok(), read ? "" : read.error().render().c_str());
        program = *read;
        Result<loops::Program> lowered = loops::lower(bank, program);
        QVERIFY2(lowered.ok(), lowered ? "" : lowered.error().render().c_str());
        form = *std::move(lowered);
    }
    [[nodiscard]] const loops::Function& function() const { return form.functions.back(); }

    ir::TermBank bank;
    ir::Program program = {};
    loops::Program form = {};
};

/// The matrix product alpha a b + beta c.
inline constexpr const char* Gemm = R"(
(def gemm (Vec n (Vec m Float))
  ((alpha : Float) (a : (Vec n (Vec l Float))) (b : (Vec l (Vec m Float))) (beta : Float) (c : (Vec n (Vec m Float))))
  (build n (lam (i : Integer) (build m (lam (j : Integer)
    (add (mul alpha (sumbuild l (lam (k : Integer) (mul (index k (index i a)) (index j (index k b))))))
         (mul beta (index j (index i c)))))))))
)";

/// So many lets, each of which uses the one before; the last value uses all if `all`.
inline std::string chainOfLets(int count, bool all) {
    std::string lets;
    std::string before = "x";
    std::string last = "x";
    for (int i = 0; i < count; ++i) {
        lets += fmt::format("(let (v{} (add (sin {}) x)) ", i, before);
        before = fmt::format("v{}", i);
        last = all ? fmt::format("(add {} {})", before, last) : before;
    }
    const std::string closed(static_cast<std::size_t>(count), ')');
    return fmt::format("(def f Float (x : Float) {}{}{})", lets, last, closed);
}

}  // namespace mitos::tests

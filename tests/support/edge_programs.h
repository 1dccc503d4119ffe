// SPDX-License-Identifier: GPL-3.0-or-later
// Random programs whose loops look where their index is: at edges, at offsets that may be huge, and in between.
#pragma once

#include "core/base/random.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>

namespace mitos::tests {

namespace edge_programs {

inline std::string literal(Random& random) {
    constexpr std::array<std::int64_t, 6> Far{30,        -30,      std::int64_t{1} << 47U, -(std::int64_t{1} << 62U),
                                              INT64_MAX, INT64_MIN};
    return std::to_string(random.chance(0.1) ? Far[random.below(Far.size())] : random.integer(-2, 5));
}

/// The index plus or minus something.
inline std::string offset(Random& random, bool isInner) {
    switch (random.below(isInner ? 9 : 7)) {
        case 0: return "i";
        case 1: return fmt::format("(add i {})", literal(random));
        case 2: return "(sub i 1)";
        case 3: return fmt::format("(sub {} i)", literal(random));
        case 4: return "(sub (sub n 1) i)";
        case 5: return random.chance(0.3) ? "(add i a)" : "(sub i (div k 2))";
        case 6: return "(sub (add i k) n)";
        case 7: return "(sub i j)";
        default: return "(sub (add i (div k 2)) j)";
    }
}

inline std::string condition(Random& random, bool isInner, int depth = 0) {
    if (depth < 2 && random.chance(0.3)) {
        const std::string first = condition(random, isInner, depth + 1);
        if (random.chance(0.2)) return fmt::format("(not {})", first);
        return fmt::format("({} {} {})", random.chance(0.5) ? "and" : "or", first,
                           condition(random, isInner, depth + 1));
    }
    constexpr std::array Comparisons{"lt", "lte", "gt", "gte", "eq", "ne"};
    constexpr std::array Ends{"n", "k", "a", "0", "(sub n 1)", "(add n 1)", "(sub k 1)"};
    const char* const comparison = Comparisons[random.below(Comparisons.size())];
    const std::string left = offset(random, isInner);
    const std::string right = random.chance(0.4) ? literal(random) : Ends[random.below(Ends.size())];
    return random.chance(0.5) ? fmt::format("({} {} {})", comparison, left, right)
                              : fmt::format("({} {} {})", comparison, right, left);
}

/// The values at the right end of a step, and at the left one, where the step before has its right end, or another one.
inline std::string step(Random& random, bool isInner) {
    constexpr std::array Elements{"(index {0} v)", "(if (eq {0} (sub n 1)) 0.25 (index {0} v))",
                                  "(mul (index {0} v) (to_float {0}))"};
    constexpr std::array Before{"(sub i 1)", "(sub i 1)", "(add -1 i)", "(sub i 2)", "i"};
    const char* const element = Elements[random.below(Elements.size())];
    const char* const function = random.chance(0.5) ? "sqrt" : "exp";
    const char* const before = Before[random.below(Before.size())];
    const std::string left =
        random.chance(0.3) ? fmt::format("(index {} v)", before) : fmt::format(fmt::runtime(element), before);
    return fmt::format("(let ((right ({0} {1})) (left (if {2} 0.5 ({0} {3})))) (sub right (mul left right)))", function,
                       fmt::format(fmt::runtime(element), "i"),
                       random.chance(0.7) ? "(eq i 0)" : condition(random, isInner), left);
}

inline std::string value(Random& random, bool isInner) {
    switch (random.below(8)) {
        case 0:
        case 1:
            return fmt::format("(let ((o {}) (outside (or (gt 0 o) (gte o n)))) (if outside 0.0 (index o v)))",
                               offset(random, isInner));
        case 2:
            return fmt::format("(let (o {}) (if (and (gte o 0) (lt o n)) (mul 2.0 (index o v)) -0.0))",
                               offset(random, isInner));
        case 3: return "(if (eq i 0) 0.5 (index (sub i 1) v))";
        case 4: return "(if (eq i (sub n 1)) (index 0 v) (index (add i 1) v))";
        case 5: return step(random, isInner);
        case 6: return fmt::format("({} (index i v))", random.chance(0.5) ? "sqrt" : "abs");
        default:
            return fmt::format("(if {} (index i v) {})", condition(random, isInner),
                               random.chance(0.5) ? "(neg (index i v))" : "1.5");
    }
}

}  // namespace edge_programs

/// A program whose function `f` of two vectors and an Integer gives a number or a vector.
inline std::string programOfEdges(Random& random) {
    using edge_programs::value;
    const bool isInner = random.chance(0.5);
    const std::string first = value(random, isInner);
    const std::string second = value(random, isInner);
    const std::string factor = isInner ? "(index j w)" : "(index i v)";
    const std::string element = random.chance(0.4) ? fmt::format("(mul {} {})", first, factor)
                                                   : fmt::format("(add {} (mul {} {}))", first, second, factor);
    std::string body = fmt::format("(lam (i : Integer) {})", element);
    const bool isSum = random.chance(0.5);
    body = fmt::format("({} n {})", isSum ? "sumbuild" : "build", body);
    if (isInner) body = fmt::format("(sumbuild k (lam (j : Integer) {}))", body);
    return fmt::format("(def f {} ((v : Vec n Float) (w : Vec k Float) (a : Integer)) {})",
                       isSum ? "Float" : "(Vec Float)", body);
}

}  // namespace mitos::tests

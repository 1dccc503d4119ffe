// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/autodiff/internal/simplify.h"

#include "core/ir/binding.h"
#include "core/ks/operators.h"

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>

namespace mitos::autodiff {

using ir::CoreOp;
using ir::PayloadKind;
using ir::TermBank;
using ir::TermId;
using ks::Op;

namespace {

/// The summands of a sum that are looked at for one that can be joined with the next one, and the factors of a product.
constexpr int MostSummands = 8;
constexpr std::size_t MostFactors = 8;

class Simplifier {
public:
    Simplifier(TermBank& bank, std::span<const TermId> children) : m_bank(bank), m_children(children) {}

    /// Nothing if no rule applies.
    std::optional<TermId> apply(Op op) {
        switch (op) {
            case Op::TsAdd: return isFloat(0) ? make(Op::Add, {a(), b()}) : tangentSum();
            case Op::TsScale: return isFloat(1) ? make(Op::Mul, {a(), b()}) : scaled();
            case Op::TsDot: return isFloat(0) ? make(Op::Mul, {a(), b()}) : std::optional<TermId>();
            case Op::TsNeg: return isFloat(0) ? make(Op::Neg, {a()}) : tangentNegation();
            case Op::Add: return sum();
            case Op::Sub: return difference();
            case Op::Mul: return product();
            case Op::Neg: return negation();
            case Op::Pow: return integerAt(1) == 1 ? std::optional(a()) : std::nullopt;
            case Op::Eq: return equality();
            case Op::If: return choice();
            case Op::Size: return size();
            case Op::ToFloat: return toFloat();
            default: return std::nullopt;
        }
    }

    /// x for the tuple of all elements of x.
    std::optional<TermId> wholeTuple() {
        if (m_children.empty() || !m_bank.is(a(), CoreOp::Get)) return std::nullopt;
        const TermId whole = m_bank.child(a(), 0);
        for (std::uint32_t i = 0; i < m_children.size(); ++i) {
            const TermId part = m_children[i];
            const bool isElement = m_bank.is(part, CoreOp::Get) && m_bank.child(part, 0) == whole &&
                                   m_bank.payload(part).projectionIndex() == i;
            if (!isElement) return std::nullopt;
        }
        const bool isAll = m_bank.types().children(m_bank.type(whole)).size() == m_children.size();
        return isAll ? std::optional(whole) : std::nullopt;
    }

    std::optional<TermId> element(const ir::Payload& projection) {
        if (!m_bank.is(a(), CoreOp::Tuple)) return std::nullopt;
        return m_bank.child(a(), projection.projectionIndex());
    }

private:
    [[nodiscard]] TermId a() const { return m_children[0]; }
    [[nodiscard]] TermId b() const { return m_children[1]; }
    [[nodiscard]] bool isFloatTerm(TermId term) const { return m_bank.type(term) == m_bank.types().floating(); }
    [[nodiscard]] bool isFloat(std::size_t i) const { return isFloatTerm(m_children[i]); }

    std::optional<TermId> make(Op op, std::initializer_list<TermId> children) {
        const absl::InlinedVector<TermId, 4> list(children);
        const Result<TermId> made = m_bank.make(opId(op), list);
        if (!made) return std::nullopt;
        return simplified(m_bank, *made, list);
    }

    [[nodiscard]] std::optional<double> floatAt(std::size_t i) const { return floatOf(m_children[i]); }
    [[nodiscard]] std::optional<double> floatOf(TermId term) const {
        if (!m_bank.is(term, CoreOp::Literal) || m_bank.payload(term).kind() != PayloadKind::Float) return std::nullopt;
        return m_bank.payload(term).asFloat();
    }
    [[nodiscard]] std::optional<std::int64_t> integerAt(std::size_t i) const {
        const TermId term = m_children[i];
        if (!m_bank.is(term, CoreOp::Literal) || m_bank.payload(term).kind() != PayloadKind::Integer)
            return std::nullopt;
        return m_bank.payload(term).asInteger();
    }
    /// x if the child is (neg x).
    [[nodiscard]] std::optional<TermId> negated(std::size_t i) const {
        if (m_bank.op(m_children[i]) != opId(Op::Neg)) return std::nullopt;
        return m_bank.child(m_children[i], 0);
    }

    /// 2 x for x + x, and (r + s) x for r x + s x.
    std::optional<TermId> tangentSum() {
        if (a() == b()) return make(Op::TsScale, {m_bank.floating(2.0), a()});
        const bool areMultiples = m_bank.op(a()) == opId(Op::TsScale) && m_bank.op(b()) == opId(Op::TsScale) &&
                                  m_bank.child(a(), 1) == m_bank.child(b(), 1);
        if (!areMultiples) return std::nullopt;
        const std::optional<TermId> factor = make(Op::Add, {m_bank.child(a(), 0), m_bank.child(b(), 0)});
        return factor ? make(Op::TsScale, {*factor, m_bank.child(a(), 1)}) : std::nullopt;
    }

    std::optional<TermId> tangentNegation() {
        if (m_bank.op(a()) == opId(Op::TsNeg)) return m_bank.child(a(), 0);
        if (m_bank.op(a()) != opId(Op::TsScale)) return std::nullopt;
        const std::optional<TermId> factor = make(Op::Neg, {m_bank.child(a(), 0)});
        return factor ? make(Op::TsScale, {*factor, m_bank.child(a(), 1)}) : std::nullopt;
    }

    std::optional<TermId> scaled() {
        if (floatAt(0) == 1.0) return b();
        if (m_bank.op(b()) == opId(Op::TsNeg)) {
            const std::optional<TermId> factor = make(Op::Neg, {a()});
            return factor ? make(Op::TsScale, {*factor, m_bank.child(b(), 0)}) : std::nullopt;
        }
        if (m_bank.op(b()) != opId(Op::TsScale)) return std::nullopt;
        const std::optional<TermId> factor = make(Op::Mul, {a(), m_bank.child(b(), 0)});
        return factor ? make(Op::TsScale, {*factor, m_bank.child(b(), 1)}) : std::nullopt;
    }

    std::optional<TermId> sum() {
        if (isFloat(0) && isFloat(1)) {
            if (floatAt(0) == 0.0) return b();
            if (floatAt(1) == 0.0) return a();
            if (const auto x = negated(1)) return make(Op::Sub, {a(), *x});
            if (const auto x = negated(0)) return make(Op::Sub, {b(), *x});
            return joined(a(), b(), MostSummands);
        }
        if (integerAt(0) == 0) return b();
        if (integerAt(1) == 0) return a();
        return std::nullopt;
    }

    std::optional<TermId> difference() {
        if (isFloat(0) && isFloat(1)) {
            if (floatAt(1) == 0.0) return a();
            if (const auto x = negated(1)) return make(Op::Add, {a(), *x});
            return quotient(Op::Sub, a(), b());
        }
        const std::optional<std::int64_t> x = integerAt(0);
        const std::optional<std::int64_t> y = integerAt(1);
        constexpr std::int64_t Safe = 1'000'000;  // no overflow below
        if (x && y && *x<Safe&& * x> - Safe && *y<Safe&& * y> - Safe) return m_bank.integer(*x - *y);
        return y == 0 ? std::optional(a()) : std::nullopt;
    }

    std::optional<TermId> product() {
        if (!isFloat(0) || !isFloat(1)) return std::nullopt;
        if (floatAt(0) == 1.0) return b();
        if (floatAt(1) == 1.0) return a();
        if (floatAt(0) == -1.0) return make(Op::Neg, {b()});
        if (floatAt(1) == -1.0) return make(Op::Neg, {a()});
        if (const auto x = negated(0)) return negative(Op::Mul, *x, b());
        if (const auto x = negated(1)) return negative(Op::Mul, a(), *x);
        const Multiple inner = multipleOf(b());
        const bool isExact = isPowerOfTwo(floatAt(0).value_or(0.0)) || isPowerOfTwo(inner.factor);
        if (!floatAt(0) || inner.value == b() || !isExact) return std::nullopt;
        return make(Op::Mul, {m_bank.floating(*floatAt(0) * inner.factor), inner.value});
    }

    /// -(x op y).
    std::optional<TermId> negative(Op op, TermId x, TermId y) {
        const std::optional<TermId> positive = make(op, {x, y});
        return positive ? make(Op::Neg, {*positive}) : std::nullopt;
    }

    /// A Float as a number times a value.
    struct Multiple {
        double factor = 1.0;
        TermId value;
    };

    /// The factor is that at the left end of a product.
    Multiple multipleOf(TermId term, std::size_t mostFactors = MostFactors) {
        const bool isProduct = m_bank.op(term) == opId(Op::Mul) && isFloatTerm(m_bank.child(term, 0)) &&
                               isFloatTerm(m_bank.child(term, 1));
        if (!isProduct || mostFactors == 0) return {1.0, term};
        const TermId right = m_bank.child(term, 1);
        if (const std::optional<double> factor = floatOf(m_bank.child(term, 0))) return {*factor, right};
        const Multiple left = multipleOf(m_bank.child(term, 0), mostFactors - 1);
        if (left.value == m_bank.child(term, 0)) return {1.0, term};
        const std::optional<TermId> rest = make(Op::Mul, {left.value, right});
        return rest ? Multiple{left.factor, *rest} : Multiple{1.0, term};
    }

    [[nodiscard]] static bool isPowerOfTwo(double number) {
        int exponent = 0;
        constexpr double Half = 0.5;  // the fraction of a power of two
        return std::abs(std::frexp(number, &exponent)) == Half;
    }

    using Factors = absl::InlinedVector<TermId, 8>;

    void collectFactors(TermId term, Factors& factors) const {
        const bool isProduct = m_bank.op(term) == opId(Op::Mul) && isFloatTerm(m_bank.child(term, 0)) &&
                               isFloatTerm(m_bank.child(term, 1));
        if (!isProduct || factors.size() >= MostFactors) return factors.push_back(term);
        collectFactors(m_bank.child(term, 0), factors);
        collectFactors(m_bank.child(term, 1), factors);
    }

    /// Whether two terms are products of the same factors, in any order.
    [[nodiscard]] bool isSameProduct(TermId x, TermId y) const {
        if (x == y) return true;
        if (m_bank.op(x) != opId(Op::Mul) || m_bank.op(y) != opId(Op::Mul)) return false;
        if (m_bank.treeSize(x) != m_bank.treeSize(y)) return false;
        Factors left;
        Factors right;
        collectFactors(x, left);
        collectFactors(y, right);
        const auto number = [](TermId term) { return term.value; };
        std::ranges::sort(left, {}, number);
        std::ranges::sort(right, {}, number);
        return left == right;
    }

    /// x + y with an operation less: one multiple of what both are multiples of, or one quotient. A sum x joins y with one of its summands.
    std::optional<TermId> joined(TermId x, TermId y, int mostSummands) {
        const Multiple left = multipleOf(x);
        const Multiple right = multipleOf(y);
        if (!m_bank.is(left.value, CoreOp::Literal) && isSameProduct(left.value, right.value)) {
            return make(Op::Mul, {m_bank.floating(left.factor + right.factor), left.value});
        }
        if (const auto sum = quotient(Op::Add, x, y)) return sum;
        if (m_bank.op(x) != opId(Op::Add) || mostSummands == 0) return std::nullopt;
        if (const auto last = joined(m_bank.child(x, 1), y, 0)) return make(Op::Add, {m_bank.child(x, 0), *last});
        const auto rest = joined(m_bank.child(x, 0), y, mostSummands - 1);
        return rest ? make(Op::Add, {*rest, m_bank.child(x, 1)}) : std::nullopt;
    }

    /// The sum or difference of two quotients by one divisor, as one.
    std::optional<TermId> quotient(Op op, TermId x, TermId y) {
        const bool areQuotients = m_bank.op(x) == opId(Op::Div) && m_bank.op(y) == opId(Op::Div) &&
                                  isFloatTerm(m_bank.child(x, 0)) && isFloatTerm(m_bank.child(y, 0)) &&
                                  m_bank.child(x, 1) == m_bank.child(y, 1);
        if (!areQuotients) return std::nullopt;
        const std::optional<TermId> dividend = make(op, {m_bank.child(x, 0), m_bank.child(y, 0)});
        return dividend ? make(Op::Div, {*dividend, m_bank.child(x, 1)}) : std::nullopt;
    }

    std::optional<TermId> negation() {
        if (const auto x = negated(0)) return x;
        if (const std::optional<double> value = floatAt(0)) return m_bank.floating(-*value);
        return std::nullopt;
    }

    std::optional<TermId> equality() {
        const std::optional<std::int64_t> x = integerAt(0);
        const std::optional<std::int64_t> y = integerAt(1);
        if (x && y) return m_bank.boolean(*x == *y);
        return std::nullopt;
    }

    std::optional<TermId> choice() {
        if (m_bank.is(a(), CoreOp::Literal)) return m_bank.payload(a()).asBool() ? b() : m_children[2];
        const TermId otherwise = m_children[2];
        if (b() == otherwise) return b();
        return isZerosIfEmpty(a(), b(), otherwise) ? std::optional(b()) : std::nullopt;
    }

    /// Whether the choice is (if (gt n 0) (build n f) (constVec n 0.0)), whose branches agree where n is not positive.
    [[nodiscard]] bool isZerosIfEmpty(TermId condition, TermId build, TermId zeros) const {
        if (m_bank.op(condition) != opId(Op::Gt) || m_bank.op(build) != opId(Op::Build)) return false;
        if (m_bank.op(zeros) != opId(Op::ConstVec)) return false;
        const TermId bound = m_bank.child(condition, 1);
        const bool isPositive = m_bank.is(bound, CoreOp::Literal) && m_bank.payload(bound) == ir::Payload::integer(0);
        const TermId size = m_bank.child(condition, 0);
        return isPositive && m_bank.child(build, 0) == size && m_bank.child(zeros, 0) == size &&
               m_bank.is(m_bank.child(zeros, 1), CoreOp::Literal);
    }

    /// The size that (build n f) and (constVec n e) state.
    std::optional<TermId> size() {
        const bool isStated = m_bank.op(a()) == opId(Op::Build) || m_bank.op(a()) == opId(Op::ConstVec);
        return isStated ? std::optional(m_bank.child(a(), 0)) : std::nullopt;
    }

    std::optional<TermId> toFloat() {
        constexpr std::int64_t Exact = 1LL << 53U;
        const std::optional<std::int64_t> value = integerAt(0);
        if (!value || *value > Exact || *value < -Exact) return std::nullopt;
        return m_bank.floating(static_cast<double>(*value));
    }

    TermBank& m_bank;
    std::span<const TermId> m_children;
};

}  // namespace

TermId simplified(TermBank& bank, TermId term, std::span<const TermId> children) {
    Simplifier simplifier(bank, children);
    if (bank.is(term, CoreOp::Get)) {
        if (const auto element = simplifier.element(bank.payload(term))) return *element;
    } else if (bank.is(term, CoreOp::Tuple)) {
        if (const auto whole = simplifier.wholeTuple()) return *whole;
    } else if (const Op op = ks::ksOp(bank.op(term)); op != Op::Count) {
        if (const auto simpler = simplifier.apply(op)) return *simpler;
    }
    bool isSame = true;
    for (std::size_t i = 0; i < children.size(); ++i) isSame = isSame && bank.child(term, i) == children[i];
    return isSame ? term : *bank.withChildren(term, children);
}

}  // namespace mitos::autodiff

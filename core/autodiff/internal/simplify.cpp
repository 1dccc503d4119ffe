// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/autodiff/internal/simplify.h"

#include "core/ir/binding.h"
#include "core/ks/operators.h"

#include <absl/container/inlined_vector.h>

#include <initializer_list>
#include <optional>

namespace mitos::autodiff {

using ir::CoreOp;
using ir::PayloadKind;
using ir::TermBank;
using ir::TermId;
using ks::Op;

namespace {

class Simplifier {
public:
    Simplifier(TermBank& bank, std::span<const TermId> children) : m_bank(bank), m_children(children) {}

    /// Nothing if no rule applies.
    std::optional<TermId> apply(Op op) {
        switch (op) {
            case Op::TsAdd: return isFloat(0) ? make(Op::Add, {a(), b()}) : doubled();
            case Op::TsScale: return isFloat(1) ? make(Op::Mul, {a(), b()}) : scaled();
            case Op::TsDot: return isFloat(0) ? make(Op::Mul, {a(), b()}) : std::optional<TermId>();
            case Op::TsNeg: return isFloat(0) ? make(Op::Neg, {a()}) : std::optional<TermId>();
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
    [[nodiscard]] bool isFloat(std::size_t i) const { return m_bank.type(m_children[i]) == m_bank.types().floating(); }

    std::optional<TermId> make(Op op, std::initializer_list<TermId> children) {
        const absl::InlinedVector<TermId, 4> list(children);
        const Result<TermId> made = m_bank.make(opId(op), list);
        if (!made) return std::nullopt;
        return simplified(m_bank, *made, list);
    }

    [[nodiscard]] std::optional<double> floatAt(std::size_t i) const {
        const TermId term = m_children[i];
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

    /// 2 x for x + x.
    std::optional<TermId> doubled() {
        return a() == b() ? make(Op::TsScale, {m_bank.floating(2.0), a()}) : std::optional<TermId>();
    }

    std::optional<TermId> scaled() { return floatAt(0) == 1.0 ? std::optional(b()) : std::nullopt; }

    std::optional<TermId> sum() {
        if (isFloat(0) && isFloat(1)) {
            if (floatAt(0) == 0.0) return b();
            if (floatAt(1) == 0.0) return a();
            if (const auto x = negated(1)) return make(Op::Sub, {a(), *x});
        }
        if (integerAt(0) == 0) return b();
        if (integerAt(1) == 0) return a();
        return std::nullopt;
    }

    std::optional<TermId> difference() {
        if (isFloat(0) && isFloat(1)) {
            if (floatAt(1) == 0.0) return a();
            if (const auto x = negated(1)) return make(Op::Add, {a(), *x});
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
        return std::nullopt;
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

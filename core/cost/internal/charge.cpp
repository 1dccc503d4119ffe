// SPDX-License-Identifier: GPL-3.0-or-later
// The table of costs. core/cost/README.md shows the same table to readers; keep both consistent.
#include "core/cost/internal/charge.h"

#include "core/ks/operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

namespace mitos::cost {

using ir::CoreOp;
using ir::TermId;
using ks::Op;

namespace {

constexpr double LetCost = 0.1;
constexpr double TupleCost = 0.1;  // per element
constexpr double IfCost = 1.0;
constexpr double CheaperArm = 0.0001;  // of the cheaper arm's cost, so that progress there counts a little
constexpr double CallCost = 2.0;
constexpr double DefaultEdefCost = 7.0;

enum class Kind : std::uint8_t {
    Special,      ///< has a case of its own below
    Flat,         ///< amount
    PerElement,   ///< amount for each element of the larger operand, and M for a tensor or tuple
    PerArgument,  ///< amount for each child
    Allocates,    ///< M
    Logic,        ///< 1 or 0, depending on the profile
};

struct Row {
    Op op;
    Kind kind;
    double amount = 0.0;
};

constexpr std::array Rows{
    Row{Op::Add, Kind::PerElement, 1},
    Row{Op::Sub, Kind::PerElement, 1},
    Row{Op::Neg, Kind::PerElement, 1},
    Row{Op::Div, Kind::PerElement, 2},
    Row{Op::TsAdd, Kind::PerElement, 1},
    Row{Op::TsNeg, Kind::PerElement, 1},
    Row{Op::TsScale, Kind::PerElement, 2},
    Row{Op::Exp, Kind::PerElement, 4},
    // comparisons and choices
    Row{Op::Gt, Kind::Flat, 1},
    Row{Op::Lt, Kind::Flat, 1},
    Row{Op::Gte, Kind::Flat, 1},
    Row{Op::Lte, Kind::Flat, 1},
    Row{Op::Eq, Kind::Flat, 1},
    Row{Op::Ne, Kind::Flat, 1},
    Row{Op::And, Kind::Logic},
    Row{Op::Or, Kind::Logic},
    Row{Op::Not, Kind::Logic},
    Row{Op::Delta, Kind::Flat, 2},
    Row{Op::Abs, Kind::Flat, 1},
    // functions of Floats
    Row{Op::Log, Kind::Flat, 4},
    Row{Op::Sin, Kind::Flat, 4},
    Row{Op::Cos, Kind::Flat, 4},
    Row{Op::Tanh, Kind::Flat, 4},
    Row{Op::Cosh, Kind::Flat, 4},
    Row{Op::Sqrt, Kind::Flat, 4},
    Row{Op::Erf, Kind::Flat, 4},
    Row{Op::Lgamma, Kind::Flat, 4},
    Row{Op::Pow, Kind::Flat, 4},
    Row{Op::Ranhashdoub, Kind::Flat, 4},
    Row{Op::Mymul, Kind::Flat, 2},
    Row{Op::ToFloat, Kind::Flat, 1},
    Row{Op::BoolToFloat, Kind::Flat, 1},
    Row{Op::Pi, Kind::Flat, 0},
    // tensors
    Row{Op::Index, Kind::Flat, 1},
    Row{Op::Size, Kind::Flat, 1},
    Row{Op::Shape, Kind::Flat, 1},
    Row{Op::VecInit, Kind::Allocates},
    Row{Op::Unzip, Kind::Allocates},
    // effects and hints
    Row{Op::Print, Kind::Flat, 1},
    Row{Op::Trace, Kind::Flat, 1},
    Row{Op::Inline, Kind::Flat, 0},
    Row{Op::Copydown, Kind::Flat, 0},
    Row{Op::Elim, Kind::Flat, 0},
    // linear maps: objects that are constructed, not run
    Row{Op::LmZero, Kind::Flat, 1},
    Row{Op::LmOne, Kind::Flat, 1},
    Row{Op::LmScale, Kind::Flat, 1},
    Row{Op::LmScaleR, Kind::Flat, 1},
    Row{Op::LmDot, Kind::Flat, 1},
    Row{Op::LmCompose, Kind::Flat, 1},
    Row{Op::LmAdd, Kind::Flat, 1},
    Row{Op::LmVCat, Kind::PerArgument, 0.1},
    Row{Op::LmHCat, Kind::PerArgument, 0.1},
    Row{Op::LmVCatV, Kind::Allocates},
    Row{Op::LmHCatV, Kind::Allocates},
    Row{Op::LmApply, Kind::Flat, CallCost},
    Row{Op::LmApplyR, Kind::Flat, CallCost},
};

constexpr auto Table = [] {
    std::array<Row, static_cast<std::size_t>(Op::Count)> table{};
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = {static_cast<Op>(i), Kind::Special, 0.0};
    for (const Row& row : Rows) table[static_cast<std::size_t>(row.op)] = row;
    return table;
}();

std::string number(double value) { return fmt::format("{:.6g}", value); }

/// Sizes are at least 0, so an empty sum costs no additions.
double additions(double terms) { return std::max(terms - 1.0, 0.0); }

/// Charges one term; a class so that its functions share the arguments.
class Charger {
public:
    Charger(const ir::TermBank& bank, TermId term, const Profile& profile, std::span<const double> childCosts,
            const Facts& facts, std::string* reason)
        : m_bank(bank),
          m_term(term),
          m_profile(profile),
          m_childCosts(childCosts),
          m_facts(facts),
          m_reason(reason) {}

    Charge run() {
        for (std::size_t i = 0; i < m_childCosts.size(); ++i) {
            m_charge.times.push_back(isFunction(m_bank, m_bank.child(m_term, i)) ? 0.0 : 1.0);
        }
        if (m_bank.op(m_term).value < static_cast<std::uint32_t>(CoreOp::Count)) {
            core(static_cast<CoreOp>(m_bank.op(m_term).value));
        } else if (const Op op = ks::ksOp(m_bank.op(m_term)); op == Op::Count) {
            own(CallCost + DefaultEdefCost, "an operator without a cost of its own, as a call of an external function");
        } else {
            fromTable(Table[static_cast<std::size_t>(op)]);
        }
        return std::move(m_charge);
    }

private:
    template <typename... Args>
    void own(double cost, fmt::format_string<Args...> why, Args&&... args) {
        m_charge.own = cost;
        if (m_reason != nullptr) {
            *m_reason = fmt::format("{}: {}", m_bank.opName(m_term), fmt::format(why, std::forward<Args>(args)...));
        }
    }

    void core(CoreOp op) {
        switch (op) {
            case CoreOp::Literal:
            case CoreOp::Variable:
            case CoreOp::Bound:
            case CoreOp::Dummy: own(0.0, "0"); return;
            case CoreOp::Get: own(0.0, "0, an element is read where it stands"); return;
            case CoreOp::Lam:
                m_charge.times[0] = 1.0;
                own(0.0, "0, its body is charged where the function is used");
                return;
            case CoreOp::Let: own(LetCost, "{} for the binding", number(LetCost)); return;
            case CoreOp::Tuple:
                own(TupleCost * static_cast<double>(m_childCosts.size()), "{} × {} elements", number(TupleCost),
                    m_childCosts.size());
                return;
            case CoreOp::Call: call(); return;
            case CoreOp::Count: break;
        }
    }

    void call() {
        const ir::Function& function = m_bank.function(m_bank.payload(m_term).asFunction());
        if (!function.body.isValid()) {
            const double cost = function.declaredCost.value_or(DefaultEdefCost);
            own(CallCost + cost, "{} for the call + {} {}", number(CallCost), number(cost),
                function.declaredCost ? "that its file declares" : "for an external function");
        } else if (const std::optional<double> body = m_facts.calledBody()) {
            own(std::min(CallCost + *body, LargestCost), "{} for the call + {} for the body of {}", number(CallCost),
                number(*body), function.name);
        } else {
            own(CallCost, "{} for the call (recursive: the body is not charged again)", number(CallCost));
        }
    }

    void fromTable(const Row& row) {
        switch (row.kind) {
            case Kind::Special: special(row.op); return;
            case Kind::Flat: own(row.amount, "{}", number(row.amount)); return;
            case Kind::PerElement: perElement(row.amount); return;
            case Kind::PerArgument:
                own(row.amount * static_cast<double>(m_childCosts.size()), "{} × {} arguments", number(row.amount),
                    m_childCosts.size());
                return;
            case Kind::Allocates:
                own(m_profile.allocation, "{} for the allocation", number(m_profile.allocation));
                return;
            case Kind::Logic:
                if (m_profile.logicIsIf)
                    own(IfCost, "{}, as the `if` it stands for", number(IfCost));
                else
                    own(0.0, "0");
                return;
        }
    }

    void perElement(double amount) {
        double elements = 0.0;
        bool collection = false;
        for (std::size_t i = 0; i < m_childCosts.size(); ++i) {
            const ir::TypeId type = m_bank.type(m_bank.child(m_term, i));
            collection = collection || m_bank.types().isTensor(type) || m_bank.types().isTuple(type);
            elements = std::max(elements, m_facts.elements(i));
        }
        if (!collection || !m_profile.countsElements) {
            own(amount, "{}", number(amount));
        } else {
            own(amount * elements + m_profile.allocation, "{} × {} elements + {} for the allocation", number(amount),
                number(elements), number(m_profile.allocation));
        }
    }

    /// Charges a loop over the function in child `function`, whose cost counts `count` times.
    void loop(std::size_t function, double count, double cost, std::string_view what) {
        m_charge.times[function] = count;
        m_charge.own = cost;
        if (m_reason == nullptr) return;
        const std::string body = fmt::format("{} × {} for the body", number(count), number(m_childCosts[function]));
        *m_reason = what.empty() ? fmt::format("{}: {}, with {}", m_bank.opName(m_term), number(cost), body)
                                 : fmt::format("{}: {} {}, with {}", m_bank.opName(m_term), number(cost), what, body);
    }

    /// Charges a tensor that is filled without a loop of the program: each element costs 1.
    void filled(double elements) {
        if (!m_profile.countsElements) {
            own(m_profile.allocation, "{} for the allocation", number(m_profile.allocation));
        } else {
            own(m_profile.allocation + elements, "{} for the allocation + {} elements", number(m_profile.allocation),
                number(elements));
        }
    }

    /// A round costs at least as much as writing an element, so that constVec is never more expensive than the equivalent loop.
    void build() {
        const double rounds = m_facts.iterations(0);
        const double written = m_profile.countsElements ? rounds * std::max(1.0 - m_childCosts[1], 0.0) : 0.0;
        loop(1, rounds, m_profile.allocation + written,
             written > 0.0 ? "for the allocation and the elements" : "for the allocation");
    }

    void special(Op op) {
        const double m = m_profile.allocation;
        switch (op) {
            case Op::If: chargeIf(); return;
            case Op::Assert:
                if (m_profile.ignoresAssertCondition) m_charge.times[0] = 0.0;
                own(1.0, "{}", m_profile.ignoresAssertCondition ? "1, its condition is free" : "1");
                return;
            case Op::Mul: multiplication(); return;
            case Op::Max:
                if (m_childCosts.size() == 2)
                    own(1.0, "1");
                else
                    reduction("comparisons");
                return;
            case Op::Imax: reduction("comparisons"); return;
            case Op::Sum: reduction("additions"); return;
            case Op::Dot: product(m_facts.length(0)); return;
            case Op::TsDot: product(m_facts.elements(0)); return;
            case Op::Build: build(); return;
            case Op::ConstVec:
            case Op::DeltaVec: filled(m_facts.iterations(0)); return;
            case Op::Sumbuild: {
                const double count = m_facts.iterations(0);
                const double each = m_profile.countsElements ? m_facts.resultElements() : 1.0;
                loop(1, count, additions(count) * each, "for the additions");
                return;
            }
            case Op::Fold: loop(0, m_facts.length(2), 0.0, ""); return;
            case Op::Map:
            case Op::Map2: loop(0, m_facts.length(1), m, "for the allocation"); return;
            case Op::Diag: {
                const double rows = m_facts.iterations(0);
                const double columns = m_profile.countsElements ? m_facts.iterations(1) : 0.0;
                loop(2, rows, m + rows * (m + columns), "for the allocation of the rows and of their vector");
                return;
            }
            case Op::BuildFromSparse:
                loop(2, m_facts.iterations(1), m + m_facts.iterations(1), "for the allocation and an addition a round");
                return;
            case Op::BuildFromSparseTupled: {
                const double parts = static_cast<double>(m_bank.types().children(m_bank.type(m_term)).size());
                loop(2, m_facts.iterations(1), parts * (m + m_facts.iterations(1)),
                     "for the allocations and an addition a part a round");
                return;
            }
            case Op::Dup: {
                const auto copies = m_bank.types().children(m_bank.type(m_term)).size();
                own(TupleCost * static_cast<double>(copies), "{} × {} copies", number(TupleCost), copies);
                return;
            }
            case Op::Loop: loop(2, m_facts.iterations(0), 0.0, ""); return;
            case Op::Apply: loop(0, 1.0, CallCost, "for the call"); return;
            case Op::Bench: loop(0, 1.0, 0.0, ""); return;
            case Op::Check:
                loop(0, 2.0, 0.0, "");
                m_charge.times[1] = 1.0;
                return;
            case Op::LmFold:
            case Op::RFold:
                loop(1, m_facts.length(4), m, "for the intermediate states");
                m_charge.times[2] = m_facts.length(4);
                return;
            case Op::FFold:
                loop(0, m_facts.length(2), 0.0, "");
                m_charge.times[3] = m_facts.length(2);
                return;
            default: assert(false && "every operator has a row or a case"); return;
        }
    }

    void chargeIf() {
        if (const std::optional<bool> known = m_facts.truth(0)) {
            m_charge.times[0] = 0.0;
            m_charge.times[*known ? 2 : 1] = 0.0;
            own(0.0, "0, its condition is always {}", *known ? "true" : "false");
            return;
        }
        m_charge.times[m_childCosts[1] >= m_childCosts[2] ? 2 : 1] = CheaperArm;
        own(IfCost, "{}, with the more expensive arm and {} × the cheaper one", number(IfCost), CheaperArm);
    }

    void multiplication() {
        const ir::TypeTable& types = m_bank.types();
        const ir::TypeId left = m_bank.type(m_bank.child(m_term, 0));
        if (!types.isTensor(left) || !types.isTensor(m_bank.type(m_bank.child(m_term, 1)))) {
            perElement(2.0);
            return;
        }
        const double elements = m_facts.elements(0);
        const double rows = m_facts.resultElements();
        const double cost = std::max(3.0 * elements - rows, 0.0) + m_profile.allocation;
        own(cost, "3 × {} elements of the matrix - {} rows + {} for the allocation", number(elements), number(rows),
            number(m_profile.allocation));
    }

    void reduction(std::string_view what) {
        own(additions(m_facts.length(0)), "{} {}", number(additions(m_facts.length(0))), what);
    }

    void product(double elements) {
        own(2.0 * elements + additions(elements), "2 × {} products + {} additions", number(elements),
            number(additions(elements)));
    }

    const ir::TermBank& m_bank;
    TermId m_term;
    const Profile& m_profile;
    std::span<const double> m_childCosts;
    const Facts& m_facts;
    std::string* m_reason;
    Charge m_charge;
};

}  // namespace

bool isFunction(const ir::TermBank& bank, TermId term) {
    return bank.types().kind(bank.type(term)) == ir::TypeKind::Lambda;
}

double total(const Charge& charge, std::span<const double> childCosts) {
    double sum = charge.own;
    for (std::size_t i = 0; i < childCosts.size(); ++i) sum += charge.times[i] * childCosts[i];
    return std::min(sum, LargestCost);
}

Charge charge(const ir::TermBank& bank, TermId term, const Profile& profile, std::span<const double> childCosts,
              const Facts& facts, std::string* reason) {
    return Charger(bank, term, profile, childCosts, facts, reason).run();
}

}  // namespace mitos::cost

// SPDX-License-Identifier: GPL-3.0-or-later
// Rules written in C++: rewriting knows rules by their interface only, so these work as well as those of rule files.
#pragma once

#include "core/ks/operators.h"
#include "core/rules/rule.h"

#include <array>
#include <functional>

namespace mitos::test {

/// op(a, b) => whatever `make` makes of a and b, where `guard` holds.
class BinaryRule : public rules::DirectedRule {
public:
    using Make = std::function<Result<ir::TermId>(ir::TermBank&, ir::TermId, ir::TermId)>;
    using Guard = std::function<bool(const ir::TermBank&, ir::TermId, ir::TermId)>;

    BinaryRule(std::string name, ks::Op op, Make make, Guard guard = nullptr)
        : BinaryRule(std::move(name), ks::opId(op), std::move(make), std::move(guard)) {}
    BinaryRule(std::string name, ir::OpId op, Make make, Guard guard = nullptr)
        : m_roots{{.operators = {op}}},
          m_make(std::move(make)),
          m_guard(std::move(guard)) {
        m_rule.name = std::move(name);
    }

    [[nodiscard]] const rules::Rule& rule() const override { return m_rule; }
    [[nodiscard]] rules::Direction direction() const override { return rules::Direction::Forward; }
    [[nodiscard]] std::string name() const override { return m_rule.name; }
    [[nodiscard]] const std::vector<std::string>& variables() const override { return m_variables; }
    [[nodiscard]] std::span<const rules::RuleRoot> roots() const override { return m_roots; }

    void match(ir::TermBank& bank, ir::TermId subject,
               absl::FunctionRef<bool(const rules::Substitution&)> found) const override {
        ++m_matchCalls;
        if (bank.op(subject) != m_roots[0].operators[0]) return;
        const rules::Substitution s = substitution(bank.child(subject, 0), bank.child(subject, 1));
        if (guardHolds(bank, s)) found(s);
    }
    [[nodiscard]] Result<ir::TermId> apply(ir::TermBank& bank, const rules::Substitution& s,
                                           ir::TermId) const override {
        return m_make(bank, s.values[0].term, s.values[1].term);
    }
    [[nodiscard]] Result<ir::TermId> left(ir::TermBank& bank, const rules::Substitution& s) const override {
        if (s.values.size() != 2) return failure("two values are needed").error();
        const std::array children{s.values[0].term, s.values[1].term};
        return bank.make(m_roots[0].operators[0], children);
    }
    [[nodiscard]] Status isInstance(ir::TermBank& bank, const rules::Substitution& s,
                                    ir::TermId subject) const override {
        if (s.values.size() != 2) return failure("two values are needed");
        const Result<ir::TermId> instance = left(bank, s);
        if (!instance || *instance != subject) return failure("the left side is not the subterm there");
        if (!guardHolds(bank, s)) return failure("the side condition does not hold");
        return Success{};
    }

    [[nodiscard]] static rules::Substitution substitution(ir::TermId a, ir::TermId b) {
        rules::Substitution s;
        s.values.push_back({a, {}});
        s.values.push_back({b, {}});
        return s;
    }
    /// How often the matcher was asked.
    [[nodiscard]] int matchCalls() const { return m_matchCalls; }

private:
    static Status failure(std::string message) { return Error{ErrorCode::InvalidInput, std::move(message)}; }
    [[nodiscard]] bool guardHolds(const ir::TermBank& bank, const rules::Substitution& s) const {
        return !m_guard || m_guard(bank, s.values[0].term, s.values[1].term);
    }

    rules::Rule m_rule;
    std::vector<std::string> m_variables{"a", "b"};
    std::vector<rules::RuleRoot> m_roots;
    Make m_make;
    Guard m_guard;
    mutable int m_matchCalls = 0;
};

inline Result<ir::TermId> made(ir::TermBank& bank, ks::Op op, ir::TermId a, ir::TermId b) {
    const std::array children{a, b};
    return bank.make(ks::opId(op), children);
}

/// a + b => b + a
inline std::shared_ptr<const BinaryRule> commuteAdd() {
    return std::make_shared<BinaryRule>("commute_add", ks::Op::Add, [](ir::TermBank& bank, ir::TermId a, ir::TermId b) {
        return made(bank, ks::Op::Add, b, a);
    });
}

/// a * b => a  where b is the literal 1.0
inline std::shared_ptr<const BinaryRule> mulOne() {
    return std::make_shared<BinaryRule>(
        "mul_one", ks::Op::Mul, [](ir::TermBank&, ir::TermId a, ir::TermId) -> Result<ir::TermId> { return a; },
        [](const ir::TermBank& bank, ir::TermId, ir::TermId b) {
            return bank.is(b, ir::CoreOp::Literal) && bank.payload(b).kind() == ir::PayloadKind::Float &&
                   bank.payload(b).asFloat() == 1.0;
        });
}

}  // namespace mitos::test

// SPDX-License-Identifier: GPL-3.0-or-later
// Counts the resources that an evaluation uses, and defines the failures that end one. Private to core/eval.
#pragma once

#include "core/eval/evaluator.h"
#include "core/eval/real_watch.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace mitos::eval {

/// Thrown if a program fails; caught by evaluate(), which adds the place. Never leaves core/eval.
struct Failure {
    ErrorCode code = ErrorCode::Evaluation;
    std::string message;
    std::string hint = {};
};

[[noreturn]] inline void fail(std::string message, std::string hint = {}) {
    throw Failure{ErrorCode::Evaluation, std::move(message), std::move(hint)};
}

/// Fails for an operator that has no meaning here, for instance one declared in a rule file.
[[noreturn]] inline void failUnsupported(std::string_view operatorName) {
    throw Failure{ErrorCode::Unsupported, std::string(operatorName) + " cannot be evaluated"};
}

/// Steps and bytes of one evaluation. Compound values made through a meter are counted as long as they live.
class Meter {
public:
    explicit Meter(const Limits& limits);

    /// Throws Limit or Cancelled.
    void spend(std::uint64_t steps = 1) {
        m_steps += steps;
        if (m_steps >= m_nextCheck) check();
    }
    [[nodiscard]] std::uint64_t steps() const { return m_steps; }

    /// Passes the result of an operation on Floats through the watch, see RealWatch::made; unchanged without a watch.
    [[nodiscard]] double made(double result, double a, double b, bool isDefined, bool isZero,
                              bool isExact = false) const {
        return m_limits.watch == nullptr ? result : m_limits.watch->made(result, a, b, isDefined, isZero, isExact);
    }
    /// A number that is not rounded: a literal, or the negative of a number.
    [[nodiscard]] double exact(double number) const { return made(number, number, 0.0, true, number == 0.0, true); }
    [[nodiscard]] double sum(double a, double b) const {
        const double result = a + b;
        if (m_limits.watch == nullptr) return result;
        const double rest = result - a;
        return made(result, a, b, true, a == -b, (a - (result - rest)) + (b - rest) == 0.0);
    }
    [[nodiscard]] double product(double a, double b) const {
        const double result = a * b;
        if (m_limits.watch == nullptr) return result;
        return made(result, a, b, true, a == 0.0 || b == 0.0, std::fma(a, b, -result) == 0.0);
    }
    [[nodiscard]] double quotient(double a, double b) const {
        const double result = a / b;
        if (m_limits.watch == nullptr) return result;
        return made(result, a, b, b != 0.0, a == 0.0, std::fma(result, b, -a) == 0.0);
    }

    [[nodiscard]] Value tensor(TensorValue value);
    [[nodiscard]] Value tuple(TupleValue value);
    [[nodiscard]] Value pair(Value first, Value second);

    /// Counts the elements of a tensor under construction; releases them on destruction. Throws Limit if the limit does not allow them.
    class Reservation {
    public:
        Reservation(Meter& meter, std::uint64_t elements);
        ~Reservation();
        Reservation(const Reservation&) = delete;
        Reservation& operator=(const Reservation&) = delete;

    private:
        Meter& m_meter;
        std::int64_t m_bytes;
    };

private:
    using Counter = std::atomic<std::int64_t>;
    void check();
    void requireRoom(std::uint64_t bytes) const;

    const Limits& m_limits;
    std::uint64_t m_steps = 0;
    std::uint64_t m_nextCheck = 0;
    std::shared_ptr<Counter> m_live;  // shared with the values, which may outlive the evaluation
};

}  // namespace mitos::eval

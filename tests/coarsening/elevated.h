// SPDX-License-Identifier: GPL-3.0-or-later
// Programs, their symbolic forms and their values, for tests.
#pragma once

#include "core/coarsening/coarsen.h"
#include "core/coarsening/elevate.h"
#include "core/dialects/dialects.h"
#include "core/eval/evaluator.h"
#include "core/ks/module.h"

#include <QtTest/QTest>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mitos::tests {

/// The rules of elevation, loaded once.
inline const coarsening::ElevationRules& elevationRules() {
    static const coarsening::ElevationRules rules = *coarsening::ElevationRules::load(dialects::makeRegistry());
    return rules;
}

/// A program in a bank of its own.
class Elevated {
public:
    explicit Elevated(const std::string& text)
        : m_bank(std::make_unique<ir::TermBank>(elevationRules().book().registry())),
          m_program(*ks::parseProgram(*m_bank, "test.ks", text)) {}
    /// The function of that name; by default it is the last one.
    Elevated(const std::string& text, const std::string& function)
        : m_bank(std::make_unique<ir::TermBank>(elevationRules().book().registry())),
          m_program(*ks::selectProgram(*m_bank, *ks::parseModule(*m_bank, SourceText("test.ks", text)), function)) {}

    [[nodiscard]] ir::TermBank& bank() { return *m_bank; }
    [[nodiscard]] const ir::Program& program() const { return m_program; }
    [[nodiscard]] rewrite::Thread thread() { return coarsening::elevate(*m_bank, m_program, elevationRules()); }

    [[nodiscard]] std::string text(ir::TermId term) const {
        return ks::printTerm(*m_bank, term, {.width = 0, .compact = true});
    }
    /// The rules of a thread in order, without those that only move terms.
    [[nodiscard]] static std::vector<std::string> rulesOf(const rewrite::Thread& thread) {
        std::vector<std::string> names;
        for (const rewrite::Step& step : thread.steps) {
            if (step.name().starts_with("loop_") || step.name() == "geometric_sum") names.push_back(step.name());
        }
        return names;
    }

    /// The value of a function with this body at arguments in JSON; NaN if it fails.
    [[nodiscard]] double value(ir::FunctionId function, ir::TermId body, const std::vector<std::string>& arguments) {
        const std::optional<eval::Value> result = evaluated(function, body, arguments);
        return result ? result->asFloat() : NAN;
    }
    /// The vector that a function gives at arguments in JSON; empty if it fails.
    [[nodiscard]] std::vector<double> vector(ir::FunctionId function, const std::vector<std::string>& arguments) {
        const std::optional<eval::Value> result = evaluated(function, m_bank->function(function).body, arguments);
        std::vector<double> numbers;
        if (!result) return numbers;
        for (const eval::Value& element : result->asTensor().elements) numbers.push_back(element.asFloat());
        return numbers;
    }

private:
    std::optional<eval::Value> evaluated(ir::FunctionId function, ir::TermId body,
                                         const std::vector<std::string>& arguments) {
        eval::Inputs inputs;
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            Result<eval::Value> value =
                eval::valueFromJson(*m_bank, m_bank->function(function).parameters.at(i).type, arguments[i]);
            if (!value) return std::nullopt;
            inputs.arguments.push_back(*std::move(value));
        }
        const Result<eval::Evaluation> result = eval::evaluate(*m_bank, {function, body}, inputs);
        return result ? std::optional(result->value) : std::nullopt;
    }

    std::unique_ptr<ir::TermBank> m_bank;
    ir::Program m_program;
};

/// A loop over the indices below n, in a function of n, a Float a and a vector v.
inline std::string loopOf(const std::string& step, const std::string& start = "1.5") {
    return "(def f Float ((n : Integer) (a : Float) (v : (Vec Float))) (fold (lam (p : (Tuple Float Integer)) " + step +
           ") " + start + " (build n (lam (k : Integer) k))))";
}

}  // namespace mitos::tests

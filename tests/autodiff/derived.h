// SPDX-License-Identifier: GPL-3.0-or-later
// Programs with their derivatives, for tests.
#pragma once

#include "core/autodiff/check.h"
#include "core/autodiff/derivative.h"
#include "core/dialects/dialects.h"
#include "core/eval/evaluator.h"
#include "core/eval/samples.h"
#include "core/ks/module.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mitos::tests {

/// A program in a bank of its own, whose derivatives are made on demand.
class Derived {
public:
    explicit Derived(const std::string& text)
        : m_bank(std::make_unique<ir::TermBank>(dialects::makeRegistry())),
          m_program(ks::parseProgram(*m_bank, "test.ks", text)) {}

    [[nodiscard]] ir::TermBank& bank() { return *m_bank; }
    [[nodiscard]] const Result<ir::Program>& program() const { return m_program; }

    [[nodiscard]] Result<ir::FunctionId> derivative(autodiff::Direction direction,
                                                    autodiff::Form form = autodiff::Form::Scatter) {
        if (!m_program) return m_program.error();
        return autodiff::derive(*m_bank, direction, m_program->function, form);
    }

    /// The definition of the derivative on one line, or the error's message.
    [[nodiscard]] std::string text(autodiff::Direction direction, autodiff::Form form = autodiff::Form::Scatter) {
        const Result<ir::FunctionId> id = derivative(direction, form);
        if (!id) return id.error().message;
        return ks::printTerm(*m_bank, m_bank->function(*id).body, {.width = 0});
    }

    /// The value of the derivative at a point and a tangent, in JSON. Several arguments of the function are one tuple.
    [[nodiscard]] std::string value(autodiff::Direction direction, const std::string& point, const std::string& tangent,
                                    autodiff::Form form = autodiff::Form::Scatter) {
        const Result<ir::FunctionId> id = derivative(direction, form);
        if (!id) return id.error().message;
        const ir::Function& function = m_bank->function(*id);
        eval::Inputs inputs;
        for (std::size_t i = 0; i < 2; ++i) {
            Result<eval::Value> value =
                eval::valueFromJson(*m_bank, function.parameters[i].type, i == 0 ? point : tangent);
            if (!value) return "bad input: " + value.error().message;
            inputs.arguments.push_back(*std::move(value));
        }
        const Result<eval::Evaluation> result = eval::evaluate(*m_bank, {*id, function.body}, inputs);
        return result ? eval::toJson(result->value) : "error: " + result.error().message;
    }
    [[nodiscard]] std::string forward(const std::string& point, const std::string& tangent) {
        return value(autodiff::Direction::Forward, point, tangent);
    }
    [[nodiscard]] std::string reverse(const std::string& point, const std::string& tangent) {
        return value(autodiff::Direction::Reverse, point, tangent);
    }

    [[nodiscard]] Result<autodiff::CheckReport> check(autodiff::Form form = autodiff::Form::Scatter,
                                                      const autodiff::CheckOptions& options = {}) {
        MITOS_TRY(const ir::FunctionId forward, derivative(autodiff::Direction::Forward, form));
        MITOS_TRY(const ir::FunctionId reverse, derivative(autodiff::Direction::Reverse, form));
        return autodiff::check(*m_bank, {m_program->function, forward, reverse}, options);
    }

    /// The check of a gradient in chosen parameters: another function than the derivatives, with a verdict of its own.
    [[nodiscard]] Result<autodiff::CheckReport> checkGradient(ir::FunctionId gradient, std::vector<std::size_t> wrt) {
        MITOS_TRY(const ir::FunctionId forward, derivative(autodiff::Direction::Forward));
        MITOS_TRY(const ir::FunctionId reverse, derivative(autodiff::Direction::Reverse));
        return autodiff::check(*m_bank, {m_program->function, forward, reverse, gradient, std::move(wrt)}, {});
    }

    /// The value of a derivative at inputs of the function, for a tangent of ones.
    [[nodiscard]] Result<eval::Evaluation> at(ir::FunctionId derivative, const eval::Sample& sample,
                                              autodiff::Direction direction) {
        const ir::Function& function = m_bank->function(derivative);
        const auto tupled = [](const std::vector<eval::Value>& values) {
            return values.size() == 1 ? values[0] : eval::Value(eval::TupleValue{values});
        };
        eval::Value point = tupled(sample.inputs.arguments);
        eval::Value tangent = ones(direction == autodiff::Direction::Forward ? point : sample.expected);
        eval::Inputs inputs;
        if (function.parameters.size() == 1) {
            inputs.arguments = {tupled({std::move(point), std::move(tangent)})};
        } else {
            inputs.arguments = {std::move(point), std::move(tangent)};
        }
        return eval::evaluate(*m_bank, {derivative, function.body}, inputs, {.steps = 20'000'000});
    }

private:
    /// The tangent of a value whose Floats are all one.
    [[nodiscard]] static eval::Value ones(const eval::Value& value) {
        const auto all = [](std::vector<eval::Value> parts) {
            for (eval::Value& part : parts) part = ones(part);
            return parts;
        };
        if (value.isFloat()) return eval::Value(1.0);
        if (value.isTuple()) return eval::Value(eval::TupleValue{all(value.asTuple().elements)});
        if (value.isTensor()) {
            return eval::Value(eval::TensorValue{value.asTensor().dims, all(value.asTensor().elements)});
        }
        return {};
    }

    std::unique_ptr<ir::TermBank> m_bank;
    Result<ir::Program> m_program;
};

}  // namespace mitos::tests

// SPDX-License-Identifier: GPL-3.0-or-later
// Name lookup for a rule file: operators of the dialects in use, declared operators, classes of operators.
#pragma once

#include "core/ir/operator_registry.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::rules {

/// The infix sign of an operator, "+" of "add"; empty if it has none.
[[nodiscard]] std::string_view infixSign(std::string_view operatorName);

class Names {
public:
    explicit Names(const ir::OperatorRegistry& registry) : m_registry(&registry) {}

    /// Adds a dialect named by `use`. From then on, find() returns only core operators, declared ones and those of the dialects in use.
    void useDialect(std::string dialect) { m_dialects.insert(std::move(dialect)); }
    void setRegistry(const ir::OperatorRegistry& registry) { m_registry = &registry; }
    [[nodiscard]] const ir::OperatorRegistry& registry() const { return *m_registry; }

    /// The operator with a name, which may be an infix sign ("+") or the paper's spelling. Invalid if no operator in use has that name.
    [[nodiscard]] ir::OpId find(std::string_view name) const;
    /// Whether the operator belongs to a dialect that the file names with `use`.
    [[nodiscard]] bool uses(ir::OpId op) const { return m_dialects.contains(m_registry->info(op).dialect); }
    /// The hint for an error about an unknown operator: a similar name (possibly one of `others`), or the dialect that has the operator.
    [[nodiscard]] std::string hintFor(std::string_view name, const std::vector<std::string>& others = {}) const;
    [[nodiscard]] std::vector<std::string> dialects() const;

    void addClass(std::string name, std::vector<std::string> operators);
    [[nodiscard]] bool isClass(std::string_view name) const;
    /// The operators of a class, either declared with `class` or one of the built-in classes that the operators' traits define
    /// (pointwise, unary_pointwise, binary_pointwise, commutative, binder).
    [[nodiscard]] std::vector<std::string> classMembers(std::string_view name) const;
    [[nodiscard]] std::string classNames() const;

    /// Adds an analysis, which conditions ask for by its name, and the words that are its values.
    void addAnalysis(std::string name, const std::vector<std::string>& words);
    /// The number of the analysis with that name, in the order in which they were added.
    [[nodiscard]] std::optional<std::uint32_t> analysis(std::string_view name) const;
    [[nodiscard]] bool isAnalysisWord(std::string_view word) const { return m_analysisWords.contains(word); }

private:
    [[nodiscard]] bool inUse(const ir::OperatorInfo& info) const;

    const ir::OperatorRegistry* m_registry;
    std::set<std::string, std::less<>> m_dialects;
    std::vector<std::pair<std::string, std::vector<std::string>>> m_classes;
    std::vector<std::string> m_analyses;
    std::set<std::string, std::less<>> m_analysisWords;
};

}  // namespace mitos::rules

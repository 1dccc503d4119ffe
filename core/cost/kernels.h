// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels into which a runtime turns a tensor program: it computes several operators at once where it finds a group that it knows.
// Kernels are rules of the rule language: the left side is the group, the right side the operator that the runtime puts in its place.
#pragma once

#include "core/base/parameters.h"
#include "core/base/result.h"
#include "core/base/source_text.h"
#include "core/rules/rule.h"

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::cost {

/// A set of kernels that comes with the program (resources/kernels).
struct ShippedKernels {
    std::string_view name;
    std::string_view text;
};
[[nodiscard]] std::span<const ShippedKernels> shippedKernels();

/// The rules of a runtime, by the operator at the root of their left side.
class KernelTable {
public:
    explicit KernelTable(rules::RuleSet set);

    /// The rules that may match at a term of that operator, in file order.
    [[nodiscard]] std::span<const rules::DirectedRule* const> at(ir::OpId op) const;
    /// The rules with several roots, in file order, if all roots are the same operator; they are looked for at one common first operand.
    [[nodiscard]] std::span<const rules::DirectedRule* const> joint() const { return m_joint; }
    /// Whether the roots of such a rule are this operator.
    [[nodiscard]] bool isJoint(ir::OpId op) const;
    /// The most levels of a graph that the left side of a rule describes. Of a named pattern that uses itself, as for chains of operators, one
    /// round counts.
    [[nodiscard]] std::uint32_t levels() const { return m_levels; }

private:
    rules::RuleSet m_set;
    std::vector<const rules::DirectedRule*> m_joint;
    absl::flat_hash_map<ir::OpId, std::vector<const rules::DirectedRule*>> m_byOperator;
    std::vector<const rules::DirectedRule*> m_anywhere;  ///< rules that may match at any operator
    std::uint32_t m_levels = 0;
};

/// The kernels of a text of rules, which is loaded once for each registry. May be used from several threads.
class Kernels {
public:
    /// Null for "none". Fails if no kernels of that name come with the program and there is no such file.
    [[nodiscard]] static Result<std::shared_ptr<const Kernels>> find(const std::string& nameOrFile);

    /// Fails if no rule of the set is valid with these operators.
    [[nodiscard]] Result<std::shared_ptr<const KernelTable>> table(
        const std::shared_ptr<const ir::OperatorRegistry>& registry) const;
    [[nodiscard]] const std::string& name() const { return m_text.name(); }

private:
    explicit Kernels(SourceText text) : m_text(std::move(text)) {}

    using Loaded = std::pair<std::shared_ptr<const ir::OperatorRegistry>, Result<std::shared_ptr<const KernelTable>>>;
    SourceText m_text;
    mutable std::mutex m_mutex;
    mutable std::vector<Loaded> m_loaded;
};

/// The parameter `kernels` of cost models of tensor programs.
[[nodiscard]] ParameterInfo kernelsParameter();
/// As Kernels::find() for the value of that parameter.
[[nodiscard]] Result<std::shared_ptr<const Kernels>> kernelsOf(const ParameterValues& values);

}  // namespace mitos::cost

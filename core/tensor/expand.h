// SPDX-License-Identifier: GPL-3.0-or-later
// Expands operators that ONNX does not have into terms of ONNX's own operators. Each table entry defines its expansion
// (Operator::expand) with the maker below.
#pragma once

#include "core/tensor/operator.h"

#include <absl/functional/function_ref.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::tensor {

/// Makes terms from one another and records the first error, so that callers need not check each step.
class TermMaker {
public:
    using Setting = std::pair<std::string_view, AttributeValue>;

    /// All terms made get the hint.
    explicit TermMaker(ir::TermBank& bank, Symbol hint = {}) : m_bank(bank), m_hint(hint) {}

    /// Attributes that are not set have their defaults.
    ir::TermId node(std::string_view op, std::initializer_list<ir::TermId> inputs,
                    std::initializer_list<Setting> settings = {});
    ir::TermId node(std::string_view op, std::span<const ir::TermId> inputs,
                    std::initializer_list<Setting> settings = {});
    /// One output of a node with several outputs.
    ir::TermId output(ir::TermId node, std::uint32_t index);
    /// A scalar with the element type of `like`.
    ir::TermId scalar(double value, ir::TermId like) { return constant(value, {}, like); }
    ir::TermId constant(double value, const Shape& shape, ir::TermId like);
    /// The value of a term that constant() made; nothing for other terms.
    [[nodiscard]] std::optional<double> constantValue(ir::TermId term) const;
    /// The last two axes exchanged.
    ir::TermId transposed(ir::TermId matrices);
    [[nodiscard]] ArrayType type(ir::TermId term) const;
    /// The sizes of an array as the attribute `sizes` has them. Fails as tensor::sizeNames does.
    [[nodiscard]] Result<std::vector<std::string>> sizeNames(ir::TermId term) const;
    /// The number of a size; records an error if it is only a name.
    std::int64_t known(ir::Dimension dimension, std::string_view what);
    void fail(Error problem);
    [[nodiscard]] bool failed() const { return m_problem.has_value(); }
    [[nodiscard]] const ir::TermBank& bank() const { return m_bank; }

    /// The term, or the first error.
    [[nodiscard]] Result<ir::TermId> take(ir::TermId term) const;

private:
    ir::TermBank& m_bank;
    Symbol m_hint;
    std::optional<Error> m_problem;
};

/// Whether the operator is one of ONNX's own in TableOpset, and so in all opsets that are written.
[[nodiscard]] inline bool isStandard(const Operator& op) {
    return op.onnx.domain.empty() && op.onnx.since <= TableOpset;
}

/// The program with the operators that `isKept` rejects expanded, and those of their expansions too; the term itself if there are none. Between
/// expanded operators with the channels last, images are not reordered.
/// `isKept` is called for terms of table operators. Fails if an operator has no expansion, or none for sizes that have only names; the message
/// names it.
[[nodiscard]] Result<ir::TermId> expanded(ir::TermBank& bank, ir::TermId root,
                                          absl::FunctionRef<bool(ir::TermId)> isKept);

}  // namespace mitos::tensor

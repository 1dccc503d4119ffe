// SPDX-License-Identifier: GPL-3.0-or-later
// An application of a tensor operator by itself, as a runtime can run and time it: the key of measured times.
#pragma once

#include "core/base/result.h"
#include "core/cost/node_cost.h"
#include "core/cost/sizes.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::cost {

/// An input of an operation.
struct Operand {
    ir::Dtype dtype = ir::Dtype::F32;
    std::vector<std::int64_t> shape = {};
    bool isConstant = false;  ///< known before the program runs: runtimes pack such inputs in advance
    bool isAbsent = false;    ///< an optional input that is left out; the rest says nothing then

    friend auto operator<=>(const Operand&, const Operand&) = default;
};

struct Operation {
    std::string op;               ///< an operator of the tensor dialect
    std::string attributes = {};  ///< all of them, as tensor::Attributes::text() writes them
    std::vector<Operand> inputs = {};

    friend auto operator<=>(const Operation&, const Operation&) = default;
};

/// The operation that a node runs, for assumed sizes; none if nothing runs (a leaf, a tuple) or the operator is unknown.
[[nodiscard]] std::optional<Operation> operationOf(const Node& node, const AssumedSizes& sizes);

/// "f32[64,3,7,7] constant", "absent".
[[nodiscard]] std::string text(const Operand& operand);
[[nodiscard]] std::optional<Operand> operandFrom(std::string_view text);
/// For people: "Conv strides=[2,2] of f32[1,3,224,224], f32[64,3,7,7] constant"; attributes that change nothing, such as steps of 1, are left
/// out.
[[nodiscard]] std::string text(const Operation& operation);

/// The texts of an operation's parts, as files and requests have them.
struct OperationTexts {
    std::string op = {};
    std::vector<std::pair<std::string, std::string>> attributes = {};  ///< name and value
    std::vector<std::string> inputs = {};                              ///< as text(Operand) has them
};
/// All attributes are named, in the order of the operator's table entry.
[[nodiscard]] OperationTexts textsOf(const Operation& operation);
/// The inverse of textsOf(). Attributes that are left out have their defaults. Errors: an unknown operator or attribute, an attribute that
/// is named twice, has no value of its kind or is left out without a default, an input that is none, inputs that are too few or too
/// many.
[[nodiscard]] Result<Operation> operationFrom(const OperationTexts& texts);

/// Whether the operation moves nothing, so that cost models charge nothing for it.
[[nodiscard]] bool isView(const Operation& operation);

/// An operation of a program, and how many nodes of the program run it.
struct UsedOperation {
    Operation operation;
    std::uint32_t nodes = 0;
};
/// The operations that a program runs, each once, in an order that depends on the program alone.
[[nodiscard]] std::vector<UsedOperation> usedOperations(const ir::TermBank& bank, ir::TermId root,
                                                        const AssumedSizes& sizes);
[[nodiscard]] std::vector<Operation> operationsOf(const ir::TermBank& bank, ir::TermId root, const AssumedSizes& sizes);
/// How many nodes run with the program and are no operations, since their operator or the number of axes of an input is unknown.
[[nodiscard]] std::size_t nodesWithoutOperation(const ir::TermBank& bank, ir::TermId root);
/// The names of sizes in the types of a program's nodes; a computed one with those that it is computed from.
[[nodiscard]] std::set<std::string> sizeNamesIn(const ir::TermBank& bank, ir::TermId root);

}  // namespace mitos::cost

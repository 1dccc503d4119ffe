// SPDX-License-Identifier: GPL-3.0-or-later
// Tensor operators as data: signature, shape rule, evaluation, work and ONNX mapping of each stand in one table entry.
// Adding an operator means adding one entry (core/tensor/ops_*.cpp). Semantics are ONNX's at opset 17, with everything that
// ONNX leaves to defaults, to auto_pad or to constant inputs (axes, split sizes, shapes) explicit in attributes.
#pragma once

#include "core/base/result.h"
#include "core/ir/operator_registry.h"
#include "core/ir/term_bank.h"
#include "core/tensor/array.h"
#include "core/tensor/attributes.h"
#include "core/tensor/onnx_mapping.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::tensor {

struct InputInfo {
    enum class Kind : std::uint8_t {
        Required,
        Optional,  ///< left out at the end, or the operator `Absent` in the middle
        Variadic,  ///< the last: one or more
    };
    std::string name;
    Kind kind = Kind::Required;
};

/// The type of an input or output: what ir::TypeKind::Array holds, as a value.
struct ArrayType {
    ir::Dtype dtype = ir::Dtype::F32;
    bool hasRank = true;
    std::vector<ir::Dimension> dimensions = {};
    bool isAbsent = false;  ///< an optional input that is left out: no type at all

    /// Of an input that is left out. Nothing is known of it.
    static ArrayType absent() { return {.dtype = ir::Dtype::Unknown, .hasRank = false, .isAbsent = true}; }

    [[nodiscard]] std::size_t rank() const { return dimensions.size(); }
    /// Whether every dimension is a number.
    [[nodiscard]] bool isStatic() const;
    [[nodiscard]] Shape shape() const;  ///< of a static type
    friend bool operator==(const ArrayType&, const ArrayType&) = default;
};

[[nodiscard]] ArrayType arrayType(const ir::TypeTable& types, ir::TypeId type);
[[nodiscard]] ir::TypeId typeId(ir::TypeTable& types, const ArrayType& type);

/// What a shape rule sees. Optional inputs may be absent (isPresent).
struct ShapeInput {
    const Operator& op;
    const Attributes& attributes;
    std::span<const ArrayType> inputs;
    SymbolTable& symbols;  ///< to name computed sizes

    [[nodiscard]] bool isPresent(std::size_t input) const;
};
/// The types of all outputs. Errors say what was expected; inputs of unknown rank give outputs of unknown rank.
using ShapeRule = Result<std::vector<ArrayType>> (*)(const ShapeInput&);

/// Of one array, where nobody says otherwise; an element takes 8 bytes.
inline constexpr std::int64_t MostElements = std::int64_t{1} << 28U;

/// What evaluation sees: all shapes are numbers and have passed the shape rule.
struct EvaluateInput {
    const Attributes& attributes;
    std::span<const ArrayPtr> inputs;         ///< null: an optional input that is absent
    std::span<const ArrayType> outputs = {};  ///< what the shape rule says of these inputs
    /// Of an output whose size only the inputs' values say.
    std::int64_t maxElements = MostElements;
};
/// All outputs. Errors: what only values can show (an index out of range).
using Evaluate = Result<std::vector<ArrayPtr>> (*)(const EvaluateInput&);

/// What one application of an operator does, for cost models: from types alone.
struct Work {
    double flops = 0.0;      ///< a multiply-add is two
    double readBytes = 0.0;  ///< each input once
    double writtenBytes = 0.0;
    bool isView = false;  ///< no kernel at all: a reshape, a split along the outermost axis
};
using WorkRule = Work (*)(const ShapeInput&, std::span<const ArrayType> outputs);

/// What an application stands for, made of ONNX's own operators: a term of the same type (expand.h). The terms made get the
/// hint. Errors: not of these inputs (a size that must be a number is only a name).
using Expand = Result<ir::TermId> (*)(ir::TermBank& bank, std::span<const ir::TermId> inputs,
                                      const Attributes& attributes, Symbol hint);

/// One operator of the dialect.
struct Operator {
    std::string name;  ///< as programs and rules write it; ONNX's name where it is ONNX's operator
    std::string doc;   ///< one line
    std::vector<InputInfo> inputs;
    std::vector<AttributeInfo> attributes = {};
    ShapeRule shape = nullptr;
    Evaluate evaluate = nullptr;
    /// Null: every input read once, every output written once, one flop an output element.
    WorkRule work = nullptr;
    ir::OperatorTraits traits = {};
    OnnxMapping onnx = {};
    Expand expand = nullptr;  ///< of an operator that ONNX does not have

    [[nodiscard]] std::uint32_t minArity() const;
    [[nodiscard]] std::uint32_t maxArity() const;
};

/// All operators, in a fixed order. Null if there is none of that name.
[[nodiscard]] std::span<const Operator> operators();
[[nodiscard]] const Operator* findOperator(std::string_view name);

/// Adds the dialect to a registry: all of operators(), and the leaves below. A term of an operator with one output has an
/// Array type, else a tuple of them (use TermBank::get).
void addOperators(ir::OperatorRegistry& registry);

// --- leaves, and nodes nobody knows (no table entries: they compute nothing) ----------------------------------------

/// A weight: Payload Name, type stated (TermBank::stated). What it holds is in Weights, by that name.
inline constexpr std::string_view WeightName = "Weight";
/// An optional input that is not there. Its type is the empty tuple.
inline constexpr std::string_view AbsentName = "Absent";
/// An operator nobody knows: Payload Name "domain::OpType#key" (key: of its attributes, in the model's table), types stated.
inline constexpr std::string_view OpaqueName = "Opaque";

/// Makes the term of a table operator. Errors: arity, attributes or types that do not fit.
[[nodiscard]] Result<ir::TermId> make(ir::TermBank& bank, const Operator& op, std::span<const ir::TermId> inputs,
                                      const Attributes& attributes, Symbol hint = {});
/// The attributes of a term of a table operator.
[[nodiscard]] Attributes attributesOf(const ir::TermBank& bank, ir::TermId term);
/// The table operator of a term; null for leaves, opaque nodes and terms of other dialects.
[[nodiscard]] const Operator* operatorOf(const ir::TermBank& bank, ir::TermId term);

}  // namespace mitos::tensor

// SPDX-License-Identifier: GPL-3.0-or-later
// Tensor operators as data: one table entry has the signature, shape rule, evaluation, work and ONNX mapping of each.
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
        Optional,  ///< may be left out: dropped at the end, or the operator `Absent` in the middle
        Variadic,  ///< the last input, one or more times
    };
    std::string name;
    Kind kind = Kind::Required;
};

/// The type of an input or output: the contents of an ir::TypeKind::Array, as a value.
struct ArrayType {
    ir::Dtype dtype = ir::Dtype::F32;
    bool hasRank = true;
    std::vector<ir::Dimension> dimensions = {};
    bool isAbsent = false;  ///< an optional input that is left out and so has no type

    /// The type of an input that is left out. Element type and rank are unknown.
    static ArrayType absent() { return {.dtype = ir::Dtype::Unknown, .hasRank = false, .isAbsent = true}; }

    [[nodiscard]] std::size_t rank() const { return dimensions.size(); }
    /// Whether every dimension is a number.
    [[nodiscard]] bool isStatic() const;
    [[nodiscard]] Shape shape() const;  ///< requires a static type
    friend bool operator==(const ArrayType&, const ArrayType&) = default;
};

[[nodiscard]] ArrayType arrayType(const ir::TypeTable& types, ir::TypeId type);
[[nodiscard]] ir::TypeId typeId(ir::TypeTable& types, const ArrayType& type);

/// The arguments of a shape rule. Optional inputs may be absent (isPresent).
struct ShapeInput {
    const Operator& op;
    const Attributes& attributes;
    std::span<const ArrayType> inputs;
    SymbolTable& symbols;  ///< for the names of computed sizes

    [[nodiscard]] bool isPresent(std::size_t input) const;
};
/// Returns the types of all outputs. Errors state what was expected; inputs of unknown rank give outputs of unknown rank.
using ShapeRule = Result<std::vector<ArrayType>> (*)(const ShapeInput&);

/// The default limit on the elements of one array; an element takes 8 bytes.
inline constexpr std::int64_t MostElements = std::int64_t{1} << 28U;

/// The arguments of an evaluation: all shapes are numbers and have passed the shape rule.
struct EvaluateInput {
    const Attributes& attributes;
    std::span<const ArrayPtr> inputs;         ///< null for an optional input that is absent
    std::span<const ArrayType> outputs = {};  ///< the result of the shape rule for these inputs
    /// The most elements of an output whose size depends on input values.
    std::int64_t maxElements = MostElements;
};
/// Returns all outputs. Fails on errors that only values show (an index out of range).
using Evaluate = Result<std::vector<ArrayPtr>> (*)(const EvaluateInput&);

/// The work of one application of an operator, derived from types alone, for cost models.
struct Work {
    double flops = 0.0;      ///< a multiply-add is two
    double readBytes = 0.0;  ///< each input counts once
    double writtenBytes = 0.0;
    bool isView = false;  ///< whether no kernel runs: a reshape, a split along the outermost axis
};
using WorkRule = Work (*)(const ShapeInput&, std::span<const ArrayType> outputs);

/// Expands an application into ONNX's own operators: returns a term of the same type (expand.h). The terms made get the
/// hint. Fails if these inputs cannot be expanded (a size that must be a number is only a name).
using Expand = Result<ir::TermId> (*)(ir::TermBank& bank, std::span<const ir::TermId> inputs,
                                      const Attributes& attributes, Symbol hint);

struct GradientInput;
/// Makes the cotangents of an operator's inputs from those of its outputs (gradient.h): a term of each input's type. Those of inputs that
/// are not wanted, or on which the outputs do not depend, are invalid. Errors go to the maker.
using Gradient = std::vector<ir::TermId> (*)(const GradientInput&);

/// How an operator is differentiated (reverse mode). Without any of these, it has the derivative of its expansion; without that,
/// none is known.
struct OperatorGradient {
    Gradient rule = nullptr;
    Expand instead = nullptr;  ///< makes a term of the same value that is differentiated instead
    bool isZero = false;       ///< the results do not change, or change in jumps only
};

/// One operator of the dialect.
struct Operator {
    std::string name;  ///< the name in programs and rules; ONNX's name if it is an operator of ONNX
    std::string doc;   ///< one line
    std::vector<InputInfo> inputs;
    std::vector<AttributeInfo> attributes = {};
    ShapeRule shape = nullptr;
    Evaluate evaluate = nullptr;
    /// Null if every input is read once, every output written once, and each output element takes one flop.
    WorkRule work = nullptr;
    ir::OperatorTraits traits = {};
    OnnxMapping onnx = {};
    Expand expand = nullptr;  ///< set for an operator that ONNX does not have in TableOpset
    OperatorGradient gradient = {};
    ir::OperatorFacts facts = {};  ///< the range of the elements; without a rule it is not known

    [[nodiscard]] std::uint32_t minArity() const;
    [[nodiscard]] std::uint32_t maxArity() const;
};

/// All operators, in a fixed order. findOperator returns null if there is none of that name.
[[nodiscard]] std::span<const Operator> operators();
[[nodiscard]] const Operator* findOperator(std::string_view name);

/// The name of the dialect.
inline constexpr std::string_view DialectName = "tensor";

/// Adds all of operators() to a registry, and the leaves below. A term of an operator with one output has an
/// Array type, else a tuple of them (use TermBank::get).
void addOperators(ir::OperatorRegistry& registry);

// --- leaves, and nodes of unknown operators (no table entries: they compute nothing) --------------------------------

/// A weight: its payload is its name, its type is stated (TermBank::stated). Weights holds its elements under that name.
inline constexpr std::string_view WeightName = "Weight";
/// An optional input that is left out. Its type is the empty tuple.
inline constexpr std::string_view AbsentName = "Absent";
/// An unknown operator: its payload is the name "domain::OpType#key" (the key identifies its attributes in the model's table), its
/// types are stated.
inline constexpr std::string_view OpaqueName = "Opaque";

/// Makes the term of a table operator. Fails if arity, attributes or types do not fit.
[[nodiscard]] Result<ir::TermId> make(ir::TermBank& bank, const Operator& op, std::span<const ir::TermId> inputs,
                                      const Attributes& attributes, Symbol hint = {});
/// The attributes of a term of a table operator.
[[nodiscard]] Attributes attributesOf(const ir::TermBank& bank, ir::TermId term);
/// The table operator of a term; null for leaves, opaque nodes and terms of other dialects.
[[nodiscard]] const Operator* operatorOf(const ir::TermBank& bank, ir::TermId term);

}  // namespace mitos::tensor

// SPDX-License-Identifier: GPL-3.0-or-later
// Operators as data. Every dialect registers its operators in one registry; no code here depends on a dialect.
#pragma once

#include "core/base/result.h"
#include "core/ir/ids.h"
#include "core/ir/payload.h"
#include "core/ir/truth.h"
#include "core/ir/type_table.h"

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::eval {
class Value;
}

namespace mitos::ir {

struct Dialect;

/// Whether an operator applies the function in child 1 to each index below child 0.
enum class Iterates : std::uint8_t {
    No,
    Maybe,        ///< for no index, too
    AtLeastOnce,  ///< fails for no index
};

/// Facts about an operator that rewriting, search and printing may use.
struct OperatorTraits {
    bool commutative = false;  ///< op(a, b) = op(b, a)
    bool mayFail = false;      ///< can fail at run time on well-typed arguments (index, div on Integers, assert, …)
    bool effectful = false;    ///< prints or measures: must not be removed or duplicated silently
    bool pointwise = false;    ///< works on scalars element by element
    bool chooses = false;      ///< evaluates child 1 if child 0 is true, else child 2
    Iterates iterates = Iterates::No;
    int divisor = -1;           ///< the operand that must not be zero; -1 if there is none
    Truth truth = Truth::None;  ///< what a result that is true or false says about the operands
};

struct OperatorInfo;

/// The input of a type rule: the payload and the (erased) types of the children.
struct TypeRuleInput {
    TypeTable& types;
    const Payload& payload;
    std::span<const TypeId> children;
    const OperatorInfo& op;
};

/// Returns the result type, or an error whose message states what was expected. The caller adds the place to the error.
using TypeRule = Result<TypeId> (*)(const TypeRuleInput&);

/// Computes the value of an application from the values of its children, which have the types of the type rule.
using EvaluateOperator = Result<eval::Value> (*)(std::span<const eval::Value> arguments);

/// The derivative of an operator, as data for core/autodiff. Texts are terms of the operator's dialect, in which a, b, c, … are the
/// operands, r is the result and d is a tangent.
struct OperatorDerivative {
    enum class Kind : std::uint8_t {
        Undefined,   ///< no derivative is known: a program that differentiates the operator is refused
        Constant,    ///< the derivative is zero in every operand
        Texts,       ///< given by `cases`; pointwise operators without a matching case are differentiated part by part
        Structural,  ///< binds variables or moves data; core/autodiff has a rule for it
    };
    /// The part of one operand, linear in d. Empty texts: the result is constant in this operand.
    struct Part {
        std::string forward;  ///< the tangent of the result that is due to this operand, whose tangent is d
        std::string reverse;  ///< the tangent of this operand if that of the result is d
    };
    struct Case {
        /// The operands' types, a letter each: F Float, I Integer, V tuples and tensors of Floats, M (Tensor 2 Float), * any type.
        std::string operands;
        std::vector<Part> parts;
        std::string expansion = {};  ///< if not empty, a term of the same value that is differentiated instead
    };

    Kind kind = Kind::Undefined;
    std::vector<Case> cases = {};
    std::string helpers = {};  ///< definitions of functions that the texts call
};

struct FactInput;
struct OperationFacts;

/// The transfer rule of an operator (fact_rule.h). It must be sound: what it returns holds for every evaluation.
using FactRule = OperationFacts (*)(const FactInput&);
/// What the operator passes to the function in its child `child`; functions have no results yet.
using ArgumentRule = ValueId (*)(const FactInput&, std::size_t child);

/// The operator's part in the analyses of terms (core/facts). Without a rule nothing is known: the result may be anything of its type, an
/// application may fail and be undefined, and functions get any argument.
struct OperatorFacts {
    FactRule rule = nullptr;
    ArgumentRule argument = nullptr;
};

struct OperatorInfo {
    static constexpr std::uint32_t Variadic = std::numeric_limits<std::uint32_t>::max();
    static constexpr int BindsNothing = -1;

    std::string name;     ///< as written in programs and rules
    std::string dialect;  ///< "core", "ks", "tensor", or "user" for operators declared in a rule file
    std::uint32_t minArity = 0;
    std::uint32_t maxArity = 0;
    PayloadKind payload = PayloadKind::None;  ///< kind of the payload of every term (literals: any)
    int bindingChild = BindsNothing;          ///< the child in which one variable is bound (let: 1, lam: 0)
    TypeRule typeRule = nullptr;  ///< null if the builder states the type (variables, literals, TermBank::stated)
    OperatorTraits traits;
    std::string doc;  ///< one line, shown in tooltips
    /// Names of the attributes (payload Attributes), in the order in which terms keep their values.
    std::vector<std::string> attributes = {};
    /// Null for operators that the evaluators of core/eval know (those of ks and tensor), and for those without a value.
    EvaluateOperator evaluate = nullptr;
    OperatorDerivative derivative = {};
    OperatorFacts facts = {};
};

/// Operators shared by all dialects. They are the first operators of every registry, in this order.
enum class CoreOp : std::uint32_t {
    Literal,   ///< payload Integer, Float, Bool or String
    Variable,  ///< free variable: a parameter of the program, or the name of a size
    Bound,     ///< bound variable, de Bruijn index
    Let,       ///< let x = child 0 in child 1
    Lam,       ///< \x. child 0; payload: type of x
    Tuple,     ///< tuple of all children
    Get,       ///< element of the tuple in child 0
    Call,      ///< call of a defined or external function; the children are its arguments, one per parameter
    Dummy,     ///< arbitrary value of the payload's type
    Count,
};

[[nodiscard]] constexpr OpId opId(CoreOp op) { return OpId(static_cast<std::uint32_t>(op)); }

/// Append-only; ids are dense. To add operators, copy a registry and extend the copy: existing ids stay the same.
class OperatorRegistry {
public:
    /// A registry that holds the CoreOps.
    OperatorRegistry();

    /// Fails if the name is taken.
    Result<OpId> add(OperatorInfo info);
    /// Adds a dialect and its operators, whose names must be new.
    void addDialect(Dialect dialect);
    [[nodiscard]] std::span<const std::shared_ptr<const Dialect>> dialects() const { return m_dialects; }
    /// Returns null if no dialect has that name.
    [[nodiscard]] const Dialect* findDialect(std::string_view name) const;
    [[nodiscard]] const OperatorInfo& info(OpId id) const { return m_infos[id.value]; }
    /// Returns an invalid id if no operator has that name.
    [[nodiscard]] OpId find(std::string_view name) const;
    [[nodiscard]] std::size_t size() const { return m_infos.size(); }
    /// The same on every run, since it depends only on the name.
    [[nodiscard]] std::uint64_t hash(OpId id) const { return m_hashes[id.value]; }

private:
    std::vector<OperatorInfo> m_infos;
    std::vector<std::uint64_t> m_hashes;
    std::vector<std::shared_ptr<const Dialect>> m_dialects;
    absl::flat_hash_map<std::string, OpId> m_byName;
};

}  // namespace mitos::ir

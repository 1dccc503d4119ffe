// SPDX-License-Identifier: GPL-3.0-or-later
// Rules after checking: flat nodes with resolved names. The matcher, the instantiator and the typing read this form.
#pragma once

#include "core/base/source_text.h"
#include "core/ir/ids.h"
#include "core/ir/payload.h"
#include "core/ir/term_bank.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mitos::rules {

/// Index of a variable of a directed rule: the position of its value in a Substitution.
using VarIndex = std::uint16_t;
constexpr VarIndex NoVar = 0xFFFF;
/// ~c matches Floats within this of c, relative to the larger of 1 and |c|.
constexpr double ApproximateTolerance = 1e-6;
/// Limit on nested unfoldings of named patterns: deeper ones do not match (PyPM 3.5 leaves open how to treat patterns that never end).
constexpr std::uint32_t MaxUnfoldDepth = 300;

enum class VarKind : std::uint8_t {
    Term,       ///< a subterm
    Function,   ///< F in F(x); only the operator, payload and hint of its value count
    Sequence,   ///< a...
    Binder,     ///< a bound variable of the pattern; its value is a free variable that carries its name and type
    Attribute,  ///< value of an attribute; an Integer literal
    Choices,  ///< choices that the variables do not determine, in matching order: alternates taken, literals matched by
              ///< numbers like 1 and ~1.41, attributes not mentioned, local and bound variables of named patterns
};

/// The place where the value of a name is stored.
enum class Owner : std::uint8_t {
    Rule,       ///< a variable of the rule, by VarIndex
    Parameter,  ///< a parameter of the named pattern, by its number: the argument at the use of the pattern
    Local,      ///< a local variable of the alternate, by its number: a fresh one in each unfolding
};

struct Variable {
    std::string name;
    VarKind kind = VarKind::Term;
    /// For terms and sequences: the bound variables that the value may mention, outermost first. A Function variable among them
    /// denotes the variable that the function's operator binds; it is omitted if the operator binds none.
    std::vector<VarIndex> context = {};
};

/// A type written in a rule: Float, Vec(Float), Tensor(2, Float), Tuple(Float, Integer).
struct TypeSpec {
    ir::TypeKind kind = ir::TypeKind::Float;
    std::uint32_t rank = 1;
    std::vector<TypeSpec> children;

    [[nodiscard]] ir::TypeId in(ir::TypeTable& types) const;
};

enum class NodeKind : std::uint8_t {
    Variable,    ///< var
    Bound,       ///< reference to the bound variable var
    Literal,     ///< the literal with exactly this payload
    Text,        ///< the string literal `name`
    Number,      ///< the Integer or the Float of that value; on the right side, of the type that fits
    Approx,      ///< a Float equal to value within rounding
    Apply,       ///< op(children); binder: the variable it binds; var: the attribute variable of get
    Function,    ///< var(children); a local or a parameter of the named pattern: number `index` of `owner`
    Sequence,    ///< var, which stands for any number of arguments
    Expand,      ///< the child, repeated for every element of the sequences in it
    Unfold,      ///< the named pattern number `index` over arguments
    Parameter,   ///< parameter number `index` of the named pattern
    Local,       ///< local variable number `index` of the alternate
    AnyLiteral,  ///< an attribute that the pattern does not mention: recorded, so that the term can be built again
    Substitute,  ///< child 0 with the bound variable `binder` replaced by child 1
    Const,       ///< the literal that condition number `index` computes
    Inline,      ///< right side: the term that replaces the call in child 0 (ir/inline_call.h)
    Default,     ///< right side: an attribute that is not mentioned; the literal whose text is `name`
};

struct Node {
    NodeKind kind = NodeKind::Variable;
    Owner owner = Owner::Rule;  ///< Function
    bool isDeclared = false;    ///< Apply: an operator of a rule file; also matches calls of a function of that name
    bool isOfArrays = false;    ///< Apply: an operator over arrays; no fixed list covers their types (typing.h)
    VarIndex var = NoVar;
    VarIndex binder = NoVar;
    /// Apply: the operator. Number, Approx, Const: the operator of constant arrays (array_operators.h) if an array may stand here, in
    /// which case the node matches or builds such an array; otherwise invalid.
    ir::OpId op = {};
    std::uint32_t index = 0;
    std::uint32_t firstChild = 0;
    std::uint32_t childCount = 0;
    ir::Payload payload = {};
    double value = 0.0;
    std::string name = {};                  ///< Text: the string; a binder: its name as written
    std::vector<TypeSpec> binderType = {};  ///< a lambda: the annotated type, if any
    /// Apply of an operator with attributes: one node for each, matched against the literal of the attribute's value.
    std::vector<std::uint32_t> attributes = {};
    SourceSpan span = {};
};

enum class ConditionKind : std::uint8_t {
    And,
    Or,
    Not,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Negate,
    Apply,      ///< a function of Floats by name: log, exp, sqrt, …
    Constant,   ///< number or Boolean
    Word,       ///< an operator name or a dtype name
    Type,       ///< a type
    Value,      ///< the literal that is the value of var
    Attribute,  ///< an attribute of var (or of parameter `index`)
    Mentions,   ///< the bound variable `binder` occurs in var
    MemberOf,   ///< the operator of var is one of `words`
    List,       ///< the list of `elements`
    Element,  ///< element `right` of the list `left`, from the end if negative; a list of elements if `right` is a list
    Slice,    ///< a slice of the list `left`, from the first of `elements` to before the second (to the end if absent)
    ListCall,  ///< `function` applied to `elements`
};

/// Functions over lists (shapes, attributes such as pads) that conditions can call.
enum class ListFunction : std::uint8_t {
    Length,
    Sum,
    Product,
    Least,
    Largest,
    Concat,     ///< the concatenation of any number of lists
    All,        ///< whether all elements of the list equal the number
    Contains,   ///< whether some element of the list equals the number
    Position,   ///< the index of the first element of the list that equals the number; nothing if there is none
    Repeat,     ///< a list that repeats a number a given number of times
    Range,      ///< 0, 1, … below a number
    Inverse,    ///< the inverse of a permutation
    Sizes,      ///< the sizes of the elements of the sequence `var` along an axis
    Broadcast,  ///< the shape to which two shapes broadcast
};

enum class Attribute : std::uint8_t {
    Type,
    Dtype,
    Rank,
    IsConst,
    IsVar,
    IsLet,
    IsLambda,
    IsTuple,
    IsScalar,
    HasEffects,
    IsTotal,
    IsZero,
    HasOneShape,  ///< its sizes do not depend on variables that the pattern binds around it
    Value,
    Length,
    Nodes,
    Op,
    Arity,
    Binds,
    MayFail,
    Effectful,
    Commutative,
    Pointwise,
    Shape,       ///< the shape of an array, as a list
    IsStatic,    ///< every size of the array is a number
    IsFloating,  ///< the term is an array of floating-point numbers
    IsWeight,    ///< the term contains no variable, so its value is known before the program runs
    IsPositive,  ///< this and the next four: properties of a term's numbers that facts::Analysis can show
    IsNonnegative,
    IsNonzero,
    IsNegative,
    IsNonpositive,
    Analysis,  ///< the value that an analysis of the file gives the term
};

struct ConditionNode {
    ConditionKind kind = ConditionKind::Constant;
    Attribute attribute = Attribute::Type;
    Owner owner = Owner::Rule;  ///< of `var`
    bool isInteger = false;     ///< Constant
    bool isBoolean = false;     ///< Constant
    VarIndex var = NoVar;
    VarIndex binder = NoVar;
    std::uint32_t left = 0;  ///< children
    std::uint32_t right = 0;
    std::int64_t integer = 0;
    double number = 0.0;
    std::uint32_t analysis = 0;  ///< Attribute::Analysis: a number in CompiledRule::analyses
    std::string text;            ///< Word, Apply
    TypeSpec type;
    std::vector<std::string> words;
    ListFunction function = ListFunction::Length;  ///< ListCall
    std::vector<std::uint32_t> elements;           ///< List, Slice, ListCall
    SourceSpan span;
};

constexpr std::uint32_t NoNode = 0xFFFFFFFF;

/// The nodes and conditions of one scope of names.
struct NodeTable {
    std::vector<Node> nodes;
    std::vector<std::uint32_t> children;
    std::vector<ConditionNode> conditions;

    [[nodiscard]] const Node& child(const Node& node, std::size_t i) const {
        return nodes[children[node.firstChild + i]];
    }
};

/// A match constraint x <= P: the value of x must match P (PyPM 2.3).
struct CompiledConstraint {
    std::uint32_t subject = NoNode;  ///< a Variable, Parameter or Local
    std::uint32_t pattern = NoNode;
    SourceSpan span;
};

/// A local variable of an alternate: every unfolding has its own instance, which must be bound at the end (PyPM 2.3).
struct LocalVariable {
    std::string name;
    bool isFunction = false;
    /// The bound variables of the alternate that its value may mention, besides those in scope at the use of the pattern.
    std::vector<VarIndex> context;
};

/// One way to unfold a named pattern.
struct Alternate {
    NodeTable table;
    std::uint32_t root = NoNode;
    std::vector<CompiledConstraint> constraints;  ///< checked in this order, after the body
    std::uint32_t guard = NoNode;                 ///< checked after the constraints
    std::vector<LocalVariable> locals;
    SourceSpan span;       ///< from `pattern` to the end of the alternate
    SourceSpan guardSpan;  ///< of the condition
};

struct NamedPattern {
    std::string name;
    std::vector<std::string> parameters;
    std::vector<bool> isFunction;  ///< by parameter: used as F(…)
    /// By parameter: whether a guard or a match constraint refers to it, directly or through another named pattern, so that its
    /// term must be recorded even if the argument at a use is a pattern.
    std::vector<bool> isTracked;
    std::vector<Alternate> alternates = {};
    bool usable = true;              ///< false if one of its alternates has an error
    std::vector<bool> isBound = {};  ///< by parameter: every match of every alternate binds it
};

/// The named patterns of a file; all its rules share this table.
struct PatternTable {
    std::vector<NamedPattern> patterns;
    std::shared_ptr<const SourceText> source;  ///< the text that the spans of their nodes refer to
};

struct CompiledAnalysis;  // compiled_analysis.h
/// The analyses that the conditions of a file may ask for; all its rules share this table.
using AnalysisTable = std::vector<std::shared_ptr<const CompiledAnalysis>>;

struct CompiledBranch {
    std::uint32_t root = NoNode;
    std::uint32_t condition = NoNode;
};

/// One direction of a rule.
struct CompiledRule {
    /// First the variables with a value in a substitution (valueCount of them), then those bound on the right side only.
    std::vector<Variable> variables;
    std::size_t valueCount = 0;
    VarIndex choices = NoVar;
    NodeTable table;
    std::uint32_t left = NoNode;
    std::vector<CompiledConstraint> constraints;  ///< checked in this order, after the left side
    std::uint32_t guard = NoNode;                 ///< checked after the constraints
    std::vector<VarIndex> locals;                 ///< variables declared `local`, which must be bound at the end
    std::vector<CompiledBranch> branches;
    std::shared_ptr<const PatternTable> patterns;
    std::shared_ptr<const AnalysisTable> analyses;  ///< null: none
    /// Of a rule that an analysis implies: a term whose value is known equals that constant. Null for all other rules.
    std::shared_ptr<const CompiledAnalysis> folds;
    std::shared_ptr<const SourceText> source;  ///< the text that the spans of the nodes of `table` refer to
    SourceSpan guardSpan;                      ///< of the condition
    std::vector<ir::OpId> rootOperators;
    /// Whether conditions about signs also hold if they can be neither shown nor refuted; assumptions() lists those that were assumed.
    bool allowsAssumptions = false;
};

}  // namespace mitos::rules

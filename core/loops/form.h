// SPDX-License-Identifier: GPL-3.0-or-later
// The loop form: functions of loops, places and assignments, between terms of ks and the text of a language like C++. Values only: a
// function owns its symbols and expressions, which are known by their ids in it.
#pragma once

#include "core/base/strong_id.h"
#include "core/ir/ids.h"
#include "core/ir/value_range.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace mitos::loops {

using SymbolId = StrongId<struct LoopSymbolTag>;          ///< into Function::symbols
using ExpressionId = StrongId<struct LoopExpressionTag>;  ///< into Function::expressions
using FunctionIndex = StrongId<struct LoopFunctionTag>;   ///< into Program::functions

/// How the value of a symbol is kept.
enum class Storage : std::uint8_t {
    Parameter,  ///< of the function; what is no scalar is not copied
    Argument,   ///< of a function value
    Constant,   ///< a scalar that is set once
    Variable,   ///< has its own storage, and may change
    View,       ///< another name for a place that is only read
    Place,      ///< another name for a place that is written
    Table,      ///< a vector of a few scalars of a fixed number, set once
    Series,     ///< a vector with an element of the symbol's type for each iteration of a loop
    Index,      ///< of a loop
    Function,   ///< a function value
    Clock,      ///< a point in time
    Kept        ///< a Float that is computed although nothing reads it
};

struct SymbolInfo {
    std::string hint;  ///< the name in the program, or a word for what it is
    std::string name;  ///< an identifier of C++ that no other symbol has where this one is visible
    ir::TypeId type;   ///< of ks; of a series that of its elements; invalid for clocks
    Storage storage = Storage::Variable;
    bool isNameless =
        false;  ///< the program has no name for it; what is put there, or a copy of it, may have a better one
};

enum class ExpressionKind : std::uint8_t {
    Literal,   ///< payload: a number, a truth value or a text
    Name,      ///< payload: the symbol
    Element,   ///< operands: a vector (of vectors) or tensor, and indices; payload: whether they are checked
    Part,      ///< operand: a tuple; payload: which part, from 0
    Elements,  ///< operand: a tensor of rank 2 or more; all its elements as one vector, the last dimension fastest
    Unary,     ///< payload: Operator
    Binary,    ///< payload: Operator
    Choice,    ///< operands: a condition, the value if it holds, the value if not; only that one is computed
    Call,      ///< payload: the function; operands: its arguments
    Apply,     ///< operands: a function value, its argument
    Run,       ///< payload: Operation
    Tuple,     ///< operands: its parts
    Vector,    ///< operands: its elements
    Filled,  ///< a vector or tensor; operands: a size for each dimension or Sizes, then the element if payload is true (else zeros)
    Empty,  ///< the value of the type that has no elements: zeros for its numbers, vectors of size 0
    Convert,  ///< the operand as a value of the type: a Float of an Integer, an Integer of 64 bits of a literal, a copy of a place
    Move  ///< the value of a place that is not used afterwards
};

enum class Operator : std::uint8_t {
    Negate,
    Not,
    Add,
    Sub,
    Mul,
    Div,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Or
};

/// Functions of a runtime library. Numbers and vectors here are values of ks types; operands are in the order of the comments.
enum class Operation : std::uint8_t {
    // Integers that may be too large for the machine, and wrap
    Plus,
    Minus,
    Times,
    Quotient,
    Clamp,  ///< an Integer, the least and the largest one that it may be
    // Floats
    Exp,
    Log,
    Sin,
    Cos,
    Tanh,
    Cosh,
    Sqrt,
    Erf,
    Lgamma,
    Abs,
    Pow,
    Max,  ///< the first operand, unless the second is larger
    // numbers, part by part of tuples and vectors
    AddParts,
    SubParts,
    MulParts,
    DivParts,
    AddTangent,    ///< a value, a tangent
    ScaleTangent,  ///< a Float, a tangent
    Dot,           ///< two tangents
    ToTangent,
    MatrixTimesVector,
    ExpParts,
    // vectors and tensors
    Size,         ///< the number of elements of a vector
    Sizes,        ///< all sizes of a vector or tensor, to be compared or for another one
    Dimension,    ///< a tensor; the number of the dimension is the expression's `number`
    SizeIfAny,    ///< vectors, a size: 0 if one of the vectors is empty
    AsSize,       ///< an Integer that may be negative, which is an error
    Shape,        ///< the sizes of a value that its type does not tell
    ZeroLike,     ///< a value of the same shape
    ZeroOf,       ///< a shape
    Sum,          ///< of all elements of a vector, which is not empty
    PlaceOfMax,   ///< of the first largest element of a vector
    Unzip,        ///< a vector or tensor of tuples
    DeltaVector,  ///< a size, an index, the element
    DeltaTensor,  ///< the sizes, the indices, the element
    // others
    Copy,       ///< a scalar; tells compilers that comparing two equal texts is intended
    HashToUnit  ///< an Integer; a fixed random Float
};

struct Expression {
    using Payload =
        std::variant<std::monostate, bool, std::int64_t, double, Symbol, SymbolId, FunctionIndex, Operator, Operation>;

    ExpressionKind kind = ExpressionKind::Literal;
    ir::TypeId type = {};  ///< of ks; invalid for AsSize and Sizes
    Payload payload = {};
    std::vector<ExpressionId> operands = {};
    ir::TypeId told = {};       ///< of an operation: a type that is named explicitly, since the operands do not tell it
    std::uint32_t number = 0;   ///< of Dimension
    ir::ValueRange range = {};  ///< of an Integer
};

struct Statement;

/// Symbols that are declared in a block are visible to its end.
struct Block {
    // Defined where statements, which contain blocks, are complete. Thousands of nested blocks are destroyed without recursion.
    Block();
    Block(const Block& other);
    Block(Block&& other) noexcept;
    Block& operator=(const Block& other);
    Block& operator=(Block&& other) noexcept;
    ~Block();

    [[nodiscard]] bool isEmpty() const;

    std::vector<Statement> statements;
};

/// A symbol with the value, or with none yet if that is invalid: scalars are not set then.
struct Declare {
    SymbolId symbol;
    ExpressionId value = {};
    bool mayBeUnused = false;
    bool isConstructed = false;  ///< the value is Filled or a Tuple, and made in place
    bool isOverwritten = false;  ///< the loop that follows sets every element, so zeros are not needed
};

struct Assign {
    ExpressionId place;
    ExpressionId value;
};

/// Gives a vector or tensor in a place these sizes (one for each dimension, or Sizes of another one).
struct Resize {
    ExpressionId place;
    std::vector<ExpressionId> sizes;
    bool isOverwritten = false;  ///< as of Declare; else all numbers are zeros
};

/// Adds each number of a value to that of a place, or subtracts it. A call of a function with a sum (Function) does so itself.
struct Accumulate {
    ExpressionId place;
    ExpressionId value;
    bool isDifference = false;  ///< of a Float only
    bool isByParts = false;     ///< written as a call even if it is one number
};

/// Adds to each element of a matrix the products of the elements of a row of `left` and of a column of `right`, one after the other. Matrices
/// are vectors of rows, which are at least so long. Nothing is read if one of the sizes is 0.
struct AddProduct {
    ExpressionId place;
    ExpressionId left;
    ExpressionId right;
    ExpressionId rows;               ///< of the place and of `left`
    ExpressionId terms;              ///< the number of products of an element
    ExpressionId columns;            ///< of the place and of `right`
    bool isLeftTransposed = false;   ///< its columns are meant instead of its rows
    bool isRightTransposed = false;  ///< its rows are meant instead of its columns
};

/// Sets each number of a vector in a place to zero; sizes stay.
struct Clear {
    ExpressionId place;
};

/// Iterations from begin to end (without it), or backwards from the last to begin.
struct For {
    SymbolId index;
    ExpressionId begin = {};  ///< invalid: 0
    ExpressionId end;
    Block body = {};
    bool isBackwards = false;
    bool isVisibleAfter = false;  ///< the index is a variable, declared before, that tells where a Break happened
    SymbolId sum =
        {};  ///< if valid, a constant that the loop declares: what its last statement adds up from 0.0, in any order
};

struct If {
    ExpressionId condition;
    Block then = {};
    Block otherwise = {};
};

/// An error unless the condition holds.
struct Require {
    ExpressionId condition;
    std::string message;
    bool isAlways = false;  ///< an assertion of the program; others may be switched off
    bool isCostly = false;  ///< the condition is not computed if checks are switched off
};

struct Return {
    ExpressionId value;
};

/// Leaves the innermost loop, if the condition holds or there is none.
struct Break {
    ExpressionId condition = {};
};

/// A function as the value of a symbol. It may use the symbols that are visible here, and outlive them.
struct DefineFunction {
    SymbolId symbol;
    SymbolId argument;
    ir::TypeId result;
    Block body = {};
    bool isArgumentUsed = true;
};

/// Computes a value (which may fail) that is not used.
struct Drop {
    ExpressionId value;
};

struct Print {
    ExpressionId value = {};  ///< invalid: the text is written
    std::string text = {};
};

struct StartClock {
    SymbolId clock;
};

/// The seconds since the clock was started.
struct ReadClock {
    SymbolId seconds;
    SymbolId clock;
};

struct Statement {
    std::variant<Declare, Assign, Resize, Accumulate, AddProduct, Clear, For, If, Require, Return, Break,
                 DefineFunction, Drop, Print, StartClock, ReadClock>
        what;
    ir::TermId term = {};  ///< the term from whose translation it comes
};

struct Parameter {
    SymbolId symbol;
    bool isUsed = true;
};

/// A size that the types of parameters name.
struct NamedSize {
    Symbol name;
    ExpressionId value;  ///< a name or a number
};

struct Function {
    ir::FunctionId id;
    std::string name;  ///< as that of a symbol; unique in the program
    ir::TypeId result;
    std::vector<Parameter> parameters = {};
    SymbolId sum = {};  ///< of a function that gives nothing: the place that it adds its value to, its last parameter
    std::vector<NamedSize> sizes = {};  ///< those with a value in the body
    Block body = {};
    std::vector<SymbolInfo> symbols = {};
    std::vector<Expression> expressions = {};

    [[nodiscard]] const SymbolInfo& at(SymbolId id) const { return symbols[id.value]; }
    [[nodiscard]] const Expression& at(ExpressionId id) const { return expressions[id.value]; }
    SymbolId add(SymbolInfo symbol);
    ExpressionId add(Expression expression);
};

/// Callees first; the program's own function is the last one.
struct Program {
    std::vector<Function> functions = {};
    std::size_t nesting = 0;  ///< blocks and operands are nested at most so many levels deep (core/base/deep_stack.h)
};

/// The blocks that a statement contains itself, in the order of their text.
[[nodiscard]] std::vector<Block*> blocksOf(Statement& statement);

/// Whether two expressions of a function are the same, operand by operand.
[[nodiscard]] bool areSame(const Function& function, ExpressionId a, ExpressionId b);

/// The function that a call adds the value of to a place (Function::sum); null for other expressions.
[[nodiscard]] const Function* addingCallee(const Program& program, const Function& function, ExpressionId expression);

/// Whether an expression is that literal.
[[nodiscard]] bool isLiteral(const Function& function, ExpressionId expression, const Expression::Payload& value);

/// Whether an expression is the name of a series (Storage).
[[nodiscard]] bool isSeries(const Function& function, ExpressionId expression);

/// Whether an expression is a symbol, or a part or element of one: it can be read several times without computing anything.
[[nodiscard]] bool isPlace(const Function& function, ExpressionId expression);

}  // namespace mitos::loops

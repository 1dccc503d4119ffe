// SPDX-License-Identifier: GPL-3.0-or-later
// The syntax tree of a rule file, in which names are not resolved yet.
#pragma once

#include "core/base/source_text.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mitos::rules::syntax {

enum class ExprKind : std::uint8_t {
    Name,      ///< x
    Sequence,  ///< x...
    Expand,    ///< (e)...: e once for every element of the sequences in it
    Number,    ///< 1, 1.0, -1, ~1.414
    Text,      ///< "abc"
    Boolean,   ///< true, false
    Call,   ///< op[attributes](children); infix operators are calls of "+", "-", "*", "/", "%" (one child: unary minus)
    Tuple,  ///< (children)
    Projection,  ///< child.0; integer is the index
    Lambda,      ///< \name. child, with an annotated type in `types`
    Let,         ///< let name = child 0 in child 1
    Substitute,  ///< child 0 [name := child 1]
    Member,      ///< child.name, in conditions
    Not,         ///< not child
    Binary,      ///< and, or, ==, !=, <, <=, >, >=, in, not in; the operator is `name`
    Class,       ///< child : name
    Set,         ///< {names}, in conditions
    List,        ///< [children]
    Element,     ///< child 0 [child 1]
    Slice,       ///< child 0 [child 1 : child 2]; without child 2: to the end
};

/// The common type for patterns, right sides and conditions; the checker decides which expressions are allowed where.
struct Expr {
    ExprKind kind = ExprKind::Name;
    SourceSpan span;
    SourceSpan nameSpan;  ///< of `name`
    std::string name;
    std::int64_t integer = 0;    ///< Number written without point, Projection
    double number = 0.0;         ///< Number
    bool isInteger = false;      ///< Number: written without point or exponent
    bool isApproximate = false;  ///< Number: with ~
    bool boolean = false;
    std::vector<Expr> children;
    std::vector<std::string> attributeNames;  ///< Call: names of [name=value]
    std::vector<Expr> attributeValues;
    std::string restName;      ///< Call: a in [...a], which stands for all attributes not named; else empty
    SourceSpan restSpan = {};  ///< of `restName`
    std::vector<Expr> types;   ///< Lambda: the annotated type, if any
};

struct Word {
    std::string text;
    SourceSpan span;
};

/// variable <= pattern
struct Constraint {
    Word variable;
    Expr pattern;
};

/// `with local y, z, x <= F(y)`
struct WithClause {
    std::vector<Word> locals;
    std::vector<Constraint> constraints;
};

struct Branch {
    std::vector<Expr> roots;  ///< one, or as many as there are left roots
    std::optional<Expr> condition;
};

struct NamedExpr {
    Word name;
    Expr value;
};

struct Rule {
    Word name;
    std::string doc;
    SourceSpan span;  ///< the whole item
    std::vector<Word> tags;
    std::vector<Expr> lefts;
    bool bothWays = false;
    std::vector<Branch> branches;
    std::vector<NamedExpr> lets;
    WithClause with;
    std::optional<Expr> where;
};

struct Pattern {
    Word name;
    std::string doc;
    SourceSpan span;
    std::vector<Word> parameters;
    Expr body;
    WithClause with;
    std::optional<Expr> where;
};

/// include set [tag, tag]
struct Include {
    Word set;  ///< a set that comes with the program, or a file, relative to the directory of this one
    std::vector<Word> tags;
};

/// op name[attributes](parameters) -> outputs
struct Operator {
    Word name;
    std::string doc;
    std::vector<Word> attributes;
    std::vector<Word> parameters;
    bool variadic = false;  ///< the last parameter is x...
    std::int64_t outputs = 1;
};

/// class name = op, op, …
struct OperatorClass {
    Word name;
    std::vector<Word> members;
};

/// A line of an analysis. `literal c = …`, `value f(a, b) = …`, `join a, b = …`, `means x, v: …`; all but the last may end with `if`.
struct Equation {
    enum class Kind : std::uint8_t { Literal, Value, Join, Means };
    Kind kind = Kind::Value;
    SourceSpan span;
    std::vector<Word> names;      ///< c; a and b; x and v
    std::optional<Expr> pattern;  ///< Value: f(a, b)
    Expr value;                   ///< Means: a condition
    std::optional<Expr> condition;
};

/// analysis name [tags]: values …, equations, fold
struct Analysis {
    Word name;
    std::string doc;
    SourceSpan span;  ///< the whole item
    std::vector<Word> tags;
    std::vector<Word> values;  ///< words that are values of the analysis
    std::vector<Equation> equations;
    bool folds = false;
    bool keeps = false;  ///< fold keep: what a constant replaces stays in e-graphs
};

struct Use {
    Word dialect;
};

using Item = std::variant<Use, Include, Operator, OperatorClass, Analysis, Pattern, Rule>;

struct File {
    std::string title;
    std::string doc;
    std::vector<Item> items;
};

/// The items that could be parsed, and one error for each other item (at most MaxErrors).
struct Parsed {
    static constexpr std::size_t MaxErrors = 100;
    File file;
    std::vector<Error> errors;
};

[[nodiscard]] Parsed parse(const SourceText& source);
/// Parses a left side with its `with` and `where`: a rule without name and right side.
[[nodiscard]] Result<Rule> parsePattern(const SourceText& source);
/// Parses a single expression.
[[nodiscard]] Result<Expr> parseTerm(const SourceText& source);

}  // namespace mitos::rules::syntax

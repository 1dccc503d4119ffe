// SPDX-License-Identifier: GPL-3.0-or-later
// Functions of a TermBank and the program that is being optimized.
#pragma once

#include "core/ir/ids.h"
#include "core/ir/path.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mitos::ir {

struct Parameter {
    Symbol name;
    TypeId type;  ///< as declared; may name sizes, (Vec n Float)
};

/// A size name of a signature, `n` in (Vec n Float). In the body it is a free Integer variable of that name.
struct SizeName {
    Symbol name;
    /// The origin of its value: the parameter's index, then the steps through tuple and tensor elements (always element 0 of
    /// a tensor) down to the tensor; the size is its dimension `dimension`. Without a parameter (the name occurs only in
    /// the result type) the size is an extra Integer input.
    std::optional<std::uint32_t> parameter;
    std::vector<std::uint32_t> steps;  ///< child indices from the parameter's type to the tensor's type
    std::uint32_t dimension = 0;
};

/// The meaning of a subterm that occurs at several places; a property of the program's dialect (dialect.h).
enum class Sharing : std::uint8_t {
    Tree,   ///< ks: copies, each computed and counted in the cost; only `let` shares. A step rewrites one occurrence.
    Graph,  ///< tensors: one node, computed and counted in the cost once. A step rewrites the node for all its uses.
};

/// A function, identified by its name and the type of its argument. Bodies refer to parameters and size names as
/// free variables (CoreOp::Variable) and are closed terms otherwise.
struct Function {
    std::string name;  ///< canonical text: "f", "rev$f", "[rev f]", "[f (Vec Float)]"
    std::vector<Parameter> parameters;
    TypeId argument;  ///< erased: the type of the only parameter, or the tuple of all; (Tuple) if there is none
    TypeId result;    ///< erased
    TypeId declaredResult;
    std::vector<SizeName> sizes;
    TermId body;                         ///< invalid for an edef, a function defined elsewhere
    std::optional<double> declaredCost;  ///< from a `cost$f` definition
    /// Whether it was written as one bare expression over Float variables, `(div (mul x y) x)`; it is then printed that way.
    bool bareExpression = false;
    std::string dialect = {};         ///< its dialect's name; empty for functions that only carry terms
    Sharing sharing = Sharing::Tree;  ///< that of the dialect; set by TermBank::declare
};

/// A program state: the optimized function and its current body. Steps only change the root; the rest of the function
/// (name, parameters, callees) stays the same. Positions are paths from root.
struct Program {
    FunctionId function;
    TermId root;

    friend bool operator==(const Program&, const Program&) = default;
};

}  // namespace mitos::ir

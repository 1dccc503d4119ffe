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
    TypeId type;  ///< as declared: may name sizes, (Vec n Float)
};

/// A size name of a signature, `n` in (Vec n Float). In the body it is a free Integer variable of that name.
struct SizeName {
    Symbol name;
    /// Where its value comes from: the parameter's index, then tuple elements / tensor elements (always element 0 of a
    /// tensor) down to the tensor, whose dimension `dimension` it is. Without a parameter (the name stands only in the
    /// result type) it is an extra Integer input.
    std::optional<std::uint32_t> parameter;
    std::vector<std::uint32_t> steps;  ///< from the parameter's type to the tensor's type, child indices
    std::uint32_t dimension = 0;
};

/// What a subterm that stands at several places means; the dialect of the program says which.
enum class Sharing : std::uint8_t {
    Tree,   ///< several copies, each computed and paid; only a `let` shares. A step rewrites one occurrence. ks.
    Graph,  ///< one node, computed and paid once. A step rewrites the node, wherever it is used. Tensors.
};

/// A function: identified by its name and the type of its argument. Bodies refer to parameters and size names as
/// free variables (CoreOp::Variable), so a body is a closed term otherwise.
struct Function {
    std::string name;  ///< canonical text: "f", "rev$f", "[rev f]", "[f (Vec Float)]"
    std::vector<Parameter> parameters;
    TypeId argument;  ///< erased: the only parameter's type, or the tuple of all; (Tuple) for none
    TypeId result;    ///< erased
    TypeId declaredResult;
    std::vector<SizeName> sizes;
    TermId body;                         ///< invalid: an edef, a function defined elsewhere
    std::optional<double> declaredCost;  ///< from a `cost$f` definition
    /// Written as one bare expression over Float variables, `(div (mul x y) x)`: printed and shown that way.
    bool bareExpression = false;
    Sharing sharing = Sharing::Tree;
};

/// A program state: the function that is optimized, and its current body. Everything else of the function (name,
/// parameters, callees) stays; steps only change the root. Positions are paths from root.
struct Program {
    FunctionId function;
    TermId root;

    friend bool operator==(const Program&, const Program&) = default;
};

}  // namespace mitos::ir

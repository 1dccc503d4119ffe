// SPDX-License-Identifier: GPL-3.0-or-later
// The transitions of the matching machine, by the names of Figures 7, 17 and 18 of the PyPM paper, and our additions.
#pragma once

#include <cstdint>
#include <string_view>

namespace mitos::rules {

enum class Transition : std::uint8_t {
    // Figures 7, 17 and 18
    Success,              ///< the continuation is empty
    MatchVarBind,         ///< x was unbound and is bound to the term
    MatchVarBound,        ///< x is already bound to this term
    MatchVarConflict,     ///< x is bound to another term
    MatchFun,             ///< the same operator: its arguments are next. Constants are operators without arguments
    MatchFunConflict,     ///< another operator, or another number of arguments
    MatchAlt,             ///< the first of several alternates; the others are kept on the stack
    MatchGuard,           ///< p; guard(g): p, then g
    CheckGuardContinue,   ///< g holds
    CheckGuardBacktrack,  ///< g does not hold
    CheckName,            ///< the local variable is bound
    MatchConstr,          ///< the value of x is matched next
    MatchExists,          ///< ∃x.p: p, then x must be bound
    MatchMatchConstr,     ///< p; (p' ≈ x): p, then p' against the value of x
    MatchFunVarBind,      ///< F was unbound and is bound to this operator
    MatchFunVarBound,     ///< F is already bound to this operator
    MatchFunVarConflict,  ///< F is bound to another operator, or to another number of arguments
    MatchMu,              ///< a named pattern is unfolded
    // Additions. The paper does not define the first two (the machine would be stuck)
    CheckNameUnbound,    ///< a local variable is not bound: backtrack
    MatchConstrUnbound,  ///< the subject of a match constraint is not bound: backtrack
    MatchMuLimit,        ///< too many nested unfoldings, or the same one twice at one place: backtrack
    MatchChoice,         ///< a place with several nodes: the first is tried; the others are kept on the stack
    MatchNumber,         ///< 1 matches an Integer or a Float, ~1.4 a Float nearby: the literal found is recorded
    MatchNumberConflict,
    MatchAny,             ///< an attribute that the pattern does not mention: recorded
    MatchAttributeBind,   ///< the index of get[index=i] is bound
    MatchAttributeBound,  ///< i is already bound to this index
    MatchAttributeConflict,
    MatchBound,  ///< a bound variable of the pattern matches the corresponding one of the term
    MatchBoundConflict,
    MatchBinder,          ///< let and lambda: the variable that they bind is now in scope
    MatchBinderConflict,  ///< the bound variable has another type
    MatchVarEscape,       ///< the term mentions a bound variable that x must not mention
    MatchSeqSplit,  ///< a... among other arguments: the first distribution of them; the others are kept on the stack
    MatchSeqBind,
    MatchSeqBound,
    MatchSeqConflict,
    MatchSeqEscape,
    Next,  ///< after success, the next match is requested: backtrack
    Count,
};

/// "ST-MATCH-VAR-BIND".
[[nodiscard]] std::string_view toString(Transition transition);
/// A description of the transition in one line.
[[nodiscard]] std::string_view meaning(Transition transition);
/// Whether the transition is one of our additions, which the paper does not have.
[[nodiscard]] bool isAddition(Transition transition);
/// Whether the transition is a refusal: the machine backtracks because something does not match.
[[nodiscard]] bool isRefusal(Transition transition);

}  // namespace mitos::rules

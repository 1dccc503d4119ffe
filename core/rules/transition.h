// SPDX-License-Identifier: GPL-3.0-or-later
// The transitions of the matching machine, by the names of Figures 7, 17 and 18 of the PyPM paper, and our additions.
#pragma once

#include <cstdint>
#include <string_view>

namespace mitos::rules {

enum class Transition : std::uint8_t {
    // Figures 7, 17 and 18
    Success,              ///< the continuation is empty
    MatchVarBind,         ///< x is not bound: it is now
    MatchVarBound,        ///< x stands for this term already
    MatchVarConflict,     ///< x stands for another term
    MatchFun,             ///< the same operator: its arguments are next. Constants are operators without arguments
    MatchFunConflict,     ///< another operator, or another number of arguments
    MatchAlt,             ///< the first of several alternates; the others are kept on the stack
    MatchGuard,           ///< p; guard(g): p, then g
    CheckGuardContinue,   ///< g holds
    CheckGuardBacktrack,  ///< g does not hold
    CheckName,            ///< the local variable is bound
    MatchConstr,          ///< what x stands for is matched next
    MatchExists,          ///< ∃x.p: p, then x must be bound
    MatchMatchConstr,     ///< p; (p' ≈ x): p, then p' against what x stands for
    MatchFunVarBind,      ///< F is not bound: it stands for this operator now
    MatchFunVarBound,     ///< F stands for this operator already
    MatchFunVarConflict,  ///< F stands for another operator, or another number of arguments
    MatchMu,              ///< a named pattern is unfolded
    // Additions. The paper leaves the first two open (the machine would be stuck)
    CheckNameUnbound,    ///< a local variable is not bound: backtrack
    MatchConstrUnbound,  ///< a match constraint about something that is not bound: backtrack
    MatchMuLimit,        ///< too many unfoldings inside each other, or the same one twice at one place: backtrack
    MatchChoice,         ///< a place with several nodes: the first; the others are kept on the stack
    MatchNumber,         ///< 1 is an Integer or a Float, ~1.4 a Float nearby: it is one, and is recorded
    MatchNumberConflict,
    MatchAny,             ///< an attribute that the pattern does not mention: recorded
    MatchAttributeBind,   ///< the index of get[index=i] is bound
    MatchAttributeBound,  ///< it is the one that i stands for already
    MatchAttributeConflict,
    MatchBound,  ///< a bound variable of the pattern meets the one of the term
    MatchBoundConflict,
    MatchBinder,          ///< let and lambda: what they bind is in scope now
    MatchBinderConflict,  ///< of another type
    MatchVarEscape,       ///< the term mentions a bound variable that x must not mention
    MatchSeqSplit,  ///< a... among other arguments: the first way to share them out; the others are kept on the stack
    MatchSeqBind,
    MatchSeqBound,
    MatchSeqConflict,
    MatchSeqEscape,
    Next,  ///< after success, the next match is asked for: backtrack
    Count,
};

/// "ST-MATCH-VAR-BIND".
[[nodiscard]] std::string_view toString(Transition transition);
/// One line: what it means.
[[nodiscard]] std::string_view meaning(Transition transition);
/// Whether it is one of ours, not of the paper.
[[nodiscard]] bool isAddition(Transition transition);
/// Whether it refuses: the machine backtracks because something does not match.
[[nodiscard]] bool isRefusal(Transition transition);

}  // namespace mitos::rules

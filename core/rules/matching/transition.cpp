// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/matching/transition.h"

#include <array>

namespace mitos::rules {

namespace {

struct Entry {
    std::string_view name;
    std::string_view meaning;
    bool refuses = false;
};

// The texts are in the order of the enumeration.
constexpr std::array<Entry, static_cast<std::size_t>(Transition::Count)> Entries{{
    {"ST-SUCCESS", "nothing is left to match"},
    {"ST-MATCH-VAR-BIND", "the variable stands for this term now"},
    {"ST-MATCH-VAR-BOUND", "the variable stands for this term already"},
    {"ST-MATCH-VAR-CONFLICT", "the variable stands for another term", true},
    {"ST-MATCH-FUN", "the same operator; its arguments are next"},
    {"ST-MATCH-FUN-CONFLICT", "another operator or another number of arguments", true},
    {"ST-MATCH-ALT", "the first alternate; the others are kept on the stack"},
    {"ST-MATCH-GUARD", "the pattern first, then its condition"},
    {"ST-CHECKGUARD-CONTINUE", "the condition holds"},
    {"ST-CHECKGUARD-BACKTRACK", "the condition does not hold", true},
    {"ST-CHECKNAME", "the local variable is bound"},
    {"ST-MATCHCONSTR", "what the variable stands for is matched next"},
    {"ST-MATCH-EXISTS", "a local variable: it must be bound in the end"},
    {"ST-MATCH-MATCHCONSTR", "the pattern first, then its match constraint"},
    {"ST-MATCH-FUN-VAR-BIND", "the function variable stands for this operator now"},
    {"ST-MATCH-FUN-VAR-BOUND", "the function variable stands for this operator already"},
    {"ST-MATCH-FUN-VAR-CONFLICT", "the function variable stands for another operator", true},
    {"ST-MATCH-MU", "a named pattern is unfolded"},
    {"ST-CHECKNAME-UNBOUND", "the local variable is not bound", true},
    {"ST-MATCHCONSTR-UNBOUND", "the subject of the match constraint is not bound", true},
    {"ST-MATCH-MU-LIMIT", "too many unfoldings inside each other", true},
    {"ST-MATCH-CHOICE", "the first node of the place; the others are kept on the stack"},
    {"ST-MATCH-NUMBER", "the number, recorded as it is written in the program"},
    {"ST-MATCH-NUMBER-CONFLICT", "another number, or none", true},
    {"ST-MATCH-ANY", "an attribute the pattern does not mention, recorded"},
    {"ST-MATCH-ATTRIBUTE-BIND", "the index stands for this number now"},
    {"ST-MATCH-ATTRIBUTE-BOUND", "the index stands for this number already"},
    {"ST-MATCH-ATTRIBUTE-CONFLICT", "the index stands for another number", true},
    {"ST-MATCH-BOUND", "the same bound variable"},
    {"ST-MATCH-BOUND-CONFLICT", "not that bound variable", true},
    {"ST-MATCH-BINDER", "what is bound here is in scope now"},
    {"ST-MATCH-BINDER-CONFLICT", "the bound variable has another type", true},
    {"ST-MATCH-VAR-ESCAPE", "the term mentions a bound variable that the variable must not mention", true},
    {"ST-MATCH-SEQ-SPLIT", "the first way to share the arguments out; the others are kept on the stack"},
    {"ST-MATCH-SEQ-BIND", "the sequence stands for these arguments now"},
    {"ST-MATCH-SEQ-BOUND", "the sequence stands for these arguments already"},
    {"ST-MATCH-SEQ-CONFLICT", "the sequence stands for other arguments", true},
    {"ST-MATCH-SEQ-ESCAPE", "an argument mentions a bound variable that the sequence must not mention", true},
    {"ST-NEXT", "the next match is asked for"},
}};

const Entry& entry(Transition transition) { return Entries[static_cast<std::size_t>(transition)]; }

}  // namespace

std::string_view toString(Transition transition) { return entry(transition).name; }
std::string_view meaning(Transition transition) { return entry(transition).meaning; }
bool isAddition(Transition transition) { return transition >= Transition::CheckNameUnbound; }
bool isRefusal(Transition transition) { return entry(transition).refuses; }

}  // namespace mitos::rules

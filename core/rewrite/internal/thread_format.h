// SPDX-License-Identifier: GPL-3.0-or-later
// The keywords of the text format of threads, shared by its writer and its reader.
//
//   mitos-thread 5
//   rules ks-simple                                        one line per rule set (or file) that the steps use
//   costs ks-2021                                          optional: the cost model of the costs
//   steps 2
//   start  cost 7  state 53a1f6c0d7e08b12                   content hash of the program; costs are optional
//   program
//   (div (div 1.0 x) (add 1.0 (div 1.0 x)))                 the start program as text
//   end program
//   1. commute_add at /1 with x=./0 y=./1  cost 7  state 09b4c7d2e1f3a586
//   ;      (add 1.0 (div 1.0 x))                            the rule, its position and substitution (substitution_text.h);
//   ;   => (add (div 1.0 x) 1.0)                            comments: before and after
//   2. reversed mul_zero at / with x=./1  cost 9  state …   a step that applies an instance from right to left; x stands nowhere in
//   program                                                 the program before it, so the program after it follows, to which
//   (def f Float ((x : Float)) (mul 0.0 x))                 the values refer
//   end program
//   3. merge.0 at /0 with y=./0 z=_  state 9a41…            a step at one root of several, with a value that stands nowhere: the
//   program                                                 program follows with a let at the position that binds it (a tuple
//   (def f Float ((x : Float)) (… (let (given …) …) …))     if several)
//   end program
//                                                          a graph, which has no lets, has the values as further outputs
//   4. merge at /0,/1/0 with x=./0 …                        all roots of a rule at once: the positions in the roots' order
//   region /0 over /0/1/0,/0/1/1 in MatMulEpilog 2          the next step is taken within a region: its outputs, its inputs and its name
//   5. mul_one at /0/1 with a=./0 …
//   end
//
// Only threads with regions have version 5. Versions 1 to 3, which are read too, name an instance by its number among the rule's matches at the position, `commute_add at /1 #1`.
// There a reversed step is followed by the program after it, whose match of that number gives the program before, and
// `given(y,p=[1,1]) merge.0 at /0 #1` lists the variables that the match leaves open: those that the program binds, and attributes.
// Empty lines and lines that begin with ; are ignored outside the program.
#pragma once

#include "core/rewrite/step.h"

#include <string_view>

namespace mitos::rewrite {

constexpr std::string_view ThreadSignature = "mitos-thread";
constexpr int ThreadVersion = 5;  ///< the newest
constexpr int VersionWithoutRegions = 4;
constexpr std::string_view RegionOfStep = "region ";
constexpr std::string_view ReversedStep = "reversed";
constexpr std::string_view StatedValues = "with";
constexpr std::string_view GivenStep =
    "given";  ///< the let's variable; in old versions followed by the variables in parentheses
constexpr std::string_view ProgramBegin = "program";
constexpr std::string_view ProgramEnd = "end program";
constexpr std::string_view ThreadEnd = "end";

}  // namespace mitos::rewrite

// SPDX-License-Identifier: GPL-3.0-or-later
// The keywords of the text format of threads, shared by its writer and its reader.
//
//   mitos-thread 1
//   rules ks-simple                                        one line per rule set (or file) that the steps use
//   costs ks-2021                                          optional: the cost model of the costs
//   steps 2
//   start  cost 7  state 53a1f6c0d7e08b12                   content hash of the program; costs are optional
//   program
//   (div (div 1.0 x) (add 1.0 (div 1.0 x)))                 the start program as text
//   end program
//   1. commute_add at /1 #1  cost 7  state 09b4c7d2e1f3a586  rule, position, number among the rule's matches there
//   ;      (add 1.0 (div 1.0 x))                            comments: before and after
//   ;   => (add (div 1.0 x) 1.0)
//   2. reversed mul_zero at / #1  cost 9  state 5c0d…        a step that applies an instance from right to left: matching
//   program                                                 the program before cannot give the rule's left side, so the
//   (def f Float ((x : Float)) (mul 0.0 x))                 program after the step follows; its match of that number
//   end program                                             gives the program before
//   3. given(y,z) merge.0 at /0 #1  state 9a41…             a step at one root of several, whose match leaves y and z
//   program                                                 open: the program that contains the left side follows, with
//   (def f Float ((x : Float)) (… (let (given …) …) …))     a let at the position that binds their values (a tuple if several)
//   end program
//                                                          a graph, which has no lets, has the values as further outputs;
//                                                          attributes are in the step's line: given(z,p=[1,1])
//   4. reversed given(z) merge.0 at …                       both at once: that program is the one after the step
//   5. merge at /0,/1/0 #1  state 70b2…                     all roots of a rule at once: the positions in the roots' order
//   end
//
// Threads with steps at several positions have version 3, others with reversed or given steps version 2, all others version 1.
// Empty lines and lines that begin with ; are ignored outside the program.
#pragma once

#include "core/rewrite/step.h"

#include <string_view>

namespace mitos::rewrite {

constexpr std::string_view ThreadSignature = "mitos-thread";
constexpr int ThreadVersion = 3;
/// The versions written for threads with reversed or given steps, and for threads with plain steps only, so that older programs can
/// read them.
constexpr int GivenThreadVersion = 2;
constexpr int PlainThreadVersion = 1;
constexpr std::string_view ReversedStep = "reversed";
constexpr std::string_view GivenStep = "given";  ///< followed by the variables in parentheses
constexpr std::string_view ProgramBegin = "program";
constexpr std::string_view ProgramEnd = "end program";
constexpr std::string_view ThreadEnd = "end";

}  // namespace mitos::rewrite

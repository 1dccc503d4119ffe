// SPDX-License-Identifier: GPL-3.0-or-later
// The words of the text form of threads, for its writer and its reader.
//
//   mitos-thread 1
//   rules ks-simple                                        one line a rule set (or file) that the steps need
//   costs ks-2021                                          optional: the model that the costs are of
//   steps 2
//   start  cost 7  state 53a1f6c0d7e08b12                   content hash of the program; costs are optional
//   program
//   (div (div 1.0 x) (add 1.0 (div 1.0 x)))                 the start program as text
//   end program
//   1. commute_add at /1 #1  cost 7  state 09b4c7d2e1f3a586  rule, position, number among the rule's matches there
//   ;      (add 1.0 (div 1.0 x))                            comments: before and after
//   ;   => (add (div 1.0 x) 1.0)
//   2. reversed mul_zero at / #1  cost 9  state 5c0d…        a step that takes an instance back: where the rule's left side
//   program                                                 is to come from cannot be found by matching, so the program
//   (def f Float ((x : Float)) (mul 0.0 x))                 after the step follows; its match of that number gives the
//   end program                                             program before
//   3. given(y,z) merge.0 at /0 #1  state 9a41…             a step at one root of several, whose match leaves y and z
//   program                                                 open: the program in which the left side stands follows, with
//   (def f Float ((x : Float)) (… (let (given …) …) …))     a let at the position that has their values (several: a tuple)
//   end program
//                                                          of a graph, which has no lets: with the values as further outputs;
//                                                          attributes stand in the line: given(z,p=[1,1])
//   4. reversed given(z) merge.0 at …                       both at once: that program is the one after the step
//   5. merge at /0,/1/0 #1  state 70b2…                     all roots of a rule at once: the positions in the roots' order
//   end
//
// Threads with steps at several positions have version 3, others with reversed or given steps 2, all others 1.
// Empty lines and lines that begin with ; mean nothing outside the program.
#pragma once

#include "core/rewrite/step.h"

#include <string_view>

namespace mitos::rewrite {

constexpr std::string_view ThreadSignature = "mitos-thread";
constexpr int ThreadVersion = 3;
/// What a thread with reversed or given steps is written in, and one of plain steps: older programs read them.
constexpr int GivenThreadVersion = 2;
constexpr int PlainThreadVersion = 1;
constexpr std::string_view ReversedStep = "reversed";
constexpr std::string_view GivenStep = "given";  ///< and the variables in parentheses
constexpr std::string_view ProgramBegin = "program";
constexpr std::string_view ProgramEnd = "end program";
constexpr std::string_view ThreadEnd = "end";

}  // namespace mitos::rewrite

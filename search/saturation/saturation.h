// SPDX-License-Identifier: GPL-3.0-or-later
// Search by equality saturation: applies all rewrites to all programs of an e-graph at once, then extracts the cheapest program that
// the e-graph represents.
#pragma once

#include "search/saturation/saturation_run.h"

#include <memory>
#include <string>
#include <vector>

namespace mitos::search {

/// Saturates with a scheduler that temporarily bans rules with very many matches, extracts the cheapest program under the problem's
/// cost model after each iteration, and explains it: the thread leads from the start to that program by instances of the rules, some
/// of them reversed.
///
/// An evaluation is a distinct term that extraction priced, built from one e-node and the cheapest terms of its children. A state is
/// a live e-node, an expansion an iteration, and rewrites are matches. Requires rules from rule files (error: Unsupported).
///
/// A follower, if there is one, is called as well, and improvements are then attributed to rules; it may share the run beyond its end.
/// A goal, if there is one, is the text of a program that is to become equal to the start (rewrite::readProgramLike()): the growth
/// ends when it is found.
[[nodiscard]] std::unique_ptr<Strategy> makeSaturation(std::shared_ptr<SaturationRun::Follower> follower = nullptr,
                                                       std::string goal = {});

/// The same with TENSAT's schedule (egraph-mcts.txt 3.2): each iteration first applies the rules with several roots, which take part
/// in the first k_multi iterations only, then the others.
[[nodiscard]] std::unique_ptr<Strategy> makeTensat(std::shared_ptr<SaturationRun::Follower> follower = nullptr,
                                                   std::string goal = {});

/// The same with the rules applied one by one, in an order that Monte Carlo tree search chooses (guided_growth.h). An iteration is the
/// application of one rule.
[[nodiscard]] std::unique_ptr<Strategy> makeEGraphMcts(std::shared_ptr<SaturationRun::Follower> follower = nullptr,
                                                       std::string goal = {});

/// All three.
[[nodiscard]] std::vector<std::shared_ptr<const Strategy>> saturationStrategies(
    const std::shared_ptr<SaturationRun::Follower>& follower = nullptr, const std::string& goal = {});

}  // namespace mitos::search

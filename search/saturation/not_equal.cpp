// SPDX-License-Identifier: GPL-3.0-or-later
// See not_equal.h.
#include "search/saturation/not_equal.h"

#include "core/ir/binding.h"
#include "core/ir/dialect.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <vector>

namespace mitos::search {

using egraph::ENodeId;
using ir::TermId;

namespace {

constexpr int MostPairs = 1'000'000;  ///< of e-nodes that are compared in search of a gap

/// Both terms as programs of a function whose parameters are those of the start and the variables bound outside of the terms.
struct Closed {
    ir::Program first;
    ir::Program second;
};

/// A name that no parameter has: i, j, … for Integers, u, v, … for others.
std::string freshName(const ir::TermBank& bank, const ir::Function& function, bool isInteger) {
    const std::string_view letters = isInteger ? "ijklmn" : "uvwpqr";
    const auto isTaken = [&](const std::string& name) {
        const auto isNamed = [&](const auto& each) { return bank.text(each.name) == name; };
        return std::ranges::any_of(function.parameters, isNamed) || std::ranges::any_of(function.sizes, isNamed);
    };
    for (int round = 0;; ++round) {
        for (const char letter : letters) {
            std::string name(1, letter);
            if (round > 0) name += std::to_string(round);
            if (!isTaken(name)) return name;
        }
    }
}

/// Replaces the variables that are bound outside of the terms by parameters. Nothing if the terms stand below binders of different types,
/// so that they are never compared.
std::optional<Closed> closed(ir::TermBank& bank, const ir::Program& start, TermId first, TermId second) {
    ir::Function function = bank.function(start.function);
    function.name = fmt::format("part${}", bank.functionCount());
    function.body = {};
    function.bareExpression = false;
    function.result = function.declaredResult = bank.type(first);
    absl::flat_hash_map<std::uint32_t, TermId> variables;
    bool areAlike = true;
    const auto open = [&](TermId term) {
        const std::uint32_t count = bank.looseBound(term);
        return ir::substituteLoose(bank, term, count, 0, [&](std::uint32_t index, ir::TypeId type) {
            const auto [known, isNew] = variables.try_emplace(index);
            if (isNew) {
                const std::string name = freshName(bank, function, type == bank.types().integer());
                const Symbol symbol = bank.symbols().intern(name);
                function.parameters.push_back({symbol, type});
                known->second = bank.variable(symbol, type);
            }
            areAlike = areAlike && bank.type(known->second) == type;
            return known->second;
        });
    };
    const TermId openedFirst = open(first);
    const TermId openedSecond = open(second);
    if (!areAlike) return std::nullopt;
    std::vector<ir::TypeId> types;
    for (const ir::Parameter& parameter : function.parameters) types.push_back(bank.types().erased(parameter.type));
    function.argument = types.size() == 1 ? types.front() : bank.types().tuple(types);
    const Result<ir::FunctionId> declared = bank.declare(std::move(function));
    if (!declared) return std::nullopt;
    return Closed{{*declared, openedFirst}, {*declared, openedSecond}};
}

/// Two arguments at the same place of two e-nodes of these classes that have the same operator, if all other arguments are equal.
std::optional<std::pair<ENodeId, ENodeId>> gapBetween(const egraph::EGraph& graph, ENodeId first, ENodeId second,
                                                      int& pairs) {
    std::optional<std::pair<ENodeId, ENodeId>> found;
    graph.forEachMember(first, [&](ENodeId a) {
        if (found || !graph.isLive(a)) return;
        graph.forEachMember(second, [&](ENodeId b) {
            if (found || !graph.isLive(b) || graph.headOf(a) != graph.headOf(b) || ++pairs > MostPairs) return;
            std::optional<std::pair<ENodeId, ENodeId>> different;
            for (std::uint32_t i = 0; i < graph.headInfo(a).arity; ++i) {
                const ENodeId left = graph.find(graph.child(a, i));
                const ENodeId right = graph.find(graph.child(b, i));
                if (left == right) continue;
                if (different) return;
                different = {left, right};
            }
            found = different;
        });
    });
    return found;
}

/// The smallest terms that the search for a gap reaches: each gap is smaller than the one around it.
std::optional<std::pair<ENodeId, ENodeId>> smallestGap(egraph::EGraph& graph, ENodeId first, ENodeId second) {
    const ir::TermBank& bank = graph.bank();
    const auto sizeOf = [&](ENodeId of) { return bank.treeSize(graph.term(graph.best(of))); };
    std::optional<std::pair<ENodeId, ENodeId>> smallest;
    int pairs = 0;
    for (;;) {
        const auto gap = gapBetween(graph, first, second, pairs);
        if (!gap || sizeOf(gap->first) >= sizeOf(first) || sizeOf(gap->second) >= sizeOf(second)) return smallest;
        smallest = gap;
        std::tie(first, second) = *gap;
    }
}

/// Compares the values of both terms, and adds the result to the answer.
void compareValues(const ir::TermBank& bank, const Closed& terms, const eval::EquivalenceOptions& options,
                   NotEqual& answer) {
    const Result<eval::Equivalence> forward = eval::compare(bank, terms.first, terms.second, options);
    if (!forward) {
        answer.note = forward.error().message;
        return;
    }
    answer.compared = forward->compared;
    answer.note = forward->note;
    if (forward->equivalent) {
        answer.reason = NotEqual::Reason::Unproved;
        return;
    }
    if (forward->counterexample.empty()) return;
    // Where only one of them is defined, a rule may still lead from it to the other.
    const Result<eval::Equivalence> backward = eval::compare(bank, terms.second, terms.first, options);
    if (backward && backward->equivalent) {
        answer.reason = NotEqual::Reason::Unproved;
        answer.compared = backward->compared;
    } else if (backward && !backward->counterexample.empty()) {
        answer.reason = NotEqual::Reason::Values;
        answer.example = forward->counterexample;
    }
}

/// "a", "a and b", "a, b and 3 more".
std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t Shown = 8;
    const std::size_t more = names.size() > Shown ? names.size() - Shown : 0;
    const std::size_t last = more > 0 ? Shown : names.size() - 1;
    const std::string end = more > 0 ? fmt::format("{} more", more) : names.back();
    if (last == 0) return end;
    return fmt::format("{} and {}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(last), ", "),
                       end);
}

}  // namespace

Result<NotEqual> whyNotEqual(SaturationRun& run, ENodeId first, ENodeId second, const eval::EquivalenceOptions& options,
                             std::size_t number) {
    egraph::EGraph& graph = run.graph();
    ir::TermBank& bank = *run.bank();
    first = graph.find(first);
    second = graph.find(second);
    if (first == second)
        return Error{ErrorCode::InvalidInput, "the two terms are equal in the e-graph", std::nullopt, {}};
    NotEqual answer;
    answer.isComplete = run.report().stop == egraph::StopReason::Saturated;
    answer.iterations = static_cast<std::uint32_t>(run.report().iterations.size());
    const ir::TypeId type = graph.type(first);
    answer.firstType = bank.types().toShortString(type);
    answer.secondType = bank.types().toShortString(graph.type(second));
    const ir::Program& start = run.starts()[number];
    const auto textOf = [&](ENodeId of) {
        const TermId term = graph.term(graph.best(of));
        if (bank.looseBound(term) == 0) return ir::printTermAt(bank, start, {}, term);
        const auto alone = closed(bank, start, term, term);
        return ir::printTermAt(bank, alone ? alone->first : start, {}, alone ? alone->first.root : term);
    };
    if (type != graph.type(second)) {
        answer.reason = NotEqual::Reason::Types;
        answer.first = textOf(first);
        answer.second = textOf(second);
        return answer;
    }
    if (const auto gap = smallestGap(graph, first, second)) answer.gap = {textOf(gap->first), textOf(gap->second)};
    const auto terms = closed(bank, start, graph.term(graph.best(first)), graph.term(graph.best(second)));
    if (!terms) {
        answer.first = textOf(first);
        answer.second = textOf(second);
        answer.note = "they stand below different binders";
        return answer;
    }
    answer.first = ir::printTermAt(bank, terms->first, {}, terms->first.root);
    answer.second = ir::printTermAt(bank, terms->second, {}, terms->second.root);
    compareValues(bank, *terms, options, answer);
    return answer;
}

std::string NotEqual::toString() const {
    const auto unproved = [this] {
        if (isComplete && !leftOut.empty())
            return std::string("nothing new comes from the rules that were applied, so they do not prove it");
        if (isComplete)
            return std::string("nothing new comes from these rules, so they do not prove it; another rule is needed");
        return fmt::format("the growth ended after {} iteration{}; with higher limits a proof may be found", iterations,
                           iterations == 1 ? "" : "s");
    };
    std::string text;
    switch (reason) {
        case Reason::Types:
            return fmt::format("They are never equal: one is of type {}, the other of type {}.", firstType, secondType);
        case Reason::Values:
            text = fmt::format("They have different values, so no sound rule makes them equal. {}.", example);
            break;
        case Reason::Unproved:
            text =
                fmt::format("They had the same value on {} random input{}, but the rules did not make them equal: {}.",
                            compared, compared == 1 ? "" : "s", unproved());
            break;
        case Reason::Unknown:
            text = fmt::format("The rules did not make them equal: {}. Their values could not be compared{}{}.",
                               unproved(), note.empty() ? "" : ": ", note);
            break;
    }
    if (gap) text += fmt::format(" They would be equal if {} and {} were.", gap->first, gap->second);
    if (reason != Reason::Values && !leftOut.empty()) {
        text += fmt::format(" {} failed {} test or could not be tested, and {} left out; to apply {}, {}.",
                            listed(leftOut), leftOut.size() == 1 ? "its" : "their",
                            leftOut.size() == 1 ? "was" : "were", leftOut.size() == 1 ? "it" : "them", remedy);
    }
    return text;
}

}  // namespace mitos::search

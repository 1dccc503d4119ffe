// SPDX-License-Identifier: GPL-3.0-or-later
// See value.h.
#include "search/rewriting/value.h"

#include "core/ir/dialect.h"
#include "search/rewriting/internal/potential.h"

#include <algorithm>
#include <cassert>

namespace mitos::search {

namespace {

using Made = Result<std::unique_ptr<ValueFunction>>;

Made zero() { return std::unique_ptr<ValueFunction>(std::make_unique<ZeroValue>()); }

ValueInfo estimate(std::string name, std::string meaning, Savings savings) {
    return {std::move(name), std::move(meaning), [savings](const SearchProblem& problem) -> Made {
                // The estimates cover sums, products and lets only.
                if (!problem.bank.dialect(problem.program.function).sharesByLet()) return zero();
                return makePotential(problem, savings);
            }};
}

}  // namespace

ValueInfos allValueFunctions() {
    return {{"zero", "none", [](const SearchProblem&) { return zero(); }},
            estimate("sharing", "that of binding its common subexpressions", {.sharing = true, .algebra = false}),
            estimate("algebra", "that of simplifying its sums and products", {.sharing = false, .algebra = true}),
            estimate("potential", "the larger of sharing and algebra", {.sharing = true, .algebra = true})};
}

Result<std::unique_ptr<ValueFunction>> makeValue(const ValueInfos& values, const SearchProblem& problem) {
    const std::string& name = std::get<std::string>(problem.parameters.at("value"));
    const auto found = std::ranges::find(values, name, &ValueInfo::name);
    assert(found != values.end());  // a choice of the parameter, which was checked
    return found->make(problem);
}

}  // namespace mitos::search

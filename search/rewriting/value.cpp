// SPDX-License-Identifier: GPL-3.0-or-later
// See value.h.
#include "search/rewriting/value.h"

#include "core/ir/dialect.h"
#include "search/rewriting/internal/potential.h"
#include "search/rewriting/learned_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace mitos::search {

namespace {

using Made = Result<std::unique_ptr<ValueFunction>>;

Made zero() { return std::unique_ptr<ValueFunction>(std::make_unique<ZeroValue>()); }

ValueInfo estimate(std::string name, std::string meaning, Savings savings) {
    return {std::move(name),
            std::move(meaning),
            [savings](const SearchProblem& problem) -> Made {
                // The estimates cover sums, products and lets only.
                if (!problem.bank.dialect(problem.program.function).sharesByLet()) return zero();
                return makePotential(problem, savings);
            },
            {{.name = "discount",
              .title = "Discount",
              .help = "What an expected saving in one step counts, of two the square, and so on.",
              .defaultValue = 0.999,
              .minimum = 0.01,
              .maximum = 1.0}}};
}

/// `learned:FILE` is short for `value=learned model=FILE`.
constexpr char FileMark = ':';

/// The parameter of a value function that may be a file; null if there is none.
const ParameterInfo* fileOf(const ValueInfo& value) {
    const auto found =
        std::ranges::find_if(value.parameters, [](const ParameterInfo& info) { return !info.fileEnding.empty(); });
    return found == value.parameters.end() ? nullptr : &*found;
}

}  // namespace

ValueInfos allValueFunctions() {
    return {{"zero", "none", [](const SearchProblem&) { return zero(); }},
            estimate("sharing", "that of binding its common subexpressions", {.sharing = true, .algebra = false}),
            estimate("algebra", "that of simplifying its sums and products", {.sharing = false, .algebra = true}),
            estimate("potential", "the larger of sharing and algebra", {.sharing = true, .algebra = true}),
            learnedValueInfo()};
}

std::vector<ParameterInfo> valueParameters(const ValueInfos& values, std::string usual) {
    std::vector<std::string> names;
    std::vector<std::string> meanings;
    std::vector<std::string> shortForms;
    for (const ValueInfo& value : values) {
        names.push_back(value.name);
        meanings.push_back(fmt::format("{} ({})", value.meaning, value.name));
        if (fileOf(value) != nullptr) shortForms.push_back(value.name + FileMark);
    }
    std::vector<ParameterInfo> parameters{
        {.name = "value",
         .title = "Value function",
         .help = fmt::format("The cost reduction expected of a program: {}.", fmt::join(meanings, ", ")),
         .defaultValue = std::move(usual),
         .choices = std::move(names),
         .unlisted = std::move(shortForms)}};
    for (const ValueInfo& value : values) {
        for (const ParameterInfo& own : value.parameters) {
            const auto known = std::ranges::find(parameters, own.name, &ParameterInfo::name);
            if (known == parameters.end()) parameters.push_back(own);
        }
    }
    return parameters;
}

Result<std::unique_ptr<ValueFunction>> makeValue(const ValueInfos& values, const SearchProblem& problem) {
    const std::string& name = std::get<std::string>(problem.parameters.at("value"));
    const auto found = std::ranges::find(values, name, &ValueInfo::name);
    if (found != values.end()) return found->make(problem);
    const auto ofFile = std::ranges::find_if(values, [&](const ValueInfo& value) {
        return fileOf(value) != nullptr && name.starts_with(value.name + FileMark);
    });
    assert(ofFile != values.end());  // a choice of the parameter, which was checked
    SearchProblem own = problem;
    own.parameters.insert_or_assign("value", ofFile->name);
    own.parameters.insert_or_assign(fileOf(*ofFile)->name, name.substr(ofFile->name.size() + 1));
    return ofFile->make(own);
}

}  // namespace mitos::search

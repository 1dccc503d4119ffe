// SPDX-License-Identifier: GPL-3.0-or-later
// See pypm.h.
#include "search/experiments/pypm.h"

#include "core/base/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace mitos::search::experiments {

namespace {

constexpr std::string_view AttentionTag = "attention";
constexpr std::string_view EpilogTag = "epilog";

constexpr std::array<PypmPart, 2> PypmParts{{
    {"speedups", "Figures 10 and 11: relative speed-ups"},
    {"matching", "Figures 12 and 13: the cost of matching"},
}};

}  // namespace

std::span<const PypmCompilationInfo> pypmCompilations() {
    static const std::array<PypmCompilationInfo, 4> all{{
        {PypmCompilation::Neither, "neither", "Neither", {}},
        {PypmCompilation::Attention, "attention", "Attention", {AttentionTag}},
        {PypmCompilation::Epilogs, "epilogs", "Epilogs", {EpilogTag}},
        {PypmCompilation::Both, "both", "Both", {AttentionTag, EpilogTag}},
    }};
    return all;
}

const PypmCompilationInfo& infoOf(PypmCompilation compilation) { return pypmCompilations()[indexOf(compilation)]; }

std::span<const PypmPart> pypmParts() { return PypmParts; }

bool PypmPlan::hasPart(std::string_view name) const {
    return parts.empty() || std::ranges::find(parts, name) != parts.end();
}

std::vector<std::shared_ptr<const rules::DirectedRule>> rulesOf(const PypmPlan& plan, PypmCompilation compilation) {
    const std::vector<std::string_view>& tags = infoOf(compilation).tags;
    std::vector<std::shared_ptr<const rules::DirectedRule>> chosen;
    for (const auto& direction : plan.rules.directions) {
        const bool isChosen =
            std::ranges::any_of(tags, [&](std::string_view tag) { return direction->rule().hasTag(tag); });
        if (isChosen) chosen.push_back(direction);
    }
    return chosen;
}

Status checkPlan(const PypmPlan& plan) {
    std::vector<std::string_view> known;
    for (const PypmPart& part : PypmParts) known.emplace_back(part.name);
    for (const std::string& part : plan.parts) {
        if (std::ranges::find(known, part) == known.end()) return noSuchName("part", part, known);
    }
    if (plan.models.empty()) return inputError("there is no model to compile", "name networks, ONNX models or folders");
    std::set<std::string_view> names;
    for (const PypmModel& model : plan.models) {
        if (!names.insert(model.name).second)
            return inputError(fmt::format("two models are named {}", model.name), "name each once");
    }
    for (const PypmCompilation one : {PypmCompilation::Attention, PypmCompilation::Epilogs}) {
        if (!rulesOf(plan, one).empty()) continue;
        return inputError(
            fmt::format("no rule of {} that may be applied has the tag {}", plan.ruleSets, infoOf(one).tags.front()),
            "rules of both optimizations are needed; `fused` has some");
    }
    if (plan.repetitions == 0) return inputError("a pass is timed at least once", "");
    if (plan.isTimed() && plan.levels.empty())
        return inputError("there is no level of ONNX Runtime", "name one, as in basic,all");
    return Success{};
}

std::string pypmRunName(std::string_view wanted, const std::vector<PypmModel>& others) {
    constexpr std::string_view Allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    std::string name(wanted);
    for (char& letter : name) {
        if (Allowed.find(letter) == std::string_view::npos) letter = '-';
    }
    if (name.empty() || name.front() == '.') name = "model" + name;
    const auto isTaken = [&others](const std::string& text) {
        return std::ranges::find(others, text, &PypmModel::name) != others.end();
    };
    if (!isTaken(name)) return name;
    for (std::size_t number = 2;; ++number) {
        if (std::string numbered = fmt::format("{}-{}", name, number); !isTaken(numbered)) return numbered;
    }
}

}  // namespace mitos::search::experiments

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/internal/charges.h"

#include <algorithm>
#include <array>
#include <string>

namespace mitos::cost {

namespace {

constexpr const char* ChargesName = "charges";
constexpr const char* RunValue = "run";
constexpr const char* TasoValue = "taso";

/// The operators that TASO counts as movement; Pad and MergeGroups are its enlarge and merge.
constexpr std::array<std::string_view, 11> MovementInTaso{"Split",       "Slice",    "Transpose", "Reshape",
                                                          "Flatten",     "Squeeze",  "Unsqueeze", "Pad",
                                                          "MergeGroups", "Identity", "Dropout"};

}  // namespace

ParameterInfo chargesParameter() {
    return {.name = ChargesName,
            .title = "Charges",
            .help =
                "run: all that runs with the program, so what depends on weights alone, and views, cost nothing. taso: "
                "as TASO and TENSAT charge; splits, transposes, reshapes, enlarged and merged kernels and joined "
                "weights cost nothing, everything else that is computed from weights does.",
            .defaultValue = std::string(RunValue),
            .choices = {RunValue, TasoValue},
            .choiceTitles = {"what runs", "as in TASO"}};
}

Charges chargesOf(const ParameterValues& values) {
    return std::get<std::string>(values.at(ChargesName)) == TasoValue ? Charges::Taso : Charges::Run;
}

std::string_view freeText(Charges charges) {
    return charges == Charges::Taso ? "As in TASO, movement and joins of weights"
                                    : "What depends on weights only, and views,";
}

std::optional<std::string_view> whyFree(const Node& node, const NodeWork& work, Charges charges) {
    if (!work.isKernel) return "nothing runs";
    if (charges == Charges::Taso) {
        const std::string_view op = node.opName();
        if (node.inputs.empty()) return "a constant";
        if (std::ranges::find(MovementInTaso, op) != MovementInTaso.end())
            return "movement, which TASO does not charge";
        if (node.isOffline && op == "Concat") return "of weights only, which TASO joins before the program runs";
    } else if (node.isOffline) {
        return "of weights only, computed before the program runs";
    }
    if (work.work.isView) return "a view, nothing is moved";
    return std::nullopt;
}

std::string_view whyCharged(const Node& node, Charges charges) {
    return charges == Charges::Taso && node.isOffline ? ", although of weights only: TASO charges it" : "";
}

}  // namespace mitos::cost

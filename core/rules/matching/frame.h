// SPDX-License-Identifier: GPL-3.0-or-later
// One unfolding of a named pattern, with the values of its parameters and locals.
#pragma once

#include "core/rules/language/compiled.h"
#include "core/rules/matching/graph_view.h"
#include "core/rules/matching/scope.h"

#include <absl/container/inlined_vector.h>

#include <vector>

namespace mitos::rules {

/// The unfolding in which the nodes of an alternate are read; null for nodes of the rule itself.
struct Frame {
    const NodeTable* table = nullptr;  ///< of the arguments
    const Node* unfold = nullptr;      ///< the use of the pattern
    Frame* outer = nullptr;            ///< the frame of the arguments
    const NamedPattern* pattern = nullptr;
    const Alternate* alternate = nullptr;
    std::uint32_t id = 0;  ///< differs from the id of every frame inside or outside
    std::uint32_t depth = 0;
    PlaceId place = {};        ///< where the pattern is matched
    Surroundings around = {};  ///< of the use; only set if there are locals or tracked parameters
    /// Values of the locals, and of the tracked parameters whose argument is a pattern; invalid terms while unbound.
    absl::InlinedVector<Binding, 2> locals = {};
    absl::InlinedVector<Binding, 2> parameters = {};

    /// Makes room for the values; call it after `pattern` and `alternate` are set.
    void allocate() {
        locals.resize(alternate->locals.size());
        if (isTracking()) parameters.resize(pattern->parameters.size());
    }
    [[nodiscard]] bool isTracking() const {
        for (const bool tracked : pattern->isTracked) {
            if (tracked) return true;
        }
        return false;
    }
    /// Whether this unfolding, or one around it, is of that pattern at that place. The classes of an e-graph can contain themselves,
    /// and unfolding once more around such a cycle finds nothing new.
    [[nodiscard]] bool isInside(const NamedPattern& wanted, PlaceId at) const {
        for (const Frame* frame = this; frame != nullptr; frame = frame->outer) {
            if (frame->pattern == &wanted && frame->place == at) return true;
        }
        return false;
    }
    [[nodiscard]] const Node& argument(std::uint32_t index) const { return table->child(*unfold, index); }
};

/// The target of a Variable, Parameter, Local or Function node, with parameters followed to their arguments.
struct Resolved {
    Owner owner = Owner::Rule;       ///< Parameter: one of `frame`, whose argument is the pattern `argument`
    std::uint32_t index = 0;         ///< the VarIndex, or the number of the local or the parameter of `frame`
    Frame* frame = nullptr;          ///< Local, Parameter
    const Node* argument = nullptr;  ///< Parameter

    /// The value, if a frame holds it; null for variables of the rule and for parameters that are not tracked.
    [[nodiscard]] Binding* slot() const {
        if (owner == Owner::Local) return &frame->locals[index];
        if (owner == Owner::Parameter && frame->pattern->isTracked[index]) return &frame->parameters[index];
        return nullptr;
    }
    /// The local variable; null if the target is not one.
    [[nodiscard]] const LocalVariable* local() const {
        return owner == Owner::Local ? &frame->alternate->locals[index] : nullptr;
    }
};

[[nodiscard]] Resolved resolve(const Node& node, Frame* frame);
/// Resolves parameter number `index` of a frame.
[[nodiscard]] Resolved resolveParameter(std::uint32_t index, Frame* frame);

/// The values of the parameters, as the conditions of an alternate read them; see ConditionInput.
[[nodiscard]] std::vector<const Binding*> parameterValues(Frame& frame, std::span<const Binding> values);

}  // namespace mitos::rules

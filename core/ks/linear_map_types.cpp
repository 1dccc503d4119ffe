// SPDX-License-Identifier: GPL-3.0-or-later
// Type rules of linear maps, of which the derivatives of edefs and of fold consist.
#include "core/ks/internal/operator_rules.h"
#include "core/ks/loops.h"

#include <algorithm>
#include <vector>

namespace mitos::ks {

using ir::TypeId;
using ir::TypeKind;
using ir::TypeTable;

namespace {

bool isMap(const TypeTable& types, TypeId type) { return types.kind(type) == TypeKind::LinearMap; }
TypeId source(const TypeTable& types, TypeId map) { return types.children(map)[0]; }
TypeId target(const TypeTable& types, TypeId map) { return types.children(map)[1]; }

bool allMaps(Types in) {
    return std::ranges::all_of(in.children, [&](TypeId type) { return isMap(in.types, type); });
}

/// Whether f : (Lam (Tuple A E) A) folds the state over the vector.
bool folds(TypeTable& types, TypeId f, TypeId state, TypeId vec) {
    if (!types.isTensor(vec) || types.rank(vec) != 1) return false;
    return f == types.lambda(pairOf(types, state, types.element(vec)), state);
}

}  // namespace

TypeResult typeOfLmZero(Types in) { return in.types.linearMap(in.children[0], in.children[1]); }

TypeResult typeOfLmOne(Types in) { return in.types.linearMap(in.children[0], in.children[0]); }

TypeResult typeOfLmScale(Types in) {
    if (in.children[1] == in.types.floating()) return in.types.linearMap(in.children[0], in.children[0]);
    return mismatch(in, "lmScale", "a value (for its shape) and a Float");
}

TypeResult typeOfLmScaleR(Types in) { return in.types.linearMap(in.types.floating(), in.children[0]); }

TypeResult typeOfLmDot(Types in) { return in.types.linearMap(in.children[0], in.types.floating()); }

TypeResult typeOfLmCompose(Types in) {
    const TypeId outer = in.children[0];
    const TypeId inner = in.children[1];
    if (allMaps(in) && source(in.types, outer) == target(in.types, inner)) {
        return in.types.linearMap(source(in.types, inner), target(in.types, outer));
    }
    return mismatch(in, "lmCompose", "an (LM B C) and an (LM A B)");
}

TypeResult typeOfLmAdd(Types in) {
    if (allMaps(in) && in.children[0] == in.children[1]) return in.children[0];
    return mismatch(in, "lmAdd", "two linear maps of the same type");
}

TypeResult typeOfLmVCat(Types in) {
    const bool fits = allMaps(in) && std::ranges::all_of(in.children, [&](TypeId map) {
                          return source(in.types, map) == source(in.types, in.children[0]);
                      });
    if (!fits) return mismatch(in, "lmVCat", "linear maps from the same type");
    std::vector<TypeId> targets;
    for (const TypeId map : in.children) targets.push_back(target(in.types, map));
    return in.types.linearMap(source(in.types, in.children[0]), in.types.tuple(targets));
}

TypeResult typeOfLmHCat(Types in) {
    const bool fits = allMaps(in) && std::ranges::all_of(in.children, [&](TypeId map) {
                          return target(in.types, map) == target(in.types, in.children[0]);
                      });
    if (!fits) return mismatch(in, "lmHCat", "linear maps to the same type");
    std::vector<TypeId> sources;
    for (const TypeId map : in.children) sources.push_back(source(in.types, map));
    return in.types.linearMap(in.types.tuple(sources), target(in.types, in.children[0]));
}

TypeResult typeOfLmVCatV(Types in) {
    const TypeId tensor = in.children[0];
    if (in.types.isTensor(tensor) && isMap(in.types, in.types.element(tensor))) {
        const TypeId map = in.types.element(tensor);
        const TypeId stacked = in.types.tensor(in.types.rank(tensor), target(in.types, map));
        return in.types.linearMap(source(in.types, map), stacked);
    }
    return mismatch(in, "lmVCatV", "a tensor of linear maps");
}

TypeResult typeOfLmHCatV(Types in) {
    const TypeId tensor = in.children[0];
    if (in.types.isTensor(tensor) && isMap(in.types, in.types.element(tensor))) {
        const TypeId map = in.types.element(tensor);
        const TypeId stacked = in.types.tensor(in.types.rank(tensor), source(in.types, map));
        return in.types.linearMap(stacked, target(in.types, map));
    }
    return mismatch(in, "lmHCatV", "a tensor of linear maps");
}

TypeResult typeOfLmApply(Types in) {
    const TypeId map = in.children[0];
    if (isMap(in.types, map) && in.children[1] == in.types.tangent(source(in.types, map))) {
        return in.types.tangent(target(in.types, map));
    }
    return mismatch(in, "lmApply", "an (LM S T) and a tangent of S");
}

TypeResult typeOfLmApplyR(Types in) {
    const TypeId map = in.children[1];
    if (isMap(in.types, map) && in.children[0] == in.types.tangent(target(in.types, map))) {
        return in.types.tangent(source(in.types, map));
    }
    return mismatch(in, "lmApplyR", "a tangent of T and an (LM S T)");
}

// The derivative of `fold f a v` with respect to the variables s that f captures, to a and to v. Children of lmFold:
// a zero of s's tangent, f, the derivative of f, a, v.
TypeResult typeOfLmFold(Types in) {
    TypeTable& types = in.types;
    const TypeId state = in.children[3];
    const TypeId vec = in.children[4];
    if (folds(types, in.children[1], state, vec) && types.kind(in.children[2]) == TypeKind::Lambda) {
        const TypeId from = pairOf(types, in.children[0], pairOf(types, state, vec));
        return types.linearMap(from, state);
    }
    return mismatch(in, "lmFold",
                    "a zero tangent, f : (Lam (Tuple A E) A), f's derivative, a start value A and a (Vec E)");
}

// Forward derivative. Children: f, a, v, the forward derivative of f : (Lam (Tuple (Tuple A E) (Tuple dA dE)) dA), da, dv.
// The result is dA.
TypeResult typeOfFFold(Types in) {
    TypeTable& types = in.types;
    const TypeId state = in.children[1];
    const TypeId vec = in.children[2];
    if (folds(types, in.children[0], state, vec)) {
        const TypeId point = pairOf(types, state, types.element(vec));
        const TypeId dState = types.tangent(state);
        const TypeId derivative = types.lambda(pairOf(types, point, types.tangent(point)), dState);
        if (in.children[3] == derivative && in.children[4] == dState && in.children[5] == types.tangent(vec))
            return dState;
    }
    return mismatch(in, "FFold", "f : (Lam (Tuple A E) A), A, (Vec E), f's forward derivative, dA and (Vec dE)");
}

// Reverse derivative. Children: a zero of the captured variables' tangent S, f, the reverse derivative of f :
// (Lam (Tuple (Tuple A E) dA) (Tuple S (Tuple dA dE))), a, v, dr. The result is (Tuple S (Tuple dA (Vec dE))).
// If f keeps a K of each step, it is a (Lam (Tuple A E) (Tuple A K)), and its derivative's argument a (Tuple (Tuple A E) dA K).
TypeResult typeOfRFold(Types in) {
    TypeTable& types = in.types;
    const TypeId f = in.children[1];
    const TypeId state = in.children[3];
    const TypeId vec = in.children[4];
    if (types.isTensor(vec) && types.rank(vec) == 1) {
        const TypeId point = pairOf(types, state, types.element(vec));
        const TypeId dState = types.tangent(state);
        std::vector<TypeId> argument{point, dState};
        if (const TypeId kept = keptByStep(types, f, state); kept.isValid()) argument.push_back(kept);
        const TypeId value = argument.size() == 2 ? state : pairOf(types, state, argument[2]);
        const TypeId stepResult = pairOf(types, in.children[0], types.tangent(point));
        const bool isStep = f == types.lambda(point, value);
        const bool isDerivative = in.children[2] == types.lambda(types.tuple(argument), stepResult);
        if (isStep && isDerivative && in.children[5] == dState) {
            return pairOf(types, in.children[0], pairOf(types, dState, types.tangent(vec)));
        }
    }
    return mismatch(
        in, "RFold",
        "a zero tangent, f : (Lam (Tuple A E) A), or (Lam (Tuple A E) (Tuple A K)), f's reverse derivative of "
        "((A, E), dA), or ((A, E), dA, K), A, (Vec E) and dA");
}

}  // namespace mitos::ks

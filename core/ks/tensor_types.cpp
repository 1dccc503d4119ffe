// SPDX-License-Identifier: GPL-3.0-or-later
// Type rules of tensor and tangent-space operators.
#include "core/ks/internal/operator_rules.h"

#include <algorithm>
#include <vector>

namespace mitos::ks {

using ir::TypeId;
using ir::TypeKind;
using ir::TypeTable;

namespace {

/// Result type of a function value whose argument has type `from`; invalid if the type is not such a function.
TypeId resultOf(const TypeTable& types, TypeId function, TypeId from) {
    if (types.kind(function) != TypeKind::Lambda || types.children(function)[0] != from) return {};
    return types.children(function)[1];
}

/// The tensor type of rank k' over T, where `pair` is (I_k', T), the result of f, and `sizes` is a tensor of rank k'. Invalid if the
/// ranks differ.
TypeId scattered(TypeTable& types, TypeId sizes, TypeId pair) {
    if (!types.isTensor(sizes) || !types.isTuple(pair) || types.children(pair).size() != 2) return {};
    const std::uint32_t rank = types.rank(sizes);
    if (indexRank(types, types.children(pair)[0]) != rank) return {};
    return types.tensor(rank, types.children(pair)[1]);
}

}  // namespace

TypeResult typeOfBuild(Types in) {
    const std::uint32_t rank = indexRank(in.types, in.children[0]);
    const TypeId element = resultOf(in.types, in.children[1], in.children[0]);
    if (rank > 0 && element.isValid()) return in.types.tensor(rank, element);
    return mismatch(in, "build", "a size (Integer, or a tuple of Integers) and a function of an index of that type");
}

TypeResult typeOfSumbuild(Types in) {
    const TypeId element = resultOf(in.types, in.children[1], in.children[0]);
    if (indexRank(in.types, in.children[0]) > 0 && element.isValid()) return element;
    return mismatch(in, "sumbuild", "a size (Integer, or a tuple of Integers) and a function of an index of that type");
}

TypeResult typeOfFold(Types in) {
    const TypeId state = in.children[1];
    const TypeId vec = in.children[2];
    if (in.types.isTensor(vec) && in.types.rank(vec) == 1 &&
        resultOf(in.types, in.children[0], pairOf(in.types, state, in.types.element(vec))) == state) {
        return state;
    }
    return mismatch(in, "fold", "a function (Lam (Tuple A E) A), a start value A and a (Vec E)");
}

TypeResult typeOfLoop(Types in) {
    const TypeId integer = in.types.integer();
    const TypeId state = in.children[1];
    const TypeId doneAndNext = pairOf(in.types, in.types.boolean(), state);
    if (in.children[0] == integer &&
        resultOf(in.types, in.children[2], pairOf(in.types, integer, state)) == doneAndNext) {
        return pairOf(in.types, integer, state);
    }
    return mismatch(in, "loop",
                    "a bound (Integer), a start value A and a function (Lam (Tuple Integer A) (Tuple Bool A))");
}

TypeResult typeOfMap(Types in) {
    const TypeId tensor = in.children[1];
    if (in.types.isTensor(tensor)) {
        const TypeId element = resultOf(in.types, in.children[0], in.types.element(tensor));
        if (element.isValid()) return in.types.tensor(in.types.rank(tensor), element);
    }
    return mismatch(in, "map", "a function of an element and a tensor");
}

TypeResult typeOfMap2(Types in) {
    const TypeId left = in.children[1];
    const TypeId right = in.children[2];
    if (in.types.isTensor(left) && in.types.isTensor(right) && in.types.rank(left) == in.types.rank(right)) {
        const TypeId pair = pairOf(in.types, in.types.element(left), in.types.element(right));
        const TypeId element = resultOf(in.types, in.children[0], pair);
        if (element.isValid()) return in.types.tensor(in.types.rank(left), element);
    }
    return mismatch(in, "map2", "a function of a pair of elements and two tensors of the same rank");
}

TypeResult typeOfIndex(Types in) {
    const TypeId tensor = in.children[1];
    if (in.types.isTensor(tensor) && indexRank(in.types, in.children[0]) == in.types.rank(tensor)) {
        return in.types.element(tensor);
    }
    return mismatch(in, "index",
                    "an index first, then a tensor (an Integer and a Vec, or a k-tuple of Integers and a Tensor k)");
}

TypeResult typeOfSize(Types in) {
    if (in.types.isTensor(in.children[0])) return in.types.indexType(in.types.rank(in.children[0]));
    return mismatch(in, "size", "a tensor");
}

TypeResult typeOfShape(Types in) { return in.types.shape(in.children[0]); }

TypeResult typeOfSum(Types in) {
    if (in.types.isTensor(in.children[0])) return in.types.element(in.children[0]);
    return mismatch(in, "sum", "a tensor");
}

TypeResult typeOfUnzip(Types in) {
    const TypeId tensor = in.children[0];
    if (!in.types.isTensor(tensor) || !in.types.isTuple(in.types.element(tensor))) {
        return mismatch(in, "unzip", "a tensor of tuples");
    }
    std::vector<TypeId> parts(in.types.children(in.types.element(tensor)).begin(),
                              in.types.children(in.types.element(tensor)).end());
    const std::uint32_t rank = in.types.rank(tensor);
    for (TypeId& part : parts) part = in.types.tensor(rank, part);
    return in.types.tuple(parts);
}

TypeResult typeOfVecInit(Types in) {
    const bool same = std::ranges::all_of(in.children, [&](TypeId type) { return type == in.children[0]; });
    if (same) return in.types.vec(in.children[0]);
    return mismatch(in, "Vec_init", "one or more values of the same type");
}

TypeResult typeOfConstVec(Types in) {
    const std::uint32_t rank = indexRank(in.types, in.children[0]);
    if (rank > 0) return in.types.tensor(rank, in.children[1]);
    return mismatch(in, "constVec", "a size (Integer, or a tuple of Integers) and a value");
}

TypeResult typeOfDeltaVec(Types in) {
    const std::uint32_t rank = indexRank(in.types, in.children[0]);
    if (rank > 0 && in.children[0] == in.children[1]) return in.types.tensor(rank, in.children[2]);
    return mismatch(in, "deltaVec", "a size, an index of the same type and a value");
}

TypeResult typeOfDelta(Types in) {
    if (indexRank(in.types, in.children[0]) > 0 && in.children[0] == in.children[1]) return in.children[2];
    return mismatch(in, "delta", "two indices of the same type and a value");
}

TypeResult typeOfDiag(Types in) {
    const TypeId integer = in.types.integer();
    const TypeId element = resultOf(in.types, in.children[2], integer);
    if (in.children[0] == integer && in.children[1] == integer && element.isValid()) {
        const TypeId row = in.types.vec(element);
        return in.types.vec(row);
    }
    return mismatch(in, "diag", "two Integers (rows, columns) and a function of an Integer");
}

TypeResult typeOfBuildFromSparse(Types in) {
    const TypeId pair = resultOf(in.types, in.children[2], in.children[1]);
    if (indexRank(in.types, in.children[1]) > 0 && pair.isValid()) {
        const TypeId tensor = scattered(in.types, in.children[0], pair);
        if (tensor.isValid()) return tensor;
    }
    return mismatch(
        in, "buildFromSparse",
        "a tensor of shapes, a number of contributions and a function from an index to a pair (index, value)");
}

TypeResult typeOfBuildFromSparseTupled(Types in) {
    const TypeId pairs = resultOf(in.types, in.children[2], in.children[1]);
    const TypeId shapes = in.children[0];
    if (indexRank(in.types, in.children[1]) > 0 && pairs.isValid() && in.types.isTuple(pairs) &&
        in.types.isTuple(shapes) && in.types.children(pairs).size() == in.types.children(shapes).size()) {
        std::vector<TypeId> tensors;
        for (std::size_t i = 0; i < in.types.children(pairs).size(); ++i) {
            tensors.push_back(scattered(in.types, in.types.children(shapes)[i], in.types.children(pairs)[i]));
        }
        if (std::ranges::all_of(tensors, [](TypeId t) { return t.isValid(); })) return in.types.tuple(tensors);
    }
    return mismatch(in, "buildFromSparseTupled",
                    "a tuple of shape tensors, a number of contributions and a function from an index to a tuple of "
                    "pairs (index, value)");
}

TypeResult typeOfTsAdd(Types in) {
    if (in.children[1] == in.types.tangent(in.children[0])) return in.children[0];
    return mismatch(in, "ts_add", "a value and a tangent of its type");
}

TypeResult typeOfTsScale(Types in) {
    if (in.children[0] == in.types.floating()) return in.children[1];
    return mismatch(in, "ts_scale", "a Float and a value");
}

TypeResult typeOfTsNeg(Types in) { return in.children[0]; }

TypeResult typeOfTsDot(Types in) {
    if (in.children[0] == in.children[1]) return in.types.floating();
    return mismatch(in, "ts_dot", "two values of the same type");
}

}  // namespace mitos::ks

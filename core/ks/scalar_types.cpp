// SPDX-License-Identifier: GPL-3.0-or-later
// Type rules of arithmetic, comparisons, functions of Floats, control and effects.
#include "core/ks/internal/operator_rules.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace mitos::ks {

using ir::TypeId;
using ir::TypeKind;
using ir::TypeTable;

Error mismatch(Types in, std::string_view name, std::string_view expected) {
    std::string found = in.children.empty() ? "nothing" : "";
    constexpr std::size_t Shown = 12;
    for (std::size_t i = 0; i < in.children.size(); ++i) {
        if (i == Shown) {
            found += fmt::format(", … ({} in all)", in.children.size());
            break;
        }
        if (i > 0) found += i + 1 == in.children.size() ? " and " : ", ";
        found += in.types.toShortString(in.children[i]);
    }
    return Error{ErrorCode::Parse, fmt::format("{} takes {}; found {}", name, expected, found)};
}

TypeId pairOf(TypeTable& types, TypeId first, TypeId second) {
    const std::vector<TypeId> elements{first, second};
    return types.tuple(elements);
}

std::uint32_t indexRank(const TypeTable& types, TypeId type) {
    if (type == types.integer()) return 1;
    if (!types.isTuple(type)) return 0;
    const auto elements = types.children(type);
    const bool integers = std::ranges::all_of(elements, [&](TypeId element) { return element == types.integer(); });
    return integers && elements.size() >= 2 ? static_cast<std::uint32_t>(elements.size()) : 0;
}

namespace {

/// Whether the type is `number`, or a tuple or tensor whose parts at every depth are of that type. If `number` is invalid, any
/// numeric types are accepted.
bool isMadeOf(const TypeTable& types, TypeId type, TypeId number) {
    std::vector<TypeId> open{type};
    absl::flat_hash_set<TypeId> seen{type};
    while (!open.empty()) {
        const TypeId part = open.back();
        open.pop_back();
        if (types.isNumeric(part) && (part == number || !number.isValid())) continue;
        if (!types.isTuple(part) && !types.isTensor(part)) return false;
        for (const TypeId child : types.children(part)) {
            if (seen.insert(child).second) open.push_back(child);
        }
    }
    return true;
}

/// The collection's type for "scalar op collection" and "collection op scalar", else invalid.
TypeId broadcast(const TypeTable& types, TypeId left, TypeId right) {
    if (types.isNumeric(right) && !types.isNumeric(left) && isMadeOf(types, left, right)) return left;
    if (types.isNumeric(left) && !types.isNumeric(right) && isMadeOf(types, right, left)) return right;
    return {};
}

bool isFloatVec(TypeTable& types, TypeId type) { return type == types.vec(types.floating()); }

}  // namespace

TypeResult typeOfSum2(Types in, std::string_view name) {
    const TypeId left = in.children[0];
    if (left == in.children[1] && isMadeOf(in.types, left, {})) return left;
    if (const TypeId spread = broadcast(in.types, left, in.children[1]); spread.isValid()) return spread;
    return mismatch(in, name,
                    "two Floats, two Integers, two tuples or tensors of the same type, or one of them and a number");
}

TypeResult typeOfMul(Types in) {
    const TypeId left = in.children[0];
    const TypeId right = in.children[1];
    if (in.types.isNumeric(left) && in.types.isNumeric(right)) {
        return left == right ? left : in.types.floating();  // Float times Integer is a Float
    }
    if (const TypeId spread = broadcast(in.types, left, right); spread.isValid()) return spread;
    if (isFloatVec(in.types, right) && left == in.types.tensor(2, in.types.floating())) return right;
    return mismatch(
        in, "mul",
        "two numbers, a number and a tuple or tensor of such numbers, or a (Tensor 2 Float) and a (Vec Float)");
}

TypeResult typeOfDiv(Types in) {
    const TypeId left = in.children[0];
    if (left == in.children[1] && in.types.isNumeric(left)) return left;
    if (const TypeId spread = broadcast(in.types, left, in.children[1]); spread.isValid()) return spread;
    return mismatch(in, "div", "two Floats, two Integers, or a number and a tuple or tensor of such numbers");
}

TypeResult typeOfNeg(Types in) {
    if (in.types.isNumeric(in.children[0])) return in.children[0];
    return mismatch(in, "neg", "a Float or an Integer");
}

TypeResult typeOfOrder(Types in, std::string_view name) {
    if (in.types.isNumeric(in.children[0]) && in.children[0] == in.children[1]) return in.types.boolean();
    return mismatch(in, name, "two Floats or two Integers");
}

TypeResult typeOfEquality(Types in, std::string_view name) {
    const TypeKind kind = in.types.kind(in.children[0]);
    if (in.children[0] == in.children[1] && kind != TypeKind::Lambda && kind != TypeKind::LinearMap) {
        return in.types.boolean();
    }
    return mismatch(in, name, "two values of the same type");
}

TypeResult typeOfLogic(Types in, std::string_view name) {
    if (in.children[0] == in.types.boolean() && in.children[1] == in.types.boolean()) return in.types.boolean();
    return mismatch(in, name, "two Bools");
}

TypeResult typeOfNot(Types in) {
    if (in.children[0] == in.types.boolean()) return in.types.boolean();
    return mismatch(in, "not", "a Bool");
}

TypeResult typeOfFloatFunction(Types in, std::string_view name) {
    if (in.children[0] == in.types.floating()) return in.types.floating();
    return mismatch(in, name, "a Float");
}

TypeResult typeOfExp(Types in) {
    if (in.children[0] == in.types.floating() || isFloatVec(in.types, in.children[0])) return in.children[0];
    return mismatch(in, "exp", "a Float or a (Vec Float)");
}

TypeResult typeOfMax(Types in) {
    const TypeId floating = in.types.floating();
    const bool pair = in.children.size() == 2 && in.children[0] == floating && in.children[1] == floating;
    if (pair || (in.children.size() == 1 && isFloatVec(in.types, in.children[0]))) return floating;
    return mismatch(in, "max", "two Floats or a (Vec Float)");
}

TypeResult typeOfImax(Types in) {
    if (isFloatVec(in.types, in.children[0])) return in.types.integer();
    return mismatch(in, "imax", "a (Vec Float)");
}

TypeResult typeOfPow(Types in) {
    if (in.children[0] == in.types.floating() && in.children[1] == in.types.integer()) return in.types.floating();
    return mismatch(in, "pow", "a Float and an Integer");
}

TypeResult typeOfToFloat(Types in) {
    if (in.children[0] == in.types.integer()) return in.types.floating();
    return mismatch(in, "to_float", "an Integer");
}

TypeResult typeOfBoolToFloat(Types in) {
    if (in.children[0] == in.types.boolean()) return in.types.floating();
    return mismatch(in, "bool_to_float", "a Bool");
}

TypeResult typeOfPi(Types in) { return in.types.floating(); }

TypeResult typeOfDot(Types in) {
    if (isFloatVec(in.types, in.children[0]) && in.children[0] == in.children[1]) return in.types.floating();
    return mismatch(in, "dot", "two (Vec Float)s");
}

TypeResult typeOfMymul(Types in) {
    if (in.children[0] == in.types.floating() && in.children[1] == in.types.floating()) return in.types.floating();
    return mismatch(in, "mymul", "two Floats");
}

TypeResult typeOfIf(Types in) {
    if (in.children[0] == in.types.boolean() && in.children[1] == in.children[2]) return in.children[1];
    return mismatch(in, "if", "a Bool and two values of the same type");
}

TypeResult typeOfAssert(Types in) {
    if (in.children[0] == in.types.boolean()) return in.children[1];
    return mismatch(in, "assert", "a Bool and a value");
}

TypeResult typeOfPrint(Types in) {
    const bool printable = std::ranges::all_of(in.children, [&](TypeId type) {
        return in.types.kind(type) != TypeKind::Lambda && in.types.kind(type) != TypeKind::LinearMap;
    });
    if (printable) return in.types.integer();
    return mismatch(in, "print", "values other than functions");
}

TypeResult typeOfIdentity(Types in, std::string_view name) {
    if (in.types.kind(in.children[0]) != TypeKind::Lambda) return in.children[0];
    return mismatch(in, name, "a value other than a function");
}

TypeResult typeOfRanhashdoub(Types in) {
    if (in.children[0] == in.types.integer()) return in.types.floating();
    return mismatch(in, "$ranhashdoub", "an Integer");
}

TypeResult typeOfBench(Types in) {
    if (in.children[0] == in.types.lambda(in.types.unit(), in.types.floating())) return in.types.floating();
    return mismatch(in, "$BENCH", "a (Lam (Tuple) Float)");
}

TypeResult typeOfCheck(Types in) {
    TypeTable& types = in.types;
    if (types.kind(in.children[0]) == TypeKind::Lambda) {
        const TypeId from = types.children(in.children[0])[0];
        const TypeId to = types.children(in.children[0])[1];
        const TypeId dFrom = types.tangent(from);
        const TypeId dTo = types.tangent(to);
        const std::vector<TypeId> point{from, dTo};
        const TypeId reverse = types.lambda(types.tuple(point), dFrom);
        if (in.children[1] == reverse && in.children[2] == from && in.children[3] == dFrom && in.children[4] == dTo) {
            return types.floating();
        }
    }
    return mismatch(in, "$check",
                    "f : (Lam S T), its reverse (Lam (Tuple S dT) dS), a point S, and tangents dS and dT");
}

TypeResult typeOfElim(Types in) { return in.types.unit(); }

TypeResult typeOfDup(Types in) {
    const std::vector<TypeId> copies(static_cast<std::size_t>(in.payload.asInteger()), in.children[0]);
    return in.types.tuple(copies);
}

TypeResult typeOfApply(Types in) {
    if (in.types.kind(in.children[0]) == TypeKind::Lambda && in.types.children(in.children[0])[0] == in.children[1]) {
        return in.types.children(in.children[0])[1];
    }
    return mismatch(in, "apply", "a (Lam S T) and an S");
}

}  // namespace mitos::ks

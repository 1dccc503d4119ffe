// SPDX-License-Identifier: GPL-3.0-or-later
// The operators shared by all dialects, and their type rules.
#include "core/ir/operator_registry.h"

#include "core/base/hash.h"
#include "core/ir/dialect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

namespace mitos::ir {

namespace {

Error tupleError(std::string message) { return Error{ErrorCode::Parse, std::move(message)}; }

Result<TypeId> typeOfLet(const TypeRuleInput& in) { return in.children[1]; }

Result<TypeId> typeOfLam(const TypeRuleInput& in) { return in.types.lambda(in.payload.asType(), in.children[0]); }

Result<TypeId> typeOfTuple(const TypeRuleInput& in) { return in.types.tuple(in.children); }

Result<TypeId> typeOfGet(const TypeRuleInput& in) {
    const TypeId tuple = in.children[0];
    const std::uint32_t index = in.payload.projectionIndex();
    const std::uint32_t arity = in.payload.projectionArity();
    if (!in.types.isTuple(tuple)) {
        return tupleError(
            fmt::format("an element is taken of {}, which is not a tuple", in.types.toShortString(tuple)));
    }
    if (in.types.children(tuple).size() != arity || index >= arity) {
        return tupleError(fmt::format("element {} of {} is taken of a tuple with {} elements", index + 1, arity,
                                      in.types.children(tuple).size()));
    }
    return in.types.children(tuple)[index];
}

Result<TypeId> typeOfDummy(const TypeRuleInput& in) { return in.payload.asType(); }

}  // namespace

OperatorRegistry::OperatorRegistry() {
    const auto core = [this](CoreOp expected, std::string name, std::uint32_t min, std::uint32_t max,
                             PayloadKind payload, int binding, TypeRule rule, std::string doc) {
        const Result<OpId> id =
            add(OperatorInfo{std::move(name), "core", min, max, payload, binding, rule, {}, std::move(doc)});
        assert(id.ok() && *id == opId(expected));
        static_cast<void>(id);
        static_cast<void>(expected);
    };
    constexpr int None = OperatorInfo::BindsNothing;
    core(CoreOp::Literal, "literal", 0, 0, PayloadKind::None, None, nullptr, "a constant");
    core(CoreOp::Variable, "variable", 0, 0, PayloadKind::Name, None, nullptr, "a free variable");
    core(CoreOp::Bound, "bound", 0, 0, PayloadKind::Index, None, nullptr, "a variable of an enclosing let or lambda");
    core(CoreOp::Let, "let", 2, 2, PayloadKind::None, 1, typeOfLet, "names a value that is computed once");
    core(CoreOp::Lam, "lam", 1, 1, PayloadKind::Type, 0, typeOfLam, "a function of one variable");
    core(CoreOp::Tuple, "tuple", 0, OperatorInfo::Variadic, PayloadKind::None, None, typeOfTuple,
         "a tuple of its arguments");
    core(CoreOp::Get, "get", 1, 1, PayloadKind::Projection, None, typeOfGet, "an element of a tuple");
    core(CoreOp::Call, "call", 0, OperatorInfo::Variadic, PayloadKind::Function, None, nullptr, "a call of a function");
    core(CoreOp::Dummy, "$dummy", 0, 0, PayloadKind::Type, None, typeOfDummy, "an arbitrary value of a type");
}

Result<OpId> OperatorRegistry::add(OperatorInfo info) {
    const OpId id(static_cast<std::uint32_t>(m_infos.size()));
    if (!m_byName.emplace(info.name, id).second) {
        return inputError(fmt::format("there is an operator named {} already", info.name), "choose another name");
    }
    m_hashes.push_back(hashText(info.name));
    m_infos.push_back(std::move(info));
    return id;
}

void OperatorRegistry::addDialect(Dialect dialect) {
    dialect.addOperators(*this);
    m_dialects.push_back(std::make_shared<const Dialect>(std::move(dialect)));
}

const Dialect* OperatorRegistry::findDialect(std::string_view name) const {
    const auto found =
        std::ranges::find(m_dialects, name, [](const auto& dialect) -> std::string_view { return dialect->name; });
    return found == m_dialects.end() ? nullptr : found->get();
}

OpId OperatorRegistry::find(std::string_view name) const {
    const auto found = m_byName.find(std::string(name));
    return found == m_byName.end() ? OpId() : found->second;
}

}  // namespace mitos::ir

// SPDX-License-Identifier: GPL-3.0-or-later
// This is the only part of the rule language that reads the table of tensor operators.
#include "core/rules/language/array_operators.h"

#include "core/tensor/element_range.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/operator.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace mitos::rules {

using ir::CoreOp;
using ir::TermId;

namespace {

constexpr std::string_view Constant = "Constant";

Error unfitting(std::string message) { return Error{ErrorCode::InvalidInput, std::move(message)}; }

const tensor::AttributeInfo* attributeInfo(const ir::OperatorInfo& info, std::size_t attribute) {
    const tensor::Operator* const op = isOfArrays(info) ? tensor::findOperator(info.name) : nullptr;
    return op == nullptr ? nullptr : &op->attributes[attribute];
}

}  // namespace

bool isOfArrays(const ir::OperatorInfo& info) { return info.dialect == tensor::DialectName; }

std::optional<std::string> defaultAttribute(const ir::OperatorInfo& info, std::size_t attribute) {
    const tensor::AttributeInfo* const known = attributeInfo(info, attribute);
    if (known == nullptr || known->defaultText.empty()) return std::nullopt;
    return known->defaultText;
}

bool isFloatAttribute(const ir::OperatorInfo& info, std::size_t attribute) {
    const tensor::AttributeInfo* const known = attributeInfo(info, attribute);
    return known != nullptr &&
           (known->kind == tensor::AttributeKind::Float || known->kind == tensor::AttributeKind::Floats);
}

Result<std::string> canonicalAttribute(const ir::OperatorInfo& info, std::size_t attribute, std::string_view text) {
    const tensor::AttributeInfo* const known = attributeInfo(info, attribute);
    if (known == nullptr) return std::string(text);
    MITOS_TRY(const tensor::AttributeValue value, tensor::readAttribute(*known, text));
    return tensor::attributeText(value);
}

ir::OpId constantOperator(const ir::OperatorRegistry& registry) {
    const ir::OpId found = registry.find(Constant);
    return found.isValid() && isOfArrays(registry.info(found)) ? found : ir::OpId();
}

std::optional<double> constantValue(const ir::TermBank& bank, TermId term) {
    if (bank.payload(term).kind() != ir::PayloadKind::Attributes || bank.childCount(term) > 0) return std::nullopt;
    const tensor::Operator* const op = tensor::operatorOf(bank, term);
    if (op == nullptr || op->name != Constant) return std::nullopt;
    return tensor::attributesOf(bank, term).floating("value");
}

Result<TermId> constantArray(ir::TermBank& bank, double value, ir::TypeId like, bool isScalar) {
    const tensor::Operator* const op = tensor::findOperator(Constant);
    if (op == nullptr || !like.isValid() || !bank.types().isArray(like)) {
        return unfitting("the element type of a number on the right side is not known");
    }
    const tensor::ArrayType type = tensor::arrayType(bank.types(), like);
    if (!isScalar && !type.isStatic()) return unfitting("the shape of a number on the right side is not known");
    if (!ir::isFloating(type.dtype) && value != std::floor(value)) {
        return unfitting(fmt::format("{} is no {}", value, ir::dtypeName(type.dtype)));
    }
    tensor::Attributes attributes(*op);
    attributes.set("value", value);
    attributes.set("dtype", std::string(ir::dtypeName(type.dtype)));
    attributes.set("shape", isScalar ? tensor::Shape() : type.shape());
    return tensor::make(bank, *op, {}, attributes);
}

bool holdsConstants(const ir::TermBank& bank, TermId term) {
    constexpr std::uint64_t MostNodes = 32;
    constexpr std::int64_t MostElements = 4096;
    if (bank.treeSize(term) > MostNodes || !bank.types().isArray(bank.type(term))) return true;
    std::vector<TermId> open{term};
    while (!open.empty()) {
        const TermId current = open.back();
        open.pop_back();
        if (bank.childCount(current) == 0 && !constantValue(bank, current)) return true;
        open.insert(open.end(), bank.children(current).begin(), bank.children(current).end());
    }
    const Result<std::vector<tensor::ArrayPtr>> value =
        tensor::evaluate(bank, term, {}, {}, {.stop = {}, .maxElements = MostElements});
    if (!value || value->front() == nullptr) return true;
    const tensor::Array& array = *value->front();
    return std::ranges::all_of(array.elements, [&](double element) { return tensor::isHeld(array.dtype, element); });
}

bool holdsAttribute(const ir::TermBank& bank, const ir::OperatorInfo& info, std::size_t attribute, TermId literal) {
    if (info.name == Constant || !isFloatAttribute(info, attribute)) return true;
    const auto isHeld = [&bank](TermId each) {
        return !bank.is(each, CoreOp::Literal) || bank.payload(each).kind() != ir::PayloadKind::Float ||
               tensor::isHeld(ir::Dtype::F32, bank.payload(each).asFloat());
    };
    return isHeld(literal) && std::ranges::all_of(bank.children(literal), isHeld);
}

bool dependsOnWeightsOnly(const ir::TermBank& bank, TermId term) {
    if (bank.looseBound(term) > 0) return false;
    std::vector<TermId> open{term};
    absl::flat_hash_set<TermId> seen;
    while (!open.empty()) {
        const TermId current = open.back();
        open.pop_back();
        if (bank.is(current, CoreOp::Variable)) return false;
        if (bank.childCount(current) == 0 || !seen.insert(current).second) continue;
        // The deepest child goes last, so that it is visited next: terms that lead to the inputs of a network are deep, weights are not.
        const std::size_t first = open.size();
        for (const TermId child : bank.children(current)) open.push_back(child);
        for (std::size_t i = first; i + 1 < open.size(); ++i) {
            if (bank.depth(open[i]) > bank.depth(open.back())) std::swap(open[i], open.back());
        }
    }
    return true;
}

}  // namespace mitos::rules

// SPDX-License-Identifier: GPL-3.0-or-later
// The whole table, and its terms.
#include "core/tensor/operator.h"

#include "core/tensor/internal/array_facts.h"
#include "core/tensor/ops/ops.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace mitos::tensor {

namespace {

using ir::TypeId;

struct Table {
    std::vector<Operator> entries;
    absl::flat_hash_map<std::string_view, const Operator*> byName;
};

/// The table, which is made once and never changed afterwards.
const Table& table() {
    static const Table made = [] {
        Table result;
        addUnary(result.entries);
        addBinary(result.entries);
        addConversions(result.entries);
        addReduce(result.entries);
        addSoftmax(result.entries);
        addNormalization(result.entries);
        addLinear(result.entries);
        addConvolutions(result.entries);
        addColumns(result.entries);
        addPools(result.entries);
        addReshapes(result.entries);
        addMovement(result.entries);
        addSlices(result.entries);
        addPads(result.entries);
        addRepeats(result.entries);
        addGathers(result.entries);
        addGenerators(result.entries);
        addResizes(result.entries);
        addSamples(result.entries);
        addEinsum(result.entries);
        addRecurrent(result.entries);
        addQuantization(result.entries);
        addSelections(result.entries);
        addKernels(result.entries);
        addGelus(result.entries);
        addFused(result.entries);
        addAttention(result.entries);
        addLayouts(result.entries);
        for (const Operator& op : result.entries) {
            [[maybe_unused]] const bool isNew = result.byName.emplace(op.name, &op).second;
            assert(isNew);
        }
        return result;
    }();
    return made;
}

/// The type rule of every table operator: applies its shape rule and converts from and to types.
Result<TypeId> tensorType(const ir::TypeRuleInput& in) {
    const Operator* const op = findOperator(in.op.name);
    const std::string_view text =
        in.payload.kind() == ir::PayloadKind::Attributes ? in.types.symbols().text(in.payload.asSymbol()) : "";
    MITOS_TRY(const Attributes attributes, Attributes::read(*op, text));
    std::vector<ArrayType> inputs;
    for (std::size_t i = 0; i < in.children.size(); ++i) {
        const TypeId child = in.children[i];
        if (in.types.isArray(child)) {
            inputs.push_back(arrayType(in.types, child));
            continue;
        }
        const InputInfo& input = op->inputs[std::min(i, op->inputs.size() - 1)];
        if (child != in.types.unit() || input.kind != InputInfo::Kind::Optional) {
            return shapeError(fmt::format("{} takes an array as its input {}; found {}", op->name, input.name,
                                          in.types.toShortString(child)));
        }
        inputs.push_back(ArrayType::absent());
    }
    MITOS_TRY(const std::vector<ArrayType> outputs, op->shape({*op, attributes, inputs, in.types.symbols()}));
    std::vector<TypeId> types;
    for (const ArrayType& output : outputs) types.push_back(typeId(in.types, output));
    return types.size() == 1 ? types.front() : in.types.tuple(types);
}

}  // namespace

bool ArrayType::isStatic() const {
    return hasRank && std::ranges::all_of(dimensions, [](ir::Dimension d) { return d.isKnown(); });
}

Shape ArrayType::shape() const {
    assert(isStatic());
    Shape result;
    for (const ir::Dimension& dimension : dimensions) result.push_back(dimension.size);
    return result;
}

ArrayType arrayType(const ir::TypeTable& types, TypeId type) {
    const std::span<const ir::Dimension> dimensions = types.dimensions(type);
    return {types.dtype(type), types.hasRank(type), {dimensions.begin(), dimensions.end()}};
}

TypeId typeId(ir::TypeTable& types, const ArrayType& type) {
    return type.hasRank ? types.array(type.dtype, type.dimensions) : types.unranked(type.dtype);
}

bool ShapeInput::isPresent(std::size_t input) const { return input < inputs.size() && !inputs[input].isAbsent; }

std::uint32_t Operator::minArity() const {
    return static_cast<std::uint32_t>(
        std::ranges::count_if(inputs, [](const InputInfo& input) { return input.kind != InputInfo::Kind::Optional; }));
}

std::uint32_t Operator::maxArity() const {
    const bool isVariadic = !inputs.empty() && inputs.back().kind == InputInfo::Kind::Variadic;
    return isVariadic ? ir::OperatorInfo::Variadic : static_cast<std::uint32_t>(inputs.size());
}

std::span<const Operator> operators() { return table().entries; }

const Operator* findOperator(std::string_view name) {
    const auto found = table().byName.find(name);
    return found == table().byName.end() ? nullptr : found->second;
}

void addOperators(ir::OperatorRegistry& registry) {
    const auto add = [&registry](ir::OperatorInfo info) {
        info.dialect = DialectName;
        [[maybe_unused]] const Result<ir::OpId> added = registry.add(std::move(info));
        assert(added.ok());
    };
    for (const Operator& op : operators()) {
        ir::OperatorInfo info;
        info.name = op.name;
        info.minArity = op.minArity();
        info.maxArity = op.maxArity();
        info.typeRule = tensorType;
        info.traits = op.traits;
        info.doc = op.doc;
        info.facts = op.facts.rule != nullptr ? op.facts : ir::OperatorFacts{factsOfArrays};
        for (const AttributeInfo& attribute : op.attributes) info.attributes.push_back(attribute.name);
        if (!info.attributes.empty()) info.payload = ir::PayloadKind::Attributes;
        add(std::move(info));
    }
    add({.name = std::string(WeightName),
         .dialect = {},
         .payload = ir::PayloadKind::Name,
         .traits = {},
         .doc = "an array that is known before the program runs"});
    add({.name = std::string(AbsentName),
         .dialect = {},
         .typeRule = [](const ir::TypeRuleInput& in) -> Result<TypeId> { return in.types.unit(); },
         .traits = {},
         .doc = "an optional input that is left out"});
    add({.name = std::string(OpaqueName),
         .dialect = {},
         .maxArity = ir::OperatorInfo::Variadic,
         .payload = ir::PayloadKind::Name,
         .traits = {},
         .doc = "an operator that is carried through untouched"});
}

Result<ir::TermId> make(ir::TermBank& bank, const Operator& op, std::span<const ir::TermId> inputs,
                        const Attributes& attributes, Symbol hint) {
    const ir::Payload payload =
        op.attributes.empty() ? ir::Payload() : ir::Payload::attributes(bank.symbols().intern(attributes.text()));
    return bank.make(bank.registry().find(op.name), inputs, payload, hint);
}

Attributes attributesOf(const ir::TermBank& bank, ir::TermId term) {
    const Operator* const op = operatorOf(bank, term);
    assert(op != nullptr);
    if (op->attributes.empty()) return Attributes(*op);
    Result<Attributes> attributes = Attributes::read(*op, bank.text(bank.payload(term).asSymbol()));
    assert(attributes.ok());  // the type rule has read them
    return *std::move(attributes);
}

const Operator* operatorOf(const ir::TermBank& bank, ir::TermId term) {
    const ir::OperatorInfo& info = bank.registry().info(bank.op(term));
    return info.dialect == DialectName ? findOperator(info.name) : nullptr;
}

}  // namespace mitos::tensor

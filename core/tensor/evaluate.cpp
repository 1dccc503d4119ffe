// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/evaluate.h"

#include "core/tensor/element_range.h"
#include "core/tensor/internal/elementwise.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mitos::tensor {

namespace {

using ir::TermId;

Error failure(ErrorCode code, std::string message) { return {code, std::move(message)}; }

ArrayType typeOf(const Array& array) {
    ArrayType type{.dtype = array.dtype, .dimensions = {}};
    for (const std::int64_t size : array.shape) type.dimensions.push_back(ir::Dimension::of(size));
    return type;
}

std::string text(const Array& array) {
    return fmt::format("{}[{}]", ir::dtypeName(array.dtype), fmt::join(array.shape, ","));
}

/// Whether an array of that shape may be made; guards against overflow of the product of sizes. A size of 0 counts as 1, since evaluators
/// also list the places along the other axes.
bool isWithin(const Shape& shape, std::int64_t limit) {
    double count = 1.0;
    for (const std::int64_t size : shape) count *= static_cast<double>(std::max<std::int64_t>(size, 1));
    return count <= static_cast<double>(limit);
}

Error tooLarge(std::string_view what, const EvaluateOptions& options) {
    Error error = failure(ErrorCode::Limit, fmt::format("{} has more than {} elements", what, options.maxElements));
    error.hint = "Evaluate with smaller inputs.";
    return error;
}

/// Whether the evaluator computed the element exactly, as its Integer type holds it. Elements of 2^53 and more that were only moved are
/// as they were read.
bool isOfType(ir::Dtype dtype, double element) {
    const bool isLong = dtype == ir::Dtype::I64 || dtype == ir::Dtype::U64;
    return roundTo(dtype, element) == element || (isLong && std::abs(element) >= EndOfExact);
}

/// Fails unless the values are of the types that the shape rule gives; a table entry that contradicts itself computes nothing.
Status checkValues(const std::vector<ArrayPtr>& values, const std::vector<ArrayType>& types) {
    const auto fits = [](const ArrayPtr& value, const ArrayType& type) {
        return value->dtype == type.dtype && (!type.isStatic() || value->shape == type.shape()) &&
               static_cast<std::int64_t>(value->elements.size()) == elementCount(value->shape);
    };
    if (!std::ranges::equal(values, types, fits))
        return failure(ErrorCode::Unsupported, "the result is not of the type that the inputs determine");
    for (const ArrayPtr& value : values) {
        if (ir::isFloating(value->dtype)) continue;
        const auto isExact = [dtype = value->dtype](double element) { return isOfType(dtype, element); };
        if (!std::ranges::all_of(value->elements, isExact)) return inexact();
    }
    return Success{};
}

class Evaluation {
public:
    Evaluation(const ir::TermBank& bank, const NodeValues& given, const Inputs& inputs, const Weights& weights,
               const EvaluateOptions& options)
        : m_bank(bank),
          m_given(given),
          m_inputs(inputs),
          m_weights(weights),
          m_options(options) {}

    Result<NodeValues> run(std::span<const TermId> wanted) {
        const std::vector<TermId> order = inOrder(wanted);
        MITOS_REQUIRE(requireRoom(order));
        for (const TermId term : order) {
            if (m_options.stop.stop_requested()) return failure(ErrorCode::Cancelled, "the evaluation was stopped");
            const auto given = m_given.find(term);
            Result<std::vector<ArrayPtr>> values = given != m_given.end() ? given->second : compute(term);
            if (values) {
                if (Status status = check(term, *values); !status) values = std::move(status).error();
            }
            if (!values) return named(term, std::move(values).error());
            m_nodes[term].values = *std::move(values);
            if (given != m_given.end()) continue;
            for (const TermId child : m_bank.children(term)) release(child);
        }
        NodeValues result;
        for (const TermId term : wanted) result.try_emplace(term, m_nodes[term].values);
        return result;
    }

private:
    struct Node {
        std::uint32_t uses = 0;
        std::vector<ArrayPtr> values;
    };

    /// Every node once, children before parents, without nodes below those given; counts the uses.
    std::vector<TermId> inOrder(std::span<const TermId> wanted) {
        std::vector<TermId> order;
        for (const TermId root : wanted) {
            if (m_nodes[root].uses++ > 0) continue;
            std::vector<std::pair<TermId, std::size_t>> open{{root, 0}};
            while (!open.empty()) {
                auto& [term, next] = open.back();
                if (next == m_bank.childCount(term) || m_given.contains(term)) {
                    order.push_back(term);
                    open.pop_back();
                    continue;
                }
                const TermId child = m_bank.child(term, next++);
                if (m_nodes[child].uses++ == 0) open.emplace_back(child, 0);
            }
        }
        return order;
    }

    /// Checks, before anything is computed, whether all arrays whose sizes follow from those of the inputs are small enough, each alone and
    /// all that are held together.
    Status requireRoom(const std::vector<TermId>& order) {
        absl::flat_hash_map<TermId, std::vector<ArrayType>> types;
        absl::flat_hash_map<TermId, std::uint32_t> released;
        std::int64_t held = 0;
        for (const TermId term : order) {
            std::vector<ArrayType> found = typesOf(term, types);
            for (const ArrayType& type : found) {
                if (type.isAbsent || !type.isStatic() || isWithin(type.shape(), m_options.maxElements)) continue;
                if (m_bank.opName(term) == WeightName) continue;  // weight() reports which one
                return named(term, tooLarge("its result", m_options));
            }
            held += heldBy(term, found);
            if (held > m_options.maxHeld) {
                Error error = failure(ErrorCode::Limit,
                                      fmt::format("more than {} elements are held at one time", m_options.maxHeld));
                error.hint = "Evaluate with smaller inputs.";
                return named(term, std::move(error));
            }
            types.emplace(term, std::move(found));
            if (m_given.contains(term)) continue;
            for (const TermId child : m_bank.children(term)) {
                if (++released[child] == m_nodes[child].uses) held -= heldBy(child, types.at(child));
            }
        }
        return Success{};
    }

    /// The number of elements of the term's arrays. A tuple only refers to arrays of others, and unknown sizes are not counted.
    [[nodiscard]] std::int64_t heldBy(TermId term, const std::vector<ArrayType>& types) const {
        if (m_bank.is(term, ir::CoreOp::Tuple)) return 0;
        std::int64_t elements = 0;
        for (const ArrayType& type : types) {
            const bool isCounted = !type.isAbsent && type.isStatic() && isWithin(type.shape(), MostElements);
            if (isCounted) elements += elementCount(type.shape());
        }
        return elements;
    }

    /// The output types that follow from the sizes; the types of the term if none follow.
    std::vector<ArrayType> typesOf(TermId term, const absl::flat_hash_map<TermId, std::vector<ArrayType>>& known) {
        std::vector<ArrayType> found;
        if (const auto given = m_given.find(term); given != m_given.end()) {
            for (const ArrayPtr& array : given->second) found.push_back(typeOrAbsent(array));
            return found;
        }
        if (m_bank.is(term, ir::CoreOp::Variable)) {
            const auto input = m_inputs.find(m_bank.text(m_bank.payload(term).asSymbol()));
            if (input != m_inputs.end()) return {typeOrAbsent(input->second)};
        }
        if (const Operator* const op = operatorOf(m_bank, term); op != nullptr) {
            std::vector<ArrayType> inputs;
            for (const TermId child : m_bank.children(term)) {
                const std::vector<ArrayType>& types = known.at(child);
                inputs.push_back(types.size() == 1 ? types.front() : ArrayType::absent());
            }
            // Names of sizes belong to the bank; if there are any, only the bank's own types can be used.
            const bool areNumbers =
                std::ranges::all_of(inputs, [](const ArrayType& type) { return type.isAbsent || type.isStatic(); });
            if (areNumbers) {
                SymbolTable symbols;
                const Attributes attributes = attributesOf(m_bank, term);
                Result<std::vector<ArrayType>> outputs = op->shape({*op, attributes, inputs, symbols});
                const bool isStatic = outputs && std::ranges::all_of(*outputs, &ArrayType::isStatic);
                if (isStatic) return *std::move(outputs);
            }
        }
        const ir::TypeTable& types = m_bank.types();
        const ir::TypeId type = m_bank.type(term);
        if (types.isArray(type)) return {arrayType(types, type)};
        if (!types.isTuple(type)) return {ArrayType::absent()};
        for (const ir::TypeId part : types.children(type)) {
            found.push_back(types.isArray(part) ? arrayType(types, part) : ArrayType::absent());
        }
        return found;
    }

    static ArrayType typeOrAbsent(const ArrayPtr& array) {
        return array != nullptr ? typeOf(*array) : ArrayType::absent();
    }

    void release(TermId term) {
        Node& node = m_nodes[term];
        if (--node.uses == 0) node.values = {};
    }

    Result<std::vector<ArrayPtr>> compute(TermId term) {
        if (m_bank.is(term, ir::CoreOp::Variable)) {
            const std::string_view name = m_bank.text(m_bank.payload(term).asSymbol());
            const auto found = m_inputs.find(name);
            if (found == m_inputs.end()) {
                return failure(ErrorCode::InvalidInput, fmt::format("the input {} is not given", name));
            }
            return std::vector<ArrayPtr>{found->second};
        }
        if (m_bank.is(term, ir::CoreOp::Get)) {
            const auto index = static_cast<std::size_t>(m_bank.payload(term).projectionIndex());
            return std::vector<ArrayPtr>{m_nodes[m_bank.child(term, 0)].values[index]};
        }
        if (m_bank.is(term, ir::CoreOp::Tuple)) return inputsOf(term);
        if (m_bank.opName(term) == WeightName) return weight(term);
        if (m_bank.opName(term) == AbsentName) return std::vector<ArrayPtr>{nullptr};
        const Operator* const op = operatorOf(m_bank, term);
        if (op == nullptr) return failure(ErrorCode::Unsupported, "it cannot be computed: nothing is known about it");
        MITOS_TRY(std::vector<ArrayPtr> inputs, inputsOf(term));
        return apply(*op, attributesOf(m_bank, term), inputs, m_options);
    }

    /// The children's values, each of which must be a single array.
    Result<std::vector<ArrayPtr>> inputsOf(TermId term) {
        std::vector<ArrayPtr> inputs;
        for (const TermId child : m_bank.children(term)) {
            const std::vector<ArrayPtr>& values = m_nodes[child].values;
            if (values.size() != 1 || (m_bank.types().isTuple(m_bank.type(child)) && values.front() != nullptr)) {
                return failure(ErrorCode::Unsupported, "a tuple stands where an array is expected");
            }
            inputs.push_back(values.front());
        }
        return inputs;
    }

    Result<std::vector<ArrayPtr>> weight(TermId term) {
        const std::string_view name = m_bank.text(m_bank.payload(term).asSymbol());
        const WeightData* const data = m_weights.find(name);
        if (data == nullptr) {
            return failure(ErrorCode::InvalidInput, fmt::format("there are no numbers for the weight {}", name));
        }
        if (!isWithin(data->shape(), m_options.maxElements)) {
            return tooLarge(fmt::format("the weight {}", name), m_options);
        }
        MITOS_TRY(ArrayPtr array, data->read());
        return std::vector<ArrayPtr>{std::move(array)};
    }

    /// Checks values against the type of the term; a name of a size gets its value at its first occurrence.
    Status check(TermId term, const std::vector<ArrayPtr>& values) {
        const ir::TypeTable& types = m_bank.types();
        const ir::TypeId type = m_bank.type(term);
        if (types.isArray(type)) return check(type, *values.front());
        for (std::size_t i = 0; i < types.children(type).size(); ++i) {
            const ir::TypeId element = types.children(type)[i];
            if (!types.isArray(element) || values[i] == nullptr) continue;
            MITOS_REQUIRE(check(element, *values[i]));
        }
        return Success{};
    }

    Status check(ir::TypeId id, const Array& value) {
        const ArrayType type = arrayType(m_bank.types(), id);
        const bool fits = (type.dtype == value.dtype || type.dtype == ir::Dtype::Unknown) &&
                          (!type.hasRank || type.rank() == value.shape.size());
        for (std::size_t i = 0; fits && i < type.dimensions.size(); ++i) {
            const ir::Dimension dimension = type.dimensions[i];
            if (dimension.isKnown() && dimension.size != value.shape[i]) return misfit(id, value);
            if (dimension.isKnown()) continue;
            const std::int64_t size = m_sizes.try_emplace(dimension.name, value.shape[i]).first->second;
            if (size == value.shape[i]) continue;
            return failure(ErrorCode::InvalidInput, fmt::format("the size {} is both {} and {}",
                                                                m_bank.text(dimension.name), size, value.shape[i]));
        }
        if (!fits) return misfit(id, value);
        return Success{};
    }

    [[nodiscard]] Error misfit(ir::TypeId type, const Array& value) const {
        return failure(ErrorCode::InvalidInput,
                       fmt::format("expected {}; found {}", m_bank.types().toShortString(type), text(value)));
    }

    [[nodiscard]] Error named(TermId term, Error error) const {
        const bool isLeaf = m_bank.is(term, ir::CoreOp::Variable) || m_bank.opName(term) == WeightName;
        const Symbol name = isLeaf ? m_bank.payload(term).asSymbol() : m_bank.hint(term);
        error.message = name.isValid() ? fmt::format("{} {}: {}", m_bank.opName(term), m_bank.text(name), error.message)
                                       : fmt::format("{}: {}", m_bank.opName(term), error.message);
        return error;
    }

    const ir::TermBank& m_bank;
    const NodeValues& m_given;
    const Inputs& m_inputs;
    const Weights& m_weights;
    const EvaluateOptions& m_options;
    absl::flat_hash_map<TermId, Node> m_nodes;
    absl::flat_hash_map<Symbol, std::int64_t> m_sizes;
};

}  // namespace

Result<std::vector<ArrayPtr>> evaluate(const ir::TermBank& bank, TermId root, const Inputs& inputs,
                                       const Weights& weights, const EvaluateOptions& options) {
    const std::vector<TermId> wanted{root};
    MITOS_TRY(NodeValues values, evaluateNodes(bank, wanted, {}, inputs, weights, options));
    return std::move(values.begin()->second);
}

Result<NodeValues> evaluateNodes(const ir::TermBank& bank, std::span<const TermId> wanted, const NodeValues& known,
                                 const Inputs& inputs, const Weights& weights, const EvaluateOptions& options) {
    return Evaluation(bank, known, inputs, weights, options).run(wanted);
}

Result<std::vector<ArrayPtr>> apply(const Operator& op, const Attributes& attributes, std::span<const ArrayPtr> inputs,
                                    const EvaluateOptions& options) {
    std::vector<ArrayType> types;
    for (const ArrayPtr& input : inputs) types.push_back(input != nullptr ? typeOf(*input) : ArrayType::absent());
    SymbolTable symbols;
    const Result<std::vector<ArrayType>> outputs = op.shape({op, attributes, types, symbols});
    if (!outputs) {
        Error error = outputs.error();
        error.code = ErrorCode::Evaluation;  // not an error of a text
        return error;
    }
    for (const ArrayType& output : *outputs) {
        if (output.isStatic() && !isWithin(output.shape(), options.maxElements)) return tooLarge("its result", options);
    }
    Result<std::vector<ArrayPtr>> values = op.evaluate({attributes, inputs, *outputs, options.maxElements});
    if (!values && values.error().code == ErrorCode::Parse) {
        Error error = std::move(values).error();
        error.code = ErrorCode::Evaluation;
        return error;
    }
    if (values) MITOS_REQUIRE(checkValues(*values, *outputs));
    return values;
}

}  // namespace mitos::tensor

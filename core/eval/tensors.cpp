// SPDX-License-Identifier: GPL-3.0-or-later
// Tensors: loops over indices, elements, sizes, sparse construction (ks-language.md 5).
#include "core/eval/internal/algebra.h"
#include "core/eval/internal/interpreter.h"

#include <fmt/format.h>

namespace mitos::eval {

using ir::TermId;
using ir::TypeId;
using ks::Op;

namespace {

/// Calls visit(index value) for each of the `count` indices below dims, row-major.
template <typename Visit>
void forEachIndex(Meter& meter, const std::vector<std::int64_t>& dims, std::int64_t count, const Visit& visit) {
    std::vector<std::int64_t> index(dims.size(), 0);
    for (std::int64_t i = 0; i < count; ++i) {
        visit(indexValue(meter, index));
        for (std::size_t d = dims.size(); d-- > 0;) {
            if (++index[d] < dims[d]) break;
            index[d] = 0;
        }
    }
}

/// One of the tensors to which buildFromSparse adds.
struct Accumulator {
    std::vector<std::int64_t> dims;
    std::vector<Value> elements;

    void add(Meter& meter, const TupleValue& indexAndValue) {
        const std::int64_t offset = offsetOf(dims, indexAndValue.elements[0]);
        if (offset < 0) {
            fail(fmt::format("the index {} is outside of a tensor of size {}", toString(indexAndValue.elements[0]),
                             sizesText(dims)));
        }
        Value& element = elements[static_cast<std::size_t>(offset)];
        element = accumulate(meter, element, indexAndValue.elements[1]);
    }
};

}  // namespace

Value Interpreter::computeTensor(Op op, TermId term) {
    switch (op) {
        case Op::Build: return build(term);
        case Op::Sumbuild: return sumbuild(term);
        case Op::Fold: return fold(term);
        case Op::Map: {
            const Value tensor = eval(term, 1);
            return mapTensor(m_meter, tensor.asTensor(), [&](const Value& x) { return applyTo(term, 0, x); });
        }
        case Op::Map2: return map2(term);
        case Op::Index: return index(term);
        case Op::Size: return indexValue(m_meter, eval(term, 0).asTensor().dims);
        case Op::Shape: {
            const TypeId type = m_bank.type(m_bank.child(term, 0));
            return shapeOf(m_meter, m_bank.types(), type, eval(term, 0));
        }
        case Op::Sum: return sum(term);
        case Op::Unzip: return unzip(term);
        case Op::VecInit: {
            TensorValue vector{{static_cast<std::int64_t>(m_bank.childCount(term))}, {}};
            for (std::uint32_t i = 0; i < m_bank.childCount(term); ++i) vector.elements.push_back(eval(term, i));
            return m_meter.tensor(std::move(vector));
        }
        case Op::ConstVec: {
            TensorValue tensor{indexOf(eval(term, 0)), {}};
            const Value element = eval(term, 1);
            const auto count = static_cast<std::size_t>(elementCount(tensor.dims));
            m_meter.spend(count);
            const Meter::Reservation room(m_meter, count);
            tensor.elements.assign(count, element);
            return m_meter.tensor(std::move(tensor));
        }
        case Op::DeltaVec: return deltaVec(term);
        case Op::Delta: {
            const Value i = eval(term, 0);
            const Value j = eval(term, 1);
            Value element = eval(term, 2);
            return equal(m_meter, i, j) ? element : zeroLike(m_meter, element);
        }
        case Op::Diag: return diag(term);
        case Op::BuildFromSparse: return buildFromSparse(term, false);
        default: return buildFromSparse(term, true);
    }
}

Value Interpreter::build(TermId term) {
    TensorValue tensor{indexOf(eval(term, 0)), {}};
    const std::int64_t count = elementCount(tensor.dims);
    const Meter::Reservation room(m_meter, static_cast<std::uint64_t>(count));
    tensor.elements.reserve(static_cast<std::size_t>(count));
    forEachIndex(m_meter, tensor.dims, count,
                 [&](Value i) { tensor.elements.push_back(applyTo(term, 1, std::move(i))); });
    return m_meter.tensor(std::move(tensor));
}

Value Interpreter::sumbuild(TermId term) {
    const std::vector<std::int64_t> dims = indexOf(eval(term, 0));
    const std::int64_t count = elementCount(dims);
    if (count == 0) fail("sumbuild of size 0", "the size must be positive: a sum of nothing has no known shape");
    Value total;
    bool first = true;
    forEachIndex(m_meter, dims, count, [&](Value i) {
        Value element = applyTo(term, 1, std::move(i));
        total = first ? std::move(element) : accumulate(m_meter, total, element);
        first = false;
    });
    return total;
}

Value Interpreter::fold(TermId term) {
    Value state = eval(term, 1);
    const Value vector = eval(term, 2);
    for (const Value& element : vector.asTensor().elements) {
        state = applyTo(term, 0, m_meter.pair(std::move(state), element));
    }
    return state;
}

Value Interpreter::map2(TermId term) {
    const Value left = eval(term, 1);
    const Value right = eval(term, 2);
    const TensorValue& a = left.asTensor();
    const TensorValue& b = right.asTensor();
    if (a.dims != b.dims) fail(fmt::format("map2: the sizes {} and {} differ", sizesText(a.dims), sizesText(b.dims)));
    const Meter::Reservation room(m_meter, a.elements.size());
    TensorValue result{a.dims, {}};
    result.elements.reserve(a.elements.size());
    for (std::size_t i = 0; i < a.elements.size(); ++i) {
        result.elements.push_back(applyTo(term, 0, m_meter.pair(a.elements[i], b.elements[i])));
    }
    return m_meter.tensor(std::move(result));
}

Value Interpreter::index(TermId term) {
    const Value index = eval(term, 0);
    const Value value = eval(term, 1);
    const TensorValue& tensor = value.asTensor();
    const std::int64_t offset = offsetOf(tensor.dims, index);
    if (offset < 0) {
        fail(fmt::format("the index {} is outside of a tensor of size {}", toString(index), sizesText(tensor.dims)),
             "indices count from 0");
    }
    return tensor.elements[static_cast<std::size_t>(offset)];
}

Value Interpreter::sum(TermId term) {
    const Value value = eval(term, 0);
    const std::vector<Value>& elements = value.asTensor().elements;
    if (elements.empty()) fail("the sum of an empty tensor", "a sum of nothing has no known shape");
    m_meter.spend(elements.size());
    Value total = elements[0];
    for (std::size_t i = 1; i < elements.size(); ++i) total = accumulate(m_meter, total, elements[i]);
    return total;
}

Value Interpreter::unzip(TermId term) {
    const Value value = eval(term, 0);
    const TensorValue& tensor = value.asTensor();
    TupleValue parts;
    const std::size_t arity = m_bank.types().children(m_bank.type(term)).size();
    for (std::size_t part = 0; part < arity; ++part) {
        parts.elements.push_back(
            mapTensor(m_meter, tensor, [part](const Value& element) { return element.asTuple().elements[part]; }));
    }
    return m_meter.tuple(std::move(parts));
}

Value Interpreter::deltaVec(TermId term) {
    TensorValue tensor{indexOf(eval(term, 0)), {}};
    const Value index = eval(term, 1);
    const Value element = eval(term, 2);
    const auto count = static_cast<std::size_t>(elementCount(tensor.dims));
    m_meter.spend(count);
    const Meter::Reservation room(m_meter, count);
    tensor.elements.assign(count, zeroLike(m_meter, element));
    const std::int64_t offset = offsetOf(tensor.dims, index);
    if (offset >= 0) tensor.elements[static_cast<std::size_t>(offset)] = element;
    return m_meter.tensor(std::move(tensor));
}

Value Interpreter::diag(TermId term) {
    const std::int64_t rows = evalInteger(term, 0);
    const std::int64_t columns = evalInteger(term, 1);
    const auto count = static_cast<std::size_t>(elementCount({rows}));
    const Meter::Reservation room(m_meter, count);
    TensorValue matrix{{rows}, {}};
    for (std::int64_t r = 0; r < rows; ++r) {
        const Value element = applyTo(term, 2, Value(r));
        const auto width = static_cast<std::size_t>(elementCount({columns}));
        m_meter.spend(width);
        const Meter::Reservation rowRoom(m_meter, width);
        std::vector<Value> row(width, zeroLike(m_meter, element));
        if (r < columns) row[static_cast<std::size_t>(r)] = element;
        matrix.elements.push_back(m_meter.tensor(TensorValue{{columns}, std::move(row)}));
    }
    return m_meter.tensor(std::move(matrix));
}

Value Interpreter::buildFromSparse(TermId term, bool tupled) {
    const ir::TypeTable& types = m_bank.types();
    const Value shapes = eval(term, 0);
    const TypeId shapesType = m_bank.type(m_bank.child(term, 0));
    const TypeId type = m_bank.type(term);
    std::vector<Accumulator> results;
    const auto start = [&](const Value& shape, TypeId shapeType, TypeId resultType) {
        const TypeId element = types.element(resultType);
        const bool isZeros = types.element(shapeType) == element;  // its elements are the start values
        const Value zeros = mapTensor(m_meter, shape.asTensor(), [&](const Value& s) {
            return isZeros ? zeroLike(m_meter, s) : zeroOfShape(m_meter, types, element, s);
        });
        results.push_back(Accumulator{zeros.asTensor().dims, zeros.asTensor().elements});
    };
    if (tupled) {
        for (std::size_t i = 0; i < types.children(type).size(); ++i) {
            start(shapes.asTuple().elements[i], types.children(shapesType)[i], types.children(type)[i]);
        }
    } else {
        start(shapes, shapesType, type);
    }
    const std::vector<std::int64_t> dims = indexOf(eval(term, 1));
    forEachIndex(m_meter, dims, elementCount(dims), [&](Value i) {
        const Value contribution = applyTo(term, 2, std::move(i));
        for (std::size_t r = 0; r < results.size(); ++r) {
            results[r].add(m_meter, tupled ? contribution.asTuple().elements[r].asTuple() : contribution.asTuple());
        }
    });
    TupleValue tensors;
    for (Accumulator& result : results) {
        tensors.elements.push_back(m_meter.tensor(TensorValue{std::move(result.dims), std::move(result.elements)}));
    }
    return tupled ? m_meter.tuple(std::move(tensors)) : tensors.elements[0];
}

}  // namespace mitos::eval

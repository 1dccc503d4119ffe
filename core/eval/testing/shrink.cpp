// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/eval/testing/internal/shrink.h"

#include "core/eval/testing/internal/simple_terms.h"
#include "core/ir/binding.h"
#include "core/ir/function.h"
#include "core/ks/operators.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace mitos::eval {

using ir::CoreOp;
using ir::Path;
using ir::TermId;
using ir::TypeId;

namespace {

double measureNumber(double x) {
    if (!std::isfinite(x)) return 1000.0;
    const double sign = std::signbit(x) ? 0.5 : 0.0;
    const double size = std::abs(x);
    if (size == std::floor(size) && size <= 100.0) return size + sign;
    return 100.0 + static_cast<double>(fmt::format("{}", size).size()) + sign;
}

void keepSimpler(std::vector<Value>& values, const Value& than) {
    const double bound = measure(than);
    std::erase_if(values, [&](const Value& value) { return measure(value) >= bound; });
    std::ranges::stable_sort(values, [](const Value& a, const Value& b) { return measure(a) < measure(b); });
}

const std::vector<Value>& partsOf(const Value& value) {
    return value.isTuple() ? value.asTuple().elements : value.asTensor().elements;
}

Value rebuilt(const Value& like, std::vector<Value> elements) {
    if (like.isTuple()) return Value(TupleValue{std::move(elements)});
    return Value(TensorValue{like.asTensor().dims, std::move(elements)});
}

/// Variables are easier to read than unusual numbers, but a program without inputs is simpler still.
constexpr double VariableDetail = 3.0;

double detailOf(const ir::TermBank& bank, TermId term) {
    if (bank.is(term, CoreOp::Variable)) return VariableDetail;
    if (!bank.is(term, CoreOp::Literal)) return 0.0;
    const ir::Payload& payload = bank.payload(term);
    switch (payload.kind()) {
        case ir::PayloadKind::Integer: return measure(Value(payload.asInteger()));
        case ir::PayloadKind::Float: return measure(Value(payload.asFloat()));
        case ir::PayloadKind::Bool: return measure(Value(payload.asBool()));
        default: return 1.0;
    }
}

class Candidates {
public:
    Candidates(ir::TermBank& bank, TermId program, const std::vector<ir::Parameter>& variables)
        : m_bank(bank),
          m_program(program),
          m_size(measure(bank, program)),
          m_variables(variables) {
        m_seen.insert(program);
    }

    std::vector<TermId> run() {
        ir::forEachSubterm(m_bank, m_program, [&](const Path& path, TermId term) {
            m_places.push_back({path, term});
            return true;
        });
        for (const Place& place : m_places) addPart(place);
        for (const Place& place : m_places) replaceByParts(place);
        for (const Place& place : m_places) replaceBySimple(place);
        for (const Place& place : m_places) resolveLet(place);
        for (const Place& place : m_places) shorten(place);
        return std::move(m_found);
    }

private:
    struct Place {
        Path path;
        TermId term;
    };

    void add(TermId candidate) {
        if (m_seen.insert(candidate).second && measure(m_bank, candidate) < m_size) m_found.push_back(candidate);
    }
    void put(const Path& path, TermId term) {
        const Result<TermId> program = ir::replaceAt(m_bank, m_program, path, term);
        if (program) add(*program);
    }

    [[nodiscard]] bool isFunction(TermId term) const {
        return m_bank.types().kind(m_bank.type(term)) == ir::TypeKind::Lambda;
    }

    /// The term at the end of a path below `root`, moved to the scope of root: bound variables of lets become their values if `byValue`,
    /// all others a simple term of their type.
    TermId lifted(TermId root, const Path& path, bool byValue) {
        std::vector<TermId> binders;
        TermId node = root;
        for (const std::uint32_t child : path) {
            if (m_bank.boundIn(node, child) > 0) binders.push_back(node);
            node = m_bank.child(node, child);
        }
        for (std::size_t i = binders.size(); i-- > 0;) {
            const TermId binder = binders[i];
            const bool isLet = m_bank.is(binder, CoreOp::Let);
            const TermId value =
                isLet && byValue ? m_bank.child(binder, 0) : simpleTerms(m_bank, m_bank.boundType(binder)).front();
            node = ir::instantiate(m_bank, node, value);
        }
        return node;
    }

    /// Adds a part of the program as a replacement of the whole, whatever its type is.
    void addPart(const Place& place) {
        if (place.path.empty() || isFunction(place.term)) return;
        for (const bool byValue : {false, true}) {
            const TermId part = lifted(m_program, place.path, byValue);
            if (m_bank.types().kind(m_bank.type(part)) != ir::TypeKind::LinearMap) add(part);
        }
    }

    void replaceByParts(const Place& place) {
        for (const Place& inner : m_places) {
            if (inner.path.size() <= place.path.size() || !ir::isWithin(inner.path, place.path)) continue;
            if (m_bank.type(inner.term) != m_bank.type(place.term)) continue;
            const Path below(inner.path.begin() + static_cast<std::ptrdiff_t>(place.path.size()), inner.path.end());
            for (const bool byValue : {false, true}) put(place.path, lifted(place.term, below, byValue));
        }
    }

    void replaceBySimple(const Place& place) {
        const TypeId type = m_bank.type(place.term);
        for (const TermId simple : simpleTerms(m_bank, type)) put(place.path, simple);
        const std::vector<TermId> binders = ir::bindersAbove(m_bank, m_program, place.path);
        for (std::size_t i = 0; i < binders.size(); ++i) {
            if (m_bank.boundType(binders[binders.size() - 1 - i]) != type) continue;
            put(place.path, m_bank.bound(static_cast<std::uint32_t>(i), type));
        }
        for (const ir::Parameter& variable : m_variables) {
            if (m_bank.types().erased(variable.type) == type) put(place.path, m_bank.variable(variable.name, type));
        }
        if (const std::optional<TermId> smaller = smallerNumber(place.term)) put(place.path, *smaller);
    }

    std::optional<TermId> smallerNumber(TermId term) {
        if (!m_bank.is(term, CoreOp::Literal)) return std::nullopt;
        const ir::Payload payload = m_bank.payload(term);
        if (payload.kind() == ir::PayloadKind::Float) {
            const std::vector<Value> simpler = simplerValues(Value(payload.asFloat()));
            if (!simpler.empty()) return m_bank.floating(simpler.back().asFloat());
        }
        if (payload.kind() == ir::PayloadKind::Integer) {
            const std::vector<Value> simpler = simplerValues(Value(payload.asInteger()));
            if (!simpler.empty()) return m_bank.integer(simpler.back().asInteger());
        }
        return std::nullopt;
    }

    void resolveLet(const Place& place) {
        if (!m_bank.is(place.term, CoreOp::Let)) return;
        put(place.path, ir::instantiate(m_bank, m_bank.child(place.term, 1), m_bank.child(place.term, 0)));
    }

    void shorten(const Place& place) {
        if (m_bank.op(place.term) != ks::opId(ks::Op::VecInit)) return;
        const std::vector<TermId> elements(m_bank.children(place.term).begin(), m_bank.children(place.term).end());
        for (std::size_t i = 0; elements.size() > 1 && i < elements.size(); ++i) {
            std::vector<TermId> fewer = elements;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
            const Result<TermId> vector = m_bank.make(ks::opId(ks::Op::VecInit), fewer);
            if (vector) put(place.path, *vector);
        }
    }

    ir::TermBank& m_bank;
    TermId m_program;
    TermMeasure m_size;
    const std::vector<ir::Parameter>& m_variables;
    std::vector<Place> m_places;
    std::vector<TermId> m_found;
    absl::flat_hash_set<TermId> m_seen;
};

}  // namespace

double measure(const Value& value) {
    if (value.isFloat()) return measureNumber(value.asFloat());
    if (value.isInteger()) return measureNumber(static_cast<double>(value.asInteger()));
    if (value.isBool()) return value.asBool() ? 1.0 : 0.0;
    if (value.isString()) return static_cast<double>(value.asString().size());
    if (!value.isTuple() && !value.isTensor()) return 0.0;
    double sum = 1.0;
    for (const Value& part : partsOf(value)) sum += 1.0 + measure(part);
    return sum;
}

std::vector<Value> simplerValues(const Value& value) {
    std::vector<Value> result;
    if (value.isFloat()) {
        const double x = value.asFloat();
        for (const double candidate : {0.0, 1.0, 2.0, -1.0, std::trunc(x), std::round(x * 10.0) / 10.0})
            result.emplace_back(candidate);
    } else if (value.isInteger()) {
        const std::int64_t x = value.asInteger();
        for (const std::int64_t candidate :
             {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, x / 2, x - (x > 0) + (x < 0)})
            result.emplace_back(candidate);
    } else if (value.isBool()) {
        result.emplace_back(false);
    } else if (value.isTuple() || value.isTensor()) {
        const std::vector<Value>& parts = partsOf(value);
        if (value.isTensor() && value.asTensor().dims.size() == 1) {
            for (std::size_t i = 0; i < parts.size(); ++i) {
                std::vector<Value> fewer = parts;
                fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
                const auto count = static_cast<std::int64_t>(fewer.size());
                result.emplace_back(TensorValue{{count}, std::move(fewer)});
            }
        }
        for (std::size_t i = 0; i < parts.size(); ++i) {
            for (Value& simpler : simplerValues(parts[i])) {
                std::vector<Value> changed = parts;
                changed[i] = std::move(simpler);
                result.push_back(rebuilt(value, std::move(changed)));
            }
        }
    }
    keepSimpler(result, value);
    return result;
}

TermMeasure measure(const ir::TermBank& bank, TermId program) {
    TermMeasure result{bank.treeSize(program), 0.0};
    ir::forEachSubterm(bank, program, [&](const Path&, TermId term) {
        result.detail += detailOf(bank, term);
        return true;
    });
    return result;
}

std::vector<TermId> smallerPrograms(ir::TermBank& bank, TermId program, const std::vector<ir::Parameter>& variables) {
    return Candidates(bank, program, variables).run();
}

}  // namespace mitos::eval

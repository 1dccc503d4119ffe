// SPDX-License-Identifier: GPL-3.0-or-later
// Sums of vectors: one variable of zeros, to which every summand is added where it is computed.
#include "core/codegen/internal/emitter.h"
#include "core/codegen/internal/lengths.h"
#include "core/ir/term_bank.h"
#include "core/ks/operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

namespace mitos::codegen {

using ir::CoreOp;
using ir::TermId;
using ir::TypeId;
using ks::Op;

namespace {

/// Whether adding the term to a place is a loop of additions.
bool hasManySummands(const ir::TermBank& bank, TermId term) {
    if (bank.is(term, CoreOp::Let)) return hasManySummands(bank, bank.child(term, 1));
    if (is(bank, term, Op::If))
        return hasManySummands(bank, bank.child(term, 1)) || hasManySummands(bank, bank.child(term, 2));
    return is(bank, term, Op::Sumbuild) || is(bank, term, Op::BuildFromSparse) || is(bank, term, Op::TsAdd);
}

}  // namespace

bool FunctionEmitter::isSum(TermId term) const {
    const TypeId sumType = m_bank.type(term);
    if (!m_types.isTensor(sumType) || m_types.rank(sumType) != 1) return false;
    const TypeId element = m_types.element(sumType);
    if (!isSummedFromZero(element) || !hasNumbers(element)) return false;
    if (m_bank.is(term, CoreOp::Let)) return isAddedByRest(term);
    if (is(m_bank, term, Op::TsAdd)) return m_bank.type(m_bank.child(term, 1)) == sumType;
    if (is(m_bank, term, Op::If)) return countOfSumOrZero(m_bank, term).isValid();
    return is(m_bank, term, Op::Sumbuild) && isInPlace(term, 1);
}

std::optional<Code> FunctionEmitter::sizeOfSum(TermId vector) {
    const std::optional<Length> length = lengthOf(m_bank, vector);
    if (!length) return std::nullopt;
    const std::size_t outside = m_bound.size();
    m_bound.resize(outside + length->binders);  // the size mentions none of these variables
    Code size = components(length->size, 1, false)[0];
    m_bound.resize(outside);
    return size;
}

std::optional<Code> FunctionEmitter::summed(TermId term, std::string_view hint) {
    if (!isSum(term)) return std::nullopt;
    const std::optional<Code> size = sizeOfSum(term);
    if (!size) return std::nullopt;
    const std::string name = m_scope.declare(hint.empty() ? "sum" : hint);
    line(fmt::format("{} {}({});", type(m_bank.type(term)), name, sizeArgument(*size)));
    m_lengths.push_back({name, wrapped(*size, Additive)});
    const bool isSumFirst = is(m_bank, term, Op::TsAdd) && hasManySummands(m_bank, m_bank.child(term, 1)) &&
                            !hasManySummands(m_bank, m_bank.child(term, 0));
    if (isSumFirst) {
        // The summands of the second part are added to each other first, as the program says.
        addInto(m_bank.child(term, 1), name);
        addInto(m_bank.child(term, 0), name);
    } else {
        addInto(term, name);
    }
    m_lengths.pop_back();
    return Code{name, Primary, Form::Local};
}

void FunctionEmitter::requireLength(const std::string& target, const Code& size) {
    const std::string length = wrapped(size, Additive);
    const auto isKnown = [&](const KnownLength& known) { return known.vector == target && known.length == length; };
    if (std::ranges::any_of(m_lengths, isKnown)) return;
    require(fmt::format("{} == {}", ksCall("size", target), length), "the sizes of two vectors differ");
}

void FunctionEmitter::addSumbuild(TermId term, const std::string& target, bool mayBeEmpty) {
    const std::vector<Code> sizes = sizesOfSum(term, mayBeEmpty);
    const Binding index = openLoops(sizes, m_bank.child(term, 1));
    m_bound.push_back(index);
    addInto(m_bank.child(m_bank.child(term, 1), 0), target);
    m_bound.pop_back();
    for (std::size_t d = 0; d < sizes.size(); ++d) close();
}

bool FunctionEmitter::addSumOrZero(TermId term, const std::string& target) {
    const TermId count = countOfSumOrZero(m_bank, term);
    if (!count.isValid() || !isInPlace(m_bank.child(term, 1), 1)) return false;
    const std::optional<Code> size = sizeOfSum(term);
    if (!size) return false;
    requireLength(target, *size);
    addSumbuild(m_bank.child(term, 1), target, true);
    return true;
}

}  // namespace mitos::codegen

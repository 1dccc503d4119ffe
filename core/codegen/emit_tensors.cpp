// SPDX-License-Identifier: GPL-3.0-or-later
// Loops: build fills a vector, sumbuild adds into one variable, fold carries one; index chains stay direct. Loops of sums that every
// element of a vector needs are interchanged, so that tensors are read row by row instead of column by column.
#include "core/codegen/internal/emitter.h"
#include "core/ir/binding.h"
#include "core/ir/term_bank.h"
#include "core/ks/operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace mitos::codegen {

using ir::CoreOp;
using ir::TermId;
using ir::TypeId;
using ks::Op;

namespace {

/// The loops along which a summand reads tensors.
struct Reads {
    bool alongElements = false;  ///< index j (… k …)
    bool alongSum = false;       ///< index k (… j …)
    bool loops = false;          ///< it has loops or functions of its own
};

/// `sum` and `element` are the de Bruijn indices of k and j in the scope of `term`.
void read(const ir::TermBank& bank, TermId term, std::uint32_t sum, std::uint32_t element, Reads& reads) {
    if (bank.is(term, CoreOp::Lam)) reads.loops = true;
    if (reads.loops) return;
    if (is(bank, term, Op::Index)) {
        const TermId at = bank.child(term, 0);
        const TermId tensor = bank.child(term, 1);
        if (ir::mentions(bank, at, element) && ir::mentions(bank, tensor, sum)) reads.alongElements = true;
        if (ir::mentions(bank, at, sum) && ir::mentions(bank, tensor, element)) reads.alongSum = true;
    }
    for (std::uint32_t i = 0; i < bank.childCount(term); ++i) {
        const std::uint32_t bound = bank.boundIn(term, i);
        read(bank, bank.child(term, i), sum + bound, element + bound, reads);
    }
}

/// Whether a subterm of e is a sum to be computed across; it is under no binder, so that j is variable 0.
bool isAcross(const ir::TermBank& bank, TermId term) {
    if (!is(bank, term, Op::Sumbuild) || bank.type(term) != bank.types().floating()) return false;
    const TermId count = bank.child(term, 0);
    const TermId lambda = bank.child(term, 1);
    if (bank.type(count) != bank.types().integer() || !bank.is(lambda, CoreOp::Lam)) return false;
    if (!mayBeComputedBefore(bank, count) || ir::mentions(bank, count, 0)) return false;
    Reads reads;
    read(bank, bank.child(lambda, 0), 0, 1, reads);
    return reads.alongElements && !reads.alongSum && !reads.loops;
}

void collect(const ir::TermBank& bank, TermId term, std::vector<TermId>& sums) {
    if (isAcross(bank, term)) {
        if (std::ranges::find(sums, term) == sums.end()) sums.push_back(term);
        return;
    }
    if (is(bank, term, Op::If) || is(bank, term, Op::Assert)) return;
    for (std::uint32_t i = 0; i < bank.childCount(term); ++i) {
        if (bank.boundIn(term, i) == 0) collect(bank, bank.child(term, i), sums);
    }
}

/// For `build n \j. e`, a vector of Floats: returns the sums `sumbuild m \k. s` in e that are better computed for all j at once, with the
/// loop over k outside. These are sums whose summands read rows along j, as `index j (index k b)`, and none along k: as written, each
/// step of the inner loop would access another row of b. The summands of each element are added in the same order either way, so results
/// are equal bit for bit. Sums under a condition or a binder, and summands with loops of their own, are left alone.
std::vector<TermId> sumsAcross(const ir::TermBank& bank, TermId build) {
    const TermId lambda = bank.child(build, 1);
    if (bank.type(bank.child(build, 0)) != bank.types().integer() || !bank.is(lambda, CoreOp::Lam)) return {};
    const TermId element = bank.child(lambda, 0);
    if (bank.type(element) != bank.types().floating()) return {};
    std::vector<TermId> sums;
    collect(bank, element, sums);
    return sums;
}

}  // namespace

std::string FunctionEmitter::list(const std::vector<Code>& parts) {
    std::vector<std::string> texts;
    for (const Code& part : parts) texts.push_back(part.text);
    return list(texts);
}

std::string FunctionEmitter::list(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
    return text;
}

std::string FunctionEmitter::sizeArgument(const Code& size) {
    return !size.range.isNonnegative() ? ksCall("asSize", size.text) : size.text;
}

void FunctionEmitter::require(const std::string& condition, std::string_view otherwise) {
    line(ksCall("require", fmt::format("{}, \"{}\"", condition, otherwise)) + ";");
}

std::vector<Code> FunctionEmitter::components(TermId term, std::uint32_t rank, bool atoms) {
    const TypeId integer = m_types.integer();
    const auto one = [&](TermId part) {
        Code code = emit(part);
        if (atoms) code.text = atom(code, integer, "size");
        return code;
    };
    if (rank == 1) return {one(term)};
    std::vector<Code> parts;
    if (m_bank.is(term, CoreOp::Tuple)) {
        for (std::uint32_t d = 0; d < rank; ++d) parts.push_back(one(m_bank.child(term, d)));
        return parts;
    }
    if (m_bank.is(term, CoreOp::Bound) && m_bank.payload(term).asIndex() < m_bound.size()) {
        for (const Binding& part : m_bound[m_bound.size() - 1 - m_bank.payload(term).asIndex()].parts) {
            parts.push_back(boundCode(part, integer));
        }
        if (!parts.empty()) return parts;
    }
    const std::string tuple = stored(term, "at");
    for (std::uint32_t d = 0; d < rank; ++d) parts.push_back(Code{fmt::format("std::get<{}>({})", d, tuple)});
    return parts;
}

Binding FunctionEmitter::openLoops(const std::vector<Code>& sizes, TermId lambda) {
    const bool named = sizes.size() == 1 && lambda.isValid() && m_bank.is(lambda, CoreOp::Lam);
    const std::string hint = named ? hintOf(lambda, "i") : "i";
    const std::string integer = type(m_types.integer());
    std::vector<Binding> indices;
    for (const Code& size : sizes) {
        // The name belongs to the loop, so it is declared inside the loop's block.
        const std::size_t mark = m_scope.mark();
        const std::string name = m_scope.declare(hint);
        m_scope.leave(mark);
        open(fmt::format("for ({0} {1} = 0; {1} < {2}; ++{1})", integer, name, size.text));
        m_scope.declare(name);
        indices.push_back(Binding{name, {}, ir::sizeRange()});
    }
    return indices.size() == 1 ? indices[0] : Binding{{}, std::move(indices)};
}

std::string FunctionEmitter::element(const std::string& target, const Binding& index) {
    if (index.parts.empty()) return fmt::format("{}[{}]", target, index.text);
    std::vector<std::string> parts;
    for (const Binding& part : index.parts) parts.push_back(part.text);
    return fmt::format("{}({})", target, list(parts));
}

Code FunctionEmitter::emitTensor(Op op, TermId term, std::string_view hint) {
    switch (op) {
        case Op::Build: return build(term, hint);
        case Op::Sumbuild: return sumbuild(term, hint);
        case Op::Fold: return fold(term, hint);
        case Op::Map: return mapOver(term, false, hint);
        case Op::Map2: return mapOver(term, true, hint);
        case Op::Index: return index(term);
        case Op::Size: return sizeOf(term);
        case Op::Shape: return Code{ksCall("shape", emit(m_bank.child(term, 0)).text)};
        case Op::Sum: {
            const bool isVec = m_types.rank(m_bank.type(m_bank.child(term, 0))) == 1;
            return Code{ksCall("sum", stored(m_bank.child(term, 0), "v") + (isVec ? "" : ".data"))};
        }
        case Op::Unzip: {
            const bool isVec = m_types.rank(m_bank.type(m_bank.child(term, 0))) == 1;
            return Code{ksCall(isVec ? "unzip" : "unzipTensor", emit(m_bank.child(term, 0)).text)};
        }
        case Op::VecInit: {
            std::vector<std::string> parts;
            for (std::size_t i = 0; i < m_bank.childCount(term); ++i)
                parts.push_back(consume(emit(m_bank.child(term, i))));
            m_helpers.needHeader("utility");
            return Code{fmt::format("{}{{{}}}", type(m_bank.type(term)), list(parts))};
        }
        case Op::ConstVec: {
            const std::uint32_t rank = m_types.rank(m_bank.type(term));
            const std::vector<Code> sizes = components(m_bank.child(term, 0), rank, false);
            const Code e = emit(m_bank.child(term, 1));
            const std::string elementType = type(m_types.element(m_bank.type(term)));
            if (rank == 1) {
                return Code{fmt::format("{}({}, {})", type(m_bank.type(term)), sizeArgument(sizes[0]), e.text)};
            }
            m_helpers.need("constTensor");
            return Code{fmt::format("ks::constTensor<{}, {}>({{{}}}, {})", elementType, rank, list(sizes), e.text)};
        }
        case Op::DeltaVec: {
            const std::uint32_t rank = m_types.rank(m_bank.type(term));
            const std::vector<Code> sizes = components(m_bank.child(term, 0), rank, false);
            const std::vector<Code> at = components(m_bank.child(term, 1), rank, false);
            const Code e = emit(m_bank.child(term, 2));
            const std::string elementType = type(m_types.element(m_bank.type(term)));
            m_helpers.need(rank == 1 ? "deltaVec" : "deltaTensor");
            if (rank == 1)
                return Code{
                    fmt::format("ks::deltaVec<{}>({}, {}, {})", elementType, sizes[0].text, at[0].text, e.text)};
            return Code{fmt::format("ks::deltaTensor<{}, {}>({{{}}}, {{{}}}, {})", elementType, rank, list(sizes),
                                    list(at), e.text)};
        }
        case Op::Delta: {
            const TypeId resultType = m_bank.type(term);
            const Code i = emit(m_bank.child(term, 0));
            const Code j = emit(m_bank.child(term, 1));
            const Code e = emit(m_bank.child(term, 2), "x");
            const std::string left = wrapped(i, Additive);
            const std::string right = wrapped(j, Additive);
            const std::string equal = fmt::format("{} == {}", left == right ? ksCall("copy", i.text) : left, right);
            if (resultType == m_types.floating())
                return Code{fmt::format("{} ? {} : 0.0", equal, wrapped(e, LogicalOr)), Conditional};
            const std::string text = atom(e, resultType, "x");
            m_helpers.need("zeroLike");
            const std::string cpp = type(resultType);
            return Code{fmt::format("{} ? {}({}) : ks::zeroLike<{}>({})", equal, cpp, text, cpp, text), Conditional};
        }
        case Op::Diag: return diag(term, hint);
        default: return sparse(term, hint);
    }
}

Code FunctionEmitter::build(TermId term, std::string_view hint) {
    const std::uint32_t rank = m_types.rank(m_bank.type(term));
    const std::vector<Code> sizes = components(m_bank.child(term, 0), rank, true);
    const std::string name = m_scope.declare(hint.empty() ? "v" : hint);
    if (rank == 1) {
        line(fmt::format("{} {}({});", type(m_bank.type(term)), name, sizeArgument(sizes[0])));
    } else {
        line(fmt::format("{} {};", type(m_bank.type(term)), name));
        line(fmt::format("{}.resize({{{}}});", name, list(sizes)));
    }
    fillBuild(term, name, sizes);
    return Code{name, Primary, Form::Local};
}

void FunctionEmitter::fillBuild(TermId term, const std::string& target, const std::vector<Code>& sizes, bool adds) {
    const std::vector<TermId> sums = sumsAcross(m_bank, term);
    if (sums.size() == 1 && sums[0] == m_bank.child(m_bank.child(term, 1), 0)) {
        addAcross(term, sums[0], target, sizes[0]);
        return;
    }
    std::vector<std::string> names;
    for (const TermId sum : sums) {
        names.push_back(m_scope.declare("sums"));
        line(fmt::format("{} {}({});", type(m_bank.type(term)), names.back(), sizeArgument(sizes[0])));
        addAcross(term, sum, names.back(), sizes[0]);
    }
    const Binding index = openLoops(sizes, m_bank.child(term, 1));
    const std::size_t outside = m_sums.size();
    for (std::size_t i = 0; i < sums.size(); ++i) {
        m_sums.push_back({sums[i], m_bound.size() + 1, element(names[i], index)});
    }
    if (adds) {
        inlinedAdded(term, 1, index, element(target, index));
    } else {
        inlinedInto(term, 1, index, element(target, index));
    }
    m_sums.resize(outside);
    for (std::size_t d = 0; d < sizes.size(); ++d) close();
}

void FunctionEmitter::addAcross(TermId build, TermId sum, const std::string& target, const Code& size) {
    m_bound.emplace_back();  // the element's index; the number of summands does not mention it
    const Code count = components(m_bank.child(sum, 0), 1, true)[0];
    m_bound.pop_back();
    // A vector without elements needs no sum, so an empty sum is no error for it.
    const std::string enough = fmt::format("{} == 0 || {} > 0", wrapped(size, Additive), wrapped(count, Additive));
    require(enough, "sumbuild needs a size above 0");
    Binding summand = openLoops({count}, m_bank.child(sum, 1));
    const Binding index = openLoops({size}, m_bank.child(build, 1));
    m_bound.push_back(index);
    const Code code = inlined(sum, 1, std::move(summand), "term");
    m_bound.pop_back();
    line(fmt::format("{} += {};", element(target, index), code.text));
    close();
    close();
}

std::vector<Code> FunctionEmitter::sizesOfSum(TermId term, bool mayBeEmpty) {
    const TypeId indexType = m_bank.type(m_bank.child(term, 0));
    const std::uint32_t rank =
        m_types.isTuple(indexType) ? static_cast<std::uint32_t>(m_types.children(indexType).size()) : 1;
    std::vector<Code> sizes = components(m_bank.child(term, 0), rank, true);
    for (const Code& size : sizes) {
        const bool isKnown = size.plainInt && size.range.isNonnegative() && size.text != "0";
        if (!isKnown && !mayBeEmpty) require(wrapped(size, Additive) + " > 0", "sumbuild needs a size above 0");
    }
    return sizes;
}

Code FunctionEmitter::sumbuild(TermId term, std::string_view hint, bool mayBeEmpty) {
    if (const std::optional<Code> sum = summed(term, hint)) return *sum;
    const TypeId resultType = m_bank.type(term);
    const std::vector<Code> sizes = sizesOfSum(term, mayBeEmpty);
    const std::string sum = m_scope.declare(hint.empty() ? "sum" : hint);
    const bool fromZero = isSummedFromZero(resultType);
    std::string first;
    if (m_types.isNumeric(resultType)) {
        line(fmt::format("{} {} = {};", type(resultType), sum, resultType == m_types.floating() ? "0.0" : "0"));
    } else {
        line(fmt::format("{} {}{};", type(resultType), sum, fromZero ? "{}" : ""));
    }
    if (!fromZero) {
        // The first term determines the sizes of the sum.
        first = m_scope.declare("first");
        line(fmt::format("bool {} = true;", first));
    }
    const Binding index = openLoops(sizes, m_bank.child(term, 1));
    const Code code = inlined(term, 1, index, "term");
    if (resultType == m_types.floating()) {
        line(fmt::format("{} += {};", sum, code.text));
    } else if (resultType == m_types.integer()) {
        line(fmt::format("{} = {};", sum, ksCall("plus", sum + ", " + code.text)));
    } else if (fromZero) {
        line(ksCall("addTo", fmt::format("{}, {}", sum, code.text)) + ";");
    } else {
        const std::string text = code.form == Form::Value ? declare("term", resultType, code) : code.text;
        line(fmt::format("if ({}) {{", first));
        line(fmt::format("    {} = {};", sum, text));
        line("} else {");
        line("    " + ksCall("addTo", fmt::format("{}, {}", sum, text)) + ";");
        line("}");
        line(fmt::format("{} = false;", first));
    }
    for (std::size_t d = 0; d < sizes.size(); ++d) close();
    return Code{sum, Primary, isScalar(resultType) ? Form::Path : Form::Local};
}

FunctionEmitter::Folded FunctionEmitter::folded(TermId vector) {
    const bool isBuild =
        is(m_bank, vector, Op::Build) && m_types.rank(m_bank.type(vector)) == 1 && isInPlace(vector, 1);
    if (isBuild) {
        const TermId element = m_bank.child(m_bank.child(vector, 1), 0);
        const bool isIndex = m_bank.is(element, CoreOp::Bound) && m_bank.payload(element).asIndex() == 0;
        if (isIndex) {
            const Code size = components(m_bank.child(vector, 0), 1, true)[0];
            if (!size.range.isNonnegative()) require(wrapped(size, Additive) + " >= 0", "a size is negative");
            return {{}, size};
        }
    }
    const std::string name = stored(vector, "v");
    return {name, sizeCode(name)};
}

Binding FunctionEmitter::elementOf(const Folded& folded, const Binding& index) {
    return folded.vector.empty() ? index : Binding{element(folded.vector, index), {}};
}

Code FunctionEmitter::fold(TermId term, std::string_view hint) {
    const TypeId stateType = m_bank.type(term);
    const Code start = emit(m_bank.child(term, 1));
    const Folded folded = this->folded(m_bank.child(term, 2));
    const std::string state = m_scope.declare(hint.empty() ? "state" : hint);
    line(fmt::format("{} {} = {};", type(stateType), state, consume(start)));
    const Binding index = openLoops({folded.size}, TermId());
    const Code next = inlined(term, 0, Binding{{}, {Binding{state, {}}, elementOf(folded, index)}}, "next");
    if (next.text != state) line(fmt::format("{} = {};", state, consume(next)));
    close();
    m_helpers.needHeader("utility");
    return Code{state, Primary, isScalar(stateType) ? Form::Path : Form::Local};
}

Code FunctionEmitter::mapOver(TermId term, bool two, std::string_view hint) {
    const TypeId resultType = m_bank.type(term);
    const bool isVec = m_types.rank(resultType) == 1;
    const std::string data = isVec ? "" : ".data";
    const std::string left = stored(m_bank.child(term, 1), "v");
    const std::string right = two ? stored(m_bank.child(term, 2), "w") : std::string();
    const char* sizes = isVec ? ".size()" : ".dims";
    if (two) require(fmt::format("{0}{2} == {1}{2}", left, right, sizes), "map2: the sizes differ");
    const std::string name = m_scope.declare(hint.empty() ? "mapped" : hint);
    if (isVec) {
        line(fmt::format("{} {}({}.size());", type(resultType), name, left));
    } else {
        line(fmt::format("{} {};", type(resultType), name));
        line(fmt::format("{}.resize({}.dims);", name, left));
    }
    const Binding index = openLoops({sizeCode(left + data)}, TermId());
    Binding argument{element(left + data, index), {}};
    if (two) argument = Binding{{}, {argument, Binding{element(right + data, index), {}}}};
    inlinedInto(term, 0, std::move(argument), element(name + data, index));
    close();
    return Code{name, Primary, Form::Local};
}

Code FunctionEmitter::index(TermId term) {
    const auto rankOf = [this](TermId indexing) { return m_types.rank(m_bank.type(m_bank.child(indexing, 1))); };
    if (rankOf(term) > 1) {
        const std::vector<Code> at = components(m_bank.child(term, 0), rankOf(term), false);
        return Code{fmt::format("{}({})", stored(m_bank.child(term, 1), "t"), list(at)), Primary, Form::Path};
    }
    if (m_bank.is(m_bank.child(term, 1), CoreOp::Bound)) {
        const Binding* const vector = bindingOf(m_bank.child(term, 1));
        if (vector != nullptr && vector->areElements) {
            const std::string at = components(m_bank.child(term, 0), 1, false)[0].text;  // a literal
            return boundCode(vector->parts[std::stoul(at)], m_bank.type(term));
        }
    }
    // An element of an element is accessed with all indices at once.
    std::string indices;
    while (m_bank.op(term) == ks::opId(Op::Index) && rankOf(term) == 1) {
        indices.insert(0, fmt::format(", {}", components(m_bank.child(term, 0), 1, false)[0].text));
        term = m_bank.child(term, 1);
    }
    return Code{ksCall("at", stored(term, "v") + indices), Primary, Form::Path};
}

Code FunctionEmitter::sizeCode(const std::string& vector) {
    return Code{ksCall("size", vector), Primary, Form::Value, false, ir::sizeRange()};
}

Code FunctionEmitter::sizeOf(TermId term) {
    const TermId tensor = m_bank.child(term, 0);
    const std::uint32_t rank = m_types.rank(m_bank.type(tensor));
    if (rank == 1) return sizeCode(emit(tensor).text);
    const std::string name = stored(tensor, "t");
    std::vector<std::string> dims;
    for (std::uint32_t d = 0; d < rank; ++d) dims.push_back(fmt::format("{}.dims[{}]", name, d));
    return Code{fmt::format("{}({})", type(m_bank.type(term)), list(dims))};
}

Code FunctionEmitter::diag(TermId term, std::string_view hint) {
    const TypeId row = m_types.element(m_bank.type(term));
    const Code rows = components(m_bank.child(term, 0), 1, true)[0];
    const Code columns = components(m_bank.child(term, 1), 1, true)[0];
    const std::string name = m_scope.declare(hint.empty() ? "matrix" : hint);
    line(fmt::format("{} {}({});", type(m_bank.type(term)), name, sizeArgument(rows)));
    const Binding index = openLoops({rows}, m_bank.child(term, 2));
    const Code e = inlined(term, 2, index);
    m_helpers.need("deltaVec");
    line(fmt::format("{} = ks::deltaVec<{}>({}, {}, {});", element(name, index), type(m_types.element(row)),
                     columns.text, index.text, e.text));
    close();
    return Code{name, Primary, Form::Local};
}

}  // namespace mitos::codegen

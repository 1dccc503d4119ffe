// SPDX-License-Identifier: GPL-3.0-or-later
// Statements, names, let, if, calls and tuples.
#include "core/codegen/internal/emitter.h"

#include "core/codegen/internal/shapes.h"
#include "core/ir/binding.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstdint>
#include <optional>

namespace mitos::codegen {

using ir::CoreOp;
using ir::TermId;
using ir::TypeId;
using ir::TypeKind;
using ks::Op;

namespace {

constexpr std::size_t LongExpression = 90;  // characters; longer ones get a name
constexpr std::size_t LineWidth = 108;
constexpr int DeepestIndent = 30;

bool isWord(const std::string& text) {
    return std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.'; });
}

/// Whether a bound variable occurs only as the tuple of projections.
bool isOnlyProjected(const ir::TermBank& bank, TermId term, std::uint32_t variable) {
    if (!ir::mentions(bank, term, variable)) return true;
    if (bank.is(term, CoreOp::Bound)) return false;
    if (bank.is(term, CoreOp::Get) && bank.is(bank.child(term, 0), CoreOp::Bound)) return true;
    for (std::uint32_t i = 0; i < bank.childCount(term); ++i) {
        if (!isOnlyProjected(bank, bank.child(term, i), variable + bank.boundIn(term, i))) return false;
    }
    return true;
}

/// Whether a bound variable occurs only as a vector that single elements are read of.
bool isOnlyIndexed(const ir::TermBank& bank, TermId term, std::uint32_t variable) {
    if (!ir::mentions(bank, term, variable)) return true;
    if (bank.is(term, CoreOp::Bound)) return false;
    const bool isReading = is(bank, term, Op::Index) && bank.is(bank.child(term, 1), CoreOp::Bound) &&
                           bank.payload(bank.child(term, 1)).asIndex() == variable;
    const std::uint32_t count = isReading ? 1 : static_cast<std::uint32_t>(bank.childCount(term));
    for (std::uint32_t i = 0; i < count; ++i) {
        if (!isOnlyIndexed(bank, bank.child(term, i), variable + bank.boundIn(term, i))) return false;
    }
    return true;
}

/// Whether a bound variable occurs only as a vector whose elements are read at the index of a sparse build of few iterations, which are
/// emitted one by one. `unrolled` has the indices of these builds, as variables of the scope of `term`.
bool isOnlyUnrolled(const ir::TermBank& bank, TermId term, std::uint32_t variable,
                    std::vector<std::uint32_t> unrolled) {
    if (!ir::mentions(bank, term, variable)) return true;
    if (bank.is(term, CoreOp::Bound)) return false;
    if (is(bank, term, Op::Index) && bank.is(bank.child(term, 1), CoreOp::Bound)) {
        const TermId at = bank.child(term, 0);
        return bank.payload(bank.child(term, 1)).asIndex() == variable && bank.is(at, CoreOp::Bound) &&
               std::ranges::find(unrolled, bank.payload(at).asIndex()) != unrolled.end();
    }
    const bool isSparse = is(bank, term, Op::BuildFromSparse) && isUnrolled(bank, term);
    for (std::uint32_t i = 0; i < bank.childCount(term); ++i) {
        const bool isIteration = isSparse && i == 2;
        const TermId child = isIteration ? bank.child(bank.child(term, i), 0) : bank.child(term, i);
        const std::uint32_t bound = isIteration ? 1 : bank.boundIn(term, i);
        std::vector<std::uint32_t> inside = unrolled;
        for (std::uint32_t& index : inside) index += bound;
        if (isIteration) inside.push_back(0);
        if (!isOnlyUnrolled(bank, child, variable + bound, std::move(inside))) return false;
    }
    return true;
}

/// The binding under another name, which may be used several times.
Binding withoutMoves(Binding binding) {
    binding.isMovable = false;
    for (Binding& part : binding.parts) part = withoutMoves(std::move(part));
    return binding;
}

}  // namespace

bool isUnrolled(const ir::TermBank& bank, TermId sparse) {
    constexpr std::int64_t Most = 8;       // iterations
    constexpr std::uint64_t Largest = 12;  // nodes of an iteration that is emitted more than once
    const TermId count = bank.child(sparse, 1);
    const TermId function = bank.child(sparse, 2);
    if (!bank.is(count, CoreOp::Literal) || bank.type(count) != bank.types().integer()) return false;
    const std::int64_t number = bank.payload(count).asInteger();
    if (number < 1 || number > Most || !bank.is(function, CoreOp::Lam)) return false;
    return number == 1 || bank.treeSize(bank.child(function, 0)) <= Largest;
}

int usesOf(const ir::TermBank& bank, TermId term, std::uint32_t variable, std::optional<std::uint32_t> part) {
    constexpr int Many = 2;
    if (!ir::mentions(bank, term, variable)) return 0;
    if (bank.is(term, CoreOp::Lam)) return Many;
    if (bank.is(term, CoreOp::Bound)) return 1;
    const bool isPart = bank.is(term, CoreOp::Get) && bank.is(bank.child(term, 0), CoreOp::Bound);
    if (part && isPart) return bank.payload(term).projectionIndex() == *part ? 1 : 0;
    int uses = 0;
    for (std::uint32_t i = 0; i < bank.childCount(term) && uses < Many; ++i) {
        uses += usesOf(bank, bank.child(term, i), variable + bank.boundIn(term, i), part);
    }
    return uses;
}

std::string cppType(const ir::TypeTable& types, TypeId type, Helpers& helpers) {
    switch (types.kind(type)) {
        case TypeKind::Float: return "double";
        case TypeKind::Integer: helpers.needHeader("cstdint"); return "std::int64_t";
        case TypeKind::Bool: return "bool";
        case TypeKind::String: helpers.needHeader("string"); return "std::string";
        case TypeKind::Tuple: {
            helpers.needHeader("tuple");
            std::string parts;
            for (const TypeId part : types.children(type)) {
                parts += (parts.empty() ? "" : ", ") + cppType(types, part, helpers);
            }
            return "std::tuple<" + parts + ">";
        }
        case TypeKind::Tensor: {
            const std::string element = cppType(types, types.element(type), helpers);
            if (types.rank(type) == 1) {
                helpers.needHeader("vector");
                return "std::vector<" + element + ">";
            }
            helpers.need("Tensor");
            return fmt::format("ks::Tensor<{}, {}>", element, types.rank(type));
        }
        case TypeKind::Lambda: {
            helpers.needHeader("functional");
            const std::string from = cppType(types, types.children(type)[0], helpers);
            return fmt::format("std::function<{}(const {}&)>", cppType(types, types.children(type)[1], helpers), from);
        }
        case TypeKind::LinearMap:
        case TypeKind::Array: break;
    }
    throw Unsupported{fmt::format("values of type {} have no C++", types.toString(type)),
                      "export a function without linear maps"};
}

// --- text -------------------------------------------------------------------------------------------------------------

void FunctionEmitter::line(const std::string& text) {
    m_out.append(4 * static_cast<std::size_t>(std::min(m_indent, DeepestIndent)), ' ');
    m_out += text;
    m_out += '\n';
}

void FunctionEmitter::open(const std::string& head) {
    line(head + " {");
    ++m_indent;
    m_marks.push_back(m_scope.mark());
}

void FunctionEmitter::close(std::string_view after) {
    m_scope.leave(m_marks.back());
    m_marks.pop_back();
    --m_indent;
    line(fmt::format("}}{}", after));
}

std::string FunctionEmitter::hintOf(TermId binder, std::string_view otherwise) const {
    const Symbol hint = m_bank.hint(binder);
    return std::string(hint.isValid() ? m_bank.text(hint) : otherwise);
}

bool FunctionEmitter::isScalar(TypeId type) const { return m_types.isNumeric(type) || type == m_types.boolean(); }

bool FunctionEmitter::isSummedFromZero(TypeId type) const {
    if (m_types.isNumeric(type)) return true;
    if (!m_types.isTuple(type)) return false;
    const auto parts = m_types.children(type);
    return std::ranges::all_of(parts, [this](TypeId part) { return isSummedFromZero(part); });
}

std::string FunctionEmitter::ksCall(const std::string& helper, const std::string& arguments) {
    m_helpers.need(helper);
    return fmt::format("ks::{}({})", helper, arguments);
}

std::string FunctionEmitter::consume(const Code& code) {
    return code.form == Form::Local ? "std::move(" + code.text + ")" : code.text;
}

std::string FunctionEmitter::declare(std::string_view hint, TypeId type, const Code& code, bool unused) {
    const std::string name = m_scope.declare(hint);
    const bool reference = code.form == Form::Path && !isScalar(type);
    // A vector or tuple with its own storage is not const, so that it can be moved into the result.
    const bool constant = reference || isScalar(type);
    line(fmt::format("{}{}{}{} {} = {};", unused ? "[[maybe_unused]] " : "", constant ? "const " : "", this->type(type),
                     reference ? "&" : "", name, consume(code)));
    if (code.form == Form::Local) m_helpers.needHeader("utility");
    return name;
}

std::string FunctionEmitter::atom(const Code& code, TypeId type, std::string_view hint) {
    if (code.form != Form::Value || isWord(code.text)) return code.text;
    return declare(hint, type, code);
}

std::string FunctionEmitter::stored(TermId term, std::string_view hint) {
    const Code code = emit(term, hint);
    return code.form == Form::Value ? declare(hint, m_bank.type(term), code) : code.text;
}

Code FunctionEmitter::shortened(Code code, TypeId type) {
    if (code.form != Form::Value || code.text.size() <= LongExpression || !isScalar(type)) return code;
    return Code{declare("part", type, code), Primary, Form::Path, false, code.range};
}

// --- functions --------------------------------------------------------------------------------------------------------

std::string FunctionEmitter::signature(const ir::Function& function, const std::string& name, TermId body) {
    std::vector<std::string> parameters;
    const auto add = [&](const std::string& typeText, Symbol symbol, bool used) {
        const std::string variable = m_scope.declare(m_bank.text(symbol));
        m_variables.emplace(symbol, Code{variable, Primary, Form::Path});
        parameters.push_back(fmt::format("{}{} {}", used ? "" : "[[maybe_unused]] ", typeText, variable));
    };
    for (const ir::Parameter& parameter : function.parameters) {
        m_declared.parameters.emplace(parameter.name, parameter.type);
    }
    std::vector<Symbol> mentioned;
    for (const ir::SizeName& size : function.sizes) {
        if (!ir::mentionsFree(m_bank, body, size.name)) continue;
        mentioned.push_back(size.name);
        m_declared.sizes.insert(size.name);
    }
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        const ir::Parameter& parameter = function.parameters[i];
        const std::string typeText = type(parameter.type);
        bool used = ir::mentionsFree(m_bank, body, parameter.name);
        for (const ir::SizeName& size : function.sizes) {
            const bool needed = std::ranges::find(mentioned, size.name) != mentioned.end();
            used = used || (needed && size.parameter && *size.parameter == i);
        }
        add(isScalar(parameter.type) ? typeText : "const " + typeText + "&", parameter.name, used);
    }
    for (const ir::SizeName& size : function.sizes) {
        if (!size.parameter) add(type(m_types.integer()), size.name, ir::mentionsFree(m_bank, body, size.name));
    }
    const std::string head = fmt::format("{} {}(", type(m_bank.type(body)), name);
    std::string all;
    std::string line = head;
    for (const std::string& parameter : parameters) {
        const std::string text = parameter + (&parameter == &parameters.back() ? ")" : ", ");
        if (line.size() + text.size() > LineWidth && line.size() > head.size()) {
            all += line.substr(0, line.size() - 1) + "\n";
            line = "        ";
        }
        line += text;
    }
    return all + line + (parameters.empty() ? ")" : "");
}

void FunctionEmitter::defineSizes(const ir::Function& function, TermId body) {
    for (const ir::SizeName& size : function.sizes) {
        if (!size.parameter || !ir::mentionsFree(m_bank, body, size.name)) continue;
        const ir::Parameter& parameter = function.parameters[*size.parameter];
        std::string path = m_variables.at(parameter.name).text;
        std::string guards;
        TypeId current = parameter.type;
        for (const std::uint32_t step : size.steps) {
            if (m_types.isTuple(current)) {
                path = fmt::format("std::get<{}>({})", step, path);
                current = m_types.children(current)[step];
            } else {
                const std::string data = m_types.rank(current) == 1 ? path : path + ".data";
                guards += fmt::format("{}.empty() ? 0 : ", data);
                path = data + "[0]";
                current = m_types.element(current);
            }
        }
        const std::string value =
            m_types.rank(current) == 1 ? ksCall("size", path) : fmt::format("{}.dims[{}]", path, size.dimension);
        const std::string name = m_scope.declare(m_bank.text(size.name));
        m_variables.emplace(size.name, Code{name, Primary, Form::Path, false, ir::sizeRange()});
        line(fmt::format("const {} {} = {}{};", type(m_types.integer()), name, guards, value));
    }
}

std::string FunctionEmitter::define(const ir::Function& function, const std::string& name, TermId body) {
    const std::size_t outside = m_scope.mark();
    const std::string head = signature(function, name, body);
    open(head);
    defineSizes(function, body);
    emitReturn(body);
    close();
    m_scope.leave(outside);
    return std::move(m_out);
}

void FunctionEmitter::emitReturn(TermId term) {
    if (m_bank.is(term, CoreOp::Let) && !isSum(term)) {
        bindValue(term, m_bank.child(term, 0), m_bank.child(term, 1));
        emitReturn(m_bank.child(term, 1));
        m_bound.pop_back();
        return;
    }
    if (ks::ksOp(m_bank.op(term)) == Op::If && m_bank.depth(term) > 3 && !isSum(term)) {
        open(fmt::format("if ({})", emit(m_bank.child(term, 0)).text));
        emitReturn(m_bank.child(term, 1));
        close();
        emitReturn(m_bank.child(term, 2));
        return;
    }
    line(fmt::format("return {};", emit(term, "result").text));
}

// --- control ----------------------------------------------------------------------------------------------------------

Code FunctionEmitter::emit(TermId term, std::string_view hint) {
    for (const KnownSum& sum : m_sums) {
        if (sum.term == term && sum.depth == m_bound.size()) return Code{sum.text, Primary, Form::Path};
    }
    const ir::OpId id = m_bank.op(term);
    if (id.value < static_cast<std::uint32_t>(CoreOp::Count)) return emitCore(term, hint);
    const Op op = ks::ksOp(id);
    if (op == Op::If) return conditional(term, hint);
    if (op < Op::Build && op != Op::Assert) return shortened(emitNumber(op, term), m_bank.type(term));
    if (op >= Op::Build && op <= Op::BuildFromSparseTupled) return emitTensor(op, term, hint);
    return emitSpecial(op, term, hint);
}

void FunctionEmitter::emitInto(TermId term, const std::string& target) {
    if (m_bank.is(term, CoreOp::Let) && !isSum(term)) {
        bindValue(term, m_bank.child(term, 0), m_bank.child(term, 1));
        emitInto(m_bank.child(term, 1), target);
        m_bound.pop_back();
        return;
    }
    const Op op = ks::ksOp(m_bank.op(term));
    if (op == Op::Build) {
        const std::uint32_t rank = m_types.rank(m_bank.type(term));
        const std::vector<Code> sizes = components(m_bank.child(term, 0), rank, true);
        line(fmt::format("{}.resize({});", target, rank == 1 ? sizeArgument(sizes[0]) : "{" + list(sizes) + "}"));
        fillBuild(term, target, sizes);
        return;
    }
    if (op == Op::If && !isScalar(m_bank.type(term)) && !isSum(term)) {
        open(fmt::format("if ({})", emit(m_bank.child(term, 0)).text));
        emitInto(m_bank.child(term, 1), target);
        close();
        open("else");
        emitInto(m_bank.child(term, 2), target);
        close();
        return;
    }
    line(fmt::format("{} = {};", target, consume(emit(term))));
    m_helpers.needHeader("utility");
}

Code FunctionEmitter::emitCore(TermId term, std::string_view hint) {
    const ir::Payload& payload = m_bank.payload(term);
    switch (static_cast<CoreOp>(m_bank.op(term).value)) {
        case CoreOp::Literal:
            switch (payload.kind()) {
                case ir::PayloadKind::Float: {
                    const std::string text = floatLiteral(payload.asFloat());
                    if (text.starts_with("std::") || text.starts_with('(')) m_helpers.needHeader("limits");
                    return Code{text, text[0] == '-' ? Unary : Primary};
                }
                case ir::PayloadKind::Integer: {
                    const std::int64_t value = payload.asInteger();
                    if (value == INT64_MIN) return Code{"(-9223372036854775807 - 1)"};
                    return Code{fmt::format("{}", value), value < 0 ? Unary : Primary, Form::Value,
                                value > INT32_MIN && value <= INT32_MAX,
                                ir::ValueRange::exactly(static_cast<double>(value))};
                }
                case ir::PayloadKind::Bool: return Code{payload.asBool() ? "true" : "false"};
                default:
                    m_helpers.needHeader("string");
                    return Code{fmt::format("std::string({}, {})", stringLiteral(m_bank.text(payload.asSymbol())),
                                            m_bank.text(payload.asSymbol()).size())};
            }
        case CoreOp::Variable: {
            const auto known = m_variables.find(payload.asSymbol());
            if (known == m_variables.end()) {
                throw Unsupported{fmt::format("the variable {} has no value", m_bank.text(payload.asSymbol())), {}};
            }
            return known->second;
        }
        case CoreOp::Bound: {
            const std::uint32_t back = payload.asIndex();
            if (back >= m_bound.size()) throw Unsupported{"a bound variable stands outside of its binder", {}};
            return boundCode(m_bound[m_bound.size() - 1 - back], m_bank.type(term));
        }
        case CoreOp::Let: {
            if (const std::optional<Code> sum = summed(term, hint)) return *sum;
            bindValue(term, m_bank.child(term, 0), m_bank.child(term, 1));
            Code code = emit(m_bank.child(term, 1), hint);
            m_bound.pop_back();
            return code;
        }
        case CoreOp::Tuple: return makeTuple(term);
        case CoreOp::Get: return projection(term);
        case CoreOp::Call: return shortened(call(term), m_bank.type(term));
        case CoreOp::Dummy: return Code{type(payload.asType()) + "{}"};
        case CoreOp::Lam: return functionValue(term, hint);
        case CoreOp::Count: break;
    }
    throw Unsupported{fmt::format("{} has no C++", m_bank.opName(term)), {}};
}

void FunctionEmitter::bindValue(TermId binder, TermId value, TermId body) {
    const std::string hint = hintOf(binder, "x");
    const TypeId valueType = m_bank.type(value);
    if (ks::ksOp(m_bank.op(value)) == Op::BuildFromSparseTupled && isOnlyProjected(m_bank, body, 0)) {
        m_bound.push_back(scattered(value, body));
        return;
    }
    const bool isUsedOnce = usesOf(m_bank, body, 0) == 1;
    if (const Binding* const moved = movable(value)) {
        m_bound.push_back(Binding{moved->text, {}, {}, isUsedOnce});
        return;
    }
    const Binding* known = bindingOf(value);
    const bool isUnstored = m_bank.is(value, CoreOp::Tuple) || (known != nullptr && !known->parts.empty());
    if (isUnstored && isOnlyProjected(m_bank, body, 0)) {
        Binding binding = unstored(value);
        m_bound.push_back(std::move(binding));
        return;
    }
    if (is(m_bank, value, Op::VecInit) && ir::mentions(m_bank, body, 0) && isOnlyUnrolled(m_bank, body, 0, {})) {
        Binding elements = unstoredElements(value);
        m_bound.push_back(std::move(elements));
        return;
    }
    const bool isTable = is(m_bank, value, Op::VecInit) && isScalar(m_types.element(valueType)) &&
                         ir::mentions(m_bank, body, 0) && isOnlyIndexed(m_bank, body, 0);
    if (isTable) {
        m_bound.push_back(Binding{table(value, hint), {}});
        return;
    }
    Code code = emit(value, hint);
    const bool isOwn = !isScalar(valueType) && code.form != Form::Path;
    if (code.form != Form::Local) code.text = declare(hint, valueType, code, !ir::mentions(m_bank, body, 0));
    m_bound.push_back(Binding{code.text, {}, code.range, isOwn && isUsedOnce});
}

const Binding* FunctionEmitter::movable(TermId term) const {
    const bool isPart = m_bank.is(term, CoreOp::Get);
    const TermId variable = isPart ? m_bank.child(term, 0) : term;
    if (!m_bank.is(variable, CoreOp::Bound) || m_bank.payload(variable).asIndex() >= m_bound.size()) return nullptr;
    const Binding& binding = m_bound[m_bound.size() - 1 - m_bank.payload(variable).asIndex()];
    if (!isPart) return binding.parts.empty() && binding.isMovable ? &binding : nullptr;
    if (binding.parts.empty()) return nullptr;
    const Binding& part = binding.parts[m_bank.payload(term).projectionIndex()];
    return part.parts.empty() && part.isMovable ? &part : nullptr;
}

Code FunctionEmitter::emitOwned(TermId term, std::string_view hint) {
    if (const Binding* const moved = movable(term)) {
        m_helpers.needHeader("utility");
        return Code{moved->text, Primary, Form::Local};
    }
    return emit(term, hint);
}

std::string FunctionEmitter::table(TermId vector, std::string_view hint) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < m_bank.childCount(vector); ++i) parts.push_back(emit(m_bank.child(vector, i)).text);
    m_helpers.needHeader("array");
    const std::string name = m_scope.declare(hint);
    line(fmt::format("const std::array<{}, {}> {}{{{{{}}}}};", type(m_types.element(m_bank.type(vector))), parts.size(),
                     name, fmt::join(parts, ", ")));
    return name;
}

Code FunctionEmitter::boundCode(const Binding& binding, TypeId boundType) {
    if (binding.parts.empty()) return Code{binding.text, Primary, Form::Path, false, binding.range};
    std::string parts;
    for (std::size_t i = 0; i < binding.parts.size(); ++i) {
        const Code part = boundCode(binding.parts[i], m_types.children(boundType)[i]);
        parts += (i == 0 ? "" : ", ") + part.text;
    }
    return Code{fmt::format("{}({})", type(boundType), parts)};
}

Code FunctionEmitter::functionValue(TermId lambda, std::string_view hint) {
    const TypeId from = m_types.children(m_bank.type(lambda))[0];
    const TypeId to = m_types.children(m_bank.type(lambda))[1];
    const TermId body = m_bank.child(lambda, 0);
    const std::string name = m_scope.declare(hint.empty() ? "f" : hint);
    const std::size_t outside = m_scope.mark();
    const std::string variable = m_scope.declare(hintOf(lambda, "x"));
    const char* unused = ir::mentions(m_bank, body, 0) ? "" : "[[maybe_unused]] ";
    // Variables are captured by value: the function may outlive the block in which it is created.
    open(fmt::format("const {} {} = [=]({}const {}& {}) -> {}", type(m_bank.type(lambda)), name, unused, type(from),
                     variable, type(to)));
    m_bound.push_back(Binding{variable, {}});
    emitReturn(body);
    m_bound.pop_back();
    close(";");
    m_scope.leave(outside);
    return Code{name, Primary, Form::Path};
}

bool FunctionEmitter::isInPlace(TermId term, std::uint32_t child) const {
    return m_bank.is(m_bank.child(term, child), CoreOp::Lam);
}

Code FunctionEmitter::inlined(TermId term, std::uint32_t child, Binding argument, std::string_view hint) {
    const TermId function = m_bank.child(term, child);
    if (!isInPlace(term, child)) {
        const std::string name = stored(function, "f");
        const TypeId from = m_types.children(m_bank.type(function))[0];
        return Code{fmt::format("{}({})", name, boundCode(argument, from).text)};
    }
    m_bound.push_back(std::move(argument));
    Code code = emit(m_bank.child(function, 0), hint);
    m_bound.pop_back();
    return code;
}

void FunctionEmitter::inlinedInto(TermId term, std::uint32_t child, Binding argument, const std::string& target) {
    if (!isInPlace(term, child)) {
        line(fmt::format("{} = {};", target, inlined(term, child, std::move(argument)).text));
        return;
    }
    m_bound.push_back(std::move(argument));
    emitInto(m_bank.child(m_bank.child(term, child), 0), target);
    m_bound.pop_back();
}

Code FunctionEmitter::conditional(TermId term, std::string_view hint) {
    const TypeId resultType = m_bank.type(term);
    if (resultType == m_types.floating() && countOfSumOrZero(m_bank, term).isValid()) {
        return sumbuild(m_bank.child(term, 1), hint, true);
    }
    if (const std::optional<Code> sum = summed(term, hint)) return *sum;
    const Code condition = emit(m_bank.child(term, 0));
    const std::size_t mark = m_scope.mark();
    const std::string name = m_scope.declare(hint.empty() ? "chosen" : hint);
    std::string blocks[2];
    Code codes[2];
    for (std::uint32_t i = 0; i < 2; ++i) {
        std::string outside = std::exchange(m_out, {});
        const std::size_t inside = m_scope.mark();
        ++m_indent;
        codes[i] = emit(m_bank.child(term, i + 1));
        --m_indent;
        m_scope.leave(inside);
        blocks[i] = std::exchange(m_out, std::move(outside));
    }
    const bool paths = codes[0].form == Form::Path && codes[1].form == Form::Path;
    const ir::ValueRange range = hull(codes[0].range, codes[1].range);
    if (blocks[0].empty() && blocks[1].empty() && (isScalar(resultType) || paths)) {
        m_scope.leave(mark);
        Code code{fmt::format("{} ? {} : {}", wrapped(condition, LogicalOr), wrapped(codes[0], LogicalOr),
                              wrapped(codes[1], LogicalOr)),
                  Conditional};
        code.plainInt = codes[0].plainInt && codes[1].plainInt;
        code.range = range;
        if (paths && !isScalar(resultType)) {
            code.text = "(" + code.text + ")";
            code.precedence = Primary;
            code.form = Form::Path;
        }
        return shortened(std::move(code), resultType);
    }
    line(fmt::format("{} {}{{}};", type(resultType), name));
    for (std::uint32_t i = 0; i < 2; ++i) {
        line(i == 0 ? fmt::format("if ({}) {{", condition.text) : "} else {");
        m_out += blocks[i];
        ++m_indent;
        line(fmt::format("{} = {};", name, consume(codes[i])));
        --m_indent;
    }
    line("}");
    m_helpers.needHeader("utility");
    return Code{name, Primary, isScalar(resultType) ? Form::Path : Form::Local, false, range};
}

Code FunctionEmitter::call(TermId term) {
    const ir::FunctionId id = m_bank.payload(term).asFunction();
    const ir::Function& function = m_bank.function(id);
    for (const ir::SizeName& size : function.sizes) {
        if (size.parameter) continue;
        throw Unsupported{fmt::format("a call of {} does not tell the size {}, which only its result type names",
                                      function.name, m_bank.text(size.name)),
                          {}};
    }
    std::string arguments;
    for (std::size_t i = 0; i < m_bank.childCount(term); ++i) {
        arguments += (i == 0 ? "" : ", ") + emit(m_bank.child(term, i)).text;
    }
    return Code{fmt::format("{}({})", m_functions.at(id), arguments)};
}

Code FunctionEmitter::makeTuple(TermId term) {
    std::string parts;
    for (std::size_t i = 0; i < m_bank.childCount(term); ++i) {
        parts += (i == 0 ? "" : ", ") + consume(emitOwned(m_bank.child(term, i)));
    }
    m_helpers.needHeader("utility");
    return Code{fmt::format("{}({})", type(m_bank.type(term)), parts)};
}

Code FunctionEmitter::projection(TermId term) {
    if (const Binding* binding = bindingOf(term)) return boundCode(*binding, m_bank.type(term));
    const std::uint32_t place = m_bank.payload(term).projectionIndex();
    return Code{fmt::format("std::get<{}>({})", place, stored(m_bank.child(term, 0), "tuple")), Primary, Form::Path};
}

const Binding* FunctionEmitter::bindingOf(TermId term) const {
    std::vector<std::uint32_t> steps;
    while (m_bank.is(term, CoreOp::Get)) {
        steps.push_back(m_bank.payload(term).projectionIndex());
        term = m_bank.child(term, 0);
    }
    if (!m_bank.is(term, CoreOp::Bound) || m_bank.payload(term).asIndex() >= m_bound.size()) return nullptr;
    const Binding* binding = &m_bound[m_bound.size() - 1 - m_bank.payload(term).asIndex()];
    while (!steps.empty() && !binding->parts.empty()) {
        binding = &binding->parts[steps.back()];
        steps.pop_back();
    }
    return steps.empty() ? binding : nullptr;
}

Binding FunctionEmitter::unstoredElements(TermId vector) {
    Binding binding;
    binding.areElements = true;
    for (std::uint32_t i = 0; i < m_bank.childCount(vector); ++i) {
        binding.parts.push_back(unstored(m_bank.child(vector, i)));
    }
    return binding;
}

Binding FunctionEmitter::unstored(TermId term) {
    if (const Binding* binding = bindingOf(term)) return withoutMoves(*binding);
    if (!m_bank.is(term, CoreOp::Tuple) || m_bank.childCount(term) == 0) {
        const Code code = emit(term);
        const bool isPlace = code.form != Form::Value || m_bank.is(term, CoreOp::Tuple);
        return Binding{isPlace ? code.text : declare("part", m_bank.type(term), code, true), {}, code.range};
    }
    Binding binding;
    for (std::size_t i = 0; i < m_bank.childCount(term); ++i) binding.parts.push_back(unstored(m_bank.child(term, i)));
    return binding;
}

}  // namespace mitos::codegen

// SPDX-License-Identifier: GPL-3.0-or-later
// Reads types, parameters, names and signatures.
#include "core/ks/internal/type_reader.h"

#include "core/base/number_text.h"
#include "core/base/suggestion.h"
#include "core/ks/names.h"
#include "core/ks/operators.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::ks {

using ir::TypeId;

namespace {

constexpr int MaxTypeDepth = 200;
constexpr std::uint32_t MaxRank = 64;
constexpr const char* TypesAre =
    "types are Integer, Float, Bool, String, (Vec T), (Tensor n T), (Tuple T ...) and (Lam S T)";
const std::vector<std::string_view> TypeWords = {"Integer", "Float", "Bool", "String", "Vec",
                                                 "Tensor",  "Tuple", "Lam",  "LM"};

/// Decrements a depth counter when its scope ends.
class DepthGuard {
public:
    explicit DepthGuard(int& depth) : m_depth(depth) {}
    ~DepthGuard() { --m_depth; }
    DepthGuard(const DepthGuard&) = delete;
    DepthGuard& operator=(const DepthGuard&) = delete;

private:
    int& m_depth;
};

bool isConstructor(std::string_view word) {
    return word == "Vec" || word == "Tensor" || word == "Tuple" || word == "Lam" || word == "LM";
}

}  // namespace

bool TypeReader::isTypeWord(std::string_view word) { return std::ranges::find(TypeWords, word) != TypeWords.end(); }

TypeId TypeReader::type(FormId form) {
    const FormTree& forms = m_file.forms;
    if (forms.is(form, FormKind::List)) return typeOf(forms.children(form), form);
    if (!forms.is(form, FormKind::Name)) {
        return m_file.fail(form, fmt::format("expected a type, found {}", forms.shortText(form)), TypesAre);
    }
    const std::string_view word = forms.text(form);
    if (word == "Integer") return m_types.integer();
    if (word == "Float") return m_types.floating();
    if (word == "Bool") return m_types.boolean();
    if (word == "String") return m_types.string();
    if (isTypeWord(word)) return m_file.fail(form, fmt::format("{} alone is not a type", word), TypesAre);
    return m_file.fail(form, fmt::format("{} is not a type", word), suggestion(word, TypeWords, TypesAre));
}

TypeId TypeReader::typeOf(std::span<const FormId> forms, FormId place) {
    const FormTree& tree = m_file.forms;
    if (forms.empty()) return m_file.fail(place, "expected a type, found nothing", TypesAre);
    const FormId head = forms[0];
    const std::span<const FormId> rest = forms.subspan(1);
    const std::string_view word = tree.is(head, FormKind::Name) ? tree.text(head) : std::string_view();
    const bool constructor = isConstructor(word);
    if (forms.size() > 1 && !constructor) {
        return m_file.fail(forms[1], "expected one type, found more after it", "a tuple is written (Tuple T1 T2)");
    }
    if (++m_depth > MaxTypeDepth) {
        --m_depth;
        return m_file.fail(place, fmt::format("types are nested more than {} levels deep here", MaxTypeDepth));
    }
    TypeId result;
    if (!constructor) {
        result = type(head);  // parentheses around a type have no meaning
    } else if (word == "Vec") {
        result = tensorType(rest, head, 1);
    } else if (word == "Tensor") {
        std::uint32_t rank = 0;
        if (!rest.empty() && tree.is(rest[0], FormKind::Integer)) {
            rank = numberFrom<std::uint32_t>(tree.text(rest[0])).value_or(0);
        }
        result = rank >= 1 && rank <= MaxRank
                     ? tensorType(rest.subspan(1), head, rank)
                     : TypeId(m_file.fail(head, "Tensor takes its rank first, an Integer of 1 or more",
                                          "write (Tensor 2 Float) for a matrix"));
    } else if (word == "Tuple") {
        std::vector<TypeId> elements;
        for (const FormId element : rest) {
            elements.push_back(type(element));
            if (!elements.back().isValid()) break;
        }
        if (elements.empty() || elements.back().isValid()) result = m_types.tuple(elements);
    } else if (rest.size() != 2) {
        result = m_file.fail(head, fmt::format("{} takes two types, from and to; found {}", word, rest.size()));
    } else if (const TypeId from = type(rest[0]); from.isValid()) {
        const TypeId to = type(rest[1]);
        if (to.isValid()) result = word == "Lam" ? m_types.lambda(from, to) : m_types.linearMap(from, to);
    }
    --m_depth;
    return result;
}

/// Whether the form is a size expression such as (div n 2), which old files use for sizes of results.
bool TypeReader::isSizeExpression(FormId form) const {
    const FormTree& tree = m_file.forms;
    const std::span<const FormId> parts =
        tree.is(form, FormKind::List) ? tree.children(form) : std::span<const FormId>();
    return parts.size() > 1 && tree.is(parts[0], FormKind::Name) && !isReserved(tree.text(parts[0]));
}

TypeId TypeReader::tensorType(std::span<const FormId> forms, FormId place, std::uint32_t rank) {
    if (forms.empty() && rank == 1) {
        return m_file.fail(place, "Vec alone is not a type", "write (Vec Float), or (Vec n Float) to name the size");
    }
    if (forms.size() != 1 && forms.size() != rank + 1) {
        return m_file.fail(
            place,
            fmt::format("expected {} here; found {} forms",
                        rank == 1 ? "an element type, or a size and an element type"
                                  : fmt::format("an element type, or {} sizes and an element type", rank),
                        forms.size()),
            "write (Vec Float) or (Vec n Float)");
    }
    std::vector<Symbol> sizes;
    for (const FormId form : forms.first(forms.size() - 1)) {
        if (isSizeExpression(form)) {
            sizes.emplace_back();  // a computed size has no name
            continue;
        }
        const std::optional<Symbol> name = sizeName(form);
        if (!name) return {};
        sizes.push_back(*name);
    }
    const TypeId element = type(forms.back());
    return element.isValid() ? m_types.tensor(rank, element, sizes) : TypeId();
}

/// Reads a name, a number, or _ for no name.
std::optional<Symbol> TypeReader::sizeName(FormId form) {
    const std::string_view text = m_file.forms.text(form);
    if (m_file.forms.isName(form, "_")) return Symbol();
    const bool number = m_file.forms.is(form, FormKind::Integer) && text[0] != '-' && text[0] != '+';
    const bool name = m_file.forms.is(form, FormKind::Name) && isVariableName(text);
    if (number || name) return m_file.bank.symbols().intern(text);
    static_cast<void>(m_file.fail(form,
                                  fmt::format("expected the name of a size, found {}", m_file.forms.shortText(form)),
                                  "sizes look like (Vec n Float)"));
    return std::nullopt;
}

TypeId TypeReader::argumentType(FormId form) {
    const FormTree& tree = m_file.forms;
    if (tree.is(form, FormKind::List)) {
        const std::span<const FormId> parts = tree.children(form);
        if (parts.empty()) return m_types.unit();
        const bool constructor = tree.is(parts[0], FormKind::Name) && isConstructor(tree.text(parts[0]));
        if (parts.size() >= 2 && !constructor) {
            std::vector<TypeId> elements;
            for (const FormId part : parts) {
                elements.push_back(type(part));
                if (!elements.back().isValid()) return {};
            }
            return m_types.tuple(elements);
        }
    }
    return type(form);
}

std::optional<ir::Parameter> TypeReader::parameter(std::span<const FormId> forms, FormId place) {
    const FormTree& tree = m_file.forms;
    if (forms.size() < 3 || !tree.is(forms[0], FormKind::Name) || !tree.isName(forms[1], ":")) {
        static_cast<void>(m_file.fail(place, "expected a parameter with its type", "parameters look like (x : Float)"));
        return std::nullopt;
    }
    const std::string_view name = tree.text(forms[0]);
    if (!isVariableName(name)) {
        static_cast<void>(
            m_file.fail(forms[0], fmt::format("{} is a reserved word, not a name for a parameter", name)));
        return std::nullopt;
    }
    const TypeId type = typeOf(forms.subspan(2), place);
    if (!type.isValid()) return std::nullopt;
    return ir::Parameter{m_file.bank.symbols().intern(name), type};
}

std::optional<std::vector<ir::Parameter>> TypeReader::parameters(FormId form) {
    const FormTree& tree = m_file.forms;
    if (!tree.is(form, FormKind::List)) {
        static_cast<void>(m_file.fail(form, fmt::format("expected the parameters, found {}", tree.shortText(form)),
                                      "write (x : Float), ((x : Float) (y : Float)), or () for none"));
        return std::nullopt;
    }
    std::vector<ir::Parameter> result;
    const std::span<const FormId> parts = tree.children(form);
    if (parts.empty()) return result;
    const auto add = [&](std::span<const FormId> forms, FormId place) {
        const std::optional<ir::Parameter> one = parameter(forms, place);
        if (!one) return false;
        const bool twice = std::ranges::any_of(result, [&](const ir::Parameter& p) { return p.name == one->name; });
        if (twice) {
            static_cast<void>(
                m_file.fail(place, fmt::format("there are two parameters called {}", m_file.bank.text(one->name))));
            return false;
        }
        result.push_back(*one);
        return true;
    };
    if (tree.is(parts[0], FormKind::Name)) {
        if (!add(parts, form)) return std::nullopt;
        return result;
    }
    for (const FormId part : parts) {
        const std::span<const FormId> inner =
            tree.is(part, FormKind::List) ? tree.children(part) : std::span<const FormId>();
        if (!add(inner, part)) return std::nullopt;
    }
    return result;
}

std::optional<FunctionName> TypeReader::functionName(FormId form) {
    const FormTree& tree = m_file.forms;
    const std::string_view text = tree.text(form);
    if (tree.is(form, FormKind::Name)) {
        if (isReserved(text)) {
            static_cast<void>(
                m_file.fail(form, fmt::format("{} is a reserved word, not the name of a function", text)));
            return std::nullopt;
        }
        return FunctionName{std::string(text), std::string(text), {}};
    }
    const std::span<const FormId> parts =
        tree.is(form, FormKind::Bracket) ? tree.children(form) : std::span<const FormId>();
    const auto isTyped = [&] {
        return tree.is(parts[1], FormKind::List) ||
               (tree.is(parts[1], FormKind::Name) && isTypeWord(tree.text(parts[1])));
    };
    // The form is [f T], or [[rev f] T] for a derived function.
    const bool ofDerived = parts.size() == 2 && tree.is(parts[0], FormKind::Bracket) && isTyped();
    if (parts.size() != 2 || (!tree.is(parts[0], FormKind::Name) && !ofDerived)) {
        static_cast<void>(m_file.fail(form, "expected the name of a function",
                                      "names look like f, [f (Vec Float)], [rev f] or [rev [f (Vec Float)]]"));
        return std::nullopt;
    }
    if (++m_depth > MaxTypeDepth) {
        --m_depth;
        static_cast<void>(m_file.fail(form, fmt::format("names are nested more than {} levels deep", MaxTypeDepth)));
        return std::nullopt;
    }
    const DepthGuard leave(m_depth);
    const std::string_view first = tree.text(parts[0]);
    if (isTyped()) {
        std::optional<FunctionName> named =
            ofDerived ? functionName(parts[0]) : FunctionName{std::string(first), std::string(first), {}};
        if (!named) return std::nullopt;
        if (named->argument.isValid()) {
            static_cast<void>(m_file.fail(form, "the argument type is given twice", "write [f T] or [[rev f] T]"));
            return std::nullopt;
        }
        const TypeId argument = type(parts[1]);
        if (!argument.isValid()) return std::nullopt;
        named->argument = m_types.erased(argument);
        return named;
    }
    if (!isDerivation(first)) {
        static_cast<void>(
            m_file.fail(parts[0], fmt::format("{} is not a derivation", first), std::string(DerivationsAre)));
        return std::nullopt;
    }
    const std::optional<FunctionName> base = functionName(parts[1]);
    if (!base) return std::nullopt;
    return FunctionName{
        fmt::format("[{} {}]", first, base->full(m_types)), fmt::format("[{} {}]", first, base->stripped), {}};
}

std::vector<ir::Parameter> TypeReader::externalParameters(TypeId argument) {
    std::vector<TypeId> types{argument};
    if (m_types.isTuple(argument) && m_types.children(argument).size() != 1) {
        types.assign(m_types.children(argument).begin(), m_types.children(argument).end());
    }
    std::vector<ir::Parameter> parameters;
    for (std::size_t i = 0; i < types.size(); ++i) {
        parameters.push_back(
            {m_file.bank.symbols().intern(types.size() == 1 ? "x" : fmt::format("x{}", i + 1)), types[i]});
    }
    return parameters;
}

}  // namespace mitos::ks

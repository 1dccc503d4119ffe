// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/names.h"

#include "core/base/deep_stack.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <variant>

namespace mitos::loops {

namespace {

/// Keywords of C++17 and C++20, macros of the standard headers that may be included, and the file's own namespaces.
constexpr std::array Reserved{
    "alignas",     "alignof",  "and",          "and_eq",     "asm",       "assert",    "auto",
    "bitand",      "bitor",    "bool",         "break",      "case",      "catch",     "char",
    "char16_t",    "char32_t", "char8_t",      "class",      "co_await",  "co_return", "co_yield",
    "compl",       "concept",  "const",        "const_cast", "consteval", "constexpr", "constinit",
    "continue",    "decltype", "default",      "delete",     "do",        "double",    "dynamic_cast",
    "else",        "enum",     "errno",        "explicit",   "export",    "extern",    "false",
    "float",       "for",      "friend",       "goto",       "if",        "inline",    "input",
    "int",         "ks",       "linux",        "long",       "main",      "mutable",   "namespace",
    "new",         "noexcept", "not",          "not_eq",     "nullptr",   "operator",  "or",
    "or_eq",       "output",   "private",      "protected",  "public",    "register",  "reinterpret_cast",
    "requires",    "return",   "short",        "signed",     "sizeof",    "static",    "static_assert",
    "static_cast", "stderr",   "stdin",        "stdout",     "std",       "struct",    "switch",
    "template",    "this",     "thread_local", "throw",      "true",      "try",       "typedef",
    "typeid",      "typename", "union",        "unix",       "unsigned",  "using",     "virtual",
    "void",        "volatile", "wchar_t",      "while",      "xor",       "xor_eq"};

bool isReserved(const std::string& name) {
    const bool keyword = std::ranges::find(Reserved, name) != Reserved.end();
    // NAN, INFINITY, HUGE_VAL, M_PI, EOF, …: names in capitals may be macros.
    const bool capitals =
        name.size() > 1 && std::ranges::none_of(name, [](unsigned char c) { return std::islower(c); });
    return keyword || capitals;
}

/// Names the symbols of one function where they are declared.
class Namer {
public:
    Namer(Function& function, NameScope& scope) : m_function(function), m_scope(scope) {}

    void run() {
        const std::size_t outside = m_scope.mark();
        for (const Parameter& parameter : m_function.parameters) declare(parameter.symbol);
        visit(m_function.body);
        m_scope.leave(outside);
    }

private:
    void declare(SymbolId id) {
        SymbolInfo& symbol = m_function.symbols[id.value];
        symbol.name = m_scope.declare(symbol.hint);
    }

    void visit(Block& block) {
        const std::size_t mark = m_scope.mark();
        for (Statement& statement : block.statements) visit(statement);
        m_scope.leave(mark);
    }

    void visit(Statement& statement) {
        const auto* const loop = std::get_if<For>(&statement.what);
        if (loop != nullptr && loop->sum.isValid()) declare(loop->sum);
        const std::size_t mark = m_scope.mark();
        if (const auto* const declared = std::get_if<Declare>(&statement.what)) return declare(declared->symbol);
        if (const auto* const clock = std::get_if<StartClock>(&statement.what)) return declare(clock->clock);
        if (const auto* const clock = std::get_if<ReadClock>(&statement.what)) return declare(clock->seconds);
        if (loop != nullptr && !loop->isVisibleAfter) declare(loop->index);
        std::size_t inside = mark;
        if (const auto* const function = std::get_if<DefineFunction>(&statement.what)) {
            declare(function->symbol);
            inside = m_scope.mark();
            declare(function->argument);
        }
        for (Block* const block : blocksOf(statement)) visit(*block);
        m_scope.leave(inside);
    }

    Function& m_function;
    NameScope& m_scope;
};

}  // namespace

void chooseNames(Program& program) {
    NameScope scope;
    for (const Function& function : program.functions) scope.declare(function.name);
    withDeepStack(program.nesting, [&] {
        for (Function& function : program.functions) Namer(function, scope).run();
    });
}

std::string toIdentifier(std::string_view text, std::string_view otherwise) {
    std::string name;
    for (const char c : text) {
        const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 && static_cast<unsigned char>(c) < 0x80;
        if (plain) {
            name += c;
        } else if (!name.empty() && name.back() != '_') {
            name += '_';
        }
    }
    while (name.ends_with('_')) name.pop_back();
    if (name.size() > 60) name.resize(60);
    if (name.empty()) name = otherwise;
    if (std::isdigit(static_cast<unsigned char>(name[0])) != 0) name.insert(0, "v");
    if (isReserved(name)) name += "_";
    return name;
}

std::string NameScope::declare(std::string_view wanted, std::string_view otherwise) {
    const std::string base = toIdentifier(wanted, otherwise);
    const char* const between = std::isdigit(static_cast<unsigned char>(base.back())) != 0 ? "_" : "";
    int& next = m_next.try_emplace(base, 1).first->second;
    const auto numbered = [&] { return next == 1 ? base : fmt::format("{}{}{}", base, between, next); };
    std::string name = numbered();
    while (m_visible.contains(name)) {
        ++next;
        name = numbered();
    }
    m_visible.insert(name);
    m_names.push_back({name, base, next});
    return name;
}

void NameScope::leave(std::size_t mark) {
    while (m_names.size() > mark) {
        const Name& name = m_names.back();
        int& next = m_next[name.base];
        next = std::min(next, name.number);
        m_visible.erase(name.text);
        m_names.pop_back();
    }
}

}  // namespace mitos::loops

// SPDX-License-Identifier: GPL-3.0-or-later
// Writes one self-contained C++ file: comment, headers, helpers, functions in the order of their calls.
#include "core/codegen/cpp.h"

#include "core/base/deep_stack.h"
#include "core/codegen/internal/emitter.h"
#include "core/codegen/internal/names.h"
#include "core/eval/evaluator.h"
#include "core/ir/calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

namespace mitos::codegen {

namespace {

using ir::FunctionId;
using ir::TermId;
using ir::TypeId;

/// Emits the callees of the program's function first, each once.
class ProgramEmitter {
public:
    ProgramEmitter(const ir::TermBank& bank, const ir::Program& program) : m_bank(bank), m_program(program) {}

    EmittedProgram run(const std::string& functionName) {
        // The program's own name is taken first, so that no callee gets it.
        const ir::Function& function = m_bank.function(m_program.function);
        const std::string usual = function.bareExpression ? "expression" : function.name;
        m_names.emplace(m_program.function, m_scope.declare(functionName.empty() ? usual : functionName, "f"));
        m_order = ir::callOrder(m_bank, m_program);
        declareCallees();
        m_order.push_back(m_program.function);
        EmittedProgram result;
        for (const FunctionId id : m_order) {
            const ir::Function& f = m_bank.function(id);
            FunctionEmitter emitter(m_bank, result.helpers, m_names, m_scope);
            const std::string text = emitter.define(f, m_names.at(id), bodyOf(id));
            result.functions += (result.functions.empty() ? "" : "\n") + text;
            if (id == m_program.function) result.declaration = text.substr(0, text.find(" {\n"));
        }
        result.entry = m_names.at(m_program.function);
        return result;
    }

private:
    [[nodiscard]] TermId bodyOf(FunctionId id) const {
        return id == m_program.function ? m_program.root : m_bank.function(id).body;
    }

    void declareCallees() {
        for (const FunctionId callee : m_order) {
            const ir::Function& function = m_bank.function(callee);
            if (!function.body.isValid()) {
                throw Unsupported{
                    fmt::format("{} is {} but not defined, so it has no C++", function.name,
                                function.name.starts_with('[') ? "a derived function that is requested or declared"
                                                               : "declared (edef)"),
                    "define it with (def ...) first"};
            }
            m_names.emplace(callee, m_scope.declare(function.name, "f"));
        }
    }

    const ir::TermBank& m_bank;
    const ir::Program& m_program;
    NameScope m_scope;
    FunctionNames m_names;
    std::vector<FunctionId> m_order;
};

std::uint32_t deepest(const ir::TermBank& bank, const ir::Program& program) {
    std::uint32_t depth = bank.depth(program.root);
    for (std::uint32_t i = 0; i < bank.functionCount(); ++i) {
        const TermId body = bank.function(FunctionId(i)).body;
        if (body.isValid()) depth = std::max(depth, bank.depth(body));
    }
    return depth;
}

/// A value as a C++ expression of its type.
std::string valueLiteral(const ir::TypeTable& types, TypeId type, const eval::Value& value, Helpers& helpers) {
    if (value.isFloat()) return floatLiteral(value.asFloat());
    if (value.isInteger()) return fmt::format("{}", value.asInteger());
    if (value.isBool()) return value.asBool() ? "true" : "false";
    if (value.isString()) return fmt::format("std::string({})", stringLiteral(value.asString()));
    const bool isTuple = value.isTuple();
    const auto& elements = isTuple ? value.asTuple().elements : value.asTensor().elements;
    std::string parts;
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const TypeId part = isTuple ? types.children(type)[i] : types.element(type);
        parts += (i == 0 ? "" : ", ") + valueLiteral(types, part, elements[i], helpers);
    }
    const std::string cpp = cppType(types, type, helpers);
    if (isTuple) return fmt::format("{}({})", cpp, parts);
    if (types.rank(type) == 1) return fmt::format("{}{{{}}}", cpp, parts);
    return fmt::format("{}{{{{{{{}}}}}, {{{}}}}}", cpp, fmt::join(value.asTensor().dims, ", "), parts);
}

/// A main() that runs the function once on small fixed inputs.
Result<std::string> testMain(const ir::TermBank& bank, const ir::Program& program, const std::string& nameSpace,
                             const std::string& entry, Helpers& helpers) {
    constexpr std::int64_t Size = 3;
    Random random(1);
    const ir::Function& function = bank.function(program.function);
    MITOS_TRY(const eval::Inputs inputs, eval::sizedInputs(bank, function, random, Size));
    std::string arguments;
    const auto add = [&](const std::string& text) {
        arguments += (arguments.empty() ? "\n        " : ",\n        ") + text;
    };
    for (std::size_t i = 0; i < inputs.arguments.size(); ++i) {
        add(valueLiteral(bank.types(), function.parameters[i].type, inputs.arguments[i], helpers));
    }
    for (const std::int64_t size : inputs.extraSizes) add(fmt::format("{}", size));
    helpers.need("print");
    const std::string alias = nameSpace.empty() ? "" : fmt::format("    namespace ks = {}::ks;\n", nameSpace);
    const std::string qualified = nameSpace.empty() ? entry : fmt::format("{}::{}", nameSpace, entry);
    return fmt::format("\nint main() {{\n{}    ks::print<{}>({}({}));\n    std::cout << '\\n';\n}}\n", alias,
                       cppType(bank.types(), bank.type(program.root), helpers), qualified, arguments);
}

/// Joins the sections that are not empty, with a blank line between them, in a namespace if it has a name.
std::string within(const std::string& nameSpace, const std::vector<std::string>& sections) {
    std::string text;
    for (const std::string& section : sections) {
        if (!section.empty()) text += (text.empty() ? "" : "\n") + section;
    }
    return nameSpace.empty() ? text : fmt::format("namespace {0} {{\n\n{1}\n}}  // namespace {0}\n", nameSpace, text);
}

}  // namespace

Result<EmittedProgram> emitProgram(const ir::TermBank& bank, const ir::Program& program,
                                   const std::string& functionName) {
    Result<EmittedProgram> result = EmittedProgram{};
    withDeepStack(deepest(bank, program), [&] {
        try {
            result = ProgramEmitter(bank, program).run(functionName);
        } catch (const Unsupported& unsupported) {
            result = Error{ErrorCode::Unsupported, unsupported.message, std::nullopt, unsupported.hint};
        }
    });
    return result;
}

Result<std::string> emitCpp(const ir::TermBank& bank, const ir::Program& program, const CppOptions& options) {
    MITOS_TRY(EmittedProgram emitted, emitProgram(bank, program, options.functionName));
    const std::string nameSpace = options.nameSpace.empty() ? "" : toIdentifier(options.nameSpace, "program");
    std::string main;
    if (options.testMain) {
        MITOS_TRY(main, testMain(bank, program, nameSpace, emitted.entry, emitted.helpers));
    }
    std::string text =
        asComment(fmt::format("{} as C++17. Integers are 64 bits wide and wrap around. Sizes, "
                              "indices and divisors are checked unless NDEBUG is defined.",
                              bank.function(program.function).name));
    if (!options.comment.empty()) text += "//\n" + asComment(options.comment);
    const std::string includes = emitted.helpers.includes();
    if (!includes.empty()) text += "\n" + includes;
    return text + "\n" + within(nameSpace, {emitted.helpers.definitions(), emitted.functions}) + main;
}

Result<std::string> emitCppHeader(const ir::TermBank& bank, const ir::Program& program, const CppOptions& options) {
    MITOS_TRY(EmittedProgram emitted, emitProgram(bank, program, options.functionName));
    Helpers helpers;  // helpers of the types
    const ir::Function& function = bank.function(program.function);
    static_cast<void>(cppType(bank.types(), bank.type(program.root), helpers));
    for (const ir::Parameter& parameter : function.parameters) {
        static_cast<void>(cppType(bank.types(), parameter.type, helpers));
    }
    helpers.needHeader("cstdint");
    const std::string nameSpace = options.nameSpace.empty() ? "" : toIdentifier(options.nameSpace, "program");
    return asComment(fmt::format("{} as C++17: the declaration.", function.name)) + "#pragma once\n\n" +
           helpers.includes() + "\n" + within(nameSpace, {helpers.definitions(), emitted.declaration + ";\n"});
}

std::string nameSpaceFor(const ir::TermBank& bank, const ir::Program& program, const std::string& file) {
    const ir::Function& function = bank.function(program.function);
    const std::string stem = std::filesystem::path(file).stem().string();
    const bool isNamed =
        std::ranges::any_of(stem, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
    // The prefix prevents clashes with functions of C such as exp, log and index, which are global.
    return "ks_" + toIdentifier(isNamed ? stem : function.bareExpression ? "expression" : function.name, "program");
}

}  // namespace mitos::codegen

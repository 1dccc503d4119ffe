// SPDX-License-Identifier: GPL-3.0-or-later
// Writes one self-contained C++ file: comment, headers, helpers, functions in the order of their calls, printed from the loop form.
#include "core/codegen/cpp.h"

#include "core/base/deep_stack.h"
#include "core/codegen/internal/literals.h"
#include "core/codegen/internal/printer.h"
#include "core/eval/evaluator.h"
#include "core/loops/lowering.h"
#include "core/loops/names.h"
#include "core/loops/static_vectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <variant>
#include <vector>

namespace mitos::codegen {

namespace {

using ir::TypeId;

loops::LoweringOptions loweringOptions(const ir::TermBank& bank, const std::string& functionName) {
    loops::LoweringOptions options{.functionName = functionName, .language = "C++"};
    options.widthOf = [&bank](const loops::Program& program, const loops::Function& function, loops::ExpressionId id) {
        Helpers unused;
        return Printer(bank, program, function, unused).expression(id).size();
    };
    return options;
}

/// The functions that one before them calls.
std::set<std::size_t> calledBefore(const loops::Program& program) {
    std::set<std::size_t> functions;
    for (std::size_t i = 0; i < program.functions.size(); ++i) {
        for (const loops::Expression& expression : program.functions[i].expressions) {
            const auto* const callee = std::get_if<loops::FunctionIndex>(&expression.payload);
            if (callee != nullptr && callee->value > i) functions.insert(callee->value);
        }
    }
    return functions;
}

EmittedProgram printed(const ir::TermBank& bank, const loops::Program& program) {
    EmittedProgram result;
    for (const std::size_t later : calledBefore(program)) {
        Printer printer(bank, program, program.functions[later], result.helpers);
        result.functions += printer.signature() + ";\n";
    }
    for (const loops::Function& function : program.functions) {
        Printer printer(bank, program, function, result.helpers);
        result.functions += (result.functions.empty() ? "" : "\n") + printer.definition();
    }
    const loops::Function& own = program.functions.back();
    result.declaration = Printer(bank, program, own, result.helpers).signature();
    result.entry = own.name;
    return result;
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
    const loops::OwnProgram own = loops::withStaticVectors(bank, program);
    try {
        MITOS_TRY(const loops::Program form,
                  loops::lower(*own.bank, own.program, loweringOptions(*own.bank, functionName)));
        withDeepStack(form.nesting, [&] { result = printed(*own.bank, form); });
    } catch (const Unsupported& unsupported) {
        result = Error{ErrorCode::Unsupported, unsupported.message, std::nullopt, unsupported.hint};
    }
    return result;
}

Result<std::string> emitCpp(const ir::TermBank& bank, const ir::Program& program, const CppOptions& options) {
    MITOS_TRY(EmittedProgram emitted, emitProgram(bank, program, options.functionName));
    if (options.products == Products::Eigen) emitted.helpers.replace("addProduct", "addProductByEigen");
    if (options.sums == Sums::InOrder) emitted.helpers.replace("sumOf", "sumOfInOrder");
    const std::string nameSpace = options.nameSpace.empty() ? "" : loops::toIdentifier(options.nameSpace, "program");
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
    const std::string nameSpace = options.nameSpace.empty() ? "" : loops::toIdentifier(options.nameSpace, "program");
    return asComment(fmt::format("{} as C++17: the declaration.", function.name)) + "#pragma once\n\n" +
           helpers.includes() + "\n" + within(nameSpace, {helpers.definitions(), emitted.declaration + ";\n"});
}

std::string nameSpaceFor(const ir::TermBank& bank, const ir::Program& program, const std::string& file) {
    const ir::Function& function = bank.function(program.function);
    const std::string stem = std::filesystem::path(file).stem().string();
    const bool isNamed =
        std::ranges::any_of(stem, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
    // The prefix prevents clashes with functions of C such as exp, log and index, which are global.
    return "ks_" + loops::toIdentifier(isNamed                   ? stem
                                       : function.bareExpression ? "expression"
                                                                 : function.name,
                                       "program");
}

}  // namespace mitos::codegen

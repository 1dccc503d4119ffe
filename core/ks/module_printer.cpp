// SPDX-License-Identifier: GPL-3.0-or-later
// Prints definitions, programs and modules.
#include "core/base/deep_stack.h"
#include "core/ir/binding.h"
#include "core/ir/calls.h"
#include "core/ks/internal/printer.h"
#include "core/ks/names.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace mitos::ks {

using ir::FunctionId;
using ir::TermBank;
using ir::TermId;

namespace {

constexpr std::size_t BodyIndent = 2;

/// Names for the binders of a program's body. They avoid the program's own names, whether these are used or not.
BinderNames namesFor(const TermBank& bank, FunctionId function, TermId root) {
    BinderNames names(bank, {});
    if (function.isValid()) {
        for (const ir::Parameter& p : bank.function(function).parameters) names.avoid(std::string(bank.text(p.name)));
        for (const ir::SizeName& s : bank.function(function).sizes) names.avoid(std::string(bank.text(s.name)));
    }
    names.avoidNamesIn(root);
    return names;
}

std::string typedNames(const TermBank& bank, const std::vector<ir::Parameter>& parameters) {
    std::string text;
    for (const ir::Parameter& p : parameters) {
        text += fmt::format("{}({} : {})", text.empty() ? "" : " ", bank.text(p.name), bank.types().toString(p.type));
    }
    return parameters.size() == 1 ? text : "(" + text + ")";
}

/// "(def f Float ((x : Float))" over one line or, if it is long, several.
std::string defHeader(const TermBank& bank, const ir::Function& function, int width) {
    const std::string result = bank.types().toString(function.declaredResult);
    const std::string head = fmt::format("(def {} {} ", function.name, result);
    const std::string parameters = typedNames(bank, function.parameters);
    const auto limit = static_cast<std::size_t>(std::max(width, 0));
    if (width <= 0 || head.size() + parameters.size() <= limit) return head + parameters;
    std::string text = fmt::format("(def {} {}\n    ", function.name, result);
    if (function.parameters.size() < 2 || 4 + parameters.size() <= limit) return text + parameters;
    text += "(";
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        const ir::Parameter& p = function.parameters[i];
        text += fmt::format("{}({} : {})", i == 0 ? "" : "\n     ", bank.text(p.name), bank.types().toString(p.type));
    }
    return text + ")";
}

PrintedText definition(const TermBank& bank, const ir::Program& program, const PrintOptions& options, bool withSpans) {
    BinderNames names = namesFor(bank, program.function, program.root);
    TermPrinter printer(bank, names, options);
    PrintedText printed;
    std::size_t offset = 0;
    if (options.compact || (!options.headed && printsBare(bank, program))) {
        printed.text = printer.print(program.root);
    } else {
        printed.text = defHeader(bank, bank.function(program.function), options.width);
        printed.text += options.width <= 0 ? " " : "\n" + std::string(BodyIndent, ' ');
        offset = printed.text.size();
        printed.text += printer.print(program.root, options.width <= 0 ? offset : BodyIndent, 1) + ")";
    }
    if (!withSpans) return printed;
    printed.spans.reserve(printer.places().size());
    std::size_t next = 0;
    withDeepStack(bank.depth(program.root), [&] {
        ir::forEachSubterm(bank, program.root, [&](const ir::Path& path, TermId) {
            const FormLayout::Place& place = printer.places()[next++];
            printed.places.add(path);
            printed.spans.push_back({place.begin + offset, place.end + offset});
            return true;
        });
    });
    return printed;
}

std::string externalDefinition(const TermBank& bank, const ir::Function& function) {
    std::string argument;
    for (const ir::Parameter& p : function.parameters) {
        argument += fmt::format("{}{}", argument.empty() ? "" : " ", bank.types().toString(p.type));
    }
    if (function.parameters.size() != 1) argument = argument.empty() ? "(Tuple)" : "(Tuple " + argument + ")";
    std::string text =
        fmt::format("(edef {} {} {})", function.name, bank.types().toString(function.declaredResult), argument);
    if (function.declaredCost) {
        text += fmt::format("\n(def cost${} Float {} {})", function.name, typedNames(bank, function.parameters),
                            floatText(*function.declaredCost));
    }
    return text;
}

std::string functionText(const TermBank& bank, FunctionId id, TermId body, const PrintOptions& options) {
    if (!body.isValid()) return externalDefinition(bank, bank.function(id));
    return definition(bank, {id, body}, options, false).text;
}

}  // namespace

std::string printProgram(const TermBank& bank, const ir::Program& program, const PrintOptions& options) {
    std::string text;
    if (!options.compact) {
        for (const FunctionId callee : ir::callOrder(bank, program)) {
            text += functionText(bank, callee, bank.function(callee).body, options) + "\n\n";
        }
    }
    return text + definition(bank, program, options, false).text + "\n";
}

PrintedText printWithSpans(const TermBank& bank, const ir::Program& program, const PrintOptions& options) {
    return definition(bank, program, options, true);
}

std::string printTerm(const TermBank& bank, TermId term, const PrintOptions& options,
                      const std::vector<std::string>& outerNames) {
    BinderNames names(bank, outerNames);
    names.avoidNamesIn(term);
    return TermPrinter(bank, names, options).print(term);
}

std::string printModule(const TermBank& bank, const Module& module, const PrintOptions& options) {
    std::string text;
    // Functions may be derived from derived functions, so each request is printed after the function from which it derives.
    absl::flat_hash_set<FunctionId> printed;
    std::vector<bool> isRequested(module.derivatives.size(), false);
    for (std::size_t i = 0; i < module.functions.size(); ++i) {
        if (!text.empty()) text += "\n";
        text += functionText(bank, module.functions[i], module.bodies[i], options) + "\n";
        printed.insert(module.functions[i]);
        absl::flat_hash_set<std::string> derived;
        for (std::size_t k = 0; k < module.derivatives.size(); ++k) {
            const DerivativeRequest& request = module.derivatives[k];
            const bool isDefined =
                printed.contains(request.function) || derived.contains(bank.function(request.function).name);
            if (!isDefined) continue;
            derived.insert(fmt::format("[{} {}]", request.derivation, request.name));
            if (isRequested[k]) continue;
            isRequested[k] = true;
            text += fmt::format("(gdef {} {})\n", request.derivation, request.name);
        }
    }
    for (const KsRule& rule : module.rules) {
        std::string sides;
        for (const TermId side : {rule.lhs, rule.rhs}) {
            BinderNames names(bank, {});
            for (const ir::Parameter& p : rule.variables) names.avoid(std::string(bank.text(p.name)));
            names.avoidNamesIn(side);
            sides += "\n  " + TermPrinter(bank, names, options).print(side, BodyIndent, 1);
        }
        text += fmt::format("{}(rule {} {}{})\n", text.empty() ? "" : "\n", stringText(rule.name),
                            typedNames(bank, rule.variables), sides);
    }
    return text;
}

std::vector<std::string> binderNames(const TermBank& bank, const ir::Program& program, const ir::Path& path) {
    BinderNames names = namesFor(bank, program.function, program.root);
    for (const TermId binder : ir::bindersAbove(bank, program.root, path)) names.enter(binder);
    return names.names();
}

}  // namespace mitos::ks

// SPDX-License-Identifier: GPL-3.0-or-later
// A third dialect, as small as one can be: Boolean circuits, trees of gates over wires.
//
//   circuit majority(a, b, c) = disj(conj(a, b), conj(c, disj(a, b)))
#pragma once

#include "core/eval/value.h"
#include "core/ir/dialect.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

namespace mitos::tests {

inline Result<ir::TypeId> typeOfGate(const ir::TypeRuleInput& in) {
    const ir::TypeId boolean = in.types.boolean();
    if (std::ranges::all_of(in.children, [&](ir::TypeId type) { return type == boolean; })) return boolean;
    return Error{ErrorCode::Parse, "a gate takes wires"};
}

inline void addGates(ir::OperatorRegistry& registry) {
    using Values = std::span<const eval::Value>;
    using Evaluated = Result<eval::Value>;
    struct Gate {
        const char* name;
        std::uint32_t inputs;
        ir::EvaluateOperator evaluate;
    };
    const std::array gates{
        Gate{"conj", 2, [](Values in) -> Evaluated { return eval::Value(in[0].asBool() && in[1].asBool()); }},
        Gate{"disj", 2, [](Values in) -> Evaluated { return eval::Value(in[0].asBool() || in[1].asBool()); }},
        Gate{"flip", 1, [](Values in) -> Evaluated { return eval::Value(!in[0].asBool()); }},
    };
    for (const Gate& gate : gates) {
        ir::OperatorInfo info;
        info.name = gate.name;
        info.dialect = "circuit";
        info.minArity = info.maxArity = gate.inputs;
        info.typeRule = typeOfGate;
        info.evaluate = gate.evaluate;
        static_cast<void>(registry.add(std::move(info)));
    }
}

class CircuitReader {
public:
    CircuitReader(ir::TermBank& bank, const SourceText& source) : m_bank(bank), m_source(source) {}

    Result<ir::ParsedText> read() {
        ir::Function function;
        function.dialect = "circuit";
        if (word() != "circuit") return error("'circuit' expected");
        function.name = word();
        if (!accept('(')) return error("'(' expected");
        while (!accept(')')) {
            function.parameters.push_back({m_bank.symbols().intern(word()), m_bank.types().boolean()});
            accept(',');
        }
        if (!accept('=')) return error("'=' expected");
        const Result<ir::TermId> root = gate();
        if (!root) return root.error();
        const std::vector<ir::TypeId> types(function.parameters.size(), m_bank.types().boolean());
        function.argument = types.size() == 1 ? types.front() : m_bank.types().tuple(types);
        function.result = function.declaredResult = m_bank.types().boolean();
        if (const ir::FunctionId known = m_bank.findFunction(function.name, function.argument); known.isValid()) {
            return ir::ParsedText{{known, *root}};
        }
        const Result<ir::FunctionId> id = m_bank.declare(std::move(function));
        if (!id) return id.error();
        m_bank.define(*id, *root);
        return ir::ParsedText{{*id, *root}};
    }

private:
    Result<ir::TermId> gate() {
        const std::string name = word();
        if (name.empty()) return error("a wire or a gate expected");
        if (!accept('(')) return m_bank.variable(m_bank.symbols().intern(name), m_bank.types().boolean());
        const ir::OpId op = m_bank.registry().find(name);
        if (!op.isValid()) return error("there is no gate " + name);
        std::vector<ir::TermId> inputs;
        while (!accept(')')) {
            const Result<ir::TermId> input = gate();
            if (!input) return input;
            inputs.push_back(*input);
            accept(',');
        }
        return m_bank.make(op, inputs);
    }

    char peek() {
        const std::string_view text = m_source.text();
        while (m_at < text.size() && std::isspace(static_cast<unsigned char>(text[m_at])) != 0) ++m_at;
        return m_at < text.size() ? text[m_at] : '\0';
    }
    bool accept(char c) {
        if (peek() != c) return false;
        ++m_at;
        return true;
    }
    std::string word() {
        std::string result;
        peek();
        const std::string_view text = m_source.text();
        while (m_at < text.size() && std::isalnum(static_cast<unsigned char>(text[m_at])) != 0) result += text[m_at++];
        return result;
    }
    [[nodiscard]] Error error(const std::string& message) const {
        return m_source.error({std::min(m_at, m_source.text().size()), m_source.text().size()}, message);
    }

    ir::TermBank& m_bank;
    const SourceText& m_source;
    std::size_t m_at = 0;
};

inline void printGate(const ir::TermBank& bank, ir::TermId term, const ir::Path& path, ir::PrintedText& out) {
    const std::size_t span = out.spans.size();
    out.places.add(path);
    out.spans.push_back({out.text.size(), 0});
    out.text += bank.childCount(term) == 0 ? std::string(bank.text(bank.payload(term).asSymbol()))
                                           : std::string(bank.opName(term)) + "(";
    for (std::uint32_t i = 0; i < bank.childCount(term); ++i) {
        if (i > 0) out.text += ", ";
        printGate(bank, bank.child(term, i), ir::child(path, i), out);
    }
    if (bank.childCount(term) > 0) out.text += ")";
    out.spans[span].end = out.text.size();
}

inline std::string printGates(const ir::TermBank& bank, ir::TermId term, const ir::PrintOptions&) {
    ir::PrintedText out;
    printGate(bank, term, {}, out);
    return out.text;
}

inline ir::PrintedText printCircuit(const ir::TermBank& bank, const ir::Program& program, const ir::PrintOptions&) {
    const ir::Function& function = bank.function(program.function);
    ir::PrintedText out;
    for (const ir::Parameter& parameter : function.parameters) {
        out.text += (out.text.empty() ? "" : ", ") + std::string(bank.text(parameter.name));
    }
    out.text = "circuit " + function.name + "(" + out.text + ") = ";
    printGate(bank, program.root, {}, out);
    return out;
}

inline ir::Dialect circuits() {
    return {.name = "circuit",
            .sharing = ir::Sharing::Tree,
            .addOperators = addGates,
            .recognizes =
                [](std::string_view text) {
                    return text.substr(std::min(text.find_first_not_of(" \n"), text.size())).starts_with("circuit ");
                },
            .parse = [](ir::TermBank& bank, const SourceText& source,
                        std::string_view) { return CircuitReader(bank, source).read(); },
            .print = [](const ir::TermBank& bank, const ir::Program& program,
                        const ir::PrintOptions& options) { return printCircuit(bank, program, options).text; },
            .printWithSpans = printCircuit,
            .printTerm = printGates,
            .printerAt = [](const ir::TermBank& bank, const ir::Program&, const ir::Path&) -> ir::TermPrinter {
                return [&bank](ir::TermId term, const ir::PrintOptions& options) {
                    return printGates(bank, term, options);
                };
            },
            .defaultCost = "size",
            .defaultStrategy = "greedy",
            .parameterDefaults = {{"astar", "depth", "7"}}};
}

}  // namespace mitos::tests

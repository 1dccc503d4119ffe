// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/coarsening/coarsen.h"

#include "core/coarsening/internal/chain.h"
#include "core/coarsening/internal/selection.h"
#include "core/ks/names.h"
#include "core/ks/signature.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

namespace mitos::coarsening {

using ir::FunctionId;
using ir::TermBank;
using ir::TermId;

namespace {

/// The letters of a function's name that a plain name may have.
std::string plainName(const std::string& name) {
    std::string plain;
    for (const char c : name) plain += ks::isNameChar(c) ? c : '_';
    return plain;
}

Region regionOf(const Node& node, const Chains& chains) {
    Region region{node.kind, {}, {}, node.size, node.isLarge, node.segment, {}};
    for (std::size_t i = node.range.first; i < node.range.last; ++i) {
        const Definition& definition = node.range.chain->definitions[i];
        region.definitions.push_back(chains.hint(definition.name));
        region.places.push_back(definition.place);
    }
    for (const Node& child : node.children) region.children.push_back(regionOf(child, chains));
    return region;
}

class Coarsening {
public:
    Coarsening(TermBank& bank, const ir::Program& program, const ElevationRules& rules, const CoarsenOptions& options)
        : m_bank(bank),
          m_program(program),
          m_rules(rules),
          m_options(options),
          m_chains(bank) {}

    Result<Coarsened> run(autodiff::Obstacle* obstacle) {
        const auto start = std::chrono::steady_clock::now();
        MITOS_REQUIRE(requireNew());
        MITOS_TRY(const TermId closed, symbolicForm());
        if (m_options.stop.stop_requested()) return Error{ErrorCode::Cancelled, "the coarsening was stopped"};
        m_result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        MITOS_TRY(const FunctionId symbolic, symbolicFunction(closed));
        autodiff::Obstacle found;
        Status made = deriveFrom(symbolic, &found);
        if (made) return std::move(m_result);
        return asOfProgram(std::move(made).error(), symbolic, found, obstacle);
    }

private:
    Status deriveFrom(FunctionId symbolic, autodiff::Obstacle* obstacle) {
        if (m_options.reverse) {
            MITOS_TRY(m_result.derivative, reverseOf(symbolic, obstacle));
        }
        if (m_options.forward) {
            MITOS_TRY(m_result.forward, derivedFrom(symbolic, autodiff::Direction::Forward, obstacle));
        }
        return Success{};
    }

    /// The error about a function that is made here as one about the function that it is made from.
    Error asOfProgram(Error error, FunctionId symbolic, autodiff::Obstacle found, autodiff::Obstacle* obstacle) const {
        std::vector<FunctionId> own{symbolic};
        for (const Segment& segment : m_result.segments) own.push_back(segment.function);
        const std::string name = plainName(m_bank.function(m_program.function).name);
        for (const FunctionId id : own) {
            const std::string start = m_bank.function(id).name + " has no derivative: ";
            if (error.message.starts_with(start)) {
                error.message = fmt::format("{} has no derivative: {}", name, error.message.substr(start.size()));
            }
            if (found.function == id) found.function = m_program.function;
        }
        if (obstacle != nullptr) *obstacle = std::move(found);
        return error;
    }

    Status requireNew() {
        if (m_options.reverse && m_options.wrt.empty()) MITOS_REQUIRE(requireNew(autodiff::Direction::Reverse));
        if (m_options.forward) MITOS_REQUIRE(requireNew(autodiff::Direction::Forward));
        return Success{};
    }

    Status requireNew(autodiff::Direction direction) {
        const FunctionId known = ks::findDerived(m_bank, autodiff::derivationOf(direction), m_program.function);
        if (known.isValid() && m_bank.function(known).body.isValid()) {
            return Error{ErrorCode::Unsupported,
                         fmt::format("the program defines {} itself", m_bank.function(known).name)};
        }
        return Success{};
    }

    /// The body of the function with calls of its segments, or its own symbolic form.
    Result<TermId> symbolicForm() {
        Chain body = m_chains.open(m_program.root);
        Selection selection(m_bank, m_chains, m_program, m_rules, m_options);
        const Node root =
            m_options.selects == Selects::Statements ? selection.runByStatement(body) : selection.run(body);
        m_result.root = regionOf(root, m_chains);
        if (selection.isWhole()) {
            m_result.segments.push_back({m_program.function, symbolic(m_program), true});
            return m_result.segments[0].thread.end().root;
        }
        std::vector<std::pair<Range, std::vector<Definition>>> replacements;
        for (const Range& range : selection.segments()) {
            MITOS_TRY(std::vector<Definition> call, extracted(selection, range));
            replacements.emplace_back(range, std::move(call));
        }
        // From the last to the first, so that the numbers of earlier definitions stay right.
        std::ranges::stable_sort(replacements,
                                 [](const auto& a, const auto& b) { return a.first.first > b.first.first; });
        for (auto& [range, call] : replacements) {
            std::vector<Definition>& definitions = range.chain->definitions;
            const auto at = definitions.erase(definitions.begin() + static_cast<std::ptrdiff_t>(range.first),
                                              definitions.begin() + static_cast<std::ptrdiff_t>(range.last));
            definitions.insert(at, std::make_move_iterator(call.begin()), std::make_move_iterator(call.end()));
        }
        return m_chains.close(body);
    }

    /// Makes a function of a segment. Returns the definitions that call it.
    Result<std::vector<Definition>> extracted(Selection& selection, const Range& range) {
        const TermId term = selection.term(range);
        FreeVariables inputs(m_bank);
        inputs.add(term);
        std::vector<ir::Parameter> parameters;
        absl::flat_hash_map<Symbol, TermId> renamed;
        absl::flat_hash_set<std::string> taken;
        for (const TermId input : inputs.all()) {
            const Symbol name = m_bank.payload(input).asSymbol();
            std::string text = m_chains.hint(name);
            for (int i = 1; !taken.insert(text).second; ++i) text = fmt::format("{}_{}", m_chains.hint(name), i);
            const Symbol parameter = m_bank.symbols().intern(text);
            parameters.push_back({parameter, m_bank.type(input)});
            renamed.emplace(name, m_bank.variable(parameter, m_bank.type(input)));
        }
        const TermId body = replaced(m_bank, term, renamed);
        const std::string name = fmt::format("{}$segment{}", plainName(m_bank.function(m_program.function).name),
                                             m_result.segments.size() + 1);
        MITOS_TRY(const FunctionId function,
                  m_bank.declare(ks::signature(m_bank, name, std::move(parameters), m_bank.type(body))));
        rewrite::Thread thread = symbolic({function, body});
        m_bank.define(function, thread.end().root);
        m_result.segments.push_back({function, std::move(thread), false});
        MITOS_TRY(const TermId call, m_bank.call(function, inputs.all()));
        return definitionsOf(selection.outputs(range), call);
    }

    std::vector<Definition> definitionsOf(const std::vector<TermId>& outputs, TermId call) {
        const auto nameOf = [&](TermId output) { return m_bank.payload(output).asSymbol(); };
        if (outputs.size() == 1) return {{nameOf(outputs[0]), call}};
        std::vector<Definition> definitions{{m_chains.fresh("segment"), call}};
        const TermId all = m_chains.variable(definitions[0]);
        for (std::uint32_t i = 0; i < outputs.size(); ++i)
            definitions.push_back({nameOf(outputs[i]), m_bank.get(all, i)});
        return definitions;
    }

    rewrite::Thread symbolic(const ir::Program& program) {
        if (m_options.closesLoops)
            return elevate(m_bank, program, m_rules, {m_options.mostUnrolled, m_options.sizeLimit}, m_options.stop);
        rewrite::Thread thread;
        thread.start = program;
        return thread;
    }

    /// The function with the symbolic form as its body.
    Result<FunctionId> symbolicFunction(TermId closed) {
        ir::Function symbolic = m_bank.function(m_program.function);
        symbolic.name = plainName(symbolic.name) + "$symbolic";
        symbolic.body = TermId();
        symbolic.bareExpression = false;
        MITOS_TRY(const FunctionId function, m_bank.declare(std::move(symbolic)));
        m_bank.define(function, closed);
        return function;
    }

    Result<FunctionId> reverseOf(FunctionId symbolic, autodiff::Obstacle* obstacle) {
        // A function that has a derivative is not inlined before its caller is differentiated.
        for (const Segment& segment : m_result.segments) {
            if (segment.isWhole) continue;
            MITOS_REQUIRE(
                autodiff::derive(m_bank, autodiff::Direction::Reverse, segment.function, m_options.form, obstacle));
        }
        if (m_options.wrt.empty()) return derivedFrom(symbolic, autodiff::Direction::Reverse, obstacle);
        MITOS_TRY(const FunctionId made, autodiff::gradient(m_bank, symbolic, m_options.wrt, m_options.form, obstacle));
        ir::Function gradient = m_bank.function(made);
        const TermId body = gradient.body;
        gradient.name = plainName(m_bank.function(m_program.function).name) + "_gradient";
        gradient.body = TermId();
        MITOS_TRY(const FunctionId declared, m_bank.declare(std::move(gradient)));
        m_bank.define(declared, body);
        return declared;
    }

    /// The derivative of the symbolic form as that of the function itself.
    Result<FunctionId> derivedFrom(FunctionId symbolic, autodiff::Direction direction, autodiff::Obstacle* obstacle) {
        MITOS_TRY(const FunctionId derivative, autodiff::derive(m_bank, direction, symbolic, m_options.form, obstacle));
        MITOS_TRY(const FunctionId declared, declaredAs(autodiff::derivationOf(direction)));
        m_bank.define(declared, m_bank.function(derivative).body);
        return declared;
    }

    Result<FunctionId> declaredAs(std::string_view derivation) {
        const FunctionId known = ks::findDerived(m_bank, derivation, m_program.function);
        if (known.isValid()) return known;
        std::optional<ir::Function> signature = ks::derivedSignature(m_bank, derivation, m_program.function);
        if (!signature) return Error{ErrorCode::Unsupported, "the types of the function are too large to derive from"};
        return m_bank.declare(*std::move(signature));
    }

    TermBank& m_bank;
    ir::Program m_program;
    const ElevationRules& m_rules;
    CoarsenOptions m_options;
    Chains m_chains;
    Coarsened m_result;
};

void write(const Region& region, std::size_t level, std::string& text) {
    text += std::string(2 * level, ' ') + toString(region.kind);
    for (const std::string& name : region.definitions) text += " " + name;
    if (region.size > 0) text += fmt::format(", size {}", region.size);
    if (region.isLarge) text += ", large";
    if (region.segment > 0) text += fmt::format(", segment {}", region.segment);
    text += "\n";
    for (const Region& child : region.children) write(child, level + 1, text);
}

}  // namespace

const char* toString(Region::Kind kind) {
    switch (kind) {
        case Region::Kind::Function: return "function";
        case Region::Kind::Loop: return "loop";
        case Region::Kind::Block: return "block";
        case Region::Kind::Part: return "part of a block";
    }
    return "";
}

std::string toString(const Region& region) {
    std::string text;
    write(region, 0, text);
    return text;
}

Result<Coarsened> coarsen(TermBank& bank, const ir::Program& program, const ElevationRules& rules,
                          const CoarsenOptions& options, autodiff::Obstacle* obstacle) {
    return Coarsening(bank, program, rules, options).run(obstacle);
}

}  // namespace mitos::coarsening

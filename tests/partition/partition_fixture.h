// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by tests of partitions: graphs and patterns from text, and regions as text.
#pragma once

#include "core/dialects/dialects.h"
#include "core/ir/dialect.h"
#include "core/partition/region_program.h"
#include "core/rules/language/pattern_text.h"
#include "core/rules/rule.h"

#include <fmt/format.h>

#include <QtGlobal>
#include <memory>
#include <string>
#include <vector>

namespace mitos::test {

/// A product followed by operators on each element: Figure 14 of the PyPM paper, in the rule language.
inline constexpr const char* Figure14 = R"(use tensor
pattern PwSubgraph(x) = F(PwSubgraph(x)) with local F where F: unary_pointwise
pattern PwSubgraph(x) = x
pattern MatMulEpilog(a, b) = PwSubgraph(MatMul(a, b))
pattern Pair(x, y) = Add(Relu(x), Relu(y))
pattern Tree(x) = Relu(Tree(x))
pattern Tree(x) = Add(Tree(x), Tree(y)) with local y
pattern Tree(x) = Mul(Tree(x), Tree(y)) with local y
pattern Tree(x) = x
)";

struct PartitionFixture {
    ir::TermBank bank{dialects::makeRegistry()};

    ir::Program parse(const std::string& text) {
        const Result<ir::Program> parsed = dialects::parseProgram(bank, "test", text);
        if (!parsed) qFatal("%s", parsed.error().render().c_str());
        return *parsed;
    }
    std::shared_ptr<const rules::DirectedRule> pattern(const std::string& text) {
        const SourceText definitions("definitions", Figure14);
        const auto loaded = rules::loadPattern(SourceText("pattern", text), &definitions, bank.sharedRegistry());
        if (!loaded) qFatal("%s", loaded.error().render().c_str());
        return loaded->pattern;
    }
    partition::Partition divided(const ir::Program& program, const std::string& text,
                                 const partition::Options& options = {}) {
        const auto result = partition::divide(bank, program, *pattern(text), options);
        if (!result) qFatal("%s", result.error().render().c_str());
        return *result;
    }
    [[nodiscard]] std::string nameOf(ir::TermId node) const {
        if (bank.is(node, ir::CoreOp::Variable)) return std::string(bank.text(bank.payload(node).asSymbol()));
        if (bank.hint(node).isValid()) return std::string(bank.text(bank.hint(node)));
        return std::string(bank.opName(node));
    }
    [[nodiscard]] std::string namesOf(const std::vector<ir::TermId>& nodes) const {
        std::string text;
        for (const ir::TermId node : nodes) text += (text.empty() ? "" : " ") + nameOf(node);
        return text;
    }
    /// "m a b: x -> b" for each region: its nodes, its inputs and its outputs.
    [[nodiscard]] std::vector<std::string> texts(const partition::Partition& parts) const {
        std::vector<std::string> lines;
        for (const partition::Region& region : parts.regions) {
            lines.push_back(
                fmt::format("{}: {} -> {}", namesOf(region.nodes), namesOf(region.inputs), namesOf(region.outputs)));
        }
        return lines;
    }
};

}  // namespace mitos::test

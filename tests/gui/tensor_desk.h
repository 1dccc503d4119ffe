// SPDX-License-Identifier: GPL-3.0-or-later
// Programs that are graphs, laid out for showing, without a document around them.
#pragma once

#include "core/dialects/dialects.h"
#include "core/networks/networks.h"
#include "views/program/program_parts.h"
#include "views/program/program_tree_model.h"

#include <fmt/format.h>

#include <QTest>
#include <memory>
#include <string>

namespace mitos::test {

/// A graph's content as the program view makes it, with the bank that holds its terms.
struct GraphContent {
    std::unique_ptr<ir::TermBank> bank = std::make_unique<ir::TermBank>(dialects::makeRegistry());
    ir::Program program;
    std::shared_ptr<views::ProgramContent> content = std::make_shared<views::ProgramContent>();

    void layOut() {
        content->text = views::ProgramText(*bank, program, 100);
        content->costs =
            *(*cost::findCostModel("", "tensor"))->evaluator(*bank, program.function)->explain(program.root);
        content->parts = views::findParts(*bank, content->text, content->costs);
    }
    void read(const std::string& text) {
        const Result<ir::Program> parsed = dialects::parseProgram(*bank, "test", text);
        if (!parsed) qFatal("%s", parsed.error().render().c_str());
        program = *parsed;
        layOut();
    }
    void build(const char* network) {
        const Result<tensor::Model> model =
            networks::build(*bank, **networks::findNetwork(network), networks::Style::Paper);
        if (!model) qFatal("%s", model.error().render().c_str());
        program = model->program;
        layOut();
    }
    /// The node of that name.
    [[nodiscard]] views::NodeIndex node(const QString& name) const {
        for (views::NodeIndex i = 0; i < content->parts.nodes.size(); ++i) {
            if (content->parts.nodes[i].name == name) return i;
        }
        qFatal("no node %s", qPrintable(name));
        return 0;
    }
};

/// Layers of that many operators each, in scopes: "layer3/mul".
inline std::string layeredListing(int layers) {
    std::string text = "graph layered(x: f32[4,8])\n weight w: f32[8,8]\n \"layer0/out\" = Relu(x)\n";
    for (int i = 1; i <= layers; ++i) {
        text += fmt::format(
            " \"layer{0}/mul\" = MatMul(\"layer{1}/out\", w)\n \"layer{0}/act\" = Tanh(\"layer{0}/mul\")\n"
            " \"layer{0}/neg\" = Neg(\"layer{0}/act\")\n \"layer{0}/exp\" = Exp(\"layer{0}/act\")\n"
            " \"layer{0}/out\" = Add(\"layer{0}/neg\", \"layer{0}/exp\")\n",
            i, i - 1);
    }
    return text + fmt::format(" return \"layer{}/out\"\n", layers);
}

}  // namespace mitos::test

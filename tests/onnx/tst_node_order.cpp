// SPDX-License-Identifier: GPL-3.0-or-later
// Models whose nodes are written in a given order.
#include "core/ir/shared.h"
#include "core/onnx/export.h"
#include "tests/onnx/onnx_fixture.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <string>
#include <vector>

namespace tst_node_order {

using namespace mitos;

namespace {

const std::string Chains =
    "g (float[4] x) => (float[4] y) {\n"
    "  a = Relu(x)\n  b = Exp(a)\n  c = Sigmoid(x)\n  d = Tanh(c)\n  y = Add(b, d)\n}";

}  // namespace

class TestNodeOrder : public QObject, private tests::OnnxFixture {
    Q_OBJECT

private Q_SLOTS:
    void init() { newBank(); }

    void nodesAreWrittenInTheOrder() {
        const tensor::Model read = model(Chains);
        QCOMPARE(operators(written(read)), (std::vector<std::string>{"Relu", "Exp", "Sigmoid", "Tanh", "Add"}));
        QCOMPARE(operators(written(read, ordered({"Sigmoid", "Relu", "Tanh", "Exp", "Add"}, read))),
                 (std::vector<std::string>{"Sigmoid", "Relu", "Tanh", "Exp", "Add"}));
    }

    /// A node follows what it reads, and those that are not named come last.
    void anImpossibleOrderIsRepaired() {
        const tensor::Model read = model(Chains);
        QCOMPARE(operators(written(read, ordered({"Tanh"}, read))),
                 (std::vector<std::string>{"Sigmoid", "Tanh", "Relu", "Exp", "Add"}));
        QCOMPARE(operators(written(read, ordered({"Add", "Relu"}, read))),
                 (std::vector<std::string>{"Relu", "Exp", "Sigmoid", "Tanh", "Add"}));
    }

    void theProgramIsTheSame() {
        const tensor::Model read = model(Chains);
        const tensor::Model again = modelOf(written(read, ordered({"Sigmoid", "Tanh"}, read)));
        QCOMPARE(again.program.root, read.program.root);
    }

    void termsOfOtherProgramsAreLeftOut() {
        const tensor::Model other = model("g (float[4] x) => (float[4] y) {\n  y = Neg(x)\n}");
        const tensor::Model read = model(Chains);
        onnx::ExportOptions options{.foldWeights = false, .keepIdle = true};
        options.order = {other.program.root};
        QCOMPARE(operators(written(read, options)).size(), std::size_t(5));
    }

private:
    /// The operators in the order in which the bytes have them; each occurs once.
    static std::vector<std::string> operators(const std::string& bytes) {
        std::vector<std::string> names{"Relu", "Exp", "Sigmoid", "Tanh", "Add", "Neg"};
        std::erase_if(names, [&](const std::string& name) { return bytes.find(name) == std::string::npos; });
        std::ranges::sort(names, {}, [&](const std::string& name) { return bytes.find(name); });
        return names;
    }
    onnx::ExportOptions ordered(const std::vector<std::string>& operators, const tensor::Model& read) {
        onnx::ExportOptions options{.foldWeights = false, .keepIdle = true};
        for (const std::string& name : operators) {
            for (const ir::TermId node : ir::SharedNodes(*m_bank, read.program.root)) {
                if (m_bank->opName(node) == name) options.order.push_back(node);
            }
        }
        return options;
    }
};

MITOS_TEST(TestNodeOrder)

}  // namespace tst_node_order

#include "tst_node_order.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// The parts found in programs: by names, by structure, and the promise that each can be drawn as one box.
#include "core/dialects/dialects.h"
#include "core/ir/shared.h"
#include "core/networks/networks.h"
#include "core/tensor/blocks.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>

#include <QTest>
#include <map>
#include <set>

namespace tst_blocks {

using namespace mitos;
using ir::TermId;

namespace {

class Fixture {
public:
    ir::TermBank bank{dialects::makeRegistry()};

    TermId parse(const std::string& text) {
        const Result<ir::Program> parsed = dialects::parseProgram(bank, "test", text);
        if (!parsed) qFatal("%s", parsed.error().render().c_str());
        return parsed->root;
    }
    /// "name:operators" of each, blocks in blocks behind "in name".
    std::string blocks(TermId root) const {
        std::string text;
        const std::vector<tensor::Block> all = tensor::findBlocks(bank, root);
        for (const tensor::Block& block : all) {
            text += fmt::format("{}{}:{}", text.empty() ? "" : ", ", block.name, block.operators);
            if (block.repeats > 0) text += fmt::format(" {}/{}", block.repeat, block.repeats);
            if (block.parent != tensor::Block::None) text += " in " + all[block.parent].name;
        }
        return text;
    }
};

/// No path leaves a block and returns, each operator occurs once, and the counts add up.
void checkLaws(const ir::TermBank& bank, TermId root) {
    const std::vector<tensor::Block> blocks = tensor::findBlocks(bank, root);
    std::map<TermId, std::size_t> blockOf;
    std::vector<std::size_t> sizes(blocks.size(), 0);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        QVERIFY(!blocks[i].name.empty());
        QVERIFY(blocks[i].parent == tensor::Block::None || blocks[i].parent < i);
        for (const TermId node : blocks[i].nodes) QVERIFY(blockOf.emplace(node, i).second);
        sizes[i] += blocks[i].nodes.size();
    }
    for (std::size_t i = blocks.size(); i-- > 0;) {
        QCOMPARE(blocks[i].operators, sizes[i]);
        if (blocks[i].parent != tensor::Block::None) sizes[blocks[i].parent] += sizes[i];
    }
    const auto isIn = [&](TermId node, std::size_t block) {
        const auto found = blockOf.find(node);
        for (std::size_t at = found == blockOf.end() ? tensor::Block::None : found->second; at != tensor::Block::None;
             at = blocks[at].parent) {
            if (at == block) return true;
        }
        return false;
    };
    for (std::size_t block = 0; block < blocks.size(); ++block) {
        std::set<TermId> left;  // outside, with a way from the block
        for (const TermId node : ir::SharedNodes(bank, root)) {
            bool comesFrom = false;
            bool returns = false;
            for (const TermId child : bank.children(node)) {
                comesFrom = comesFrom || isIn(child, block) || left.count(child) > 0;
                returns = returns || left.count(child) > 0;
            }
            if (isIn(node, block))
                QVERIFY2(!returns, blocks[block].name.c_str());
            else if (comesFrom)
                left.insert(node);
        }
    }
}

}  // namespace

class TestBlocks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void scopesAreBlocks() {
        Fixture f;
        const TermId root = f.parse(R"(graph f(x: f32[2,3])
            "net/a/one" = Relu(x)
            "net/a/two" = Exp("net/a/one")
            "net/b/in/one" = Tanh("net/a/two")
            "net/b/in/two" = Neg("net/b/in/one")
            "net/b/out" = Add("net/b/in/two", "net/b/in/one")
            last = Sigmoid("net/b/out")
            return last
        )");
        QCOMPARE(f.blocks(root), std::string("a:2, b:4, b/in:2 in b"));
        checkLaws(f.bank, root);
    }

    void weightsNamesTellToo() {
        Fixture f;
        const TermId root = f.parse(R"(graph f(x: f32[4,4])
            weight a/w: f32[4,4]
            weight a/v: f32[4,4]
            weight b/w: f32[4,4]
            m = MatMul(x, a/w)
            n = Relu(MatMul(m, a/v))
            o = Relu(MatMul(n, b/w))
            return o
        )");
        QCOMPARE(f.blocks(root), std::string("a:3, b:2"));
    }

    void aScopeThatIsLeftAndEnteredAgainIsTwoBlocks() {
        Fixture f;
        const TermId root = f.parse(R"(graph f(x: f32[2,3])
            "a/1" = Relu(x)
            "a/2" = Exp("a/1")
            "b/1" = Tanh("a/2")
            "b/2" = Neg("b/1")
            "a/3" = Exp("b/2")
            "a/4" = Tanh("a/3")
            return "a/4"
        )");
        QCOMPARE(f.blocks(root), std::string("a:2, a (2):2, b:2"));
        checkLaws(f.bank, root);
    }

    void equalPiecesInARowAreBlocks() {
        Fixture f;
        std::string text = "graph f(x: f32[2,3])\n n0 = Relu(x)\n";
        for (int i = 0; i < 6; ++i) {
            text += fmt::format(" t{0} = Tanh(n{0})\n e{0} = Exp(t{0})\n g{0} = Neg(e{0})\n n{1} = Add(g{0}, n{0})\n",
                                i, i + 1);
        }
        const TermId root = f.parse(text + " return Sigmoid(n6)\n");
        std::string expected;
        for (int i = 1; i <= 6; ++i) expected += fmt::format("{}Tanh · Exp · Neg …:4 {}/6", i > 1 ? ", " : "", i);
        QCOMPARE(f.blocks(root), expected);
        checkLaws(f.bank, root);
    }

    void nothingToSeeGivesNoBlocks() {
        Fixture f;
        QCOMPARE(f.blocks(f.parse("graph f(x: f32[2,3])\n return x\n")), std::string());
        QCOMPARE(f.blocks(f.parse("graph f(x: f32[2,3])\n return Add(Relu(x), Exp(x))\n")), std::string());
    }

    void networksFallIntoTheirParts_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("most");  // boxes at the top, all blocks collapsed
        QTest::newRow("vit-huge") << QStringLiteral("vit-huge") << 36;
        QTest::newRow("bert") << QStringLiteral("bert") << 20;
        QTest::newRow("nasnet-a") << QStringLiteral("nasnet-a") << 70;
        QTest::newRow("resnet-50") << QStringLiteral("resnet-50") << 40;
        QTest::newRow("squeezenet") << QStringLiteral("squeezenet") << 30;
        QTest::newRow("inception-v3") << QStringLiteral("inception-v3") << 50;
        QTest::newRow("vgg-19") << QStringLiteral("vgg-19") << 30;
    }

    void networksFallIntoTheirParts() {
        QFETCH(QString, name);
        QFETCH(int, most);
        Fixture f;
        const auto network = networks::findNetwork(name.toStdString());
        QVERIFY(network.ok());
        const Result<tensor::Model> model = networks::build(f.bank, **network, networks::Style::Paper);
        QVERIFY(model.ok());
        const TermId root = model->program.root;
        checkLaws(f.bank, root);
        const std::vector<tensor::Block> blocks = tensor::findBlocks(f.bank, root);
        std::size_t operators = 0;
        for (const TermId node : ir::SharedNodes(f.bank, root)) operators += f.bank.childCount(node) > 0 ? 1 : 0;
        std::size_t boxes = operators;
        for (const tensor::Block& block : blocks) {
            if (block.parent == tensor::Block::None) boxes -= block.operators - 1;
        }
        qInfo("%s: %zu operators, %zu blocks, %zu boxes: %s", qPrintable(name), operators, blocks.size(), boxes,
              f.blocks(root).substr(0, 700).c_str());
        QVERIFY2(boxes <= static_cast<std::size_t>(most), std::to_string(boxes).c_str());
    }
};

MITOS_TEST(TestBlocks)

}  // namespace tst_blocks

#include "tst_blocks.moc"

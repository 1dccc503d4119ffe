// SPDX-License-Identifier: GPL-3.0-or-later
// Rules with several roots in steps of programs: all roots are found together and replaced at once.
#include "core/base/random.h"
#include "core/dialects/dialects.h"
#include "core/eval/evaluator.h"
#include "core/ir/shared.h"
#include "core/rewrite/history.h"
#include "core/rewrite/rewriter.h"
#include "core/rewrite/successor_index.h"
#include "tests/support/joint_matches.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <set>

namespace tst_several_roots {

using namespace mitos;
using ir::TermId;
using rewrite::Rewrite;
using rewrite::Rewriter;
using rewrite::Thread;

namespace {

constexpr auto Graph = ir::Sharing::Graph;

QString qt(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

rules::RuleBook shipped(std::string_view names = "tensor-multi") {
    Result<rules::RuleBook> loaded = rules::RuleBook::load(names, dialects::makeRegistry());
    if (!loaded) qFatal("%s", loaded.error().render().c_str());
    return *std::move(loaded);
}

rules::RuleBook written(const std::string& text, const std::string& dialect = "tensor") {
    const QTemporaryDir folder;
    const std::string path = folder.filePath(QStringLiteral("own.rules")).toStdString();
    if (const Status file = writeFile(path, "use " + dialect + "\n" + text + "\n"); !file) qFatal("cannot write");
    return shipped(path);
}

ir::Program parse(ir::TermBank& bank, const std::string& text) {
    const Result<ir::Program> parsed = dialects::parseProgram(bank, "test", text);
    if (!parsed) qFatal("%s", parsed.error().render().c_str());
    return *parsed;
}

std::string listing(const ir::TermBank& bank, const ir::Program& program, TermId root) {
    return dialects::printProgram(bank, {program.function, root});
}

/// "rule at place" of each rewrite.
std::string places(const std::vector<Rewrite>& rewrites) {
    std::vector<std::string> texts;
    for (const Rewrite& one : rewrites) texts.push_back(one.step.name() + " at " + one.step.place());
    return fmt::format("{}", fmt::join(texts, "; "));
}

std::vector<Rewrite> all(ir::TermBank& bank, const rules::RuleBook& book, const ir::Program& program) {
    return Rewriter(bank, book.directions(), Graph).all(program.root);
}

/// Two products of x, side by side.
constexpr const char* Products =
    "graph f(x: f32[2,3], y: f32[3,4], z: f32[3,4])\n"
    "  a = MatMul(x, y)\n"
    "  b = MatMul(x, z)\n"
    "  return Add(Relu(a), b)\n";

/// Products, sums and ramps of 3 by 3 matrices; every second one with convolutions of one image instead of products.
std::string randomProgram(Random& random, int size) {
    const bool isImage = random.below(2) == 0;
    std::string text = isImage ? "graph f(x0: f32[1,2,4,4], x1: f32[1,2,4,4])\n  weight u: f32[2,2,1,1]\n"
                                 "  weight v: f32[2,2,3,3]\n  weight w: f32[2,2,3,3]\n"
                               : "graph f(x0: f32[3,3], x1: f32[3,3])\n  weight u: f32[3,3]\n  weight v: f32[3,3]\n";
    int count = 2;
    const auto any = [&] { return fmt::format("x{}", random.below(static_cast<std::uint64_t>(count))); };
    for (int i = 0; i < size; ++i) {
        const std::string name = fmt::format("x{}", count);
        switch (random.below(6)) {
            case 0: text += fmt::format("  {} = Add({}, {})\n", name, any(), any()); break;
            case 1: text += fmt::format("  {} = Relu({})\n", name, any()); break;
            default:
                if (isImage && random.below(2) == 0) {
                    text += fmt::format("  {} = Conv[strides=[1,1],pads=[0,0,0,0],dilations=[1,1],group=1]({}, u)\n",
                                        name, any());
                } else if (isImage) {
                    text += fmt::format("  {} = Conv[strides=[1,1],pads=[1,1,1,1],dilations=[1,1],group=1]({}, {})\n",
                                        name, any(), random.below(2) == 0 ? "v" : "w");
                } else {
                    text += fmt::format("  {} = MatMul({}, {})\n", name, any(),
                                        random.below(2) == 0 ? any() : std::string(random.below(2) == 0 ? "u" : "v"));
                }
        }
        ++count;
    }
    text += "  return (";
    for (int i = 2; i < count; ++i) text += fmt::format("{}x{}", i > 2 ? ", " : "", i);
    return text + ")\n";
}

bool contains(const ir::TermBank& bank, TermId term, TermId node) { return ir::SharedNodes(bank, term).contains(node); }

/// "rule: nodes" of every application that there is, worked out by the matcher of e-graphs over the program's nodes.
std::set<std::string> byTheGraphMatcher(ir::TermBank& bank, const rules::RuleBook& book, TermId root) {
    std::set<std::string> result;
    const rules::ProgramView view(bank);
    std::vector<rules::PlaceId> nodes;
    for (const TermId node : ir::SharedNodes(bank, root)) nodes.push_back(view.placeOf(node));
    for (const auto& rule : book.directions()) {
        if (rule->roots().size() == 1) continue;
        tests::forEachJointMatch(
            view, *rule, nodes, [&](std::span<const rules::PlaceId> roots, const rules::Substitution& match) {
                std::vector<TermId> terms;
                for (const rules::PlaceId place : roots) terms.push_back(view.value(place));
                const Result<TermId> results = rule->apply(bank, match, bank.tuple(terms));
                bool good = results.ok() && std::set<TermId>(terms.begin(), terms.end()).size() == terms.size();
                for (std::size_t i = 0; good && i < terms.size(); ++i) {
                    const TermId own = bank.child(*results, i);
                    for (std::size_t k = 0; k < terms.size(); ++k) good = good && !contains(bank, own, terms[k]);
                }
                std::ranges::sort(terms);
                std::string text = rule->name() + ":";
                for (const TermId term : terms) text += fmt::format(" {}", term.value);
                if (good) result.insert(text);
                return true;
            });
    }
    return result;
}

}  // namespace

class TstSeveralRoots : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Figure 11: two products that share their left operand become one, whose columns are handed out.
    void mergesProducts() {
        ir::TermBank bank(dialects::makeRegistry());
        const rules::RuleBook book = shipped();
        const ir::Program program = parse(bank, Products);
        const std::vector<Rewrite> found = all(bank, book, program);
        QCOMPARE(qt(places(found)), qt("merge_matmul_left at /0/0,/1"));
        const ir::Program wanted = parse(bank,
                                         "graph f(x: f32[2,3], y: f32[3,4], z: f32[3,4])\n"
                                         "  s = Split[axis=1,sizes=[4,4]](MatMul(x, Concat[axis=1](y, z)))\n"
                                         "  return Add(Relu(s[0]), s[1])\n");
        QVERIFY2(found[0].result == wanted.root, listing(bank, program, found[0].result).c_str());
        QCOMPARE(Rewriter(bank, book.directions(), Graph).apply(program, found[0].step).value(), found[0].result);
        // Listed at each of its places, and at no other.
        const Rewriter rewriter(bank, book.directions(), Graph);
        QCOMPARE(rewriter.at(program.root, {0, 0})->size(), std::size_t{1});
        QCOMPARE(rewriter.at(program.root, {1})->size(), std::size_t{1});
        QCOMPARE(rewriter.at(program.root, {0})->size(), std::size_t{0});
    }

    /// Figure 12: the smaller filters get zeros around them.
    void mergesConvolutionsOfDifferentWindows() {
        ir::TermBank bank(dialects::makeRegistry());
        const rules::RuleBook book = shipped();
        const ir::Program program =
            parse(bank,
                  "graph f(x: f32[1,8,6,6])\n"
                  "  weight u: f32[4,8,1,1]\n"
                  "  weight v: f32[5,8,3,3]\n"
                  "  return (Relu(Conv[strides=[1,1],pads=[0,0,0,0],dilations=[1,1],group=1](x, u)),\n"
                  "          Relu(Conv[strides=[1,1],pads=[1,1,1,1],dilations=[1,1],group=1](x, v)))\n");
        const std::vector<Rewrite> found = all(bank, book, program);
        QCOMPARE(qt(places(found)), qt("merge_conv_enlarged at /0/0,/1/0; merge_conv_relu_enlarged at /0,/1"));
        const ir::Program wanted = parse(bank,
                                         "graph f(x: f32[1,8,6,6])\n"
                                         "  weight u: f32[4,8,1,1]\n"
                                         "  weight v: f32[5,8,3,3]\n"
                                         "  k = Concat[axis=0](Pad[pads=[0,0,1,1,0,0,1,1]](u), v)\n"
                                         "  m = Conv[strides=[1,1],pads=[1,1,1,1],dilations=[1,1],group=1](x, k)\n"
                                         "  s = Split[axis=1,sizes=[4,5]](Relu(m))\n"
                                         "  return (s[0], s[1])\n");
        QVERIFY2(found[1].result == wanted.root, listing(bank, program, found[1].result).c_str());
    }

    void threeRoots() {
        ir::TermBank bank(dialects::makeRegistry());
        const rules::RuleBook book = written(
            "rule three: MatMul(x, a), MatMul(x, b), MatMul(x, c) => s.0, s.1, s.2\n"
            "    let m = MatMul(x, Concat[axis=1](a, b, c)),\n"
            "        s = Split[axis=1, sizes=[a.shape[1], b.shape[1], c.shape[1]]](m)\n");
        const ir::Program program = parse(bank,
                                          "graph f(x: f32[2,3], a: f32[3,4], b: f32[3,5], c: f32[3,6], d: f32[3,7])\n"
                                          "  return (MatMul(x, a), MatMul(x, b), MatMul(x, c), MatMul(x, d))\n");
        // Four nodes, any three of them, each three once.
        QCOMPARE(qt(places(all(bank, book, program))),
                 qt("three at /0,/1,/2; three at /0,/1,/3; three at /0,/2,/3; three at /1,/2,/3"));
    }

    void neverMakesACycle_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("found");
        const auto row = [](const char* name, const char* body, const char* found) {
            QTest::newRow(name) << qt(body) << qt(found);
        };
        row("side by side", "  return Add(MatMul(x, y), MatMul(x, z))\n", "merge_matmul_left at /0,/1");
        row("the second needs the first", "  a = MatMul(x, y)\n  return Add(a, MatMul(x, Relu(a)))\n", "");
        row("the first in the listing needs the other", "  a = MatMul(x, y)\n  return Add(MatMul(x, Relu(a)), a)\n",
            "");
        row("one below the other", "  return MatMul(x, Relu(MatMul(x, y)))\n", "");
        row("both need a third", "  a = Relu(MatMul(z, y))\n  return Add(MatMul(x, a), MatMul(x, Relu(a)))\n",
            "merge_matmul_left at /0,/1");
        row("the same node twice", "  a = MatMul(x, y)\n  return Add(a, Relu(a))\n", "");
        row("another left operand", "  return Add(MatMul(x, y), MatMul(z, x))\n", "");
        row("three, two of them in a line",
            "  a = MatMul(x, y)\n  return Add(Add(a, MatMul(x, Relu(a))), MatMul(x, z))\n",
            "merge_matmul_left at /0/0,/1; merge_matmul_left at /0/1,/1");
    }
    void neverMakesACycle() {
        QFETCH(const QString, body);
        QFETCH(const QString, found);
        ir::TermBank bank(dialects::makeRegistry());
        const rules::RuleBook book = written(
            "rule merge_matmul_left: MatMul(x, y), MatMul(x, z) => s.0, s.1\n"
            "    let s = Split[axis=1, sizes=[y.shape[1], z.shape[1]]](MatMul(x, Concat[axis=1](y, z)))\n");
        const ir::Program program =
            parse(bank, "graph f(x: f32[3,3], y: f32[3,3], z: f32[3,3])\n" + body.toStdString());
        QCOMPARE(qt(places(all(bank, book, program))), found);
    }

    /// Roots that stay as they are may stand in the results.
    void aPremiseMayStay() {
        ir::TermBank bank(dialects::makeRegistry());
        const rules::RuleBook book = written("rule reuse: Exp(x), Exp(-x) => Exp(x), 1 / Exp(x)\n");
        const ir::Program program =
            parse(bank, "graph f(x: f32[2,3])\n  return Add(Exp(Relu(x)), Exp(Neg(Relu(x))))\n");
        const std::vector<Rewrite> found = all(bank, book, program);
        QCOMPARE(qt(places(found)), qt("reuse at /0,/1"));
        QCOMPARE(bank.child(found[0].result, 0), bank.child(program.root, 0));
        QCOMPARE(bank.child(bank.child(found[0].result, 1), 1), bank.child(program.root, 0));
    }

    void treesAreLeftAlone() {
        ir::TermBank bank(dialects::makeRegistry());
        const rules::RuleBook book = written("rule both: exp(x), log(x) => exp(x), log(x) + 0.0", "ks");
        const ir::Program program = parse(bank, "(def f Float ((a : Float)) (add (exp a) (log a)))");
        QCOMPARE(Rewriter(bank, book.directions()).all(program.root).size(), std::size_t{0});
        rewrite::Step step{.rule = book.find("both"), .positions = {{0}, {1}}, .substitution = {}};
        step.rule->match(bank, bank.tuple(bank.children(program.root)), [&](const rules::Substitution& match) {
            step.substitution = match;
            return false;
        });
        const Result<TermId> applied = Rewriter(bank, {}).apply(program, step);
        QVERIFY(!applied.ok());
        QVERIFY2(applied.error().message.find("graphs") != std::string::npos, applied.error().message.c_str());
    }

    void findsAndKeepsTheValue() {
        const rules::RuleBook book = shipped();
        Random random(7);
        std::size_t applications = 0;
        for (int round = 0; round < 40; ++round) {
            ir::TermBank bank(dialects::makeRegistry());
            const ir::Program program = parse(bank, randomProgram(random, 3 + round % 10));
            std::set<std::string> found;
            for (const Rewrite& one : all(bank, book, program)) {
                std::vector<TermId> nodes;
                for (const ir::Path& path : one.step.positions) nodes.push_back(*ir::subterm(bank, program.root, path));
                QCOMPARE(bank.tuple(nodes), one.subterm);
                std::ranges::sort(nodes);
                std::string text = one.step.name() + ":";
                for (const TermId node : nodes) text += fmt::format(" {}", node.value);
                QVERIFY2(found.insert(text).second, text.c_str());
                for (const TermId node : nodes) QVERIFY(!contains(bank, one.result, node));
                ++applications;
                const Thread thread{program, {one.step}, {one.result}};
                const rewrite::ThreadReport report = rewrite::check(bank, thread);
                QVERIFY2(report.valid, report.reason.c_str());
                if (applications % 5 != 0) continue;
                const auto same = eval::compare(bank, program, thread.end(), {.samples = 2});
                QVERIFY2(same.ok() && same->equivalent, same ? same->counterexample.c_str() : "");
                QVERIFY(same->compared > 0);
            }
            QVERIFY(found == byTheGraphMatcher(bank, book, program.root));
        }
        QVERIFY2(applications > 100, std::to_string(applications).c_str());
    }

    /// What searches see is what is listed.
    void successorsAreTheRewrites() {
        const rules::RuleBook book = shipped("tensor-elementwise,tensor-multi");
        Random random(11);
        std::size_t joint = 0;
        for (int round = 0; round < 12; ++round) {
            ir::TermBank bank(dialects::makeRegistry());
            const ir::Program program = parse(bank, randomProgram(random, 3 + round % 6));
            rewrite::SuccessorIndex index(bank, book.directions(), Graph);
            TermId root = program.root;
            for (int depth = 0; depth < 3; ++depth) {
                std::vector<TermId> wanted;
                for (const Rewrite& one : Rewriter(bank, book.directions(), Graph).all(root))
                    wanted.push_back(one.result);
                std::vector<rewrite::Successor> successors;
                const auto count = index.list(root, successors, [] { return true; });
                QCOMPARE(*count, wanted.size());
                std::set<TermId> built;
                for (const rewrite::Successor& successor : successors) {
                    const TermId result = index.build(root, successor);
                    if (!built.insert(result).second || result == root) continue;
                    const Rewrite rewrite = index.rewrite(root, successor);
                    QCOMPARE(Rewriter(bank, {}, Graph).apply({program.function, root}, rewrite.step).value(), result);
                    if (rewrite.step.positions.size() > 1) ++joint;
                }
                QVERIFY(built == std::set<TermId>(wanted.begin(), wanted.end()));
                if (wanted.empty()) break;
                root = wanted[random.below(wanted.size())];
            }
        }
        QVERIFY(joint > 20);
    }

    void threadsComeBackFromText() {
        const rules::RuleBook book = shipped();
        ir::TermBank bank(dialects::makeRegistry());
        const ir::Program program = parse(bank, Products);
        const Rewrite one = all(bank, book, program).front();
        const Thread thread{program, {one.step}, {one.result}};
        const std::string text = rewrite::writeThread(bank, thread, {2.0, 1.0}, "roofline");
        QVERIFY2(text.starts_with("mitos-thread 4\n"), text.c_str());
        const std::string line = fmt::format(
            "1. merge_matmul_left at /0/0,/1 with x=./0 y=./1 z=/1/1  cost 1  state {:016x}\n", bank.hash(one.result));
        QVERIFY2(text.find(line) != std::string::npos, text.c_str());
        ir::TermBank other(dialects::makeRegistry());
        const auto back = rewrite::readThread(other, SourceText("t.thread", text), book);
        QVERIFY2(back.ok() && back->report.valid, back ? back->report.reason.c_str() : back.error().render().c_str());
        QCOMPARE(other.hash(back->thread.end().root), bank.hash(one.result));
        QCOMPARE(back->thread.steps[0].positions, (std::vector<ir::Path>{{0, 0}, {1}}));
        QCOMPARE(qt(rewrite::writeThread(other, back->thread, {2.0, 1.0}, "roofline")), qt(text));
        QVERIFY(rewrite::check(other, back->thread).valid);
        ir::TermBank third(dialects::makeRegistry());
        QVERIFY(rewrite::check(third, rewrite::transplant(bank, thread, third)).valid);
    }

    void tamperedThreads_data() {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* name, const char* from, const char* to, const char* message) {
            QTest::newRow(name) << qt(from) << qt(to) << qt(message);
        };
        row("one position", "at /0/0,/1", "at /0/0", "the rule has 2 roots, the step 1 position");
        row("three positions", "at /0/0,/1", "at /0/0,/1,/0", "the rule has 2 roots, the step 3 positions");
        row("the same position twice", "at /0/0,/1", "at /1,/1", "at once");
        row("no such position", "at /0/0,/1", "at /0/0,/7", "no position /7");
        row("the other order", "at /0/0,/1", "at /1,/0/0", "is not the subterm at the position");
        row("no position", "at /0/0,/1", "at /0/0,", "position");
        row("another rule", "merge_matmul_left at", "merge_matmul_right at", "the value of w expected");
        row("a root alone", "merge_matmul_left at", "merge_matmul_left.0 at",
            "the rule has 1 root, the step 2 positions");
        row("taken back", "1. merge", "1. reversed merge", "a step at several roots is not taken back");
        row("a later format", "mitos-thread 4", "mitos-thread 6", "newer version");
    }
    void tamperedThreads() {
        QFETCH(const QString, from);
        QFETCH(const QString, to);
        QFETCH(const QString, message);
        const rules::RuleBook book = shipped();
        ir::TermBank bank(dialects::makeRegistry());
        const ir::Program program = parse(bank, Products);
        const Rewrite one = all(bank, book, program).front();
        QString text = qt(rewrite::writeThread(bank, {program, {one.step}, {one.result}}));
        QCOMPARE(text.count(from), 1);
        text.replace(from, to);
        const auto back = rewrite::readThread(bank, SourceText("t.thread", text.toStdString()), book);
        QVERIFY(!back || !back->report.valid);
        const QString found = qt(back ? back->report.reason : back.error().render());
        QVERIFY2(found.contains(message), qPrintable(found));
    }

    void theCheckerRefuses() {
        const rules::RuleBook book = shipped();
        ir::TermBank bank(dialects::makeRegistry());
        const ir::Program program = parse(bank, Products);
        const Rewrite one = all(bank, book, program).front();
        const auto reasonOf = [&](const rewrite::Step& step) {
            return qt(rewrite::check(bank, {program, {step}, {one.result}}).reason);
        };
        QCOMPARE(reasonOf(one.step), QString());
        rewrite::Step step = one.step;
        step.positions.resize(1);
        QVERIFY2(reasonOf(step).contains(qt("the rule has 2 roots, the step 1 position")), qPrintable(reasonOf(step)));
        step = one.step;
        step.positions.push_back({0});
        QVERIFY2(reasonOf(step).contains(qt("the rule has 2 roots, the step 3 positions")), qPrintable(reasonOf(step)));
        step = one.step;
        step.rule = book.find("merge_matmul_left.0");
        QVERIFY2(reasonOf(step).contains(qt("the rule has 1 root, the step 2 positions")), qPrintable(reasonOf(step)));
        step = one.step;
        std::swap(step.positions[0], step.positions[1]);
        QVERIFY2(reasonOf(step).contains(qt("is not the subterm")), qPrintable(reasonOf(step)));
        step = one.step;
        step.isReversed = true;
        QVERIFY2(reasonOf(step).contains(qt("is not taken back")), qPrintable(reasonOf(step)));

        // A cycle that no listing has: the second product needs the first.
        const ir::Program line = parse(bank,
                                       "graph g(x: f32[3,3], y: f32[3,3])\n"
                                       "  a = MatMul(x, y)\n  return Add(a, MatMul(x, Relu(a)))\n");
        step = {.rule = book.find("merge_matmul_left"), .positions = {{0}, {1}}, .substitution = {}};
        step.rule->match(bank, bank.tuple(bank.children(line.root)), [&](const rules::Substitution& match) {
            step.substitution = match;
            return false;
        });
        QVERIFY(!step.substitution.values.empty());
        const Result<TermId> applied = Rewriter(bank, {}, Graph).apply(line, step);
        QVERIFY(!applied.ok());
        QVERIFY2(applied.error().message.find("at once") != std::string::npos, applied.error().message.c_str());
    }

    void historyTakesItAsOneStep() {
        const rules::RuleBook book = shipped();
        ir::TermBank bank(dialects::makeRegistry());
        const ir::Program program = parse(bank, Products);
        const Rewrite one = all(bank, book, program).front();
        rewrite::History history(program, 2.0);
        history.add(history.start(), one.step, one.result, 1.0);
        QCOMPARE(history.size(), std::size_t{2});
        QCOMPARE(qt(history.state(history.current()).step->place()), qt("/0/0,/1"));
        QVERIFY(rewrite::check(bank, history.threadTo(history.current())).valid);
        QVERIFY(history.undo());
        QCOMPARE(history.state(history.current()).root, program.root);
        QVERIFY(history.redo());
        QCOMPARE(history.state(history.current()).root, one.result);
    }
};

MITOS_TEST(TstSeveralRoots)

}  // namespace tst_several_roots

#include "tst_several_roots.moc"

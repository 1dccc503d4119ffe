// SPDX-License-Identifier: GPL-3.0-or-later
// Differences of programs: what they say about known edits, and the laws that marks keep over random programs.
#include "core/base/random.h"
#include "core/base/source_text.h"
#include "core/eval/testing/random_terms.h"
#include "core/ir/binding.h"
#include "core/ir/diff.h"
#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "core/rewrite/rewriter.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <map>

namespace tst_diff {

using namespace mitos;
using ir::DiffMark;
using ir::TermId;

namespace {

constexpr int None = -1;

/// An occurrence, written out independently of the code under test.
struct Occurrence {
    TermId term;
    int parent = None;
    int binder = None;  ///< of a bound variable; below None: outside, -2 - how far
    std::vector<int> path;
};

struct Tree {
    std::vector<Occurrence> nodes;
    std::vector<int> binders;

    Tree(const ir::TermBank& bank, TermId root) { add(bank, root, None, {}); }
    void add(const ir::TermBank& bank, TermId term, int parent, std::vector<int> path) {
        const int self = static_cast<int>(nodes.size());
        nodes.push_back({term, parent, None, path});
        if (bank.is(term, ir::CoreOp::Bound)) {
            const int at = static_cast<int>(binders.size()) - 1 - static_cast<int>(bank.payload(term).asIndex());
            nodes.back().binder = at >= 0 ? binders[static_cast<std::size_t>(at)] : at - 1;
        }
        for (std::size_t i = 0; i < bank.childCount(term); ++i) {
            const bool binds = bank.boundIn(term, i) > 0;
            if (binds) binders.push_back(self);
            path.push_back(static_cast<int>(i));
            add(bank, bank.child(term, i), self, path);
            path.pop_back();
            if (binds) binders.pop_back();
        }
    }
};

/// What one side says, in a form that is equal for both sides if the marks do not lie: operator and payload of each kept
/// node, its nearest kept ancestor, and the binder of bound variables, all by their number among the kept.
std::vector<std::string> keptStructure(const ir::TermBank& bank, const Tree& tree, const std::vector<DiffMark>& marks) {
    std::map<int, int> number;
    std::vector<std::string> lines;
    for (int i = 0; i < static_cast<int>(tree.nodes.size()); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (marks[at] != DiffMark::Kept) continue;
        const int mine = static_cast<int>(number.size());
        number[i] = mine;
        int above = tree.nodes[at].parent;
        while (above != None && number.count(above) == 0) above = tree.nodes[static_cast<std::size_t>(above)].parent;
        const TermId term = tree.nodes[at].term;
        const bool bound = bank.is(term, ir::CoreOp::Bound);
        const int binder = tree.nodes[at].binder;
        std::string line =
            std::string(bank.opName(term)) + " below " + std::to_string(above == None ? None : number.at(above));
        if (!bound) line += " payload " + std::to_string(bank.payload(term).rawBits());
        if (bound && binder < None) line += " outside " + std::to_string(binder);
        if (bound && binder > None) {
            line += number.count(binder) > 0 ? " of " + std::to_string(number.at(binder)) : " OF A BINDER THAT IS GONE";
        }
        lines.push_back(line);
    }
    return lines;
}

/// The operators of all moved nodes, sorted: the same on both sides.
std::vector<std::string> movedOperators(const ir::TermBank& bank, const Tree& tree,
                                        const std::vector<DiffMark>& marks) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < marks.size(); ++i) {
        if (marks[i] == DiffMark::Moved) names.emplace_back(bank.opName(tree.nodes[i].term));
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace

class TestDiff : public QObject {
    Q_OBJECT

private:
    std::optional<rules::RuleBook> m_rules;
    std::unique_ptr<ir::TermBank> m_bank;

    ir::Program program(const std::string& source) {
        const Result<ir::Program> parsed = ks::parseProgram(*m_bank, "test", source);
        if (!parsed) qFatal("%s", parsed.error().render().c_str());
        return *parsed;
    }
    TermId term(const std::string& source) { return program(source).root; }

    /// One letter a node: k, m, c.
    [[nodiscard]] std::string marks(const std::vector<DiffMark>& of) const {
        std::string text;
        for (const DiffMark mark : of) text += mark == DiffMark::Kept ? 'k' : mark == DiffMark::Moved ? 'm' : 'c';
        return text;
    }
    [[nodiscard]] std::string differences(const std::string& before, const std::string& after) {
        const ir::Diff found = ir::diff(*m_bank, term(before), term(after));
        return marks(found.before) + " " + marks(found.after);
    }
    void checkLaws(TermId before, TermId after) {
        const ir::Diff found = ir::diff(*m_bank, before, after);
        const Tree a(*m_bank, before);
        const Tree b(*m_bank, after);
        QCOMPARE(found.before.size(), a.nodes.size());
        QCOMPARE(found.after.size(), b.nodes.size());
        QCOMPARE(keptStructure(*m_bank, a, found.before), keptStructure(*m_bank, b, found.after));
        QCOMPARE(movedOperators(*m_bank, a, found.before), movedOperators(*m_bank, b, found.after));
        QCOMPARE(found.isEmpty(), before == after);
    }

private Q_SLOTS:
    void initTestCase() {
        Result<rules::RuleBook> rules = rules::RuleBook::load("ks-simple,ks-extended", ks::makeRegistry());
        QVERIFY2(rules.ok(), rules.ok() ? "" : rules.error().render().c_str());
        m_rules = *rules;
    }
    void init() { m_bank = std::make_unique<ir::TermBank>(m_rules->registry()); }

    void knownEdits_data() {
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("after");
        QTest::addColumn<QString>("marks");
        const auto row = [](const char* name, const char* before, const char* after, const char* marks) {
            QTest::newRow(name) << QString::fromLatin1(before) << QString::fromLatin1(after)
                                << QString::fromLatin1(marks);
        };
        row("nothing", "(add x y)", "(add x y)", "kkk kkk");
        row("a leaf", "(add x y)", "(add x z)", "kkc kkc");
        row("an operator", "(add (log x) y)", "(sub (log x) y)", "ckkk ckkk");
        row("put around", "(log x)", "(sub (log x) y)", "kk ckkc");
        row("taken away", "(div (mul x 2.0) 2.0)", "(mul x 2.0)", "ckkkc kkk");
        row("cancelled", "(div (mul x y) y)", "x", "cckcc k");
        row("swapped leaves", "(mul x y)", "(mul y x)", "kck kkc");
        row("swapped terms", "(add (mul x y) (exp (mul z 2.0)))", "(add (exp (mul z 2.0)) (mul x y))",
            "kmmmkkkk kkkkkmmm");
        row("a let inlined", "(let (t (mul x y)) (add t (exp z)))", "(add (mul x y) (exp z))", "ckkkcckk ckkkkk");
        row("its body's other variables stay", "(let (a (exp x)) (let (t y) (add t (mul a a))))",
            "(let (a (exp x)) (add y (mul a a)))", "kkkcckckkk kkkkckkk");
        row("bound elsewhere", "(let (a x) (let (b y) (add a b)))", "(let (a x) (let (b y) (add b a)))",
            "kkkkkcc kkkkkcc");
        row("nothing in common", "(mul x y)", "(exp (log z))", "ccc ccc");
    }

    void knownEdits() {
        QFETCH(QString, before);
        QFETCH(QString, after);
        QFETCH(QString, marks);
        QCOMPARE(QString::fromStdString(differences(before.toStdString(), after.toStdString())), marks);
        checkLaws(term(before.toStdString()), term(after.toStdString()));
    }

    void inliningAtTheRootOfGemmKeepsTheRest() {
        const Result<SourceText> source = readSourceFile(MITOS_SOURCE_DIR "/samples/linear-algebra/gemm.ks");
        QVERIFY(source.ok());
        const ir::Program gemm = program(std::string(source->text()));
        rewrite::Rewriter rewriter(*m_bank, m_rules->directions());
        bool seen = false;
        const Result<std::vector<rewrite::Rewrite>> atRoot = rewriter.at(gemm.root, {});
        QVERIFY(atRoot.ok());
        for (const rewrite::Rewrite& one : *atRoot) {
            if (one.step.rule->name().find("inline") == std::string::npos) continue;
            seen = true;
            const ir::Diff found = ir::diff(*m_bank, gemm.root, one.result);
            const auto kept = std::count(found.before.begin(), found.before.end(), DiffMark::Kept);
            const auto size = static_cast<std::ptrdiff_t>(found.before.size());
            const auto value = static_cast<std::ptrdiff_t>(m_bank->treeSize(m_bank->child(gemm.root, 0)));
            // All but the let itself, its value and the uses of its variable.
            QVERIFY2(kept >= size - 1 - value - 8, one.step.rule->name().c_str());
            checkLaws(gemm.root, one.result);
        }
        QVERIFY(seen);
    }

    void marksNeverLieAboutRewrites() {
        for (const char* sample : {"linear-algebra/gemm.ks", "convolution/rev_conv1d.ks", "teaching/log_sum_exp.ks"}) {
            const Result<SourceText> source = readSourceFile(std::string(MITOS_SOURCE_DIR "/samples/") + sample);
            QVERIFY(source.ok());
            const TermId start = program(std::string(source->text())).root;
            rewrite::Rewriter rewriter(*m_bank, m_rules->directions());
            Random random(7);
            TermId now = start;
            for (int step = 0; step < 30; ++step) {
                const std::vector<rewrite::Rewrite> all = rewriter.all(now);
                if (all.empty()) break;
                const TermId next = all[random.below(all.size())].result;
                checkLaws(now, next);
                checkLaws(start, next);
                checkLaws(next, start);
                now = m_bank->treeSize(next) > 2'000 ? start : next;
            }
        }
    }

    void marksNeverLieAboutAnything() {
        const ir::TypeId real = m_bank->types().floating();
        eval::TermScope scope;
        for (const char* name : {"x", "y", "z"}) scope.free.push_back({m_bank->symbols().intern(name), real});
        scope.bound = {real, m_bank->types().integer()};
        Random random(11);
        for (int round = 0; round < 3'000; ++round) {
            const auto size = static_cast<std::uint32_t>(2 + random.below(60));
            const TermId before = eval::randomTerm(*m_bank, real, scope, random, size);
            TermId after = eval::randomTerm(*m_bank, real, scope, random, size);
            if (random.chance(0.5)) {
                // A small edit: another closed term in place of a Float subterm.
                std::vector<ir::Path> places;
                ir::forEachSubterm(*m_bank, before, [&](const ir::Path& path, TermId at) {
                    if (m_bank->type(at) == real) places.push_back(path);
                    return true;
                });
                after = *ir::replaceAt(*m_bank, before, places[random.below(places.size())], m_bank->floating(0.25));
            }
            checkLaws(before, after);
            if (QTest::currentTestFailed()) return;
        }
    }

    void deepAndLargeTerms() {
        const ir::TypeId real = m_bank->types().floating();
        TermId deep = m_bank->variable(m_bank->symbols().intern("x"), real);
        TermId other = m_bank->floating(3.0);
        const auto exp = m_bank->op(term("(exp x)"));
        for (int i = 0; i < 10'000; ++i) {
            deep = *m_bank->make(exp, std::array{deep});
            other = *m_bank->make(exp, std::array{other});
        }
        const ir::Diff found = ir::diff(*m_bank, deep, other);
        QCOMPARE(std::count(found.before.begin(), found.before.end(), DiffMark::Kept), std::ptrdiff_t(10'000));
        QCOMPARE(found.before.back(), DiffMark::Changed);
        const ir::Diff wrapped = ir::diff(*m_bank, m_bank->child(deep, 0), deep);
        QCOMPARE(std::count(wrapped.after.begin(), wrapped.after.end(), DiffMark::Kept), std::ptrdiff_t(10'000));
    }
};

MITOS_TEST(TestDiff)

}  // namespace tst_diff

#include "tst_diff.moc"

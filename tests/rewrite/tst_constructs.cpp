// SPDX-License-Identifier: GPL-3.0-or-later
// Every construct of the rule language, beyond matching: found by the rewriter and by the search's index, applied, written
// to a thread file, read back in another bank and accepted by the independent checker.
#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "core/rewrite/rewriter.h"
#include "core/rewrite/successor_index.h"
#include "core/rules/directed_rule.h"
#include "core/rules/language/compiled.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace tst_constructs {

using namespace mitos;
using rewrite::Rewrite;

namespace {

struct Example {
    const char* construct;
    const char* rules;  ///< the one called r is used
    const char* body;   ///< of (def f Float ((a : Float) (b : Float) (n : Integer) (v : Vec Float)) …)
    const char* result;
};

constexpr Example Examples[] = {
    {"alternates", "pattern Half(x) = x / 2\npattern Half(x) = x * 0.5\nrule r: exp(Half(x)) => sqrt(exp(x))\n",
     "(sin (exp (mul a 0.5)))", "(sin (sqrt (exp a)))"},
    {"recursion",
     "op Relu(x)\npattern P(x, F) = F(P(x, F))\npattern P(x, F) = F(x)\nrule r: P(x, F) => F(x)  where F == Relu\n",
     "(add b (Relu (Relu (Relu a))))", "(add b (Relu a))"},
    {"guards", "rule r: a * b => b / const(1 / a)  where a.is_const and a % 2 == 0 and not b.is_var\n",
     "(mul 4.0 (exp a))", "(div (exp a) 0.25)"},
    {"nonlinear", "rule r: a * a => exp(2 * log(a))\n", "(mul (add a b) (add a b))", "(exp (mul 2.0 (log (add a b))))"},
    {"function variables", "rule r: F(x..., let y = e in b, z...) => let y = e in F(x..., b, z...)\n",
     "(add a (let (t (exp b)) (mul t t)))", "(let (t (exp b)) (add a (mul t t)))"},
    {"argument beside a binder", "rule r: F(x..., if(c, s, t), y...) => if(c, F(x..., s, y...), F(x..., t, y...))\n",
     "(let (p (exp a)) (let (q (if (gt p 1.0) p (mul p p))) (mul q q)))",
     "(let (p (exp a)) (if (gt p 1.0) (let (q p) (mul q q)) (let (q (mul p p)) (mul q q))))"},
    {"operator classes", "class smooth = exp, sin\nrule r: F(-x) => F(x)  where F: smooth\n", "(exp (neg a))",
     "(exp a)"},
    {"unbound function variable",
     "pattern T(x, F) = x  with local y, x <= F(T(y, F))\npattern T(x, F) = x\n"
     "rule r: max(T(x, F), 0) => x  where x.is_var\n",
     "(max a 0.0)", "a"},
    {"local variables", "pattern P(x) = x / y  with local y  where y.is_const\nrule r: P(x) => x\n", "(div a 3.0)",
     "a"},
    {"local function variables",
     "pattern E(x) = Op(E(x))  with local Op  where Op: unary_pointwise\npattern E(x) = x\n"
     "rule r: sqrt(E(a * b)) => a\n",
     "(sqrt (sin (exp (mul a b))))", "a"},
    {"match constraints",
     "rule r: sumbuild(n, \\i. e) => y * sumbuild(n, \\i. z)  with local y, z, e <= y * z  where i not in y\n",
     "(sumbuild n (lam (i : Integer) (mul a (index i v))))", "(mul a (sumbuild n (lam (i : Integer) (index i v))))"},
    {"pattern under a binder",
     "pattern Half(x) = x / 2\npattern Half(x) = x * 0.5\n"
     "rule r: sumbuild(n, \\i. Half(index(i, v))) => sumbuild(n, \\i. index(i, v)) / 2\n",
     "(sumbuild n (lam (i : Integer) (mul (index i v) 0.5)))",
     "(div (sumbuild n (lam (i : Integer) (index i v))) 2.0)"},
    {"branches", "rule r: a * b =>\n  b + b if a == 2\n  exp(b) if a == 3\n", "(mul 3.0 b)", "(exp b)"},
    {"let behind the result", "rule r: a * b => s + m let m = b * a, s = exp(m)\n", "(mul a b)",
     "(add (exp (mul b a)) (mul b a))"},
    {"declared operators", "op fused(x, y)\nop e()\nrule r: a * b + e() => fused(a, b)\n", "(add (mul a b) (e))",
     "(fused a b)"},
    {"attributes",
     "op conv[stride, mode](x)\nrule r: conv[stride=s](x) => conv[stride=s * 2, mode=\"valid\"](x)  where s < 4\n",
     "(exp (conv$3$same a))", "(exp (conv$6$valid a))"},
    {"several outputs", "op two(x) -> 2\nrule r: two(x).0 => x\n", "(get$1$2 (two a))", "a"},
    {"opaque operators", "rule r: F(x) + F(x) => 2 * F(x)\n", "(add (Ext a) (Ext a))", "(mul 2.0 (Ext a))"},
    {"sequences", "rule r: get[index=i](tuple(x..., e, y...)) => e  where x.length == i\n",
     "(get$2$3 (tuple a (exp b) b))", "(exp b)"},
    {"expansions", "rule r: tuple(x...) * z => tuple((x * z)...)\n", "(get$1$2 (mul (tuple a b) 2.0))",
     "(get$1$2 (tuple (mul a 2.0) (mul b 2.0)))"},
    {"substitution", "rule r: let x = e in body => body[x := e]\n", "(let (t (exp a)) (mul t t))",
     "(mul (exp a) (exp a))"},
    {"numbers within rounding", "rule r: x * ~0.70710678 => x / sqrt(2)\n", "(mul a 0.7071067811865475)",
     "(div a (sqrt 2.0))"},
    {"computed constants", "rule r: c + d => const(c + d)  where c.is_const and d.is_const\n", "(add 1.5 2.0)", "3.5"},
};

std::string programOf(const std::string& body) {
    return "(edef Ext Float (Float))\n(def f Float ((a : Float) (b : Float) (n : Integer) (v : (Vec Float))) " + body +
           ")";
}

QString qt(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

}  // namespace

class TestConstructs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyConstruct_data() {
        QTest::addColumn<QString>("rules");
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("expected");
        for (const Example& e : Examples) QTest::newRow(e.construct) << qt(e.rules) << qt(e.body) << qt(e.result);
    }

    void everyConstruct() {
        QFETCH(const QString, rules);
        QFETCH(const QString, body);
        QFETCH(const QString, expected);
        const QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("mine.rules")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(rules.toUtf8());
        file.close();
        const auto book = rules::RuleBook::load(file.fileName().toStdString(), ks::makeRegistry());
        QVERIFY2(book.ok(), book ? "" : book.error().render().c_str());
        ir::TermBank bank(book->registry());
        const auto program = ks::parseProgram(bank, "test.ks", programOf(body.toStdString()));
        QVERIFY2(program.ok(), program ? "" : program.error().render().c_str());
        ir::TermBank apart(book->registry());
        const auto wanted = ks::parseProgram(apart, "wanted.ks", programOf(expected.toStdString()));
        QVERIFY2(wanted.ok(), wanted ? "" : wanted.error().render().c_str());
        const std::uint64_t wantedHash = apart.hash(wanted->root);

        // All rewrites are steps that replay; one of them gives the result.
        const rewrite::Rewriter rewriter(bank, book->directions());
        const std::vector<Rewrite> all = rewriter.all(program->root);
        const Rewrite* step = nullptr;
        for (const Rewrite& rewrite : all) {
            const auto again = rewriter.apply(*program, rewrite.step);
            QVERIFY2(again.ok(), again ? "" : again.error().message.c_str());
            QCOMPARE(*again, rewrite.result);
            if (step == nullptr && bank.hash(rewrite.result) == wantedHash) step = &rewrite;
        }
        QVERIFY2(step != nullptr,
                 fmt::format("{} rewrites, none gives {}", all.size(), expected.toStdString()).c_str());

        // Searches find it.
        rewrite::SuccessorIndex index(bank, book->directions());
        std::vector<rewrite::Successor> successors;
        QVERIFY(index.list(program->root, successors, [] { return true; }).has_value());
        QVERIFY(std::ranges::any_of(
            successors, [&](const auto& one) { return index.rewrite(program->root, one).result == step->result; }));

        // The thread is checked as it is, in another bank, and after having been written and read.
        const rewrite::Thread thread{*program, {step->step}, {step->result}};
        const auto accepted = [](const rewrite::ThreadReport& report) {
            return report.valid ? std::string("valid") : report.reason;
        };
        QCOMPARE(qt(accepted(rewrite::check(bank, thread))), QStringLiteral("valid"));
        ir::TermBank other(book->registry());
        QCOMPARE(qt(accepted(rewrite::check(other, rewrite::transplant(bank, thread, other)))),
                 QStringLiteral("valid"));
        // The names of bound variables have no meaning: a proof of an e-graph may have others than the program.
        rewrite::Thread renamed = thread;
        const rules::CompiledRule& compiled = *rules::compiledOf(*step->step.rule);
        for (std::size_t i = 0; i < compiled.valueCount; ++i) {
            ir::TermId& value = renamed.steps[0].substitution.values[i].term;
            if (compiled.variables[i].kind != rules::VarKind::Binder || !value.isValid()) continue;
            value = bank.variable(bank.symbols().intern("elsewhere"), bank.type(value));
        }
        for (const rewrite::Thread& written : {thread, renamed}) {
            const std::string text = rewrite::writeThread(bank, written);
            ir::TermBank third(book->registry());
            const auto replay = rewrite::readThread(third, SourceText("t.thread", text), *book);
            QVERIFY2(replay.ok(), replay ? "" : replay.error().render().c_str());
            QCOMPARE(qt(accepted(replay->report)), QStringLiteral("valid"));
            QCOMPARE(third.hash(replay->thread.end().root), wantedHash);
            QCOMPARE(qt(accepted(rewrite::check(third, replay->thread))), QStringLiteral("valid"));
        }
    }
};

MITOS_TEST(TestConstructs)

}  // namespace tst_constructs

#include "tst_constructs.moc"

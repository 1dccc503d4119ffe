// SPDX-License-Identifier: GPL-3.0-or-later
// The term bank and everything that moves terms about, on terms written as ks text.
#include "core/base/random.h"
#include "core/ir/binding.h"
#include "core/ir/transplant.h"
#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <array>
#include <functional>
#include <thread>

namespace tst_ir {

using namespace mitos;
using ir::CoreOp;
using ir::Path;
using ir::TermId;
using ir::TypeId;

namespace {

std::string text(const ir::TermBank& bank, TermId term, const std::vector<std::string>& outer = {}) {
    return ks::printTerm(bank, term, {.width = 0}, outer);
}

}  // namespace

class TestIr : public QObject {
    Q_OBJECT

private:
    std::shared_ptr<const ir::OperatorRegistry> m_registry = ks::makeRegistry();
    ir::TermBank m_bank{m_registry};

    /// The root of a bare expression or of the last definition.
    TermId term(const std::string& source) {
        const Result<ir::Program> program = ks::parseProgram(m_bank, "test", source);
        if (!program) qFatal("%s", program.error().render().c_str());
        return program->root;
    }
    TermId add(TermId a, TermId b) { return *m_bank.make(ks::opId(ks::Op::Add), std::array{a, b}); }
    TermId variable(const char* name) {
        return m_bank.variable(m_bank.symbols().intern(name), m_bank.types().floating());
    }
    TermId bound(std::uint32_t index) { return m_bank.bound(index, m_bank.types().floating()); }

private Q_SLOTS:
    /// Other threads read the frozen bank while the bank grows.
    void frozenBanksStayAsTheyWere() {
        ir::TermBank bank(ks::makeRegistry());
        const ir::Program program = *ks::parseProgram(bank, "f", "(add (mul x 2.0) (exp y))");
        ir::TermId large = program.root;
        const ir::OpId add = bank.op(program.root);
        std::vector<ir::TermId> terms{large};
        for (int i = 0; i < 3'000; ++i) {
            large = *bank.make(add, std::array{large, bank.floating(i)});
            terms.push_back(large);
        }
        const std::uint64_t revision = bank.revision();
        const std::shared_ptr<const ir::TermBank> frozen = bank.frozen();
        QCOMPARE(frozen->revision(), revision);
        QCOMPARE(frozen->size(), bank.size());
        std::jthread reader([&] {
            for (const ir::TermId term : terms) {
                if (frozen->op(term) != add || frozen->childCount(term) != 2) qFatal("a frozen term changed");
            }
        });
        for (int i = 0; i < 3'000; ++i) large = *bank.make(add, std::array{large, bank.floating(-i)});
        reader.join();
        QVERIFY(bank.revision() > revision && bank.size() > frozen->size());
        QCOMPARE(ks::printProgram(*frozen, program), ks::printProgram(bank, program));
        QCOMPARE(frozen->hash(terms.back()), bank.hash(terms.back()));
        // A binder without a name gets one later, in the bank alone.
        const ir::TermId body = bank.bound(0, bank.types().floating());
        const ir::TermId binder = bank.lambda({}, bank.types().floating(), body);
        const std::shared_ptr<const ir::TermBank> unnamed = bank.frozen();
        const Symbol name = bank.symbols().intern("v");
        QCOMPARE(bank.lambda(name, bank.types().floating(), body), binder);
        QVERIFY(bank.hint(binder) == name && !unnamed->hint(binder).isValid());
        QVERIFY(unnamed->revision() != bank.revision());
    }

    void equalTermsAreOneTerm() {
        const std::size_t before = m_bank.size();
        const TermId a = term("(add (mul x y) (mul x y))");
        QCOMPARE(m_bank.size(), before + 4);  // x, y, the product once, the sum
        QCOMPARE(term("(add (mul x y) (mul x y))"), a);
        QCOMPARE(m_bank.size(), before + 4);
        QCOMPARE(m_bank.child(a, 0), m_bank.child(a, 1));
        QCOMPARE(m_bank.treeSize(a), std::uint64_t(7));
        QCOMPARE(m_bank.depth(a), std::uint32_t(3));
        QVERIFY(term("(add x 1.0)") != term("(add x 2.0)"));
        QVERIFY(m_bank.integer(1) != m_bank.floating(1.0));
        QVERIFY(m_bank.floating(0.0) != m_bank.floating(-0.0));
        QCOMPARE(m_bank.floating(std::numeric_limits<double>::quiet_NaN()),
                 m_bank.floating(std::numeric_limits<double>::quiet_NaN()));
        QVERIFY(m_bank.string("a") != m_bank.string("b"));
    }

    void treeSizesSaturate() {
        TermId doubled = variable("x");
        for (int i = 0; i < 100; ++i) doubled = add(doubled, doubled);
        QCOMPARE(m_bank.treeSize(doubled), std::uint64_t(1) << 63U);
        QCOMPARE(m_bank.depth(doubled), std::uint32_t(101));
    }

    void namesOfBindersDoNotCount() {
        const TermId a = term("(def a (Vec n Float) (v : Vec n Float) (build n (lam (i : Integer) (index i v))))");
        const TermId b = term("(def b (Vec n Float) (v : Vec n Float) (build n (lam (j : Integer) (index j v))))");
        QCOMPARE(a, b);
        QCOMPARE(text(m_bank, b), std::string("(build n (lam (i : Integer) (index i v)))"));  // the first hint stays
        QCOMPARE(term("(let (p (mul x x)) (add p p))"), term("(let (q (mul x x)) (add q q))"));
        QVERIFY(term("(let (p (mul x x)) (let (q x) (add p q)))") != term("(let (p (mul x x)) (let (q x) (add q p)))"));
    }

    void hashesAreTheSameInEveryBank() {
        ir::TermBank other(m_registry);
        for (int i = 0; i < 50; ++i) other.floating(i);
        const Result<ir::Program> there = ks::parseProgram(other, "t", "(let (p (mul x y)) (add p (log 2.0)))");
        const TermId here = term("(let (p (mul x y)) (add p (log 2.0)))");
        QVERIFY(there->root != here);
        QCOMPARE(other.hash(there->root), m_bank.hash(here));
    }

    void makeChecksArityAndTypes() {
        const Result<TermId> few = m_bank.make(ks::opId(ks::Op::Add), std::array{variable("x")});
        QCOMPARE(few.error().message, std::string("add takes 2 arguments, 1 given"));
        const Result<TermId> wrong = m_bank.make(ks::opId(ks::Op::Gt), std::array{variable("x"), m_bank.boolean(true)});
        QCOMPARE(wrong.error().message, std::string("gt takes two Floats or two Integers; found Float and Bool"));
        const Result<TermId> none = m_bank.make(ks::opId(ks::Op::Max), {});
        QCOMPARE(none.error().message, std::string("max takes 1 to 2 arguments, 0 given"));
        const TermId pair = m_bank.tuple(std::array{variable("x"), m_bank.integer(1)});
        const Result<TermId> third =
            m_bank.make(ir::opId(CoreOp::Get), std::array{pair}, ir::Payload::projection(2, 3));
        QVERIFY(!third.ok());
        QCOMPARE(m_bank.type(m_bank.get(pair, 1)), m_bank.types().integer());
    }

    void childrenMayBePassedBack() {
        // A view into the bank's own table, while that table grows.
        TermId sum = add(variable("x"), variable("y"));
        for (int i = 0; i < 2'000; ++i) {
            const Result<TermId> next = m_bank.make(ks::opId(ks::Op::Sub), m_bank.children(sum));
            QVERIFY(next.ok());
            sum = add(*next, m_bank.floating(i));
        }
        QCOMPARE(text(m_bank, m_bank.child(sum, 1)), std::string("1999.0"));
    }

    void looseVariablesAreCounted() {
        QCOMPARE(m_bank.looseBound(bound(3)), std::uint32_t(4));
        const TermId body = add(bound(0), bound(2));
        QCOMPARE(m_bank.looseBound(m_bank.let({}, bound(0), body)), std::uint32_t(2));
        QCOMPARE(m_bank.looseBound(term("(let (p x) p)")), std::uint32_t(0));
        QVERIFY(ir::mentions(m_bank, body, 2));
        QVERIFY(!ir::mentions(m_bank, body, 1));
        QVERIFY(ir::mentionsFree(m_bank, term("(let (p (log x)) p)"), m_bank.symbols().intern("x")));
        QVERIFY(!ir::mentionsFree(m_bank, term("(let (p (log x)) p)"), m_bank.symbols().intern("p")));
    }

    void shiftingSparesInnerVariables() {
        const TermId inner = m_bank.let({}, bound(0), add(bound(0), bound(1)));
        QCOMPARE(ir::shifted(m_bank, inner, 2), m_bank.let({}, bound(2), add(bound(0), bound(3))));
        QCOMPARE(ir::shifted(m_bank, inner, 0), inner);
        const TermId closed = term("(let (p x) p)");
        QCOMPARE(ir::shifted(m_bank, closed, 5), closed);
    }

    void looseIndicesAreToldApart() {
        // Computed by a walk that uses none of the bank's stored data.
        const std::function<bool(TermId, std::uint32_t)> occurs = [&](TermId t, std::uint32_t index) {
            if (m_bank.is(t, CoreOp::Bound)) return m_bank.payload(t).asIndex() == index;
            for (std::size_t i = 0; i < m_bank.childCount(t); ++i) {
                if (occurs(m_bank.child(t, i), index + m_bank.boundIn(t, i))) return true;
            }
            return false;
        };
        const std::function<TermId(TermId, std::uint32_t, std::int32_t)> shift = [&](TermId t, std::uint32_t from,
                                                                                     std::int32_t by) {
            if (m_bank.is(t, CoreOp::Bound)) {
                const auto index = static_cast<std::int32_t>(m_bank.payload(t).asIndex());
                return index < static_cast<std::int32_t>(from)
                           ? t
                           : m_bank.bound(static_cast<std::uint32_t>(index + by), m_bank.type(t));
            }
            std::vector<TermId> children;
            for (std::size_t i = 0; i < m_bank.childCount(t); ++i) {
                children.push_back(shift(m_bank.child(t, i), from + m_bank.boundIn(t, i), by));
            }
            return children.empty() ? t : *m_bank.withChildren(t, children);
        };
        Random random(5);
        int mentioned = 0;
        for (int round = 0; round < 300; ++round) {
            // Indices around the 31 that are told apart, under up to six binders.
            std::vector<TermId> terms;
            for (int i = 0; i < 3; ++i) terms.push_back(bound(static_cast<std::uint32_t>(random.below(40))));
            TermId sum = add(add(terms[0], terms[1]), terms[2]);
            for (std::uint64_t i = random.below(7); i > 0; --i) {
                sum = m_bank.let({}, bound(static_cast<std::uint32_t>(random.below(36))), sum);
            }
            for (std::uint32_t index = 0; index < 42; ++index) {
                const bool expected = occurs(sum, index);
                mentioned += expected ? 1 : 0;
                QCOMPARE(ir::mentions(m_bank, sum, index), expected);
                QVERIFY(!expected || m_bank.mayMention(sum, index, 1));
                QVERIFY(!expected || m_bank.mayMention(sum, index > 2 ? index - 2 : 0, 5));
                if (index < 24) QCOMPARE(m_bank.mayMention(sum, index, 1), expected);
                QCOMPARE(m_bank.shifted(sum, index, 3), shift(sum, index, 3));
                if (!expected) QCOMPARE(m_bank.shifted(sum, index, -1), shift(sum, index, -1));
                const TermId replaced =
                    ir::substituteLoose(m_bank, sum, index, 2, [&](std::uint32_t i, TypeId) { return bound(i); });
                QCOMPARE(replaced, shift(sum, index, 2));
            }
        }
        QVERIFY(mentioned > 500);
    }

    void substitutionDoesNotCapture() {
        // (let (p x) (let (q y) (add p q))) with p := q', where q' is a variable outside: must not meet the inner q.
        const TermId body = m_bank.let(m_bank.symbols().intern("q"), variable("y"), add(bound(1), bound(0)));
        const TermId value = bound(4);
        QCOMPARE(ir::instantiate(m_bank, body, value), m_bank.let({}, variable("y"), add(bound(5), bound(0))));
        // Other loose variables move out by one.
        QCOMPARE(ir::instantiate(m_bank, add(bound(0), bound(3)), variable("z")), add(variable("z"), bound(2)));
        const TermId swapped = ir::substituteLoose(m_bank, m_bank.let({}, bound(0), add(bound(1), bound(2))), 2, 0,
                                                   [&](std::uint32_t index, TypeId) { return bound(1 - index); });
        QCOMPARE(swapped, m_bank.let({}, bound(1), add(bound(2), bound(1))));
    }

    void pathsLeadToSubterms() {
        const TermId root = term("(add (mul x y) (let (p (log x)) (mul p p)))");
        QCOMPARE(text(m_bank, *ir::subterm(m_bank, root, {1, 0})), std::string("(log x)"));
        QVERIFY(!ir::subterm(m_bank, root, {1, 0, 0, 0}));
        QCOMPARE(ir::bindersAbove(m_bank, root, {1, 1, 0}).size(), std::size_t(1));
        QCOMPARE(ir::bindersAbove(m_bank, root, {1, 0, 0}).size(), std::size_t(0));
        std::vector<std::string> visited;
        ir::forEachSubterm(m_bank, root, [&](const Path& path, TermId) {
            visited.push_back(ir::toString(path));
            return path != Path{0};
        });
        const std::vector<std::string> wanted{"/", "/0", "/1", "/1/0", "/1/0/0", "/1/1", "/1/1/0", "/1/1/1"};
        QCOMPARE(visited, wanted);
    }

    void pathsHaveATextForm() {
        for (const Path& path : {Path{}, Path{0}, Path{3, 1, 20}}) QCOMPARE(*ir::parsePath(ir::toString(path)), path);
        for (const char* bad : {"", "0", "/a", "/1/", "//", "/-1", "/1 ", "/99999999999"})
            QVERIFY2(!ir::parsePath(bad), bad);
        QVERIFY(ir::isWithin({1, 2}, {1}));
        QVERIFY(ir::isWithin({1}, {1}));
        QVERIFY(!ir::isWithin({1}, {1, 2}));
        QCOMPARE(ir::child({1}, 4), (Path{1, 4}));
    }

    void replacingTouchesOneOccurrence() {
        const TermId root = term("(add (mul x y) (mul x y))");
        const TermId changed = *ir::replaceAt(m_bank, root, {1}, variable("z"));
        QCOMPARE(changed, term("(add (mul x y) z)"));
        QCOMPARE(*ir::replaceAt(m_bank, root, {}, variable("z")), variable("z"));
        const Result<TermId> nowhere = ir::replaceAt(m_bank, root, {2}, variable("z"));
        QCOMPARE(nowhere.error().message, std::string("the program has no position /2"));
        QVERIFY(!ir::replaceAt(m_bank, root, {0}, m_bank.boolean(true)).ok());
    }

    void functionsAreFoundByNameAndArgument() {
        term(
            "(def sq Float (x : Float) (mul x x)) (def sq Integer (x : Integer) (mul x x)) (def two Integer () (sq "
            "2))");
        const TypeId integer = m_bank.types().integer();
        const ir::FunctionId id = m_bank.findFunction("sq", integer);
        QVERIFY(id.isValid());
        QCOMPARE(m_bank.function(id).result, integer);
        QVERIFY(!m_bank.findFunction("sq", m_bank.types().boolean()).isValid());
        QVERIFY(!m_bank.findFunction("nobody", integer).isValid());
        ir::Function again;
        again.name = "sq";
        again.argument = integer;
        QCOMPARE(m_bank.declare(again).error().message,
                 std::string("sq is defined twice for the argument type Integer"));
        const Result<TermId> call = m_bank.call(id, std::array{variable("x")});
        QCOMPARE(call.error().message, std::string("argument 1 of sq is a Float, not the Integer it takes"));
    }

    void programsMoveBetweenBanks() {
        const Result<ir::Program> program =
            ks::parseProgram(m_bank, "t",
                             "(edef ext Float (Tuple Float String))"
                             "(def down Float (k : Integer) (if (gt k 0) (down (sub k 1)) (ext 0.5 \"s\")))"
                             "(def use (Vec m Float) (v : Vec m Float) (let (s (size v)) (build m (lam (i : Integer) "
                             "(add (index i v) (down s))))))");
        ir::TermBank other(m_registry);
        other.integer(7);
        ir::Transplanter transplanter(m_bank, other);
        const ir::Program moved = transplanter.program(*program);
        QCOMPARE(ks::printProgram(other, moved), ks::printProgram(m_bank, *program));
        QCOMPARE(other.hash(moved.root), m_bank.hash(program->root));
        const std::size_t size = other.size();
        QCOMPARE(transplanter.program(*program), moved);
        QCOMPARE(other.size(), size);
        QCOMPARE(other.function(moved.function).sizes.size(), std::size_t(1));
    }

    void typesAreInternedAndErased() {
        ir::TypeTable& types = m_bank.types();
        const std::array sizes{m_bank.symbols().intern("n")};
        const TypeId plain = types.vec(types.floating());
        const TypeId named = types.tensor(1, types.floating(), sizes);
        QVERIFY(plain != named);
        QCOMPARE(types.erased(named), plain);
        QCOMPARE(types.erased(types.vec(named)), types.vec(plain));
        QCOMPARE(types.toString(types.vec(named)), std::string("(Vec (Vec n Float))"));
        QCOMPARE(types.indexType(1), types.integer());
        QCOMPARE(types.toString(types.indexType(3)), std::string("(Tuple Integer Integer Integer)"));
        const TypeId matrix = types.tensor(2, types.floating());
        const TypeId mixed =
            types.tuple(std::array{types.floating(), types.integer(), matrix, types.vec(types.boolean())});
        QCOMPARE(types.toString(types.tangent(mixed)),
                 std::string("(Tuple Float (Tuple) (Tensor 2 Float) (Vec (Tuple)))"));
        QCOMPARE(types.toString(types.shape(mixed)),
                 std::string("(Tuple (Tuple) (Tuple) (Tuple Integer Integer) Integer)"));
        QCOMPARE(types.shape(types.tuple(std::array{types.floating(), types.integer()})), types.unit());
        QCOMPARE(types.toString(types.shape(types.vec(plain))), std::string("(Vec Integer)"));
        QCOMPARE(types.toString(types.lambda(types.unit(), types.linearMap(plain, types.floating()))),
                 std::string("(Lam (Tuple) (LM (Vec Float) Float))"));
    }

    void typesOfTuplesOfTuplesStayManageable() {
        ir::TypeTable& types = m_bank.types();
        TypeId doubled = types.floating();
        for (int i = 0; i < 60; ++i) doubled = types.tuple(std::array{doubled, doubled});
        const std::string text = types.toShortString(doubled, 100);
        QVERIFY(text.starts_with("(Tuple (Tuple (Tuple"));
        QVERIFY(text.size() < 110);
        QCOMPARE(types.toShortString(types.floating()), std::string("Float"));
        QCOMPARE(types.tangent(doubled), doubled);
        QCOMPARE(types.shape(doubled), types.unit());
        const TermId value = m_bank.variable(m_bank.symbols().intern("huge"), doubled);
        QVERIFY(m_bank.make(ks::opId(ks::Op::Add), std::array{value, value}).ok());
        QVERIFY(m_bank.make(ks::opId(ks::Op::Sub), std::array{value, m_bank.boolean(true)}).error().message.size() <
                500);
    }

    void theRegistryIsComplete() {
        QCOMPARE(m_registry->size(), std::size_t(CoreOp::Count) + std::size_t(ks::Op::Count));
        for (std::uint32_t i = 0; i < m_registry->size(); ++i) {
            const ir::OperatorInfo& info = m_registry->info(ir::OpId(i));
            QCOMPARE(m_registry->find(info.name), ir::OpId(i));
            QVERIFY2(!info.doc.empty(), info.name.c_str());
        }
        QVERIFY(!m_registry->find("nothing").isValid());
        ir::OperatorRegistry copy = *m_registry;
        QVERIFY(!copy.add(m_registry->info(ks::opId(ks::Op::Add))).ok());
    }
};

MITOS_TEST(TestIr)

}  // namespace tst_ir

#include "tst_ir.moc"

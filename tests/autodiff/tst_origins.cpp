// SPDX-License-Identifier: GPL-3.0-or-later
// The places of the primal that terms of a derivative come from.
#include "core/autodiff/derivative.h"
#include "core/dialects/dialects.h"
#include "core/ir/binding.h"
#include "core/ks/module.h"
#include "tests/autodiff/derived.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace tst_origins {

using namespace mitos;
using autodiff::Direction;
using autodiff::Form;

namespace {

struct Followed {
    std::shared_ptr<ir::TermBank> bank = std::make_shared<ir::TermBank>(dialects::makeRegistry());
    ir::Program program;
    ir::Program derivative;
    autodiff::Origins origins;

    Followed(const std::string& text, Direction direction) {
        program = *ks::parseProgram(*bank, "test", text);
        const ir::FunctionId id =
            *autodiff::derive(*bank, direction, program.function, Form::Scatter, nullptr, &origins);
        derivative = {id, bank->function(id).body};
    }
    /// The subterms of the derivative that come from that place itself, as they are printed in the derivative, in its order.
    [[nodiscard]] std::string from(const std::string& place) const {
        const ir::Path path = *ir::parsePath(place);
        const ir::PrintedText printed = ks::printWithSpans(*bank, derivative, {.width = 0});
        std::string all;
        for (ir::NodePlaces::Index node = 0; node < printed.places.size(); ++node) {
            const ir::PrintedSpan& span = printed.spans[node];
            const auto known = origins.find(*ir::subterm(*bank, derivative.root, printed.places.path(node)));
            if (known == origins.end() || std::ranges::find(known->second, path) == known->second.end()) continue;
            all += printed.text.substr(span.begin, span.end - span.begin) + "; ";
        }
        return all;
    }
};

}  // namespace

class TestOrigins : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void termsComeFromPlaces_data() {
        QTest::addColumn<QString>("program");
        QTest::addColumn<bool>("isForward");
        QTest::addColumn<QString>("place");
        QTest::addColumn<QString>("terms");
        const auto row = [](const char* name, const char* program, Direction direction, const char* place,
                            const char* terms) {
            QTest::newRow(name) << QString::fromUtf8(program) << (direction == Direction::Forward)
                                << QString::fromUtf8(place) << QString::fromUtf8(terms);
        };
        const char* const product = "(def f Float ((x : Float) (y : Float)) (mul (sin x) (exp y)))";
        row("an operand and its tangent", product, Direction::Forward, "/0", "(mul dx (cos x)); (sin x); ");
        row("an operand backwards", product, Direction::Reverse, "/0", "(mul (mul dt t) (cos x)); (sin x); ");
        row("a value that is used twice", product, Direction::Reverse, "/1", "(exp y); (mul (mul (sin x) dt) t); ");
        const char* const lets = "(def f Float (x : Float) (let (y (mul x x)) (mul y (sin y))))";
        row("a let and the sum of its tangents", lets, Direction::Reverse, "/0",
            "(mul x x); (add (mul dt (sin y)) (mul (mul y dt) (cos y))); (mul dy x); ");
        row("below a let", lets, Direction::Reverse, "/1/1", "(sin y); (mul (mul y dt) (cos y)); ");
        const char* const loop =
            "(def f Float (v : Vec Float) (sumbuild (size v) (lam (i : Integer) (exp (mul 2.0 (index i v))))))";
        row("in a loop", loop, Direction::Reverse, "/1/0/0",
            "(mul 2.0 (mul dt (exp (mul 2.0 (index i v))))); (mul 2.0 (index i v)); ");
        row("an element", loop, Direction::Forward, "/1/0/0/1", "(index i dv); (index i v); ");
        const char* const branch = "(def f Float (x : Float) (if (gt x 0.0) (mul x x) (sin x)))";
        row("a branch", branch, Direction::Reverse, "/2", "(mul dt (cos x)); ");
        row("a condition", branch, Direction::Forward, "/0", "(gt x 0.0); ");
        row("in the step of a fold",
            "(def f Float (v : Vec Float) (fold (lam (t : Tuple Float Float) (mul (get$1$2 t) (sin (get$2$2 t)))) 1.0 "
            "v))",
            Direction::Forward, "/0/0/1", "(sin (get$2$2 t)); (mul (get$2$2 dt) (cos (get$2$2 t))); ");
        const char* const mapped = "(def f (Vec Float) (v : Vec Float) (map (lam (x : Float) (mul x x)) v))";
        row("nothing in a map, which is differentiated as another loop", mapped, Direction::Forward, "/0/0", "");
        const char* const call = "(def g Float (x : Float) (sin x)) (def f Float (x : Float) (mul 2.0 (g x)))";
        row("a call", call, Direction::Forward, "/1", "([fwd [g Float]] x dx); ");
        row("a call that is opened", call, Direction::Reverse, "/1", "(mul (mul 2.0 dt) (cos x)); ");
        row("what leaves a loop",
            "(def f Float ((x : Float) (v : Vec n Float)) (sumbuild n (lam (i : Integer) (mul (index i v) (exp x)))))",
            Direction::Reverse, "/1/0/1", "(exp x); (mul (mul dt (sumbuild n (lam (i : Integer) (index i v)))) t); ");
    }

    void termsComeFromPlaces() {
        QFETCH(QString, program);
        QFETCH(bool, isForward);
        QFETCH(QString, place);
        QFETCH(QString, terms);
        const Followed f(program.toStdString(), isForward ? Direction::Forward : Direction::Reverse);
        QCOMPARE(QString::fromStdString(f.from(place.toStdString())), terms);
    }

    /// The derivative is the one that is made without recording.
    void recordingChangesNothing() {
        const std::string text =
            "(def g Float (z : Float) (sin z)) (def f Float ((v : Vec Float) (x : Float)) (let (s (sum (map (lam (y : "
            "Float) (mul (g x) y)) v))) (mul s (sumbuild (size v) (lam (i : Integer) (sum v))))))";
        const Followed followed(text, Direction::Reverse);
        QVERIFY(!followed.origins.empty());
        tests::Derived plain(text);
        QCOMPARE(QString::fromStdString(ks::printTerm(*followed.bank, followed.derivative.root, {.width = 0})),
                 QString::fromStdString(plain.text(Direction::Reverse)));
    }
};

MITOS_TEST(TestOrigins)

}  // namespace tst_origins

#include "tst_origins.moc"

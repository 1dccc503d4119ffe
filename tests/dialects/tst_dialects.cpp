// SPDX-License-Identifier: GPL-3.0-or-later
// One registry of all dialects, and programs of any dialect as text.
#include "core/ir/binding.h"
#include "core/ir/shared.h"
#include "core/ks/operators.h"
#include "core/tensor/text.h"
#include "tests/dialects/random_graphs.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <map>
#include <set>

namespace tst_dialects {

using namespace mitos;

namespace {

ir::Program parsed(ir::TermBank& bank, const std::string& text) {
    const Result<ir::Program> program = dialects::parseProgram(bank, "test", text);
    if (!program) qFatal("%s", program.error().render().c_str());
    return *program;
}

const std::string Small =
    "# a comment\n"
    "graph \"my net\"(x: f32[2,3], n: f32[N,3])\n"
    "  weight features.0.w: f32[2,3]\n"
    "  weight w2 = \"x\": f32[2,3]\n"
    "  h = Add(x, features.0.w)\n"
    "  strange = Opaque[\"com.acme::Two#7\"](h, _): (f32[2,3], i64[...])\n"
    "  return (Relu(h), strange[0], Mul(h, w2), n)\n";

}  // namespace

class TstDialects : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ksOperatorsKeepTheirIds() {
        const auto all = dialects::makeRegistry();
        const auto ks = ks::makeRegistry();
        for (std::uint32_t i = 0; i < ks->size(); ++i)
            QCOMPARE(all->info(ir::OpId(i)).name, ks->info(ir::OpId(i)).name);
        QVERIFY(all->find("Add").isValid() && all->find("add").isValid());
        QVERIFY(all->size() > ks->size());
    }

    void ksProgramsReadAsBefore() {
        ir::TermBank bank(dialects::makeRegistry());
        const ir::Program program = parsed(bank, "(def f Float ((x : Float)) (add x x))");
        QCOMPARE(bank.function(program.function).sharing, ir::Sharing::Tree);
        QCOMPARE(bank.function(program.function).dialect, std::string("ks"));
        QCOMPARE(bank.dialect(program.function).name, std::string("ks"));
        QVERIFY(dialects::printProgram(bank, program).find("(add x x)") != std::string::npos);
        QCOMPARE(dialects::printWithSpans(bank, program).spans.size(), std::size_t(3));  // a tree
    }

    void listingsAreRead() {
        ir::TermBank bank(dialects::makeRegistry());
        const ir::Program program = parsed(bank, Small);
        const ir::Function& function = bank.function(program.function);
        QCOMPARE(function.name, std::string("my net"));
        QCOMPARE(function.sharing, ir::Sharing::Graph);
        QCOMPARE(function.parameters.size(), std::size_t(2));
        QVERIFY(bank.is(program.root, ir::CoreOp::Tuple));
        QCOMPARE(bank.childCount(program.root), std::size_t(4));
        const ir::TermId product = bank.child(program.root, 2);
        QCOMPARE(bank.opName(product), std::string_view("Mul"));
        QCOMPARE(bank.text(bank.payload(bank.child(product, 1)).asSymbol()),
                 std::string_view("x"));                                               // the weight's own name
        QCOMPARE(bank.child(bank.child(program.root, 0), 0), bank.child(product, 0));  // h is one node
        QCOMPARE(bank.text(bank.hint(bank.child(product, 0))), std::string_view("h"));
        QCOMPARE(tensor::typeText(bank.types(), bank.type(program.root)),
                 std::string("(f32[2,3], f32[2,3], f32[2,3], f32[N,3])"));
    }

    void listingsArePrinted() {
        ir::TermBank bank(dialects::makeRegistry());
        const std::string text = dialects::printProgram(bank, parsed(bank, Small), {.compact = true});
        QCOMPARE(QString::fromStdString(text), QStringLiteral("graph \"my net\"(x: f32[2,3], n: f32[N,3])\n"
                                                              "  h = Add(x, features.0.w)\n"
                                                              "  relu = Relu(h)\n"
                                                              "  strange = com.acme::Two(h, _)\n"
                                                              "  mul = Mul(h, x_2)\n"
                                                              "  return (relu, strange[0], mul, n)\n"
                                                              "\n"
                                                              "  2 weights, 48 bytes\n"
                                                              "  weight features.0.w: f32[2,3]\n"
                                                              "  weight x_2 = \"x\": f32[2,3]\n"));
        const std::string typed = dialects::printProgram(bank, parsed(bank, Small));
        QVERIFY(typed.find("# f32[2,3]\n") != std::string::npos);
        QCOMPARE(tensor::termText(bank, parsed(bank, Small).root, 2),
                 std::string("(Relu(h), Opaque[\"com.acme::Two#7\"](h, _)[0], Mul(h, x), n)"));
    }

    void nodesAreCalledAsInTheListing() {
        ir::TermBank bank(dialects::makeRegistry());
        const ir::Program program = parsed(bank, Small);
        const auto names = tensor::listingNames(bank, program);
        QCOMPARE(names.size(), ir::SharedNodes(bank, program.root).size());
        const auto output = [&](std::size_t i) { return bank.child(program.root, i); };
        QCOMPARE(names.at(output(0)), std::string("relu"));
        QCOMPARE(names.at(output(1)), std::string("strange[0]"));
        QCOMPARE(names.at(output(3)), std::string("n"));
        const ir::TermId weight = bank.child(output(2), 1);
        QCOMPARE(names.at(weight), std::string("x_2"));  // the input is called x
        // Without a listing: what has no name of its own says what it is.
        QCOMPARE(tensor::nodeText(bank, bank.child(output(0), 0)), std::string("h"));
        QCOMPARE(tensor::nodeText(bank, output(0)), std::string("Relu(h)"));
        QCOMPARE(tensor::nodeText(bank, output(1)), std::string("strange[0]"));
        QCOMPARE(tensor::nodeText(bank, weight), std::string("x"));
        QCOMPARE(tensor::nodeText(bank, output(3)), std::string("n"));
    }

    void whatIsPrintedReadsBack() {
        Random random(7);
        for (int round = 0; round < 200; ++round) {
            ir::TermBank bank(dialects::makeRegistry());
            const ir::Program program = test::randomGraph(bank, random, round % 40);
            const std::string text = dialects::printProgram(bank, program);
            QCOMPARE(parsed(bank, text), program);
            ir::TermBank other(dialects::makeRegistry());
            const ir::Program again = parsed(other, text);
            QCOMPARE(other.hash(again.root), bank.hash(program.root));
            QCOMPARE(dialects::printProgram(other, again), text);  // names and their order too
        }
    }

    /// Names of sizes that would read as something else stand in quotes.
    void sizesThatArePrintedReadBack() {
        ir::TermBank bank(dialects::makeRegistry());
        const char* const listing = "graph f(x: f32[\"-N+3\",\"12\",\"a,b\",N-3])\n  return Relu(x)\n";
        const ir::Program program = parsed(bank, listing);
        const std::string text = dialects::printProgram(bank, program);
        QVERIFY2(text.find("f32[\"-N+3\",\"12\",\"a,b\",N-3]") != std::string::npos, text.c_str());
        QCOMPARE(parsed(bank, text), program);
    }

    /// A name in the text does not end the environment that the text stands in.
    void namesStayInsideOfLatex() {
        ir::TermBank bank(dialects::makeRegistry());
        const ir::Program program = parsed(bank,
                                           "graph g(\"\\\\end{verbatim}\\\\input{x}\": f32[2])\n"
                                           "  y = Relu(\"\\\\end{verbatim}\\\\input{x}\")\n  return y\n");
        const ir::PrintedText printed = dialects::printMath(bank, program, ir::MathForm::Latex);
        QCOMPARE(printed.text,
                 std::string("\\begin{verbatim}\n"
                             "graph g(\"\\\\ end{verbatim}\\\\input{x}\": f32[2])\n"
                             "  y = Relu(\"\\\\ end{verbatim}\\\\input{x}\")                       # f32[2]\n"
                             "  return y\n\n\\end{verbatim}"));
        // The places of terms are those in this text.
        const ir::PrintedText before = dialects::printWithSpans(bank, program);
        QCOMPARE(printed.spans.size(), before.spans.size());
        for (std::size_t i = 0; i < printed.spans.size(); ++i) {
            const auto textOf = [i](const ir::PrintedText& all) {
                return all.text.substr(all.spans[i].begin, all.spans[i].end - all.spans[i].begin);
            };
            QString kept = QString::fromStdString(textOf(before));
            kept.replace(QLatin1String("\\end"), QLatin1String("\\ end"));
            QCOMPARE(textOf(printed), kept.toStdString());
        }
    }

    void placesAreThoseOfFirstPaths() {
        ir::TermBank bank(dialects::makeRegistry());
        const ir::Program program =
            parsed(bank, "graph g(x: f32[2])\n  a = Relu(x)\n  b = Add(a, x)\n  return Mul(b, Neg(a))\n");
        const ir::PrintedText printed = dialects::printWithSpans(bank, program);
        QStringList found;
        for (ir::NodePlaces::Index place = 0; place < printed.places.size(); ++place) {
            const ir::PrintedSpan& span = printed.spans[place];
            found << QStringLiteral("%1 below %2: %3")
                         .arg(QString::fromStdString(ir::toString(printed.places.path(place))))
                         .arg(printed.places.parent(place))
                         .arg(QString::fromStdString(printed.text.substr(span.begin, span.end - span.begin)));
        }
        QCOMPARE(found, (QStringList{
                            QStringLiteral("/ below 0: mul = Mul(b, neg)"), QStringLiteral("/0 below 0: b = Add(a, x)"),
                            QStringLiteral("/0/0 below 1: a = Relu(x)"), QStringLiteral("/0/0/0 below 2: x: f32[2]"),
                            QStringLiteral("/1 below 0: neg = Neg(a)")}));
        QVERIFY(printed.find({1}) == &printed.spans[4]);
        QVERIFY(printed.find({1, 0}) == nullptr);  // not the first path to `a`
    }

    void everyNodeHasItsPlace() {
        Random random(3);
        for (int round = 0; round < 50; ++round) {
            ir::TermBank bank(dialects::makeRegistry());
            const ir::Program program = test::randomGraph(bank, random, 20);
            const ir::PrintedText printed = dialects::printWithSpans(bank, program);
            const ir::SharedNodes nodes(bank, program.root);
            QCOMPARE(printed.spans.size(), nodes.size());
            std::set<ir::TermId> met;
            std::vector<ir::Path> paths;
            for (ir::NodePlaces::Index place = 0; place < printed.places.size(); ++place) {
                const ir::PrintedSpan& span = printed.spans[place];
                paths.push_back(printed.places.path(place));
                const ir::TermId term = ir::subterm(bank, program.root, paths.back()).value();
                QVERIFY(met.insert(term).second);
                QCOMPARE(ir::firstPath(bank, program.root, term), std::optional(paths.back()));
                QCOMPARE(printed.places.find(paths.back()), std::optional(place));
                const std::string text = printed.text.substr(span.begin, span.end - span.begin);
                if (tensor::operatorOf(bank, term) != nullptr) {
                    QVERIFY2(text.find("= " + std::string(bank.opName(term)) + "(") != std::string::npos, text.c_str());
                }
            }
            QVERIFY(std::is_sorted(paths.begin(), paths.end()));
        }
    }

    void sharedNodesArePrintedOnce() {
        ir::TermBank bank(dialects::makeRegistry());
        const ir::Program program = test::doublings(bank, 60);
        const std::string text = dialects::printProgram(bank, program);
        QCOMPARE(std::count(text.begin(), text.end(), '\n'), 62);
        QCOMPARE(parsed(bank, text), program);
        QVERIFY(dialects::printTermAt(bank, program, {}, program.root).size() < 200);
    }

    void mistakesHaveAPlace_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* name, const char* text, const char* message) {
            QTest::newRow(name) << QString::fromUtf8(text) << QString::fromUtf8(message);
        };
        row("nothing else", "graph f", "test:1:8: '(' expected before the parameters, the end of the text found");
        row("cut off", "graph f(x: f32[1])\n  y = Relu(x)\n", "test:3:1: the line 'return' is missing");
        row("unknown operator", "graph f(x: f32[1])\n  y = Rleu(x)\n", "test:2:7: there is no operator 'Rleu'");
        row("unknown name", "graph f(x: f32[1])\n  y = Relu(z)\n", "test:2:12: there is no 'z' above");
        row("used too early", "graph f(x: f32[1])\n  return Relu(y)\n", "test:2:15: there is no 'y' above");
        row("twice", "graph f(x: f32[1])\n  x = Relu(x)\n", "test:2:3: 'x' is defined already");
        row("element type", "graph f(x: f33[1])\n", "test:1:12: there is no element type 'f33'");
        row("size", "graph f(x: f32[-1])\n", "test:1:16: a size expected, '-1' found");
        row("shapes", "graph f(x: f32[2], y: f32[3])\n  return Add(x, y)\n",
            "test:2:10: sizes 2 and 3 do not broadcast");
        row("arity", "graph f(x: f32[2])\n  return Add(x)\n", "test:2:10: Add takes 2 arguments, 1 given");
        row("attribute", "graph f(x: f32[2])\n  return Relu[axis=1](x)\n", "test:2:15: Relu has no attribute 'axis'");
        row("no output", "graph f(x: f32[2])\n  return x[0]\n", "test:2:12: this node has one output only");
        row("quotes", "graph \"f(x: f32[2])\n", "test:1:7: the quotes are not closed on this line");
        row("behind the end", "graph f(x: f32[2])\n  return x\n  y = x\n",
            "test:3:3: the end of the text expected behind the result, 'y' found");
        row("two on a line", "graph f(x: f32[2])\n  y = Relu(x) z = Relu(x)\n",
            "test:2:15: the end of the line expected, 'z' found");
        row("stated type", "graph f(x: f32[2])\n  return Opaque[\"a\"](x)\n",
            "test:2:24: ':' expected and a type behind Opaque(…), the end of the line found");
        row("core operator", "graph f(x: f32[2])\n  return let(x, x)\n", "test:2:10: there is no operator 'let'");
    }
    void mistakesHaveAPlace() {
        QFETCH(const QString, text);
        QFETCH(const QString, message);
        ir::TermBank bank(dialects::makeRegistry());
        const Result<ir::Program> program = dialects::parseProgram(bank, "test", text.toStdString());
        QVERIFY(!program);
        QCOMPARE(QString::fromStdString(program.error().oneLine()), message);
    }

    void whatIsCutOffOrGarbledIsAnError() {
        Random random(11);
        ir::TermBank bank(dialects::makeRegistry());
        for (std::size_t end = 0; end + 1 < Small.size(); ++end) {
            std::string text = Small.substr(0, end);
            QVERIFY(!dialects::parseProgram(bank, "test", text).ok());
            text = Small;
            text[end] = static_cast<char>(32 + random.below(95));
            static_cast<void>(dialects::parseProgram(bank, "test", text).ok());  // either, but no crash
        }
    }

    void deepTermsAreRefused() {
        ir::TermBank bank(dialects::makeRegistry());
        std::string text = "graph f(x: f32[2])\n  return ";
        for (int i = 0; i < 100'000; ++i) text += "Relu(";
        QVERIFY(!dialects::parseProgram(bank, "test", text).ok());
        std::string types = "graph f(x: ";
        types.append(100'000, '(');
        QVERIFY(!dialects::parseProgram(bank, "test", types).ok());
    }
};

MITOS_TEST(TstDialects)

}  // namespace tst_dialects

#include "tst_dialects.moc"

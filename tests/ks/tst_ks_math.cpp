// SPDX-License-Identifier: GPL-3.0-or-later
// The reading form: what people would write, with the parentheses that the tree needs, and with a place for every subterm.
#include "core/eval/evaluator.h"
#include "core/eval/testing/random_terms.h"
#include "core/ir/binding.h"
#include "core/ks/math.h"
#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "tests/support/test_program.h"

#include <QDirIterator>
#include <QTest>
#include <array>
#include <cctype>
#include <cmath>
#include <set>

namespace tst_ks_math {

using namespace mitos;
using ir::MathForm;

namespace {

std::string mathOf(const std::string& text, MathForm form = MathForm::Text) {
    ir::TermBank bank(ks::makeRegistry());
    const Result<ir::Program> program = ks::parseProgram(bank, "t.ks", text);
    return program ? ks::printMath(bank, *program, form).text : program.error().render();
}

/// The right-hand side of a definition of one expression over the Floats x, y, z, the vector v and the Integers n, k.
std::string expressionOf(const std::string& body, MathForm form = MathForm::Text) {
    const std::string text = mathOf(
        "(def f Float ((x : Float) (y : Float) (z : Float) (v : Vec Float) (w : Vec (Vec Float))"
        " (n : Integer) (k : Integer) (p : Bool) (t : Tuple Float Float)) " +
            body + ")",
        form);
    const std::size_t begin = text.find(") = ");
    return begin == std::string::npos ? text : text.substr(begin + 4);
}

std::size_t longestLine(const std::string& text) {
    std::size_t longest = 0;
    for (const QString& line : QString::fromStdString(text).split(QLatin1Char('\n'))) {
        longest = std::max(longest, static_cast<std::size_t>(line.size()));
    }
    return longest;
}

std::string onOneLine(const std::string& text) { return QString::fromStdString(text).simplified().toStdString(); }

/// Evaluates an expression of numbers, x, y, z, + − · / and parentheses, with the usual precedence, from left to right.
class Reader {
public:
    Reader(std::string text, std::array<double, 3> values) : m_text(std::move(text)), m_values(values) {}
    double read() {
        const double value = sum();
        return m_at == m_text.size() ? value : std::nan("");
    }

private:
    bool take(const std::string& token) {
        if (m_text.compare(m_at, token.size(), token) != 0) return false;
        m_at += token.size();
        return true;
    }
    double sum() {
        double value = take("−") ? -product() : product();
        while (true) {
            if (take(" + ")) {
                value += product();
            } else if (take(" − ")) {
                value -= product();
            } else {
                return value;
            }
        }
    }
    double product() {
        double value = atom();
        while (true) {
            if (take(" · ")) {
                value *= atom();
            } else if (take(" / ")) {
                value /= atom();
            } else {
                return value;
            }
        }
    }
    double atom() {
        if (take("(")) {
            const double value = sum();
            return take(")") ? value : std::nan("");
        }
        for (std::size_t i = 0; i < m_values.size(); ++i) {
            if (take(std::string(1, static_cast<char>('x' + i)))) return m_values.at(i);
        }
        std::size_t length = 0;
        const std::string rest = m_text.substr(m_at);
        if (rest.empty() || std::isdigit(static_cast<unsigned char>(rest[0])) == 0) return std::nan("");
        const double value = std::stod(rest, &length);
        m_at += length;
        return value;
    }

    std::string m_text;
    std::array<double, 3> m_values;
    std::size_t m_at = 0;
};

std::string randomArithmetic(Random& random, int depth) {
    static constexpr std::array Leaves{"x", "y", "z", "2.0", "0.5", "-3.0"};
    if (depth == 0 || random.chance(0.15)) return Leaves.at(random.below(Leaves.size()));
    if (random.chance(0.15)) return "(neg " + randomArithmetic(random, depth - 1) + ")";
    static constexpr std::array Operators{"add", "sub", "mul", "div"};
    const std::string op = Operators.at(random.below(Operators.size()));
    return "(" + op + " " + randomArithmetic(random, depth - 1) + " " + randomArithmetic(random, depth - 1) + ")";
}

/// Why the places of the nodes are wrong; empty if they are right.
std::string wrongPlaces(const ir::TermBank& bank, const ir::Program& program, const ir::PrintedText& printed) {
    std::size_t next = 0;
    std::string wrong;
    ir::forEachSubterm(bank, program.root, [&](const ir::Path& path, ir::TermId) {
        if (!wrong.empty()) return false;
        const auto place = static_cast<ir::NodePlaces::Index>(next);
        if (next == printed.spans.size() || printed.places.path(place) != path) {
            wrong = "no place for " + ir::toString(path);
            return false;
        }
        const ir::PrintedSpan& span = printed.spans[next++];
        const ir::PrintedSpan& outer = printed.spans[printed.places.parent(place)];
        const bool isInside = outer.begin <= span.begin && span.end <= outer.end;
        if (!isInside || span.begin >= span.end || span.end > printed.text.size())
            wrong = "bad place of " + ir::toString(path);
        return true;
    });
    if (wrong.empty() && next != printed.spans.size()) wrong = "too many places";
    return wrong.empty() ? wrong : wrong + " in\n" + printed.text;
}

/// Whether brackets and braces are balanced.
bool isBalanced(const std::string& text, bool isLatex) {
    std::string open;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (isLatex && text[i] == '\\') {
            ++i;  // an escaped character, or the first letter of a command
            continue;
        }
        const std::size_t begins = std::string("([{").find(text[i]);
        const std::size_t ends = std::string(")]}").find(text[i]);
        if (begins != std::string::npos) open += ")]}"[begins];
        if (ends == std::string::npos) continue;
        if (open.empty() || open.back() != text[i]) return false;
        open.pop_back();
    }
    return open.empty();
}

/// Whether a subscript directly follows another one, which LaTeX refuses.
bool hasDoubleSubscript(const std::string& text) {
    std::vector<bool> isSubscript;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\') {
            ++i;
        } else if (text[i] == '{') {
            isSubscript.push_back(i > 0 && text[i - 1] == '_');
        } else if (text[i] == '}') {
            if (isSubscript.back() && i + 1 < text.size() && text[i + 1] == '_') return true;
            isSubscript.pop_back();
        }
    }
    return false;
}

}  // namespace

class TestKsMath : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void programs_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("expected");
        QTest::newRow("gemm") << QStringLiteral("linear-algebra/gemm.ks")
                              << QStringLiteral(
                                     "gemm(α, mat_a, mat_b, β, mat_c) =\n"
                                     "  mat_x[i<n, k<l] = Σ j<m: mat_a[i, j] · mat_b[j, k]\n"
                                     "  mat_x_6[i<n, j<l] = α · mat_x[i, j]\n"
                                     "  mat_y[i<n, j<l] = β · mat_c[i, j]\n"
                                     "  → [i<n, j<l] mat_x_6[i, j] + mat_y[i, j]");
        QTest::newRow("log_sum_exp") << QStringLiteral("teaching/log_sum_exp.ks")
                                     << QStringLiteral("log_sum_exp(v) = max(v) + log(Σ i<n: exp(v[i] − max(v)))");
        QTest::newRow("loop") << QStringLiteral("coarsening/bgd_descent.ks")
                              << QStringLiteral(
                                     "bgd_descent(r, x, y, t, tol) =\n"
                                     "  r_1 = loop p = (0, 0) while p.1 < t:\n"
                                     "      w = p.2\n"
                                     "      d = (Σ i<m: 2 · x[i] · (y[i] − x[i] · w)) / m\n"
                                     "      → { (true, w)  if |d| < tol;  (false, w + r · d)  otherwise }\n"
                                     "  w = r_1.2\n"
                                     "  e = Σ i<m:\n"
                                     "      s = y[i] − x[i] · w\n"
                                     "      → s · s\n"
                                     "  → √(e) / m");
        QTest::newRow("polynomial") << QStringLiteral("teaching/polynomial.ks")
                                    << QStringLiteral(
                                           "polynomial(x, a, b) = [i<n]\n"
                                           "    terms[k<3] = a · x[i] + b · k\n"
                                           "    → terms[1] · x[i] + terms[2]");
    }
    void programs() {
        QFETCH(const QString, file);
        QFETCH(const QString, expected);
        const Result<SourceText> source = readSourceFile(MITOS_SOURCE_DIR "/samples/" + file.toStdString());
        QVERIFY(source.ok());
        QCOMPARE(QString::fromStdString(mathOf(std::string(source->text()))), expected);
    }

    void expressions_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("expected");
        QTest::addColumn<QString>("latex");
        const auto row = [](const char* body, const char* expected, const char* latex) {
            QTest::newRow(body) << QString::fromUtf8(body) << QString::fromUtf8(expected) << QString::fromUtf8(latex);
        };
        row("(add (add x y) z)", "x + y + z", "x + y + z");
        row("(add x (add y z))", "x + (y + z)", "x + (y + z)");
        row("(sub x (sub y z))", "x − (y − z)", "x - (y - z)");
        row("(mul (add x y) z)", "(x + y) · z", "(x + y) \\cdot z");
        row("(div x (mul y z))", "x / (y · z)", "\\frac{x}{y \\cdot z}");
        row("(mul (div x y) z)", "x / y · z", "\\frac{x}{y} \\cdot z");
        row("(to_float (div n k))", "n ÷ k", "n \\div k");
        row("(mul (neg x) y)", "(−x) · y", "(-x) \\cdot y");
        row("(neg (mul x y))", "−x · y", "-x \\cdot y");
        row("(add x -2.0)", "x + (−2)", "x + (-2)");
        row("(pow (add x y) n)", "(x + y)^n", "(x + y)^{n}");
        row("(pow (pow x k) (add n k))", "(x^k)^(n + k)", "(x^{k})^{n + k}");
        row("(if (gt x 0.0) x 0.0)", "{ x  if x > 0;  0  otherwise }",
            "\\begin{cases} x & \\text{if } x > 0 \\\\ 0 & \\text{otherwise} \\end{cases}");
        row("(if (gt x 0.0) x (if p y z))", "{ x  if x > 0;  y  if p;  z  otherwise }",
            "\\begin{cases} x & \\text{if } x > 0 \\\\ y & \\text{if } p \\\\ z & \\text{otherwise} \\end{cases}");
        row("(if (or p (and (eq n k) (not p))) x y)", "{ x  if p ∨ n = k ∧ ¬p;  y  otherwise }",
            "\\begin{cases} x & \\text{if } p \\lor n = k \\land \\lnot p \\\\ y & \\text{otherwise} \\end{cases}");
        row("(index 2 v)", "v[2]", "v_{2}");
        row("(index k (index n w))", "w[n, k]", "w_{n, k}");
        row("(index k (build n (lam (i : Integer) x)))", "([i<n] x)[k]", "([i < n]\\; x)_{k}");
        row("(get$2$2 t)", "t.2", "t_{2}");
        row("(get$1$2 (index k (build n (lam (i : Integer) t))))", "([i<n] t)[k].1", "{([i < n]\\; t)_{k}}_{1}");
        row("(sumbuild n (lam (i : Integer) (index i v)))", "Σ i<n: v[i]", "\\sum_{i < n} v_{i}");
        row("(mul x (sumbuild n (lam (i : Integer) x)))", "x · Σ i<n: x", "x \\cdot \\sum_{i < n} x");
        row("(add (mul x (sumbuild n (lam (i : Integer) x))) y)", "x · (Σ i<n: x) + y",
            "x \\cdot (\\sum_{i < n} x) + y");
        row("(sumbuild n (lam (i : Integer) (sumbuild k (lam (j : Integer) (index j (index i w))))))",
            "Σ i<n, j<k: w[i, j]", "\\sum_{i < n, j < k} w_{i, j}");
        row("(add x (let (a (mul x y)) (mul a a)))", "x + (a · a where a = x · y)",
            "x + (a \\cdot a\\text{ where } a = x \\cdot y)");
        row("(fold (lam (at : Tuple Float Float) (add (get$1$2 at) (get$2$2 at))) x v)", "fold(at ↦ at.1 + at.2, x, v)",
            "\\operatorname{fold}(\\mathit{at} \\mapsto \\mathit{at}_{1} + "
            "\\mathit{at}_{2}, x, v)");
        row("(log (sqrt (abs x)))", "log(√(|x|))", "\\log(\\sqrt{\\left|x\\right|})");
        row("(exp 1e-38)", "exp(1e-38)", "\\exp(1e-38)");
    }
    void expressions() {
        QFETCH(const QString, body);
        QFETCH(const QString, expected);
        QFETCH(const QString, latex);
        QCOMPARE(QString::fromStdString(expressionOf(body.toStdString())), expected);
        QCOMPARE(QString::fromStdString(expressionOf(body.toStdString(), MathForm::Latex)),
                 latex + QStringLiteral("\n\\end{align*}"));
    }

    void names() {
        QCOMPARE(
            mathOf("(def f Float ((alpha_1 : Float) (mat_b : Float) (x12 : Float)) (add alpha_1 (mul mat_b x12)))"),
            std::string("f(α_1, mat_b, x12) = α_1 + mat_b · x12"));
        QCOMPARE(
            mathOf("(def a_b Float ((alpha_1 : Float) (mat_b : Float) (x12 : Float)) (add alpha_1 (mul mat_b x12)))",
                   MathForm::Latex),
            std::string("\\begin{align*}\n&\\operatorname{a\\_b}({\\alpha_{1}}, {\\mathit{mat}_{b}}, {x_{12}}) = "
                        "{\\alpha_{1}} + {\\mathit{mat}_{b}} \\cdot {x_{12}}\n\\end{align*}"));
        // A parameter that is used as a whole keeps its name.
        QCOMPARE(mathOf("(def f Float ((p : Tuple Float Float)) (let (a (get$1$2 p)) (mul a (get$2$2 p))))"),
                 std::string("f(p) =\n  a = p.1\n  → a · p.2"));
        QCOMPARE(mathOf("(def f Float ((p : Tuple Float Float) (y : Float)) (let (a (get$2$2 p)) (mul a y)))"),
                 std::string("f((_, a), y) = a · y"));
        // Another parameter may have more elements.
        QCOMPARE(
            mathOf("(def f Float ((p : Tuple Float Float) (q : (Tuple Float Float Float Float))) (let (a (get$1$2 p)) "
                   "(mul a (get$4$4 q))))"),
            std::string("f((a, _), q) = a · q.4"));
    }

    void longLinesAreBroken() {
        std::string sum = "x";
        for (int i = 0; i < 30; ++i) sum.insert(0, "(add ").append(" (mul x y))");
        const std::string text = mathOf("(def f Float ((x : Float) (y : Float)) " + sum + ")");
        QVERIFY2(text.starts_with("f(x, y) = x\n    + x · y\n    + x · y\n"), text.c_str());
        QCOMPARE(std::count(text.begin(), text.end(), '\n'), std::ptrdiff_t{30});
    }

    /// The parentheses are enough: with the usual precedence the text has the program's value.
    void arithmeticReadsAsItIsComputed() {
        Random random(3);
        int compared = 0;
        int over = 0;  // those on several lines
        for (int round = 0; round < 400; ++round) {
            const std::string body = randomArithmetic(random, 1 + round % 8);  // the largest take many lines
            ir::TermBank bank(ks::makeRegistry());
            const ir::Program program =
                *ks::parseProgram(bank, "t.ks", "(def f Float ((x : Float) (y : Float) (z : Float)) " + body + ")");
            const std::string text = ks::printMath(bank, program, MathForm::Text).text;
            QVERIFY2(longestLine(text) <= 110, text.c_str());  // 100, and brackets that close there
            over += text.find('\n') == std::string::npos ? 0 : 1;
            const std::array<double, 3> values{1.25, -0.75, 3.5};
            eval::Inputs inputs;
            for (const double value : values) inputs.arguments.emplace_back(value);
            const Result<eval::Evaluation> expected = eval::evaluate(bank, program, inputs);
            if (!expected || !std::isfinite(expected->value.asFloat())) continue;
            const double found = Reader(onOneLine(text.substr(text.find(" = ") + 3)), values).read();
            QVERIFY2(found == expected->value.asFloat(), text.c_str());
            ++compared;
        }
        QVERIFY(compared > 300);
        QVERIFY(over > 40);
    }

    void everyNodeHasItsPlace() {
        Random random(8);
        ir::TermBank bank(ks::makeRegistry());
        const ir::Program carrier = *ks::parseProgram(
            bank, "t.ks",
            "(def f Float ((x : Float) (y : Float) (n : Integer) (v : Vec Float) (t : Tuple Float Float)) x)");
        for (int round = 0; round < 300; ++round) {
            const ir::TypeId type = eval::randomType(bank, random);
            const ir::TermId term = eval::randomTerm(bank, type, {bank.function(carrier.function).parameters, {}, 2},
                                                     random, static_cast<std::uint32_t>(3 + round));
            const ir::Program program{carrier.function, term};
            for (const MathForm form : {MathForm::Text, MathForm::Latex}) {
                const ir::PrintedText printed = ks::printMath(bank, program, form);
                const std::string wrong = wrongPlaces(bank, program, printed);
                QVERIFY2(wrong.empty(), wrong.c_str());
                QVERIFY2(isBalanced(printed.text, form == MathForm::Latex), printed.text.c_str());
                QVERIFY2(form == MathForm::Text || !hasDoubleSubscript(printed.text), printed.text.c_str());
            }
        }
    }

    void everySampleIsWritten_data() {
        QTest::addColumn<QString>("path");
        const QString folder = QStringLiteral(MITOS_SOURCE_DIR "/samples");
        QDirIterator files(folder, {QStringLiteral("*.ks")}, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString path = files.next();
            QTest::newRow(qPrintable(path.mid(folder.size() + 1))) << path;
        }
    }
    void everySampleIsWritten() {
        QFETCH(const QString, path);
        ir::TermBank bank(ks::makeRegistry());
        const Result<SourceText> source = readSourceFile(path.toStdString());
        const Result<ir::Program> program = ks::parseProgram(bank, path.toStdString(), std::string(source->text()));
        QVERIFY2(program.ok(), program ? "" : program.error().render().c_str());
        for (const MathForm form : {MathForm::Text, MathForm::Latex}) {
            const ir::PrintedText printed = ks::printMath(bank, *program, form);
            const std::string wrong = wrongPlaces(bank, *program, printed);
            QVERIFY2(wrong.empty(), wrong.c_str());
            QVERIFY2(isBalanced(printed.text, form == MathForm::Latex), printed.text.c_str());
            QVERIFY2(form == MathForm::Text || !hasDoubleSubscript(printed.text), printed.text.c_str());
        }
    }

    void partsOfLoopsTakeSeveralLines() {
        QCOMPARE(QString::fromStdString(mathOf(
                     "(def f Float ((x : Float) (n : Integer)) (get$2$2 (loop n 1.0 (lam (p : (Tuple Integer Float)) "
                     "(let (w (mul x (get$2$2 p))) (tuple (gt w 9.0) w))))))")),
                 QStringLiteral("f(x, n) = (loop p = (0, 1) while p.1 < n:\n"
                                "    w = x · p.2\n"
                                "    → (w > 9, w)).2"));
    }

    void longPartsTakeSeveralLines() {
        std::string sum = "x";
        for (int i = 0; i < 12; ++i) sum.insert(0, "(add ").append(" (mul x y))");
        const std::string text = mathOf("(def f Float ((x : Float) (y : Float)) (if (gt x y) (max " + sum +
                                        " y) (if (lt x 0.0) (exp " + sum + ") 2.0)))");
        QVERIFY2(longestLine(text) <= 100, text.c_str());
        QVERIFY2(text.starts_with("f(x, y) = { max(\n"), text.c_str());
        QVERIFY2(text.find("\n        if x > y;\n    exp(x\n") != std::string::npos, text.c_str());
        QVERIFY2(text.ends_with("\n        if x < 0;\n    2  otherwise }"), text.c_str());
    }

    void deepProgramsAreWritten() {
        std::string body = "x";
        for (int i = 0; i < 5000; ++i) body.insert(0, i % 2 == 0 ? "(neg " : "(exp ").append(")");
        const std::string text = mathOf("(def f Float (x : Float) " + body + ")");
        QVERIFY(text.starts_with("f(x) = exp(−exp(−"));
    }
};

MITOS_TEST(TestKsMath)

}  // namespace tst_ks_math

#include "tst_ks_math.moc"

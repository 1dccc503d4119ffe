// SPDX-License-Identifier: GPL-3.0-or-later
// The small examples of the coarsening paper as samples: Figures 3 and 4, and the matrix case of section 3. The numbers were computed by hand and
// with Python from the paper's formulas.
#include "tests/coarsening/elevated.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>

namespace tst_paper_examples {

using namespace mitos;
using namespace mitos::tests;

namespace {

/// A sample, and its coarsened gradient in one parameter.
class Example {
public:
    Example(const std::string& name, std::size_t parameter)
        : m_elevated(
              std::string(readSourceFile(fmt::format("{}/samples/coarsening/{}.ks", MITOS_SOURCE_DIR, name))->text())),
          m_made(coarsening::coarsen(bank(), m_elevated.program(), elevationRules(), {.wrt = {parameter}})) {}

    [[nodiscard]] ir::TermBank& bank() { return m_elevated.bank(); }
    [[nodiscard]] const Result<coarsening::Coarsened>& made() const { return m_made; }
    [[nodiscard]] double value(const std::vector<std::string>& at) {
        const ir::Program& program = m_elevated.program();
        return m_elevated.value(program.function, program.root, at);
    }
    [[nodiscard]] double slope(const std::vector<std::string>& at) {
        return m_elevated.value(m_made->derivative, bank().function(m_made->derivative).body, at);
    }
    [[nodiscard]] std::string gradientText() { return m_elevated.text(bank().function(m_made->derivative).body); }
    [[nodiscard]] std::string gradient(const std::vector<std::string>& at) {
        const ir::Function& function = bank().function(m_made->derivative);
        eval::Inputs inputs;
        for (std::size_t i = 0; i < at.size(); ++i) {
            Result<eval::Value> input = eval::valueFromJson(bank(), function.parameters.at(i).type, at[i]);
            if (!input) return input.error().message;
            inputs.arguments.push_back(*std::move(input));
        }
        const Result<eval::Evaluation> result = eval::evaluate(bank(), {m_made->derivative, function.body}, inputs);
        return result ? eval::toJson(result->value) : result.error().message;
    }

private:
    Elevated m_elevated;
    Result<coarsening::Coarsened> m_made;
};

}  // namespace

class TestPaperExamples : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void branches_data();
    void branches();
    void aLoopThatAdds();
    void theMatrixCase();
};

/// At x = 0.7, p = 0.3 and q = 1.2, so t = 1.14. Figure 3(f), where 1 + exp t is cancelled: q (1.5 sqrt t (1 + exp t) + t^1.5 exp t),
/// q exp t (1 + log(1 + exp t)), and q (1 + exp t + t exp t).
void TestPaperExamples::branches_data() {
    QTest::addColumn<QString>("outer");
    QTest::addColumn<QString>("inner");
    QTest::addColumn<double>("value");
    QTest::addColumn<double>("slope");
    QTest::newRow("both") << "true"
                          << "true" << 5.02304847899339 << 12.498163047272165;
    QTest::newRow("the outer one") << "true"
                                   << "false" << 5.84967196601208 << 9.070734850421136;
    QTest::newRow("the inner one") << "false"
                                   << "true" << 4.70451593631222 << 9.229541161798046;
    QTest::newRow("none") << "false"
                          << "false" << 4.70451593631222 << 9.229541161798046;
}

void TestPaperExamples::branches() {
    QFETCH(const QString, outer);
    QFETCH(const QString, inner);
    QFETCH(const double, value);
    QFETCH(const double, slope);
    Example figure("figure3", 0);
    QVERIFY2(figure.made().ok(), figure.made() ? "" : figure.made().error().render().c_str());
    QCOMPARE(figure.made()->segments.size(), std::size_t{1});  // the branches and what follows them
    QVERIFY(figure.made()->segments[0].isWhole);
    const std::vector<std::string> at{"0.7", "0.3", "1.2", outer.toStdString(), inner.toStdString()};
    QVERIFY2(std::abs(figure.value(at) - value) < 1e-13, fmt::format("{:.16g}", figure.value(at)).c_str());
    QVERIFY2(std::abs(figure.slope(at) - slope) < 1e-12, fmt::format("{:.16g}", figure.slope(at)).c_str());
}

void TestPaperExamples::aLoopThatAdds() {
    Example figure("figure4", 1);
    QVERIFY2(figure.made().ok(), figure.made() ? "" : figure.made().error().render().c_str());
    QCOMPARE(figure.gradientText(), std::string("(to_float k)"));
    QCOMPARE(figure.value({"2.5", "0.75", "7"}), 7.75);
    QCOMPARE(figure.slope({"2.5", "0.75", "7"}), 7.0);
    QCOMPARE(figure.value({"2.5", "0.75", "0"}), 2.5);  // the argument of the exit that is taken if the loop is skipped
    QCOMPARE(figure.slope({"2.5", "0.75", "0"}), 0.0);
}

/// With u = X2 v = (2, 7): the value is u' X1 u, the gradient X2' (X1 + X1') u = X2' (39, 66).
void TestPaperExamples::theMatrixCase() {
    Example matrices("matrix_case", 2);
    QVERIFY2(matrices.made().ok(), matrices.made() ? "" : matrices.made().error().render().c_str());
    const std::vector<std::string> at{"[[1.0, 2.0], [3.0, 4.0]]", "[[2.0, 0.0], [1.0, 3.0]]", "[1.0, 2.0]"};
    QCOMPARE(matrices.value(at), 270.0);
    QCOMPARE(matrices.gradient(at), std::string("[144.0,198.0]"));
    // Rows of X2 are read for u, and once more for the gradient: the products by X1 and by its transpose are added before.
    const std::string text = matrices.gradientText();
    std::size_t readings = 0;
    for (std::size_t i = text.find("x2"); i != std::string::npos; i = text.find("x2", i + 1)) ++readings;
    QCOMPARE(readings, std::size_t{2});
}

MITOS_TEST(TestPaperExamples)

}  // namespace tst_paper_examples

#include "tst_paper_examples.moc"

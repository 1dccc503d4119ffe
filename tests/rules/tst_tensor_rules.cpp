// SPDX-License-Identifier: GPL-3.0-or-later
// Rules over arrays: what the language says about them, and the shipped rules against evaluation.
#include "core/eval/rule_test.h"
#include "core/ks/operators.h"
#include "core/rules/rule.h"
#include "core/tensor/operator.h"

#include <QtTest/QTest>

#include <memory>
#include <string>

using namespace mitos;

namespace {

std::shared_ptr<const ir::OperatorRegistry> registry() {
    static const auto shared = [] {
        auto all = std::make_shared<ir::OperatorRegistry>(*ks::makeRegistry());
        tensor::addOperators(*all);
        return std::shared_ptr<const ir::OperatorRegistry>(all);
    }();
    return shared;
}

}  // namespace

class TestTensorRules : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void shippedRulesHold_data();
    void shippedRulesHold();
};

void TestTensorRules::shippedRulesHold_data() {
    QTest::addColumn<QString>("set");
    QTest::newRow("one root") << "tensor";
    QTest::newRow("several roots") << "tensor-multi";
}

void TestTensorRules::shippedRulesHold() {
    QFETCH(const QString, set);
    const Result<rules::RuleBook> book = rules::RuleBook::load(set.toStdString(), registry());
    QVERIFY2(book.ok(), book ? "" : book.error().render().c_str());
    eval::RuleTestOptions options;
    options.samplesPerRule = qEnvironmentVariableIntValue("MITOS_SAMPLES") > 0 ? qEnvironmentVariableIntValue("MITOS_SAMPLES") : 30;
    int bad = 0;
    for (const eval::RuleVerdict& verdict : eval::testRules(*book, options)) {
        if (verdict.verdict == eval::Verdict::Pass && verdict.seconds < 0.5) continue;
        ++bad;
        qInfo("%s %s %s %d samples %.2f s %s", toString(verdict.verdict), verdict.name.c_str(), verdict.tag.c_str(), verdict.samples, verdict.seconds,
              verdict.counterexample ? verdict.counterexample->toString().c_str() : verdict.note.c_str());
    }
    QCOMPARE(bad, 0);
}

QTEST_GUILESS_MAIN(TestTensorRules)
#include "tst_tensor_rules.moc"

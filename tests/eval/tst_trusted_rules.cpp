// SPDX-License-Identifier: GPL-3.0-or-later
// Which rules a search gets: what fails its test is left out unless the user insists.
#include "core/dialects/dialects.h"
#include "core/eval/testing/trusted_rules.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

namespace tst_trusted_rules {

using namespace mitos;

namespace {

constexpr const char* Rules =
    "# Good, bad and unknown.\n"
    "op strange(x, y)\n"
    "rule good [real-only]: Add(a, b) => Add(b, a)\n"
    "rule bad [real-only]: Sub(a, b) => Sub(b, a)\n"
    "rule half [real-only]: Relu(Neg(a)) <=> Neg(a)\n"
    "rule unknown [real-only]: strange(a, b) => strange(b, a)\n"
    "rule several [real-only]: Relu(a), Neg(a) => Neg(a), Relu(a)\n";

struct Fixture {
    QTemporaryDir folder;
    std::string file = folder.filePath(QStringLiteral("own.rules")).toStdString();

    rules::RuleBook load(const std::string& text, const std::string& others = "") const {
        if (const Status written = writeFile(file, text); !written) qFatal("%s", written.error().render().c_str());
        Result<rules::RuleBook> book = rules::RuleBook::load(file + others, dialects::makeRegistry());
        if (!book) qFatal("%s", book.error().render().c_str());
        return *std::move(book);
    }
};

std::vector<std::string> namesOf(const std::vector<eval::DoubtfulRule>& rules) {
    std::vector<std::string> names;
    for (const eval::DoubtfulRule& rule : rules) names.push_back(rule.name);
    return names;
}

std::vector<std::string> namesOf(const eval::TrustedRules& rules) {
    std::vector<std::string> names;
    for (const auto& rule : rules.directions) names.push_back(rule->name());
    return names;
}

using Names = std::vector<std::string>;

}  // namespace

class TstTrustedRules : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatFailsIsLeftOut() {
        const Fixture f;
        const eval::TrustedRules trusted = eval::RuleTrust().of(f.load(Rules));
        QCOMPARE(namesOf(trusted), (Names{"good"}));
        // Both directions of `half` change numbers below zero.
        QCOMPARE(namesOf(trusted.failed), (Names{"bad", "half", "half~", "several"}));
        QCOMPARE(namesOf(trusted.untested), (Names{"unknown"}));
        QCOMPARE(trusted.passed, std::size_t{1});
        QCOMPARE(trusted.failed[0].set, f.file);
        QVERIFY2(trusted.failed[0].reason.starts_with("Sub("), trusted.failed[0].reason.c_str());
        const std::vector<std::string> messages = trusted.messages();
        QCOMPARE(messages.size(), std::size_t{5});
        QVERIFY(messages[0].starts_with("bad (" + f.file + ") failed its test and is left out: "));
        QVERIFY(messages[4].find("is not tested and left out (--insist applies it): strange is declared") !=
                std::string::npos);
    }

    void whoInsistsGetsAll() {
        const Fixture f;
        const rules::RuleBook book = f.load(Rules);
        const eval::TrustedRules trusted = eval::RuleTrust().of(book, {.insists = true});
        QCOMPARE(trusted.directions.size(), book.directions().size());
        QCOMPARE(namesOf(trusted.failed), (Names{"bad", "half", "half~", "several"}));
        QVERIFY(trusted.messages()[0].find("applied all the same") != std::string::npos);
    }

    /// What a rule says about operators that nothing else gives a meaning is that meaning. It may not bring them into programs.
    void definitionsAreAppliedWhereNoProgramIs() {
        const Fixture f;
        const rules::RuleBook book = f.load(
            "op path(x, y) -> 1\nop fact(x) -> 1\n"
            "rule turn: path(x, y) => path(y, x)\nrule enter: a + b => path(a, b)\nrule leave: path(a, b) => a * b\n");
        QCOMPARE(namesOf(eval::RuleTrust().of(book)), Names());
        const eval::TrustedRules trusted = eval::RuleTrust().of(book, {.appliesDefinitions = true});
        QCOMPARE(namesOf(trusted), (Names{"turn"}));
        QCOMPARE(namesOf(trusted.untested), (Names{"turn", "enter", "leave"}));
    }

    /// Of a thread only the rules that it uses are tested.
    void othersAreNotTested() {
        const Fixture f;
        const eval::TrustedRules trusted = eval::RuleTrust().of(f.load(Rules), {.insists = true, .only = {"bad"}});
        QCOMPARE(namesOf(trusted), (Names{"bad"}));
        QCOMPARE(trusted.failed.size(), std::size_t{1});
        QCOMPARE(trusted.untested.size(), std::size_t{0});
    }

    void shippedRulesAreTrusted() {
        const Fixture f;
        const rules::RuleBook book = f.load("rule own [real-only]: Sub(a, b) => Sub(b, a)\n", ",tensor,ks-all");
        const eval::TrustedRules trusted = eval::RuleTrust().of(book);
        QCOMPARE(trusted.directions.size() + 1, book.directions().size());
        QCOMPARE(namesOf(trusted.failed), (Names{"own"}));
        QCOMPARE(trusted.passed, std::size_t{0});  // nothing else was tested
    }

    /// Verdicts are kept as long as the file is the same.
    void aChangedFileIsTestedAgain() {
        const Fixture f;
        eval::RuleTrust trust;
        const std::string wrong = "pattern Turned(a, b) = Sub(b, a)\nrule own [real-only]: Sub(a, b) => Sub(b, a)\n";
        QCOMPARE(namesOf(trust.of(f.load(wrong)).failed), (Names{"own"}));
        QCOMPARE(namesOf(trust.of(f.load(wrong)).failed), (Names{"own"}));
        const std::string right = "rule own [real-only]: Sub(a, b) => Neg(Sub(b, a))\n";
        QVERIFY(trust.of(f.load(right)).failed.empty());
        QCOMPARE(trust.of(f.load(right)).passed, std::size_t{1});
    }

    void aStopLeavesTheRestUntested() {
        const Fixture f;
        std::stop_source stop;
        stop.request_stop();
        eval::RuleTrust trust;
        const rules::RuleBook book = f.load(Rules);
        QVERIFY(trust.of(book, {}, stop.get_token()).failed.empty());
        QCOMPARE(trust.of(book).failed.size(), std::size_t{4});  // nothing of it was remembered
    }
};

MITOS_TEST(TstTrustedRules)

}  // namespace tst_trusted_rules

#include "tst_trusted_rules.moc"

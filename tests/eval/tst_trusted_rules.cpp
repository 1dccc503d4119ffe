// SPDX-License-Identifier: GPL-3.0-or-later
// Which rules a search gets: what fails its test is left out unless the user insists.
#include "core/dialects/dialects.h"
#include "core/eval/testing/trusted_rules.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>

#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <thread>

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

    std::string cache = folder.filePath(QStringLiteral("cache/mitos")).toStdString();

    /// The rules as a later process knows them without testing any.
    [[nodiscard]] eval::TrustedRules known(const rules::RuleBook& book, const std::string& below = "") const {
        std::stop_source stop;
        stop.request_stop();
        return eval::RuleTrust(cache + below).of(book, {}, stop.get_token());
    }
    /// The only file of the cache.
    [[nodiscard]] std::string cacheFile() const {
        const QFileInfoList files = QDir(QString::fromStdString(cache)).entryInfoList(QDir::Files);
        return files.size() == 1 ? files.front().filePath().toStdString() : std::string();
    }

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

    /// A stopped call tests no rule, so its verdicts are those that were kept.
    void laterProcessesKnowTheVerdicts() {
        const Fixture f;
        const rules::RuleBook book = f.load(Rules);
        QCOMPARE(namesOf(eval::RuleTrust(f.cache).of(book)), (Names{"good"}));
        const eval::TrustedRules kept = f.known(book);
        QCOMPARE(namesOf(kept), (Names{"good"}));
        QCOMPARE(kept.passed, std::size_t{1});
        QCOMPARE(kept.messages(), eval::RuleTrust().of(book).messages());
        QVERIFY(f.known(book, "another folder").messages() != kept.messages());
    }

    void onlyChangedRulesAreTestedAgain() {
        const Fixture f;
        const std::string text =
            "class Sums = Add, Sub\n"
            "pattern Twice(a) = Add(a, a)\npattern Zero(a) = Sub(a, a)\n"
            "rule first [real-only]: Add(a, b) => Add(b, a)\n"
            "rule second [real-only]: Twice(a) => Sub(a, Neg(a))\n"
            "rule third [real-only]: F(a, b) => Neg(Neg(F(a, b))) where F : Sums\n";
        const auto changed = [&text](const std::string& from, const std::string& to) {
            std::string result = text;
            return result.replace(result.find(from), from.size(), to);
        };
        const auto openWith = [&f](const std::string& rules) { return namesOf(f.known(f.load(rules)).untested); };
        const rules::RuleBook book = f.load(text);
        QCOMPARE(eval::RuleTrust(f.cache).of(book).passed, book.directions().size());
        QCOMPARE(openWith(text), Names());
        QCOMPARE(openWith("# A comment.\n" + text), Names());
        QCOMPARE(openWith(changed("Zero(a) = Sub(a, a)", "Zero(a) = Sub(a, Neg(Neg(a)))")), Names());
        QCOMPARE(openWith(changed("Add(b, a)", "Neg(Neg(Add(b, a)))")), (Names{"first"}));
        QCOMPARE(openWith(changed("Twice(a) = Add(a, a)", "Twice(a) = Sub(a, Neg(a))")), (Names{"second"}));
        QCOMPARE(openWith(changed("Add, Sub", "Add, Mul")), (Names{"third"}));
        QCOMPARE(openWith(changed("second [real-only]", "second [exact]")), (Names{"second"}));
    }

    /// Whatever is wrong with the file, the rules are tested, and the file is whole again.
    void aDamagedFileIsIgnored() {
        const Fixture f;
        const rules::RuleBook book = f.load(Rules);
        static_cast<void>(eval::RuleTrust(f.cache).of(book));
        const std::string file = f.cacheFile();
        const std::string whole = readSourceFile(file)->text().data();
        const auto isRefused = [&](const std::string& content) {
            if (!writeFile(file, content)) return false;
            const bool isUnknown = namesOf(f.known(book)).empty();
            const bool isRight = namesOf(eval::RuleTrust(f.cache).of(book)) == Names{"good"};
            return isUnknown && isRight && readSourceFile(file)->text() == whole;
        };
        QVERIFY(isRefused(""));
        QVERIFY(isRefused("[]"));
        QVERIFY(isRefused(whole.substr(0, whole.size() / 2)));
        QVERIFY(isRefused(std::string(100'000, '[')));
        std::string passing = whole;  // as if the wrong rule had passed
        const std::size_t failed = passing.find(",1,\"bad\"");
        QVERIFY(failed != std::string::npos);
        QVERIFY(isRefused(passing.replace(failed, 2, ",0")));
        std::string foreign = whole;
        const std::size_t build = foreign.find("\"build\":\"") + 9;
        QVERIFY(isRefused(foreign.replace(build, 1, "x")));
        QVERIFY(
            isRefused("{\"build\":\"" + whole.substr(build, whole.find('"', build) - build) + "\",\"verdicts\":[3]}"));
    }

    void aFolderThatCannotBeWrittenDoesNoHarm() {
        const Fixture f;
        const rules::RuleBook book = f.load(Rules);
        for (const std::string& folder : {f.file + "/below-a-file", std::string("/proc/mitos")}) {
            QCOMPARE(namesOf(eval::RuleTrust(folder).of(book)), (Names{"good"}));
        }
        QVERIFY(QDir().mkpath(QString::fromStdString(f.cache)));
        static_cast<void>(eval::RuleTrust(f.cache).of(book));
        const std::string file = f.cacheFile();  // a folder has its name
        QVERIFY(QFile::remove(QString::fromStdString(file)) && QDir().mkpath(QString::fromStdString(file)));
        QCOMPARE(namesOf(eval::RuleTrust(f.cache).of(book)), (Names{"good"}));
    }

    void severalProcessesAddToTheFile() {
        const Fixture f;
        const rules::RuleBook all = f.load(Rules);
        eval::RuleTrust first(f.cache);
        eval::RuleTrust second(f.cache);
        static_cast<void>(first.of(all, {.only = {"half"}}));
        static_cast<void>(second.of(all, {.only = {"good"}}));
        static_cast<void>(first.of(all, {.only = {"bad"}}));
        QCOMPARE(namesOf(f.known(all).failed), (Names{"bad", "half", "half~"}));
        QCOMPARE(namesOf(f.known(all)), (Names{"good"}));

        const Fixture other;
        std::vector<std::jthread> threads;
        for (const char* const name : {"good", "bad", "half", "several"}) {
            threads.emplace_back([&other, &all, name] {
                for (int i = 0; i < 5; ++i) static_cast<void>(eval::RuleTrust(other.cache).of(all, {.only = {name}}));
            });
        }
        threads.clear();
        QCOMPARE(namesOf(eval::RuleTrust(other.cache).of(all).failed), (Names{"bad", "half", "half~", "several"}));
        QCOMPARE(namesOf(other.known(all)), (Names{"good"}));
    }

    void filesOfManyBuildsAreRemoved() {
        const Fixture f;
        QVERIFY(QDir().mkpath(QString::fromStdString(f.cache)));
        for (int i = 0; i < 20; ++i) QVERIFY(writeFile(fmt::format("{}/rule-verdicts-{}.json", f.cache, i), "{}"));
        static_cast<void>(eval::RuleTrust(f.cache).of(f.load(Rules)));
        QCOMPARE(QDir(QString::fromStdString(f.cache)).entryList(QDir::Files).size(), 8);
        QCOMPARE(namesOf(f.known(f.load(Rules))), (Names{"good"}));
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

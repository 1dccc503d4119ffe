// SPDX-License-Identifier: GPL-3.0-or-later
// Settings that are refused, checkpoints, and what is refused as one.
#include "core/base/result.h"
#include "core/random_keys/search.h"
#include "tests/random_keys/toy_decoders.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <string>

namespace tst_random_keys_state {

using namespace Qt::StringLiterals;
using namespace mitos::random_keys;
using mitos::Result;

namespace {

/// A search that ended within a generation.
State sample() {
    const Settings settings{.seed = 3,
                            .population = 6,
                            .elites = 2,
                            .mutants = 1,
                            .islands = 2,
                            .mutantKeys = {{{0.5, 0.5}, {2.0, 1.0}}, {0, 1, 1}}};
    Result<State> state = start(settings, 3);
    if (!state) qFatal("%s", state.error().message.c_str());
    mitos::tests::Distances decoder;
    run(*state, decoder, {.evaluations = 33});
    return *std::move(state);
}

/// The text with the first occurrence of a part replaced.
std::string with(std::string text, const std::string& part, const std::string& replacement) {
    const std::size_t at = text.find(part);
    if (at == std::string::npos) qFatal("no %s", part.c_str());
    return text.replace(at, part.size(), replacement);
}

}  // namespace

class TestRandomKeysState : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void refusesSettings_data() {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("message");
        QTest::newRow("genes") << u"genes"_s << u"a search over 0 keys is not possible"_s;
        QTest::newRow("islands") << u"islands"_s << u"the number of islands must be between 1 and 65536, not 0"_s;
        QTest::newRow("population") << u"population"_s
                                    << u"a population must have between 2 and 1048576 individuals, not 1"_s;
        QTest::newRow("elites") << u"elites"_s << u"there must be between 1 and 99 elites, not 100"_s;
        QTest::newRow("mutants") << u"mutants"_s << u"20 elites and 81 mutants are more than the population of 100"_s;
        QTest::newRow("inheritance") << u"inheritance"_s
                                     << u"the probabilities of inheritance and shaking must be between 0 and 1"_s;
        QTest::newRow("by gene") << u"by gene"_s << u"there are 9 probabilities of inheritance for 10 genes"_s;
        QTest::newRow("of a gene") << u"of a gene"_s
                                   << u"the probability of inheritance of each gene must be between 0 and 1"_s;
        QTest::newRow("size") << u"size"_s << u"65536 populations of 1048576 individuals with 10 keys are too large"_s;
        QTest::newRow("distribution") << u"distribution"_s << u"there are 2 distributions of mutants for 10 genes"_s;
        QTest::newRow("shape") << u"shape"_s << u"Beta(0, 1) cannot be used"_s;
        QTest::newRow("number") << u"number"_s << u"a gene has distribution 3 of 1"_s;
    }
    void refusesSettings() {
        QFETCH(const QString, what);
        QFETCH(const QString, message);
        Settings settings;
        std::size_t genes = 10;
        if (what == u"genes") genes = 0;
        if (what == u"islands") settings.islands = 0;
        if (what == u"population") settings.population = 1;
        if (what == u"elites") settings.elites = 100;
        if (what == u"mutants") settings.mutants = 81;
        if (what == u"inheritance") settings.inheritance = std::numeric_limits<double>::quiet_NaN();
        if (what == u"by gene") settings.inheritanceOfGene.assign(9, 0.5);
        if (what == u"of a gene") settings.inheritanceOfGene = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1.5};
        if (what == u"size") settings.islands = 65'536, settings.population = 1'048'576;
        if (what == u"distribution") settings.mutantKeys = {{{1.0, 1.0}}, {0, 0}};
        if (what == u"shape") settings.mutantKeys = {{{0.0, 1.0}}, std::vector<std::uint16_t>(10)};
        if (what == u"number") settings.mutantKeys = {{{1.0, 1.0}}, std::vector<std::uint16_t>(10, 3)};
        const Result<State> state = start(settings, genes);
        QVERIFY(!state.ok());
        QCOMPARE(QString::fromStdString(state.error().message), message);
    }

    void refusesGivenIndividuals() {
        const std::vector<std::vector<float>> tooShort{{0.5F}};
        const std::vector<std::vector<float>> tooLarge{{0.5F, 1.5F}};
        const std::vector<std::vector<float>> tooMany(101, {0.5F, 0.5F});
        for (const auto& given : {tooShort, tooLarge, tooMany}) QVERIFY(!start({}, 2, given).ok());
    }

    void checkpointsKeepEverything() {
        const State state = sample();
        const Result<State> read = readState(toJson(state));
        QVERIFY2(read.ok(), read.ok() ? "" : read.error().message.c_str());
        QVERIFY(*read == state);
        // Infinite fitness before the first evaluation, too.
        const Result<State> fresh = start({}, 2);
        QVERIFY(*readState(toJson(*fresh)) == *fresh);
    }

    void aSearchContinuesFromACheckpoint() {
        State state = sample();
        Result<State> read = readState(toJson(state));
        mitos::tests::Distances decoder;
        run(state, decoder, {.evaluations = 200});
        run(*read, decoder, {.evaluations = 200});
        QVERIFY(*read == state);
    }

    /// Searches without them have checkpoints that older programs read, and theirs are read here.
    void newSettingsAreVersionTwo() {
        State state = sample();
        QVERIFY(toJson(state).find("\"version\":1") != std::string::npos);
        QVERIFY(toJson(state).find("inheritance_of_gene") == std::string::npos);
        State relinked = state;
        relinked.settings.relinkEvery = 4;
        QVERIFY(toJson(relinked).find("\"version\":2") != std::string::npos);
        QVERIFY(*readState(toJson(relinked)) == relinked);
        state.settings.inheritanceOfGene = {0.25, 0.5, 1.0};
        const std::string text = toJson(state);
        QVERIFY(text.find("\"version\":2") != std::string::npos);
        Result<State> read = readState(text);
        QVERIFY2(read.ok(), read.ok() ? "" : read.error().message.c_str());
        QVERIFY(*read == state);
        mitos::tests::Distances decoder;
        run(state, decoder, {.evaluations = 200});
        run(*read, decoder, {.evaluations = 200});
        QVERIFY(*read == state);
        QVERIFY(!readState(with(text, "\"inheritance_of_gene\":[0.25,", "\"inheritance_of_gene\":[1.25,")).ok());
        QVERIFY(!readState(with(text, "\"inheritance_of_gene\":[0.25,", "\"inheritance_of_gene\":[")).ok());
        const Result<State> later = readState(with(text, "\"version\":2", "\"version\":3"));
        QVERIFY(!later.ok());
        QCOMPARE(later.error().message, std::string("the checkpoint was written by another version"));
    }

    void refusesOtherText_data() {
        QTest::addColumn<QString>("text");
        const std::string good = toJson(sample());
        const auto row = [](const char* name, const std::string& text) {
            QTest::newRow(name) << QString::fromStdString(text);
        };
        row("empty", "");
        row("a list", "[]");
        row("half", good.substr(0, good.size() / 2));
        row("another format", with(good, "mitos-random-keys", "something"));
        row("a later version", with(good, "\"version\":1", "\"version\":2"));
        row("no islands", with(good, "\"islands\":[", "\"isles\":["));
        row("more genes", with(good, "\"genes\":3", "\"genes\":4"));
        row("huge", with(good, "\"population\":6", "\"population\":1048576"));
        row("evaluated too many", with(good, "\"evaluated\":", "\"evaluated\":1"));
        row("negative", with(good, "\"generation\":", "\"generation\":-"));
        row("words for numbers", with(good, "\"evaluations\":33", "\"evaluations\":\"many\""));
        row("without a best", with(good, "\"evaluations\":33", "\"evaluations\":0"));
        row("key", with(good, "\"keys\":[", "\"keys\":[7,"));
    }
    void refusesOtherText() {
        QFETCH(const QString, text);
        const Result<State> read = readState(text.toStdString());
        QVERIFY(!read.ok());
        QVERIFY(!read.error().message.empty());
        QVERIFY(!read.error().hint.empty());
    }
};

MITOS_TEST(TestRandomKeysState)

}  // namespace tst_random_keys_state

#include "tst_random_keys_state.moc"

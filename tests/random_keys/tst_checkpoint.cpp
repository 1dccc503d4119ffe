// SPDX-License-Identifier: GPL-3.0-or-later
// Checkpoints in files: searches go on from them, and nothing else is taken for one.
#include "core/base/result.h"
#include "core/random_keys/checkpoint.h"
#include "tests/random_keys/thread_team.h"
#include "tests/random_keys/toy_decoders.h"
#include "tests/support/test_program.h"

#include <sys/resource.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <csignal>
#include <unistd.h>
#include <vector>

namespace tst_checkpoint {

using namespace Qt::StringLiterals;
using namespace mitos::random_keys;
using mitos::Result;
using mitos::tests::Distances;
using mitos::tests::runInTeam;

namespace {

const Settings Usual{.seed = 4, .population = 12, .elites = 3, .mutants = 2, .islands = 3, .exchangeEvery = 4};
const SearchIdentity Identity{{"the graph", "a"}, {"the machine", "b"}};

State fresh(const Settings& settings = Usual, std::size_t genes = 7) {
    Result<State> state = start(settings, genes);
    if (!state) qFatal("%s", state.error().message.c_str());
    return *std::move(state);
}

}  // namespace

class TestCheckpoint : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    std::string path(const QString& name) const { return m_folder.filePath(name).toStdString(); }
    static QByteArray read(const std::string& name) {
        QFile file(QString::fromStdString(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    static void write(const std::string& name, const QByteArray& content) {
        QFile file(QString::fromStdString(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()) qFatal("cannot write");
    }
    /// A checkpoint after 100 evaluations, in the middle of a generation.
    std::string saved(const QString& name) const {
        State state = fresh();
        Distances decoder;
        run(state, decoder, {.evaluations = 100});
        const Checkpoint checkpoint(path(name), Identity);
        if (!checkpoint.save(state)) qFatal("cannot save");
        return path(name);
    }

private Q_SLOTS:
    void beginsWithoutAFile() {
        const Checkpoint checkpoint(path(u"nothing"_s), Identity);
        const Result<State> state = continued(checkpoint, fresh(), nullptr);
        QVERIFY(state.ok());
        QVERIFY(*state == fresh());
    }

    void goesOnAsWithoutAPause() {
        Distances decoder;
        State expected = fresh();
        run(expected, decoder, {.evaluations = 1'000});
        const Checkpoint checkpoint(path(u"steps"_s), Identity);
        // Each part begins with the file alone. Budgets end within generations.
        for (std::uint64_t budget = 100; budget <= 1'000; budget += 100) {
            Result<State> state = continued(checkpoint, fresh(), nullptr);
            QVERIFY(state.ok());
            run(*state, decoder, {.evaluations = budget});
            QVERIFY(checkpoint.save(*state).ok());
        }
        QVERIFY(*continued(checkpoint, fresh(), nullptr) == expected);
    }

    void allRanksGoOnFromTheFileOfTheFirst() {
        const std::string file = saved(u"team"_s);
        Distances decoder;
        State expected = fresh();
        run(expected, decoder, {.evaluations = 600});
        std::vector<int> equal(3);
        runInTeam(3, [&](Team& team) {
            // The others do not see the file.
            const Checkpoint checkpoint(team.isFirst() ? file : path(u"elsewhere"_s), Identity);
            Result<State> state = continued(checkpoint, fresh(), &team);
            if (!state || !runWith(*state, decoder, {.evaluations = 600}, {}, {.team = &team})) return;
            equal[team.rank()] = *state == expected ? 1 : 0;
        });
        QCOMPARE(equal, std::vector<int>(3, 1));
    }

    void refusesOtherFiles_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("message");
        const QByteArray good = read(saved(u"good"_s));
        const auto row = [](const char* name, const QByteArray& content, const QString& message) {
            QTest::newRow(name) << content << message;
        };
        const auto with = [&good](const char* part, const char* replacement) {
            if (!good.contains(part)) qFatal("no %s", part);
            return QByteArray(good).replace(part, replacement);
        };
        const QString noCheckpoint = u"is not the checkpoint of a search"_s;
        const QString damaged = u"is damaged"_s;
        row("empty", "", noCheckpoint);
        row("text", "graph f(x: f32[2])\n return x\n", noCheckpoint);
        row("a list", "[]\n", noCheckpoint);
        row("deep", QByteArray(100'000, '[') + "\n", noCheckpoint);
        row("another format", "{\"format\": \"other\"}\n{}", noCheckpoint);
        row("half of the first line", good.left(20), noCheckpoint);
        row("truncated", good.left(good.size() / 2), damaged);
        row("without its last byte", good.left(good.size() - 1), damaged);
        row("more", good + "}", damaged);
        row("one digit", with("\"evaluations\":100", "\"evaluations\":101"), damaged);
        row("a newer version", QByteArray(good).replace(good.indexOf("\"version\":1"), 11, "\"version\":2"),
            u"is a checkpoint of a newer version of Mitos"_s);
        row("no version", QByteArray(good).replace(good.indexOf("\"version\":1"), 11, "\"person\":1"),
            u"is a checkpoint of another version of Mitos"_s);
    }
    void refusesOtherFiles() {
        QFETCH(const QByteArray, content);
        QFETCH(const QString, message);
        const std::string file = path(u"other"_s);
        write(file, content);
        const Result<State> state = continued(Checkpoint(file, Identity), fresh(), nullptr);
        QVERIFY(!state.ok());
        QVERIFY2(state.error().message.find(message.toStdString()) != std::string::npos, state.error().message.c_str());
        QVERIFY(state.error().message.starts_with(file));
        QVERIFY(!state.error().hint.empty());
        QCOMPARE(read(file), content);
    }

    void refusesOtherSearches() {
        const std::string file = saved(u"others"_s);
        const auto messageOf = [&](const SearchIdentity& identity, const State& state) {
            const Result<State> found = continued(Checkpoint(file, identity), state, nullptr);
            return found ? std::string() : found.error().message.substr(file.size() + 2);
        };
        QCOMPARE(messageOf(Identity, fresh()), std::string());
        QCOMPARE(messageOf({{"the graph", "c"}, {"the machine", "b"}}, fresh()),
                 std::string("is the checkpoint of another search: it differs in the graph"));
        QCOMPARE(messageOf({{"the graph", "c"}, {"the machine", "d"}}, fresh()),
                 std::string("is the checkpoint of another search: it differs in the graph and the machine"));
        Settings settings = Usual;
        settings.seed = 5;
        QCOMPARE(messageOf(Identity, fresh(settings)),
                 std::string("is the checkpoint of a search with other settings: seed 4 instead of 5"));
        settings = Usual;
        settings.inheritance = 0.5;
        QCOMPARE(messageOf(Identity, fresh(settings)),
                 std::string("is the checkpoint of a search with other settings: inheritance 0.7 instead of 0.5"));
        settings = Usual;
        settings.mutantKeys = {{{1.0, 1.0}}, std::vector<std::uint16_t>(7)};
        QCOMPARE(messageOf(Identity, fresh(settings)),
                 std::string("is the checkpoint of a search with other settings: other distributions of mutants"));
        settings = Usual;
        settings.relinkEvery = 10;
        QCOMPARE(
            messageOf(Identity, fresh(settings)),
            std::string("is the checkpoint of a search with other settings: relink after generations 0 instead of 10"));
        settings = Usual;
        settings.inheritanceOfGene.assign(7, 0.7);
        QCOMPARE(messageOf(Identity, fresh(settings)),
                 std::string(
                     "is the checkpoint of a search with other settings: other probabilities of inheritance of genes"));
        QCOMPARE(messageOf(Identity, fresh(Usual, 8)),
                 std::string("is the checkpoint of a search with other settings: genes 7 instead of 8"));
        // The size of batches is not a property of the search.
        settings = Usual;
        settings.batch = 5;
        const Result<State> state = continued(Checkpoint(file, Identity), fresh(settings), nullptr);
        QVERIFY(state.ok());
        QCOMPARE(state->settings.batch, 5U);
    }

    void refusesWhatIsNotAFile() {
        QVERIFY(!Checkpoint(m_folder.path().toStdString(), Identity).read().ok());
        QVERIFY(!Checkpoint("-", Identity).read().ok());
        QVERIFY(!Checkpoint("/dev/zero", Identity).read().ok());
        const Result<mitos::Success> status = Checkpoint("/nowhere/c", Identity).save(fresh());
        QVERIFY(!status.ok());
        QVERIFY(status.error().message.find("/nowhere/c: cannot be written") == 0);
    }

    void aFullDiskLeavesTheOldState() {
        const std::string file = saved(u"full"_s);
        const QByteArray before = read(file);
        // No file of this process may be longer than some bytes, so that it cannot be written completely.
        struct ::rlimit old {};
        QCOMPARE(::getrlimit(RLIMIT_FSIZE, &old), 0);
        const auto action = std::signal(SIGXFSZ, SIG_IGN);
        const struct ::rlimit small { .rlim_cur = 500, .rlim_max = old.rlim_max };
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &small), 0);
        Checkpoint checkpoint(file, Identity);
        const mitos::Status status = checkpoint.save(fresh());
        checkpoint.keep(fresh());
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &old), 0);
        std::signal(SIGXFSZ, action);
        QVERIFY(!status.ok());
        QVERIFY2(status.error().message.find("could not be written completely") != std::string::npos,
                 status.error().message.c_str());
        QCOMPARE(read(file), before);
        QCOMPARE(QDir(m_folder.path()).entryList({u".*.part"_s}, QDir::Files | QDir::Hidden).size(), 0);
        QVERIFY(continued(checkpoint, fresh(), nullptr).ok());
    }

    void aReadOnlyFolderIsReported() {
        if (::geteuid() == 0) QSKIP("root may write everywhere");
        const std::string file = saved(u"readonly"_s);
        QVERIFY(QFile::setPermissions(m_folder.path(), QFile::ReadOwner | QFile::ExeOwner));
        const mitos::Status status = Checkpoint(file, Identity).save(fresh());
        QVERIFY(QFile::setPermissions(m_folder.path(), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        QVERIFY(!status.ok());
        QVERIFY(status.error().message.find("cannot be written") != std::string::npos);
    }

    void isNotDueAtOnce() {
        Checkpoint checkpoint(path(u"due"_s), Identity);
        QVERIFY(!checkpoint.isDue());
        checkpoint.keep(fresh());
        QVERIFY(!checkpoint.isDue());
        QVERIFY(continued(checkpoint, fresh(), nullptr).ok());
    }
};

MITOS_TEST(TestCheckpoint)

}  // namespace tst_checkpoint

#include "tst_checkpoint.moc"

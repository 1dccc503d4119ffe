// SPDX-License-Identifier: GPL-3.0-or-later
// Sessions whose file other processes and windows use as well, or whose disk is full: nothing that was stored is lost.
#include "tests/storage/scratch.h"
#include "tests/support/test_program.h"

#include <sys/mount.h>
#include <sys/resource.h>

#include <QDir>
#include <QFile>
#include <QObject>
#include <QProcess>
#include <QScopeGuard>
#include <array>
#include <atomic>
#include <csignal>
#include <optional>
#include <thread>
#include <vector>

namespace tst_session_sharing {

using namespace mitos;
using namespace mitos::storage;
using namespace mitos::storage::test;

class TestSessionSharing : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void losesAtMostTheLastBatchWhenKilled();
    void leavesRunsOfLivingProcessesAlone();
    void twoProcessesWriteOneFile();
    void openingKeepsTheLocksOfTheProcess();
    void oneSessionGoesOnWithAHistory();
    void aSmallDiskFillsUp();
    void survivesAFullDisk();
    void waitsForOtherWriters();
};

void TestSessionSharing::losesAtMostTheLastBatchWhenKilled() {
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    WaitingChild child([&path](const auto& waitForTheEnd) {
        Session session = *Session::open(path);
        const RunId run = *session.beginRun(aRun(someProgram(session)));
        RunWriter writer(session, run, nullptr, 0.5);
        for (int i = 1; i <= 1007; ++i) writer.onEvent(progress(i * 0.1, static_cast<std::uint64_t>(i)));
        waitForTheEnd();
    });
    QVERIFY(child.isReady());
    child.kill();

    Result<Session> session = Session::open(path);
    QVERIFY2(session.ok(), messageOf(session).c_str());
    QCOMPARE(session->report().interruptedRuns, 1);
    const Run run = session->runs()->front();
    QCOMPARE(run.state, search::RunState::Interrupted);
    const std::vector<search::SearchEvent> events = *session->events(run.id);
    QVERIFY2(events.size() >= 1002 && events.size() <= 1007, std::to_string(events.size()).c_str());
    for (std::size_t i = 0; i < events.size(); ++i) QCOMPARE(events[i].evaluations, i + 1);
    QCOMPARE(Session::open(path)->report().interruptedRuns, 0);  // said once
}

void TestSessionSharing::leavesRunsOfLivingProcessesAlone() {
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    WaitingChild child([&path](const auto& waitForTheEnd) {
        Session session = *Session::open(path);
        if (!session.beginRun(aRun(someProgram(session)))) return;
        waitForTheEnd();
    });
    QVERIFY(child.isReady());
    Result<Session> session = Session::open(path);
    QCOMPARE(session->report().interruptedRuns, 0);
    QCOMPARE(session->runs()->front().state, search::RunState::Running);
    QVERIFY(session->beginRun(aRun(ProgramId(1))).ok());
    child.kill();
    const Result<Session> again = Session::open(path);  // this process lives
    QCOMPARE(again->report().interruptedRuns, 1);
    QCOMPARE(session->runs()->front().state, search::RunState::Interrupted);
    QCOMPARE(session->runs()->back().state, search::RunState::Running);
}

void TestSessionSharing::twoProcessesWriteOneFile() {
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    constexpr int Writers = 3;
    constexpr int Batches = 40;
    std::array<pid_t, Writers> children{};
    for (pid_t& child : children) {
        child = fork();
        if (child == 0) {
            Result<Session> session = Session::open(path);  // they race to create it, too
            if (!session) _exit(1);
            const Result<RunId> run = session->beginRun(aRun(someProgram(*session)));
            if (!run) _exit(2);
            for (int i = 0; i < Batches; ++i) {
                if (!session->appendEvents(*run, {progress(i, 1), progress(i, 2)})) _exit(3);
            }
            _exit(session->finishRun(session->runs()->at(run->value - 1)) ? 0 : 4);
        }
    }
    for (const pid_t child : children) {
        int status = 0;
        waitpid(child, &status, 0);
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 0);
    }
    Result<Session> session = Session::open(path);
    const std::vector<Run> runs = *session->runs();
    QCOMPARE(runs.size(), std::size_t{Writers});
    for (const Run& run : runs) {
        QCOMPARE(session->events(run.id)->size(), std::size_t{2 * Batches});
    }
}

/// Opening a session reads its first bytes; that must not drop the locks that other connections of the process hold
/// (as closing any descriptor of the file does): the next process would take itself for the last one and throw the log
/// away, with all that is written to it from then on.
void TestSessionSharing::openingKeepsTheLocksOfTheProcess() {
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    Result<Session> session = Session::open(path);
    const ProgramId program = someProgram(*session);
    QVERIFY(looksLikeSession(path));
    QVERIFY(Session::open(path).ok());
    // A process of its own: one that is forked would inherit what SQLite knows about its locks.
    QCOMPARE(QProcess::execute(QStringLiteral(MITOS_BINARY_DIR "/tests/storage/session_writer"),
                               {QString::fromStdString(path), QStringLiteral("yes")}),
             0);
    QCOMPARE(session->value("seen")->value_or("lost"), std::string("yes"));
    QVERIFY(session->setValue("after", "kept").ok());
    Result<Session> third = Session::open(path);
    QVERIFY2(third.ok(), messageOf(third).c_str());
    QCOMPARE(third->value("after")->value_or("lost"), std::string("kept"));
    QCOMPARE(third->programs()->back().id, program);
}

void TestSessionSharing::oneSessionGoesOnWithAHistory() {
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    std::optional<Session> first = *Session::open(path);
    const ProgramId program = someProgram(*first);  // takes it
    Session second = *Session::open(path);
    const Status refused = second.claimHistory(program);
    QVERIFY(!refused.ok());
    QCOMPARE(refused.error().code, ErrorCode::Io);
    QCOMPARE(refused.error().message,
             path + " is open in another Mitos window (process " + std::to_string(getpid()) + ")");
    QVERIFY(!refused.error().hint.empty());
    QVERIFY(first->claimHistory(program).ok());
    QVERIFY(second.beginRun(aRun(program)).ok());  // searches of the first one record like that

    const std::string copy = scratch.path("copy.mitos");
    QVERIFY(first->copyTo(copy).ok());
    QVERIFY(Session::open(copy)->claimHistory(program).ok());  // no process has claimed the copy
    first.reset();
    QVERIFY(second.claimHistory(program).ok());

    // A process that was killed has nothing any more.
    const std::string orphan = scratch.path("orphan.mitos");
    WaitingChild child([&orphan](const auto& waitForTheEnd) {
        Session session = *Session::open(orphan);
        if (someProgram(session).isValid()) waitForTheEnd();
    });
    QVERIFY(child.isReady());
    QVERIFY(!Session::open(orphan)->claimHistory(ProgramId(1)).ok());
    child.kill();
    QVERIFY(Session::open(orphan)->claimHistory(ProgramId(1)).ok());
}

/// A real small disk, where this may be mounted (by the superuser); elsewhere only the next test stands for it.
void TestSessionSharing::aSmallDiskFillsUp() {
    const Scratch scratch;
    const std::string folder = scratch.folder();
    if (mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=900k") != 0) QSKIP("a small disk cannot be mounted here");
    const auto unmount = qScopeGuard([&] { umount2(folder.c_str(), MNT_DETACH); });
    const auto fill = [](const std::string& name, qsizetype most) {
        QFile file(QString::fromStdString(name));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Unbuffered));
        const QByteArray block(4096, 'f');
        while (file.size() < most && file.write(block) == block.size()) {
        }
    };
    const std::string ballast = scratch.path("ballast");
    const std::string filler = scratch.path("filler");
    fill(ballast, 300'000);
    const std::string path = scratch.path("a.mitos");
    int kept = 0;
    Status full = Success{};
    {
        Result<Session> session = Session::open(path);
        QVERIFY2(session.ok(), messageOf(session).c_str());
        for (; full && kept < 1000; ++kept) {
            if (const auto added = session->addProgram("p", "", std::string(2000, 'x')); !added) full = added.error();
        }
        --kept;  // the one that did not fit
        QVERIFY(kept > 5 && kept < 999);
        QCOMPARE(full.error().message, path + " cannot be written: the disk is full");
        QCOMPARE(session->programs()->size(), static_cast<std::size_t>(kept));
        QVERIFY(!session->copyTo(scratch.path("copy.mitos")).ok());
    }
    QCOMPARE(QDir(QString::fromStdString(folder)).entryList(QDir::Files).filter(QStringLiteral("copy")).size(), 0);
    // To the last byte: not even the log's companion files have room.
    fill(filler, 10'000'000);
    {
        Result<Session> session = Session::open(path);
        QVERIFY2(session.ok(), messageOf(session).c_str());
        QCOMPARE(session->programs()->size(), static_cast<std::size_t>(kept));
        const auto refused = session->addProgram("p", "", "x");
        QVERIFY(!refused.ok());
        QCOMPARE(refused.error().code, ErrorCode::Io);
    }
    QVERIFY(QFile::remove(QString::fromStdString(filler)) && QFile::remove(QString::fromStdString(ballast)));
    Result<Session> session = Session::open(path);
    QVERIFY2(session.ok(), messageOf(session).c_str());
    QVERIFY(!session->report().readOnly);
    QCOMPARE(session->programs()->size(), static_cast<std::size_t>(kept));
    QVERIFY(session->setValue("room", "again").ok());
}

/// A limit on the size of files stands for a disk that is full and has room again later.
void TestSessionSharing::survivesAFullDisk() {
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    Result<Session> session = Session::open(path);
    const ProgramId program = someProgram(*session);
    const RunId run = *session->beginRun(aRun(program));
    RunWriter writer(*session, run, nullptr, 0.5);
    writer.onEvent(progress(1.0, 1));

    auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit old{};
    QCOMPARE(getrlimit(RLIMIT_FSIZE, &old), 0);
    const rlimit small{static_cast<rlim_t>(256 * 1024), old.rlim_max};
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &small), 0);
    const Result<ProgramId> refused = session->addProgram("large", "", std::string(1'000'000, 'x'));
    const Status copied = session->copyTo(scratch.path("copy.mitos"));
    const rlimit none{static_cast<rlim_t>(0), old.rlim_max};
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &none), 0);
    writer.onEvent(progress(2.0, 2));
    const Status lost = writer.flush();
    const Result<Session> unborn = Session::open(scratch.path("new.mitos"));
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &old), 0);
    std::signal(SIGXFSZ, handler);

    QVERIFY(!refused.ok());
    QCOMPARE(refused.error().code, ErrorCode::Io);
    QVERIFY(copied.ok());
    QVERIFY(!lost.ok());
    QCOMPARE(lost.error().code, ErrorCode::Io);
    QVERIFY(!unborn.ok());
    QVERIFY(!QFile::exists(QString::fromStdString(scratch.path("new.mitos"))));
    QCOMPARE(session->programs()->size(), std::size_t{1});
    QCOMPARE(session->addProgram("small", "", "x")->value, 2U);  // still usable
    QVERIFY(!writer.flush().ok());                               // says that something went wrong, and writes the rest
    QCOMPARE(session->events(run)->size(), std::size_t{2});
}

void TestSessionSharing::waitsForOtherWriters() {
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    Result<Session> session = Session::open(path);
    const ProgramId program = someProgram(*session);
    // Sixteen threads with sessions of their own: each waits for the others.
    std::vector<std::thread> threads;
    std::atomic<int> failures = 0;
    for (int i = 0; i < 16; ++i) {
        threads.emplace_back([&] {
            Result<Session> mine = Session::open(path);
            if (!mine || !mine->addProgram("t", "", "x")) ++failures;
        });
    }
    for (std::thread& thread : threads) thread.join();
    QCOMPARE(failures.load(), 0);
    QCOMPARE(session->programs()->size(), std::size_t{17});
    QCOMPARE(session->programs()->front().id, program);
}

MITOS_TEST(TestSessionSharing)

}  // namespace tst_session_sharing

#include "tst_session_sharing.moc"

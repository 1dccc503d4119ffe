// SPDX-License-Identifier: GPL-3.0-or-later
// Damaged files: cut at any length, with bytes flipped anywhere. They are refused with a clear message and stay as they
// are, or, where SQLite cannot know (the bytes of a text), they open and everything in them can be read without a crash.
#include "core/base/random.h"
#include "tests/storage/scratch.h"
#include "tests/support/test_program.h"

#include <QObject>

namespace tst_session_damage {

using namespace mitos;
using namespace mitos::storage;
using namespace mitos::storage::test;

namespace {

/// A session with some of everything, about thirty pages.
void makeSession(const std::string& path) {
    Session session = *Session::open(path);
    const ProgramId program = *session.addProgram("title", "/a.ks", std::string(6000, 'x'));
    std::vector<StoredState> states(200);
    for (std::uint32_t i = 0; i < states.size(); ++i) {
        states[i].id = i;
        if (i > 0) {
            states[i].parent = i / 2;
            states[i].rule = "commute_add";
        }
        states[i].marks = {.name = "name", .note = std::string(100, 'n'), .pinned = true, .color = 3};
    }
    QVERIFY(session.addStates(program, states).ok());
    Run run = aRun(program);
    run.id = *session.beginRun(run);
    std::vector<search::SearchEvent> events;
    for (int i = 1; i <= 500; ++i) events.push_back(progress(i, static_cast<std::uint64_t>(i)));
    QVERIFY(session.appendEvents(run.id, events).ok());
    QVERIFY(session.finishRun(run).ok());
    QVERIFY(session.setValue("current-state", "7").ok());
}

/// Opens the file and reads all of it. True if it was refused; everything that fails says why.
bool isRefused(const std::string& path) {
    Result<Session> session = Session::open(path);
    const auto said = [&](const Error& error) {
        return !error.message.empty() && !error.hint.empty() && error.message.find(path) != std::string::npos;
    };
    if (!session) {
        if (!said(session.error())) qFatal("%s", session.error().render().c_str());
        return true;
    }
    const auto read = [&](const auto& result) {
        if (!result.ok() && !said(result.error())) qFatal("%s", result.error().render().c_str());
        return result.ok();
    };
    if (const auto programs = session->programs(); read(programs)) {
        for (const StoredProgram& program : *programs) read(session->states(program.id));
    }
    if (const auto runs = session->runs(); read(runs)) {
        for (const Run& run : *runs) read(session->events(run.id));
    }
    read(session->value("current-state"));
    return false;
}

}  // namespace

class TestSessionDamage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        makeSession(m_scratch.path("whole.mitos"));
        m_whole = bytesOf(m_scratch.path("whole.mitos"));
        QVERIFY(m_whole.size() > 80'000);
    }
    void filesCutAnywhereAreRefused();
    void flippedBytesDoNotCrash();
    void aDamagedLogLosesItsLastWritesOnly();

private:
    Scratch m_scratch;
    QByteArray m_whole;
};

void TestSessionDamage::filesCutAnywhereAreRefused() {
    const std::string path = m_scratch.path("cut.mitos");
    std::vector<qsizetype> lengths{1, 15, 16, 17, 68, 72, 99, 100, 101, 511, 512, 1000, 4095, 4096, 4097, 8192};
    for (qsizetype length = 9'000; length < m_whole.size(); length += 2'500) lengths.push_back(length);
    lengths.push_back(m_whole.size() - 4096);
    lengths.push_back(m_whole.size() - 1);
    for (const qsizetype length : lengths) {
        const QByteArray cut = m_whole.left(length);
        writeBytes(path, cut);
        QVERIFY2(isRefused(path), qPrintable(QString::number(length)));
        QCOMPARE(bytesOf(path), cut);
    }
}

void TestSessionDamage::flippedBytesDoNotCrash() {
    const std::string path = m_scratch.path("flipped.mitos");
    Random random(7);
    int refused = 0;
    std::vector<qsizetype> places;
    for (qsizetype place = 0; place < 100; ++place) places.push_back(place);  // the header
    while (places.size() < 300) places.push_back(static_cast<qsizetype>(random.below(m_whole.size())));
    for (const qsizetype place : places) {
        QByteArray flipped = m_whole;
        flipped[place] = static_cast<char>(flipped[place] ^ static_cast<char>(1U << random.below(8)));
        writeBytes(path, flipped);
        if (!isRefused(path)) continue;
        ++refused;
        QCOMPARE(bytesOf(path), flipped);
    }
    QVERIFY2(refused > 25, qPrintable(QString::number(refused)));  // signature, application id and version at least
    // Whole pages of nonsense.
    for (qsizetype page = 4096; page + 4096 <= m_whole.size(); page += 3 * 4096) {
        QByteArray spoiled = m_whole;
        for (qsizetype i = page; i < page + 4096; ++i) spoiled[i] = static_cast<char>(random.below(256));
        writeBytes(path, spoiled);
        QVERIFY(isRefused(path));
        QCOMPARE(bytesOf(path), spoiled);
    }
}

/// A power cut may leave half of the log's last frames: what was complete before counts.
void TestSessionDamage::aDamagedLogLosesItsLastWritesOnly() {
    const std::string path = m_scratch.path("live.mitos");
    const std::string copy = m_scratch.path("crashed.mitos");
    Session live = *Session::open(path);
    for (int i = 1; i <= 30; ++i) QVERIFY(live.setValue("count", std::to_string(i)).ok());
    const QByteArray file = bytesOf(path);
    const QByteArray log = bytesOf(path + "-wal");
    QVERIFY(log.size() > 20'000);
    int before = 0;
    for (qsizetype length = 0; length <= log.size(); length += 1'111) {
        removeSession(copy);
        writeBytes(copy, file);
        writeBytes(copy + "-wal", log.left(length));
        Result<Session> session = Session::open(copy);
        QVERIFY2(session.ok(), messageOf(session).c_str());
        const int count = std::stoi(session->value("count")->value_or("0"));
        QVERIFY(count >= before && count <= 30);
        before = count;
    }
    QVERIFY(before >= 28);
}

MITOS_TEST(TestSessionDamage)

}  // namespace tst_session_damage

#include "tst_session_damage.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// A folder for session files that goes away with the test, and small helpers of the storage tests.
#pragma once

#include "core/base/result.h"
#include "storage/session.h"

#include <sys/wait.h>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <array>
#include <csignal>
#include <functional>
#include <string>
#include <unistd.h>

namespace mitos::storage::test {

class Scratch {
public:
    [[nodiscard]] std::string path(const char* name) const {
        return m_folder.filePath(QString::fromLatin1(name)).toStdString();
    }
    [[nodiscard]] std::string folder() const { return m_folder.path().toStdString(); }

private:
    QTemporaryDir m_folder;
};

inline QByteArray bytesOf(const std::string& path) {
    QFile file(QString::fromStdString(path));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("cannot be read");
}

inline void writeBytes(const std::string& path, const QByteArray& bytes) {
    QFile file(QString::fromStdString(path));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(bytes), bytes.size());
}

template <typename T>
std::string messageOf(const Result<T>& result) {
    return result.ok() ? "no error" : result.error().message;
}

/// Runs `body` in a process of its own, as somebody who is not the superuser (whom permissions do not stop), and
/// returns its answer, 0 to 254.
inline int asOrdinaryUser(const std::function<int()>& body) {
    const pid_t child = fork();
    if (child == 0) {
        constexpr uid_t Nobody = 65534;
        if (geteuid() == 0 && (setgid(Nobody) != 0 || setuid(Nobody) != 0)) _exit(255);
        _exit(body());
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

/// A process that does something with a session and then waits to be killed (SIGKILL).
class WaitingChild {
public:
    /// `body` calls what it is given when it has done its part; that returns only if something is wrong.
    explicit WaitingChild(const std::function<void(const std::function<void()>& waitForTheEnd)>& body) {
        if (pipe(m_pipe.data()) != 0) return;
        m_child = fork();
        if (m_child == 0) {
            body([this] {
                const char ready = 'x';
                if (write(m_pipe[1], &ready, 1) == 1) pause();
            });
            _exit(0);
        }
        close(m_pipe[1]);
    }
    ~WaitingChild() {
        kill();
        close(m_pipe[0]);
    }
    WaitingChild(const WaitingChild&) = delete;
    WaitingChild& operator=(const WaitingChild&) = delete;

    /// Waits until the child has done its part; false if it ended before.
    [[nodiscard]] bool isReady() const {
        char ready = 0;
        return read(m_pipe[0], &ready, 1) == 1;
    }
    void kill() {
        if (m_child <= 0) return;
        ::kill(m_child, SIGKILL);
        waitpid(m_child, nullptr, 0);
        m_child = 0;
    }

private:
    std::array<int, 2> m_pipe{};
    pid_t m_child = 0;
};

inline ProgramId someProgram(Session& session) {
    const Result<ProgramId> program = session.addProgram("a.ks: f", "/tmp/a.ks", "(def f Float (x : Float) x)");
    return program ? *program : ProgramId();
}

inline Run aRun(ProgramId program) {
    return {{.id = {},
             .program = program,
             .startState = 2,
             .strategy = "astar",
             .parameters =
                 {{"depth", std::int64_t{10}}, {"prune", true}, {"relaxation", 1.0}, {"value", std::string("log")}},
             .rules = "ks-simple",
             .costModel = "ks-2021",
             .budget = {.evaluations = 5000, .seconds = 10.0, .states = 7, .memoryBytes = 1ULL << 40U},
             .seed = 0xFFFFFFFFFFFFFFFFULL,
             .startedAt = "2026-11-20T12:00:00Z",
             .stop = {},
             .initialCost = 7.0,
             .bestCost = 7.0,
             .threadChecked = false},
            {},
            {},
            {}};
}

inline search::SearchEvent progress(double seconds, std::uint64_t evaluations) {
    search::SearchEvent event;
    event.what = search::Progress{};
    event.seconds = seconds;
    event.evaluations = evaluations;
    return event;
}

}  // namespace mitos::storage::test

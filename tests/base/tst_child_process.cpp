// SPDX-License-Identifier: GPL-3.0-or-later
// Child processes: what a process inherits does not keep it from learning how they ended.
#include "core/base/child_process.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <csignal>

namespace tst_child_process {

using namespace mitos;

namespace {

/// Restores SIGCHLD's action when it goes out of scope.
class ChildSignal {
public:
    explicit ChildSignal(const struct sigaction& wanted) { ::sigaction(SIGCHLD, &wanted, &m_before); }
    ~ChildSignal() { ::sigaction(SIGCHLD, &m_before, nullptr); }
    ChildSignal(const ChildSignal&) = delete;
    ChildSignal& operator=(const ChildSignal&) = delete;

private:
    struct sigaction m_before {};
};

}  // namespace

class TestChildProcess : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void exitStatusesAreKnownWhereTheSignalIsIgnored_data() {
        QTest::addColumn<bool>("isIgnored");
        QTest::newRow("ignored") << true;
        QTest::newRow("children are not waited for") << false;
    }

    void exitStatusesAreKnownWhereTheSignalIsIgnored() {
        QFETCH(bool, isIgnored);
        struct sigaction wanted {};
        wanted.sa_handler = isIgnored ? SIG_IGN : SIG_DFL;
        wanted.sa_flags = isIgnored ? 0 : SA_NOCLDWAIT;
        const ChildSignal signal(wanted);
        const Result<ChildOutput> output =
            runChild({"sh", "-c", "echo one; sh -c 'exit 3'; exit $((4 + $?))"}, {.seconds = 20.0});
        QVERIFY2(output.ok(), output.ok() ? "" : output.error().message.c_str());
        QCOMPARE(output->exitStatus, 7);
        QCOMPARE(output->output, std::string("one\n"));
    }
};

MITOS_TEST(TestChildProcess)

}  // namespace tst_child_process

#include "tst_child_process.moc"

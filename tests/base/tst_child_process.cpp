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

    void linesComeOneByOne() {
        std::vector<std::string> lines;
        const Result<ChildOutput> output = runChild({"sh", "-c", "printf 'one\\ntwo\\n\\nlast'; cat"},
                                                    {.input = " and more", .seconds = 20.0, .onLine = [&](auto line) {
                                                         lines.emplace_back(line);
                                                         return Status(Success{});
                                                     }});
        QVERIFY2(output.ok(), output.ok() ? "" : output.error().message.c_str());
        QCOMPARE(lines, (std::vector<std::string>{"one", "two", ""}));
        QCOMPARE(output->output, std::string("last and more"));
    }

    /// The lines come while the program still runs, and an error ends it at once.
    void anErrorAtALineKillsTheProgram() {
        const Result<ChildOutput> output =
            runChild({"sh", "-c", "echo good; echo bad; sleep 1000"}, {.seconds = 60.0, .onLine = [](auto line) {
                                                                           if (line == "good") return Status(Success{});
                                                                           return Status(inputError("a lie", ""));
                                                                       }});
        QVERIFY(!output);
        QCOMPARE(output.error().message, std::string("a lie"));
    }

    void aProgramThatIsSilentForTooLongIsKilled() {
        int lines = 0;
        const Result<ChildOutput> output =
            runChild({"sh", "-c", "echo one; sleep 1000"}, {.seconds = 60.0,
                                                            .onLine =
                                                                [&](auto) {
                                                                    ++lines;
                                                                    return Status(Success{});
                                                                },
                                                            .silentSeconds = 0.5});
        QVERIFY(!output);
        QCOMPARE(output.error().code, ErrorCode::Limit);
        QCOMPARE(output.error().message, std::string("sh printed nothing for 0.5 s and was stopped"));
        QCOMPARE(lines, 1);
    }

    void aProgramThatDoesNotBeginIsKilledSooner() {
        const Result<ChildOutput> silent =
            runChild({"sh", "-c", "sleep 1000"},
                     {.seconds = 60.0, .onLine = [](auto) { return Status(Success{}); }, .firstLineSeconds = 0.5});
        QVERIFY(!silent);
        QCOMPARE(silent.error().message, std::string("sh printed nothing for 0.5 s and was stopped"));
        const Result<ChildOutput> begun =
            runChild({"sh", "-c", "echo one; sleep 2"},
                     {.seconds = 60.0, .onLine = [](auto) { return Status(Success{}); }, .firstLineSeconds = 1.0});
        QVERIFY(begun.ok());
    }

    void aLineWithoutEndIsRefused() {
        const Result<ChildOutput> output =
            runChild({"sh", "-c", "cat /dev/zero"},
                     {.seconds = 60.0, .maxOutput = 100'000, .onLine = [](auto) { return Status(Success{}); }});
        QVERIFY(!output);
        QCOMPARE(output.error().code, ErrorCode::Limit);
        QCOMPARE(output.error().message, std::string("sh printed a line that is longer than 100000 bytes"));
    }

    void theEnvironmentIsTheOneGiven() {
        qputenv("MITOS_TEST_VARIABLE", "inherited");
        const std::string script = "echo ${MITOS_TEST_VARIABLE-none} ${OTHER-none}";
        const Result<ChildOutput> inherited = runChild({"sh", "-c", script}, {.seconds = 20.0});
        const Result<ChildOutput> given =
            runChild({"sh", "-c", script}, {.seconds = 20.0, .environment = std::vector<std::string>{"OTHER=a b"}});
        qunsetenv("MITOS_TEST_VARIABLE");
        QCOMPARE(inherited->output, std::string("inherited none\n"));
        QCOMPARE(given->output, std::string("none a b\n"));
    }
};

MITOS_TEST(TestChildProcess)

}  // namespace tst_child_process

#include "tst_child_process.moc"

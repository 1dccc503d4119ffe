// SPDX-License-Identifier: GPL-3.0-or-later
// Files appear whole or not at all, never through what somebody else put in their way; nothing is left of what was killed.
#include "core/base/printable.h"
#include "core/base/process_identity.h"
#include "core/base/source_text.h"
#include "core/base/write_file.h"
#include "tests/support/test_program.h"

#include <sys/stat.h>
#include <sys/wait.h>

#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <unistd.h>

namespace tst_write_file {

using namespace mitos;
namespace fs = std::filesystem;

class WriteFile : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    std::string file(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)).toStdString(); }
    QStringList content() const {
        return QDir(m_folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot, QDir::Name);
    }
    static std::string read(const std::string& path) { return std::string(readSourceFile(path)->text()); }

private Q_SLOTS:
    void init() {
        for (const auto& entry : fs::directory_iterator(m_folder.path().toStdString())) fs::remove_all(entry.path());
    }

    void nothingChangesBeforeTheCommit() {
        QVERIFY(writeFile(file("a"), "old").ok());
        {
            Result<OutputFile> output = OutputFile::create(file("a"));
            QVERIFY(output.ok());
            output->stream() << "new";
            QVERIFY(output->finish().ok());
            QCOMPARE(read(file("a")), std::string("old"));
        }
        QCOMPARE(read(file("a")), std::string("old"));
        QCOMPARE(content(), QStringList{QStringLiteral("a")});
        Result<OutputFile> output = OutputFile::create(file("a"));
        output->stream() << "new";
        QVERIFY(output->commit().ok());
        QCOMPARE(read(file("a")), std::string("new"));
        QCOMPARE(content(), QStringList{QStringLiteral("a")});
    }

    void theNameOnTheWayCannotBeGuessed() {
        QStringList names;
        for (int i = 0; i < 2; ++i) {
            const Result<OutputFile> output = OutputFile::create(file("a"));
            QCOMPARE(content().size(), 1);
            names += content();
        }
        QVERIFY(names[0] != names[1]);
        // The old name is gone.
        QVERIFY(writeFile(file("precious"), "kept").ok());
        const std::string former = file("a") + "." + std::to_string(::getpid()) + ".part";
        fs::create_symlink(file("precious"), former);
        QVERIFY(writeFile(file("a"), "new").ok());
        QCOMPARE(read(file("precious")), std::string("kept"));
    }

    void sideFilesReplaceLinks() {
        QVERIFY(writeFile(file("precious"), "kept").ok());
        fs::create_symlink(file("precious"), file("model.data"));
        const auto write = [](std::ostream& out) -> Status {
            out << "weights";
            return Success{};
        };
        QVERIFY(writeFileWith(file("model.data"), write, Links::Replace).ok());
        QCOMPARE(read(file("precious")), std::string("kept"));
        QCOMPARE(read(file("model.data")), std::string("weights"));
        QVERIFY(!fs::is_symlink(file("model.data")));
    }

    void sideFilesReplacePipes() {
        QCOMPARE(::mkfifo(file("model.data").c_str(), 0600), 0);
        const auto write = [](std::ostream& out) -> Status {
            out << "weights";
            return Success{};
        };
        QVERIFY(writeFileWith(file("model.data"), write, Links::Replace).ok());
        QVERIFY(fs::is_regular_file(fs::symlink_status(file("model.data"))));
        QCOMPARE(read(file("model.data")), std::string("weights"));
    }

    void linksOfOthersInSharedFoldersAreNotFollowed() {
        if (::geteuid() != 0) return;  // only root can make a link that belongs to somebody else
        QVERIFY(writeFile(file("precious"), "kept").ok());
        fs::create_directory(file("shared"));
        QCOMPARE(::chmod(file("shared").c_str(), 01777), 0);
        fs::create_symlink(file("precious"), file("shared/out"));
        QCOMPARE(::lchown(file("shared/out").c_str(), 12345, 12345), 0);
        const Status written = writeFile(file("shared/out"), "new");
        QVERIFY(!written.ok());
        QVERIFY(written.error().message.find("is a link made by another user") != std::string::npos);
        QCOMPARE(read(file("precious")), std::string("kept"));
    }

    void permissionsStay() {
        QVERIFY(writeFile(file("a"), "old").ok());
        fs::permissions(file("a"), fs::perms(0640));
        QVERIFY(writeFile(file("a"), "new").ok());
        QVERIFY(fs::status(file("a")).permissions() == fs::perms(0640));
    }

    void longNamesHaveRoom() {
        const std::string longest(255, 'n');
        QVERIFY(writeFile(file(longest.c_str()), "x").ok());
        QCOMPARE(read(file(longest.c_str())), std::string("x"));
    }

    void fullDevicesSaySo() {
        const Status written = writeFile("/dev/full", "x");
        QVERIFY(!written.ok());
        QCOMPARE(written.error().message,
                 std::string("/dev/full: could not be written completely (No space left on device)"));
    }

    void whatAKilledProcessLeftIsRemoved() {
        const pid_t child = ::fork();
        if (child == 0) {
            const Result<OutputFile> output = OutputFile::create(file("a"));
            ::raise(SIGKILL);
        }
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY(WIFSIGNALED(status));
        QCOMPARE(content().size(), 1);
        // Files of running processes, files with similar names, and targets of links stay.
        const std::string mine = "." + temporaryName() + ".part";
        QVERIFY(writeFile(file("precious"), "kept").ok());
        std::ofstream(file(mine.c_str())) << "mine";
        std::ofstream(file(".mitos-1-2-3-4.part")) << "alike";
        fs::create_directory(file("mitos-notes"));
        QVERIFY(writeFile(file("b"), "x").ok());
        QCOMPARE(content().size(), 5);
        QVERIFY(fs::exists(file(mine.c_str())));
        QVERIFY(fs::exists(file(".mitos-1-2-3-4.part")));
        QVERIFY(fs::exists(file("mitos-notes")));
    }

    void namesTellTheirOwner() {
        QVERIFY(!isLeftBehind(temporaryName()));
        QVERIFY(!isLeftBehind("mitos-"));
        QVERIFY(!isLeftBehind("mitos-AbCdEf"));
        // The number of this process with another start time, and a process of another machine.
        std::string other = temporaryName();
        const std::size_t start = other.find('-', 6) + 1;
        other.insert(start, "9");
        QVERIFY(isLeftBehind(other));
        const std::size_t machine = other.find('-', start) + 1;
        other[machine] = other[machine] == '0' ? '1' : '0';
        QVERIFY(!isLeftBehind(other));
        other.clear();
    }

    void outputsAreFilesOfTheirOwn() {
        QVERIFY(writeFile(file("in"), "x").ok());
        fs::create_symlink(file("in"), file("link"));
        fs::create_hard_link(file("in"), file("same"));
        fs::create_directory(file("folder"));
        fs::create_directory_symlink(file("folder"), file("alias"));
        const std::string& in = file("in");
        const auto complaint = [&](const std::string& output, const std::string& thread) {
            const Status separate =
                requireSeparate({{"-o", output}, {"--thread", thread}}, {{"FILE", in}, {"--rules", ""}});
            return separate.ok() ? std::string() : separate.error().message;
        };
        QCOMPARE(complaint(file("out"), file("thread")), std::string());
        QCOMPARE(complaint("", ""), std::string());
        QCOMPARE(complaint("/dev/null", "/dev/null"), std::string());
        QCOMPARE(complaint("-", file("thread")), std::string());
        QCOMPARE(complaint(in, ""), in + ": -o would overwrite the file that is read as FILE");
        QCOMPARE(complaint(file("link"), ""),
                 file("link") + ": -o would overwrite the file that is read as FILE (" + in + ")");
        QVERIFY(complaint("", file("same")).find("would overwrite") != std::string::npos);
        QVERIFY(complaint(file("./in"), "").find("would overwrite") != std::string::npos);
        QVERIFY(complaint(file("folder/new"), file("alias/new")).find("name the same file") != std::string::npos);
        QVERIFY(complaint("-", "-").find("name the same file") != std::string::npos);
        fs::create_symlink(file("nowhere"), file("dangling"));
        QVERIFY(complaint(file("dangling"), file("nowhere")).find("name the same file") != std::string::npos);
    }

    void shownTextDoesNotSpeakToTheTerminal() {
        QCOMPARE(printable("two\nlines\tä€😀"), std::string("two\nlines\tä€😀"));
        QCOMPARE(printable("\x1b]0;title\x07"), std::string("\\u001b]0;title\\u0007"));
        const Error error{ErrorCode::Parse, "odd", SourcePlace{"a.ks", 1, 3, "\x1b[x"}, {}, {}};
        QCOMPARE(error.render(), std::string("a.ks:1:3: error: odd\n  \\u001b[x\n         ^\n"));
        QCOMPARE(printable("a\r\x7f"), std::string("a\\u000d\\u007f"));
        QCOMPARE(printable("\xc2\x9b"
                           "31m"),
                 std::string("\\u009b31m"));
        QCOMPARE(printable("\xe2\x80\xae"
                           "x"),
                 std::string("\\u202ex"));
        QCOMPARE(printable(std::string("\0\xff\xe2\x82", 4)), std::string("\\u0000\\xff\\xe2\\x82"));
    }
};

MITOS_TEST(WriteFile)

}  // namespace tst_write_file

#include "tst_write_file.moc"

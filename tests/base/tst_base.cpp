// SPDX-License-Identifier: GPL-3.0-or-later
// Results and errors, texts and files, interned strings, random numbers.
#include "core/base/chunked_vector.h"
#include "core/base/csv.h"
#include "core/base/deep_stack.h"
#include "core/base/random.h"
#include "core/base/read_file.h"
#include "core/base/readable_number.h"
#include "core/base/result.h"
#include "core/base/source_text.h"
#include "core/base/symbol_table.h"
#include "tests/support/test_program.h"

#include <sys/stat.h>

#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>
#include <array>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>
#include <utility>

namespace tst_base {

using namespace mitos;

namespace {

Result<int> positive(int value) {
    if (value > 0) return value;
    return Error{ErrorCode::InvalidInput, "not positive", std::nullopt, "take another"};
}

std::uint64_t recurse(std::uint64_t levels) {
    volatile std::uint64_t below = levels == 0 ? 0 : recurse(levels - 1);
    return below + 1;
}

}  // namespace

class TestBase : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void numbersAreShort() {
        QCOMPARE(shortText(14.0), std::string("14"));
        QCOMPARE(shortText(4.1), std::string("4.1"));
        QCOMPARE(shortText(1205.25), std::string("1,205"));
        QCOMPARE(shortText(9999.96), std::string("10 k"));
        QCOMPARE(shortText(-2'500'000.0), std::string("−2.5 M"));
        QCOMPARE(shortText(1.25e-7), std::string("1.25e-07"));
        QCOMPARE(shortText(-1.25e-7), std::string("−1.25e-07"));
        QCOMPARE(shortText(std::nan("")), std::string("unknown"));
        QCOMPARE(shortText(-HUGE_VAL), std::string("−∞"));
        QCOMPARE(amountText(10'190.0, "µs"), std::string("10.19 ms"));
        QCOMPARE(amountText(31'880.0, "units"), std::string("31.88 k units"));
        QCOMPARE(amountText(14.0, ""), std::string("14"));
    }

    void changesAreSaidInOneWay() {
        QCOMPARE(changeText(200.0, 190.0), std::string("−5.0 %"));
        QCOMPARE(changeText(100.0, 100.8), std::string("+0.8 %"));
        QCOMPARE(changeText(1e9, 1e9 - 330.0), std::string("no change"));
        QCOMPARE(changeText(7.0, 7.0), std::string("no change"));
        QCOMPARE(changeText(0.0, 0.0), std::string("no change"));
        QCOMPARE(changeText(100.0, 1100.0), std::string("+1000.0 %"));
        QCOMPARE(changeText(100.0, 1250.0), std::string("× 12.5"));
        QCOMPARE(changeText(-20.0, -10.0), std::string("+50.0 %"));
        QCOMPARE(changeText(1.0, -20.0), std::string("−21"));
        QCOMPARE(changeText(0.0, 3.0), std::string("+3"));
        QCOMPARE(changeText(0.0, std::nan("")), std::string("unknown"));
        QVERIFY(changeOf(200.0, 190.0).isCheaper());
        QVERIFY(!changeOf(200.0, 4000.0).isCheaper());
        QVERIFY(!changeOf(200.0, 200.0).isCheaper());
    }

    void chunkedVectorsGrowInPlace() {
        ChunkedVector<int> numbers;
        QCOMPARE(numbers.size(), std::size_t(0));
        QCOMPARE(numbers.bytes(), std::size_t(0));
        numbers.push_back(0);
        const int& first = numbers[0];
        const std::size_t room = numbers.bytes();
        QVERIFY(room >= sizeof(int));
        for (int i = 1; i < 5'000; ++i) numbers.push_back(i);
        QVERIFY(&first == &numbers[0]);
        for (std::size_t i = 0; i < numbers.size(); ++i) QCOMPARE(numbers[i], static_cast<int>(i));
        QCOMPARE(numbers.size(), std::size_t(5'000));
        QVERIFY(numbers.bytes() >= 5'000 * sizeof(int) && numbers.bytes() < 5'000 * sizeof(int) + room);
        numbers.change(4'999) = 7;
        QCOMPARE(numbers[4'999], 7);
    }

    void chunkedVectorsShareWhatTheyHave() {
        ChunkedVector<int> numbers;
        for (int i = 0; i < 3'000; ++i) numbers.push_back(i);
        const ChunkedVector<int> before = numbers.shared();
        const int& old = numbers[5];
        QCOMPARE(&before[5], &old);  // a full chunk
        QVERIFY(&before[2'999] != &numbers[2'999]);
        numbers.change(5) = -5;
        numbers.change(2'999) = -2'999;
        for (int i = 3'000; i < 5'000; ++i) numbers.push_back(i);
        QCOMPARE(old, 5);
        QCOMPARE(before.size(), std::size_t(3'000));
        for (std::size_t i = 0; i < before.size(); ++i) QCOMPARE(before[i], static_cast<int>(i));
        const ChunkedVector<int> after = numbers.shared();
        QCOMPARE(after[5], -5);
        QCOMPARE(after[2'999], -2'999);
        QCOMPARE(after[4'999], 4'999);
        QCOMPARE(&after[1'500], &before[1'500]);
    }

    void initTestCase() { QVERIFY(m_folder.isValid()); }

    void resultsCarryAValueOrAnError() {
        QCOMPARE(*positive(3), 3);
        QVERIFY(!positive(0).ok());
        QCOMPARE(positive(3).map([](int v) { return v * 0.5; }).value(), 1.5);
        QCOMPARE(*positive(3).andThen([](int v) { return positive(v - 2); }), 1);
        QCOMPARE(positive(3).andThen([](int v) { return positive(v - 3); }).error().message,
                 std::string("not positive"));
        QCOMPARE(positive(-1).map([](int v) { return v; }).error().hint, std::string("take another"));
    }

    void placesCountCodePointsAndQuoteTheLine() {
        const SourceText source("file.ks", "one\r\ntwö x\n\nlast");
        const SourcePlace place = source.place(source.text().find('x'));
        QCOMPARE(place.line, 2);
        QCOMPARE(place.column, 5);
        QCOMPARE(place.lineText, std::string("twö x"));
        QCOMPARE(source.place(0).lineText, std::string("one"));
        QCOMPARE(source.place(10'000).line, 4);
        QCOMPARE(source.place(10'000).column, 5);
        QCOMPARE(SourceText("e", "").place(0).line, 1);
        const SourceText wide("w", std::string(20'000, 'x'));
        QCOMPARE(wide.place(5'000).column, 5'001);
        QVERIFY(wide.place(5'000).lineText.empty());
    }

    void errorsShowTheirLineWithACaret() {
        const SourceText source("f.ks", "(add x\n     true)");
        Error error = source.error({12, 16}, "found a Bool", "write 1.0");
        QCOMPARE(error.render(),
                 std::string("f.ks:2:6: error: found a Bool\n       true)\n       ^\n  hint: write 1.0\n"));
        QCOMPARE(error.oneLine(), std::string("f.ks:2:6: found a Bool"));
        error.others.assign(30, source.error({0, 1}, "again"));
        const std::string all = error.render();
        QVERIFY(all.ends_with("… and 11 more errors\n"));
    }

    void badUtf8IsFound_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<qsizetype>("offset");
        QTest::newRow("ASCII") << QByteArray("abc") << qsizetype(-1);
        QTest::newRow("all lengths") << QByteArray("aä€😀") << qsizetype(-1);
        QTest::newRow("NUL") << QByteArray("ab\0c", 4) << qsizetype(2);
        QTest::newRow("Latin-1") << QByteArray("a\xe4z") << qsizetype(1);
        QTest::newRow("overlong") << QByteArray("\xc0\xaf") << qsizetype(0);
        QTest::newRow("overlong of three") << QByteArray("x\xe0\x80\xaf") << qsizetype(1);
        QTest::newRow("surrogate") << QByteArray("\xed\xa0\x80") << qsizetype(0);
        QTest::newRow("beyond Unicode") << QByteArray("\xf4\x90\x80\x80") << qsizetype(0);
        QTest::newRow("cut off") << QByteArray("ab\xe2\x82") << qsizetype(2);
    }
    void badUtf8IsFound() {
        QFETCH(QByteArray, text);
        QFETCH(qsizetype, offset);
        const std::size_t found = SourceText("t", text.toStdString()).firstInvalidByte();
        QCOMPARE(found, offset < 0 ? std::string::npos : static_cast<std::size_t>(offset));
    }

    void filesAreReadAndWrittenWhole() {
        const std::string path = file("a.ks");
        QVERIFY(writeFile(path, "one\ntwo").ok());
        QCOMPARE(std::string(readSourceFile(path)->text()), std::string("one\ntwo"));
        QVERIFY(writeFile(path, "\xEF\xBB\xBF(f)").ok());
        QCOMPARE(std::string(readSourceFile(path)->text()), std::string("(f)"));
        QVERIFY(writeFile(path, "").ok());
        QCOMPARE(readSourceFile(path)->text().size(), std::size_t(0));
        QCOMPARE(readSourceFile(path)->name(), path);
        const std::string large(300'000, 'x');
        QVERIFY(writeFile(path, large).ok());
        QVERIFY(readSourceFile(path)->text() == large);
        QCOMPARE(QDir(m_folder.path()).entryList({QStringLiteral("*.part")}).size(), 0);
    }

    void unreadableFilesSaySo() {
        const auto complaint = [](const Result<SourceText>& result) {
            return result ? std::string() : result.error().message;
        };
        QVERIFY(complaint(readSourceFile(file("missing.ks"))).ends_with("missing.ks: no such file"));
        QVERIFY(complaint(readSourceFile(m_folder.path().toStdString())).ends_with("is a folder, not a file"));
        QVERIFY(writeFile(file("big.ks"), std::string(2 << 20, 'x')).ok());
        QVERIFY(complaint(readSourceFile(file("big.ks"), 1U << 20U)).ends_with("is larger than 1 MiB"));
        QVERIFY(readSourceFile(file("big.ks"), 2U << 20U).ok());
        QVERIFY(writeFile(file("binary.ks"), std::string("ab\0\xff", 4)).ok());
        QVERIFY(complaint(readSourceFile(file("binary.ks")))
                    .ends_with("is not a text file: byte 0x00 at offset 2 is not UTF-8 text"));
        QCOMPARE(readSourceFile(file("missing.ks")).error().code, ErrorCode::Io);
        QVERIFY(!readSourceFile(file("missing.ks")).error().hint.empty());
    }

    void pipesAndDevicesAreNotRead() {
        const auto complaint = [](const std::string& path) {
            const Result<SourceText> read = readSourceFile(path);
            return read ? std::string(read->text()) : read.error().message;
        };
        const std::string waiting = file("waiting.rules");
        QCOMPARE(::mkfifo(waiting.c_str(), 0600), 0);
        QCOMPARE(complaint(waiting), waiting + ": is not a regular file but a pipe");
        std::filesystem::create_symlink(waiting, file("to-a-pipe.rules"));
        QCOMPARE(complaint(file("to-a-pipe.rules")), file("to-a-pipe.rules") + ": is not a regular file but a pipe");
        QCOMPARE(complaint("/dev/zero"), std::string("/dev/zero: is not a regular file but a device"));
        QVERIFY(writeFile(file("text.rules"), "text").ok());
        std::filesystem::create_symlink(file("text.rules"), file("to-a-file.rules"));
        QCOMPARE(complaint(file("to-a-file.rules")), std::string("text"));
    }

    /// A shell gives the output of another program as /dev/fd/N.
    void descriptorsOfTheProcessAreRead() {
        std::array<int, 2> ends{};
        QCOMPARE(::pipe(ends.data()), 0);
        QCOMPARE(::write(ends[1], "(f)", 3), ssize_t(3));
        ::close(ends[1]);
        const Result<SourceText> read = readSourceFile("/dev/fd/" + std::to_string(ends[0]));
        ::close(ends[0]);
        QVERIFY(read.ok());
        QCOMPARE(std::string(read->text()), std::string("(f)"));
        for (const char* const name : {"-", "/dev/stdin", "/dev/fd/3", "/proc/self/fd/0"})
            QVERIFY2(isDescriptorName(name), name);
        for (const char* const name : {"", "a.ks", "-.ks", "/dev/zero", "dev/stdin"})
            QVERIFY2(!isDescriptorName(name), name);
    }

    void cellsAreNoFormulas_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("cell");
        const auto row = [](const char* text, const char* cell) {
            QTest::newRow(text) << QByteArray(text) << QByteArray(cell);
        };
        row("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0");
        row("=A1,B1", "\"'=A1,B1\"");
        row("+1+cmd", "'+1+cmd");
        row("-x", "'-x");
        row("-1.5+cmd", "'-1.5+cmd");
        row("-", "'-");
        row("+-1", "'+-1");
        row("@SUM(A1)", "'@SUM(A1)");
        row("\t=A1", "\"'\t=A1\"");
        row("\r=A1", "\\u000d=A1");
        row("-1.5", "-1.5");
        row("+1.5", "+1.5");
        row("-2.5e-07", "-2.5e-07");
        row("-inf", "-inf");
        row("nan", "nan");
        row("a=b", "a=b");
        row("two\nlines", "two lines");
        row("a \"quoted\", text", "\"a \"\"quoted\"\", text\"");
        row("", "");
    }
    void cellsAreNoFormulas() {
        QFETCH(const QByteArray, text);
        QFETCH(const QByteArray, cell);
        QCOMPARE(csvText(text.toStdString()), cell.toStdString());
    }

    void failedWritesLeaveTheOldFile() {
        QVERIFY(!writeFile(file("no/such/folder.ks"), "x").ok());
        QVERIFY(QDir(m_folder.path()).mkdir(QStringLiteral("folder")));
        QVERIFY(!writeFile(file("folder"), "x").ok());
        QCOMPARE(QDir(m_folder.path()).entryList({QStringLiteral("*.part")}).size(), 0);
    }

    void linksAndDevicesKeepTheirPlace() {
        QVERIFY(writeFile(file("real.ks"), "old").ok());
        QVERIFY(
            QFile::link(m_folder.filePath(QStringLiteral("real.ks")), m_folder.filePath(QStringLiteral("link.ks"))));
        QVERIFY(writeFile(file("link.ks"), "new").ok());
        QVERIFY(QFileInfo(m_folder.filePath(QStringLiteral("link.ks"))).isSymLink());
        QCOMPARE(std::string(readSourceFile(file("real.ks"))->text()), std::string("new"));
        std::filesystem::permissions(file("real.ks"), std::filesystem::perms(0640));
        QVERIFY(writeFile(file("link.ks"), "newer").ok());
        QVERIFY(std::filesystem::status(file("real.ks")).permissions() == std::filesystem::perms(0640));

        const std::string pipe = file("pipe");
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
        QVERIFY(reader >= 0);
        QVERIFY(writeFile(pipe, "(f)").ok());
        std::array<char, 8> read{};
        QCOMPARE(::read(reader, read.data(), read.size()), ssize_t(3));
        QCOMPARE(std::string(read.data()), std::string("(f)"));
        ::close(reader);
        QVERIFY(std::filesystem::is_fifo(pipe));
    }

    void symbolsAreInterned() {
        SymbolTable symbols;
        const Symbol a = symbols.intern("alpha");
        const std::string_view text = symbols.text(a);
        for (int i = 0; i < 10'000; ++i) symbols.intern(std::to_string(i));
        QCOMPARE(symbols.intern("alpha"), a);
        QCOMPARE(symbols.find("alpha"), a);
        QVERIFY(!symbols.find("beta").isValid());
        QCOMPARE(text.data(), symbols.text(a).data());
        QVERIFY(!Symbol().isValid());
    }

    void randomNumbersAreTheSameEverywhere() {
        // Independent computation of splitmix64 seeded with its own finalizer.
        Random random(42);
        Random same(42);
        Random other(43);
        std::array<std::uint64_t, 4> first{};
        for (std::uint64_t& v : first) v = random.next();
        for (const std::uint64_t v : first) QCOMPARE(same.next(), v);
        QVERIFY(other.next() != first[0]);
        std::array<int, 6> dice{};
        for (int i = 0; i < 60'000; ++i) ++dice[static_cast<std::size_t>(random.integer(1, 6) - 1)];
        for (const int count : dice) QVERIFY(count > 9'500 && count < 10'500);
        for (int i = 0; i < 1'000; ++i) {
            const double u = random.uniform(-2.0, 3.0);
            QVERIFY(u >= -2.0 && u < 3.0);
            QVERIFY(random.below(7) < 7);
        }
        QVERIFY(!random.chance(0.0));
        QVERIFY(random.chance(1.0));
    }

    void deepRecursionHasRoom() {
        std::uint64_t reached = 0;
        withDeepStack(100'000, [&] { reached = recurse(100'000); });
        QCOMPARE(reached, std::uint64_t(100'001));
        withDeepStack(3, [&] { reached = recurse(3); });
        QCOMPARE(reached, std::uint64_t(4));
    }

private:
    std::string file(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)).toStdString(); }
    QTemporaryDir m_folder;
};

MITOS_TEST(TestBase)

}  // namespace tst_base

#include "tst_base.moc"

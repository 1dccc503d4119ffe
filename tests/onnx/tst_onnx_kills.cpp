// SPDX-License-Identifier: GPL-3.0-or-later
// A model that is replaced by one with its weights in a file of their own, by a process that is killed at each of the moments at which
// the folder changes: what is opened afterwards is all old or all new.
#include "tests/onnx/onnx_fixture.h"
#include "tests/support/test_program.h"

#include <sys/stat.h>
#include <sys/wait.h>

#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

namespace tst_onnx_kills {

using namespace mitos;
using namespace mitos::tests;
namespace fs = std::filesystem;

namespace {

enum class Change : std::uint8_t { Rename, Remove };

/// The change that is not made: the process is killed instead.
struct Moment {
    Change change = Change::Rename;
    int number = 0;  ///< 1: the first of the kind; 0: none
};

Moment& moment() {
    static Moment chosen;
    return chosen;
}

void reach(Change change) {
    Moment& chosen = moment();
    if (chosen.number > 0 && chosen.change == change && --chosen.number == 0) ::raise(SIGKILL);
}

}  // namespace

// Calls of the standard library find the functions of this program before those of libc.
extern "C" __attribute__((visibility("default"))) int rename(const char* from, const char* to) noexcept {
    reach(Change::Rename);
    return ::renameat(AT_FDCWD, from, AT_FDCWD, to);
}

extern "C" __attribute__((visibility("default"))) int remove(const char* path) noexcept {
    reach(Change::Remove);
    struct stat found {};
    const bool isFolder = ::lstat(path, &found) == 0 && S_ISDIR(found.st_mode);
    return ::unlinkat(AT_FDCWD, path, isFolder ? AT_REMOVEDIR : 0);
}

class TestOnnxKills : public QObject, private OnnxFixture {
    Q_OBJECT

private:
    /// The elements of all weights.
    static std::vector<std::vector<double>> weightsOf(const tensor::Model& model) {
        std::vector<std::vector<double>> all;
        for (const char* const name : {"v", "w"}) {
            const tensor::WeightData* const weight = model.weights->find(name);
            const Result<tensor::ArrayPtr> read = weight == nullptr ? tensor::ArrayPtr() : weight->read();
            all.push_back(read && *read ? (*read)->elements : std::vector<double>());
        }
        return all;
    }
    static tensor::Model randomized(tensor::Model model, std::uint64_t seed) {
        model.weights = std::make_shared<const tensor::Weights>(model.weights->randomized(seed, false));
        return model;
    }
    tensor::Model opened(const fs::path& path) {
        Result<tensor::Model> read = onnx::importFile(*m_bank, path);
        if (!read) qFatal("%s", read.error().render().c_str());
        return *std::move(read);
    }
    void replaceInPlace(const tensor::Model& model, const fs::path& path) {
        const Result<onnx::ExportReport> report = onnx::exportFile(*m_bank, model, path, {.externalData = true});
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        QVERIFY(report->dataFile);
    }

private Q_SLOTS:
    void init() { newBank(); }
    void cleanup() { moment() = {}; }

    void aKilledExportLeavesOneWholeModel_data() {
        QTest::addColumn<int>("change");
        QTest::addColumn<int>("number");
        QTest::addColumn<bool>("isNew");
        const auto row = [](const char* name, Change change, int number, bool isNew) {
            QTest::newRow(name) << static_cast<int>(change) << number << isNew;
        };
        row("before the new weights have their name", Change::Rename, 1, false);
        row("between the weights and the model", Change::Rename, 2, false);
        row("before the old weights go", Change::Remove, 1, true);
    }

    void aKilledExportLeavesOneWholeModel() {
        QFETCH(int, change);
        QFETCH(int, number);
        QFETCH(bool, isNew);
        const QTemporaryDir folder;
        const fs::path path = fs::path(folder.path().toStdString()) / "m.onnx";
        const std::string inputs = "g (float[N, 1000] x) => (float[N, 1000] y) <int64[1] s = {1000}> ";
        const std::string weights = "{ w = ConstantOfShape(s) v = ConstantOfShape(s) ";
        replaceInPlace(randomized(model(inputs + weights + "a = Add(x, w) y = Mul(a, v) }"), 7), path);
        const tensor::Model before = opened(path);
        tensor::Model after = randomized(model(inputs + weights + "a = Mul(x, v) y = Add(a, w) }"), 8);
        after.file = before.file;
        after.dataFiles = before.dataFiles;
        QCOMPARE(before.dataFiles.size(), std::size_t{1});

        const pid_t child = ::fork();
        if (child == 0) {
            moment() = {static_cast<Change>(change), number};
            const bool done = onnx::exportFile(*m_bank, after, path, {.externalData = true}).ok();
            ::_exit(done ? 0 : 1);
        }
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY2(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, qPrintable(QString::number(status)));

        const tensor::Model found = opened(path);
        QCOMPARE(programText(found), programText(isNew ? after : before));
        // Weights as they are written: in single precision.
        const fs::path other = fs::path(folder.path().toStdString()) / "other.onnx";
        replaceInPlace(isNew ? after : before, other);
        QVERIFY(weightsOf(found) == weightsOf(opened(other)));
        QCOMPARE(weightsOf(found)[0].size(), std::size_t{1000});

        // The next export takes away what was left.
        fs::remove(opened(other).dataFiles.front());
        fs::remove(other);
        replaceInPlace(after, path);
        QVERIFY(weightsOf(opened(path)) != weightsOf(before));
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden).size(), 2);
    }

    /// The weights of a model that was given another name lie where they did.
    void weightsOfARenamedModelStay() {
        const QTemporaryDir folder;
        const fs::path path = fs::path(folder.path().toStdString()) / "m.onnx";
        const fs::path renamed = fs::path(folder.path().toStdString()) / "renamed.onnx";
        replaceInPlace(
            randomized(model("g (float[N, 1000] x) => (float[N, 1000] y) <int64[1] s = {1000}> "
                             "{ v = ConstantOfShape(s) w = ConstantOfShape(s) a = Mul(x, v) y = Add(a, w) }"),
                       7),
            path);
        fs::rename(path, renamed);
        const tensor::Model read = opened(renamed);
        const auto weights = weightsOf(read);
        QVERIFY(onnx::exportFile(*m_bank, read, path).ok());  // with its weights inside
        QVERIFY(weightsOf(opened(renamed)) == weights);
    }
};

MITOS_TEST(TestOnnxKills)

}  // namespace tst_onnx_kills

#include "tst_onnx_kills.moc"

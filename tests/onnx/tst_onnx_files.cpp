// SPDX-License-Identifier: GPL-3.0-or-later
// Models of several files: many of them, ones that are no files, ones that are replaced meanwhile.
#include "tests/onnx/model_bytes.h"
#include "tests/onnx/onnx_fixture.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <QTemporaryDir>
#include <QTest>
#include <fstream>

namespace tst_onnx_files {

using namespace mitos;
using namespace mitos::tests;
namespace fs = std::filesystem;

namespace {

/// As long as it lives, a process may have that many files open.
class FewDescriptors {
public:
    explicit FewDescriptors(rlim_t most) {
        ::getrlimit(RLIMIT_NOFILE, &m_before);
        const rlimit few{.rlim_cur = most, .rlim_max = m_before.rlim_max};
        ::setrlimit(RLIMIT_NOFILE, &few);
    }
    FewDescriptors(const FewDescriptors&) = delete;
    FewDescriptors& operator=(const FewDescriptors&) = delete;
    ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &m_before); }

private:
    rlimit m_before = {};
};

}  // namespace

class TestOnnxFiles : public QObject, private OnnxFixture {
    Q_OBJECT

private:
    std::unique_ptr<QTemporaryDir> m_folder;

    [[nodiscard]] fs::path home() const { return m_folder->path().toStdString(); }
    void write(const std::string& name, const std::string& content) {
        std::ofstream(home() / name, std::ios::binary) << content;
    }
    /// y = Sum(x, weights), each weight of two numbers in a file of its own.
    void writeSum(const std::vector<std::string>& locations) {
        bytes::Graph graph{.nodes = {{.type = "Sum", .inputs = {"x"}, .outputs = {"y"}}},
                           .inputs = {bytes::value("x", bytes::Float, {"2"})},
                           .outputs = {bytes::value("y", bytes::Float, {"2"})}};
        for (std::size_t i = 0; i < locations.size(); ++i) {
            const std::string name = fmt::format("w{}", i);
            graph.nodes.front().inputs.push_back(name);
            graph.initializers.push_back(bytes::tensor(name, 2, bytes::externalElements(locations[i])));
        }
        write("m.onnx", bytes::model(graph));
    }

private Q_SLOTS:
    void init() {
        newBank();
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_folder->isValid());
    }

    void aModelMayHaveMoreFilesThanAProcessMayOpen() {
        constexpr int Count = 200;
        std::vector<std::string> names;
        for (int i = 0; i < Count; ++i) {
            names.push_back(fmt::format("{}.bin", i));
            write(names.back(), bytes::raw(std::vector<float>{1.0F, static_cast<float>(i)}));
        }
        writeSum(names);
        const FewDescriptors few(64);
        const Result<tensor::Model> read = onnx::importFile(*m_bank, home() / "m.onnx");
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        QCOMPARE(evaluated(*read, {{"x", counting({2})}})->elements, (std::vector<double>{200.0, 1 + 199 * 100.0}));
    }

    void filesThatAreReplacedOrRemovedStayAsTheyWere() {
        write("w.bin", bytes::raw(std::vector<float>{3.0F, 4.0F}));
        writeSum({"w.bin"});
        const Result<tensor::Model> read = onnx::importFile(*m_bank, home() / "m.onnx");
        QVERIFY(read);
        write("short.bin", "1");
        fs::rename(home() / "short.bin", home() / "w.bin");
        QCOMPARE(evaluated(*read, {{"x", counting({2})}})->elements, (std::vector<double>{3.0, 5.0}));
        fs::remove(home() / "w.bin");
        QCOMPARE(evaluated(*read, {{"x", counting({2})}})->elements, (std::vector<double>{3.0, 5.0}));
    }

    void whatIsNoRegularFileIsNotReadAndNotWaitedFor() {
        QCOMPARE(::mkfifo((home() / "pipe.bin").c_str(), 0600), 0);
        fs::create_directory(home() / "folder.bin");
        for (const char* const name : {"pipe.bin", "folder.bin"}) {
            writeSum({name});
            const Result<tensor::Model> read = onnx::importFile(*m_bank, home() / "m.onnx");
            QVERIFY(!read);
            QCOMPARE(read.error().message,
                     fmt::format("{}: the initializer w0: {} is not a file of weights", (home() / "m.onnx").string(),
                                 (fs::canonical(home()) / name).string()));
        }
    }

    void messagesQuoteNamesOfFilesAsText() {
        writeSum({"\x1B[31m\xFF.bin"});
        const Result<tensor::Model> read = onnx::importFile(*m_bank, home() / "m.onnx");
        QVERIFY(!read);
        QVERIFY2(read.error().message.ends_with("%1B[31m%FF.bin is missing"), read.error().message.c_str());
    }

    void copiesInOpaqueNodesAreCounted() {
        constexpr std::int64_t Numbers = 150'000'000;
        write("w.bin", {});
        fs::resize_file(home() / "w.bin", Numbers * 4);  // no space is taken
        const auto attribute = [](const char* name) {
            return bytes::tensorAttribute(name, bytes::tensor("", Numbers, bytes::externalElements("w.bin")));
        };
        // One copy would be kept; two in one node, or in two, are too much.
        const bytes::Node both{.type = "Two",
                               .inputs = {"x"},
                               .outputs = {"y"},
                               .domain = "loc",
                               .attributes = {attribute("a"), attribute("b")}};
        write("m.onnx", bytes::model({.nodes = {both},
                                      .inputs = {bytes::value("x", bytes::Float, {"2"})},
                                      .outputs = {bytes::value("y", bytes::Float, {"2"})}}));
        const Result<tensor::Model> read = onnx::importFile(*m_bank, home() / "m.onnx");
        QVERIFY(!read);
        QCOMPARE(read.error().code, ErrorCode::Limit);
        QVERIFY2(read.error().message.ends_with("the node that produces y (Two): unknown nodes hold more than "
                                                "1 GB of numbers"),
                 read.error().message.c_str());
    }

    void modelsWithoutLargeWeightsHaveNoFileBeside() {
        const tensor::Model small = model("g (float[2] x) => (float[2] y) <float[2] w = {1, 2}> { y = Add(x, w) }");
        const fs::path path = home() / "small.onnx";
        const Result<onnx::ExportReport> report = onnx::exportFile(*m_bank, small, path, {.externalData = true});
        QVERIFY(report && report->isAccepted());
        QVERIFY(!report->dataFile);
        QCOMPARE(std::distance(fs::directory_iterator(home()), fs::directory_iterator()), std::ptrdiff_t{1});
        QVERIFY(onnx::importFile(*m_bank, path));
    }

    void weightsNeverFollowALink() {
        std::string numbers = "1";
        for (int i = 1; i < 300; ++i) numbers += ", 1";
        const tensor::Model sum =
            model("g (float[300] x) => (float[300] y) <float[300] w = {" + numbers + "}> { y = Add(x, w) }");
        const fs::path path = home() / "m.onnx";
        const Result<onnx::ExportReport> before = onnx::exportFile(*m_bank, sum, path, {.externalData = true});
        QVERIFY(before && before->dataFile);
        write("precious.txt", "kept");
        fs::remove(*before->dataFile);
        fs::create_symlink(home() / "precious.txt", *before->dataFile);
        const Result<onnx::ExportReport> after = onnx::exportFile(*m_bank, sum, path, {.externalData = true});
        QVERIFY(after && after->dataFile);
        QVERIFY(*after->dataFile == *before->dataFile);
        QCOMPARE(fileBytes(home() / "precious.txt"), std::string("kept"));
        QVERIFY(!fs::is_symlink(*after->dataFile));
        QCOMPARE(fs::file_size(*after->dataFile), std::uintmax_t{1200});
        QVERIFY(onnx::importFile(*m_bank, path));
    }

    void weightsOfAnExternalModelHaveANameOfTheirOwn() {
        std::string numbers = "1";
        for (int i = 1; i < 300; ++i) numbers += ", 1";
        const auto sum = [&](const std::string& first) {
            return model("g (float[300] x) => (float[300] y) <float[300] w = {" + first + numbers.substr(1) +
                         "}> { y = Add(x, w) }");
        };
        const fs::path path = home() / "m.onnx";
        const Result<onnx::ExportReport> before = onnx::exportFile(*m_bank, sum("1"), path, {.externalData = true});
        QVERIFY(before && before->dataFile);
        fs::create_hard_link(*before->dataFile, home() / "kept");
        fs::copy_file(path, home() / "old.onnx");
        const std::string weights = fileBytes(home() / "kept");
        const Result<onnx::ExportReport> after = onnx::exportFile(*m_bank, sum("2"), path, {.externalData = true});
        QVERIFY(after && after->dataFile);
        // Until the model is replaced, the old one has its weights: they are not written over.
        QVERIFY(*after->dataFile != *before->dataFile);
        QCOMPARE(fileBytes(home() / "kept"), weights);
        fs::rename(home() / "kept", *before->dataFile);
        const Result<tensor::Model> old = onnx::importFile(*m_bank, home() / "old.onnx");
        QVERIFY(old);
        QCOMPARE((*old->weights->find("w")->read())->elements.front(), 1.0);
        // The next one takes what was left behind away.
        QVERIFY(onnx::exportFile(*m_bank, sum("3"), path, {.externalData = true}));
        int dataFiles = 0;
        for (const auto& entry : fs::directory_iterator(home()))
            dataFiles += entry.path().extension() == ".data" ? 1 : 0;
        QCOMPARE(dataFiles, 1);
        const Result<tensor::Model> now = onnx::importFile(*m_bank, path);
        QVERIFY(now);
        QCOMPARE((*now->weights->find("w")->read())->elements.front(), 3.0);
    }

    void endingsMayBeInCapitals() {
        const std::string graph =
            "<ir_version: 8, opset_import: [\"\" : 17]> g (float[2] x) => (float[2] y) { y = Relu(x) }";
        write("m.ONNXTXT", graph);
        QVERIFY(onnx::isModelFile("m.ONNXTXT") && onnx::isModelFile("m.ONNX") && !onnx::isModelFile("onnx"));
        QVERIFY(onnx::importFile(*m_bank, home() / "m.ONNXTXT"));
    }
};

MITOS_TEST(TestOnnxFiles)

}  // namespace tst_onnx_files

#include "tst_onnx_files.moc"

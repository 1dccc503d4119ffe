// SPDX-License-Identifier: GPL-3.0-or-later
// Files of models: what was written is read, and anything else says why not.
#include "core/base/result.h"
#include "search/learned/model_file.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <string>

namespace tst_model_file {

using namespace mitos;
using namespace mitos::search::learned;
using namespace Qt::StringLiterals;

namespace {

ModelFile sampleModel() {
    return {.kind = "policy",
            .description = R"({"objective":"time"})",
            .parts = {{"parameters", {1.0F, -2.5F, 0.0F}}, {"empty", {}}, {"best", {3.0F}}}};
}

QString messageOf(const std::string& bytes) {
    const auto read = readModel("m.model", bytes);
    return read ? u"was read"_s : QString::fromStdString(read.error().message);
}

}  // namespace

class TestModelFile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isReadAsWritten() {
        const auto read = readModel("m.model", toBytes(sampleModel()));
        QVERIFY2(read.ok(), read ? "" : read.error().message.c_str());
        QVERIFY(*read == sampleModel());
        QCOMPARE(read->find("best")->size(), 1U);
        QVERIFY(read->find("worst") == nullptr);
    }

    void standsInAFile() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath(u"m.model"_s).toStdString();
        QVERIFY(saveModel(path, sampleModel()).ok());
        const auto read = loadModel(path);
        QVERIFY(read.ok());
        QVERIFY(*read == sampleModel());
        QCOMPARE(loadModel(path + "x").error().code, ErrorCode::Io);
        QVERIFY(!saveModel("/no/such/folder/m.model", sampleModel()));
    }

    void refusesForeignFiles() {
        QCOMPARE(messageOf("PK\x03\x04"), u"m.model is no model"_s);
        QCOMPARE(messageOf(""), u"m.model is no model"_s);
        QCOMPARE(messageOf("mitos-model x\n"), u"m.model is no model"_s);
    }

    void refusesNewerFormats() {
        std::string bytes = toBytes(sampleModel());
        bytes.replace(bytes.find('1'), 1, "2");
        const auto read = readModel("m.model", bytes);
        QCOMPARE(read.error().code, ErrorCode::Incompatible);
        QCOMPARE(messageOf(bytes), u"m.model is a model of format 2, and this program reads format 1"_s);
    }

    /// After "mitos-model 1" and its line break, whatever is missing at the end is noticed.
    void refusesAnyBeginning() {
        const std::string bytes = toBytes(sampleModel());
        for (std::size_t length = 14; length < bytes.size(); ++length) {
            const auto read = readModel("m.model", bytes.substr(0, length));
            QVERIFY2(!read, qPrintable(QString::number(length)));
            QVERIFY(QString::fromStdString(read.error().message).startsWith(u"m.model is a damaged model: "_s));
        }
        QVERIFY(messageOf(bytes.substr(0, bytes.size() - 1)).contains(u"it was cut off"_s));
        QVERIFY(messageOf(bytes + "x").contains(u"1 bytes follow its numbers"_s));
    }

    void noticesAnyChange() {
        const std::string bytes = toBytes(sampleModel());
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            std::string changed = bytes;
            changed[i] = static_cast<char>(changed[i] ^ 4);
            QVERIFY2(!readModel("m.model", changed), qPrintable(QString::number(i)));
        }
    }
};

MITOS_TEST(TestModelFile)

}  // namespace tst_model_file

#include "tst_model_file.moc"

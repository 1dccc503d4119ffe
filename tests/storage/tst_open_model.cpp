// SPDX-License-Identifier: GPL-3.0-or-later
// Files that sessions name: the digest by which changed weights are noticed, and names of what is no file.
#include "core/dialects/dialects.h"
#include "storage/workspace/new_program.h"
#include "storage/workspace/open_model.h"
#include "storage/workspace/opening.h"
#include "tests/storage/scratch.h"
#include "tests/support/test_program.h"

#include <sys/stat.h>

#include <QObject>
#include <array>
#include <memory>

namespace tst_open_model {

using namespace mitos;
using namespace mitos::storage;

class TestOpenModel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void digestsWeights();
    void digestsDoNotDependOnWhereNumbersAre();
    void namedPipesAreNotWaitedFor_data();
    void namedPipesAreNotWaitedFor();
};

/// The literal is Python's: hashlib.blake2b(digest_size=32) of names and types ended by a zero byte, sizes likewise, and numbers.
void TestOpenModel::digestsWeights() {
    const std::array<float, 2> bias{1.5F, -2.0F};
    tensor::Weights weights;
    weights.set("bias", *tensor::WeightData::raw(ir::Dtype::F32, {2}, std::as_bytes(std::span(bias)), nullptr));
    weights.set("fill", tensor::WeightData::filled(ir::Dtype::F64, {3, 4}, 0.25));
    QCOMPARE(*digestOf(weights), std::string("88e9411e2bc75d25b3f17eb04bd3b5af055d60dbdbf14a2530249291aa97efa4"));
    QCOMPARE(*digestOf({}), std::string("0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"));
}

void TestOpenModel::digestsDoNotDependOnWhereNumbersAre() {
    const std::array<double, 2> numbers{1.5, -2.0};
    const auto digest = [&](const std::shared_ptr<const void>& owner) {
        tensor::Weights weights;
        weights.set("w", *tensor::WeightData::raw(ir::Dtype::F64, {2}, std::as_bytes(std::span(numbers)), owner));
        return *digestOf(weights);
    };
    const std::string first = digest(nullptr);
    QCOMPARE(digest(std::make_shared<int>(1)), first);
    tensor::Weights other;
    other.set("w", tensor::WeightData::filled(ir::Dtype::F64, {2}, 1.5));
    QVERIFY(*digestOf(other) != first);
}

void TestOpenModel::namedPipesAreNotWaitedFor_data() {
    QTest::addColumn<QByteArray>("rules");
    QTest::addColumn<QByteArray>("costModel");
    QTest::addColumn<QByteArray>("notice");
    const QByteArray usual = "ks-simple";
    const QByteArray noRules = "The rules of this session are not there: ";
    const QByteArray noCosts = "The cost model of this session is not there: ";
    QTest::newRow("a pipe of rules") << QByteArray("PIPE") << QByteArray("size")
                                     << noRules + "PIPE: is not a regular file but a pipe";
    QTest::newRow("rules of standard input")
        << QByteArray("ks-simple,-") << QByteArray("size") << noRules + "- is not a file";
    QTest::newRow("rules of a descriptor")
        << QByteArray("/dev/stdin") << QByteArray("size") << noRules + "/dev/stdin is not a file";
    QTest::newRow("costs of a descriptor")
        << usual << QByteArray("measured:profile=/dev/fd/0") << noCosts + "/dev/fd/0 is not a file";
}

void TestOpenModel::namedPipesAreNotWaitedFor() {
    QFETCH(QByteArray, rules);
    QFETCH(const QByteArray, costModel);
    QFETCH(QByteArray, notice);
    const test::Scratch scratch;
    const std::string pipe = scratch.path("pipe.rules");
    QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
    rules.replace("PIPE", QByteArray::fromStdString(pipe));
    notice.replace("PIPE", QByteArray::fromStdString(pipe));
    {
        Result<Session> session = Session::open(scratch.path("s.mitos"));
        QVERIFY(session.ok());
        const NewProgram program{.title = "p",
                                 .source = "",
                                 .text = "(mul x 2.0)",
                                 .rules = rules.toStdString(),
                                 .costModel = costModel.toStdString(),
                                 .states = {}};
        QVERIFY(storeProgram(*session, program).ok());
    }
    const Surroundings surroundings{.registry = dialects::makeRegistry(),
                                    .rules = std::nullopt,
                                    .choices = {{"ks", {"ks-simple", "size"}}, {"tensor", {"tensor", "size"}}}};
    const Result<Opened> opened =
        openAnyFile(scratch.path("s.mitos"), "", surroundings, {.stop = {}, .report = [](const char*) {}});
    QVERIFY2(opened.ok(), test::messageOf(opened).c_str());
    QCOMPARE(opened->notices.size(), std::size_t{1});
    QVERIFY2(opened->notices.front().starts_with(notice.toStdString()), opened->notices.front().c_str());
    QCOMPARE(opened->rules.names(), std::string("ks-simple"));
    QCOMPARE(opened->costModelName, std::string("size"));
}

MITOS_TEST(TestOpenModel)

}  // namespace tst_open_model

#include "tst_open_model.moc"

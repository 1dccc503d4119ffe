// SPDX-License-Identifier: GPL-3.0-or-later
// Models that sessions name: the digest by which changed weights are noticed.
#include "storage/workspace/open_model.h"
#include "tests/support/test_program.h"

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

MITOS_TEST(TestOpenModel)

}  // namespace tst_open_model

#include "tst_open_model.moc"

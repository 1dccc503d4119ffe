// SPDX-License-Identifier: GPL-3.0-or-later
// The published e-graphs, against costs that other solvers found and proved.
#include "core/extract/check.h"
#include "core/extract/extract.h"
#include "tests/extract/graphs.h"
#include "tests/support/test_program.h"

#include <QDir>
#include <QFile>
#include <QStandardPaths>
#include <QTest>

namespace tst_extract_reference {

using namespace mitos;
using namespace mitos::extract;
using namespace mitos::tests;
using namespace Qt::StringLiterals;

class TstExtractReference : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        if (!QDir(QString::fromStdString(referenceFolder())).exists()) {
            QSKIP("the reference e-graphs (../shared/data/egraphs) are not on this machine");
        }
        if (QStandardPaths::findExecutable(u"cbc"_s).isEmpty()) {
            QSKIP("cbc (Debian package coinor-cbc) is not installed");
        }
    }

    void costsAreThoseOfTheTable_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<double>("greedyTree");
        QTest::addColumn<double>("best");
        QTest::addColumn<bool>("isProven");
        QFile table(QDir(QString::fromStdString(referenceFolder())).filePath(u"best_known.csv"_s));
        QVERIFY(table.open(QIODevice::ReadOnly));
        const QList<QByteArray> names = table.readLine().trimmed().split(',');
        const qsizetype tree = names.indexOf("tree_greedy_tree");
        const qsizetype best = names.indexOf("best_known");
        const qsizetype proven = names.indexOf("proven_optimal");
        QVERIFY(tree > 0 && best > 0 && proven > 0);
        while (!table.atEnd()) {
            const QList<QByteArray> row = table.readLine().trimmed().split(',');
            if (row.size() < names.size()) continue;
            QTest::newRow(row[0].constData())
                << QString::fromUtf8(row[0]) << row[tree].toDouble() << row[best].toDouble() << (row[proven] == "True");
        }
    }

    void costsAreThoseOfTheTable() {
        QFETCH(const QString, file);
        QFETCH(const double, greedyTree);
        QFETCH(const double, best);
        QFETCH(const bool, isProven);
        const std::optional<Problem> problem = referenceProblem(file.toStdString());
        QVERIFY(problem.has_value());
        const auto isBest = [&](double cost) { return std::abs(cost - best) <= 1e-9 * (1.0 + best); };

        const Result<Extraction> tree = extract::extract(*problem, "tree");
        QVERIFY(tree.ok());
        QCOMPARE(tree->treeCost, greedyTree);
        const Result<Extraction> paper = extract::extract(*problem, "paper");
        QVERIFY(paper.ok());
        QVERIFY(paper->predicted.has_value());
        QVERIFY(paper->cost >= best - 1e-9 * (1.0 + best));

        const Result<Extraction> found = extract::extract(*problem, "best", {.seconds = 10.0});
        QVERIFY(found.ok());
        QVERIFY2(isBest(found->cost), qPrintable(QString::number(found->cost, 'g', 17)));
        QVERIFY(check(*problem, found->choice).valid);
        QVERIFY(found->seconds < 12.0);

        // Long enough for a slow machine under a sanitizer; it takes a second.
        const Result<Extraction> exact = extract::extract(*problem, "ilp", {.seconds = 60.0});
        QVERIFY(exact.ok());
        QVERIFY(isBest(exact->cost));
        if (isProven) QVERIFY(exact->proven);
    }
};

MITOS_TEST(TstExtractReference)

}  // namespace tst_extract_reference

#include "tst_extract_reference.moc"

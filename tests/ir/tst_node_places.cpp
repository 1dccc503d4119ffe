// SPDX-License-Identifier: GPL-3.0-or-later
// Places of nodes: what they say about one small tree, and about a deep one.
#include "core/ir/node_places.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <vector>

namespace tst_node_places {

using namespace mitos;
using ir::NodePlaces;
using ir::Path;

class TestNodePlaces : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void placesKnowTheirPaths() {
        const std::vector<Path> paths{{}, {0}, {0, 0}, {0, 1}, {2}, {2, 0}, {2, 0, 3}, {5}};
        NodePlaces places;
        for (const Path& path : paths) places.add(path);
        QCOMPARE(places.size(), std::size_t(8));
        std::vector<NodePlaces::Index> parents;
        std::vector<std::uint32_t> rows;
        std::vector<NodePlaces::Index> ends;
        for (NodePlaces::Index place = 0; place < places.size(); ++place) {
            parents.push_back(places.parent(place));
            rows.push_back(places.row(place));
            ends.push_back(places.end(place));
            QVERIFY(places.path(place) == paths[place]);
            QCOMPARE(places.find(paths[place]), std::optional(place));
        }
        QCOMPARE(parents, (std::vector<NodePlaces::Index>{0, 0, 1, 1, 0, 4, 5, 0}));
        QCOMPARE(rows, (std::vector<std::uint32_t>{0, 0, 0, 1, 2, 0, 3, 5}));
        QCOMPARE(ends, (std::vector<NodePlaces::Index>{8, 4, 3, 4, 7, 7, 7, 8}));
        for (const Path& path : {Path{1}, Path{0, 2}, Path{6}, Path{2, 0, 3, 0}}) QVERIFY(!places.find(path));
        QVERIFY(places.isWithin(6, 4) && places.isWithin(4, 4) && places.isWithin(7, 0));
        QVERIFY(!places.isWithin(7, 4) && !places.isWithin(3, 4) && !places.isWithin(0, 4));
        QVERIFY(!NodePlaces().find({}));
    }

    /// Other places have no parents on the way that is open.
    void parentsMayBeGivenByIndex() {
        NodePlaces places;
        for (const auto& [parent, row] :
             std::vector<std::pair<NodePlaces::Index, std::uint32_t>>{{0, 0}, {0, 0}, {1, 0}, {2, 0}, {1, 1}, {0, 1}}) {
            places.add(parent, row);
        }
        QVERIFY(places.path(3) == (Path{0, 0, 0}));
        QVERIFY(places.path(4) == (Path{0, 1}));
        QVERIFY(places.path(5) == Path{1});
        QCOMPARE(places.end(1), NodePlaces::Index(5));
    }

    void deepPlacesTakeLittleMemory() {
        constexpr NodePlaces::Index Depth = 1'000'000;  // all paths together would take 2 TB
        NodePlaces places;
        places.add(Path());
        for (NodePlaces::Index place = 0; place < Depth; ++place) places.add(place, 1);
        const Path deepest = places.path(Depth);
        QVERIFY(deepest == Path(Depth, 1));
        QCOMPARE(places.find(deepest), std::optional(Depth));
        QCOMPARE(places.end(5), Depth + 1);
    }
};

MITOS_TEST(TestNodePlaces)

}  // namespace tst_node_places

#include "tst_node_places.moc"

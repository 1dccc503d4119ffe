// SPDX-License-Identifier: GPL-3.0-or-later
// E-graphs small enough to be thought through, and long and broad ones made by a formula.
#pragma once

#include "core/egraph/json.h"

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <QTest>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace mitos::test {

/// (a * 2) / 2 after a few rules: p = a * 2 = a << 1, 1 = 2 / 2, and a = p / 2 = a * 1. Class 1 holds its literal too.
inline constexpr const char* ShiftText = R"({
  "nodes": {
    "a": {"op": "a", "eclass": "a"},
    "two": {"op": "2", "eclass": "2"},
    "mul": {"op": "*", "children": ["a", "two"], "eclass": "p", "cost": 5},
    "div": {"op": "/", "children": ["mul", "two"], "eclass": "a", "cost": 9},
    "one": {"op": "1", "eclass": "1"},
    "ones": {"op": "/", "children": ["two", "two"], "eclass": "1", "cost": 9},
    "times": {"op": "*", "children": ["a", "one"], "eclass": "a", "cost": 5},
    "shl": {"op": "<<", "children": ["a", "one"], "eclass": "p", "cost": 2}
  },
  "root_eclasses": ["a"]
})";

/// Classes 0, 1, …: each holds a leaf of its own and f of the next.
inline QByteArray chainText(int classes) {
    QStringList nodes;
    for (int i = 0; i < classes; ++i) {
        nodes << QStringLiteral(R"("l%1": {"op": "leaf%1", "eclass": "%1"})").arg(i);
        if (i + 1 == classes) break;
        nodes << QStringLiteral(R"("f%1": {"op": "f", "children": ["l%2"], "eclass": "%1"})").arg(i).arg(i + 1);
    }
    return QStringLiteral(R"({"nodes": {%1}, "root_eclasses": ["0"]})").arg(nodes.join(QStringLiteral(", "))).toUtf8();
}

/// One root class of so many e-nodes, each of an argument of its own.
inline QByteArray fanText(int arguments) {
    QStringList nodes;
    for (int i = 0; i < arguments; ++i) {
        nodes << QStringLiteral(R"("x%1": {"op": "x%1", "eclass": "x%1"})").arg(i)
              << QStringLiteral(R"("f%1": {"op": "f", "children": ["x%1"], "eclass": "root"})").arg(i);
    }
    return QStringLiteral(R"({"nodes": {%1}, "root_eclasses": ["root"]})")
        .arg(nodes.join(QStringLiteral(", ")))
        .toUtf8();
}

inline std::shared_ptr<const egraph::Snapshot> snapshotOf(const QByteArray& text) {
    auto loaded = egraph::readJson(SourceText("test", text.toStdString()));
    if (!loaded) qFatal("%s", loaded.error().render().c_str());
    return std::make_shared<const egraph::Snapshot>(std::move(loaded->snapshot));
}

inline std::uint32_t classOf(const egraph::Snapshot& snapshot, const std::string& id) {
    const auto found = std::find_if(snapshot.classes.begin(), snapshot.classes.end(),
                                    [&](const egraph::Snapshot::Class& one) { return one.id == id; });
    return static_cast<std::uint32_t>(found - snapshot.classes.begin());
}

inline std::uint32_t nodeOf(const egraph::Snapshot& snapshot, const std::string& id) {
    const auto found = std::find_if(snapshot.nodes.begin(), snapshot.nodes.end(),
                                    [&](const egraph::Snapshot::Node& one) { return one.id == id; });
    return static_cast<std::uint32_t>(found - snapshot.nodes.begin());
}

/// Ids of classes, sorted, with blanks between.
inline QString ids(const egraph::Snapshot& snapshot, const std::vector<std::uint32_t>& classes) {
    QStringList names;
    for (const std::uint32_t one : classes) names << QString::fromStdString(snapshot.classes[one].id);
    names.sort();
    return names.join(QLatin1Char(' '));
}

}  // namespace mitos::test

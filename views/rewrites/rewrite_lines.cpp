// SPDX-License-Identifier: GPL-3.0-or-later
// See rewrite_lines.h.
#include "views/rewrites/rewrite_lines.h"

#include "views/common/format.h"

#include <algorithm>
#include <iterator>

namespace mitos::views {

namespace {

/// `subterm`: the place of the wished subterm.
bool accepts(const RewriteWishes& wishes, std::optional<ir::NodePlaces::Index> subterm, const RewriteRow& row) {
    if (wishes.scope == RewriteScope::AtSelection && !wishes.subterm) return false;
    if (wishes.scope != RewriteScope::Anywhere && wishes.subterm) {
        const auto isWished = [&](ir::NodePlaces::Index root) {
            return wishes.scope == RewriteScope::AtSelection ? root == *subterm : row.places->isWithin(root, *subterm);
        };
        if (!subterm || std::ranges::none_of(row.roots, isWished)) return false;
    }
    if (wishes.words.isEmpty()) return true;
    const QString rule = fromUtf8(row.rule->rule().name);
    return std::ranges::all_of(wishes.words, [&](const QString& word) {
        return rule.contains(word, Qt::CaseInsensitive) || row.subterm.contains(word, Qt::CaseInsensitive);
    });
}

/// Rows with equal keys stay in the order of their arrival.
void sort(std::vector<int>& order, const RewriteRows& rows, RewriteOrder by, const std::vector<QString>& names) {
    const auto sortBy = [&](const auto& key) {
        std::ranges::stable_sort(order, [&](int a, int b) { return key(a) < key(b); });
    };
    switch (by) {
        case RewriteOrder::Arrival: return;
        case RewriteOrder::Cost: return sortBy([&](int row) { return rows.delta(row); });
        case RewriteOrder::Rule:
            return sortBy([&](int row) -> const QString& { return names[static_cast<std::size_t>(rows.group(row))]; });
        case RewriteOrder::Place: return sortBy([&](int row) -> const QString& { return rows[row].where; });
        case RewriteOrder::Size: return sortBy([&](int row) { return rows[row].sizeChange; });
        case RewriteOrder::Soundness: return sortBy([&](int row) { return rows[row].rule->rule().soundness; });
    }
}

}  // namespace

QString ruleText(const rules::DirectedRule& rule) {
    const bool forward = rule.direction() == rules::Direction::Forward;
    return fromUtf8(rule.rule().name) + (forward ? QStringLiteral(" →") : QStringLiteral(" ←"));
}

QString keyOf(const RewriteRow& row) { return ruleText(*row.rule) + QLatin1Char(' ') + row.assumed; }

void RewriteRows::add(std::vector<RewriteRow> rows) {
    const auto batch = std::make_shared<const std::vector<RewriteRow>>(std::move(rows));
    for (const RewriteRow& row : *batch) {
        const auto number = static_cast<int>(m_rows.size());
        const double change = row.costAfter - m_costBefore;
        m_rows.push_back(&row);
        m_deltas.push_back(isNoChange(change, m_costBefore) ? 0.0 : change);
        if (m_deltas.back() < 0) ++m_cheaper;
        const auto next = static_cast<int>(m_firstRows.size());
        const auto known = m_groupOf.constFind({row.rule.get(), row.assumed});
        m_groups.push_back(known != m_groupOf.cend() ? *known : next);
        if (known != m_groupOf.cend()) continue;
        m_groupOf.insert({row.rule.get(), row.assumed}, next);
        m_firstRows.push_back(number);
    }
    m_batches.push_back(batch);
}

RewriteLines RewriteLines::of(const RewriteRows& rows, const RewriteWishes& wishes, const std::vector<QString>& names,
                              const std::stop_token& stop) {
    RewriteLines made;
    made.m_isGrouping = wishes.isGrouping;
    made.accept(rows, wishes, stop);
    if (stop.stop_requested()) return made;
    sort(made.m_order, rows, wishes.order, names);
    made.group(rows, wishes, 0);
    made.list(rows);
    return made;
}

void RewriteLines::add(const RewriteRows& rows, const RewriteWishes& wishes) {
    const std::size_t first = m_order.size();
    accept(rows, wishes, {});
    group(rows, wishes, first);
    list(rows);
}

void RewriteLines::setOpen(int group, bool isOpen) {
    RewriteGroup& changed = m_groups[static_cast<std::size_t>(m_groupAt[static_cast<std::size_t>(group)])];
    if (std::exchange(changed.isOpen, isOpen) == isOpen || changed.rows.size() == 1) return;
    const auto isHead = [group](const RewriteLine& line) {
        return line.kind == RewriteLine::Kind::Head && line.group == group;
    };
    const auto below = std::next(std::ranges::find_if(m_lines, isHead));
    if (isOpen) {
        std::vector<RewriteLine> members;
        members.reserve(changed.rows.size());
        for (const int row : changed.rows)
            members.push_back({.source = row, .group = group, .kind = RewriteLine::Kind::Member});
        m_lines.insert(below, members.begin(), members.end());
    } else {
        m_lines.erase(below, below + static_cast<std::ptrdiff_t>(changed.rows.size()));
    }
}

void RewriteLines::accept(const RewriteRows& rows, const RewriteWishes& wishes, const std::stop_token& stop) {
    m_isShown.reserve(rows.size());
    std::optional<ir::NodePlaces::Index> subterm;
    if (wishes.subterm && rows.size() > 0) subterm = rows[0].places->find(*wishes.subterm);
    while (m_isShown.size() < rows.size() && !stop.stop_requested()) {
        const auto row = static_cast<int>(m_isShown.size());
        m_isShown.push_back(accepts(wishes, subterm, rows[row]));
        if (m_isShown.back()) m_order.push_back(row);
    }
}

void RewriteLines::group(const RewriteRows& rows, const RewriteWishes& wishes, std::size_t first) {
    m_groupAt.resize(rows.firstRows().size(), -1);
    if (!m_isGrouping) return;
    for (std::size_t i = first; i < m_order.size(); ++i) {
        const int row = m_order[i];
        const double change = rows.delta(row);
        int& at = m_groupAt[static_cast<std::size_t>(rows.group(row))];
        if (at < 0) {
            at = static_cast<int>(m_groups.size());
            m_groups.push_back({.rows = {row},
                                .best = row,
                                .least = change,
                                .most = change,
                                .isOpen = wishes.open.contains(keyOf(rows[row]))});
            continue;
        }
        RewriteGroup& group = m_groups[static_cast<std::size_t>(at)];
        group.rows.push_back(row);
        if (rows[row].costAfter < rows[group.best].costAfter) group.best = row;
        group.least = std::min(group.least, change);
        group.most = std::max(group.most, change);
    }
}

void RewriteLines::list(const RewriteRows& rows) {
    m_lines.clear();
    if (!m_isGrouping) {
        m_lines.reserve(m_order.size());
        for (const int row : m_order) m_lines.push_back({.source = row, .group = rows.group(row)});
        return;
    }
    for (const RewriteGroup& group : m_groups) {
        const int id = rows.group(group.best);
        const bool isSingle = group.rows.size() == 1;
        m_lines.push_back({.source = group.best,
                           .group = id,
                           .kind = isSingle ? RewriteLine::Kind::Single : RewriteLine::Kind::Head});
        if (isSingle || !group.isOpen) continue;
        for (const int row : group.rows)
            m_lines.push_back({.source = row, .group = id, .kind = RewriteLine::Kind::Member});
    }
}

}  // namespace mitos::views

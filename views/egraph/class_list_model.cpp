// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/egraph/class_list_model.h"

#include "views/common/format.h"

#include <QFont>
#include <QSet>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

constexpr int MostOperators = 4;  // shown in the row of a class

/// Operators of a class, without repetition, the cheapest node's first.
QString contentText(const EGraphIndex& index, ClassIndex which) {
    const egraph::Snapshot& snapshot = index.snapshot();
    QStringList texts;
    if (index.best(which) != EGraphIndex::None) texts << fromUtf8(snapshot.nodes[index.best(which)].op);
    for (const ENodeIndex member : index.members(which)) {
        const QString text = fromUtf8(snapshot.nodes[member].op);
        if (texts.contains(text)) continue;
        if (texts.size() == MostOperators) {
            texts << QStringLiteral("…");
            break;
        }
        texts << text;
    }
    return texts.join(QStringLiteral(" | "));
}

bool hasRule(const EGraphIndex& index, ClassIndex which, std::uint32_t rule) {
    const auto members = index.members(which);
    return std::ranges::any_of(members, [&](ENodeIndex member) { return index.snapshot().nodes[member].rule == rule; });
}

/// Matches words against ids, operators and rules. The matching operators and rules are computed once per word, because
/// there are few different ones.
class Words {
public:
    Words(const EGraphIndex& index, const QString& text) : m_index(index) {
        const egraph::Snapshot& snapshot = index.snapshot();
        for (const QString& word : text.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
            Word made{word, {}};
            for (const std::string& rule : snapshot.rules) {
                made.rules.push_back(fromUtf8(rule).contains(word, Qt::CaseInsensitive));
            }
            m_words.push_back(std::move(made));
        }
    }

    [[nodiscard]] bool match(ClassIndex which) const {
        return std::ranges::all_of(m_words, [&](const Word& word) { return has(which, word); });
    }

private:
    struct Word {
        QString text;
        std::vector<bool> rules;  // whether each rule's name contains the word
    };
    [[nodiscard]] bool has(ClassIndex which, const Word& word) const {
        const egraph::Snapshot& snapshot = m_index.snapshot();
        if (fromUtf8(snapshot.classes[which].id).contains(word.text, Qt::CaseInsensitive)) return true;
        const auto members = m_index.members(which);
        return std::ranges::any_of(members, [&](ENodeIndex member) {
            const egraph::Snapshot::Node& node = snapshot.nodes[member];
            return (node.rule < word.rules.size() && word.rules[node.rule]) ||
                   fromUtf8(node.op).contains(word.text, Qt::CaseInsensitive);
        });
    }

    const EGraphIndex& m_index;
    std::vector<Word> m_words;
};

template <typename Key>
void sortBy(std::vector<ClassIndex>& classes, bool ascending, Key key) {
    std::ranges::stable_sort(classes,
                             [&](ClassIndex a, ClassIndex b) { return ascending ? key(a) < key(b) : key(b) < key(a); });
}

/// Compares ids by value if both are numbers, as they usually are.
bool idLess(const std::string& a, const std::string& b) {
    const auto isNumber = [](const std::string& text) {
        return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    };
    if (!isNumber(a) || !isNumber(b)) return a < b;
    return a.size() != b.size() ? a.size() < b.size() : a < b;
}

}  // namespace

std::vector<ClassIndex> findClasses(const EGraphIndex& index, const ClassQuery& query, const std::stop_token& stop) {
    const egraph::Snapshot& snapshot = index.snapshot();
    std::vector<ClassIndex> found;
    const Words words(index, query.text);
    const auto rule = std::ranges::find(snapshot.rules, query.rule.toStdString());
    for (ClassIndex which = 0; which < index.classCount(); ++which) {
        if (stop.stop_requested()) return {};
        const bool made =
            query.rule.isEmpty() || (rule != snapshot.rules.end() &&
                                     hasRule(index, which, static_cast<std::uint32_t>(rule - snapshot.rules.begin())));
        if (made && words.match(which)) found.push_back(which);
    }
    switch (query.column) {
        case ClassListModel::IdColumn:
            std::ranges::stable_sort(found, [&](ClassIndex a, ClassIndex b) {
                if (!query.ascending) std::swap(a, b);
                return idLess(snapshot.classes[a].id, snapshot.classes[b].id);
            });
            break;
        case ClassListModel::ContentColumn: {
            std::vector<QString> texts(index.classCount());
            for (const ClassIndex which : found) texts[which] = contentText(index, which);
            sortBy(found, query.ascending, [&](ClassIndex which) -> const QString& { return texts[which]; });
            break;
        }
        case ClassListModel::NodesColumn:
            sortBy(found, query.ascending, [&](ClassIndex which) { return index.members(which).size(); });
            break;
        case ClassListModel::UsesColumn:
            sortBy(found, query.ascending, [&](ClassIndex which) { return index.parents(which).size(); });
            break;
        case ClassListModel::CostColumn:
            sortBy(found, query.ascending, [&](ClassIndex which) { return index.bestCost(which); });
            break;
        case ClassListModel::IterationColumn:
            sortBy(found, query.ascending, [&](ClassIndex which) { return index.born(which); });
            break;
        default: break;
    }
    return found;
}

ClassListModel::ClassListModel(QObject* parent)
    : TableModel(
          {{tr("Class")},
           {tr("Operators")},
           {tr("Nodes"), Qt::AlignRight, tr("E-nodes in the class: terms that are equal")},
           {tr("Uses"), Qt::AlignRight, tr("E-nodes that have the class as an argument")},
           {tr("Cost"), Qt::AlignRight, tr("Cost of the cheapest tree; ∞: there is no finite one")},
           {tr("Since"), Qt::AlignRight, tr("Iteration in which its first e-node was made; 0: before the first")}},
          parent) {}

void ClassListModel::setRows(std::shared_ptr<const EGraphIndex> index, std::vector<ClassIndex> classes) {
    beginResetModel();
    m_index = std::move(index);
    m_classes = std::move(classes);
    m_rows.assign(m_index ? m_index->classCount() : 0, -1);
    for (std::size_t row = 0; row < m_classes.size(); ++row) m_rows[m_classes[row]] = static_cast<int>(row);
    endResetModel();
}

int ClassListModel::rowOf(ClassIndex which) const { return which < m_rows.size() ? m_rows[which] : -1; }

QVariant ClassListModel::cell(int row, int column, int role) const {
    const ClassIndex which = classAt(row);
    const egraph::Snapshot::Class& about = m_index->snapshot().classes[which];
    if (role == Qt::ToolTipRole && column == ContentColumn) return contentText(*m_index, which);
    if (role == Qt::ToolTipRole && column == IdColumn) return fromUtf8(about.id);
    if (role != Qt::DisplayRole) return {};
    switch (column) {
        case IdColumn:
            return about.type.empty() ? fromUtf8(about.id)
                                      : tr("%1 : %2").arg(fromUtf8(about.id), fromUtf8(about.type));
        case ContentColumn: return contentText(*m_index, which);
        case NodesColumn: return countText(m_index->members(which).size());
        case UsesColumn: return countText(m_index->parents(which).size());
        case CostColumn: return costText(m_index->bestCost(which));
        case IterationColumn: return countText(m_index->born(which));
        default: return {};
    }
}

void ClassListModel::sort(int column, Qt::SortOrder order) {
    Q_EMIT sortRequested(column, order == Qt::AscendingOrder);
}

MemberTableModel::MemberTableModel(QObject* parent)
    : TableModel({{tr("E-node")}, {tr("Cost"), Qt::AlignRight}, {tr("Made by")}, {tr("In"), Qt::AlignRight}}, parent) {}

void MemberTableModel::setClass(std::shared_ptr<const EGraphIndex> index, ClassIndex which, EGraphMarks marks) {
    beginResetModel();
    m_index = std::move(index);
    m_marks = std::move(marks);
    m_members.clear();
    if (m_index) {
        const auto members = m_index->members(which);
        m_members.assign(members.begin(), members.end());
    }
    endResetModel();
}

QVariant MemberTableModel::cell(int row, int column, int role) const {
    const ENodeIndex member = nodeAt(row);
    const egraph::Snapshot::Node& node = m_index->snapshot().nodes[member];
    const Chosen chosen = chosenBy(*m_index, m_marks, member);
    switch (role) {
        case Qt::DisplayRole:
            switch (column) {
                case NodeColumn: {
                    const QString text = m_index->nodeText(member);
                    if (node.subsumed) return tr("%1 (subsumed)").arg(text);
                    return chosen.letters.isEmpty() ? text : tr("%1  %2").arg(chosen.letters, text);
                }
                case CostColumn: return costText(node.cost);
                case RuleColumn: return m_index->ruleOf(member);
                case IterationColumn: return QLocale().toString(node.iteration);
                default: return {};
            }
        case Qt::FontRole: {
            QFont font;
            font.setBold(chosen.any);
            font.setStrikeOut(node.subsumed);
            return font;
        }
        case Qt::ToolTipRole: return tr("e-node %1: %2").arg(fromUtf8(node.id), m_index->nodeText(member));
        default: return {};
    }
}

}  // namespace mitos::views

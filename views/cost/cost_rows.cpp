// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of the cost explanation.
#include "views/cost/cost_rows.h"

#include "core/ir/draw.h"

#include <algorithm>

namespace mitos::views {

namespace {

double shareOf(double inAll, const std::vector<cost::CostPart>& parts) {
    return !parts.empty() && parts[0].total > 0.0 ? inAll / parts[0].total : 0.0;
}

CostRow makeRow(const ir::TermBank& bank, ir::TermId root, const ExplainedCosts& costs, std::size_t index,
                bool operatorOnly) {
    const cost::CostPart& part = costs.parts[index];
    CostRow row;
    row.path = part.path;
    row.label = ir::nodeLabel(bank, *ir::subterm(bank, root, part.path), ir::bindersAbove(bank, root, part.path));
    row.operatorOnly = operatorOnly;
    row.once = operatorOnly ? part.own : part.total;
    row.times = part.times;
    row.inAll = row.once * row.times;
    row.share = shareOf(row.inAll, costs.parts);
    row.reason = part.reason;
    if (index < costs.other.size()) {
        const cost::CostPart& beside = costs.other[index];
        row.other = (operatorOnly ? beside.own : beside.total) * beside.times;
        row.otherShare = shareOf(*row.other, costs.other);
    }
    return row;
}

}  // namespace

std::size_t preorderIndex(const ir::TermBank& bank, ir::TermId root, const ir::Path& path) {
    std::size_t index = 0;
    for (const std::uint32_t step : path) {
        ++index;
        for (std::uint32_t before = 0; before < step; ++before) index += bank.treeSize(bank.child(root, before));
        root = bank.child(root, step);
    }
    return index;
}

std::vector<CostRow> operandRows(const ir::TermBank& bank, ir::TermId root, const ir::Path& path,
                                 const ExplainedCosts& costs) {
    const std::size_t first = preorderIndex(bank, root, path);
    const ir::TermId term = *ir::subterm(bank, root, path);
    std::vector<CostRow> rows{makeRow(bank, root, costs, first, true)};
    std::size_t index = first + 1;
    for (const ir::TermId child : bank.children(term)) {
        rows.push_back(makeRow(bank, root, costs, index, false));
        index += bank.treeSize(child);
    }
    return rows;
}

std::vector<CostRow> dearestRows(const ir::TermBank& bank, ir::TermId root, const ir::Path& path,
                                 const ExplainedCosts& costs, std::size_t most) {
    const std::size_t first = preorderIndex(bank, root, path);
    const std::size_t count = bank.treeSize(*ir::subterm(bank, root, path));
    std::vector<std::size_t> order;
    for (std::size_t i = first; i < first + count; ++i) {
        if (costs.parts[i].own * costs.parts[i].times > 0.0) order.push_back(i);
    }
    const auto kept = static_cast<std::ptrdiff_t>(std::min(most, order.size()));
    std::partial_sort(order.begin(), order.begin() + kept, order.end(), [&](std::size_t a, std::size_t b) {
        const double x = costs.parts[a].own * costs.parts[a].times;
        const double y = costs.parts[b].own * costs.parts[b].times;
        return x > y || (x == y && a < b);
    });
    std::vector<CostRow> rows;
    for (std::ptrdiff_t i = 0; i < kept; ++i) {
        rows.push_back(makeRow(bank, root, costs, order[static_cast<std::size_t>(i)], true));
    }
    return rows;
}

}  // namespace mitos::views

// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/cost_text.h"

#include "core/base/time_unit.h"
#include "core/ir/shared.h"
#include "views/common/format.h"

#include <QCoreApplication>

namespace mitos::views {

namespace {

QString said(const char* text) { return QCoreApplication::translate("mitos::views::cost", text); }

QString percent(double share) { return said("%1 %").arg(QLocale().toString(100.0 * share, 'f', 1)); }

}  // namespace

QString costSummary(const std::vector<cost::CostPart>& parts, std::size_t index, const cost::CostModelInfo& model,
                    const ir::Dialect& dialect) {
    const cost::CostPart& part = parts[index];
    const double whole = parts[0].total;
    const QString unit = fromUtf8(model.unit);
    const auto amount = [&unit](double cost) { return amountText(cost, unit); };
    // Times are not all in one unit.
    const QString all = isTimeUnit(model.unit) ? amount(whole) : costText(whole);
    const bool isWhole = index == 0;
    const bool hasShare = !isWhole && whole > 0.0;
    if (isWhole) return amount(part.total);
    if (dialect.sharesNodes()) {
        QString text = said("own cost %1").arg(amount(part.own));
        if (hasShare) text += said(", %1 of %2").arg(percent(part.own / whole), all);
        if (isNoChange(part.total - part.own, whole)) return text;
        text += said("; with all it needs %1").arg(amount(part.total));
        return hasShare ? text + said(", %1").arg(percent(part.total / whole)) : text;
    }
    QString text = amount(part.total);
    const double inAll = part.total * part.times;
    if (part.times != 1.0) text += said(" once × %1 times = %2").arg(costText(part.times), amount(inAll));
    if (hasShare) text += said(", %1 of %2").arg(percent(inAll / whole), all);
    return text;
}

std::vector<cost::CostPart> explainedParts(cost::CostEvaluator& costs, const ir::TermBank& bank,
                                           const ir::Program& program) {
    Result<std::vector<cost::CostPart>> explained = costs.explain(program.root);
    if (explained) return *std::move(explained);
    std::vector<cost::CostPart> parts;
    ir::forEachNode(bank, program.root, bank.function(program.function).sharing, [&](const ir::Path&, ir::TermId) {
        parts.push_back({0.0, 0.0, 1.0, explained.error().message});
        return true;
    });
    return parts;
}

}  // namespace mitos::views

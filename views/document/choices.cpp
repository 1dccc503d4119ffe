// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/choices.h"

#include "core/cost/cost_model.h"
#include "core/cost/device.h"
#include "core/rules/rule_sets.h"
#include "views/common/format.h"

#include <QCoreApplication>
#include <algorithm>

namespace mitos::views {

std::vector<CostModelChoice> costModelChoices(ir::Sharing sharing, const QString& inForce) {
    std::vector<CostModelChoice> choices;
    for (const auto& model : cost::costModelsFor(sharing)) {
        const QString name = fromUtf8(model->info().name);
        const QString title = fromUtf8(model->info().title);
        if (model->info().name != "roofline") {
            choices.push_back({name, title});
            continue;
        }
        for (const cost::ShippedDevice& shipped : cost::shippedDevices()) {
            const auto device = cost::findDevice(shipped.name);
            if (!device) continue;
            const bool usual = shipped.name == cost::DefaultDevice;
            choices.push_back({usual ? name : name + QLatin1Char(':') + fromUtf8(shipped.name),
                               QCoreApplication::translate("Choices", "%1, %2").arg(title, fromUtf8(device->title))});
        }
        std::stable_partition(choices.begin(), choices.end(),
                              [&name](const CostModelChoice& choice) { return choice.name == name; });
    }
    const bool known = std::ranges::any_of(choices, [&](const auto& choice) { return choice.name == inForce; });
    const auto model = cost::findCostModel(inForce.toStdString(), sharing);
    if (!known && model) choices.push_back({inForce, fromUtf8((*model)->info().title)});
    return choices;
}

QStringList ruleSetChoices(ir::Sharing sharing, const QStringList& inForce) {
    QStringList offered;
    for (const std::string& name : rules::shippedRuleSets(sharing)) offered << fromUtf8(name);
    for (const QString& name : inForce) {
        if (!offered.contains(name)) offered << name;
    }
    return offered;
}

}  // namespace mitos::views

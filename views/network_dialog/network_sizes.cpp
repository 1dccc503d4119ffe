// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/network_dialog/network_sizes.h"

#include "core/dialects/dialects.h"
#include "core/ir/shared.h"
#include "core/networks/networks.h"
#include "core/tensor/operator.h"

namespace mitos::views {

namespace {

std::size_t sizeOf(const networks::Network& network, networks::Style style) {
    ir::TermBank bank(dialects::makeRegistry());
    const Result<tensor::Model> model = networks::build(bank, network, style);
    if (!model) return 0;
    std::size_t count = 0;
    for (const ir::TermId node : ir::SharedNodes(bank, model->program.root)) {
        if (tensor::operatorOf(bank, node) != nullptr && bank.childCount(node) > 0) ++count;
    }
    return count;
}

}  // namespace

std::vector<NetworkSize> networkSizes(const std::stop_token& stop) {
    std::vector<NetworkSize> sizes;
    for (const networks::Network& network : networks::allNetworks()) {
        if (stop.stop_requested()) break;
        sizes.push_back({sizeOf(network, networks::Style::Paper), sizeOf(network, networks::Style::Realistic)});
    }
    return sizes;
}

}  // namespace mitos::views

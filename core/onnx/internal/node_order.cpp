// SPDX-License-Identifier: GPL-3.0-or-later
// See node_order.h.
#include "core/onnx/internal/node_order.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>

namespace mitos::onnx {

std::vector<ir::TermId> inOrder(const ir::TermBank& bank, const ir::SharedNodes& nodes,
                                std::span<const ir::TermId> order) {
    std::vector<ir::TermId> result;
    absl::flat_hash_set<ir::TermId> written;
    std::vector<ir::TermId> pending;  // a stack, since graphs may be thousands of levels deep
    const auto write = [&](ir::TermId wanted) {
        pending.push_back(wanted);
        while (!pending.empty()) {
            const ir::TermId term = pending.back();
            const std::size_t before = pending.size();
            if (!written.contains(term)) {
                for (const ir::TermId child : bank.children(term)) {
                    if (!written.contains(child)) pending.push_back(child);
                }
                // The first one read comes first.
                std::ranges::reverse(pending.begin() + static_cast<std::ptrdiff_t>(before), pending.end());
            }
            if (pending.size() > before) continue;
            pending.pop_back();
            if (written.insert(term).second) result.push_back(term);
        }
    };
    for (const ir::TermId term : order) {
        if (nodes.contains(term)) write(term);
    }
    for (const ir::TermId term : nodes) write(term);
    return result;
}

}  // namespace mitos::onnx

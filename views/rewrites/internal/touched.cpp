// SPDX-License-Identifier: GPL-3.0-or-later
// Collects nodes from the roots down, as long as the replacement does not contain them.
#include "views/rewrites/internal/touched.h"

#include "core/ir/dialect.h"
#include "core/ir/shared.h"

#include <absl/container/flat_hash_set.h>

namespace mitos::views {

Touched touchedPlaces(const ir::TermBank& bank, const ir::Program& program, const rewrite::Rewrite& rewrite) {
    Touched touched;
    touched.places = rewrite.step.positions;
    touched.roots = touched.places.size();
    if (!bank.dialect(program.function).sharesNodes()) return touched;
    const ir::SharedNodes stays(bank, rewrite.replacement);
    absl::flat_hash_set<ir::TermId> roots;
    absl::flat_hash_set<ir::TermId> goes;
    std::vector<ir::TermId> open;
    for (const ir::Path& root : touched.places) {
        if (const auto term = ir::subterm(bank, program.root, root)) open.push_back(*term);
    }
    roots.insert(open.begin(), open.end());
    while (!open.empty()) {
        const ir::TermId node = open.back();
        open.pop_back();
        if (roots.count(node) == 0 && (stays.contains(node) || !goes.insert(node).second)) continue;
        for (const ir::TermId child : bank.children(node)) {
            if (roots.count(child) == 0) open.push_back(child);
        }
    }
    ir::forEachShared(bank, program.root, [&](const ir::Path& path, ir::TermId node) {
        if (goes.count(node) > 0) touched.places.push_back(path);
        return true;
    });
    return touched;
}

}  // namespace mitos::views

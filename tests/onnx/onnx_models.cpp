// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/onnx/onnx_models.h"

#include "core/tensor/dialect.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace mitos::tests {

namespace fs = std::filesystem;

std::shared_ptr<const ir::OperatorRegistry> tensorRegistry() {
    auto registry = std::make_shared<ir::OperatorRegistry>();
    registry->addDialect(tensor::dialect());
    return registry;
}

std::vector<fs::path> conformanceModels() {
    std::vector<fs::path> models;
    for (const char* const folder : {"node", "simple", "pytorch-operator", "pytorch-converted"}) {
        const fs::path path = fs::path("/usr/share/libonnx-testdata/data") / folder;
        if (!fs::is_directory(path)) continue;
        for (const auto& entry : fs::directory_iterator(path)) models.push_back(entry.path() / "model.onnx");
    }
    std::sort(models.begin(), models.end());
    return models;
}

fs::path networkFolder() { return fs::path(MITOS_SOURCE_DIR) / ".." / "shared" / "data" / "onnx"; }

std::string fileBytes(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::map<std::string, int> nodeCounts(const ir::TermBank& bank, ir::TermId root) {
    std::map<std::string, int> counts;
    absl::flat_hash_set<ir::TermId> seen{root};
    std::vector<ir::TermId> open{root};
    while (!open.empty()) {
        const ir::TermId term = open.back();
        open.pop_back();
        if (bank.childCount(term) > 0 && !bank.is(term, ir::CoreOp::Get)) ++counts[std::string(bank.opName(term))];
        for (const ir::TermId child : bank.children(term)) {
            if (seen.insert(child).second) open.push_back(child);
        }
    }
    return counts;
}

std::string text(const ir::TermBank& bank, ir::TermId term) {
    if (bank.payload(term).kind() == ir::PayloadKind::Name && bank.childCount(term) == 0) {
        return std::string(bank.text(bank.payload(term).asSymbol()));
    }
    std::string result(bank.opName(term));
    if (bank.payload(term).kind() == ir::PayloadKind::Attributes) {
        result += "[" + std::string(bank.text(bank.payload(term).asSymbol())) + "]";
    }
    if (bank.is(term, ir::CoreOp::Get)) result += "." + std::to_string(bank.payload(term).projectionIndex());
    if (bank.childCount(term) == 0) return result;
    result += "(";
    for (std::size_t i = 0; i < bank.childCount(term); ++i) {
        result += (i > 0 ? ", " : "") + text(bank, bank.child(term, i));
    }
    return result + ")";
}

}  // namespace mitos::tests

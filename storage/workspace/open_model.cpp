// SPDX-License-Identifier: GPL-3.0-or-later
// See open_model.h.
#include "storage/workspace/open_model.h"

#include "core/networks/networks.h"
#include "core/onnx/import.h"

#include <blake2.h>
#include <fmt/ranges.h>

#include <array>
#include <filesystem>
#include <utility>

namespace mitos::storage {

namespace {

constexpr std::uint64_t SampleSeed = 1;

std::string fileName(const std::string& path) { return std::filesystem::path(path).filename().string(); }

networks::Style styleOf(bool realistic) { return realistic ? networks::Style::Realistic : networks::Style::Paper; }

Result<OpenModel> readFile(ir::TermBank& bank, const std::string& path) {
    MITOS_TRY(tensor::Model model, onnx::importFile(bank, path));
    return modelOfFile(std::move(model), path);
}

/// Reads the model into a separate bank. Fails if it is missing or is not the one the session was made with.
Result<OpenModel> readAgain(const ir::TermBank& bank, const ir::Program& program, const ModelSource& source) {
    ir::TermBank own(bank.sharedRegistry());
    const bool isFile = source.kind == ModelSource::Kind::File;
    MITOS_TRY(OpenModel read, isFile ? readFile(own, source.place) : makeNetwork(own, source.place, source.realistic));
    const bool same = own.hash(read.model.program.root) == bank.hash(program.root);
    // A session written without reading the weights has no digest; then only the program is compared.
    if (same && (source.digest.empty() || read.source.digest == source.digest)) return read;
    return Error{.code = ErrorCode::Incompatible,
                 .message = isFile ? source.place + (same ? " has other weights now" : " holds another program now")
                                   : "the network " + source.place + " is made otherwise now"};
}

}  // namespace

std::string weightsText(const OpenModel& open) {
    if (open.isSampled) return "random numbers";
    if (open.source.kind == ModelSource::Kind::Network) return "random numbers of the network " + open.source.place;
    return "the file " + fileName(open.source.place);
}

Result<std::string> digestOf(const tensor::Weights& weights) {
    constexpr std::size_t Bytes = 32;
    blake2b_state hash{};
    blake2b_init(&hash, Bytes);
    const auto add = [&hash](const void* bytes, std::size_t size) {
        blake2b_update(&hash, static_cast<const std::uint8_t*>(bytes), size);
    };
    const auto addText = [&](const std::string& text) { add(text.c_str(), text.size() + 1); };
    for (const auto& [name, data] : weights) {
        addText(name);
        addText(std::string(ir::dtypeName(data.dtype())));
        for (const std::int64_t size : data.shape()) addText(std::to_string(size));
        if (const auto fill = data.fill()) {
            add(&*fill, sizeof *fill);
        } else if (!data.bytes().empty()) {
            MITOS_REQUIRE(data.check());
            add(data.bytes().data(), data.bytes().size());
        } else if (tensor::elementCount(data.shape()) > 0) {
            MITOS_TRY(const tensor::ArrayPtr array, data.read());
            add(array->elements.data(), array->elements.size() * sizeof(double));
        }
    }
    std::array<std::uint8_t, Bytes> digest{};
    blake2b_final(&hash, digest.data(), digest.size());
    return fmt::format("{:02x}", fmt::join(digest, ""));
}

Result<OpenModel> modelOfFile(tensor::Model model, const std::string& path) {
    MITOS_TRY(std::string digest, digestOf(*model.weights));
    return OpenModel{.model = std::move(model),
                     .source = {.kind = ModelSource::Kind::File, .place = path, .digest = std::move(digest)},
                     .isSampled = false};
}

Result<OpenModel> makeNetwork(ir::TermBank& bank, const std::string& name, bool realistic) {
    MITOS_TRY(const networks::Network* network, networks::findNetwork(name));
    MITOS_TRY(tensor::Model model, networks::build(bank, *network, styleOf(realistic)));
    return OpenModel{.model = std::move(model),
                     .source = {.kind = ModelSource::Kind::Network, .place = name, .realistic = realistic},
                     .isSampled = false};
}

OpenModel sampledModel(const ir::TermBank& bank, const ir::Program& program) {
    OpenModel open{.model = tensor::modelOf(bank, program), .source = {}, .isSampled = true};
    open.model.weights =
        std::make_shared<const tensor::Weights>(tensor::sampledWeights(bank, program.root, SampleSeed));
    return open;
}

StoredModel toStored(const OpenModel& open) {
    return {.source = open.source, .name = open.model.name, .outputs = open.model.outputs};
}

Result<OpenModel> findMovedModel(const ir::TermBank& bank, const ir::Program& program, const OpenModel& open,
                                 const std::string& path) {
    ModelSource moved = open.source;
    moved.place = path;
    Result<OpenModel> read = readAgain(bank, program, moved);
    if (read) read->model.program = program;
    return read;
}

OpenModel restoreModel(const ir::TermBank& bank, const ir::Program& program, const StoredModel& stored,
                       std::vector<std::string>& notices) {
    OpenModel open = sampledModel(bank, program);
    if (stored.source.kind != ModelSource::Kind::Sampled) {
        Result<OpenModel> read = readAgain(bank, program, stored.source);
        if (read) {
            read->model.program = program;
            return *std::move(read);
        }
        notices.push_back("The weights are random numbers for now, as those of this session were not found: " +
                          read.error().oneLine());
    }
    // Keeps the stored source, so that the session finds the file if it comes back.
    open.source = stored.source;
    if (!stored.name.empty()) open.model.name = stored.name;
    if (stored.outputs.size() == open.model.outputs.size()) open.model.outputs = stored.outputs;
    return open;
}

}  // namespace mitos::storage

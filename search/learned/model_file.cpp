// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/learned/model_file.h"

#include "core/base/hash.h"
#include "core/base/json_field.h"
#include "core/base/number_text.h"
#include "core/base/read_file.h"
#include "core/base/source_text.h"
#include "core/base/write_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <utility>

namespace mitos::search::learned {

namespace {

static_assert(std::endian::native == std::endian::little && sizeof(float) == 4, "files have little-endian floats");

constexpr std::string_view Mark = "mitos-model ";
constexpr std::size_t LongestDescription = 64U << 20U;
constexpr std::size_t LargestModel = 1U << 30U;
constexpr std::size_t DeepestDescription = 100;

std::string numbersOf(const ModelFile& file) {
    std::string bytes;
    for (const NamedNumbers& part : file.parts) {
        if (part.values.empty()) continue;
        bytes.append(reinterpret_cast<const char*>(part.values.data()), part.values.size() * sizeof(float));
    }
    return bytes;
}

std::string digestOf(std::string_view description, std::string_view numbers) {
    return fmt::format("{:016x}", combineHash(hashText(description), hashText(numbers)));
}

Error damaged(std::string_view name, std::string_view why) {
    return {ErrorCode::Parse, fmt::format("{} is a damaged model: {}", name, why), std::nullopt,
            "copy the file again, or train the model again"};
}

/// The text up to the next line break, which is taken from `text`; nothing if there is none.
std::optional<std::string_view> takeLine(std::string_view& text) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    return line;
}

}  // namespace

const std::vector<float>* ModelFile::find(std::string_view part) const {
    const auto found = std::ranges::find(parts, part, &NamedNumbers::name);
    return found == parts.end() ? nullptr : &found->values;
}

std::string toBytes(const ModelFile& file) {
    const std::string numbers = numbersOf(file);
    nlohmann::json parts = nlohmann::json::array();
    for (const NamedNumbers& part : file.parts) parts.push_back({{"name", part.name}, {"count", part.values.size()}});
    const nlohmann::json header{{"kind", file.kind},
                                {"description", nlohmann::json::parse(file.description, nullptr, false)},
                                {"parts", std::move(parts)}};
    const std::string text = header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return fmt::format("{}{}\n{}\n{}\n", Mark, ModelFile::CurrentVersion, digestOf(text, numbers), text) + numbers;
}

Result<ModelFile> readModel(std::string_view name, std::string_view bytes) {
    const auto first = bytes.starts_with(Mark) ? takeLine(bytes) : std::nullopt;
    const std::optional<int> version = first ? numberFrom<int>(first->substr(Mark.size())) : std::nullopt;
    if (!version) {
        return Error{ErrorCode::Parse, fmt::format("{} is no model", name), std::nullopt,
                     "models are written by `mitos-cli train`"};
    }
    if (*version != ModelFile::CurrentVersion) {
        return Error{ErrorCode::Incompatible,
                     fmt::format("{} is a model of format {}, and this program reads format {}", name, *version,
                                 ModelFile::CurrentVersion),
                     std::nullopt, "use the version of Mitos that wrote it, or train the model again"};
    }
    const auto digest = takeLine(bytes);
    const auto text = takeLine(bytes);
    if (!digest || !text) return damaged(name, "it ends within its description");
    if (text->size() > LongestDescription || jsonNesting(*text) > DeepestDescription)
        return damaged(name, "its description is too long");
    const auto header = nlohmann::json::parse(*text, nullptr, false);
    if (!header.is_object() || !header.contains("description") || !header["description"].is_object() ||
        !header.contains("parts") || !header["parts"].is_array()) {
        return damaged(name, "its description cannot be read");
    }
    ModelFile file{.kind = fieldOf<std::string>(header, "kind").value_or(""),
                   .description = header["description"].dump()};
    const std::string_view numbers = bytes;
    std::size_t expected = 0;
    for (const nlohmann::json& part : header["parts"]) {
        const auto count = part.is_object() ? fieldOf<std::uint64_t>(part, "count") : std::nullopt;
        if (!count || *count > LargestModel / sizeof(float)) return damaged(name, "its description cannot be read");
        const std::size_t size = static_cast<std::size_t>(*count) * sizeof(float);
        expected += size;
        if (size > bytes.size()) {
            return damaged(name, fmt::format("it was cut off: there are {} bytes of numbers, and it has at least {}",
                                             numbers.size(), expected));
        }
        NamedNumbers& one = file.parts.emplace_back();
        one.name = fieldOf<std::string>(part, "name").value_or("");
        one.values.resize(static_cast<std::size_t>(*count));
        if (size > 0) std::memcpy(one.values.data(), bytes.data(), size);
        bytes.remove_prefix(size);
    }
    if (!bytes.empty()) return damaged(name, fmt::format("{} bytes follow its numbers", bytes.size()));
    if (digestOf(*text, numbers) != *digest) return damaged(name, "it has changed since it was written");
    return file;
}

Status saveModel(const std::string& path, const ModelFile& file) {
    return writeFileWith(path, [&](std::ostream& out) -> Status {
        const std::string bytes = toBytes(file);
        out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        return Success{};
    });
}

Result<ModelFile> loadModel(const std::string& path) {
    MITOS_TRY(std::ifstream stream, openFile(path));
    std::string bytes;
    constexpr std::size_t Chunk = 1U << 20U;
    while (stream && bytes.size() <= LargestModel) {
        const std::size_t before = bytes.size();
        bytes.resize(before + Chunk);
        stream.read(bytes.data() + before, Chunk);
        bytes.resize(before + static_cast<std::size_t>(stream.gcount()));
    }
    if (bytes.size() > LargestModel)
        return Error{ErrorCode::Limit, fmt::format("{} is larger than 1 GiB", path), std::nullopt, "name a model"};
    return readModel(path, bytes);
}

}  // namespace mitos::search::learned

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/profile.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cassert>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace mitos::cost {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::string_view ProfileFormat = "mitos cost profile";
constexpr std::int64_t FormatVersion = 1;
constexpr std::string_view ProfileEnding = ".json";

/// The texts of a setup, with their names in files.
constexpr std::array<std::pair<const char*, std::string MeasuringSetup::*>, 6> SetupTexts{{
    {"device", &MeasuringSetup::device},
    {"processor", &MeasuringSetup::processor},
    {"features", &MeasuringSetup::features},
    {"runtime", &MeasuringSetup::runtime},
    {"blas", &MeasuringSetup::blas},
    {"settings", &MeasuringSetup::settings},
}};
constexpr std::array<std::pair<const char*, std::int64_t MeasuringSetup::*>, 2> SetupNumbers{{
    {"protocol", &MeasuringSetup::protocol},
    {"threads", &MeasuringSetup::threads},
}};

/// Reads the parts of one profile; the first mistake is kept.
class Reader {
public:
    explicit Reader(std::string name) { m_profile.name = std::move(name); }

    Result<CostProfile> read(std::string_view text) {
        const json whole = parse(text);
        if (m_failed) return *std::move(m_failed);
        if (whole.is_discarded()) return failure("this is no JSON text, or its end is missing");
        if (!whole.is_object() || textOf(whole, "format") != ProfileFormat) {
            return failure(fmt::format("this is no cost profile: \"format\" must be \"{}\"", ProfileFormat));
        }
        const std::int64_t version = numberOf(whole, "version");
        if (version > FormatVersion) {
            return Error{ErrorCode::Incompatible,
                         fmt::format("cost profile {}: its format has version {}, and this program reads version {}",
                                     m_profile.name, version, FormatVersion),
                         std::nullopt, "use a newer version of this program"};
        }
        if (version < 1) return failure("\"version\" must be a number from 1 on");
        m_profile.title = textOf(whole, "title").value_or(m_profile.name);
        readSetup(whole);
        m_profile.drift = secondsOf(whole, "drift", "the profile");
        for (const json& entry : listOf(whole, "operations")) readTime(entry);
        for (const json& entry : listOf(whole, "not_measured")) readRefusal(entry);
        if (m_failed) return *std::move(m_failed);
        return std::move(m_profile);
    }

private:
    Error failure(const std::string& what) const {
        return {ErrorCode::Parse, fmt::format("cost profile {}: {}", m_profile.name, what), std::nullopt,
                "mitos-cli measure FILE -o PROFILE.json writes a profile"};
    }
    void fail(const std::string& what) {
        if (!m_failed) m_failed = failure(what);
    }

    /// The value of the text; discarded if it is not JSON. An object that has a key twice is a mistake, as readers of JSON differ in
    /// which of the two counts.
    json parse(std::string_view text) {
        std::vector<std::set<std::string>> open;  // the keys of each object that has not ended yet
        const auto check = [&](int /*depth*/, json::parse_event_t event, const json& parsed) {
            if (event == json::parse_event_t::object_start) open.emplace_back();
            if (event == json::parse_event_t::object_end) open.pop_back();
            if (event == json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second) {
                fail(fmt::format("the key {} occurs twice in an object",
                                 parsed.dump(-1, ' ', false, json::error_handler_t::replace)));
            }
            return true;
        };
        return json::parse(text, check, false);
    }

    static std::optional<std::string> textOf(const json& object, const char* key) {
        const auto found = object.find(key);
        if (found == object.end() || !found->is_string()) return std::nullopt;
        return found->get<std::string>();
    }
    /// The whole number, or -1.
    static std::int64_t numberOf(const json& object, const char* key) {
        const auto found = object.find(key);
        if (found == object.end() || !found->is_number_integer()) return -1;
        return found->get<std::int64_t>();
    }
    double secondsOf(const json& object, const char* key, const std::string& where, double least = 0.0) {
        const auto found = object.find(key);
        if (found != object.end() && found->is_number()) {
            const double value = found->get<double>();
            if (std::isfinite(value) && value >= least && value <= LongestSeconds) return value;
        }
        fail(fmt::format("{}: \"{}\" must be a number from {} to {}", where, key, least, LongestSeconds));
        return least;
    }
    json::array_t listOf(const json& object, const char* key) {
        const auto found = object.find(key);
        if (found != object.end() && found->is_array()) return found->get<json::array_t>();
        fail(fmt::format("\"{}\" must be a list", key));
        return {};
    }

    void readSetup(const json& whole) {
        const auto setup = whole.find("setup");
        if (setup == whole.end() || !setup->is_object()) return fail("\"setup\" must be an object");
        for (const auto& [key, member] : SetupTexts) {
            const std::optional<std::string> value = textOf(*setup, key);
            if (!value) return fail(fmt::format("\"setup\": \"{}\" must be a text", key));
            m_profile.setup.*member = *value;
        }
        for (const auto& [key, member] : SetupNumbers) {
            m_profile.setup.*member = numberOf(*setup, key);
            if (m_profile.setup.*member < 1) {
                return fail(fmt::format("\"setup\": \"{}\" must be a number from 1 on", key));
            }
        }
        if (m_profile.setup.protocol != MeasuringProtocol) {
            fail(fmt::format("it was measured in another way (protocol {} instead of {}): measure anew",
                             m_profile.setup.protocol, MeasuringProtocol));
        }
    }

    /// The operation of an entry; none after a mistake.
    std::optional<Operation> operationIn(const json& entry) {
        const auto refuse = [this](const std::string& what) {
            fail(what);
            return std::nullopt;
        };
        if (!entry.is_object()) return refuse("an operation must be an object");
        OperationTexts texts{.op = textOf(entry, "operator").value_or("")};
        const auto given = entry.find("attributes");
        if (given != entry.end() && !given->is_object()) {
            return refuse(fmt::format("{}: \"attributes\" must be an object", texts.op));
        }
        const json::object_t named = given == entry.end() ? json::object_t() : given->get<json::object_t>();
        for (const auto& [name, value] : named) {
            if (!value.is_string()) return refuse(fmt::format("{}: \"{}\" must be a text", texts.op, name));
            texts.attributes.emplace_back(name, value.get<std::string>());
        }
        for (const json& input : listOf(entry, "inputs")) {
            texts.inputs.push_back(input.is_string() ? input.get<std::string>() : std::string());
        }
        Result<Operation> operation = operationFrom(texts);
        if (!operation) return refuse(operation.error().message);
        return *std::move(operation);
    }

    void readTime(const json& entry) {
        std::optional<Operation> operation = operationIn(entry);
        if (m_failed || !operation) return;
        const std::string where = text(*operation);
        Measurement time;
        time.minimum = secondsOf(entry, "minimum", where, ShortestSeconds);
        time.median = secondsOf(entry, "median", where);
        time.spread = secondsOf(entry, "spread", where);
        if (time.median < time.minimum) fail(fmt::format("{}: the median is below the minimum", where));
        time.launches = countOf(entry, "launches", where);
        time.batches = countOf(entry, "batches", where);
        time.when = numberOf(entry, "when");
        if (time.when < 0) fail(fmt::format("{}: \"when\" must be seconds since 1970", where));
        if (!m_profile.times.emplace(*std::move(operation), time).second) fail(fmt::format("{} occurs twice", where));
    }
    std::uint32_t countOf(const json& entry, const char* key, const std::string& where) {
        const std::int64_t count = numberOf(entry, key);
        if (count >= 1 && count <= std::numeric_limits<std::uint32_t>::max()) return static_cast<std::uint32_t>(count);
        fail(fmt::format("{}: \"{}\" must be a number from 1 on", where, key));
        return 1;
    }

    void readRefusal(const json& entry) {
        std::optional<Operation> operation = operationIn(entry);
        if (m_failed || !operation) return;
        const std::optional<std::string> reason = textOf(entry, "reason");
        if (!reason) return fail(fmt::format("{}: \"reason\" must be a text", text(*operation)));
        m_profile.refused.emplace(*std::move(operation), *reason);
    }

    CostProfile m_profile;
    std::optional<Error> m_failed;
};

ordered_json entryOf(const Operation& operation) {
    const OperationTexts texts = textsOf(operation);
    ordered_json entry{{"operator", texts.op}};
    if (!texts.attributes.empty()) {
        ordered_json attributes = ordered_json::object();
        for (const auto& [name, value] : texts.attributes) attributes[name] = value;
        entry["attributes"] = std::move(attributes);
    }
    entry["inputs"] = texts.inputs;
    return entry;
}

std::map<std::string_view, CostProfile> parsedShippedProfiles() {
    std::map<std::string_view, CostProfile> parsed;
    for (const ShippedProfile& shipped : shippedProfiles()) {
        Result<CostProfile> profile = readProfile(std::string(shipped.name), shipped.text);
        assert(profile.ok());  // it comes with the program
        parsed.emplace(shipped.name, *std::move(profile));
    }
    return parsed;
}

}  // namespace

std::string titleOf(const MeasuringSetup& setup) {
    return fmt::format(
        "{}, {}{}", setup.processor, setup.runtime,
        setup.device == "cpu" ? fmt::format(", {} thread{}", setup.threads, setup.threads == 1 ? "" : "s") : "");
}

std::int64_t secondsNow() {
    return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

Result<CostProfile> readProfile(std::string name, std::string_view text) { return Reader(std::move(name)).read(text); }

std::string profileText(const CostProfile& profile) {
    ordered_json setup;
    for (const auto& [key, member] : SetupTexts) setup[key] = profile.setup.*member;
    for (const auto& [key, member] : SetupNumbers) setup[key] = profile.setup.*member;
    ordered_json head{{"format", ProfileFormat},
                      {"version", FormatVersion},
                      {"title", profile.title},
                      {"setup", setup},
                      {"drift", profile.drift}};
    // One line an operation, so that files can be read and compared line by line.
    std::string text = head.dump(1);
    text.erase(text.rfind('}') - 1);
    const auto list = [&text](const char* name, const auto& entries, auto&& add) {
        text += fmt::format(",\n \"{}\": [", name);
        const char* before = "\n  ";
        for (const auto& [operation, value] : entries) {
            ordered_json entry = entryOf(operation);
            add(entry, value);
            text += before + entry.dump();
            before = ",\n  ";
        }
        text += "\n ]";
    };
    list("operations", profile.times, [](ordered_json& entry, const Measurement& time) {
        entry["minimum"] = time.minimum;
        entry["median"] = time.median;
        entry["spread"] = time.spread;
        entry["launches"] = time.launches;
        entry["batches"] = time.batches;
        entry["when"] = time.when;
    });
    list("not_measured", profile.refused,
         [](ordered_json& entry, const std::string& reason) { entry["reason"] = reason; });
    return text + "\n}\n";
}

Result<CostProfile> findProfile(std::string_view nameOrFile) {
    static const std::map<std::string_view, CostProfile> parsed = parsedShippedProfiles();  // they are large
    std::string known;
    for (const auto& [name, profile] : parsed) {
        if (name == nameOrFile) return profile;
        known += fmt::format("{}, ", name);
    }
    if (nameOrFile.ends_with(ProfileEnding)) {
        MITOS_TRY(const SourceText text, readSourceFile(std::string(nameOrFile)));
        return readProfile(std::string(nameOrFile), text.text());
    }
    return inputError(
        fmt::format("there is no cost profile \"{}\"", nameOrFile),
        fmt::format("cost profiles: {}or a .json file; mitos-cli measure FILE -o PROFILE.json writes one", known));
}

ParameterInfo profileParameter() {
    ParameterInfo profile{.name = "profile",
                          .title = "Profile",
                          .help = "a profile of `resources/costs`, or a .json file that `mitos-cli measure` wrote",
                          .defaultValue = std::string(DefaultProfile),
                          .fileEnding = std::string(ProfileEnding)};
    for (const ShippedProfile& shipped : shippedProfiles()) profile.choices.emplace_back(shipped.name);
    return profile;
}

std::string differences(const MeasuringSetup& a, const MeasuringSetup& b) {
    std::string differences;
    const auto add = [&](const char* what, const auto& first, const auto& second) {
        if (first == second) return;
        differences += fmt::format("{}{}: {} instead of {}", differences.empty() ? "" : "; ", what, first, second);
    };
    for (const auto& [key, member] : SetupTexts) add(key, a.*member, b.*member);
    for (const auto& [key, member] : SetupNumbers) add(key, a.*member, b.*member);
    return differences;
}

Status merge(CostProfile& profile, const CostProfile& more) {
    if (const std::string other = differences(more.setup, profile.setup); !other.empty()) {
        return inputError(
            fmt::format("the profiles were measured differently, so their times cannot be in one profile: {}", other),
            "write them to different files");
    }
    for (const auto& [operation, time] : more.times) {
        const auto [known, isNew] = profile.times.emplace(operation, time);
        if (!isNew && known->second.when <= time.when) known->second = time;
        profile.refused.erase(operation);
    }
    for (const auto& [operation, reason] : more.refused) {
        if (!profile.times.contains(operation)) profile.refused.insert_or_assign(operation, reason);
    }
    profile.drift = std::max(profile.drift, more.drift);
    return Success{};
}

}  // namespace mitos::cost

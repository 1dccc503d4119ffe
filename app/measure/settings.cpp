// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/measure/settings.h"

#include <array>
#include <charconv>
#include <cmath>

namespace mitos::measure {

namespace {

template <typename Number>
bool readNumber(std::string_view text, Number& value, Number least) {
    Number number{};
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool isGood = failed == std::errc() && end == text.data() + text.size() && number >= least;
    if (isGood) value = number;
    return isGood;
}

bool readAmount(std::string_view text, double& value) { return readNumber(text, value, 0.0) && std::isfinite(value); }

}  // namespace

bool set(Settings& settings, std::string_view name, std::string_view value) {
    if (name == "device") {
        if (value != "cpu" && value != "cuda") return false;
        settings.isCuda = value == "cuda";
        return true;
    }
    constexpr std::int64_t MostThreads = 1024;
    if (name == "threads") {
        return readNumber<std::int64_t>(value, settings.threads, 1) && settings.threads <= MostThreads;
    }
    if (name == "seconds") return readAmount(value, settings.seconds);
    if (name == "memory") return readAmount(value, settings.memoryBytes);
    if (name == "patience") return readAmount(value, settings.patienceSeconds);
    return false;
}

std::vector<std::string> flagsOf(const Settings& settings) {
    return {"--device",   settings.isCuda ? "cuda" : "cpu",    "--threads", std::to_string(settings.threads),
            "--seconds",  numberText(settings.seconds),        "--memory",  numberText(settings.memoryBytes),
            "--patience", numberText(settings.patienceSeconds)};
}

std::string numberText(double value) {
    std::array<char, 32> text{};
    const auto [end, failed] = std::to_chars(text.data(), text.data() + text.size(), value);
    return failed == std::errc() ? std::string(text.data(), end) : "0";
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
    return parts;
}

}  // namespace mitos::measure

// SPDX-License-Identifier: GPL-3.0-or-later
// Cost profiles: the times of operations as they were measured on one machine with one runtime, as JSON files that can be inspected and
// handed on. resources/help/cost-profiles.md describes the format.
#pragma once

#include "core/base/parameters.h"
#include "core/base/result.h"
#include "core/base/source_text.h"
#include "core/cost/operation.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace mitos::cost {

/// The shortest and the longest time of an operation, in seconds; others are mistakes.
inline constexpr double ShortestSeconds = 1e-12;
inline constexpr double LongestSeconds = 1e6;

/// How long an operation took, in seconds.
struct Measurement {
    double minimum = 0.0;  ///< of the batches' means: what ranks operations, since noise only adds time
    double median = 0.0;
    double spread = 0.0;         ///< interquartile range of the batches' means
    std::uint32_t launches = 1;  ///< of the operation in one batch
    std::uint32_t batches = 1;
    std::int64_t when = 0;  ///< seconds since 1970, UTC

    friend bool operator==(const Measurement&, const Measurement&) = default;
};

/// What times depend on besides the operation. Times of different setups are never mixed in one profile.
struct MeasuringSetup {
    std::int64_t protocol = 1;  ///< version of the way of measuring
    std::string device;         ///< "cpu", "cuda"
    std::string processor;      ///< its name: "Intel(R) Xeon(R) Silver 4210R CPU @ 2.40GHz"
    std::string features;       ///< its vector instructions, "avx2 avx512f", or the compute capability of a GPU
    std::string runtime;        ///< with version: "LibTorch 1.13.0", "ONNX Runtime 1.32.0"
    std::string blas;           ///< with the core that it chose: "OpenBLAS 0.3.21 SkylakeX"; empty: the runtime's own
    std::int64_t threads = 1;
    std::string settings;  ///< what else was chosen: "TF32 off", "level all"; may be empty

    friend bool operator==(const MeasuringSetup&, const MeasuringSetup&) = default;
};

/// The setup in a few words, for titles: "AMD EPYC, LibTorch 1.13.0, 1 thread".
[[nodiscard]] std::string titleOf(const MeasuringSetup& setup);

/// The present time as Measurement::when has it.
[[nodiscard]] std::int64_t secondsNow();

/// The present version of MeasuringSetup::protocol.
inline constexpr std::int64_t MeasuringProtocol = 1;

struct CostProfile {
    std::string name;   ///< "laptop", or the file's whole path
    std::string title;  ///< shown to users
    MeasuringSetup setup;
    std::map<Operation, Measurement> times;
    std::map<Operation, std::string> refused;  ///< operations that could not be measured, with the reason
    double drift = 0.0;  ///< how much slower a fixed calibration ran at its worst than at its best: 0.1 is 10 %

    friend bool operator==(const CostProfile&, const CostProfile&) = default;
};

/// A profile drifts, so that its times are not comparable with each other, from here on.
inline constexpr double LargestDrift = 0.1;

/// Reads a profile. Errors name the entry: no JSON, a key that occurs twice, no profile, a newer version, an unknown operator, inputs that
/// it cannot have, a time that is not a time.
[[nodiscard]] Result<CostProfile> readProfile(std::string name, std::string_view text);
/// The profile as a JSON file; readProfile reads it to an equal profile.
[[nodiscard]] std::string profileText(const CostProfile& profile);

struct ShippedProfile {
    std::string_view name;
    std::string_view text;
};
[[nodiscard]] std::span<const ShippedProfile> shippedProfiles();
/// Finds a profile that comes with the program by name, or reads the file if the path ends in .json.
[[nodiscard]] Result<CostProfile> findProfile(std::string_view nameOrFile);

/// The profile of measured costs if none is given.
inline constexpr std::string_view DefaultProfile = "epyc-libtorch";
/// The parameter `profile` of cost models: a shipped profile, or a .json file.
[[nodiscard]] ParameterInfo profileParameter();

/// Adds the entries of `more` to `profile`; the newer of two times counts. Fails if the setups differ (the error says in what).
[[nodiscard]] Status merge(CostProfile& profile, const CostProfile& more);
/// What differs between two setups, in words: "processor: A instead of B; threads: 1 instead of 4"; empty if nothing does.
[[nodiscard]] std::string differences(const MeasuringSetup& a, const MeasuringSetup& b);

}  // namespace mitos::cost

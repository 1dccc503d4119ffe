// SPDX-License-Identifier: GPL-3.0-or-later
// What a session keeps of a tensor program besides its text: not the numbers of its weights, but where they come from.
#pragma once

#include <string>
#include <vector>

namespace mitos::storage {

/// Keys of Session::setValue that every program which writes sessions sets.
inline constexpr const char* CurrentStateKey = "current-state";
inline constexpr const char* RulesKey = "rules";
inline constexpr const char* CostModelKey = "cost-model";
inline constexpr const char* AssumptionsKey = "assumptions";  ///< AssumptionsAllowed, or another value
inline constexpr const char* AssumptionsAllowed = "allowed";
inline constexpr const char* ModelKey = "model";  ///< a StoredModel

/// Where weights and opaque nodes of a tensor program come from.
struct ModelSource {
    enum class Kind {
        Sampled,  ///< nobody gave any: random numbers, always the same
        File,
        Network,  ///< one of core/networks
    };
    Kind kind = Kind::Sampled;
    std::string place = {};   ///< absolute path of the file, or name of the network
    bool realistic = false;   ///< the network's style
    std::string digest = {};  ///< of the file's weights; empty: nobody took it
};

struct StoredModel {
    ModelSource source = {};
    std::string name = {};                  ///< of the model's graph
    std::vector<std::string> outputs = {};  ///< their names
};

[[nodiscard]] std::string toJson(const StoredModel& model);
/// What cannot be read is left at its default: a session without it is still a session.
[[nodiscard]] StoredModel modelFromJson(const std::string& json);

}  // namespace mitos::storage

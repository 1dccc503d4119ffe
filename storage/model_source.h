// SPDX-License-Identifier: GPL-3.0-or-later
// Data that a session stores for a tensor program besides its text: the source of its weights, not their values.
#pragma once

#include <string>
#include <vector>

namespace mitos::storage {

/// Keys of Session::setValue() that every program sets when it writes a session.
inline constexpr const char* CurrentStateKey = "current-state";
inline constexpr const char* RulesKey = "rules";
inline constexpr const char* CostModelKey = "cost-model";
inline constexpr const char* AssumptionsKey = "assumptions";  ///< AssumptionsAllowed, or another value
inline constexpr const char* AssumptionsAllowed = "allowed";
inline constexpr const char* ModelKey = "model";  ///< a StoredModel

/// The source of the weights and opaque nodes of a tensor program.
struct ModelSource {
    enum class Kind {
        Sampled,  ///< no weights were given: random numbers from a fixed seed
        File,
        Network,  ///< one of core/networks
    };
    Kind kind = Kind::Sampled;
    std::string place = {};   ///< absolute path of the file, or name of the network
    bool realistic = false;   ///< the network's style
    std::string digest = {};  ///< of the file's weights; empty if it was not computed
};

struct StoredModel {
    ModelSource source = {};
    std::string name = {};                  ///< of the model's graph
    std::vector<std::string> outputs = {};  ///< names of the outputs
};

[[nodiscard]] std::string toJson(const StoredModel& model);
/// Fields that cannot be read keep their defaults, since a session without them is still valid.
[[nodiscard]] StoredModel modelFromJson(const std::string& json);

}  // namespace mitos::storage

// SPDX-License-Identifier: GPL-3.0-or-later
// See new_program.h.
#include "storage/workspace/new_program.h"

namespace mitos::storage {

Result<ProgramId> storeProgram(Session& session, const NewProgram& program) {
    MITOS_TRY(const ProgramId id, session.addProgram(program.title, program.source, program.text));
    MITOS_REQUIRE(session.addStates(id, program.states));
    MITOS_REQUIRE(session.setValue(RulesKey, program.rules));
    MITOS_REQUIRE(session.setValue(AssumptionsKey, toText(program.assumptions)));
    MITOS_REQUIRE(session.setValue(CostModelKey, program.costModel));
    if (program.model) MITOS_REQUIRE(session.setValue(ModelKey, toJson(*program.model)));
    MITOS_REQUIRE(session.setValue(CurrentStateKey, std::to_string(program.current)));
    if (program.labels != SessionLabels()) MITOS_REQUIRE(session.setValue(LabelsKey, toJson(program.labels)));
    return id;
}

std::string toText(rules::Assumptions assumptions) {
    return assumptions == rules::Assumptions::Allowed ? AssumptionsAllowed : "forbidden";
}

std::vector<StoredState> storedStates(ir::TermBank& bank, const rewrite::History& history, std::size_t first) {
    std::vector<StoredState> states;
    for (std::size_t id = first; id < history.size(); ++id) {
        states.push_back(toStored(bank, history, rewrite::StateId(static_cast<std::uint32_t>(id))));
    }
    return states;
}

}  // namespace mitos::storage

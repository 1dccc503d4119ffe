// SPDX-License-Identifier: GPL-3.0-or-later
// Writes to a session without end and says on standard output what is kept, as soon as it is: for tests that kill it.
//
//   opened                       the session is open
//   program P                    program P is kept
//   state P I                    state I of program P is kept, with its marks
//   value V                      the value "count" is V
//   run R                        run R has begun
//   handed R N                   event N of run R went to the RunWriter (and may still wait for its batch)
//   finished R N                 run R is finished, with N events
//
// With a second argument it only sets the value "seen" to it, and closes the session.
#include "storage/session.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

using namespace mitos;

namespace {

constexpr int EventsOfARun = 600;

/// One write(2) a line: what stands in the pipe is what was reached.
void say(const std::string& text) {
    const std::string line = text + "\n";
    if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) std::exit(3);
}

void require(const Status& status) {
    if (status) return;
    std::fprintf(stderr, "%s\n", status.error().render().c_str());
    std::exit(2);
}

class Handed final : public search::Observer {
public:
    explicit Handed(search::RunId run) : m_run(run) {}
    void onEvent(const search::SearchEvent& event) override {
        say("handed " + std::to_string(m_run.value) + " " + std::to_string(event.evaluations));
    }

private:
    search::RunId m_run;
};

void writeRun(storage::Session& session, search::ProgramId program) {
    search::Run run;
    run.program = program;
    run.strategy = "test";
    const Result<search::RunId> id = session.beginRun(run);
    if (!id) require(id.error());
    run.id = *id;
    say("run " + std::to_string(id->value));
    Handed handed(*id);
    storage::RunWriter writer(session, *id, &handed, 0.5);
    for (int number = 1; number <= EventsOfARun; ++number) {
        search::SearchEvent event;
        event.evaluations = static_cast<std::uint64_t>(number);
        event.seconds = 0.02 * number;  // batches by time: 25 events each
        writer.onEvent(event);
    }
    require(writer.flush());
    require(session.finishRun(run));
    say("finished " + std::to_string(id->value) + " " + std::to_string(EventsOfARun));
}

}  // namespace

int main(int argc, char* argv[]) {
    if (argc != 2 && argc != 3) return 2;
    Result<storage::Session> session = storage::Session::open(argv[1]);
    if (!session) require(session.error());
    say("opened");
    if (argc == 3) {
        require(session->setValue("seen", argv[2]));
        return 0;
    }
    for (std::uint32_t count = 1;; ++count) {
        const Result<search::ProgramId> program = session->addProgram("p", "", "(add x y)");
        if (!program) require(program.error());
        const std::string number = std::to_string(program->value);
        say("program " + number);
        for (std::uint32_t i = 0; i < 6; ++i) {
            storage::StoredState state;
            state.id = i;
            if (i > 0) state.parent = i - 1;
            require(session->addStates(*program, {state}));
            const std::string mark = "state " + number + " " + std::to_string(i);
            require(session->markState(*program, i, {.name = mark, .note = {}, .pinned = true, .color = i}));
            say(mark);
        }
        require(session->setValue("count", std::to_string(count)));
        say("value " + std::to_string(count));
        writeRun(*session, *program);
    }
}

// SPDX-License-Identifier: GPL-3.0-or-later
// mitos-cli: the core for scripts, servers and machines without a display.
#include "app/cli/commands.h"
#include "app/cli/context.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <utility>

namespace {

int run(int argc, char** argv) {
    using namespace mitos::cli;
    CLI::App app{
        "Mitos: explore how programs can be rewritten, and let searches find the way.\n"
        "FILE is a .ks program or a bare expression over Floats; - reads standard input.",
        "mitos-cli"};
    app.set_version_flag("--version", MITOS_VERSION);
    app.require_subcommand(1);

    std::function<int()> chosen;
    const Choose choose = [&chosen](std::function<int()> work) { chosen = std::move(work); };
    addInfoCommand(app, choose);
    addShowCommand(app, choose);
    addRewritesCommand(app, choose);
    addApplyCommand(app, choose);
    addOptimizeCommand(app, choose);
    addExportCommand(app, choose);
    addRulesCommand(app, choose);
    addMatchCommand(app, choose);
    addEvalCommand(app, choose);
    addListCommands(app, choose);

    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& request) {  // --help, --version
        return app.exit(request);
    } catch (const CLI::ParseError& error) {
        fmt::print(stderr, "mitos-cli: {} (see mitos-cli --help)\n", error.what());
        return BadInput;
    }
    const int status = chosen();
    if (std::fflush(stdout) != 0) {
        fmt::print(stderr, "mitos-cli: standard output could not be written completely\n");
        return BadInput;
    }
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {  // memory, or a defect of ours: say so instead of aborting
        fmt::print(stderr, "mitos-cli: internal error: {}\n", error.what());
        return mitos::cli::BadInput;
    }
}

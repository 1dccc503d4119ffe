// SPDX-License-Identifier: GPL-3.0-or-later
// mitos-cli: the core for scripts, servers and machines without a display.
#include "app/cli/commands.h"
#include "app/cli/context.h"
#include "app/cli/standard_streams.h"
#include "core/base/child_process.h"
#include "core/base/process_memory.h"
#include "core/base/suggestion.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

/// A message about invalid arguments, with a suggestion.
std::string usageProblem(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
    const CLI::App* command = &app;
    std::string path = "mitos-cli";
    while (!command->get_subcommands().empty()) {
        command = command->get_subcommands().front();
        path += " " + command->get_name();
    }
    std::vector<std::string_view> commands;
    std::vector<std::string> options;
    for (const CLI::App* sub : command->get_subcommands([](const CLI::App*) { return true; }))
        commands.emplace_back(sub->get_name());
    for (const CLI::Option* option : command->get_options([](const CLI::Option*) { return true; }))
        for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
    // The first word after the commands is the unknown one; unknown options may occur anywhere.
    const auto words = static_cast<int>(std::ranges::count(path, ' '));
    if (!commands.empty() && words + 1 < argc && argv[words + 1][0] != '-') {
        const std::string_view word = argv[words + 1];
        return fmt::format("there is no command \"{}\": {}", word,
                           mitos::suggestion(word, commands, fmt::format("see {} --help", path)));
    }
    if (const auto* extras = dynamic_cast<const CLI::ExtrasError*>(&error); extras != nullptr) {
        for (int i = 1; i < argc; ++i) {
            const std::string_view word = std::string_view(argv[i]).substr(0, std::string_view(argv[i]).find('='));
            if (!word.starts_with("--") || std::ranges::find(options, word) != options.end()) continue;
            const std::vector<std::string_view> names(options.begin(), options.end());
            return fmt::format("{} has no option {}: {}", path, word,
                               mitos::suggestion(word, names, fmt::format("see {} --help", path)));
        }
    }
    return fmt::format("{} (see {} --help)", error.what(), path);
}

/// Without the parser, which may have failed, and without allocating.
bool asksForJson(int argc, char** argv) {
    return std::any_of(argv, argv + argc,
                       [](std::string_view word) { return word == "--json" || word == "--json=true"; });
}

int run(int argc, char** argv) {
    using namespace mitos;
    using namespace mitos::cli;
    CLI::App app{
        "Mitos: explore how programs can be rewritten, and let searches find the way.\n"
        "FILE is a .ks program, a tensor program or a model; - reads standard input. --expr '(mul x 2.0)' gives the\n"
        "program itself instead. For info, show, export and extract, FILE may be an e-graph (.json).",
        "mitos-cli"};
    app.set_version_flag("--version", MITOS_VERSION);
    app.require_subcommand(1);

    std::function<Result<int>()> chosen;
    const Choose choose = [&chosen](std::function<Result<int>()> work) { chosen = std::move(work); };
    addInfoCommand(app, choose);
    addShowCommand(app, choose);
    addRewritesCommand(app, choose);
    addApplyCommand(app, choose);
    addOptimizeCommand(app, choose);
    addCompareCommand(app, choose);
    addExperimentCommand(app, choose);
    addExportCommand(app, choose);
    addExtractCommand(app, choose);
    addGenerateCommand(app, choose);
    addGradCommand(app, choose);
    addRulesCommand(app, choose);
    addMatchCommand(app, choose);
    addEvalCommand(app, choose);
    addPartitionCommand(app, choose);
    addSaturateCommand(app, choose);
    addModelCommand(app, choose);
    addMeasureCommand(app, choose);
    addScheduleCommand(app, choose);
    addTimeCommand(app, choose);
    addTrainCommand(app, choose);
    addListCommands(app, choose);

    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& request) {  // --help, --version
        std::ostringstream text;
        const int status = app.exit(request, text, text);
        fmt::print("{}", text.str());
        return status;
    } catch (const CLI::ParseError& error) {
        fmt::print(stderr, "mitos-cli: {}\n", usageProblem(app, error, argc, argv));
        return BadInput;
    }
    const Result<int> status = chosen();
    return status ? *status : fail(status.error(), asksForJson(argc, argv));
}

/// Reports that memory is exhausted, without allocating.
int notEnoughMemory(int argc, char** argv) {
    if (asksForJson(argc, argv)) {
        std::fputs("{\"error\": {\"code\": \"limit\", \"message\": \"there is not enough memory\"}}\n", stdout);
        std::fflush(stdout);
    }
    std::fputs(
        "mitos-cli: there is not enough memory for this; use a smaller program, or lower limits (--nodes, --memory)\n",
        stderr);
    return mitos::cli::BadInput;
}

int runGuarded(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::bad_alloc&) {
        return notEnoughMemory(argc, argv);
    } catch (const std::exception& error) {
        // A defect of this program: report it instead of aborting.
        fmt::print(stderr, "mitos-cli: internal error: {}\n", error.what());
        return mitos::cli::BadInput;
    }
}

}  // namespace

int main(int argc, char** argv) {
    mitos::returnLargeBlocks();
    mitos::cli::StandardStreams streams;
    mitos::TemporaryFolder::cleanUp();
    const int status = runGuarded(argc, argv);
    const std::optional<int> failure = streams.finish();
    if (!failure) return status;
    if (*failure == EPIPE) mitos::cli::StandardStreams::endByPipe();
    fmt::print(stderr, "mitos-cli: standard output could not be written completely ({})\n", std::strerror(*failure));
    return mitos::cli::BadInput;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// mitos-measure: times operations through LibTorch. It reads requests from standard input, one operation a line, and answers each with a
// line on standard output (README.md). It opens no file that its input names.
#include "app/measure/settings.h"
#include "app/measure/supervisor.h"
#include "app/measure/worker.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace mitos::measure;

constexpr int BadUsage = 2;
constexpr const char* Usage =
    "usage: mitos-measure [--device cpu|cuda] [--threads N] [--seconds S] [--memory BYTES] [--patience S]"
    " < REQUESTS > ANSWERS\n";
constexpr const char* Help =
    "\n"
    "Times operations on this machine through LibTorch. 'mitos-cli measure MODEL --requests REQUESTS' writes the\n"
    "requests, and 'mitos-cli measure --answers ANSWERS -o PROFILE.json' makes a cost profile of the answers; both\n"
    "may run on other machines. Flags override what the requests state.\n"
    "\n"
    "  --device cpu|cuda   where the operations run (cpu)\n"
    "  --threads N         threads of LibTorch (1)\n"
    "  --seconds S         least time spent on each operation (0.25)\n"
    "  --memory BYTES      that measuring may use (half of the machine's)\n"
    "  --patience S        after which an operation without a time is given up (240)\n"
    "\n"
    "An operation that crashes or hangs the process that measures it is refused, and a new process goes on with the\n"
    "next one. Answers are written as they come; a file without the line 'end' was interrupted, and has those "
    "before.\n";

struct Flag {
    std::string_view name;
    std::string_view value;
};

/// Sets what the flags say. Returns whether all of them are good.
bool setAll(Settings& settings, const std::vector<Flag>& flags) {
    for (const Flag& flag : flags) {
        if (!set(settings, flag.name, flag.value)) return false;
    }
    return true;
}

int run(const std::vector<Flag>& flags, bool isWorker) {
    Settings settings;
    if (isWorker) {
        if (!setAll(settings, flags)) return BadUsage;
        work(settings);
        return EXIT_SUCCESS;
    }
    const std::vector<std::string> requests = readRequests(std::cin, settings);
    if (!setAll(settings, flags)) return BadUsage;
    return supervise(settings, requests);
}

}  // namespace

int main(int count, char** words) {
    std::vector<std::string_view> given(words + 1, words + count);
    if (given.size() == 1 && (given[0] == "--help" || given[0] == "-h")) {
        std::cout << Usage << Help;
        return EXIT_SUCCESS;
    }
    const bool isWorker = !given.empty() && given[0] == WorkerFlag;
    if (isWorker) given.erase(given.begin());
    std::vector<Flag> flags;
    constexpr std::string_view Dashes = "--";
    bool isGood = given.size() % 2 == 0;
    for (std::size_t i = 0; i + 1 < given.size(); i += 2) {
        isGood = isGood && given[i].substr(0, Dashes.size()) == Dashes;
        flags.push_back({given[i].substr(std::min(given[i].size(), Dashes.size())), given[i + 1]});
    }
    if (Settings checked; !isGood || !setAll(checked, flags)) {
        std::cerr << Usage;
        return BadUsage;
    }
    try {
        return run(flags, isWorker);
    } catch (const BadRequests& error) {
        std::cerr << "mitos-measure: " << error.what() << '\n';
        return BadUsage;
    } catch (const std::exception& error) {
        std::cerr << "mitos-measure: " << error.what() << '\n';
        return EXIT_FAILURE;
    }
}

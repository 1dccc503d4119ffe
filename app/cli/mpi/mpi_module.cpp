// SPDX-License-Identifier: GPL-3.0-or-later
// See mpi_module.h. Only functions of MPI 3.0.
#include "app/cli/mpi/mpi_module.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <mpi.h>
#include <sched.h>
#include <thread>
#include <vector>

namespace mitos::cli {

namespace {

bool isGood(int code) { return code == MPI_SUCCESS; }

/// MPI's own functions wait with a busy processor, which others need: threads of this process, and other processes where there are
/// more of them than processors. A generation takes at least some hundred microseconds, so the first tests are made in a row.
bool wait(MPI_Request& request) {
    using namespace std::chrono_literals;
    constexpr int Tests = 500;
    constexpr int Yields = 100;
    auto pause = 20us;
    for (int i = 0;; ++i) {
        int isDone = 0;
        if (!isGood(MPI_Test(&request, &isDone, MPI_STATUS_IGNORE))) return false;
        if (isDone != 0) return true;
        if (i < Tests) continue;
        if (i < Tests + Yields) {
            std::this_thread::yield();
            continue;
        }
        std::this_thread::sleep_for(pause);
        pause = std::min<std::chrono::microseconds>(pause * 5 / 4, 2ms);
    }
}

std::uint32_t processes(MPI_Comm group) {
    int size = 1;
    MPI_Comm_size(group, &size);
    return static_cast<std::uint32_t>(size);
}

/// A process that exits without finish() has failed in a way that the others do not know of.
void abortUnfinished() {
    int isFinished = 0;
    MPI_Finalized(&isFinished);
    if (isFinished == 0) MPI_Abort(MPI_COMM_WORLD, 2);
}

/// The processors that this process may use, without those that others on the machine need. Launchers may bind each process to its own,
/// or several to the same.
bool shareProcessors(MPI_Comm machine, std::uint32_t* share) {
    cpu_set_t own;
    CPU_ZERO(&own);
    if (::sched_getaffinity(0, sizeof own, &own) != 0) CPU_SET(0, &own);
    cpu_set_t all = own;
    if (!isGood(MPI_Allreduce(&own, &all, sizeof own, MPI_BYTE, MPI_BOR, machine))) return false;
    const auto mine = static_cast<std::uint32_t>(CPU_COUNT(&own));
    const auto together = static_cast<std::uint32_t>(CPU_COUNT(&all));
    *share = std::max(1U, std::min(mine, together / processes(machine)));
    return true;
}

bool join(std::uint32_t* rank, std::uint32_t* size, std::uint32_t* processors) {
    int level = 0;
    if (!isGood(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level))) return false;
    std::atexit(abortUnfinished);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int number = 0;
    if (!isGood(MPI_Comm_rank(MPI_COMM_WORLD, &number))) return false;
    *rank = static_cast<std::uint32_t>(number);
    *size = processes(MPI_COMM_WORLD);
    MPI_Comm machine = MPI_COMM_NULL;
    if (!isGood(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine))) return false;
    const bool isShared = shareProcessors(machine, processors);
    return isGood(MPI_Comm_free(&machine)) && isShared;
}

using Give = void (*)(void* context, std::uint32_t rank, const char* part, std::size_t length);

bool gatherAll(const char* own, std::size_t length, void* context, Give give) {
    const std::uint32_t size = processes(MPI_COMM_WORLD);
    const std::uint64_t mine = length;
    std::vector<std::uint64_t> left(size);
    MPI_Request request = MPI_REQUEST_NULL;
    if (!isGood(MPI_Iallgather(&mine, 1, MPI_UINT64_T, left.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD, &request))) {
        return false;
    }
    if (!wait(request)) return false;
    // MPI counts bytes in an int, so long messages are sent in parts.
    constexpr std::uint64_t MostBytes = std::uint64_t{1} << 28U;
    const std::uint64_t part = std::max<std::uint64_t>(1, MostBytes / size);
    std::vector<int> counts(size);
    std::vector<int> places(size);
    std::vector<char> received;
    std::size_t sent = 0;
    while (std::any_of(left.begin(), left.end(), [](std::uint64_t bytes) { return bytes != 0; })) {
        int total = 0;
        for (std::uint32_t i = 0; i < size; ++i) {
            counts[i] = static_cast<int>(std::min(left[i], part));
            places[i] = total;
            total += counts[i];
            left[i] -= static_cast<std::uint64_t>(counts[i]);
        }
        received.resize(static_cast<std::size_t>(total));
        const auto count = static_cast<int>(std::min<std::uint64_t>(length - sent, part));
        if (!isGood(MPI_Iallgatherv(own + sent, count, MPI_CHAR, received.data(), counts.data(), places.data(),
                                    MPI_CHAR, MPI_COMM_WORLD, &request)) ||
            !wait(request)) {
            return false;
        }
        sent += static_cast<std::size_t>(count);
        for (std::uint32_t i = 0; i < size; ++i)
            give(context, i, received.data() + places[i], static_cast<std::size_t>(counts[i]));
    }
    return true;
}

bool allGather(const char* own, std::size_t length, void* context, Give give) {
    try {
        return gatherAll(own, length, context, give);
    } catch (const std::exception&) {  // there is not enough memory
        return false;
    }
}

void finish() { MPI_Finalize(); }

}  // namespace

extern "C" __attribute__((visibility("default"))) const MpiModule* mitosMpiModule();
extern "C" const MpiModule* mitosMpiModule() {
    static constexpr MpiModule Module{.join = join, .allGather = allGather, .finish = finish};
    return &Module;
}

}  // namespace mitos::cli

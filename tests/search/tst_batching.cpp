// SPDX-License-Identifier: GPL-3.0-or-later
// Requests of several threads in calls of many: who gets which reply, how large batches are, and how errors and stops spread. Calls
// wait for each other at gates instead of for times, so that what is asserted does not depend on the machine.
#include "search/learned/batching.h"
#include "tests/support/test_program.h"

#include <QObject>
#include <QTest>
#include <algorithm>
#include <atomic>
#include <latch>
#include <new>
#include <numeric>
#include <string>
#include <thread>

namespace tst_batching {

using namespace mitos;
using search::learned::BatchedCalls;

namespace {

using Squares = BatchedCalls<int, long>;
using Replies = Result<std::vector<long>>;

Replies squares(std::span<const int> numbers) {
    std::vector<long> all;
    for (const int number : numbers) all.push_back(static_cast<long>(number) * number);
    return all;
}

/// Squares whose first call waits until it is let go on; records the calls.
class Gated {
public:
    explicit Gated(std::size_t most, std::function<Replies(std::span<const int>)> function = squares)
        : calls(
              [this, function = std::move(function)](std::span<const int> numbers) {
                  batches.emplace_back(numbers.begin(), numbers.end());
                  if (batches.size() == 1) {
                      begun.count_down();
                      gate.wait();
                  }
                  return function(numbers);
              },
              most) {}

    /// Returns when that many submissions, that of the first call included, have reached the object.
    void awaitSubmissions(std::uint64_t count) const {
        while (calls.counts().submissions < count) std::this_thread::yield();
    }

    std::vector<std::vector<int>> batches = {};  // calls do not overlap
    std::latch begun{1};
    std::latch gate{1};
    Squares calls;
};

std::vector<int> sorted(std::vector<int> numbers) {
    std::ranges::sort(numbers);
    return numbers;
}

}  // namespace

class TestBatching : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aThreadAloneCallsAtOnce();
    void manyThreadsGetTheirOwnReplies();
    void whatWaitsIsOneCall();
    void aCallHasAtMostSoManyRequests();
    void anErrorReachesAllOfItsBatch();
    void anExceptionReachesAllOfItsBatch();
    void aStopEndsOnlyItsOwnSubmission();
    void aStopOfTheLeaderDoesNotEndTheOthers();
};

void TestBatching::aThreadAloneCallsAtOnce() {
    Squares calls(squares, 100);
    QCOMPARE(*calls.submit({3, 4, 5}), (std::vector<long>{9, 16, 25}));
    QCOMPARE(*calls.submit({6}), (std::vector<long>{36}));
    QVERIFY(calls.submit({})->empty());
    QCOMPARE(calls.counts().calls, std::uint64_t{2});
    QCOMPARE(calls.counts().requests, std::uint64_t{4});
}

void TestBatching::manyThreadsGetTheirOwnReplies() {
    constexpr int Threads = 4;
    constexpr int Rounds = 500;
    std::atomic<int> inside = 0;
    std::atomic<bool> overlapped = false;
    Squares calls(
        [&](std::span<const int> numbers) {
            if (++inside > 1) overlapped = true;
            std::this_thread::sleep_for(std::chrono::microseconds(20));
            Replies replies = squares(numbers);
            --inside;
            return replies;
        },
        7);
    std::atomic<int> wrong = 0;
    std::atomic<std::uint64_t> sent = 0;
    {
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < Threads; ++thread) {
            threads.emplace_back([&, thread] {
                for (int round = 0; round < Rounds; ++round) {
                    std::vector<int> numbers(static_cast<std::size_t>(round % 10));
                    std::iota(numbers.begin(), numbers.end(), 1000 * thread + round);
                    sent += numbers.size();
                    const Replies replies = calls.submit(numbers);
                    if (!replies || *replies != *squares(numbers)) ++wrong;
                }
            });
        }
    }
    QCOMPARE(wrong.load(), 0);
    QVERIFY(!overlapped);
    QCOMPARE(calls.counts().requests, sent.load());
}

/// While the call of the first thread runs, three others submit: theirs is one call.
void TestBatching::whatWaitsIsOneCall() {
    Gated gated(100);
    std::atomic<int> right = 0;
    {
        std::vector<std::jthread> threads;
        const auto submit = [&](int number) {
            threads.emplace_back([&, number] {
                const Replies replies = gated.calls.submit({number, number + 1});
                if (replies && *replies == *squares(std::vector{number, number + 1})) ++right;
            });
        };
        submit(1);
        gated.begun.wait();
        for (const int number : {10, 20, 30}) submit(number);
        gated.awaitSubmissions(4);
        gated.gate.count_down();
    }
    QCOMPARE(right.load(), 4);
    QCOMPARE(gated.batches.size(), std::size_t{2});
    QCOMPARE(gated.batches[0], (std::vector{1, 2}));
    QCOMPARE(sorted(gated.batches[1]), (std::vector{10, 11, 20, 21, 30, 31}));
}

void TestBatching::aCallHasAtMostSoManyRequests() {
    Gated gated(4);
    gated.gate.count_down();
    std::vector<int> numbers(10);
    std::iota(numbers.begin(), numbers.end(), 1);
    QCOMPARE(*gated.calls.submit(numbers), *squares(numbers));
    QCOMPARE(gated.batches, (std::vector<std::vector<int>>{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10}}));
}

/// The error is that of the second call, which three submissions share; the first and a later one are not affected.
void TestBatching::anErrorReachesAllOfItsBatch() {
    Gated gated(100, [](std::span<const int> numbers) -> Replies {
        if (std::ranges::find(numbers, 20) != numbers.end()) return Error{ErrorCode::Io, "no network for 20"};
        return squares(numbers);
    });
    std::atomic<int> failed = 0;
    std::atomic<bool> firstIsRight = false;
    {
        std::vector<std::jthread> threads;
        threads.emplace_back([&] { firstIsRight = gated.calls.submit({1}).ok(); });
        gated.begun.wait();
        for (const int number : {10, 20, 30}) {
            threads.emplace_back([&, number] {
                const Replies replies = gated.calls.submit({number});
                if (!replies && replies.error().message == "no network for 20") ++failed;
            });
        }
        gated.awaitSubmissions(4);
        gated.gate.count_down();
    }
    QVERIFY(firstIsRight);
    QCOMPARE(failed.load(), 3);
    QCOMPARE(*gated.calls.submit({5}), (std::vector<long>{25}));
}

void TestBatching::anExceptionReachesAllOfItsBatch() {
    Gated gated(100, [](std::span<const int> numbers) -> Replies {
        if (numbers.front() >= 10) throw std::bad_alloc();
        return squares(numbers);
    });
    std::atomic<int> thrown = 0;
    {
        std::vector<std::jthread> threads;
        threads.emplace_back([&] { static_cast<void>(gated.calls.submit({1})); });
        gated.begun.wait();
        for (const int number : {10, 20}) {
            threads.emplace_back([&, number] {
                try {
                    static_cast<void>(gated.calls.submit({number}));
                } catch (const std::bad_alloc&) {
                    ++thrown;
                }
            });
        }
        gated.awaitSubmissions(3);
        gated.gate.count_down();
    }
    QCOMPARE(thrown.load(), 2);
    QCOMPARE(*gated.calls.submit({5}), (std::vector<long>{25}));
}

/// The stopped submission returns while the first call still runs, and is in no call.
void TestBatching::aStopEndsOnlyItsOwnSubmission() {
    Gated gated(100);
    std::atomic<int> right = 0;
    std::optional<ErrorCode> error;
    {
        std::vector<std::jthread> threads;
        const auto submit = [&](int number) {
            threads.emplace_back([&, number] {
                if (const Replies replies = gated.calls.submit({number}); replies) ++right;
            });
        };
        submit(1);
        gated.begun.wait();
        submit(10);
        std::stop_source stop;
        std::jthread stopped([&] {
            if (const Replies replies = gated.calls.submit({20}, stop.get_token()); !replies)
                error = replies.error().code;
        });
        gated.awaitSubmissions(3);
        stop.request_stop();
        stopped.join();
        gated.gate.count_down();
    }
    QCOMPARE(error, std::optional(ErrorCode::Cancelled));
    QCOMPARE(right.load(), 2);
    QCOMPARE(gated.batches, (std::vector<std::vector<int>>{{1}, {10}}));
    std::stop_source stop;
    stop.request_stop();
    QCOMPARE(gated.calls.submit({1}, stop.get_token()).error().code, ErrorCode::Cancelled);
}

/// The leader has three requests and calls of two. It is stopped in its first call, and the next leader does without its third.
void TestBatching::aStopOfTheLeaderDoesNotEndTheOthers() {
    Gated gated(2);
    std::stop_source stop;
    std::optional<ErrorCode> error;
    std::vector<long> other;
    {
        const std::jthread leader([&] {
            if (const Replies replies = gated.calls.submit({1, 2, 3}, stop.get_token()); !replies)
                error = replies.error().code;
        });
        gated.begun.wait();
        const std::jthread next([&] { other = *gated.calls.submit({10, 11, 12}); });
        gated.awaitSubmissions(2);
        stop.request_stop();
        gated.gate.count_down();
    }
    QCOMPARE(error, std::optional(ErrorCode::Cancelled));
    QCOMPARE(other, (std::vector<long>{100, 121, 144}));
    // Whichever thread is first after the call: the request 3 is left out, or passed by the other thread.
    QCOMPARE(gated.batches.front(), (std::vector{1, 2}));
    std::size_t requests = 0;
    for (const auto& batch : gated.batches) requests += batch.size();
    QVERIFY(requests == 5 || requests == 6);
}

MITOS_TEST(TestBatching)

}  // namespace tst_batching

#include "tst_batching.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Decodes a batch on several threads.
#pragma once

#include "core/random_keys/decoder.h"

#include <algorithm>
#include <barrier>
#include <cstddef>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace mitos::random_keys {

/// Divides each batch among several decoders of the same problem, each on a thread of its own, which lives as long as this object. The answers
/// of a decoder must depend on the keys alone; then a search is the same for any number of them. decode() of the parts must not throw.
template <Decoder D>
class ParallelDecoder {
public:
    /// At least one decoder. The first one works on the calling thread.
    explicit ParallelDecoder(std::vector<D> decoders)
        : m_decoders(std::move(decoders)),
          m_begin(static_cast<std::ptrdiff_t>(m_decoders.size())),
          m_end(static_cast<std::ptrdiff_t>(m_decoders.size())) {
        for (std::size_t i = 1; i < m_decoders.size(); ++i) {
            m_threads.emplace_back([this, i] { work(i); });
        }
    }
    ParallelDecoder(const ParallelDecoder&) = delete;
    ParallelDecoder& operator=(const ParallelDecoder&) = delete;
    ~ParallelDecoder() {
        m_isOver = true;
        m_begin.arrive_and_wait();
    }

    void decode(std::span<Candidate> batch) {
        m_batch = batch;
        m_begin.arrive_and_wait();
        m_decoders.front().decode(part(0));
        m_end.arrive_and_wait();
    }

private:
    [[nodiscard]] std::span<Candidate> part(std::size_t i) const {
        const std::size_t from = m_batch.size() * i / m_decoders.size();
        const std::size_t to = m_batch.size() * (i + 1) / m_decoders.size();
        return m_batch.subspan(from, to - from);
    }
    void work(std::size_t i) {
        while (true) {
            m_begin.arrive_and_wait();
            if (m_isOver) return;
            m_decoders[i].decode(part(i));
            m_end.arrive_and_wait();
        }
    }

    std::vector<D> m_decoders;
    std::span<Candidate> m_batch;
    bool m_isOver = false;
    std::barrier<> m_begin;
    std::barrier<> m_end;
    std::vector<std::jthread> m_threads;  // last: they use the other members
};

}  // namespace mitos::random_keys

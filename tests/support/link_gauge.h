// How long a link kept those waiting who asked nothing of its faults: what the machine itself adds to a trial's delays.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "domain/endpoint.h"
#include "support/plain_client.h"

namespace ratectl::test {

/// A client with a thread of its own that sends PING over the link every few milliseconds; choosers that let reads pass
/// let it pass. Whatever holds up link, server or this thread (other processes, a hypervisor, too many workers) shows
/// as a late answer.
class LinkGauge {
public:
    explicit LinkGauge(domain::Endpoint link);
    ~LinkGauge();
    LinkGauge(const LinkGauge&) = delete;
    LinkGauge& operator=(const LinkGauge&) = delete;

    /// How long, since the beginning, an answer was overdue; an answer that is still awaited counts.
    std::chrono::nanoseconds late() const;
    /// Ends the connection.
    void stop();

private:
    void run();

    PlainClient client_;
    std::atomic<bool> stopping_ = false;
    mutable std::mutex mutex_;  // guards the next two
    std::chrono::nanoseconds late_before_{0};
    std::chrono::steady_clock::time_point due_;  // when the answer after those should have been there
    std::thread thread_;
};

}  // namespace ratectl::test

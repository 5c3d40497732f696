// A TCP link that can be held: both ends stay connected, and nothing passes until it is released.
#pragma once

#include <memory>

#include "domain/endpoint.h"

namespace ratectl::test {

/// One thread and a loopback port of its own choice; both end with the object. Bytes pass as they come, whatever they
/// mean, so that replication can go through it: a replica whose link is held has link status `up` and falls behind.
class HeldLink {
public:
    explicit HeldLink(const domain::Endpoint& server);
    ~HeldLink();
    HeldLink(const HeldLink&) = delete;
    HeldLink& operator=(const HeldLink&) = delete;

    domain::Endpoint endpoint() const;
    /// From here on nothing passes; what comes waits.
    void hold();
    void release();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace ratectl::test

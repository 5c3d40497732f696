// Redis Sentinel over servers of ours: what its configuration says, and waiting until all sentinels know all.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "domain/endpoint.h"
#include "support/error.h"
#include "support/time.h"

namespace ratectl::sandbox {

/// A primary as sentinels know it. It is up, and its replicas' links are: sentinels look for replicas every ten
/// seconds.
struct Watched {
    std::string name;
    domain::Endpoint primary;  // TCP; its password is the sentinels' too
    std::size_t replicas = 0;
};

struct FailoverTimes {
    support::Milliseconds down_after{5000};
    support::Milliseconds timeout{10'000};  // between two attempts
};

/// Lines for the configuration file of each of so many sentinels; most of them have to agree that a primary is gone.
std::string sentinel_config(const std::vector<Watched>& primaries, std::size_t sentinels, FailoverTimes times);
/// Returns when each knows the others and every replica. Error: local_io.
support::Result<void> await_sentinels(const std::vector<domain::Endpoint>& sentinels,
                                      const std::vector<Watched>& primaries, support::Deadline deadline);

}  // namespace ratectl::sandbox

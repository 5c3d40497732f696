// A proxy in front of one memcached that answers writes in its own words, as mcrouter and twemproxy do where their
// server has not answered in time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace ratectl::test {

/// One thread and a loopback port of its own choice; both end with the object. Every request comes in one piece, as
/// from ratectl.
class MemcachedProxy {
public:
    struct Answers {
        std::string line;                      // to the first write
        bool passes = false;                   // the server has done it all the same
        bool to_all = false;                   // and to all writes behind it
        std::string word = {};                 // only writes of this command count: `ma`; empty: any
        std::function<void()> meanwhile = {};  // what other programs do just before: the write then passes as it is
    };

    MemcachedProxy(std::uint16_t server, Answers answers);
    ~MemcachedProxy();
    MemcachedProxy(const MemcachedProxy&) = delete;
    MemcachedProxy& operator=(const MemcachedProxy&) = delete;

    std::string url() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace ratectl::test

// Looks host names up with getaddrinfo in a detached thread; it posts its answer only while a caller waits for it.
#include "redis/name_resolution.h"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include <netdb.h>

#include <asio/post.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

namespace ratectl::redis {

using LookupResult = tl::expected<std::vector<std::string>, std::string>;

// Shared by the loop's side and the thread. The loop's side leaves first or last: `timer` is null once it has left.
struct PendingLookup : Abortable, std::enable_shared_from_this<PendingLookup> {
    void finish(LookupResult found);
    void wake();
    void abort() override {
        aborted = true;
        wake();
    }
    void abandon() override {
        const std::lock_guard lock(mutex);
        context = nullptr;
    }

    std::mutex mutex;  // guards context and result
    asio::io_context* context = nullptr;
    std::optional<LookupResult> result;
    asio::steady_timer* timer = nullptr;  // the loop's thread only
    bool aborted = false;
};

// Called by the thread, perhaps long after the last caller has stopped waiting.
void PendingLookup::finish(LookupResult found) {
    const std::lock_guard lock(mutex);
    result = std::move(found);
    if (context != nullptr) asio::post(*context, [self = shared_from_this()] { self->wake(); });
}

void PendingLookup::wake() {
    if (timer != nullptr) timer->expires_at(support::Deadline::min());
}

// The waiting side: leaves also when its coroutine is destroyed.
class LookupWaiter {
public:
    LookupWaiter(EventLoop& loop, support::Deadline deadline)
        : pending_(std::make_shared<PendingLookup>()), timer_(loop.context(), deadline) {
        pending_->context = &loop.context();
        pending_->timer = &timer_;
        loop.add(pending_);
    }
    ~LookupWaiter() {
        const std::lock_guard lock(pending_->mutex);
        pending_->context = nullptr;
        pending_->timer = nullptr;
    }
    LookupWaiter(const LookupWaiter&) = delete;
    LookupWaiter& operator=(const LookupWaiter&) = delete;

    const std::shared_ptr<PendingLookup>& pending() const { return pending_; }
    asio::steady_timer& timer() { return timer_; }
    std::optional<LookupResult> take_result() {
        const std::lock_guard lock(pending_->mutex);
        return std::exchange(pending_->result, std::nullopt);
    }

private:
    std::shared_ptr<PendingLookup> pending_;
    asio::steady_timer timer_;
};

namespace {

struct FreeAddresses {
    void operator()(addrinfo* list) const { freeaddrinfo(list); }
};

ResolveError unknown(std::string words) { return {ResolveError::Kind::unknown, std::move(words)}; }

tl::expected<Addresses, ResolveError> to_addresses(const LookupResult& found) {
    if (!found) return tl::make_unexpected(unknown(found.error()));
    Addresses addresses;
    for (const std::string& literal : *found) {
        std::error_code error;
        const asio::ip::address address = asio::ip::make_address(literal, error);
        const bool seen = std::find(addresses.begin(), addresses.end(), address) != addresses.end();
        if (!error && !seen) addresses.push_back(address);
    }
    if (addresses.empty()) return tl::make_unexpected(unknown("no address for this name"));
    return addresses;
}

}  // namespace

tl::expected<std::vector<std::string>, std::string> system_lookup(const std::string& name) {
    addrinfo wanted{};
    wanted.ai_family = AF_UNSPEC;
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* list = nullptr;
    errno = 0;
    const int status = getaddrinfo(name.c_str(), nullptr, &wanted, &list);
    const int error = errno;
    const std::unique_ptr<addrinfo, FreeAddresses> owned(list);
    if (status == EAI_SYSTEM) return tl::make_unexpected(std::error_code(error, std::system_category()).message());
    if (status != 0) return tl::make_unexpected(std::string(gai_strerror(status)));
    std::vector<std::string> literals;
    for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
        char text[NI_MAXHOST] = {};
        if (getnameinfo(entry->ai_addr, entry->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST) == 0) {
            literals.emplace_back(text);
        }
    }
    return literals;
}

asio::awaitable<tl::expected<Addresses, ResolveError>> resolve(EventLoop& loop, std::string host, NameLookup lookup,
                                                               support::Deadline deadline) {
    std::error_code not_literal;
    const asio::ip::address literal = asio::ip::make_address(host, not_literal);
    if (!not_literal) co_return Addresses{literal};

    LookupWaiter waiter(loop, deadline);
    try {
        std::thread([pending = waiter.pending(), host, lookup = std::move(lookup)] {
            pending->finish(lookup ? lookup(host) : system_lookup(host));
        }).detach();
    } catch (const std::system_error& error) {
        co_return tl::make_unexpected(unknown(error.what()));
    }
    std::error_code ignored;
    co_await waiter.timer().async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    if (waiter.pending()->aborted) co_return tl::make_unexpected(ResolveError{ResolveError::Kind::aborted, {}});
    const std::optional<LookupResult> result = waiter.take_result();
    if (!result) co_return tl::make_unexpected(ResolveError{ResolveError::Kind::timed_out, {}});
    co_return to_addresses(*result);
}

}  // namespace ratectl::redis

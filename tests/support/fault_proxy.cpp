// One poll loop over the listener, a wake-up descriptor and every link.
#include "support/fault_proxy.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "support/loopback.h"
#include "support/proxied_link.h"
#include "support/resp_frame.h"

namespace ratectl::test {
namespace {

bool is_write(const std::string& word) { return word == "EVAL" || word == "EVALSHA"; }

}  // namespace

std::string_view name_of(FaultMode mode) {
    static constexpr std::array<std::string_view, 13> kNames{
        "ok",    "drop_request", "cut_request", "delay_request", "drop_reply", "cut_reply", "delay_reply",
        "reset", "blackhole",    "slicer",      "drip",          "limit",      "answer"};
    return kNames.at(static_cast<std::size_t>(mode));
}

struct FaultProxy::Impl : LinkOwner {
    explicit Impl(domain::Endpoint to)
        : server(std::move(to)),
          listener(listen_on_loopback()),
          wake(checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")),
          thread([this] { run(); }) {}
    ~Impl() override {
        {
            const std::lock_guard lock(mutex);
            stopping = true;
        }
        wake_up();
        thread.join();
    }

    LinkFault decide(std::uint64_t connection, std::string_view request) override;
    void saw_reply(bool write, std::size_t bytes) override;
    bool silent() const override { return is_silent; }

    void wake_up() const {
        const std::uint64_t one = 1;
        (void)!::write(wake.get(), &one, sizeof one);
    }
    void run();
    void accept_all();
    int patience(LinkTime now) const;
    /// What other threads asked for; false at the end.
    bool heed_orders();

    const domain::Endpoint server;
    const OwnedFd listener;
    const OwnedFd wake;
    std::vector<std::unique_ptr<ProxiedLink>> links;  // the thread's own
    std::atomic<bool> is_silent = false;
    Chooser chosen;  // the thread's own

    mutable std::mutex mutex;  // guards the rest
    mutable std::condition_variable changed;
    Chooser chooser;
    bool chooser_changed = false;
    bool end_links = false;
    bool stopping = false;
    LinkCounts counts;
    std::thread thread;  // last: everything above stands when it starts
};

LinkFault FaultProxy::Impl::decide(std::uint64_t connection, std::string_view request) {
    LinkRequest asked;
    asked.connection = connection;
    const auto words = first_words(request, 1);
    asked.word = words.empty() ? "" : words[0];
    asked.write = is_write(asked.word);
    asked.bytes = request;
    {
        const std::lock_guard lock(mutex);
        ++counts.requests;
        if (asked.write) asked.number = ++counts.writes;
        if (std::exchange(chooser_changed, false)) chosen = chooser;
    }
    changed.notify_all();
    // Outside of the lock: it may ask this proxy something.
    const LinkFault fault = chosen ? chosen(asked) : LinkFault{};
    const std::lock_guard lock(mutex);
    if (fault.mode != FaultMode::ok) ++counts.faults[fault.mode];
    return fault;
}

void FaultProxy::Impl::saw_reply(bool write, std::size_t bytes) {
    const std::lock_guard lock(mutex);
    if (write) counts.last_write_reply = bytes;
}

void FaultProxy::Impl::accept_all() {
    for (;;) {
        OwnedFd client = accept_from(listener);
        if (!client.is_open()) return;
        std::uint64_t number = 0;
        {
            const std::lock_guard lock(mutex);
            number = ++counts.connections;
        }
        OwnedFd there = connect_to(server);
        if (!there.is_open()) continue;
        links.push_back(std::make_unique<ProxiedLink>(number, std::move(client), std::move(there), *this));
    }
}

bool FaultProxy::Impl::heed_orders() {
    std::uint64_t ignored = 0;
    (void)!::read(wake.get(), &ignored, sizeof ignored);
    const std::lock_guard lock(mutex);
    if (std::exchange(end_links, false)) {
        for (auto& link : links) link->disconnect();
        changed.notify_all();
    }
    std::erase_if(links, [](const auto& link) { return link->over(); });
    counts.open = links.size();
    return !stopping;
}

int FaultProxy::Impl::patience(LinkTime now) const {
    std::optional<LinkTime> first;
    for (const auto& link : links) {
        const auto at = link->wakes_at();
        // What is due already waits for room in the kernel, not for time.
        if (at && *at > now && (!first || *at < *first)) first = at;
    }
    if (!first) return -1;
    return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(*first - now).count());
}

void FaultProxy::Impl::run() {
    while (heed_orders()) {
        const auto now = std::chrono::steady_clock::now();
        std::vector<pollfd> fds{{wake.get(), POLLIN, 0}, {listener.get(), POLLIN, 0}};
        for (const auto& link : links) {
            for (const pollfd& fd : link->waits_for(now)) fds.push_back(fd);
        }
        if (::poll(fds.data(), fds.size(), patience(now)) < 0 && errno != EINTR) std::terminate();
        const auto then = std::chrono::steady_clock::now();
        for (std::size_t i = 0; i < links.size(); ++i) links[i]->turn({fds[2 + 2 * i], fds[3 + 2 * i]}, then);
        if (fds[1].revents != 0) accept_all();
    }
}

FaultProxy::FaultProxy(domain::Endpoint server) : impl_(std::make_unique<Impl>(std::move(server))) {}
FaultProxy::~FaultProxy() = default;

domain::Endpoint FaultProxy::endpoint() const { return endpoint_of(impl_->listener); }

domain::Node FaultProxy::node() const { return {"alpha", domain::Role::primary, endpoint()}; }

void FaultProxy::choose(Chooser chooser) {
    const std::lock_guard lock(impl_->mutex);
    impl_->chooser = std::move(chooser);
    impl_->chooser_changed = true;
}

void FaultProxy::hit_writes(const LinkFault& fault, std::uint64_t count) {
    choose([fault, left = count](const LinkRequest& request) mutable {
        if (!request.write || left == 0) return LinkFault{};
        --left;
        return fault;
    });
}

void FaultProxy::silence(bool silent) { impl_->is_silent = silent; }

void FaultProxy::disconnect() {
    std::unique_lock lock(impl_->mutex);
    impl_->end_links = true;
    impl_->wake_up();
    impl_->changed.wait(lock, [&] { return !impl_->end_links; });
}

LinkCounts FaultProxy::counts() const {
    const std::lock_guard lock(impl_->mutex);
    return impl_->counts;
}

bool FaultProxy::await_writes(std::uint64_t count, std::chrono::milliseconds patience) const {
    std::unique_lock lock(impl_->mutex);
    return impl_->changed.wait_for(lock, patience, [&] { return impl_->counts.writes >= count; });
}

FaultProxy::Chooser seeded_mix(const LinkWeather& weather) {
    return [weather, dice = std::mt19937_64(weather.seed)](const LinkRequest& request) mutable {
        if (!request.write) return LinkFault{};
        // Drawn for every write, whatever is done with it, so that the same seed hits the same numbers.
        const auto hit = dice() % 100 < weather.share;
        const auto kind = dice() % 10;
        const auto bytes = static_cast<std::size_t>(dice() % 100'000);
        if (!hit) return LinkFault{};
        switch (kind) {
            case 0: return LinkFault{FaultMode::drop_request};
            case 1: return LinkFault{FaultMode::cut_request};
            case 2: return LinkFault{FaultMode::delay_request, weather.beyond};
            case 3: return LinkFault{FaultMode::delay_request, weather.within};
            case 4: return LinkFault{FaultMode::drop_reply};
            case 5: return LinkFault{FaultMode::cut_reply, {}, bytes};
            case 6: return LinkFault{FaultMode::delay_reply, bytes % 2 == 0 ? weather.beyond : weather.within};
            case 7: return LinkFault{FaultMode::reset};
            case 8: return LinkFault{FaultMode::blackhole};
            default: return LinkFault{FaultMode::slicer, {}, 1};
        }
    };
}

}  // namespace ratectl::test

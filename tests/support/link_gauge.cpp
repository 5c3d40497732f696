// One PING after the other, and how late each answer was.
#include "support/link_gauge.h"

#include <algorithm>
#include <utility>

namespace ratectl::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPause{5};
constexpr std::chrono::milliseconds kPrompt{5};  // an answer within this is in time

}  // namespace

LinkGauge::LinkGauge(domain::Endpoint link)
    : client_(std::move(link)), due_(Clock::now() + kPause + kPrompt), thread_([this] { run(); }) {}

LinkGauge::~LinkGauge() { stop(); }

std::chrono::nanoseconds LinkGauge::late() const {
    const std::lock_guard lock(mutex_);
    return late_before_ + std::max(Clock::duration{0}, Clock::now() - due_);
}

void LinkGauge::stop() {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
    client_.close();
}

void LinkGauge::run() {
    while (!stopping_) {
        std::this_thread::sleep_for(kPause);
        // An answer that fails is one that took its whole time.
        (void)client_.command({"PING"});
        const auto lately = late();
        const std::lock_guard lock(mutex_);
        late_before_ = lately;
        due_ = Clock::now() + kPause + kPrompt;
    }
}

}  // namespace ratectl::test

// Coroutines that go on by themselves: the object that starts one may be gone before it first runs.
#include "redis/event_loop.h"

#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "support/catch.h"

namespace ratectl {
namespace {

struct Counter {
    explicit Counter(int& into) : sum(into) {}
    asio::awaitable<void> add(int more) {
        sum += more;
        co_return;
    }
    int& sum;
};

asio::awaitable<void> read_words(std::shared_ptr<std::string> into, std::string words) {
    *into = words;
    co_return;
}

asio::awaitable<void> fail() {
    throw std::runtime_error("so it goes");
    co_return;
}

static_assert(redis::Owning<std::string> && redis::Owning<std::shared_ptr<Counter>> && redis::Owning<int>);
static_assert(!redis::Owning<Counter*> && !redis::Owning<int&> && !redis::Owning<std::string_view>);
static_assert(!redis::Owning<std::span<int>> && !redis::Owning<std::reference_wrapper<int>>);
static_assert(redis::PlainFunction<decltype(&Counter::add)> && redis::PlainFunction<decltype(&fail)>);
static_assert(!redis::PlainFunction<std::function<asio::awaitable<void>()>>);

// It took hold of its object when it first ran, and a command that was stopped before let the object go.
TEST_CASE("a coroutine owns what it uses from the moment it is started") {
    redis::EventLoop loop;
    int sum = 0;
    bool ended = false;
    auto counter = std::make_shared<Counter>(sum);
    const std::weak_ptr<Counter> watched = counter;
    loop.spawn([&ended](const std::exception_ptr& error) { ended = error == nullptr; }, &Counter::add,
               std::move(counter), 7);
    CHECK_FALSE(watched.expired());
    loop.poll();
    CHECK(ended);
    CHECK(sum == 7);
    CHECK(watched.expired());
}

TEST_CASE("what a coroutine is given is its own copy") {
    redis::EventLoop loop;
    const auto words = std::make_shared<std::string>();
    {
        std::string short_lived(100, 'x');
        loop.spawn([](const std::exception_ptr&) {}, read_words, words, short_lived);
        short_lived.assign(100, 'y');
    }
    loop.poll();
    CHECK(*words == std::string(100, 'x'));
}

TEST_CASE("a coroutine that throws ends with its exception") {
    redis::EventLoop loop;
    std::exception_ptr thrown;
    loop.spawn([&thrown](const std::exception_ptr& error) { thrown = error; }, fail);
    loop.poll();
    REQUIRE(thrown != nullptr);
    CHECK_THROWS_AS(std::rethrow_exception(thrown), std::runtime_error);
}

TEST_CASE("a coroutine that never ran lets go of all with its loop") {
    int sum = 0;
    auto counter = std::make_shared<Counter>(sum);
    const std::weak_ptr<Counter> watched = counter;
    {
        redis::EventLoop loop;
        loop.spawn([](const std::exception_ptr&) {}, &Counter::add, std::move(counter), 7);
    }
    CHECK(watched.expired());
    CHECK(sum == 0);
}

}  // namespace
}  // namespace ratectl

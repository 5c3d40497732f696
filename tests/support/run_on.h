// A coroutine of a test, run on its loop to the end.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "redis/event_loop.h"

namespace ratectl::test {

template <class T>
asio::awaitable<void> keep_result(std::shared_ptr<asio::awaitable<T>> work, std::shared_ptr<std::optional<T>> result) {
    result->emplace(co_await std::move(*work));
}

/// Other coroutines spawned on this loop make progress meanwhile and keep their place when it returns.
template <class T>
T run_on(redis::EventLoop& loop, asio::awaitable<T> work) {
    const auto result = std::make_shared<std::optional<T>>();
    const auto error = std::make_shared<std::optional<std::exception_ptr>>();
    loop.spawn([error](const std::exception_ptr& e) { *error = e; }, &keep_result<T>,
               std::make_shared<asio::awaitable<T>>(std::move(work)), result);
    loop.run_until([&] { return error->has_value(); });
    if (**error) std::rethrow_exception(**error);
    return std::move(**result);
}

}  // namespace ratectl::test

// Runs work off the loop, a thread for each piece: a thread costs less than a hundredth of what the disk does.
#include "store/off_loop.h"

#include <chrono>
#include <exception>
#include <memory>
#include <new>
#include <system_error>
#include <thread>

#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>

namespace ratectl::store {
namespace {

// The loop would sleep forever if it were not told, so this does not give up.
template <class Handler>
void tell(redis::EventLoop& loop, Handler handler) {
    for (;;) {
        try {
            return asio::post(loop.context(), handler);
        } catch (const std::bad_alloc&) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
}

}  // namespace

void run_off_loop(redis::EventLoop& loop, const std::function<void()>& work) {
    const auto stays_awake = asio::make_work_guard(loop.context());
    std::exception_ptr error;
    const auto done = std::make_shared<bool>(false);  // the loop's handlers may outlive this call
    std::jthread worker;
    try {
        worker = std::jthread([&] {
            try {
                work();
            } catch (...) {
                error = std::current_exception();
            }
            tell(loop, [done] { *done = true; });
        });
    } catch (const std::system_error&) {  // no thread is to be had
        return work();
    }
    loop.run_until([&done] { return *done; });
    worker.join();
    if (error) std::rethrow_exception(error);
}

}  // namespace ratectl::store

// Asking one sentinel of one master.
#pragma once

#include <memory>
#include <string>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include "store/core.h"
#include "store/sentinel/hearing.h"

namespace ratectl::store::sentinel {

/// The endpoint outlives the answer.
asio::awaitable<Heard> ask(std::shared_ptr<Core> core, const domain::Endpoint* endpoint, std::string master);

}  // namespace ratectl::store::sentinel

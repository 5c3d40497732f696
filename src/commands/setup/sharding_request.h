// What the subcommands of sharding share: how they were asked, and who runs them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "commands/context.h"
#include "commands/report/row_writer.h"

namespace ratectl::commands {

struct ShardingRequest {
    enum class Action { list, show, verify, guess };
    Action action = Action::list;
    std::string preset;
    std::optional<std::string> sample;  // --sample
    ColumnOrder order;
};

ExitCode run_sharding_list(const ShardingRequest& request, Context& context);
ExitCode run_sharding_show(const ShardingRequest& request, Context& context);
ExitCode run_sharding_verify(const ShardingRequest& request, Context& context);
ExitCode run_sharding_guess(const ShardingRequest& request, Context& context);

}  // namespace ratectl::commands

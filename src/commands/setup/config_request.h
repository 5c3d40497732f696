// What `ratectl config` was asked for, and its parts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/context.h"
#include "commands/report/row_writer.h"

namespace ratectl::commands {

struct ConfigRequest {
    enum class Action { init, import, check, show, names };
    Action action = Action::show;
    ColumnOrder order;  // check and show

    // init
    std::optional<std::string> file;
    bool force = false;
    std::optional<std::string> name;
    std::vector<std::string> primaries;  // [SHARD=]URL
    std::vector<std::string> replicas;   // [SHARD=]URL or [SHARD=]auto
    std::vector<std::string> policies;   // NAME=TEMPLATE[:LIMIT/PERIOD]
    bool from_server = false;            // policies of the limiters whose keys are there, too

    // import; `name` as above
    std::string form;                  // twemproxy, urls
    std::vector<std::string> sources;  // FILE [POOL], or URLs

    // check
    bool connect = false;

    // names
    std::string kind;  // deployments, policies, shards, classes; empty: all of them; operations: the journal's
};

ExitCode run_config_init(const ConfigRequest& request, Context& context);
ExitCode run_config_import(const ConfigRequest& request, Context& context);
ExitCode run_config_check(const ConfigRequest& request, Context& context);
ExitCode run_config_names(const ConfigRequest& request, Context& context);

}  // namespace ratectl::commands

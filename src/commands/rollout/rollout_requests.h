// What the subcommands of rollout were asked for, and who runs them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/context.h"
#include "commands/report/row_writer.h"
#include "commands/request/selection.h"
#include "commands/write/consent.h"
#include "commands/write/write_order.h"

namespace ratectl::commands::rollout {

struct ShowRequest {
    std::vector<std::string> features;
    ColumnOrder order;
};
/// For whom features are on.
ExitCode run_show(const ShowRequest& request, Context& context);

struct SetRequest {
    std::string feature;
    std::string share;
    ConsentFlags consent;
    OrderFlags order;
};
/// Turns a feature to a percentage of actors.
ExitCode run_set(const SetRequest& request, Context& context);

struct WhoRequest {
    std::vector<std::string> actors;
    std::string feature;
    std::string at;
    std::optional<std::string> then;
    ColumnOrder order;
};
/// For which actors a feature is on at a percentage. Nothing is asked of a server.
ExitCode run_who(const WhoRequest& request, Context& context);

struct CompareRequest {
    Selection selection;
    std::string old;  // the other deployment
    std::string feature;
    std::optional<std::string> at;  // null: as Flipper has it in the new deployment
    ColumnOrder order;
};
/// Which of two deployments serves these clients, and what each of them has of them.
ExitCode run_compare(const CompareRequest& request, Context& context);

struct CopyRequest {
    Selection selection;
    std::string old;
    ConsentFlags consent;
    OrderFlags order;
};
/// Carries windows over from the other deployment.
ExitCode run_copy(const CopyRequest& request, Context& context);

/// `25` of `25%`: shares are written with the sign elsewhere.
std::string without_sign(std::string text);
/// 0 to 100, with or without the sign. Throws Failure (usage) that names the flag.
double percentage_of(std::string_view what, const std::string& text);

}  // namespace ratectl::commands::rollout

// The list of commands: name, group, one line, and how to bind flags to a request that knows how to run.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string_view>

#include "commands/context.h"
#include "commands/request/syntax.h"

namespace ratectl::commands {

/// The groups of the short help, in its order.
enum class Group { look, change, investigate, limiters, set_up };
inline constexpr std::array kGroups{Group::look, Group::change, Group::investigate, Group::limiters, Group::set_up};
std::string_view name_of(Group group);

/// Runs a parsed request.
using Run = std::function<ExitCode(Context&)>;

struct Command {
    std::string_view name;
    Group group = Group::look;
    std::string_view summary;   // one line, lower case, no full stop
    std::string_view examples;  // lines of `# what it is for` and `ratectl ...`; help and manual show them first
    Run (*bind)(Syntax syntax);
};

/// For a command's entry: binds flags to a fresh Request that lives as long as the Run.
template <class Request, void (*Bind)(Syntax, Request&), ExitCode (*Execute)(const Request&, Context&)>
Run bind_request(Syntax syntax) {
    auto request = std::make_shared<Request>();
    Bind(syntax, *request);
    return [request](Context& context) { return Execute(*request, context); };
}

}  // namespace ratectl::commands

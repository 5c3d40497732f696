// config import: turns what a team already has into a configuration.
#include <fmt/format.h>

#include "commands/setup/config_request.h"
#include "config/import.h"
#include "config/starter.h"
#include "input/line_reader.h"

namespace ratectl::commands {
namespace {

using config::Given;
using config::Origin;
using support::Failure;

constexpr std::size_t kLargestPoolFile = 1u << 20;

config::ImportedDeployment from_twemproxy(const std::vector<std::string>& sources) {
    if (sources.size() > 2) support::throw_usage(fmt::format("one file and one pool, not '{}'", sources[2]));
    const auto file = config::read_regular_file(sources[0], kLargestPoolFile, "twemproxy file");
    if (!file) throw Failure(ExitCode::configuration, fmt::format("{} does not exist", sources[0]), {});
    return config::import_twemproxy(*file, sources.size() == 2 ? std::optional{sources[1]} : std::nullopt);
}

/// One or more a line, apart by blanks or commas; lines that begin with # are left out.
std::vector<Given> urls_of_input(Context& context) {
    std::vector<Given> urls;
    input::LineReader reader(context.in());
    while (const auto line = reader.next()) {
        if (line->starts_with('#')) continue;
        const std::string place = fmt::format("standard input, line {}", reader.line());
        constexpr std::string_view between = ", \t\r";
        for (auto at = line->find_first_not_of(between); at != std::string_view::npos;) {
            const auto end = std::min(line->find_first_of(between, at), line->size());
            urls.push_back({std::string{line->substr(at, end - at)}, place, {Origin::Kind::file, place}});
            at = line->find_first_not_of(between, end);
        }
    }
    if (urls.empty()) support::throw_usage("standard input holds no URL");
    return urls;
}

config::ImportedDeployment from_urls(const std::vector<std::string>& sources, Context& context,
                                     const config::World& world) {
    std::vector<Given> urls;
    if (sources.size() == 1 && sources.front() == "-") {
        urls = urls_of_input(context);
    } else {
        for (const auto& text : sources) urls.push_back({text, "URL", {Origin::Kind::flag, "argument"}});
    }
    return config::import_urls(urls, context.options().overrides.sharding, world);
}

}  // namespace

ExitCode run_config_import(const ConfigRequest& request, Context& context) {
    if (!context.options().overrides.urls.empty())
        support::throw_usage("--url is for one command; the URLs are arguments here");
    const config::World world{[&context](const std::string& name) { return context.env(name); }, context.now()};
    const bool pool = request.form == "twemproxy";
    if (pool && context.options().overrides.sharding)
        support::throw_usage("--sharding: the pool itself says how it shares its keys out");
    auto deployment = pool ? from_twemproxy(request.sources) : from_urls(request.sources, context, world);
    if (request.name) deployment.name = *request.name;
    const std::string text = config::imported_file(deployment);
    config::check_starting_file(text, request.file.value_or("the result"), world);
    if (request.file && *request.file != "-" && !context.options().dry_run) {
        config::write_private_file(*request.file, text, false);
        context.messages().notice(fmt::format("{} written", *request.file),
                                  "look it through, then: ratectl config check --connect");
    } else {
        context.out().write(text);
        context.out().flush();
    }
    for (const auto& note : deployment.notes) context.messages().warning(note.message, note.hint);
    return ExitCode::done;
}

}  // namespace ratectl::commands

// Builds what a command is given: from the settings the topology, the shard map and the store.
#include "app/program_context.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "app/output_choice.h"
#include "app/signals.h"
#include "commands/outcome.h"
#include "config/deployment_file.h"
#include "config/given.h"
#include "config/servers.h"
#include "domain/operation.h"
#include "output/screen.h"
#include "store/directory.h"
#include "support/time_text.h"

namespace ratectl::app {
namespace {

/// The screen of ncurses, on a terminal that is put back even where the third signal ends the process: its state is
/// kept before ncurses changes it and forgotten once it is restored.
class KeptScreen final : public output::Screen {
public:
    KeptScreen(std::unique_ptr<TerminalKeeper> keeper, std::unique_ptr<output::Screen> screen)
        : keeper_(std::move(keeper)), screen_(std::move(screen)) {}
    output::ScreenSize size() override { return screen_->size(); }
    void draw(std::span<const output::ScreenLine> lines) override { screen_->draw(lines); }
    std::optional<output::Key> read_key(support::Milliseconds patience) override { return screen_->read_key(patience); }

private:
    std::unique_ptr<TerminalKeeper> keeper_;  // outlives the screen
    std::unique_ptr<output::Screen> screen_;
};

/// As output::open_ncurses_screen().
std::unique_ptr<output::Screen> open_kept_screen(const output::ScreenOptions& options) {
    auto keeper = std::make_unique<TerminalKeeper>();
    auto screen = output::open_ncurses_screen(options);
    if (!screen) return nullptr;
    keeper->guard(output::leaving_sequence());
    return std::make_unique<KeptScreen>(std::move(keeper), std::move(screen));
}

/// What -v tells of where a command works.
std::string described(const config::Settings& settings) {
    if (settings.kind == config::DeploymentKind::cluster) {
        return fmt::format("deployment '{}' of {}: a Redis Cluster, {} of its nodes named, writes {}, timeout {}",
                           settings.deployment, settings.file.value_or("the command line"),
                           settings.cluster.nodes.size(), config::name_of(settings.writes),
                           support::format_duration(settings.timeout));
    }
    const auto shards = commands::directory_of(settings)->places().size();
    return fmt::format("deployment '{}' of {}: {} {}, sharding {}, writes {}, timeout {}", settings.deployment,
                       settings.file.value_or("the command line"), shards, shards == 1 ? "shard" : "shards",
                       settings.sharding     ? settings.sharding->preset
                       : settings.all_shards ? std::string(config::kAllShards)
                                             : "unknown",
                       config::name_of(settings.writes), support::format_duration(settings.timeout));
}

/// What is wrong with a scheme is told before anything is done, with the line that names it.
template <class Make>
const domain::Limiter& made(const std::string& setting, const config::Settings& settings, Make make) {
    try {
        return make();
    } catch (const support::Failure& failure) {
        const auto origin = settings.origins.find(setting);
        if (origin == settings.origins.end()) throw;
        config::fail_at_origin(origin->second, failure.error().message, failure.error().hint);
    }
}

/// A suffix that no scheme in use takes: what a flag says of the scheme goes before what a file says of its own.
bool is_suffix_unused(const config::Settings& settings) {
    const auto is_general = [](const std::string& scheme) { return scheme == domain::Layout().scheme; };
    const auto suffix = settings.origins.find("expiry_suffix");
    const auto scheme = settings.origins.find("scheme");
    if (suffix == settings.origins.end() || scheme == settings.origins.end()) return false;
    if (is_general(settings.layout.scheme) || suffix->second.kind < scheme->second.kind) return false;
    return std::ranges::none_of(settings.policies.policies(), is_general, &domain::Policy::scheme);
}

/// --limit stands above what a policy says of some of its clients, too.
void set_limit(domain::Policy& policy, std::int64_t limit) {
    policy.limit = limit;
    policy.classes.clear();
    policy.members.clear();
}

/// --key is another way to write keys: what they are the policies behind it say, unless --scheme does.
const domain::Limiter& limiter_of(const config::Settings& settings) {
    const auto& layout = settings.layout;
    made(
        "scheme", settings, [&]() -> auto& { return store::limiter_of(layout); });
    if (is_suffix_unused(settings)) {
        config::fail_at_origin(
            settings.origins.at("expiry_suffix"),
            fmt::format("scheme '{}' takes no expiry suffix: how a window's end is stored follows from it",
                        layout.scheme),
            "leave the suffix out, or use the scheme window");
    }
    auto policies = settings.policies.policies();
    std::erase_if(policies, [](const domain::Policy& policy) {
        return policy.name == config::kKeyPolicy && policy.scheme.empty();
    });
    const auto scheme = settings.origins.find("scheme");
    const bool of_file = scheme != settings.origins.end() && scheme->second.kind == config::Origin::Kind::file;
    for (auto& policy : policies) {
        if (settings.period) policy.period = settings.period;
        if (settings.burst) policy.burst = settings.burst;
        if (settings.limit) set_limit(policy, *settings.limit);
        // What a file says of all of its policies each of them has to bear; a flag may be about other keys.
        auto bearing = policy;
        const bool has_own = !policy.scheme.empty();
        if (!has_own && of_file) bearing.scheme = layout.scheme;
        made(
            "policies." + policy.name + (has_own ? ".scheme" : ".key"),
            settings, [&]() -> auto& { return store::limiter_of(layout, std::span(&bearing, 1)); });
    }
    return store::limiter_of(layout, policies);
}

store::Topology topology_of(const config::Settings& settings) {
    return {commands::directory_of(settings), settings.tls, settings.limiter, settings.shard_tls};
}

/// The environment for a deployment that is named in full.
std::optional<std::string> env_without_servers(const std::string& name) {
    const bool names_servers = name == "RATECTL_URL" || name == "RATECTL_DEPLOYMENT" || name == "RATECTL_SHARDING" ||
                               name == "RATECTL_ALL_SHARDS";
    return names_servers ? std::nullopt : Host::env(name);
}

}  // namespace

ProgramContext::ProgramContext(commands::GlobalOptions options, Host& host, output::Diagnostics& messages)
    : options_(std::move(options)), host_(host), messages_(messages) {
    auto said = messages_.options();
    said.mask = mask_;
    messages_.configure(std::move(said));
    if (const auto longest = config::deadline_of(options_.overrides, world())) {
        deadline_ = std::chrono::steady_clock::now() + *longest;
        host_.end_by(deadline_);
    }
}

config::World ProgramContext::world() const {
    config::World world{&Host::env, support::to_instant(Host::wall_clock())};
    world.patience = patience();
    return world;
}

config::Settings ProgramContext::taken(config::Settings settings) {
    if (config::holds_secret(settings)) Host::protect_memory();
    settings.limiter = &limiter_of(settings);
    mask_->learn(settings);
    return settings;
}

void ProgramContext::describe(const config::Settings& settings) {
    if (options_.verbose > 0) messages_.notice(described(settings));
    if (options_.verbose < 2) return;
    for (const auto& [name, value] : settings.shown()) {
        const auto origin = settings.origins.find(name);
        messages_.notice(fmt::format("{} = {} ({})", name, value,
                                     origin == settings.origins.end() ? config::Origin{}.text : origin->second.text));
    }
}

const config::Settings& ProgramContext::settings() {
    if (!settings_) {
        settings_ = taken(config::resolve(options_.overrides, world()));
        describe(*settings_);
    }
    return *settings_;
}

config::Settings ProgramContext::settings_without_servers() {
    return taken(config::resolve_without_servers(options_.overrides, world()));
}

store::Store& ProgramContext::store() {
    if (!store_) store_ = store_of(settings());
    return *store_;
}

config::Settings ProgramContext::settings_of(const std::string& deployment, bool logs_in) {
    config::Overrides overrides = options_.overrides;
    overrides.deployment = deployment;
    config::World asked = world();
    asked.logs_in = logs_in;
    return taken(config::resolve(overrides, asked));
}

store::Options ProgramContext::options_for(const config::Settings& settings) {
    store::Options options;
    options.timeout = settings.timeout;
    options.max_staleness = settings.max_staleness;
    options.wall_clock = &Host::wall_clock;
    options.notice = [this](const support::Error& error) { messages_.warning(error.message, error.hint); };
    return options;
}

std::unique_ptr<store::Store> ProgramContext::store_of(const config::Settings& settings) {
    auto options = options_for(settings);
    options.deadline = deadline_;
    options.stop = &host_.stop();
    return std::make_unique<store::Store>(topology_of(settings), std::move(options));
}

std::unique_ptr<store::Store> ProgramContext::lasting_store_of(const config::Settings& settings) {
    return std::make_unique<store::Store>(topology_of(settings), options_for(settings));
}

commands::OpenDeployment ProgramContext::open_deployment(const commands::DeploymentName& name) {
    config::Overrides overrides = options_.overrides;
    if (name.file) overrides.config_file = name.file;
    overrides.deployment = name.deployment;
    overrides.urls.clear();
    if (name.url) {
        overrides.urls.push_back(*name.url);
        overrides.config_file.reset();
    }
    overrides.sharding.reset();
    overrides.all_shards = false;
    commands::OpenDeployment opened;
    config::World asked = world();
    asked.env = &env_without_servers;
    opened.settings = taken(config::resolve(overrides, asked));
    const config::Settings& s = opened.settings;
    describe(s);
    auto options = options_for(s);
    options.deadline = deadline_;
    opened.store = std::make_unique<store::Store>(topology_of(s), std::move(options));
    return opened;
}

output::SinkOptions ProgramContext::sink_options(std::string_view schema) {
    output::SinkOptions sink = choose_output(options_, host_.terminal(), &Host::env);
    sink.schema = schema;
    sink.now = now();
    sink.mask = mask_;
    return sink;
}

void ProgramContext::print_ending(const support::Error& error) {
    if (error.code == commands::ExitCode::usage || host_.out().is_begun()) return;
    // A format of one command's own is none of a failure's.
    if (options_.output && !output::parse_format(*options_.output)) return;
    const auto sink = sink_options("ratectl.failure.v1");
    if (sink.format != output::Format::json) return;
    output::make_row_sink(sink, {}, host_.out())->end({{commands::failure_row(error)}, false});
}

support::Moment ProgramContext::now() {
    if (!now_known_) {
        const auto text = options_.overrides.now ? options_.overrides.now : Host::env("RATECTL_NOW");
        if (settings_)
            fixed_now_ = settings_->now;
        else if (text && !text->empty())
            fixed_now_ = support::value_or_throw(support::parse_time(*text, support::to_instant(wall_clock())));
        now_known_ = true;
    }
    return fixed_now_ ? support::Moment(*fixed_now_) : support::Moment(wall_clock());
}

std::optional<std::string> ProgramContext::ask(std::string_view question) {
    if (options_.no_input) return std::nullopt;
    messages_.clear_progress();
    host_.out().flush();
    return ask_on_terminal(output::masked(mask_.get(), question), host_.patience());
}

std::unique_ptr<output::Screen> ProgramContext::open_screen() {
    if (!host_.terminal().in || !host_.terminal().out) return nullptr;
    const auto sink = sink_options({});
    host_.out().flush();
    return open_kept_screen({Host::env("TERM").value_or(""), sink.color, sink.ascii, &host_.stop()});
}

void ProgramContext::page_output() {
    // What is said meanwhile would stand in the middle of a page.
    if (host_.page_output()) messages_.hold();
}

std::string ProgramContext::new_operation_id() { return domain::make_ulid(wall_clock(), Host::randomness()); }

std::optional<std::string> ProgramContext::given_journal() const {
    if (options_.journal) return *options_.journal;
    const auto place = config::configured_journal(options_.overrides, world());
    return place ? std::optional{place->path} : std::nullopt;
}

std::string ProgramContext::journal_path() const {
    if (auto given = given_journal()) return *std::move(given);
    return journal::default_path(Host::env("XDG_STATE_HOME"), Host::env("HOME"));
}

journal::Journal& ProgramContext::journal() {
    if (!journal_) journal_ = std::make_unique<journal::Journal>(journal_path());
    return *journal_;
}

journal::Journal* ProgramContext::existing_journal() {
    const bool has_place = given_journal() || Host::env("XDG_STATE_HOME") || Host::env("HOME");
    if (!journal_ && !has_place) return nullptr;
    std::error_code fault;  // whatever it is, opening the file says so better
    if (!journal_ &&
        std::filesystem::symlink_status(journal_path(), fault).type() == std::filesystem::file_type::not_found)
        return nullptr;
    return &journal();
}

}  // namespace ratectl::app

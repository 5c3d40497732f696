// What a command is given: the settings, the store, the streams, the clock. An interface, so that tests run commands on
// fakes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/global_options.h"
#include "config/settings.h"
#include "input/byte_source.h"
#include "journal/journal.h"
#include "output/byte_sink.h"
#include "output/diagnostics.h"
#include "output/row_sink.h"
#include "output/screen.h"
#include "store/store.h"
#include "support/error.h"
#include "support/stop_signal.h"
#include "support/time.h"
#include "support/waits.h"

namespace ratectl::commands {

using support::ExitCode;

/// Who is running this.
struct Identity {
    std::string actor;  // the user, and with sudo the one behind it: `root (sudo: alice)`
    std::string host;   // this machine
};

/// A deployment beside the one that the command line names.
struct DeploymentName {
    std::optional<std::string> file;        // null: the usual configuration file
    std::optional<std::string> deployment;  // null: the file's default
    std::optional<std::string> url = {};    // that server alone, and nothing of any file
};
struct OpenDeployment {
    config::Settings settings;
    /// Knows nothing of the stop signal: what has been begun between two deployments is finished, and the command looks
    /// at the signal itself.
    std::unique_ptr<store::Store> store;
};

class Context {
public:
    virtual ~Context() = default;

    virtual const GlobalOptions& options() const = 0;
    /// Resolved on first use, so that commands which need no configuration never ask for one. Throws Failure.
    virtual const config::Settings& settings() = 0;
    /// The same for work on files: nothing is configured where nothing is, and no password is fetched. Throws Failure.
    virtual config::Settings settings_without_servers() { return settings(); }
    /// The deployment's servers, connected on demand.
    virtual store::Store& store() = 0;
    /// Another deployment of the same configuration, under the same flags; its password only where it `logs_in`. Throws
    /// Failure.
    virtual config::Settings settings_of(const std::string& deployment, bool logs_in) = 0;
    virtual std::unique_ptr<store::Store> store_of(const config::Settings& settings) = 0;
    /// The same, and neither the stop signal nor --deadline ends it: for what has to be taken away again whatever
    /// happens.
    virtual std::unique_ptr<store::Store> lasting_store_of(const config::Settings& settings) {
        return store_of(settings);
    }
    /// The deployment's shards, and which of them has a key.
    virtual const store::Directory& directory() { return store().directory(); }
    /// Flags and environment apply, but for those that name servers or a rule of sharding. Throws Failure.
    virtual OpenDeployment open_deployment(const DeploymentName& name) = 0;

    virtual output::ByteSink& out() = 0;
    virtual output::Diagnostics& messages() = 0;
    virtual input::ByteSource& in() = 0;
    /// Formats, colour and width as resolved from options, environment and terminal; `schema` is the command's.
    virtual output::SinkOptions sink_options(std::string_view schema) = 0;

    virtual support::WallTime wall_clock() = 0;
    /// When --deadline will have passed; null: never.
    virtual std::optional<support::Deadline> deadline() const { return std::nullopt; }
    /// Both, for whatever waits for something else than a server.
    support::Patience patience() const { return support::Patience(stop(), deadline()); }
    /// The application's clock now: --now, else the wall clock.
    virtual support::Moment now() = 0;
    virtual std::optional<std::string> env(const std::string& name) const = 0;
    /// Where files are put that are gone when the command is.
    std::string temporary_folder() const {
        const auto named = env("TMPDIR");
        return named && !named->empty() ? *named : "/tmp";
    }
    virtual const support::StopSignal& stop() const = 0;
    /// Asks on the terminal itself (never standard input) and returns the line; null without a terminal or with
    /// --no-input.
    virtual std::optional<std::string> ask(std::string_view question) = 0;
    /// The whole terminal, until the screen dies; null where standard input and output are not a terminal whose cursor
    /// can be moved.
    virtual std::unique_ptr<output::Screen> open_screen() { return nullptr; }
    /// From now on what is written to out() goes through the user's pager, where people read it and have one.
    virtual void page_output() {}
    virtual bool stdout_is_terminal() const = 0;
    virtual bool stdin_is_terminal() const = 0;

    virtual Identity identity() = 0;
    /// A fresh ULID.
    virtual std::string new_operation_id() = 0;
    /// Where writes are recorded: --journal, else the user's state folder. Opened on first use. Throws Failure
    /// (local_io).
    virtual journal::Journal& journal() = 0;
    /// The same where there is one already, else null: nothing is made. Throws Failure (local_io).
    virtual journal::Journal* existing_journal() { return &journal(); }
    /// One line for the system's audit log. Throws Failure (local_io) when it cannot be handed over.
    virtual void audit(std::string_view line) = 0;
};

/// The places of a deployment as it is configured. None has to be there, and no server is asked; of a Redis Cluster
/// none is known before the store has asked.
inline std::shared_ptr<store::Directory> directory_of(const config::Settings& settings) {
    if (settings.kind == config::DeploymentKind::cluster) return store::cluster_directory(settings.cluster);
    store::ConfiguredShards shards{config::shards_of(settings), config::servers_of(settings), settings.sharding};
    if (settings.kind == config::DeploymentKind::sentinel)
        return store::watched_directory(std::move(shards), {settings.sentinels, config::masters_of(settings)});
    return store::configured_directory(std::move(shards));
}

/// What the stored keys of a deployment mean.
inline const domain::Limiter& limiter_of(const config::Settings& settings) {
    return settings.limiter != nullptr ? *settings.limiter
                                       : store::limiter_of(settings.layout, settings.policies.policies());
}

}  // namespace ratectl::commands

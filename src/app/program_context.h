// The real Context: everything is made on first use, so that a command pays only for what it asks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/host.h"
#include "commands/context.h"
#include "commands/report/key_mask.h"

namespace ratectl::app {

class ProgramContext final : public commands::Context {
public:
    /// `options` already filled from the environment. The host and the messages outlive the context.
    ProgramContext(commands::GlobalOptions options, Host& host, output::Diagnostics& messages);

    const commands::GlobalOptions& options() const override { return options_; }
    const config::Settings& settings() override;
    config::Settings settings_without_servers() override;
    store::Store& store() override;
    config::Settings settings_of(const std::string& deployment, bool logs_in) override;
    std::unique_ptr<store::Store> store_of(const config::Settings& settings) override;
    std::unique_ptr<store::Store> lasting_store_of(const config::Settings& settings) override;
    commands::OpenDeployment open_deployment(const commands::DeploymentName& name) override;

    /// What ended the command before anything was printed is what a document (-o json) says then; nothing in other
    /// formats, nor of a wrong command line. Throws Failure.
    void print_ending(const support::Error& error);

    output::ByteSink& out() override { return host_.out(); }
    output::Diagnostics& messages() override { return messages_; }
    input::ByteSource& in() override { return host_.in(); }
    output::SinkOptions sink_options(std::string_view schema) override;

    support::WallTime wall_clock() override { return Host::wall_clock(); }
    std::optional<support::Deadline> deadline() const override { return deadline_; }
    support::Moment now() override;
    std::optional<std::string> env(const std::string& name) const override { return Host::env(name); }
    const support::StopSignal& stop() const override { return host_.stop(); }
    std::optional<std::string> ask(std::string_view question) override;
    std::unique_ptr<output::Screen> open_screen() override;
    void page_output() override;
    bool stdout_is_terminal() const override { return host_.terminal().out; }
    bool stdin_is_terminal() const override { return host_.terminal().in; }
    commands::Identity identity() override { return Host::identity(); }
    std::string new_operation_id() override;
    journal::Journal& journal() override;
    journal::Journal* existing_journal() override;
    void audit(std::string_view line) override { Host::write_system_log(line); }

private:
    config::World world() const;
    /// Resolved settings, and what has to be seen to wherever they are used.
    config::Settings taken(config::Settings settings);
    /// For -v: where a command works; twice: every value, too.
    void describe(const config::Settings& settings);
    /// Without a stop signal and a deadline.
    store::Options options_for(const config::Settings& settings);
    /// Null: nothing says where.
    std::optional<std::string> given_journal() const;
    std::string journal_path() const;

    commands::GlobalOptions options_;
    Host& host_;
    output::Diagnostics& messages_;
    std::optional<support::Deadline> deadline_;
    std::optional<config::Settings> settings_;
    std::optional<support::Instant> fixed_now_;
    bool now_known_ = false;
    std::shared_ptr<commands::KeyMask> mask_ = std::make_shared<commands::KeyMask>();
    std::unique_ptr<store::Store> store_;
    std::unique_ptr<journal::Journal> journal_;
};

}  // namespace ratectl::app

// A Context that stands in for another deployment's, so that consent and records are about that one.
#pragma once

#include "commands/context.h"

namespace ratectl::commands {

class DeploymentContext : public Context {
public:
    /// `store`: for what looks around in that deployment; null where nothing does. All outlive it.
    DeploymentContext(Context& base, const config::Settings& settings, const store::Directory& directory,
                      store::Store* store = nullptr)
        : base_(base), settings_(settings), directory_(directory), store_(store) {}

    const config::Settings& settings() override { return settings_; }
    config::Settings settings_without_servers() override { return settings_; }
    store::Store& store() override {
        if (store_ == nullptr) throw support::Failure(ExitCode::bug, "two deployments: whose store?");
        return *store_;
    }
    const store::Directory& directory() override { return directory_; }
    config::Settings settings_of(const std::string& deployment, bool logs_in) override {
        return base_.settings_of(deployment, logs_in);
    }
    std::unique_ptr<store::Store> store_of(const config::Settings& settings) override {
        return base_.store_of(settings);
    }
    OpenDeployment open_deployment(const DeploymentName& name) override { return base_.open_deployment(name); }

    /// Relative times in tables count from here; null: from the base's now.
    void show_times_from(std::optional<support::Instant> now) { shown_now_ = now; }

    const GlobalOptions& options() const override { return base_.options(); }
    output::ByteSink& out() override { return base_.out(); }
    output::Diagnostics& messages() override { return base_.messages(); }
    input::ByteSource& in() override { return base_.in(); }
    output::SinkOptions sink_options(std::string_view schema) override {
        output::SinkOptions sink = base_.sink_options(schema);
        sink.now = shown_now_.value_or(sink.now);
        return sink;
    }
    support::WallTime wall_clock() override { return base_.wall_clock(); }
    support::Moment now() override { return base_.now(); }
    std::optional<std::string> env(const std::string& name) const override { return base_.env(name); }
    std::optional<support::Deadline> deadline() const override { return base_.deadline(); }
    const support::StopSignal& stop() const override { return base_.stop(); }
    std::optional<std::string> ask(std::string_view question) override { return base_.ask(question); }
    bool stdout_is_terminal() const override { return base_.stdout_is_terminal(); }
    bool stdin_is_terminal() const override { return base_.stdin_is_terminal(); }
    Identity identity() override { return base_.identity(); }
    std::string new_operation_id() override { return base_.new_operation_id(); }
    journal::Journal& journal() override { return base_.journal(); }
    journal::Journal* existing_journal() override { return base_.existing_journal(); }
    void audit(std::string_view line) override { base_.audit(line); }

private:
    Context& base_;
    const config::Settings& settings_;
    const store::Directory& directory_;
    store::Store* store_;
    std::optional<support::Instant> shown_now_;
};

}  // namespace ratectl::commands

// What is wrong with the servers themselves, and what of them has to be known around a look.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commands/context.h"
#include "commands/doctor/report.h"
#include "commands/request/selection.h"
#include "config/settings.h"
#include "domain/diagnosis/finding.h"
#include "store/store.h"

namespace ratectl::commands::doctor {

/// A replica whose link is up and that stays behind all the same.
struct Lag {
    domain::Node node;
    std::int64_t bytes = 0;         // behind its primary, when last asked
    support::Milliseconds seen{0};  // for so long it has lacked what its primary had
};

/// A replica that is behind is asked again until it has what its primary had then; a lag is one that lasts for a
/// second. That second is only waited for where some replica is behind.
std::vector<Lag> find_lags(std::span<const store::NodeReport> reports, Context& context);

/// What the survey of the windows has to know of the servers.
class Servers {
public:
    explicit Servers(std::vector<store::NodeReport> reports) : reports_(std::move(reports)) {}

    /// Findings about servers, and failures of those that do not answer.
    void report(FindingReport& report) const;
    void report_lags(std::span<const Lag> lags, FindingReport& report) const;
    /// The server's clock less ours; 0 where it is not known.
    support::Milliseconds skew_of(const domain::Node& node) const;
    /// DBSIZE; null where the server would not say.
    std::optional<std::int64_t> keys_of(const domain::Node& node) const;
    const std::vector<store::NodeReport>& reports() const { return reports_; }

private:
    void report_primaries(FindingReport& report) const;
    const domain::NodeFacts* facts_of(const domain::Node& node) const;

    std::vector<store::NodeReport> reports_;
};

/// A finding about a server as a row.
FindingRow server_row(const domain::Node& node, domain::Finding finding);
/// Findings about one server. `primary`: what the configured one of its shard says, where it is known.
std::vector<domain::Finding> faults_of(const domain::Node& node, const domain::NodeFacts& facts,
                                       const store::NodeReport* primary = nullptr);
/// Keys that a server counts and did not list: a finding where they are many (one in ten, and ten at least).
std::optional<domain::Finding> masked_keys(std::int64_t counted, std::uint64_t listed);

/// What has to be known around a look before it can be judged: clocks, the policy's period, the suffix. Settings and
/// servers outlive it.
class Surroundings {
public:
    Surroundings(const config::Settings& settings, const Servers& servers) : settings_(settings), servers_(servers) {}

    domain::Circumstances of(const KeyMeaning& meaning, const domain::Node& node, support::WallTime read_at) const;

private:
    const config::Settings& settings_;
    const Servers& servers_;
};

}  // namespace ratectl::commands::doctor

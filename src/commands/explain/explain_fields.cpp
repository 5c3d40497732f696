// The columns of explain, one getter each; lists are words between commas, sentences between semicolons.
#include "commands/explain/explain_fields.h"

#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands/report/fields/window_fields.h"
#include "support/time_text.h"

namespace ratectl::commands {
namespace {

using domain::Verdict;
using explain::deciding_server;
using explain::ServerFacts;
using output::BytesView;
using output::Cell;
using output::CellType;
using output::Field;
using output::Null;
using output::or_null;
using output::Text;
using output::text_or_null;
using output::Tone;
using output::Word;
using Shown = output::Column::Shown;

Cell verdict(const ExplainRow& r) {
    const auto verdict = r.facts.ruling.verdict;
    const auto tone = verdict == Verdict::allowed   ? Tone::good
                      : verdict == Verdict::limited ? Tone::bad
                                                    : Tone::warning;
    return Word{domain::name_of(verdict), tone};
}

Cell joined(const std::vector<std::string>& parts, std::string_view between) {
    return parts.empty() ? Cell{Null{}} : Cell{Text{fmt::format("{}", fmt::join(parts, between))}};
}

/// Of words that may quote what is stored.
Cell joined_bytes(const std::vector<std::string>& parts) {
    return parts.empty() ? Cell{Null{}} : Cell{output::Bytes{fmt::format("{}", fmt::join(parts, "; "))}};
}

Word standing(domain::Standing standing) {
    constexpr std::array<std::string_view, 4> words{"none", "configured-primary", "promoted-replica", "best-replica"};
    return {words.at(static_cast<std::size_t>(standing))};
}

/// Each word once, in order.
void add_once(std::vector<std::string>& words, std::string_view word) {
    for (const auto& one : words) {
        if (one == word) return;
    }
    words.emplace_back(word);
}

Cell local_reset(const ExplainRow& r) {
    if (r.zone.empty() || !r.facts.window.reset_at) return Null{};
    return Text{support::format_time(*r.facts.window.reset_at, r.zone)};
}

Cell reset_in(const ExplainRow& r) {
    if (!r.facts.window.reset_at) return Null{};
    return distance_cell(*r.facts.window.reset_at, r.facts.now);
}

Cell causes(const ExplainRow& r) {
    std::vector<std::string> words;
    for (const auto& server : r.facts.servers) {
        if (server.cause != domain::Cause::none) add_once(words, domain::name_of(server.cause));
    }
    return joined(words, ",");
}

/// What is to be said of each server, in words.
Cell details(const ExplainRow& r) {
    std::vector<std::string> parts;
    for (const auto& server : r.facts.servers) {
        if (!server.detail.empty()) parts.push_back(server.name + ": " + server.detail);
    }
    return joined_bytes(parts);
}

Cell answers(const ExplainRow& r) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < r.facts.servers.size(); ++i) {
        for (const auto& answer : r.facts.answers) {
            for (const auto from : answer.from) {
                if (from == i) parts.push_back(r.facts.servers[i].name + ": " + answer.words);
            }
        }
    }
    return joined(parts, "; ");
}

Cell silent(const ExplainRow& r) {
    std::vector<std::string> names;
    for (const auto& server : r.facts.servers) {
        if (!server.answered) names.push_back(server.name);
    }
    for (const auto& shard : r.facts.silent_shards) names.push_back("shard " + shard);
    return joined(names, ",");
}

Cell findings(const ExplainRow& r) {
    std::vector<std::string> words;
    for (const auto& finding : r.facts.findings) add_once(words, domain::name_of(finding.what));
    return joined(words, ",");
}

Cell finding_details(const ExplainRow& r) {
    std::vector<std::string> parts;
    for (const auto& finding : r.facts.findings) parts.push_back(finding.detail);
    return joined_bytes(parts);
}

template <class Get>
Cell of_decider(const ExplainRow& r, Get get) {
    const auto* server = deciding_server(r.facts);
    return server == nullptr ? Cell{Null{}} : get(*server);
}

template <class Get>
Cell of_change(const ExplainRow& r, Get get) {
    return r.facts.changes.empty() ? Cell{Null{}} : get(r.facts.changes.front());
}

Cell bytes_unless_empty(const std::string& bytes) { return bytes.empty() ? Cell{Null{}} : Cell{BytesView{bytes}}; }

Cell stored(const std::optional<std::string>& bytes) { return bytes ? Cell{BytesView{*bytes}} : Cell{Null{}}; }

// clang-format off
const std::array<Field<ExplainRow>, 42> kExplainFields{{
    {{"key", CellType::key, "KEY", "the key of the counter"}, [](const ExplainRow& r) -> Cell { return BytesView{r.facts.key}; }},
    {{"verdict", CellType::word, "VERDICT", "allowed, limited, limit-unknown, broken, disagreement or unknown"}, verdict},
    {{"reason", CellType::word, "REASON", "why, as a fixed word"}, [](const ExplainRow& r) -> Cell { return Word{domain::name_of(r.facts.ruling.reason)}; }},
    {{"used", CellType::integer, "USED", "requests counted in this window, as the server that counts has it"}, [](const ExplainRow& r) { return or_null(r.facts.window.used); }},
    {{"limit", CellType::integer, "LIMIT", "requests allowed in a window; null when unknown", Shown::table, 3}, [](const ExplainRow& r) { return or_null(r.facts.window.limit); }},
    {{"limit_source", CellType::text, "LIMIT FROM", "where the limit comes from: stored, flag, key, policy:NAME, class:NAME ...", Shown::machine}, [](const ExplainRow& r) { return text_or_null(r.facts.limit_source); }},
    {{"remaining", CellType::integer, "REMAINING", "requests left; null when the limit is unknown", Shown::table, 1, "LEFT"}, [](const ExplainRow& r) { return or_null(r.facts.window.remaining); }},
    {{"reset_at", CellType::time, "RESET AT", "the second at which the window ends"}, [](const ExplainRow& r) { return or_null(r.facts.window.reset_at); }},
    {{"reset_at_local", CellType::text, "LOCAL RESET", "the same in the zone of --tz", Shown::machine}, local_reset},
    {{"reset_in", CellType::duration_s, "RESET IN", "time until then", Shown::machine}, reset_in},
    {{"allowed_from", CellType::time, "ALLOWED FROM", "the first second at which a limited client is let through", Shown::machine}, [](const ExplainRow& r) { return or_null(explain::allowed_from(r.facts)); }},
    {{"ended_at", CellType::time, "ENDED AT", "when a window ended whose data are still there", Shown::machine}, [](const ExplainRow& r) { return or_null(r.facts.ended_at); }},
    {{"state", CellType::word, "STATE", "the state that check shows; null where no server answered", Shown::wide}, [](const ExplainRow& r) -> Cell { return r.facts.read_at ? Cell{state_word(r.facts.window.state)} : Cell{Null{}}; }},
    {{"shard", CellType::text, "SHARD", "the shard that has the key", Shown::table, 2}, [](const ExplainRow& r) { return text_or_null(r.facts.shard); }},
    {{"node", CellType::text, "NODE", "the server whose answer counts", Shown::wide}, [](const ExplainRow& r) { return of_decider(r, [](const ServerFacts& s) { return text_or_null(s.address); }); }},
    {{"standing", CellType::word, "STANDING", "configured-primary, promoted-replica, best-replica (no primary answers) or none", Shown::machine}, [](const ExplainRow& r) -> Cell { return standing(r.facts.standing); }},
    {{"clock_skew", CellType::duration_ms, "SKEW", "that server's clock less ours", Shown::machine}, [](const ExplainRow& r) { return of_decider(r, [](const ServerFacts& s) { return or_null(s.clock_skew); }); }},
    {{"read_at", CellType::wall_time, "READ AT", "our clock when its reply came", Shown::machine}, [](const ExplainRow& r) { return or_null(r.facts.read_at); }},
    {{"servers", CellType::integer, "SERVERS", "how many servers the shard has", Shown::machine}, [](const ExplainRow& r) -> Cell { return static_cast<std::int64_t>(r.facts.servers.size()); }},
    {{"differ", CellType::boolean, "DIFFER", "do the servers show different things", Shown::wide}, [](const ExplainRow& r) -> Cell { return r.facts.differ; }},
    {{"answers", CellType::text, "ANSWERS", "what an application would have been told by each server", Shown::machine}, answers},
    {{"causes", CellType::text, "CAUSES", "why servers differ, or soon may: lag, cut-off, clock ...", Shown::wide}, causes},
    {{"details", CellType::bytes, "DETAILS", "the same in words, server by server", Shown::machine}, details},
    {{"silent", CellType::text, "SILENT", "servers that could not be asked", Shown::wide}, silent},
    {{"findings", CellType::text, "FINDINGS", "what is odd about the window, as `doctor` calls it", Shown::wide}, findings},
    {{"finding_details", CellType::bytes, "FOUND", "the same in words", Shown::machine}, finding_details},
    {{"changes", CellType::integer, "CHANGES", "operations of this machine that changed the window lately, three at most", Shown::machine}, [](const ExplainRow& r) -> Cell { return static_cast<std::int64_t>(r.facts.changes.size()); }},
    {{"changed_at", CellType::wall_time, "CHANGED AT", "when the last of them changed it last", Shown::machine}, [](const ExplainRow& r) { return of_change(r, [](const auto& c) -> Cell { return c.at; }); }},
    {{"change", CellType::text, "CHANGE", "what it was: increment, refund, reset, undo or repair", Shown::machine}, [](const ExplainRow& r) { return of_change(r, [](const auto& c) { return text_or_null(c.what); }); }},
    {{"changed_by", CellType::bytes, "CHANGED BY", "who made it, where", Shown::machine}, [](const ExplainRow& r) { return of_change(r, [](const auto& c) { return bytes_unless_empty(c.who); }); }},
    {{"change_op", CellType::text, "OPERATION", "its operation, for history and undo", Shown::machine}, [](const ExplainRow& r) { return of_change(r, [](const auto& c) { return text_or_null(c.operation); }); }},
    {{"policy", CellType::text, "POLICY", "the policy that matches the key", Shown::machine}, [](const ExplainRow& r) { return text_or_null(r.facts.policy); }},
    {{"client", CellType::bytes, "CLIENT", "the client in the key", Shown::machine}, [](const ExplainRow& r) { return bytes_unless_empty(r.facts.client); }},
    {{"client_class", CellType::text, "CLASS", "the client's class", Shown::machine}, [](const ExplainRow& r) { return text_or_null(r.facts.client_class); }},
    {{"period", CellType::duration_s, "PERIOD", "how long a window lasts", Shown::machine}, [](const ExplainRow& r) -> Cell { return r.facts.period ? Cell{support::Milliseconds{*r.facts.period}} : Cell{Null{}}; }},
    {{"deployment", CellType::text, "DEPLOYMENT", "the deployment of the configuration", Shown::machine}, [](const ExplainRow& r) { return text_or_null(r.facts.deployment); }},
    {{"now", CellType::time, "NOW", "the second at which all of it was judged", Shown::machine}, [](const ExplainRow& r) -> Cell { return r.facts.now; }},
    {{"stored_used", CellType::bytes, "STORED USED", "the counter as stored", Shown::machine}, [](const ExplainRow& r) { return stored(r.facts.stored_used); }},
    {{"stored_reset_at", CellType::bytes, "STORED RESET", "the expiry half as stored", Shown::machine}, [](const ExplainRow& r) { return stored(r.facts.stored_reset_at); }},
    {{"advice", CellType::text, "ADVICE", "what to do", Shown::machine}, [](const ExplainRow& r) { return joined(explain::advice_for(r.facts), "; "); }},
    {{"text", CellType::text, "EXPLANATION", "the paragraph that a table shows", Shown::machine}, [](const ExplainRow& r) { return text_or_null(r.text); }},
    {kLayoutColumn, [](const ExplainRow& r) { return text_or_null(r.facts.layout); }},
}};
// clang-format on

}  // namespace

std::span<const Field<ExplainRow>> explain_fields() { return kExplainFields; }

}  // namespace ratectl::commands

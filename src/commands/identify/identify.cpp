// identify: looks at keys whatever wrote them, has the rules name the limiter, and prints what it means and the policy
// to paste; of a sample, a row for all keys that are alike.
#include <algorithm>

#include <fmt/format.h>

#include "commands/all_commands.h"
#include "commands/looks/named_looks.h"
#include "commands/looks/origins.h"
#include "commands/outcome.h"
#include "commands/report/fields/identify_fields.h"
#include "commands/report/row_writer.h"
#include "commands/request/refused_flags.h"
#include "commands/request/selection.h"
#include "support/number_text.h"

namespace ratectl::commands {
namespace {

constexpr std::size_t kIdentifiedAtOnce = 1000;
constexpr std::size_t kLargestSample = 1'000'000;
constexpr std::string_view kIdentifiedSchema = "ratectl.identified.v1";
constexpr std::string_view kSampleColumns = "system,sureness,keys,key";

struct IdentifyRequest {
    Selection selection;
    std::optional<std::string> sample;
    ColumnOrder order;
};

void bind_identify(Syntax syntax, IdentifyRequest& request) {
    Selection& s = request.selection;
    syntax.add_option("key", s.keys, "a key, literally; `-` reads keys from standard input").type_name("KEY");
    syntax.add_option("--sample", request.sample, "sum up so many keys of each shard, whatever they are called")
        .type_name("N")
        .group("Selection");
    syntax.add_option("--shard", s.shards, "take the sample from these shards alone")
        .type_name("NAME")
        .delimiter(',')
        .group("Selection");
    bind_input_format(syntax, s);
    bind_row_order(syntax, request.order);
    refuse_flags(syntax, {"--now"}, "what a key means is told by the clock of its server", "");
}

/// That of -u has no name that a configuration would give it.
std::string deployment_to_paste_for(Context& context) {
    return context.options().overrides.urls.empty() ? context.settings().deployment : "main";
}

/// Rows, and behind a table the policies.
class IdentifiedReport {
public:
    IdentifiedReport(Context& context, std::string_view narrow, const ColumnOrder& order)
        : context_(context),
          tables_(deployment_to_paste_for(context)),
          writer_(context, identified_fields(), kIdentifiedSchema, narrow, true, order) {}

    void write(IdentifiedRow row) {
        const auto table = tables_.table_of(row.origin);
        row.policy = table;
        writer_.write(row);
    }
    void flush() { writer_.flush(); }
    ExitCode end(const output::Footer& footer) {
        const auto code = writer_.end(footer);
        const auto format = writer_.options().format;
        const bool is_for_people = format == output::Format::table || format == output::Format::wide;
        if (is_for_people && !context_.options().columns && !tables_.empty()) {
            context_.out().write(tables_.text());
            context_.out().flush();
        }
        return code;
    }

private:
    Context& context_;
    OriginPolicies tables_;
    RowWriter<IdentifiedRow> writer_;
};

// ---- named keys

class NamedKeys {
public:
    NamedKeys(const IdentifyRequest& request, Context& context)
        : context_(context),
          from_(one_node(context.settings().read_from)),
          outcome_(context),
          report_(context, {}, request.order) {}

    ExitCode run(KeyStream& keys) {
        say_home_unknown(context_);
        std::vector<NamedKey> memory;
        try {
            for (auto chunk = keys.next(kIdentifiedAtOnce, memory); !chunk.empty() && !context_.stop();
                 chunk = keys.next(kIdentifiedAtOnce, memory)) {
                asked_ += chunk.size();
                identify(chunk, keys.left_out());
                if (!keys.ready()) report_.flush();
            }
        } catch (const support::Failure&) {  // a line that is no key: what came before it has its rows
            outcome_.add(report_.end(outcome_.footer(false)));
            throw;
        }
        keys.left_out().tell_missing(asked_);
        keys.left_out().tell(outcome_);
        outcome_.add(report_.end(outcome_.footer()));
        return outcome_.code();
    }

private:
    void identify(std::span<const NamedKey> chunk, LeftOut& left_out) {
        std::vector<store::KeyAt> asked;
        std::vector<std::size_t> owners;
        for (std::size_t i = 0; i < chunk.size(); ++i) {
            for (const auto place : places_to_ask(chunk[i].key, context_)) {
                asked.push_back({chunk[i].key, place});
                owners.push_back(i);
            }
        }
        const auto answers = context_.store().hold({asked, from_});
        for (const auto& [node, error] : context_.store().look_failures()) outcome_.fail_once(node, error);
        for (std::size_t first = 0; first < answers.size();) {
            auto end = first;
            while (end < answers.size() && owners[end] == owners[first]) ++end;
            take(chunk[owners[first]].key, std::span(answers).subspan(first, end - first), left_out);
            first = end;
        }
    }

    /// What the shards that may have it answered about one key.
    void take(const std::string& key, std::span<const store::HoldingAnswer> answers, LeftOut& left_out) {
        bool any = false;
        const support::Error* failed = nullptr;
        for (const auto& answer : answers) {
            if (!answer.holding) {
                failed = &answer.holding.error();
                if (!context_.stop()) outcome_.fail_once(answer.node, answer.holding.error());
                continue;
            }
            const auto origin = shown_origin(domain::origin_of(*answer.holding), key, context_.settings());
            if (answers.size() > 1 && origin.system == domain::kNoSystem) continue;
            any = true;
            report_.write({.key = key,
                           .origin = origin,
                           .held = &answer.holding->key,
                           .node = &answer.node,
                           .stale = answer.stale});
        }
        // While a shard has not answered, the key cannot be called absent.
        if (!any && failed == nullptr) report_.write({.key = key, .origin = domain::origin_of({})});
        if (any || failed == nullptr) {
            outcome_.answer();
        } else if (!context_.stop()) {
            left_out.note_missing(key, *failed);
        }
    }

    Context& context_;
    domain::ReadFrom from_;
    Outcome outcome_;
    IdentifiedReport report_;
    std::uint64_t asked_ = 0;
};

// ---- a sample

std::size_t size_of_sample(const std::string& text) {
    const auto number = support::parse_unsigned(text, kLargestSample);
    if (!number || *number == 0) {
        throw support::Failure(ExitCode::usage, fmt::format("--sample: '{}' is not a number of keys", text),
                               fmt::format("1 to {}, of each shard", kLargestSample));
    }
    return static_cast<std::size_t>(*number);
}

ExitCode sum_up(const IdentifyRequest& request, Context& context) {
    const auto& settings = context.settings();
    const Filter filter(request.selection, settings, context.directory());
    const OriginQuestion question{settings, filter.shards(),
                                  one_node(settings.from_given ? settings.read_from : settings.scan_from),
                                  size_of_sample(*request.sample)};
    const bool is_table = context.sink_options(kIdentifiedSchema).format == output::Format::table;
    Outcome outcome(context);
    IdentifiedReport report(context, is_table ? kSampleColumns : std::string_view{}, request.order);
    const auto kinds = sample_origins(question, context.store(), context, outcome);
    for (const auto& kind : kinds) report.write({.key = kind.example, .origin = kind.origin, .keys = kind.keys});
    outcome.add(report.end(outcome.footer()));
    const auto sure = std::ranges::count_if(
        kinds, [](const KeyKind& kind) { return kind.origin.sureness > domain::Sureness::unsure; });
    const auto keys = count_keys(kinds);
    return outcome.close(fmt::format("{} keys looked at: {} kind{}, {} more than a guess", keys, kinds.size(),
                                     kinds.size() == 1 ? "" : "s", sure),
                         {{"keys", keys}, {"kinds", static_cast<std::int64_t>(kinds.size())}});
}

ExitCode run_identify(const IdentifyRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(identified_fields()))) return ExitCode::done;
    refuse_limit(context, "--sample N looks at so many keys of each shard");
    const bool names = names_keys(request.selection);
    if (names == request.sample.has_value()) {
        throw support::Failure(ExitCode::usage, names ? "keys and --sample exclude each other" : "which key?",
                               "name keys, or `-` to read them from standard input, or take some with --sample N");
    }
    if (request.sample) return sum_up(request, context);
    if (!request.selection.shards.empty())
        throw support::Failure(ExitCode::usage, "--shard belongs to --sample",
                               "named keys are looked for where they live");
    check_selection(request.selection);
    KeyStream keys(request.selection, context);
    return NamedKeys(request, context).run(keys);
}

}  // namespace

Command identify_command() {
    return {"identify", Group::investigate, "which limiter wrote a key, and what it means now",
            "# whose key is this, and what does it say?\n"
            "ratectl identify core:42\n"
            "# what kinds of limiters keep their windows on these servers?\n"
            "ratectl identify --sample 1000\n"
            "# a list of keys, one JSON object each\n"
            "ratectl identify -o ndjson - < keys.txt",
            bind_request<IdentifyRequest, bind_identify, run_identify>};
}

}  // namespace ratectl::commands

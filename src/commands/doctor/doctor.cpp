// doctor: its flags, and its course: servers first, then the windows, then what is to be repaired.
#include "commands/all_commands.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands/doctor/repairs.h"
#include "commands/doctor/windows.h"
#include "commands/dumps/rdb_stream.h"
#include "commands/looks/stranded.h"
#include "commands/report/wording.h"
#include "commands/request/selection.h"
#include "commands/request/sweep_flags.h"
#include "commands/sweep/sweep.h"
#include "support/number_text.h"

namespace ratectl::commands {
namespace {

using doctor::Classes;
using support::Failure;

struct DoctorRequest {
    std::optional<std::string> glob;
    std::vector<std::string> shards;
    std::vector<std::string> only;
    std::vector<std::string> skip;
    std::vector<std::string> fix;
    std::vector<std::string> rdb;
    std::optional<std::string> sample;
    std::optional<std::string> examples;
    PaceFlags pace;
    bool all_findings = false;
    bool summary = false;
    bool classes = false;
    ConsentFlags consent;
    OrderFlags order;
};

void bind_doctor(Syntax syntax, DoctorRequest& request) {
    syntax.add_option("glob", request.glob, "only keys that match this pattern, whatever the policies say")
        .type_name("GLOB");
    const auto list = [&syntax](const char* name, auto& value, const char* type, const char* about, const char* group) {
        syntax.add_option(name, value, about).type_name(type).delimiter(',').group(group);
    };
    list("--shard", request.shards, "NAME", "only these shards", "Selection");
    list("--only", request.only, "CLASS", "only findings of these classes", "Selection");
    list("--skip", request.skip, "CLASS", "no findings of these classes", "Selection");
    syntax
        .add_option("--sample", request.sample, "only so many windows, or such a share of them, of every shard's keys")
        .type_name("N|P%")
        .group("Selection");
    syntax
        .add_option(
            "--rdb", request.rdb,
            "read this dump file instead of a server; several are one shard each; nothing can be repaired there")
        .type_name("[NAME=]FILE")
        .group("Selection");
    syntax.add_flag("--classes", request.classes, "print the classes and what each means, and do nothing else");
    syntax.add_flag("--summary", request.summary, "a row a class, with its count, instead of findings");
    syntax.add_option("--examples", request.examples, "how many of each class a table shows (default 5; under -q all)")
        .type_name("N");
    syntax.add_flag("--all-findings", request.all_findings, "show every finding; json, ndjson, csv and tsv always do");
    bind_pace(syntax, request.pace);
    list("--fix", request.fix, "CLASS|all",
         "repair these classes, after a question; all: what can be and need not be named", "Safety");
    bind_consent(syntax, request.consent);
    bind_op_keys(syntax, request.order);
    bind_row_order(syntax, request.order.rows);
    refuse_guards(syntax, "--fix repairs a window only while it is exactly what was found",
                  "--only and --skip choose classes");
}

std::uint64_t number_of(const std::string& flag, const std::string& text, std::uint64_t least) {
    const auto number = support::parse_unsigned(text, UINT32_MAX);
    if (number && *number >= least) return *number;
    throw Failure(ExitCode::usage, fmt::format("{} '{}' is not a number of at least {}", flag, text, least), {});
}

doctor::Sample sample_of(const std::string& text) {
    if (!text.ends_with('%')) return {number_of("--sample", text, 1), std::nullopt};
    const auto percent = support::parse_unsigned(std::string_view(text).substr(0, text.size() - 1), 100);
    if (percent && *percent > 0) return {std::nullopt, static_cast<double>(*percent)};
    throw Failure(ExitCode::usage, "--sample '" + text + "' is not a whole percentage from 1% to 100%",
                  "for example --sample 5% or --sample 10000");
}

doctor::WindowQuestion question_of(const DoctorRequest& request, Context& context) {
    const auto& settings = context.settings();
    doctor::WindowQuestion question;
    if (request.glob) support::value_or_throw(domain::check_glob(*request.glob));
    question.glob = request.glob;
    Selection shards;
    shards.shards = request.shards;
    question.shards = Filter(shards, settings, context.directory()).shards();
    question.scan_from = settings.from_given ? settings.read_from : settings.scan_from;
    question.verify_from = settings.from_given ? settings.read_from : domain::ReadFrom{};
    if (question.scan_from.which == domain::ReadFrom::Which::all)
        throw Failure(ExitCode::usage, "doctor reads one node of each shard", "--from primary or --from replica");
    if (request.sample) question.sample = sample_of(*request.sample);
    question.max_latency = max_latency_of(request.pace);
    question.ops = ops_of(request.pace);
    return question;
}

ExitCode print_classes(const ColumnOrder& order, Context& context) {
    RowWriter<domain::FindingKind> writer(context, finding_kind_fields(), "ratectl.finding-classes.v1", {}, true,
                                          order);
    for (const auto& kind : domain::finding_kinds()) writer.write(kind);
    return writer.end({});
}

/// What the command came to.
struct Course {
    const DoctorRequest& request;
    const Classes wanted;
    const Classes to_fix;
    doctor::WindowQuestion question;
};

Course course_of(const DoctorRequest& request, Context& context) {
    Course course{request, Classes::chosen(request.only, request.skip), Classes::to_fix(request.fix),
                  question_of(request, context)};
    if (!request.rdb.empty() && !request.fix.empty())
        throw Failure(ExitCode::usage, "--fix changes servers, and --rdb reads files", "leave out one of them");
    if (!request.rdb.empty() && (request.sample || request.pace.ops || request.pace.max_latency))
        throw Failure(ExitCode::usage, "a dump file is read whole, and no server is asked",
                      "leave out --sample, --ops and --max-latency");
    if (request.summary && (request.all_findings || request.examples))
        throw Failure(ExitCode::usage, "--summary shows classes and no findings", "leave out one of them");
    return course;
}

doctor::Showing showing_of(const DoctorRequest& request) {
    doctor::Showing showing;
    showing.order = request.order.rows;
    showing.all = request.all_findings;
    showing.summary = request.summary;
    showing.repairs = !request.fix.empty();
    if (request.examples) showing.examples = number_of("--examples", *request.examples, 0);
    return showing;
}

class Examination {
public:
    Examination(Course course, Context& context)
        : course_(std::move(course)),
          context_(context),
          report_(context, course_.wanted, showing_of(course_.request)) {}

    ExitCode run() {
        const bool live = !course_.question.offline;
        const doctor::Servers servers(
            live ? context_.store().node_reports(course_.question.shards, store::Trials::needed)
                 : std::vector<store::NodeReport>{});
        std::optional<doctor::Repairs> repairs;
        if (!course_.request.fix.empty())
            repairs.emplace(course_.to_fix, course_.request.consent, course_.request.order, servers, report_, context_);
        if (course_.wanted.any_server()) servers.report(report_);
        if (course_.wanted.has(domain::FindingClass::replica_lag))
            servers.report_lags(doctor::find_lags(servers.reports(), context_), report_);
        const auto take = [&](FindingRow row, std::size_t shard) {
            if (!course_.wanted.has(row.finding.what) || !repairs || !repairs->take(row, shard))
                report_.take(std::move(row));
        };
        doctor::WindowSurvey survey(course_.question, servers, course_.wanted, report_, take, context_);
        try {
            if (course_.wanted.any_window() || course_.wanted.has(domain::FindingClass::masked_keys)) survey.run();
            if (repairs && !context_.stop()) report_.outcome().add(repairs->carry_out());
        } catch (const Failure& failure) {
            report_.outcome().list(failure_row(failure.error()));
            if (repairs) repairs->leave();
            if (repairs && repairs->repaired() > 0) close(survey, &*repairs);
            report_.finish(false);
            throw;
        }
        if (repairs) repairs->leave();
        return finish(survey, repairs ? &*repairs : nullptr);
    }

private:
    ExitCode finish(const doctor::WindowSurvey& survey, const doctor::Repairs* repairs) {
        const bool whole = survey.incomplete().empty() && survey.unjudged().empty() && survey.silent() == 0;
        std::optional<support::Error> unread;  // what was repaired is told all the same
        try {
            report_.finish(whole);
        } catch (const Failure& failure) {
            unread = failure.error();
        }
        auto& outcome = report_.outcome();
        const auto found = report_.total();
        const auto repaired = repairs != nullptr ? repairs->repaired() : 0;
        if (found > repaired) outcome.attend();
        if (survey.shards() > survey.incomplete().size() || found > 0) outcome.answer();
        if (!whole && !outcome.has_failures()) outcome.leave_undone();
        const ExitCode code = close(survey, repairs);
        if (unread) outcome.end_by(*unread);
        return code;
    }

    ExitCode close(const doctor::WindowSurvey& survey, const doctor::Repairs* repairs) {
        const auto found = report_.total();
        std::string text = context_.stop() ? "stopped before the end; " : "";
        text += found == 0 ? "nothing found" : report_.words();
        text += fmt::format(" in {} window{}{} on {} shard{}", survey.windows(), survey.windows() == 1 ? "" : "s",
                            survey.sampled() ? " of a sample" : "", survey.shards(), survey.shards() == 1 ? "" : "s");
        if (!survey.incomplete().empty()) text += "; " + incomplete_words(survey.incomplete());
        for (const auto& [shard, windows] : survey.unjudged()) {
            text += fmt::format("; {} suspicious window{} of shard '{}' not judged", windows, windows == 1 ? "" : "s",
                                shard);
        }
        if (survey.silent() > 0) text += "; " + silent_primaries(survey.silent());
        if (repairs != nullptr) text += "; " + repairs->words();
        say_what_was_left_out(survey);
        if (repairs != nullptr) say_what_was_not_touched();
        if (repairs != nullptr && repairs->turned_away() > 0) {
            context_.messages().notice(fmt::format("{} more can be repaired", repairs->turned_away()),
                                       "run the command again");
        }
        std::uint64_t unjudged = 0;
        for (const auto& [shard, windows] : survey.unjudged()) unjudged += windows;
        auto numbers = report_.numbers();
        numbers.emplace_back("findings", static_cast<std::int64_t>(found));
        numbers.emplace_back("windows", static_cast<std::int64_t>(survey.windows()));
        numbers.emplace_back("shards", static_cast<std::int64_t>(survey.shards()));
        numbers.emplace_back("incomplete_shards", static_cast<std::int64_t>(survey.incomplete().size()));
        numbers.emplace_back("not_judged", static_cast<std::int64_t>(unjudged));
        if (repairs != nullptr) numbers.emplace_back("repaired", static_cast<std::int64_t>(repairs->repaired()));
        return report_.outcome().close(text, numbers);
    }

    /// `all` is not all: what a person may still want to read goes only where it is named.
    void say_what_was_not_touched() {
        if (std::ranges::find(course_.request.fix, "all") == course_.request.fix.end()) return;
        std::vector<std::string> counts;
        std::vector<std::string_view> classes;
        for (const auto& kind : domain::finding_kinds()) {
            const auto left = report_.left_to_name(kind.what);
            if (left == 0 || course_.to_fix.has(kind.what)) continue;
            counts.push_back(fmt::format("{} {}", left, kind.name));
            classes.push_back(kind.name);
        }
        if (classes.empty()) return;
        context_.messages().notice(
            fmt::format("--fix all has not touched {}: what is stored there would be lost", listed(counts)),
            fmt::format("--fix {} removes it", fmt::join(classes, ",")));
    }

    void say_what_was_left_out(const doctor::WindowSurvey& survey) {
        const auto left_out = survey.left_out();
        if (left_out > 0) {
            context_.messages().notice(unknown_keys_are(left_out, "left out"), "doctor '*' examines them too");
        }
        const auto& glob = course_.question.glob;
        if (survey.windows() + left_out == 0 && !report_.outcome().has_failures() && glob &&
            !domain::has_wildcard(*glob))
            say_no_such_window(*glob, context_);
        if (!survey.unjudged().empty() && course_.question.verify_from == domain::ReadFrom{}) {
            context_.messages().notice("what a sweep finds suspicious is looked at again at the primary",
                                       "--from replica judges by what a replica has");
        }
    }

    Course course_;
    Context& context_;
    doctor::FindingReport report_;
};

ExitCode run_doctor(const DoctorRequest& request, Context& context) {
    if (request.classes) {
        if (answer_columns_help(context, output::columns_of(finding_kind_fields()))) return ExitCode::done;
        return print_classes(request.order.rows, context);
    }
    const auto columns =
        request.summary ? output::columns_of(finding_count_fields()) : output::columns_of(finding_fields());
    if (answer_columns_help(context, columns)) return ExitCode::done;
    if (request.rdb.empty()) {
        auto course = course_of(request, context);
        return Examination(std::move(course), context).run();
    }
    if (context.options().overrides.read_from)
        throw Failure(ExitCode::usage, "--from asks servers, and --rdb reads files", "leave out one of them");
    RdbDeployment dumps(request.rdb, context);
    auto course = course_of(request, dumps.context());
    course.question.scan_from = {};
    course.question.offline = [&dumps](store::ScanQuestion scan) { return dumps.scan(std::move(scan)); };
    return Examination(std::move(course), dumps.context()).run();
}

}  // namespace

Command doctor_command() {
    return {"doctor", Group::investigate, "find every broken, leaked or misplaced window, and repair what can be",
            "# what is wrong: counts, and five examples of each class\n"
            "ratectl doctor\n"
            "# every finding, for a script; exit code 1 when there is one\n"
            "ratectl doctor -o ndjson\n"
            "# what do the classes mean, and which can be repaired?\n"
            "ratectl doctor --classes -o wide\n"
            "# a look at a hundredth of a large deployment\n"
            "ratectl doctor --sample 1% --summary\n"
            "# set wrong expiries right, shown first\n"
            "ratectl doctor --fix leaked,ttl-short,ttl-long -n\n"
            "# windows on the wrong shard, from last night's backups\n"
            "ratectl doctor --only misplaced,duplicate --rdb alpha.rdb --rdb beta.rdb\n",
            bind_request<DoctorRequest, bind_doctor, run_doctor>};
}

}  // namespace ratectl::commands

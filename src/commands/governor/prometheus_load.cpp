// Asks Prometheus what the load is, and how old that is: a series that has ended keeps its last value for minutes.
#include "commands/governor/loads.h"

#include <algorithm>

#include <fmt/format.h>

#include "commands/governor/load_rows.h"
#include "config/password_source.h"
#include "http/get.h"
#include "input/prometheus_answer.h"
#include "support/quote.h"

namespace ratectl::commands::governor {
namespace {

using support::Failure;

class PrometheusLoad final : public LoadSource {
public:
    PrometheusLoad(http::Question question, std::string query, std::string name, Context& context)
        : question_(std::move(question)), query_(std::move(query)), name_(std::move(name)), context_(context) {}

    support::Result<Load> read(support::Milliseconds limit) override {
        const auto deadline = std::chrono::steady_clock::now() + limit;
        const auto sample = ask(query_, {}, deadline);
        if (!sample) return tl::make_unexpected(sample.error());
        const auto load = load_in(sample->value);
        if (!load) return no_load("it is " + support::quoted(sample->value) + ", no number from 0 on");
        auto moment = moment_in(sample->at);
        if (sample->is_series) {
            // Of what was computed this is the moment of the query again, of a series that of its newest sample.
            const auto newest = ask("timestamp(" + query_ + ")", sample->at, deadline);
            if (newest && newest->is_series && moment_in(newest->value)) moment = moment_in(newest->value);
        }
        return Load{*load, moment};
    }
    std::string name() const override { return name_; }

private:
    /// `at`: the moment for which it is evaluated; empty: the server's now.
    support::Result<input::PrometheusSample> ask(const std::string& query, const std::string& at,
                                                 support::Deadline deadline) {
        question_.target = "/api/v1/query?query=" + http::percent_encoded(query);
        if (!at.empty()) question_.target += "&time=" + http::percent_encoded(at);
        const auto answer =
            http::get(question_, std::min(deadline, context_.deadline().value_or(deadline)), context_.stop());
        context_.patience().require("asking for the load");
        if (!answer) {
            const auto& error = answer.error();  // its hints are of Redis
            return support::failure(error.code, error.message,
                                    error.code == ExitCode::access
                                        ? "--load-ca-file FILE has the authority that vouches for its certificate"
                                        : "");
        }
        const auto where = question_.server.text();
        if (answer->status == 401 || answer->status == 403) {
            return support::failure(ExitCode::access,
                                    fmt::format("{} refuses the login (status {})", where, answer->status),
                                    "--load-token-file FILE has the token");
        }
        const auto sample = input::sample_in(answer->body);
        if (sample) return *sample;
        // Errors of the query come with 400 or 422, and in the words of the answer.
        return support::failure(sample.error().code,
                                answer->status == 200 || sample.error().message.starts_with("says")
                                    ? fmt::format("what {} answers {}", where, sample.error().message)
                                    : fmt::format("{} answers with status {}", where, answer->status));
    }

    http::Question question_;
    std::string query_, name_;
    Context& context_;
};

}  // namespace

std::unique_ptr<LoadSource> prometheus_load(const PrometheusFlags& flags, std::string name, Context& context) {
    http::Question question;
    auto url = http::parse_url(flags.url);
    if (!url) throw Failure(url.error().code, "--load-prometheus " + url.error().message, url.error().hint);
    question.server = std::move(*url);
    question.tls.ca_file = flags.ca_file;
    if (!flags.token_file.empty()) {
        question.token = config::secret_in_file(flags.token_file, "--load-token-file");
        // It becomes part of a line.
        if (!std::ranges::all_of(question.token->reveal(), [](char c) { return c > ' ' && c < '\x7f'; })) {
            throw Failure(ExitCode::configuration,
                          "--load-token-file " + flags.token_file + " holds more than one token of printable ASCII");
        }
    }
    return std::make_unique<PrometheusLoad>(std::move(question), flags.query, std::move(name), context);
}

}  // namespace ratectl::commands::governor

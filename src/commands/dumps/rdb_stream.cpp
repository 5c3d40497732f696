// The sweep over dump files: opens them, pages their windows, and says what each picture is.
#include "commands/dumps/rdb_stream.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "commands/dumps/rdb_picture.h"
#include "store/directory.h"
#include "support/time_text.h"

namespace ratectl::commands {
namespace {

constexpr std::size_t kWindowsPerPage = 512;

/// When a regular file was last changed; null for everything else.
std::optional<support::Instant> last_change(const std::string& path) {
    struct stat status {};
    if (path == "-" || ::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    return support::from_epoch(status.st_mtim.tv_sec);
}

class RdbStream final : public store::ScanStream {
public:
    RdbStream(std::vector<RdbFile> files, Context& context, store::ScanQuestion question)
        : context_(context), question_(std::move(question)), secret_(context.new_operation_id()) {
        for (RdbFile& file : files) {
            const auto& wanted = question_.shards;
            if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), file.shard) == wanted.end()) continue;
            store::ShardProgress progress;
            progress.shard = file.shard;
            progress.node = node_of(file);
            progress_.push_back(std::move(progress));
            files_.push_back(std::move(file));
        }
    }

    const store::ScanPage* next() override {
        if (at_ < files_.size()) progress_[at_].windows += std::exchange(given_, 0);
        for (; at_ < files_.size(); ++at_) {
            if (fill_page()) return &page_;
            if (context_.stop()) return nullptr;
            if (error_) {
                failures_.push_back({*progress_[at_].node, *std::exchange(error_, std::nullopt)});
            } else {
                end_picture();
                progress_[at_].complete = !told_unreadable();
            }
            picture_.reset();
        }
        return nullptr;
    }

    const std::vector<store::NodeFailure>& failures() const override { return failures_; }
    const std::vector<store::ShardProgress>& progress() const override { return progress_; }

private:
    static domain::Node node_of(const RdbFile& file) {
        domain::Node node;
        node.shard = file.shard_name;
        node.endpoint.kind = domain::Endpoint::Kind::file;
        node.endpoint.path = file.path == "-" ? "standard input" : file.path;
        return node;
    }

    const RdbFile& file() const { return files_[at_]; }

    /// False at the end of the file, and for one that has failed: then error_ says why.
    bool fill_page() {
        if (error_ || context_.stop()) return false;
        try {
            if (!picture_) open_picture();
            page_.looks.resize(kWindowsPerPage);
            given_ = picture_->fill(page_.looks);
        } catch (const support::Failure& failure) {
            if (failure.error().code == support::ExitCode::usage) throw;
            error_ = failure.error();
            given_ = picture_ ? picture_->filled() : 0;
        }
        page_.looks.resize(given_);
        return given_ > 0;
    }

    void open_picture() {
        const bool is_standard_input = file().path == "-";
        auto source = is_standard_input ? input::maybe_gunzip(input::borrow(context_.in()))
                                        : input::open_file(file().path, context_.patience());
        const PictureOptions options{limiter_of(context_.settings()), file().db, secret_};
        picture_ = std::make_unique<RdbPicture>(std::move(source), options, question_);
        const support::WallTime moment = moment_of(picture_->facts());
        picture_->set_moment(moment);
        page_.shard = file().shard;
        page_.node = *progress_[at_].node;
        page_.read_at = moment;
        introduce(moment);
    }

    support::WallTime moment_of(const input::RdbFacts& facts) const {
        if (facts.written_at) return *facts.written_at;
        if (const auto changed = last_change(file().path)) return *changed;
        if (const auto now = context_.settings().now) return *now;
        throw support::Failure(support::ExitCode::usage,
                               page_name() + " does not say when it was written (no dump of Redis 2.8 or 3.0 does)",
                               "give the moment with --now");
    }

    const std::string& page_name() const { return progress_[at_].node->endpoint.path; }

    void introduce(support::WallTime moment) {
        const input::RdbFacts& facts = picture_->facts();
        context_.messages().notice(fmt::format(
            "shard '{}': picture of {}{}, {}", file().shard_name, support::format_time(support::to_instant(moment)),
            facts.server.empty() ? "" : ", written by " + facts.server, page_name()));
        if (!facts.written_at && file().path != "-") {
            context_.messages().notice(
                page_name() + " does not say when it was written; its last change is taken for it",
                "--now says at which second the windows are judged");
        }
        const int newest = facts.valkey_format ? input::kNewestValkeyFormat : input::kNewestRdbFormat;
        if (facts.format > newest) {
            context_.messages().warning(
                fmt::format("{} has format {}, which is newer than this program: it is read as far "
                            "as it is understood",
                            page_name(), facts.format),
                "a newer ratectl may know it");
        }
    }

    bool told_unreadable() {
        const auto count = picture_->unreadable();
        if (count == 0) return false;
        failures_.push_back(
            {*progress_[at_].node,
             {support::ExitCode::partial,
              fmt::format(
                  "{}: {} left out, whose limiters keep them in hashes, lists or several keys: of dump files only "
                  "windows in strings are read",
                  page_name(), count == 1 ? "1 window is" : fmt::format("{} windows are", count)),
              "look at them on a server: without --rdb"}});
        return true;
    }

    /// What is worth a line once the whole file has been read.
    void end_picture() {
        auto& messages = context_.messages();
        const std::string& name = page_name();
        if (picture_->keys_too_long() > 0) {
            messages.warning(fmt::format("{}: {} keys of more than {} bytes are not shown", name,
                                         picture_->keys_too_long(), input::RdbReader::kLongestKey));
        }
        if (picture_->cut_values() > 0) {
            messages.notice(fmt::format("{}: of {} values that are too long for a counter only the beginning is shown",
                                        name, picture_->cut_values()));
        }
        if (const auto other = picture_->other_db()) {
            messages.notice(
                fmt::format("{}: db {} has windows, too; these are those of db {}", name, *other, picture_->db()),
                "a deployment's URL names the db: -u redis://HOST/" + std::to_string(*other));
        } else if (!file().db && picture_->db() != 0 && picture_->found_windows()) {
            messages.notice(fmt::format("{}: its windows are in db {}", name, picture_->db()));
        }
        if (picture_->has_more()) {
            const bool log = picture_->facts().aof_preamble;
            messages.warning(fmt::format(
                "{}: what follows the end of the dump was not read{}", name,
                log ? ": the commands that an append-only file has behind it, newer than the picture" : ""));
        }
        if (!picture_->has_checksum() && context_.options().verbose > 0) {
            messages.notice(name + " has no checksum: its server was told to write none",
                            "damage that keeps the structure whole cannot be seen");
        }
        if (context_.options().verbose > 0)
            messages.notice(fmt::format("{}: joining took {} MiB", name, picture_->memory() >> 20));
    }

    Context& context_;
    store::ScanQuestion question_;
    std::string secret_;
    std::vector<RdbFile> files_;
    std::vector<store::ShardProgress> progress_;  // one a file
    std::vector<store::NodeFailure> failures_;
    std::size_t at_ = 0;
    std::unique_ptr<RdbPicture> picture_;
    std::optional<support::Error> error_;
    store::ScanPage page_;
    std::size_t given_ = 0;
};

}  // namespace

// Looked at before the sweep, for tables are laid out before it. A pipe can be read once only, and is not.
std::optional<support::Instant> RdbDeployment::first_moment() const {
    const std::string& path = files_.front().path;
    const auto changed = last_change(path);
    if (!changed) return std::nullopt;
    try {
        const auto source = input::open_file(path, context_->patience());
        const input::RdbReader reader(*source);
        return reader.facts().written_at.value_or(*changed);
    } catch (const support::Failure&) {
        return std::nullopt;  // the sweep says it
    }
}

std::unique_ptr<store::ScanStream> RdbDeployment::scan(store::ScanQuestion question) {
    return std::make_unique<RdbStream>(files_, *context_, std::move(question));
}

}  // namespace ratectl::commands

// A plan of writes on disk: NDJSON with a head, a row a window, and a last line that tells whether all of it is there.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "support/error.h"
#include "support/fnv.h"
#include "support/waits.h"

namespace ratectl::input {

inline constexpr std::string_view kPlanSchema = "ratectl.plan.v1";

struct PlanHead {
    std::string operation;  // the id under which the plan is carried out, however often it is applied
    std::string kind;       // increment, refund or reset
    std::string deployment;
    std::string created_at;  // RFC 3339, for people
    std::string made_by;
    std::string reason;
    bool clamp = false;  // refund: where fewer are used, take what is there
    std::optional<std::int64_t> if_used_at_least;
    std::uint64_t chunk = 5000;  // so many rows at a time are cut into slices

    bool operator==(const PlanHead&) const = default;
};

/// One window as it was seen, and what is to be done to it.
struct PlanRow {
    std::uint64_t row = 1;
    std::uint64_t slice = 1;
    std::string shard;
    std::string key;
    std::optional<std::string> used;  // both halves as stored, bytes
    std::optional<std::string> reset_at;
    std::string state;
    std::optional<std::int64_t> amount;
    std::optional<std::int64_t> period_s;               // how long a window lasts that has to be opened
    std::optional<std::int64_t> if_used_at_least = {};  // as a filter has chosen it, beside the head's
    bool follows = false;     // in the window that a row before opens or moves; used and reset_at are forecast
    std::string layout = {};  // how its limiter stores it, in a word; empty: not told

    bool operator==(const PlanRow&) const = default;
};

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// A running check over the bytes of a plan (FNV-1a, 64 bits): against tearing and editing, not against malice.
class PlanChecksum {
public:
    void add(std::string_view bytes);
    std::string text() const;  // `fnv1a64:` and 16 hexadecimal digits

private:
    std::uint64_t state_ = support::kFnv64.start;
};

/// Writes a plan that appears under its name only when it is whole (mode 0600), and never over another file. Every
/// failure throws support::Failure (local_io) that names the file.
class PlanWriter {
public:
    PlanWriter(std::string path, const PlanHead& head);
    ~PlanWriter();  // an unfinished plan leaves nothing behind
    PlanWriter(const PlanWriter&) = delete;
    PlanWriter& operator=(const PlanWriter&) = delete;

    void row(const PlanRow& row);
    /// The last line, to the disk, and the name.
    void finish();
    std::uint64_t rows() const { return rows_; }

private:
    void line(const std::string& text);
    [[noreturn]] void cannot(const char* what, int error) const;

    std::string path_;
    std::string temporary_;
    File file_;
    PlanChecksum checksum_;
    std::uint64_t rows_ = 0;
    bool finished_ = false;
};

/// For support::Patience, as long as no row has been carried out.
inline constexpr std::string_view kReadingPlan = "the plan was read; nothing was written";

/// Reads a plan, twice: the constructor goes through all of it and refuses what is not whole and as it was written;
/// then next() gives its rows. Throws support::Failure: local_io where it cannot be read, guard where it is torn,
/// edited, or of a schema that is not known here; from the constructor also when patience is over.
class PlanReader {
public:
    explicit PlanReader(std::string path, const support::Patience& patience = {});

    const PlanHead& head() const { return head_; }
    std::uint64_t rows() const { return rows_; }
    /// Null at the end; rewind() begins anew.
    std::optional<PlanRow> next();
    void rewind();

private:
    bool read_line();
    void verify(const support::Patience& patience);
    void read_head();
    void check(const std::string& wrong) const;
    [[noreturn]] void bad(const std::string& what) const;

    std::string path_;
    File file_;
    std::string line_;
    std::uint64_t line_number_ = 0;
    PlanHead head_;
    std::uint64_t rows_ = 0;
    std::uint64_t given_ = 0;
};

}  // namespace ratectl::input

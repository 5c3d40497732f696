// One kind of change: what is asked of a key that was looked at, and how it is sent.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commands/report/fields/write_fields.h"
#include "commands/request/selection.h"
#include "commands/write/consent.h"
#include "commands/write/planned_keys.h"
#include "domain/limiter_model.h"
#include "domain/operation.h"
#include "input/plan_file.h"
#include "store/store.h"

namespace ratectl::commands {

/// A key as it was just seen on its primary.
struct Subject {
    const PlannedKey& planned;
    const domain::WindowLook& look;
    const domain::Window& window;
    const KeyMeaning& meaning;
    support::Moment now{};
    std::optional<support::WallTime> server_now = {};  // the server's own clock then; null: not looked at, or not said
    bool is_remembered = false;  // what comes of it, so that a repeated command does not come to something else
};

/// A server of another deployment than the one that is written to.
struct OtherServer {
    std::string deployment;
    domain::Node node;
};

/// What is said of a key that more requests would make larger than scripts write (`too-large`).
inline constexpr const char* kWouldOutgrow = "would hold more than 10,000 elements, which ratectl does not write";

/// Why a key is not sent.
struct Refusal {
    RowStatus status = RowStatus::refused;
    std::string reason;                         // a stable word
    std::optional<support::Error> error;        // null for skipped
    std::optional<OtherServer> elsewhere = {};  // what failed, where that is none of the key's own
};

/// What a dry run says of a key that would be sent.
struct Forecast {
    std::optional<Refusal> refusal;
    domain::StoredWindow after;
    std::optional<std::int64_t> taken;
};

/// One kind of change. prepare() collects items; send() submits what was collected, in that order, and forgets it.
class Change {
public:
    virtual ~Change() = default;
    virtual domain::WriteKind kind() const = 0;
    /// The word that people typed.
    virtual std::string_view command() const { return domain::name_of(kind()); }
    /// What is asked of all keys, as text: `refund clamp`. The same operation id with another text is another
    /// operation.
    virtual std::string asked() const = 0;
    /// What the fingerprints of its calls begin with, where it is to be known by them on the servers.
    virtual std::string_view mark() const { return {}; }
    virtual std::string verb() const = 0;  // for the question: `give 40 requests back in`
    /// What is counted where people are asked, and by --expect and --max-keys.
    virtual CountedAs counted_as() const { return {}; }
    virtual PlanRules rules() const = 0;
    /// The amount this key is about, for its row; null for reset.
    virtual std::optional<std::int64_t> amount_of(const Subject& subject) const = 0;
    virtual std::optional<Refusal> prepare(const Subject& subject) = 0;
    virtual Forecast forecast(const Subject& subject) const = 0;
    /// How long the window lasts that would have to be opened; null where none would.
    virtual std::optional<support::Seconds> period_of(const Subject&) const { return std::nullopt; }
    /// False where the script finds out all that a look would: prepare() then takes a subject that has not been looked
    /// at (it seems absent).
    virtual bool needs_look(const PlannedKey&, const KeyMeaning&) const { return true; }
    /// A chunk's looks, before it is asked about any of them.
    virtual void take_looks(std::span<const store::LookAnswer> /*answers*/) {}
    virtual void send(store::WriteStream& stream, store::WriteOrder order) = 0;
    /// What else may be done where the script gave this reason; empty: nothing.
    virtual std::string hint_for(std::string_view) const { return {}; }
    /// A window that is another one than the look showed is looked at again, and what it then asks for is sent. False:
    /// its row says so, since what was seen was chosen.
    virtual bool looks_again() const { return false; }
    /// What a plan has to remember beside its rows.
    virtual void describe(input::PlanHead&) const {}
};

/// `key 'K' WHAT`, refused: nothing was written.
Refusal refused(const PlannedKey& planned, std::string reason, const std::string& what, std::string hint = {},
                ExitCode code = ExitCode::guard);
/// A key that is another part of a window; null: it is none, or its part has a limiter of its own, which writes it.
std::optional<Refusal> refuse_part(const PlannedKey& planned, const domain::Limiter& limiter);
Refusal skipped(std::string reason);
/// It could not be looked at, or its servers have no such key.
Refusal lost_look(support::Error error);
/// `WHAT where it is stored as `layout``, and the limiter of this key stores it otherwise here: what would be changed
/// is something else. Null: it is stored so here, too.
std::optional<support::Error> other_layout(const std::string& what, const std::string& layout, std::string_view key,
                                           const config::Settings& settings);
/// The row says so.
void take_refusal(WriteRow& row, Refusal refusal);
/// The same, since the window is not what a guard demands.
Refusal guarded(const PlannedKey& planned, std::string reason, const std::string& what);
/// What the script will say of if_used_at_least: of what is not an open window nothing is used.
std::optional<Refusal> foresee_use(const Subject& subject);
Refusal fewer_used(const PlannedKey& planned);
/// What the scripts say of a look that is corrupt.
Refusal refuse_corrupt(const Subject& subject);
/// It counts, and nothing ever ends it.
Refusal refuse_endless(const Subject& subject);
/// A part of it is longer than any that the scripts change.
bool is_too_large(const Subject& subject);
/// What a dry run says of so many requests more (negative: given back) in what the model says is there then.
domain::StoredWindow foreseen(const Subject& subject, const std::optional<domain::ModelWindow>& after,
                              std::int64_t requests);
/// What the scripts will say wherever they count nothing of this limiter's; null: they count.
std::optional<Refusal> refuse_uncountable(const Subject& subject);
/// What counting too many would do to a key.
std::string overflow_words(const domain::Limiter& limiter);
/// The subject is as its if_stored demands; where that is nothing, a whole window that is over is nothing, too.
bool is_still_stored(const Subject& subject);

/// reset, and whatever removes windows that were named; `command`: as people typed it. Static storage.
std::unique_ptr<Change> make_reset(std::string_view command = "reset", CountedAs counted_as = {});

}  // namespace ratectl::commands

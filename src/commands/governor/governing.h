// Governs one throttle: takes the lease, and one decision after the other asks its inputs, looks at the knobs, decides,
// and writes what was decided in the place of what was seen. Nothing is written unless asked for.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/governor/loads.h"
#include "commands/governor/tuning_flags.h"
#include "commands/outcome.h"
#include "commands/report/fields/governor_fields.h"
#include "commands/report/row_writer.h"
#include "commands/request/throttle_names.h"
#include "commands/write/consent.h"
#include "domain/knobs.h"

namespace ratectl::commands::governor {

/// As given, to step and to run.
struct GovernFlags {
    throttle::Names names;
    TuningFlags tuning;
    LoadFlags loads;
    ConsentFlags consent;
    bool apply = false;
    std::optional<std::string> every;       // --every D
    std::optional<std::string> lease;       // --lease D
    std::optional<std::string> iterations;  // --iterations N; of run
};

/// A throttle by its name: its key, that of its knobs, and the shard where both are governed. Throws Failure:
/// configuration where no rule says which shard has it.
struct Throttle {
    Throttle(const throttle::Names& names, Context& context);

    std::string name;  // as it may be shown
    std::string key;
    std::string knobs;
    std::size_t shard = 0;
    /// What it goes by as long as no knob says a rate, as --limit and --period or its policy have it; null: they have
    /// none.
    std::optional<domain::Knobs> unturned;
};

/// `5 requests a second are let through`
std::string rate_words(double rps);

class Governing {
public:
    /// `once`: standard input is read to its end, and the lease stays reserved for this actor and host. Throws Failure:
    /// usage; guard (nothing may be written, or another run has the lease).
    Governing(const GovernFlags& flags, bool once, Context& context);

    /// One decision, and its row. Throws Failure (guard) where the lease is lost: nothing was written then.
    void decide();
    /// A decision that came to nothing; the next one may come to more.
    void miss(const support::Error& error);
    /// The last decision had no load to go by.
    bool is_blind() const { return !row_.sample; }
    void attend() { outcome_.attend(); }
    bool inputs_have_ended() const { return loads_.have_ended(); }
    /// Says that it ends before it was to, as its inputs have, and how the throttle is left.
    void give_up();
    /// Until the next decision: --every since the last one began, and where that had no load, no longer than a rate is
    /// held.
    support::Milliseconds rest() const;
    /// Gives the lease back, ends the rows and says what was done.
    ExitCode end();
    /// The same where a failure ends it.
    void give_back();

private:
    struct Seen {
        std::optional<domain::Knobs> knobs;  // null: there are none
        bool turned = false;                 // they say a rate: without one a limiter goes by none of them
        std::optional<double> rps;           // by them, or else without them; null: nothing says it
        std::optional<std::string> state;    // as it is stored
        const domain::Limiter* limiter = nullptr;
    };

    void ask_consent();
    domain::governor::LeaseAnswer call(domain::governor::LeaseCall::Verb verb, std::string memory, store::Store& store);
    void check_standing();
    void begin();
    [[noreturn]] void refuse(const domain::governor::LeaseAnswer& other, const std::string& what) const;
    /// Throws Failure (guard) where what it would write, up to --max, would be broken.
    Seen look();
    domain::Knobs knobs_at(const Seen& seen, double rps) const;
    void keep(const domain::governor::Decision& decision);
    void write(const Seen& seen, double rps);
    void take(const store::WriteResult& result);
    void leave(double rps);
    void say_turned(const Seen& seen);
    std::optional<domain::governor::StandingRate> standing(const Seen& seen);
    support::Error unknown_rate() const;
    std::optional<support::Milliseconds> still_held() const;
    std::optional<support::Deadline> ask_until() const;
    void finish(const Seen& seen);

    Context& context_;
    bool once_;
    bool dry_;
    Throttle throttle_;
    domain::governor::Tuning tuning_;
    Loads loads_;
    std::vector<double> set_points_;
    Consent consent_;
    std::optional<std::string> reason_;
    support::Milliseconds every_;
    support::Milliseconds length_;  // of the lease
    std::string token_;
    bool holds_ = false;
    support::WallTime until_{};  // on the server's clock
    support::Deadline began_{};  // the last decision
    domain::governor::State state_;
    GovernorRow row_;
    std::string op_, why_not_;
    RowWriter<GovernorRow> rows_;
    Outcome outcome_;
    std::int64_t decisions_ = 0, writes_ = 0, failures_ = 0;
};

}  // namespace ratectl::commands::governor

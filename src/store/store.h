// Domain questions to all shards at once: looks, writes and node facts, from one event loop behind plain sequential
// calls.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "domain/endpoint.h"
#include "domain/governor/lease.h"
#include "domain/identify/holding.h"
#include "domain/node.h"
#include "domain/operation.h"
#include "domain/window.h"
#include "domain/write.h"
#include "store/directory.h"
#include "store/scan_mark.h"
#include "support/error.h"
#include "support/stop_signal.h"
#include "support/time.h"

namespace ratectl::redis {
class Connector;
class EventLoop;
}  // namespace ratectl::redis

namespace ratectl::store {

struct Options {
    support::Milliseconds timeout{2000};        // one exchange with one server, name resolution included
    std::optional<support::Deadline> deadline;  // the whole command
    /// A replica that cannot be shown to be at most so far behind its primary is not chosen; where it was named its
    /// answers are `stale`, and it is among the failures. Unset: a replica's link decides, and no server is asked for
    /// more.
    std::optional<support::Milliseconds> max_staleness;
    const support::StopSignal* stop = nullptr;
    std::function<support::WallTime()> wall_clock;
    std::function<void(const support::Error&)> notice;  // warnings worth a line on stderr
};

using domain::KeyAt;

/// A key at the place where it is now; or why it is at none (domain::is_nowhere).
struct FoundKey {
    KeyAt at;
    std::optional<support::Error> nowhere;
};

/// A node that could not do its part. Each is reported once per stream or call.
struct NodeFailure {
    domain::Node node;
    support::Error error;
};

/// One key as one node showed it, or why it could not.
struct LookAnswer {
    std::size_t key = 0;  // index into the question
    domain::Node node;    // in the role that it said it has; where it did not answer, as configured
    support::Result<domain::WindowLook> look;
    support::WallTime read_at{};                       // our clock when the reply arrived
    bool stale = false;                                // a replica whose link to its primary is down
    std::optional<support::WallTime> server_now = {};  // the server's clock then; null: it would not say
};

struct LookQuestion {
    std::span<const KeyAt> keys;
    domain::ReadFrom from;
    domain::LookDepth depth = domain::LookDepth::light;
    bool as_script = false;  // through Lua, as the application's CHECK sees it (EVAL_RO from 7.0)
    /// A full look in the place of each light one that lacks a half: another type looks like nothing to a light one.
    bool surely = false;
};

/// How the keys of a stream are looked at; as in LookQuestion.
struct LookOrder {
    domain::ReadFrom from;
    domain::LookDepth depth = domain::LookDepth::light;
    bool as_script = false;
    std::vector<std::size_t> shards = {};  // whose nodes will be asked; empty: any
};

/// One key as one node showed it, or why it could not. Everything it points to lives until the stream's next next(),
/// the node as long as the stream.
struct LookView {
    std::uint64_t key = 0;  // which ask() this answers, from 0
    std::string_view name;  // of that key
    const domain::Node* node = nullptr;
    domain::WindowLook* look = nullptr;     // its strings may be taken; null: `error` says why there is none
    const support::Error* error = nullptr;  // shared by all keys that failed together
    support::WallTime read_at{};
    bool stale = false;
    std::optional<support::WallTime> server_now = {};
};

/// Looks at keys that come one after the other, answered in the order in which they were asked for while all nodes are
/// at work. Requests leave and replies are read while next() runs; what the caller does between two calls, waiting for
/// input or for the reader of the output, counts against no time limit. Dies before its store does.
class LookStream {
public:
    virtual ~LookStream() = default;
    /// How many more keys it takes to keep every node busy; 0 while enough are under way. More than that costs memory
    /// only.
    virtual std::size_t room() const = 0;
    /// With several shards their answers come together, in this order.
    virtual void ask(std::string_view key, std::span<const Place> places) = 0;
    void ask(std::string_view key, Place place) { ask(key, std::span(&place, 1)); }
    /// Some answers, at least one, as soon as those to the oldest key are there; all answers to a key at once, as
    /// Store::look() gives them. Empty: every key that was asked for is answered. After a stop signal whatever is not
    /// there yet has an error (interrupted).
    virtual std::span<LookView> next() = 0;
    /// True when next() would not wait.
    virtual bool ready() const = 0;
    /// Nodes that could not do their part although another one answered in their place, each once.
    virtual const std::vector<NodeFailure>& failures() const = 0;
};

/// What one key holds, with what stands beside it, as one node showed it in a few reads, or why it could not.
struct HoldingAnswer {
    std::size_t key = 0;  // index into the question
    domain::Node node;
    support::Result<domain::Holding> holding;
    bool stale = false;
};

struct HoldingQuestion {
    std::span<const KeyAt> keys;
    domain::ReadFrom from;                             // not all
    std::size_t elements = domain::kMostHeldElements;  // of a list or a set, no more
};

/// Names of one shard as its first SCANs give them: spread over all of its keys.
struct NameSample {
    std::size_t shard = 0;
    std::vector<std::string> names;
    std::optional<NodeFailure> failure;  // whatever came before it is among the names
};

/// Sweep over every window of the chosen shards.
struct ScanQuestion {
    std::string glob = "*";           // over K, not over the expiry half
    std::vector<std::size_t> shards;  // empty: all
    domain::ReadFrom from{domain::ReadFrom::Which::replica, {}};
    domain::LookDepth depth = domain::LookDepth::light;
    /// Spares looks at windows that were found by their expiry half and are not meant, and may be out of bounds for
    /// this user; it counts what it turns away. Dump files are read without asking it. Empty: all are meant.
    std::function<bool(std::string_view key)> is_meant;
    /// Also list counters without an expiry half for which this says yes (a policy's template matches); empty: none.
    std::function<bool(std::string_view key)> orphan_counters;
    /// What a page may add to the waiting of the server's other clients: page size and outstanding work follow what is
    /// measured.
    std::chrono::microseconds max_latency{1000};
    /// At most so many commands a second to each server, evenly spread.
    std::optional<std::uint64_t> ops;
    /// Counters alone are looked at first; a row comes from one atomic look at both halves of those for which this says
    /// yes. It is asked once a window, with a null view where there is no counter, may change its mind between pages,
    /// and counts what it turns away. Where more than a light look is wanted, or orphan counters, it is asked about
    /// what the look has found.
    std::function<bool(std::string_view key, std::string_view counter)> worth_a_look;
    /// With worth_a_look, where names alone tell which keys are windows': SCAN lists both halves, and a counter is
    /// asked for right when it was listed, which spares the server a fifth of its work. What counts windows then is
    /// expiry_found. A counter beside which a light look sees nothing comes, too: it may be a window or an orphan.
    struct ByName {
        /// A window, asked once. True: worth a look at both halves if it has no counter.
        std::function<bool(std::string_view key)> expiry_found;
        /// Perhaps a window's counter. True: worth asking for, and worth_a_look hears of it; never of a missing one.
        std::function<bool(std::string_view key)> counter_found;
    };
    std::optional<ByName> by_name;
    /// Where an earlier sweep of the same question stopped; shards that are not named here start at their beginning.
    std::vector<ScanCursor> resume;
    SlotRecord resume_slots = {};
    bool marks = false;  // the stream is asked for its mark()
};

/// One step of a sweep; what it holds stays as it is until the stream's next() is called again.
struct ScanPage {
    std::size_t shard = 0;
    domain::Node node;
    std::vector<domain::WindowLook> looks;
    support::WallTime read_at{};
    bool stale = false;
};

/// A pull stream: next() runs the loop until a page is ready, null at the end or when we were told to stop; at most
/// five pages a shard are under way or wait. Pages without a window are passed over while others are there, for a tenth
/// of a second at most, so that progress can be told. A page is valid until the next call. Dies before its store does.
class ScanStream {
public:
    virtual ~ScanStream() = default;
    virtual const ScanPage* next() = 0;
    /// True when next() would not wait.
    virtual bool ready() const { return true; }
    /// The caller has finished with its page and asks for no other one.
    virtual void take_back() { next(); }
    virtual const std::vector<NodeFailure>& failures() const = 0;
    virtual const std::vector<ShardProgress>& progress() const = 0;
    /// False: a later sweep could only go on from before the page that came last.
    virtual bool may_stop() const { return true; }
    /// For a later sweep to go on from; may ask servers. Null: what was told last stands.
    virtual std::optional<ScanMark> mark() {
        return ScanMark{progress(), {}, std::ranges::all_of(progress(), &ShardProgress::complete)};
    }
};

// ---- writes

using domain::CountItem, domain::RefundItem, domain::ResetItem, domain::RestoreItem, domain::RepairItem;
using domain::name_of, domain::PutItem, domain::StoredWindow, domain::WriteStatus;

struct WriteResult {
    WriteStatus status = WriteStatus::not_attempted;
    domain::Node node;
    /// Not applied: why, a stable word. From the window: `absent`, `no-window`, `window-changed`, `closed`,
    /// `used-too-low`, `nothing-to-take`, `below-zero`, `wrong-type`, `too-large`, `not-an-integer`, `overflow`,
    /// `reset-in-past`, `window-there` (restore). From the server: `replica`, `old-server`, `server-refuses`,
    /// `no-permission`, `same-server`, `late`, `other-operation`, `bad-key`; failed: `unavailable`, `interrupted`,
    /// `server-error`; unknown: `no-answer`; not attempted: `after-unknown` (its server left an earlier one unknown).
    std::string reason;
    std::optional<support::Error> error;  // failed, unknown, refused, window_changed
    StoredWindow before;
    StoredWindow after;
    std::int64_t taken = 0;           // refund: what was given back
    support::WallTime written_at{};   // by the server's clock; of a memcached: ours when the reply arrived
    int attempts = 1;                 // more than one: a lost request was sent again under its operation id
    bool resolved = false;            // the reply was lost, the operation key told what had happened
    std::optional<int> acknowledged;  // replicas that had the write when --wait-replicas stopped waiting
};

inline constexpr std::string_view kAfterUnknown = "after-unknown";

/// One script call: up to 100 windows of one shard, no key twice.
struct Slice {
    std::uint64_t number = 1;        // the call is ID.number
    std::string fingerprint;         // what is asked for; the same ID.number with another fingerprint is refused
    std::vector<std::size_t> items;  // indices into the items of the write
    /// The call whose windows these were, which is taken back: of each what was taken back already is answered
    /// `already-undone`.
    std::optional<domain::SliceId> undoes = {};
};

/// A slice and the server that it goes to.
struct SliceAt {
    const Slice* slice = nullptr;
    domain::Node node;
    std::string run_id;  // empty: the server would not say
};

/// Called once around each write, with everything that is about to be sent, or was: `before` throwing means that
/// nothing was sent. Slices of a shard that cannot be written to are not among them; where none is left, or a stop
/// signal came first, neither is called. Results are those of the whole call, item by item.
class WriteObserver {
public:
    virtual ~WriteObserver() = default;
    virtual void before(std::span<const SliceAt> slices) = 0;
    virtual void after(std::span<const SliceAt> slices, std::span<const WriteResult> results) = 0;
};

/// How a write is carried out.
struct WriteOrder {
    domain::Operation operation;  // an empty id: no operation key is written (--no-op-key), a lost reply stays unknown
    bool repeatable = false;      // it may come again under this id, and answers again also what was not written
    /// Empty: cut by shard in the order of the items and numbered 1, 2 ... Else every item is in exactly one.
    std::vector<Slice> slices;
    int wait_replicas = 0;  // more than 0: wait until so many replicas have the writes
    support::Milliseconds wait_timeout{1000};
    WriteObserver* observer = nullptr;
    /// On the server's clock: what comes later writes nothing (`late`), as after the end of a lease.
    std::optional<support::WallTime> not_after = {};
};

/// The items of one write, all of one kind.
using WriteItems = std::variant<std::vector<CountItem>, std::vector<RefundItem>, std::vector<ResetItem>,
                                std::vector<RestoreItem>, std::vector<RepairItem>, std::vector<PutItem>>;

/// Batches of writes that are carried out while the caller does something else: each as Store::count() and its like
/// would do it, one behind the other on every shard, whenever the loop runs (in poll(), take(), or any call to the
/// store). Dies before its store does, and finishes what it has begun. A batch whose server was restarted since it was
/// submitted fails, unsent.
class WriteStream {
public:
    virtual ~WriteStream() = default;
    /// The observer's before() runs in here; what it throws means that nothing of this batch is sent, and that take()
    /// knows nothing of it. While earlier batches are on their way another thread runs it, and this call goes on
    /// talking to the servers until it has returned: never two at once, and nothing of the batch is sent before.
    virtual void submit(WriteItems items, WriteOrder order) = 0;
    /// Does what can be done now, without waiting.
    virtual void poll() = 0;
    /// The results of the oldest batch, as soon as all of it is answered; its observer's after() runs in here.
    virtual std::vector<WriteResult> take() = 0;
    /// Batches that take() has not given yet.
    virtual std::size_t batches() const = 0;
};

struct AwaitedCount;  // see store/replica_sightings.h
class ReplicaWatch;
struct FoundOperations;  // see store/found_operations.h
struct StrandedWindows;  // see store/stranded.h

enum class Trials { none, needed, all };  // of commands, for NodeFacts::denied (needed), or ::tried (all that are sent)
struct NodeReport {
    domain::Node node;
    support::Result<domain::NodeFacts> facts;
};

/// Holds the connections of one command. Every call runs the loop until its answers are there; a dead node never hides
/// the others.
class Store {
public:
    Store(const Topology& topology, Options options);
    /// For tests: another way to open channels, on a loop of theirs.
    Store(const Topology& topology, Options options, std::shared_ptr<redis::EventLoop> loop,
          std::shared_ptr<redis::Connector> connector);
    ~Store();
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    const Directory& directory() const;
    /// The nodes of a shard, replicas = "auto" resolved (once) by asking its primary; a silent one leaves only itself.
    const std::vector<domain::Node>& nodes(std::size_t shard);
    /// Keys with the places where they are now, asked for where the directory may not know. A window that its slot has
    /// torn on its way is waited for (as any look waits).
    std::vector<FoundKey> find_keys(std::span<const KeyAt> keys);
    /// Why its servers have no such window; null: they can. None is asked.
    std::optional<support::Error> unfit(std::string_view key) const;
    /// Answers in the order of the keys; with ReadFrom::all one a node, primary first. Where all failed, one error.
    std::vector<LookAnswer> look(const LookQuestion& question);
    /// Nodes that could not do their part in the last look() although another node answered in their place.
    const std::vector<NodeFailure>& look_failures() const;
    std::unique_ptr<LookStream> look_stream(LookOrder order);
    /// What keys hold, whatever wrote them, in the order of the keys; bounded, however much it is. A replica that is
    /// behind its primary may answer, and is among look_failures() then.
    std::vector<HoldingAnswer> hold(const HoldingQuestion& question);
    /// Up to `most` names of each of these shards (empty: of all).
    std::vector<NameSample> sample_names(std::span<const std::size_t> shards, const domain::ReadFrom& from,
                                         std::size_t most);
    std::unique_ptr<ScanStream> scan(ScanQuestion question);

    /// One result an item, in order. A slice is one script call under an operation id and a deadline on the server's
    /// clock; several calls of a shard are on their way at once. A lost reply is resolved through the operation key:
    /// applied, or sent again under the same id, or `unknown` where the server is really gone; that shard's remaining
    /// items are then not attempted. Before the first write a shard's server is asked for its role, version and run_id;
    /// two shards that this store writes to must not be one db of one server. Items after the stop signal are not
    /// attempted; a second one ends all at once. Throws only what the observer throws, and Failure (bug) for slices
    /// that are none.
    std::vector<WriteResult> count(std::span<const CountItem> items, const WriteOrder& order = {});
    std::vector<WriteResult> refund(std::span<const RefundItem> items, const WriteOrder& order = {});
    std::vector<WriteResult> reset(std::span<const ResetItem> items, const WriteOrder& order = {});
    std::vector<WriteResult> restore(std::span<const RestoreItem> items, const WriteOrder& order = {});
    std::unique_ptr<WriteStream> write_stream();
    std::vector<WriteResult> repair(std::span<const RepairItem> items, const WriteOrder& order = {});
    std::vector<WriteResult> put(std::span<const PutItem> items, const WriteOrder& order = {});

    /// How many replicas have what the primaries of these keys have now, in order; waits for as many, and as long, as
    /// the order says, whose id names the key that may have to be left for it. Null: it is not known, and a notice
    /// says why.
    std::vector<std::optional<int>> await_replicas(std::span<const KeyAt> keys, const WriteOrder& order);

    /// Who governs a throttle of this shard; told by its primary, in one step. A lost call is made again.
    support::Result<domain::governor::LeaseAnswer> lease(std::size_t shard, const domain::governor::LeaseCall& call);

    /// Returns when all replicas of these shards are being asked.
    std::unique_ptr<ReplicaWatch> watch_replicas(std::span<const AwaitedCount> counts);
    /// Lets so much time pass, in which streams go on with their work, or less: until a stop signal, the command's
    /// deadline, or until `enough`, which is asked after whatever the servers say.
    void pause(support::Milliseconds length, const std::function<bool()>& enough = {});

    /// The operation keys of these slices on one shard's primary, in order; null: there is none.
    support::Result<std::vector<std::optional<domain::OperationRecord>>> recall(
        std::size_t shard, std::span<const domain::SliceId> slices);
    /// The same for what was taken back of them, by whatever undo: these windows, and who came last.
    support::Result<std::vector<std::optional<domain::OperationRecord>>> recall_undone(
        std::size_t shard, std::span<const domain::SliceId> slices);
    /// Every operation key on the primaries, or those of one operation (a sweep over all keys, as gentle as a scan).
    FoundOperations find_operations(const std::optional<std::string>& operation = {});
    /// One report a node of these shards (empty: of all), shards in order, primary first. Trials write nothing.
    std::vector<NodeReport> node_reports(std::span<const std::size_t> shards = {}, Trials trials = Trials::none);
    OpenSlots open_slots();  // of a Redis Cluster; else none
    /// Keys of these slots (empty: of all) that no client of a Redis Cluster is led to; one list of keys a slot and
    /// primary. None where keys have no slots.
    StrandedWindows stranded(std::span<const std::uint16_t> slots = {});

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace ratectl::store

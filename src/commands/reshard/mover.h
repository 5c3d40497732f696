// Moves windows from shards of one deployment to shards of another: copy, verify, then remove; whatever happens, one of
// the two stands.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commands/report/fields/reshard_fields.h"
#include "commands/reshard/deployment_pair.h"
#include "commands/reshard/leftovers.h"
#include "commands/reshard/move_records.h"
#include "commands/reshard/snapshot.h"

namespace ratectl::commands::reshard {

struct PlannedMove {
    std::string key;
    std::string new_key;  // in the new deployment
    std::size_t from = 0;
    std::size_t to = 0;
    std::uint64_t row = 1;  // its place in the command
};

class Mover {
public:
    /// `states`: moved beside live windows. All outlive the mover.
    Mover(DeploymentPair& deployments, const MoveOrders& orders, std::vector<domain::WindowState> states,
          Context& context);

    /// One row a move, in order. Finishes what it begins, stop signal or not. Never throws once something was written.
    std::vector<MoveRow> move(std::span<const PlannedMove> moves);
    /// The same without writing: what would become of them now.
    std::vector<MoveRow> rehearse(std::span<const PlannedMove> moves);
    /// The journal could not record what was done: nothing more may be begun.
    std::optional<support::Error> failure() const { return failure_ ? failure_ : records_.failure(); }

private:
    enum class Stage { look, copy, verify, merge, remove, clear, done };
    struct Item {
        const PlannedMove* planned = nullptr;
        MoveRow row;
        Snapshot source;
        domain::StoredWindow copy;  // what stands at the target
        bool copied = false;        // by us, in this round
        bool added = false;         // to what stands at the target, in whatever run
        Stage stage = Stage::look;
        bool again = false;  // cleared, then from the beginning; else it ends as its row says
    };
    using Chosen = std::vector<Item*>;

    Chosen at(Stage stage);  // of those that go together
    void take_together_all();
    void begin(std::span<const PlannedMove> moves);
    std::vector<MoveRow> rows();
    void look_at_sources();
    void take_source(Item& item, const store::LookAnswer& answer, support::Moment now);
    std::vector<domain::RestoreItem> restores(const Chosen& chosen, bool merge);
    static std::vector<domain::ResetItem> resets(const Chosen& chosen, bool at_target);
    std::vector<store::WriteResult> send(Step step, const Chosen& chosen, const store::WriteOrder& order);
    using Take = void (Mover::*)(Item&, store::WriteResult);
    /// One step for all that are at this stage. `what_stands`: of each, where the journal cannot record it.
    void carry_out(Stage stage, Step step, int round, Take take, const std::string& what_stands);
    void take_steps(int round);
    void take_copy(Item& item, store::WriteResult result);
    void verify();
    void take_target(Item& item, const store::LookAnswer& answer);
    void tell_leftovers(const Chosen& chosen);
    void take_leftover(Item& item, const Leftover& leftover);
    bool may_add(const Item& item, const domain::StoredWindow& there) const;
    void take_merge(Item& item, store::WriteResult result);
    void end_added(Item& item, store::WriteResult result);
    void take_removal(Item& item, store::WriteResult result);
    void take_clearing(Item& item, store::WriteResult result);

    store::WriteOrder order(Step step, int round, const Chosen& chosen);
    static store::KeyAt place_of(const Item& item, bool at_target);
    std::vector<store::LookAnswer> look(store::Store& store, const Chosen& chosen, bool at_target) const;
    Snapshot snapshot(const store::LookAnswer& answer, bool at_target) const;
    void end(Item& item, RowStatus status, std::string reason, std::optional<support::Error> error = {});
    void end_like(Item& item, store::WriteResult result, const std::string& what_stands);
    void give_up(Item& item);
    void clear_first(Item& item, bool again);
    void break_off(const Chosen& chosen, const support::Error& error, const std::string& what_stands);
    static bool is_written(const store::WriteResult& result);
    /// By the same id from another machine, whose journal is not here.
    static bool was_done_before(const store::WriteResult& result);

    DeploymentPair& deployments_;
    std::vector<domain::WindowState> states_;
    Context& context_;
    DeploymentContext from_context_;
    DeploymentContext to_context_;
    bool merges_;
    MoveRecords records_;
    std::vector<Item> items_;
    Chosen together_;
    std::optional<support::Error> failure_;
};

}  // namespace ratectl::commands::reshard

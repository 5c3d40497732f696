// Keys read ahead of the first write, so that a question can name their number: in memory, then in a file without a
// name.
#pragma once

#include <exception>
#include <functional>
#include <memory>

#include "commands/write/consent.h"
#include "commands/write/planned_keys.h"
#include "support/temporary_file.h"

namespace ratectl::commands {

/// Gives the keys in the order of their source: those read ahead first, then the rest straight from it.
class KeySpool {
public:
    /// `folder`: for what memory has no room for. `stop` outlives it: a source that was stopped has not ended.
    KeySpool(std::unique_ptr<PlannedKeys> source, std::string folder, const support::StopSignal& stop);

    /// Reads until at least `count` keys are known (all of them when null); nothing where they have been counted.
    /// Throws Failure (local_io) when they cannot be kept.
    void read_ahead(std::optional<std::uint64_t> count);
    /// Reads what input brings without a pause, as far as that is not too much, and all that the command line has: what
    /// is wrong with rows as they stand is found before the first write then, and that keys cannot be kept. Throws
    /// Failure (usage, local_io); where the source breaks off behind some keys it is thrown after them.
    void read_what_comes();
    /// What was read, in numbers.
    WritePlan plan(const store::Directory& directory, CountedAs counted_as = {}) const;
    /// Up to `most`; `wholly`: fewer only at the end, however long the source takes. What broke off behind some keys is
    /// thrown after them. `before_waiting` is called before it waits for more input.
    std::vector<PlannedKey> next(std::size_t most, bool wholly = false,
                                 const std::function<void()>& before_waiting = {});
    /// Up to `most` of those that need not be looked for any more, in their order: read already, or counted beforehand.
    std::vector<PlannedKey> next_known(std::size_t most);
    /// How many there are as far as is known: counted beforehand, or read so far, spooled or not.
    std::uint64_t known() const { return counted_ ? counted_->keys : known_; }
    /// All of them are known.
    bool all_known() const { return ended_ || counted_; }
    PlannedKeys& source() const { return *source_; }

private:
    std::vector<PlannedKey> from_source(std::size_t most);
    void take_page(std::vector<PlannedKey> page);
    bool comes_soon() const;
    void keep(PlannedKey key);
    void store(const PlannedKey& key);
    PlannedKey load();
    std::vector<PlannedKey> kept(std::size_t most);
    std::vector<PlannedKey> some(std::size_t most, const std::function<void()>& before_waiting);

    std::unique_ptr<PlannedKeys> source_;
    const support::StopSignal& stop_;
    std::vector<PlannedKey> memory_;
    std::size_t given_ = 0;  // of memory_
    support::TemporaryFile file_;
    std::uint64_t in_file_ = 0;  // records not yet read back
    std::optional<support::TemporaryFile::Reader> reader_;
    std::uint64_t known_ = 0;
    std::map<std::size_t, std::uint64_t> per_shard_;
    std::vector<std::string> first_keys_;
    bool ended_ = false;
    std::optional<KeyCounts> counted_;
    std::exception_ptr broke_off_;
};

}  // namespace ratectl::commands

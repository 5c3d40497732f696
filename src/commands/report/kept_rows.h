// Rows that are held back until all of them are there, in an order: the best N in memory, or all of them in bounded
// memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "domain/window.h"
#include "output/cell.h"
#include "support/time.h"

namespace ratectl::commands {

struct KeptRow {
    domain::WindowLook look;
    std::uint32_t place = 0;  // the report's number for the node
    support::WallTime read_at{};
    bool stale = false;
    output::Cell order;  // holds its own text
};

/// By the cell, null last either way; then by the key; then as they came.
struct RowOrder {
    bool descending = false;
    bool before(const KeptRow& a, const KeptRow& b) const;
};

class KeptRows {
public:
    virtual ~KeptRows() = default;
    virtual void add(const KeptRow& row) = 0;
    /// All rows are in: the first, the next ... Null at the end. Valid until the next call.
    virtual const KeptRow* next() = 0;
    /// The row that would have to go for a better one; null while there is room.
    virtual const KeptRow* last_of_full() const { return nullptr; }
};

/// Keeps the first `most` rows of the order, in memory.
std::unique_ptr<KeptRows> keep_first_rows(RowOrder order, std::size_t most);
/// Keeps all rows in about `memory` bytes; what is more lies sorted in a file without a name in `folder`, merged at the
/// end. Throws Failure (local_io) where that file cannot be written or read.
std::unique_ptr<KeptRows> keep_all_rows(RowOrder order, std::string folder,
                                        std::size_t memory = std::size_t{48} << 20U);

}  // namespace ratectl::commands

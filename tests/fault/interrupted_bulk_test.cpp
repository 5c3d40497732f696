// Ctrl-C anywhere in a bulk change: an orderly end, and a report that is what the journal has and what the server has.
#include "fault/interrupted_bulk.h"
#include "support/built_programs.h"

namespace ratectl::test {
namespace {

// A look that a stop had left ran on with an object that was gone: thousands of windows were changed, and the tool
// ended without a word of them.
void interrupt_some(BulkKind kind) {
    const bool few = is_binary_sanitized();  // so few that none may be met in the midst of its work
    InterruptedBulk bulk(kind, few ? 1000 : 2500, 25);
    int interrupted = bulk.interrupt(few ? 2 : 4);
    // On a busy machine a run may have come to its end before it hears the signal.
    for (int more = 0; !few && interrupted < 2 && more < 20; ++more) interrupted += bulk.interrupt(1);
    CHECK((few || interrupted > 1));
}

TEST_CASE("an interrupted increment of keys from a pipe reports what was written") {
    interrupt_some(BulkKind::increment);
}
TEST_CASE("an interrupted refund of keys from a pipe reports what was written") { interrupt_some(BulkKind::refund); }
TEST_CASE("an interrupted reset of keys from a pipe reports what was written") { interrupt_some(BulkKind::reset); }
TEST_CASE("an interrupted plan reports what was written") { interrupt_some(BulkKind::apply); }
TEST_CASE("an interrupted undo reports what was taken back") { interrupt_some(BulkKind::undo); }
TEST_CASE("an interrupted replay reports what was counted") { interrupt_some(BulkKind::replay); }
TEST_CASE("an interrupted reset of keys without a policy reports what was written") {
    interrupt_some(BulkKind::without_policy);
}
TEST_CASE("an interrupted refund of a state reports what was written") { interrupt_some(BulkKind::by_state); }
TEST_CASE("an interrupted increment of guarded rows reports what was written") { interrupt_some(BulkKind::guarded); }

}  // namespace
}  // namespace ratectl::test

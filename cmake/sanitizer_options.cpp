// What AddressSanitizer does unless ASAN_OPTIONS says otherwise: UBSan's checks trap, and the report of the signal says
// where. Freed memory is kept from use for so long that the next allocations do not get it, and no longer: every page
// that is new costs as much as what is done in it.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
    return "handle_sigill=1:quarantine_size_mb=8:thread_local_quarantine_size_kb=64";
}
// NOLINTEND(bugprone-reserved-identifier)

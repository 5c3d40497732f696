// What AddressSanitizer does unless ASAN_OPTIONS says otherwise: UBSan's checks trap, and the report of the signal says
// where.
extern "C" const char* __asan_default_options();                               // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __asan_default_options() { return "handle_sigill=1"; }  // NOLINT(bugprone-reserved-identifier)

// The schemes behind the limiters.
#include "store/limiters.h"

#include "schemes/scheme.h"

namespace ratectl::store {

const domain::Limiter& limiter_of(const std::string& expiry_suffix) { return schemes::window_scheme(expiry_suffix); }

}  // namespace ratectl::store

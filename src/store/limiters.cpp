// The schemes behind the limiters.
#include "store/limiters.h"

#include "schemes/book.h"

namespace ratectl::store {

const domain::Limiter& limiter_of(const domain::Layout& layout) { return schemes::scheme_of(layout); }

}  // namespace ratectl::store

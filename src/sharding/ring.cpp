// The ring: labelled points on a circle of numbers, and the five ways libraries look a hash up on it.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "sharding/placement.h"

namespace ratectl::sharding {

namespace {

// Envoy's defaults for the size of its ring.
constexpr std::uint32_t kMinimumRing = 1024;
constexpr double kMaximumRing = 8388608.0;

/// Small, because a ring of a thousand servers has 160,000: the label can be written again whenever it is needed.
struct Point {
    std::uint64_t leading = 0;  // the leading 64 bits, in an order that compares as unsigned numbers
    std::uint32_t member = 0;
    std::uint32_t label = 0;
};

class Ring final : public Placement {
public:
    Ring(const RingRules& rules, const RingOptions& options, std::vector<Member> members)
        : rules_(rules), options_(options), members_(std::move(members)) {
        if (rules_.running_sum) {
            add_by_running_sum();
        } else {
            add_by_count();
        }
        settle();
    }

    std::size_t find(const HashValue& hash) const override { return members_[points_[index_of(hash)].member].server; }
    Hit explain(const HashValue& hash) const override;
    std::vector<Collision> collisions() const override { return collisions_; }
    std::vector<std::size_t> points_per_server() const override;

private:
    void add_by_count();
    void add_by_running_sum();
    void add(std::uint32_t member, std::uint32_t label);
    void sort();
    void settle();
    void note_collision(const Point& first, const Point& second, bool last_wins);
    std::size_t index_of(const HashValue& hash) const;
    std::size_t last_probe(const HashValue& at) const;
    NamedPoint named(const Point& point) const;

    /// Hashes of more than 64 bits differ in their leading 64 practically always; where not, the point's label is
    /// hashed again.
    bool wide() const { return wide_; }
    bool narrow() const { return !wide_ && !of_64_; }
    bool below(const HashValue& at, const Point& point) const {
        const std::uint64_t leading = at.leading_64();
        if (leading != point.leading || !wide()) return leading < point.leading;
        return at < whole(point);
    }
    bool below(const Point& point, const HashValue& at) const {
        const std::uint64_t leading = at.leading_64();
        if (leading != point.leading || !wide()) return point.leading < leading;
        return whole(point) < at;
    }
    bool same(const Point& a, const Point& b) const {
        return a.leading == b.leading && (!wide() || whole(a) == whole(b));
    }
    /// The point as a hash in the order of the ring.
    HashValue whole(const Point& point) const {
        if (!wide()) return of_64_ ? HashValue::of_64(point.leading) : of_32(point.leading);
        return options_.point_hash(label_of(point)).reordered(rules_.order);
    }
    static HashValue of_32(std::uint64_t number) { return HashValue::of_32(static_cast<std::uint32_t>(number)); }
    std::string label_of(const Point& point) const {
        const Member& member = members_[point.member];
        std::string label;
        rules_.label(label, member.label, member.weight, point.label);
        return label;
    }

    RingRules rules_;
    RingOptions options_;
    std::vector<Member> members_;
    std::vector<Point> points_;
    std::vector<Collision> collisions_;
    std::string text_;    // of the label that is being added
    bool wide_ = false;   // hashes of more than 64 bits
    bool of_64_ = false;  // of 64 bits
};

void Ring::add(std::uint32_t member, std::uint32_t label) {
    Point point{0, member, label};
    text_.clear();
    rules_.label(text_, members_[member].label, members_[member].weight, label);
    const HashValue hash = options_.point_hash(text_);
    if (!rules_.four_points) {
        wide_ = hash.count > 2;
        of_64_ = hash.count == 2;
        point.leading = hash.reordered(rules_.order).leading_64();
        points_.push_back(point);
        return;
    }
    for (std::size_t word = 0; word < options_.points_per_label; ++word) {
        point.leading = hashes::byte_swapped(hash.words[word]);
        points_.push_back(point);
    }
}

void Ring::add_by_count() {
    Share share{1, 0, static_cast<std::uint32_t>(members_.size()), options_.points};
    for (const Member& member : members_) share.total_weight += member.weight;
    for (std::uint32_t m = 0; m < members_.size(); ++m) {
        share.weight = members_[m].weight;
        const std::uint32_t labels = rules_.labels(share);
        for (std::uint32_t i = 0; i < labels; ++i) add(m, i);
    }
}

/// Envoy: the lightest server gets a whole number of points, the rest what a running sum of doubles leaves them.
void Ring::add_by_running_sum() {
    double sum = 0.0;
    for (const Member& member : members_) sum += member.weight;
    double lightest = 1.0;
    for (const Member& member : members_) lightest = std::min(lightest, member.weight / sum);
    const double smallest = options_.smallest.value_or(kMinimumRing);
    const double scale = std::min(std::ceil(lightest * smallest) / lightest, kMaximumRing);
    std::uint64_t have = 0;
    double want = 0.0;
    for (std::uint32_t m = 0; m < members_.size(); ++m) {
        const double part = members_[m].weight / sum;
        const double portion = scale * part;
        want += portion;
        for (std::uint32_t i = 0; static_cast<double>(have) < want; ++i, ++have) add(m, i);
    }
}

/// Points of one place stay in the order in which the library adds them.
void Ring::sort() {
    const auto before = [this](const Point& a, const Point& b) {
        if (a.leading != b.leading) return a.leading < b.leading;
        if (wide()) {
            const HashValue at = whole(a);
            const HashValue other = whole(b);
            if (at != other) return at < other;
        }
        return std::pair(a.member, a.label) < std::pair(b.member, b.label);
    };
    // Hashes are spread evenly, so that dealing them out by their first bits leaves next to nothing to sort.
    const auto parts = static_cast<std::uint64_t>(points_.size());
    const auto part_of = [this, parts](const Point& point) {
        const std::uint64_t high = narrow() ? point.leading : point.leading >> 32;
        return static_cast<std::size_t>((high * parts) >> 32);
    };
    std::vector<std::uint32_t> ends(points_.size() + 1, 0);
    for (const Point& point : points_) ++ends[part_of(point) + 1];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    std::vector<Point> dealt(points_.size());
    std::vector<std::uint32_t> next(ends.begin(), ends.end() - 1);
    for (const Point& point : points_) dealt[next[part_of(point)]++] = point;
    points_ = std::move(dealt);
    for (std::size_t part = 0; part + 1 < ends.size(); ++part) {
        if (ends[part + 1] - ends[part] > 1)
            std::sort(points_.begin() + ends[part], points_.begin() + ends[part + 1], before);
    }
}

void Ring::note_collision(const Point& first, const Point& second, bool last_wins) {
    const HashValue at = whole(first).reordered(rules_.order);
    const std::size_t a = members_[first.member].server;
    const std::size_t b = members_[second.member].server;
    collisions_.push_back(
        {at.leading_64(), at.text(rules_.order), a, b, last_wins ? b : a, rules_.collisions != Collisions::undefined});
}

/// Sorts, and lets the library's rule decide who owns a point that several servers have.
void Ring::settle() {
    sort();
    const bool last_wins = rules_.collisions == Collisions::last_added;
    std::size_t owned = 0;
    for (const Point& point : points_) {
        if (owned == 0 || !same(points_[owned - 1], point)) {
            points_[owned++] = point;
            continue;
        }
        Point& owner = points_[owned - 1];
        if (owner.member != point.member) note_collision(owner, point, last_wins);
        if (last_wins) owner = point;
    }
    points_.resize(owned);
    points_.shrink_to_fit();
}

/// Halves the list and stops where it stops, be it one off: the answer is the point looked at last.
std::size_t Ring::last_probe(const HashValue& at) const {
    std::size_t low = 0;
    std::size_t end = points_.size();
    std::size_t probe = 0;
    while (low < end) {
        probe = (low + end - 1) / 2;
        if (below(at, points_[probe])) {
            end = probe;
        } else if (below(points_[probe], at)) {
            low = probe + 1;
        } else {
            break;
        }
    }
    return probe;
}

std::size_t Ring::index_of(const HashValue& hash) const {
    const HashValue at = hash.reordered(rules_.order);
    if (rules_.lookup == Lookup::last_probe) return last_probe(at);
    const auto first_after = [&] {
        return std::upper_bound(points_.begin(), points_.end(), at,
                                [this](const HashValue& h, const Point& p) { return below(h, p); });
    };
    const auto first_at_or_after = [&] {
        return std::lower_bound(points_.begin(), points_.end(), at,
                                [this](const Point& p, const HashValue& h) { return below(p, h); });
    };
    const auto found = rules_.lookup == Lookup::at_or_after ? first_at_or_after() : first_after();
    const auto index = static_cast<std::size_t>(found - points_.begin());
    const std::size_t last = points_.size() - 1;
    switch (rules_.lookup) {
        case Lookup::at_or_before: return index == 0 ? last : index - 1;
        case Lookup::after_or_last: return std::min(index, last);
        default: return index > last ? 0 : index;
    }
}

NamedPoint Ring::named(const Point& point) const {
    return {whole(point).reordered(rules_.order), label_of(point), members_[point.member].server};
}

Hit Ring::explain(const HashValue& hash) const {
    const std::size_t index = index_of(hash);
    const Point& point = points_[index];
    NamedPoint here = named(point);
    Hit hit;
    hit.server = here.server;
    hit.point = here.at;
    hit.label = std::move(here.label);
    const bool downwards = rules_.lookup == Lookup::at_or_before;
    const std::size_t size = points_.size();
    hit.before = named(points_[(index + size - 1) % size]);
    hit.after = named(points_[(index + 1) % size]);
    for (std::size_t step = 1; step < size; ++step) {
        const Point& next = points_[(index + (downwards ? size - step : step)) % size];
        if (next.member == point.member) continue;
        hit.runner_up = members_[next.member].server;
        break;
    }
    return hit;
}

std::vector<std::size_t> Ring::points_per_server() const {
    std::vector<std::size_t> counts(members_.size(), 0);
    for (const Point& point : points_) ++counts[members_[point.member].server];
    return counts;
}

}  // namespace

std::unique_ptr<Placement> make_ring(const RingRules& rules, const RingOptions& options, std::vector<Member> members) {
    return std::make_unique<Ring>(rules, options, std::move(members));
}

}  // namespace ratectl::sharding

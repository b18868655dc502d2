// SPDX-License-Identifier: Apache-2.0
// The inverse questions against brute force: every answer is found again by asking `fits` alone.
#include "support/catch.hpp"
#include "support/trials.hpp"

#include <ullage/catalog/find_record.hpp>
#include <ullage/ullage.hpp>
#include <vector>

using namespace ullage;

namespace {

/// A small deterministic generator: the same cases on every machine.
struct dice {
  std::uint64_t state = 88172645463325252ULL;
  std::int64_t operator()(std::int64_t first, std::int64_t last) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return first + static_cast<std::int64_t>(state % static_cast<std::uint64_t>(last - first + 1));
  }
  bool one_in(std::int64_t n) { return (*this)(1, n) == 1; }
  template <class Range>
  const auto& of(const Range& all) {
    return all[static_cast<std::size_t>((*this)(0, static_cast<std::int64_t>(all.size()) - 1))];
  }
};

const std::vector<transformer>& all_models() {
  static const std::vector<transformer> all = [] {
    std::vector<transformer> list;
    for (const transformer* m : catalog::models) list.push_back(*m);
    for (const catalog::model_record& r : catalog::recorded_models) list.push_back(catalog::expand(r));
    return list;
  }();
  return all;
}

engine any_engine(dice& roll, const transformer& m) {
  static constexpr std::string_view versions[] = {"0.6.0",  "0.7.3",  "0.8.5",  "0.9.2", "0.11.0",
                                                  "0.15.0", "0.19.1", "0.25.0", ""};
  engine e = roll.one_in(6) ? plain() : vllm(roll.of(std::span(versions)));
  engine_options& o = e.options;
  if (roll.one_in(3)) o.gpu_memory_utilization = static_cast<double>(roll(40, 98)) / 100;
  if (roll.one_in(4)) o.max_num_batched_tokens = of<tokens>(roll(1024, 20000));
  if (roll.one_in(4)) o.max_num_seqs = of<sequences>(roll(1, 1024));
  if (roll.one_in(4)) o.block_size = of<tokens>(roll(1, 128));
  if (roll.one_in(8)) o.kv_cache_memory_bytes = of<bytes>(roll(1, 60) * 1'000'000'000);
  if (roll.one_in(4)) o.enforce_eager = true;
  if (roll.one_in(4)) o.enable_prefix_caching = false;
  if (roll.one_in(4)) e.kv_cache = formats::fp8;
  if (roll.one_in(4) && m.stored.linear.element_bits == 16) e.weights = formats::fp8;
  if (roll.one_in(3)) o.max_model_len = of<tokens>(roll(1, 2 * m.max_position));
  if (o.max_num_batched_tokens.value() < o.max_num_seqs.value() && o.max_num_batched_tokens > tokens{})
    o.max_num_seqs = {};
  return e;
}

/// Every layout of n devices, by counting through all numbers.
std::vector<layout> layouts_of(const transformer& m, const accelerator& part, std::int64_t n) {
  std::vector<layout> all;
  for (std::int64_t tp = 1; tp <= n; ++tp)
    for (std::int64_t pp = 1; tp * pp <= n; ++pp)
      for (std::int64_t dp = 1; tp * pp * dp <= n; ++dp)
        for (std::int64_t ep = 1; ep <= n; ++ep)
          for (std::int64_t dcp = 1; dcp <= tp; ++dcp) {
            layout l;
            l.tp = tp;
            l.pp = pp;
            l.dp = dp;
            l.ep = ep;
            l.dcp = dcp;
            if (tp * pp * dp == n && (tp == 1 || of<devices>(tp) <= part.node_devices()) &&
                check_layout(m, l) == layout_problem::none)
              all.push_back(l);
          }
  return all;
}

struct question {
  const transformer* m = nullptr;
  accelerator part{};
  layout l{};
  engine e{};
  bool caches() const {
    const verdict v = fits(*m, part, l, e, {});
    for (const rank_memory& r : v.ranks)
      if (!r.blocks.groups.empty()) return true;
    return false;
  }
  verdict ask(std::int64_t context, std::int64_t n) const {
    return fits(*m, part, l, e, {of<tokens>(context), of<sequences>(n)});
  }
  bool room(std::int64_t context, std::int64_t n) const {
    const verdict v = ask(context, n);
    return v.answer != answer::invalid && v.left() >= bytes{};
  }
  bool sure(std::int64_t context, std::int64_t n) const { return ask(context, n).answer == answer::fits; }
};

question any_question(dice& roll, std::int64_t most_devices = 16) {
  question q;
  q.m = &roll.of(all_models());
  do {
    q.part = roll.of(catalog::accelerators);
  } while (q.part.visible_memory() < 8_GiB);
  for (;;) {
    const std::int64_t n = roll.one_in(3) ? 1 : roll(1, most_devices);
    const std::vector<layout> all = layouts_of(*q.m, q.part, n);
    if (all.empty()) continue;
    q.l = roll.of(all);
    break;
  }
  q.e = any_engine(roll, *q.m);
  return q;
}

/// Most sequences by asking `fits`: doubled until it does not fit, then halved.
std::int64_t most_by_asking(const question& q, std::int64_t context) {
  std::int64_t low = 0;
  std::int64_t high = 1;
  while (q.room(context, high)) {
    low = high;
    high *= 2;
  }
  while (low + 1 < high) {
    const std::int64_t middle = low + (high - low) / 2;
    (q.room(context, middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace

TEST_CASE("limits of every kind of model, part, layout and engine are where fits changes its mind") {
  dice roll;
  int with_cache = 0;
  int at_context = 0;
  int sure = 0;
  for (int i = 0; i < trials(4000); ++i) {
    const question q = any_question(roll);
    const tokens told = q.e.options.max_model_len;
    const std::int64_t longest = told > tokens{} ? integer(told) : q.m->max_position;
    const std::int64_t context = roll.one_in(3) ? roll(1, longest) : roll(1, (std::min)(longest, std::int64_t{20000}));
    const std::int64_t n = roll.one_in(2) ? roll(1, 8) : roll(1, 400);
    const limits s = solve(*q.m, q.part, q.l, q.e, {of<tokens>(context), of<sequences>(n)});
    INFO(q.m->name.view() << " on " << q.part.id << " tp " << q.l.tp << " pp " << q.l.pp << " dp " << q.l.dp << " ep "
                          << q.l.ep << " dcp " << q.l.dcp << ", " << n << " x " << context << ", max_model_len "
                          << integer(told) << ", case " << i);
    REQUIRE(q.ask(context, n).answer != answer::invalid);
    const std::int64_t most = integer(s.max_concurrency_at_context);
    const std::int64_t surely = integer(s.surely_concurrency);
    CHECK(surely <= most);
    CHECK(s.surely_context <= s.max_context_at_concurrency);
    const bool caches = q.caches();
    if (most > 0) CHECK(q.room(context, most));
    if (surely > 0) CHECK(q.sure(context, surely));
    if (caches) {
      CHECK_FALSE(q.room(context, most + 1));
      CHECK_FALSE(q.sure(context, surely + 1));
      with_cache += most > 0 ? 1 : 0;
      sure += surely > 0 ? 1 : 0;
      if (roll.one_in(8) && q.l.dp == 1) CHECK(most == most_by_asking(q, context));
    }
    const std::int64_t most_context = integer(s.max_context_at_concurrency);
    if (most_context > 0) CHECK(q.room(most_context, n));
    if (most_context > 0 && most_context < longest) {
      ++at_context;
      CHECK_FALSE(q.room(most_context + 1, n));
    }
    if (s.surely_context > tokens{}) CHECK(q.sure(integer(s.surely_context), n));
    if (integer(s.surely_context) < longest) CHECK_FALSE(q.sure(integer(s.surely_context) + 1, n));
    // Nothing beyond the limit fits either, wherever one looks.
    for (int k = 0; k < 4 && most_context < longest; ++k) CHECK_FALSE(q.room(roll(most_context + 1, longest), n));
  }
  CHECK(with_cache > at_least(1000));
  CHECK(sure > at_least(1000));
  CHECK(at_context > at_least(200));
}

TEST_CASE("the longest context is the last of all contexts that fit, token by token") {
  dice roll;
  int inside = 0;
  for (int i = 0; i < trials(400); ++i) {
    question q = any_question(roll, 4);
    // A cache so small that the limit lies among few tokens; engines that do not chunk prompts are free in max_model_len.
    const std::int64_t longest = roll(200, 1500);
    transformer m = *q.m;
    m.max_position = longest;
    q.m = &m;
    q.e.options.max_model_len = {};
    if (roll.one_in(2)) q.e.options.max_num_batched_tokens = of<tokens>(roll(64, 1500));
    if (q.e.options.max_num_batched_tokens > tokens{}) q.e.options.max_num_seqs = of<sequences>(64);
    if (q.e.options.max_num_batched_tokens > tokens{} && q.e.options.max_num_batched_tokens < 64_tok)
      q.e.options.max_num_seqs = {};
    const std::int64_t n = q.caches() ? most_by_asking(q, roll(1, longest)) : 1;
    if (n == 0) continue;
    std::int64_t last = 0;
    for (std::int64_t c = 1; c <= longest; ++c)
      if (q.room(c, n)) last = c;
    INFO(q.m->name.view() << " on " << q.part.id << ", case " << i);
    CHECK(integer(solve(m, q.part, q.l, q.e, {1_tok, of<sequences>(n)}).max_context_at_concurrency) == last);
    inside += last > 0 && last < longest ? 1 : 0;
  }
  CHECK(inside > at_least(80));
}

TEST_CASE(
    "the best split is the best of all layouts, and the fewest devices are the first number that any layout fits on") {
  dice roll;
  int with_room = 0;
  int not_widest = 0;
  for (int i = 0; i < trials(250); ++i) {
    question q = any_question(roll, 2);
    const std::int64_t longest =
        q.e.options.max_model_len > tokens{} ? integer(q.e.options.max_model_len) : q.m->max_position;
    const load w{of<tokens>(roll(1, (std::min)(longest, std::int64_t{40000}))), of<sequences>(roll(1, 64))};
    INFO(q.m->name.view() << " on " << q.part.id << ", " << integer(w.concurrency) << " x " << integer(w.context)
                          << ", case " << i);
    const std::int64_t n = roll.one_in(2) ? std::int64_t{1} << roll(0, 4) : roll(1, 16);
    // The ranking of the question, written out once more.
    bool any = false;
    bool best_room = false;
    std::int64_t best_most = 0;
    bytes best_left{};
    std::int64_t least_tp = 0;
    for (const layout& l : layouts_of(*q.m, q.part, n)) {
      q.l = l;
      const verdict v = fits(*q.m, q.part, l, q.e, w);
      if (v.answer == answer::invalid) continue;
      const bool room = v.left() >= bytes{};
      const std::int64_t most = !room        ? 0
                                : q.caches() ? most_by_asking(q, integer(w.context))
                                             : integer(max_concurrency(v, w.context));
      const bool takes = !any || (room != best_room       ? room
                                  : most != best_most     ? most > best_most
                                  : v.left() != best_left ? v.left() > best_left
                                                          : l.tp < least_tp);
      any = true;
      if (!takes) continue;
      best_room = room;
      best_most = most;
      best_left = v.left();
      least_tp = l.tp;
    }
    const split_choice best = best_split(*q.m, q.part, n, q.e, w);
    CHECK((best.answer != answer::invalid) == any);
    if (any) {
      CHECK(best.room == best_room);
      CHECK(integer(best.concurrency) / (best.parallel.dp) == best_most / best.parallel.dp);
      CHECK(best.left == best_left);
      CHECK(best.parallel.tp == least_tp);
      with_room += best_room ? 1 : 0;
      not_widest += best_room && best.parallel.tp < n ? 1 : 0;
    }
    constexpr std::int64_t most_devices = 12;
    std::int64_t fewest = 0;
    for (std::int64_t k = 1; k <= most_devices && fewest == 0; ++k)
      for (const layout& l : layouts_of(*q.m, q.part, k)) {
        const verdict v = fits(*q.m, q.part, l, q.e, w);
        if (v.answer != answer::invalid && v.left() >= bytes{}) fewest = k;
      }
    const split_choice found = fewest_devices(*q.m, q.part, q.e, w, most_devices);
    CHECK((found.room ? found.parallel.world().value() : 0) == fewest);
    const limits s = solve(*q.m, q.part, {}, q.e, w);
    if (fewest > 0) {
      CHECK(integer(s.min_devices) == fewest);
      CHECK(fits(*q.m, q.part, s.min_layout, q.e, w).left() >= bytes{});
    } else {
      CHECK((s.min_devices == devices{} || integer(s.min_devices) > most_devices));
    }
  }
  CHECK(with_room > at_least(80));
  CHECK(not_widest > at_least(30));
}

TEST_CASE("a split whose numbers are given keeps them, and a number that does not divide has none") {
  dice roll;
  for (int i = 0; i < trials(200); ++i) {
    const transformer& m = roll.of(all_models());
    const std::int64_t n = std::int64_t{1} << roll(0, 4);
    split_bounds b;
    if (roll.one_in(2)) b.tp = std::int64_t{1} << roll(0, 3);
    if (roll.one_in(2)) b.dp = std::int64_t{1} << roll(0, 2);
    if (roll.one_in(3)) b.pp = roll(1, 3);
    if (roll.one_in(3)) b.dcp = 1;
    if (roll.one_in(3)) b.most_tp = of<devices>(roll(1, 4));
    bool any = false;
    for (const layout& l : layouts_of(m, catalog::h100_sxm, n))
      any = any || ((b.tp == 0 || l.tp == b.tp) && (b.dp == 0 || l.dp == b.dp) && (b.pp == 0 || l.pp == b.pp) &&
                    (b.dcp == 0 || l.dcp == b.dcp) &&
                    (b.tp > 0 || b.most_tp == devices{} || of<devices>(l.tp) <= b.most_tp || l.tp == 1));
    const split_choice c = best_split(m, catalog::h100_sxm, n, vllm(), {1024_tok, 4_seq}, b);
    CHECK((c.answer != answer::invalid) == any);
    if (!any) continue;
    CHECK(c.parallel.world() == count(n));
    CHECK((b.tp == 0 || c.parallel.tp == b.tp));
    CHECK((b.pp == 0 || c.parallel.pp == b.pp));
    CHECK((b.dp == 0 || c.parallel.dp == b.dp));
    CHECK((b.dcp == 0 || c.parallel.dcp == b.dcp));
    CHECK((b.tp > 0 || b.most_tp == devices{} || of<devices>(c.parallel.tp) <= b.most_tp));
  }
}

TEST_CASE("the smallest part is found by asking every part for every number of devices") {
  dice roll;
  int alone = 0;
  int several = 0;
  for (int i = 0; i < 60; ++i) {
    const transformer& m = roll.of(all_models());
    const engine e = any_engine(roll, m);
    if (e.options.kv_cache_memory_bytes > bytes{}) continue;
    const std::int64_t longest = e.options.max_model_len > tokens{} ? integer(e.options.max_model_len) : m.max_position;
    const load w{of<tokens>(roll(1, (std::min)(longest, std::int64_t{20000}))), of<sequences>(roll(1, 32))};
    std::vector<accelerator> parts;
    const std::int64_t n = roll(1, 6);
    for (std::int64_t k = 0; k < n; ++k) parts.push_back(roll.of(catalog::accelerators));
    bool found = false;
    std::int64_t fewest = 0;
    std::size_t which = 0;
    for (std::size_t k = 0; k < parts.size(); ++k)
      for (std::int64_t count_of = 1; count_of <= 6; ++count_of) {
        bool room = false;
        for (const layout& l : layouts_of(m, parts[k], count_of)) {
          const verdict v = fits(m, parts[k], l, e, w);
          room = room || (v.answer != answer::invalid && v.left() >= bytes{});
        }
        if (!room) continue;
        if (!found || count_of < fewest ||
            (count_of == fewest && parts[k].visible_memory() < parts[which].visible_memory())) {
          found = true;
          fewest = count_of;
          which = k;
        }
        break;
      }
    const smallest_choice s = smallest_part(m, parts, e, w, 6);
    CHECK(s.found == found);
    if (!found || !s.found) continue;
    CHECK(s.device_count() == fewest);
    CHECK(parts[s.index].id == parts[which].id);
    ++(fewest == 1 ? alone : several);
  }
  CHECK(alone > 10);
  CHECK(several > 5);
}

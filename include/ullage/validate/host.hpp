// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include <Eigen/Core>
#include <ullage/hardware.hpp>
#include <ullage/validate/report.hpp>
#include <ullage/validate/say.hpp>

// The host backend: memory, STREAM's triad on one and on all cores, a float GEMM on one core.
namespace ullage::inline v0::validate {

/// What part of a host's nominal peaks the kernels below reach. Wide: they hold for no machine in particular.
struct host_fractions {
  fraction memory{0.93, 0.98, 1.0, basis::transferred};  ///< MemTotal of the memory installed; the kernel keeps some
  fraction triad{0.55, 0.75, 0.92,
                 basis::transferred};  ///< of the nominal rate of all channels, writes' own reads uncounted
  fraction gemm{0.30, 0.70, 1.05, basis::transferred};  ///< of one core's fp32 peak
};

struct host_options {
  std::optional<accelerator>
      row{};  ///< the host as a row: bandwidth, fp32 peak, compute_units = cores; none = no prediction
  host_fractions fractions{};
  double budget_s = 1.0;  ///< of one measurement, filling its memory included; two repetitions are always made
  int most_repeats = 20;
  std::size_t array_bytes =
      0;            ///< of each of the triad's three arrays; 0 = four times the last-level cache, within 64…256 MiB
  int threads = 0;  ///< of the triad on all cores; 0 = what the process may run on
  int gemm_size = 1024;  ///< rows of the square matrices
};

// ---------------------------------------------------------------------------------------------------------------------
/// What the host says of itself; nothing where it does not say.
struct host_facts {
  std::string cpu{};
  std::optional<std::int64_t> memory_total_bytes{};
  std::optional<std::int64_t> memory_available_bytes{};  ///< what new work could take without swapping
  std::optional<std::int64_t> last_level_cache_bytes{};  ///< all its slices together
  int threads = 1;
};

namespace detail {

/// The bytes of a line such as "MemTotal:  24682880 kB" in /proc/meminfo (its kB are 1024 bytes).
inline std::optional<std::int64_t> meminfo(std::string_view key, const char* path) {
  std::ifstream file(path);
  std::string word;
  while (file >> word) {
    if (word == key) {
      std::int64_t kib = 0;
      std::string unit_word;
      if (file >> kib >> unit_word && unit_word == "kB" && kib >= 0 && kib < (std::int64_t{1} << 52)) return kib * 1024;
      return std::nullopt;
    }
    std::getline(file, word);
  }
  return std::nullopt;
}

/// "model name : AMD EPYC" of /proc/cpuinfo; where it is absent, as on many Arm machines, the architecture is all we
/// know.
inline std::string cpu_name(const char* path) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind("model name", 0) != 0 && line.rfind("cpu model", 0) != 0) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t first = line.find_first_not_of(" \t", colon + 1);
    if (first != std::string::npos) return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
  }
#if defined(__aarch64__)
  return "unknown (aarch64)";
#elif defined(__x86_64__)
  return "unknown (x86-64)";
#else
  return "unknown";
#endif
}

/// Sum over distinct caches of the highest level, from Linux' sysfs.
inline std::optional<std::int64_t> last_level_cache(const std::string& folder) {
  int highest = 0;
  std::int64_t total = 0;
  std::set<std::string> seen;
  for (int cpu = 0; cpu < 4096; ++cpu) {
    const std::string base = folder + "/cpu" + std::to_string(cpu) + "/cache/index";
    bool any = false;
    for (int index = 0; index < 8; ++index) {
      const std::string cache = base + std::to_string(index);
      std::ifstream level_file(cache + "/level");
      int level = 0;
      if (!(level_file >> level)) break;
      any = true;
      if (level < highest) continue;
      std::ifstream size_file(cache + "/size");
      std::ifstream sharer_file(cache + "/shared_cpu_list");
      std::int64_t size = 0;
      char scale = 0;
      std::string sharers;
      if (!(size_file >> size) || !(sharer_file >> sharers) || size <= 0) continue;
      if (size_file >> scale) size *= scale == 'M' ? std::int64_t{1} << 20 : 1024;
      if (level > highest) {
        highest = level;
        total = 0;
        seen.clear();
      }
      if (seen.insert(sharers).second) total += size;
    }
    if (!any) break;
  }
  if (total == 0) return std::nullopt;
  return total;
}

}  // namespace detail

/// Reads /proc and /sys where they exist (Linux); elsewhere all but the number of threads is unknown.
inline host_facts describe_host() {
  host_facts h;
  h.cpu = detail::cpu_name("/proc/cpuinfo");
  h.memory_total_bytes = detail::meminfo("MemTotal:", "/proc/meminfo");
  h.memory_available_bytes = detail::meminfo("MemAvailable:", "/proc/meminfo");
  h.last_level_cache_bytes = detail::last_level_cache("/sys/devices/system/cpu");
  h.threads = static_cast<int>((std::max)(1U, std::thread::hardware_concurrency()));
  return h;
}

// ---------------------------------------------------------------------------------------------------------------------
namespace detail {

/// The compiler must take the memory behind p as read and written.
inline void keep(void* p) noexcept {
#if defined(__GNUC__) || defined(__clang__)
  asm volatile("" : : "r"(p) : "memory");
#else
  static void* volatile sink;
  sink = p;
#endif
}

inline double now_s() noexcept {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Aligned doubles that no thread has touched yet, so that their pages go to the memory of the thread that fills them.
struct free_doubles {
  void operator()(double* p) const noexcept { ::operator delete[](p, std::align_val_t{64}); }
};
using doubles = std::unique_ptr<double[], free_doubles>;
inline doubles untouched(std::size_t n) noexcept {
  if (n > static_cast<std::size_t>(-1) / sizeof(double)) return nullptr;
  return doubles(static_cast<double*>(::operator new[](n * sizeof(double), std::align_val_t{64}, std::nothrow)));
}

// The triad's inputs: small whole numbers, so that b + s·c is exact with and without fused multiply-add.
inline double triad_b(std::size_t i) noexcept {
  return static_cast<double>(i % 1021);
}
inline double triad_c(std::size_t i) noexcept {
  return static_cast<double>(i % 509);
}
inline double triad_scalar(int repeat) noexcept {
  return static_cast<double>(3 + repeat);
}

inline double median(std::vector<double>& v) noexcept {
  const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
  std::nth_element(v.begin(), middle, v.end());
  if (v.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(v.begin(), middle)) / 2.0;
}

struct timed {
  std::vector<double> seconds{};
  bool ran = false;
  bool right = false;
  std::string_view why{};  ///< when it did not run
};

/// a = b + s·c over `n` doubles each (a multiple of 8), cut in equal slices of whole cache lines, one a thread. s
/// differs in each repetition, so that the final check shows that the last one was computed and not left out.
inline timed run_triad(std::size_t n, int threads, double budget_s, int most_repeats) {
  timed t;
  const doubles a = untouched(n);
  const doubles b = untouched(n);
  const doubles c = untouched(n);
  if (!a || !b || !c) {
    t.why = "the host gave no memory for the arrays";
    return t;
  }
  const double began = now_s();
  const std::size_t lines = n / 8;
  const std::size_t slice = (lines + static_cast<std::size_t>(threads) - 1) / static_cast<std::size_t>(threads) * 8;
  const auto with_slice = [&](int who, auto&& work) {
    const std::size_t first = (std::min)(n, slice * static_cast<std::size_t>(who));
    work(first, (std::min)(n, first + slice));
  };
  const auto fill = [&](int who) {
    with_slice(who, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        a[i] = -1.0;
        b[i] = triad_b(i);
        c[i] = triad_c(i);
      }
    });
  };
  const auto once = [&](int who, int repeat) {
    with_slice(who, [&](std::size_t first, std::size_t last) {
      const auto length = static_cast<Eigen::Index>(last - first);
      Eigen::Map<Eigen::ArrayXd, Eigen::Aligned64> to(a.get() + first, length);
      to = Eigen::Map<const Eigen::ArrayXd, Eigen::Aligned64>(b.get() + first, length) +
           triad_scalar(repeat) * Eigen::Map<const Eigen::ArrayXd, Eigen::Aligned64>(c.get() + first, length);
      keep(a.get() + first);
    });
  };

  // The caller is thread 0 and keeps the time; the others wait at the barrier before and after each repetition.
  std::barrier<> gate(threads);
  bool more = true;  // written by thread 0 between two barriers only
  int repeat = 0;
  std::vector<std::thread> others;
  others.reserve(static_cast<std::size_t>(threads));
  try {
    for (int who = 1; who < threads; ++who)
      others.emplace_back([&, who] {
        fill(who);
        while (true) {
          gate.arrive_and_wait();
          if (!more) return;
          once(who, repeat);
          gate.arrive_and_wait();
        }
      });
  } catch (const std::system_error&) {
    t.why = "the host started fewer threads than asked";
    more = false;
    for (int who = static_cast<int>(others.size()) + 1; who < threads; ++who) gate.arrive_and_drop();
    gate.arrive_and_wait();
    for (std::thread& o : others) o.join();
    return t;
  }
  fill(0);
  // The first repetition is a warm-up: it is made and not counted.
  for (; repeat <= most_repeats; ++repeat) {
    gate.arrive_and_wait();
    const double start = now_s();
    once(0, repeat);
    gate.arrive_and_wait();
    const double stop = now_s();
    if (repeat > 0) t.seconds.push_back((std::max)(stop - start, 1e-9));
    if (repeat >= 2 && stop - began >= budget_s) break;
  }
  const int last = (std::min)(repeat, most_repeats);
  more = false;
  gate.arrive_and_wait();
  for (std::thread& o : others) o.join();

  t.ran = true;
  t.right = true;
  const std::size_t step = (std::max)(std::size_t{1}, n / 65'537);
  for (std::size_t i = 0; i < n && t.right; i += step) t.right = a[i] == triad_b(i) + triad_scalar(last) * triad_c(i);
  if (n > 0 && a[n - 1] != triad_b(n - 1) + triad_scalar(last) * triad_c(n - 1)) t.right = false;
  return t;
}

/// C = A·B of n×n floats by Eigen on one thread; 32 entries are held against sums in double.
inline timed run_gemm(int n, double budget_s, int most_repeats) {
  timed t;
  const double began = now_s();
  Eigen::MatrixXf a;
  Eigen::MatrixXf b;
  Eigen::MatrixXf c;
  try {
    a.resize(n, n);
    b.resize(n, n);
    c.setZero(n, n);
  } catch (const std::bad_alloc&) {
    t.why = "the host gave no memory for the matrices";
    return t;
  }
  std::uint32_t state = 12'345;
  const auto next = [&state]() noexcept {
    state = state * 1'664'525U + 1'013'904'223U;
    return static_cast<float>(state >> 8) / 8'388'608.0F - 1.0F;  // [-1, 1)
  };
  for (Eigen::Index i = 0; i < a.size(); ++i) a.data()[i] = next();
  for (Eigen::Index i = 0; i < b.size(); ++i) b.data()[i] = next();
  const int threads_before = Eigen::nbThreads();
  Eigen::setNbThreads(1);
  for (int repeat = 0; repeat <= most_repeats; ++repeat) {
    const double start = now_s();
    c.noalias() = a * b;
    keep(c.data());
    const double stop = now_s();
    if (repeat > 0) t.seconds.push_back((std::max)(stop - start, 1e-9));
    if (repeat >= 2 && stop - began >= budget_s) break;
    if (repeat < most_repeats) a(repeat % n, 0) = -a(repeat % n, 0);  // so that no product is the last one's
  }
  Eigen::setNbThreads(threads_before);

  t.ran = true;
  t.right = true;
  // `a` changes only where another product follows: c is the product of a as it stands.
  for (int sample = 0; sample < 32; ++sample) {
    const Eigen::Index row = (sample * 7919) % n;
    const Eigen::Index column = (sample * 104'729 + 13) % n;
    double sum = 0.0;
    double size = 0.0;
    for (Eigen::Index k = 0; k < n; ++k) {
      const double product = static_cast<double>(a(row, k)) * static_cast<double>(b(k, column));
      sum += product;
      size += std::abs(product);
    }
    // Any order of n additions in float errs by at most about n·2⁻²⁴ of the sum of magnitudes.
    if (!(std::abs(static_cast<double>(c(row, column)) - sum) <= static_cast<double>(n + 1) * 5.97e-8 * size + 1e-30))
      t.right = false;
  }
  return t;
}

/// Turns seconds into a rate: median and best of the repetitions.
inline void rate(measurement& m, timed& t, double work) noexcept {
  m.repeats = static_cast<int>(t.seconds.size());
  m.measured = work / median(t.seconds);
  m.best = work / *std::min_element(t.seconds.begin(), t.seconds.end());
}

inline measurement unmeasured(std::string_view what, unit in, const sentence& why) noexcept {
  measurement m;
  m.name = what;
  m.in = in;
  m.note = why;
  return m;
}

}  // namespace detail

// ---------------------------------------------------------------------------------------------------------------------
/// Bytes of each of the triad's arrays that the options and the host give.
inline std::size_t triad_array_bytes(const host_options& o, const host_facts& h) noexcept {
  if (o.array_bytes > 0) return (std::max)(o.array_bytes, std::size_t{4096});
  const std::int64_t least = std::int64_t{64} << 20;
  const std::int64_t most = std::int64_t{256} << 20;
  std::int64_t size = (std::min)((std::max)(h.last_level_cache_bytes.value_or(0) * 4, least), most);
  // Three arrays in no more than half of what is free.
  if (h.memory_available_bytes) size = (std::min)(size, *h.memory_available_bytes / 6);
  return static_cast<std::size_t>((std::max)(size, std::int64_t{4096}));
}

/// STREAM's triad a = b + s·c, in doubles. Counts 24 bytes an element, two read and one written; the line that a
/// write may first read is not counted, as in STREAM. Predicted, where the options hold a row and `threads` is all
/// of them: row bandwidth · fractions.triad. One core alone is never predicted: a row says nothing of it.
inline measurement measure_triad(std::string_view what, const host_options& o, const host_facts& h, int threads,
                                 bool predict) {
  measurement m;
  m.name = what;
  m.in = unit::bytes_per_second;
  if (predict && o.row && value_of(o.row->bandwidth) > 0.0) m.predicted = o.fractions.triad(value_of(o.row->bandwidth));
  const std::size_t n =
      (std::max)(triad_array_bytes(o, h) / sizeof(double) / 8 * 8, std::size_t{512});  // whole cache lines
  const std::size_t bytes_each = n * sizeof(double);
  detail::timed t = detail::run_triad(n, threads, o.budget_s, (std::max)(o.most_repeats, 1));
  if (!t.ran) {
    m.note = say(t.why);
    return m;
  }
  detail::rate(m, t, 3.0 * sizeof(double) * static_cast<double>(n));
  if (!t.right) {
    m.result = agreement::wrong;
    m.note = say("the triad's result is wrong");
    return m;
  }
  const bool cached = h.last_level_cache_bytes && static_cast<std::int64_t>(bytes_each) < *h.last_level_cache_bytes * 4;
  m.note = say(threads, threads == 1 ? " thread, 3 arrays of " : " threads, 3 arrays of ",
               static_cast<double>(bytes_each) / 1048576.0, " MiB",
               cached ? ", less than 4 x the last-level cache: caches may help" : "",
               h.last_level_cache_bytes ? "" : ", last-level cache unknown");
  return judged(m);
}

/// C = A·B of square float matrices on one thread, 2·n³ operations. Predicted, where the row has an fp32 peak and a
/// number of cores: peak / cores · fractions.gemm.
inline measurement measure_gemm(const host_options& o) {
  measurement m;
  m.name = "gemm_fp32_one_core";
  m.in = unit::flops_per_second;
  if (o.row && o.row->compute_units > 0 && value_of(o.row->peak(math::fp32)) > 0.0)
    m.predicted = o.fractions.gemm(value_of(o.row->peak(math::fp32)) / o.row->compute_units);
  const int n = (std::min)((std::max)(o.gemm_size, 16), 16'384);
  detail::timed t = detail::run_gemm(n, o.budget_s, (std::max)(o.most_repeats, 1));
  if (!t.ran) {
    m.note = say(t.why);
    return m;
  }
  const double size = n;
  detail::rate(m, t, 2.0 * size * size * size);
  if (!t.right) {
    m.result = agreement::wrong;
    m.note = say("entries of the product are wrong");
    return m;
  }
  m.note = say("n = ", n, ", Eigen compiled for ", Eigen::SimdInstructionSetsInUse());
  return judged(m);
}

/// Runs the host backend and hands each measurement to `sink(const measurement&)` as soon as it is there.
template <class Sink>
void measure_host(const host_options& o, const host_facts& h, Sink&& sink) {
  {
    measurement m;
    m.name = "memory_total";
    m.in = unit::bytes;
    if (o.row && overflowed(o.row->visible_memory()) == false && real(o.row->visible_memory()) > 0.0)
      m.predicted = o.fractions.memory(real(o.row->visible_memory()));
    if (h.memory_total_bytes) {
      m.measured = m.best = static_cast<double>(*h.memory_total_bytes);
      m.repeats = 1;
      m.note = say("MemTotal of /proc/meminfo");
      sink(judged(m));
    } else {
      m.note = say("this system has no /proc/meminfo");
      sink(m);
    }
  }
  if (h.memory_available_bytes) {
    measurement m;
    m.name = "memory_available";
    m.in = unit::bytes;
    m.measured = m.best = static_cast<double>(*h.memory_available_bytes);
    m.repeats = 1;
    m.note = say("MemAvailable of /proc/meminfo");
    sink(judged(m));
  } else {
    sink(detail::unmeasured("memory_available", unit::bytes, say("this system has no /proc/meminfo")));
  }

  const int threads = (std::min)((std::max)(o.threads > 0 ? o.threads : h.threads, 1), 4096);
  const measurement one = measure_triad("triad_one_core", o, h, 1, threads == 1);
  sink(one);
  const measurement all = measure_triad("triad_all_cores", o, h, threads, true);
  sink(all);
  if (one.measured > 0.0 && all.measured > 0.0 && one.result != agreement::wrong && all.result != agreement::wrong) {
    measurement m;
    m.name = "triad_scaling";
    m.in = unit::ratio;
    m.measured = all.measured / one.measured;
    m.best = all.best / one.best;
    m.repeats = 1;
    m.note = say("triad on all cores over triad on one");
    sink(judged(m));
  }
  sink(measure_gemm(o));
}

/// The same as one report.
inline report measure_host(const host_options& o = {}) {
  report r;
  r.backend = "host";
  const host_facts h = describe_host();
  r.device = std::string_view(h.cpu);
  r.available = true;
  measure_host(o, h, [&r](const measurement& m) { r.measurements.push_back(m); });
  return r;
}

}  // namespace ullage::inline v0::validate

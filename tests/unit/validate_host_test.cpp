// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <string>
#include <ullage/validate/host.hpp>

#include "support/catch.hpp"

using namespace ullage;            // NOLINT(google-build-using-namespace)
using namespace ullage::literals;  // NOLINT(google-build-using-namespace)

// Nothing here asserts a speed: the machine that runs this may be busy, emulated or sanitized.
namespace {

validate::host_options tiny() {
  validate::host_options o;
  o.budget_s = 0.0;
  o.array_bytes = 256 * 1024;
  o.gemm_size = 48;
  o.threads = 2;
  return o;
}

struct written_file {
  std::filesystem::path path;
  explicit written_file(const std::string& text)
      : path(std::filesystem::temp_directory_path() / ("ullage_validate_" + std::to_string(counter()++))) {
    std::ofstream(path, std::ios::binary) << text;
  }
  ~written_file() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
  written_file(const written_file&) = delete;
  written_file& operator=(const written_file&) = delete;
  static std::size_t& counter() {
    static std::size_t n = static_cast<std::size_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    return n;
  }
};

}  // namespace

TEST_CASE("the triad's result is checked, whatever the slices", "[validate]") {
  for (const int threads : {1, 2, 3, 7})
    for (const std::size_t n : {std::size_t{8}, std::size_t{512}, std::size_t{8 * 1021}}) {
      INFO(threads << " threads, " << n << " elements");
      const validate::detail::timed t = validate::detail::run_triad(n, threads, 0.0, 3);
      CHECK(t.ran);
      CHECK(t.right);
      CHECK(t.seconds.size() == 2);
      for (const double s : t.seconds) CHECK(s > 0.0);
    }
}

TEST_CASE("the product is held against sums in double", "[validate]") {
  for (const int n : {16, 33, 64}) {
    const validate::detail::timed t = validate::detail::run_gemm(n, 0.0, 5);
    CHECK(t.ran);
    CHECK(t.right);
    CHECK(t.seconds.size() == 2);
  }
}

TEST_CASE("the median of an even number is the mean of the middle two", "[validate]") {
  std::vector<double> even{4.0, 1.0, 3.0, 2.0};
  std::vector<double> odd{9.0, 1.0, 5.0};
  CHECK(validate::detail::median(even) == 2.5);
  CHECK(validate::detail::median(odd) == 5.0);
}

TEST_CASE("the host backend measures all its lines, without a prediction where no row is given", "[validate]") {
  const validate::report r = validate::measure_host(tiny());
  CHECK(r.backend == "host");
  CHECK(r.available);
  CHECK_FALSE(r.device.view().empty());
  REQUIRE(r.measurements.size() == 6);
  for (const validate::measurement& m : r.measurements) {
    INFO(m.name << ": " << m.note.view());
    CHECK_FALSE(m.predicted);
    CHECK_FALSE(m.ratio());
    CHECK(m.result != validate::agreement::wrong);
    CHECK_FALSE(m.note.view().empty());
    if (m.result == validate::agreement::unmeasured) continue;  // memory, where there is no /proc
    CHECK(m.measured > 0.0);
    CHECK(m.best >= 0.0);
  }
  const validate::measurement* one = r.find("triad_one_core");
  const validate::measurement* all = r.find("triad_all_cores");
  const validate::measurement* scaling = r.find("triad_scaling");
  REQUIRE((one != nullptr && all != nullptr && scaling != nullptr));
  CHECK(one->best >= one->measured);
  CHECK(scaling->measured == Catch::Approx(all->measured / one->measured));
}

TEST_CASE("a host row gives predictions with a band", "[validate]") {
  validate::host_options o = tiny();
  accelerator row;
  row.name = "host";
  row.memory_driver = 64_GiB;
  row.bandwidth = 100_GBps;
  row.dense_peaks[static_cast<std::size_t>(math::fp32)] = 1_TFLOPS;
  row.compute_units = 8;
  o.row = row;
  const validate::report r = validate::measure_host(o);
  REQUIRE(r.find("triad_all_cores")->predicted);
  CHECK(r.find("triad_all_cores")->predicted->mid == Catch::Approx(75e9));
  CHECK_FALSE(r.find("triad_one_core")->predicted);
  REQUIRE(r.find("gemm_fp32_one_core")->predicted);
  CHECK(r.find("gemm_fp32_one_core")->predicted->high == Catch::Approx(1.05 * 1e12 / 8));
  REQUIRE(r.find("memory_total")->predicted);
  CHECK(r.find("memory_total")->predicted->high == Catch::Approx(64.0 * 1073741824.0));
}

TEST_CASE("the triad's arrays leave the caches and the memory of the host in peace", "[validate]") {
  validate::host_options o;
  validate::host_facts h;
  CHECK(validate::triad_array_bytes(o, h) == std::size_t{64} << 20);
  h.last_level_cache_bytes = std::int64_t{32} << 20;
  CHECK(validate::triad_array_bytes(o, h) == std::size_t{128} << 20);
  h.last_level_cache_bytes = std::int64_t{384} << 20;
  CHECK(validate::triad_array_bytes(o, h) == std::size_t{256} << 20);
  h.memory_available_bytes = std::int64_t{60} << 20;
  CHECK(validate::triad_array_bytes(o, h) == std::size_t{10} << 20);
  h.memory_available_bytes = 0;
  CHECK(validate::triad_array_bytes(o, h) == 4096);
  o.array_bytes = 1;
  CHECK(validate::triad_array_bytes(o, h) == 4096);
}

TEST_CASE("/proc/meminfo is read, and what is no such file is unknown", "[validate]") {
  const written_file good(
      "MemTotal:       24682880 kB\nMemFree: 1 kB\nMemAvailable:   24000000 kB\nHugePages_Total: 0\n");
  CHECK(validate::detail::meminfo("MemTotal:", good.path.c_str()) == std::int64_t{24682880} * 1024);
  CHECK(validate::detail::meminfo("MemAvailable:", good.path.c_str()) == std::int64_t{24000000} * 1024);
  CHECK_FALSE(validate::detail::meminfo("HugePages_Total:", good.path.c_str()));
  CHECK_FALSE(validate::detail::meminfo("SwapTotal:", good.path.c_str()));
  for (const char* bad : {"", "MemTotal:", "MemTotal: x kB\n", "MemTotal: -5 kB\n",
                          "MemTotal: 99999999999999999999 kB\n", "MemTotal: 5 MB\n"}) {
    const written_file file(bad);
    INFO(bad);
    CHECK_FALSE(validate::detail::meminfo("MemTotal:", file.path.c_str()));
  }
  CHECK_FALSE(validate::detail::meminfo("MemTotal:", "/nonexistent/meminfo"));
}

TEST_CASE("the processor's name is read, and what is no such file is unknown", "[validate]") {
  const written_file good(
      "processor\t: 0\nmodel\t\t: 17\nmodel name\t: AMD EPYC 9654 96-Core Processor \nflags: fpu\n");
  CHECK(validate::detail::cpu_name(good.path.c_str()) == "AMD EPYC 9654 96-Core Processor");
  const written_file arm("processor\t: 0\nBogoMIPS\t: 2000.00\nmodel name\n");
  CHECK(validate::detail::cpu_name(arm.path.c_str()).rfind("unknown", 0) == 0);
  CHECK(validate::detail::cpu_name("/nonexistent/cpuinfo").rfind("unknown", 0) == 0);
}

TEST_CASE("slices of the last-level cache are counted once each", "[validate]") {
  const std::filesystem::path root = written_file("").path.string() + "_cache";
  const auto cache = [&](int cpu, int index, const char* level, const char* size, const char* sharers) {
    const std::filesystem::path folder =
        root / ("cpu" + std::to_string(cpu)) / "cache" / ("index" + std::to_string(index));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "level") << level << '\n';
    std::ofstream(folder / "size") << size << '\n';
    std::ofstream(folder / "shared_cpu_list") << sharers << '\n';
  };
  for (int cpu = 0; cpu < 4; ++cpu) {
    cache(cpu, 0, "1", "32K", std::to_string(cpu).c_str());
    cache(cpu, 1, "2", "1M", std::to_string(cpu).c_str());
    cache(cpu, 2, "3", "32768K", cpu < 2 ? "0-1" : "2-3");
  }
  CHECK(validate::detail::last_level_cache(root.string()) == std::int64_t{64} << 20);
  CHECK_FALSE(validate::detail::last_level_cache((root / "nothing").string()));
  std::filesystem::remove_all(root);
}

// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <ullage/io/ask.hpp>
#include <ullage/io/roofline_plot.hpp>
#include <ullage/io/svg.hpp>

#include "support/catch.hpp"
#include "support/readers.hpp"

using namespace ullage;

TEST_CASE("foreign text in a drawing is text") {
  CHECK(io::xml_escaped("a < b & \"c\" > 'd'") == "a &lt; b &amp; &quot;c&quot; &gt; &#39;d&#39;");
  CHECK(io::xml_escaped("two\nlines\x01") == "two\\u000alines\\u0001");
  CHECK(io::xml_escaped("\xff") == "\\xff");
  io::svg s(90, 60, "<title>");
  s.text(1, 2, "]]></text><script>", {.colour = "\"/>"});
  const std::string drawn = s.finish();
  CHECK(drawn.find("<script") == std::string::npos);
  CHECK(drawn.find("<title>&lt;title&gt;</title>") != std::string::npos);
  CHECK(drawn.find("fill=\"&quot;/&gt;\"") != std::string::npos);
}

TEST_CASE("numbers of a drawing are short and finite") {
  CHECK(io::svg::number(1) == "1");
  CHECK(io::svg::number(1.25) == "1.2");
  CHECK(io::svg::number(-.01) == "0");
  CHECK(io::svg::number(1e300) == "100000");
  CHECK(io::svg::number(std::numeric_limits<double>::quiet_NaN()) == "-100000");
}

TEST_CASE("a roofline is drawn of what has one") {
  CHECK(io::roofline_svg(io::json::object()).empty());
  CHECK(io::roofline_svg({{"roofline", nullptr}}).empty());
  const io::json a = compiled::ask_text(
      R"({"ask": "op", "accelerator": "H200 SXM", "op": {"kind": "gemm", "m": 16, "n": 8192, "k": 8192}})");
  const std::string drawn = io::roofline_svg(a);
  // fp16 and bf16 share a roof, fp8 and int8 too; one mark for the operation in the drawing and one in its legend.
  for (const char* part :
       {"fp16, bf16", "fp8, int8", "tf32", "fp32", "memory 4.8 TB/s", "ridge 206 FLOP/B", "% of its roof"})
    CHECK(drawn.find(part) != std::string::npos);
  CHECK(drawn.find("fp16, bf16") == drawn.rfind("fp16, bf16"));
  CHECK(drawn.starts_with("<svg "));
  CHECK(drawn.ends_with("</svg>\n"));
}

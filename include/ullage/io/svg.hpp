// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <ullage/io/result.hpp>

// A drawing as SVG text: a few shapes, foreign text escaped, numbers the same in every locale.
namespace ullage::inline v0::io {

/// Text as XML takes it: on one line, control characters and what is no UTF-8 written out, markup escaped.
inline std::string xml_escaped(std::string_view text) {
  std::string out;
  for (char c : detail::one_line(text, detail::most_of_message)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

/// A drawing of `width` × `height` units; y grows downwards. Colours are SVG's words or #rrggbb.
class svg {
 public:
  struct stroke {
    std::string_view colour = "#000000";
    double width = 1;
    std::string_view dashes{};  ///< "4 3"; empty = a full line
  };
  struct font {
    double size = 13;
    std::string_view anchor = "start";  ///< start, middle, end
    std::string_view colour = "#000000";
    bool bold = false;
    double turned = 0;  ///< degrees around its own point
  };

  svg(double width, double height, std::string_view title) {
    body_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(width) + "\" height=\"" + number(height) +
            "\" viewBox=\"0 0 " + number(width) + " " + number(height) +
            "\" font-family=\"DejaVu Sans, Verdana, Helvetica, Arial, sans-serif\" role=\"img\">\n<title>" +
            xml_escaped(title) + "</title>\n";
    rect(0, 0, width, height, "#ffffff");
  }
  void rect(double x, double y, double width, double height, std::string_view fill) {
    body_ += "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" + number(width) + "\" height=\"" +
             number(height) + "\" fill=\"" + xml_escaped(fill) + "\"/>\n";
  }
  void line(double x1, double y1, double x2, double y2, const stroke& s) {
    body_ += "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) +
             "\"" + stroked(s) + "/>\n";
  }
  void circle(double x, double y, double radius, std::string_view fill, const stroke& s) {
    body_ += "<circle cx=\"" + number(x) + "\" cy=\"" + number(y) + "\" r=\"" + number(radius) + "\" fill=\"" +
             xml_escaped(fill) + "\"" + stroked(s) + "/>\n";
  }
  /// A closed shape of the points x0 y0 x1 y1 …, around (x, y).
  template <std::size_t N>
  void shape(double x, double y, const double (&points)[N], double scale, std::string_view fill, const stroke& s) {
    static_assert(N % 2 == 0);
    body_ += "<polygon points=\"";
    for (std::size_t i = 0; i < N; i += 2)
      body_ += (i > 0 ? " " : "") + number(x + points[i] * scale) + "," + number(y + points[i + 1] * scale);
    body_ += "\" fill=\"" + xml_escaped(fill) + "\"" + stroked(s) + "/>\n";
  }
  void text(double x, double y, std::string_view words, const font& f) {
    body_ += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" font-size=\"" + number(f.size) +
             "\" text-anchor=\"" + xml_escaped(f.anchor) + "\" fill=\"" + xml_escaped(f.colour) + "\"";
    if (f.bold) body_ += " font-weight=\"bold\"";
    if (f.turned < 0 || f.turned > 0)
      body_ += " transform=\"rotate(" + number(f.turned) + " " + number(x) + " " + number(y) + ")\"";
    body_ += ">" + xml_escaped(words) + "</text>\n";
  }
  std::string finish() const { return body_ + "</svg>\n"; }

  /// Tenths of a unit; what is not finite or far away is put at the edge of what readers of SVG take.
  static std::string number(double x) {
    if (!(x > -1e5)) x = -1e5;
    if (x > 1e5) x = 1e5;
    char text[40];
    const auto end = std::to_chars(text, text + sizeof text, x, std::chars_format::fixed, 1);
    std::string s(text, end.ptr);
    if (s.ends_with(".0")) s.resize(s.size() - 2);
    return s == "-0" ? "0" : s;
  }

 private:
  static std::string stroked(const stroke& s) {
    std::string text = " stroke=\"" + xml_escaped(s.colour) + "\" stroke-width=\"" + number(s.width) + "\"";
    if (!s.dashes.empty()) text += " stroke-dasharray=\"" + xml_escaped(s.dashes) + "\"";
    return text;
  }
  std::string body_;
};

}  // namespace ullage::inline v0::io

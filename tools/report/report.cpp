#include "tools/report/report.h"

#include "tools/report/assets.h"
#include "tools/report/html.h"
#include "tools/report/page_html.h"

namespace lab::report {

std::string report_html(const std::string& title, const page::Page& page) {
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n";
  // Nothing may be loaded from anywhere, whatever stands in the page.
  out +=
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  out += element("title", escaped(title)) + "\n<style>\n";
  out += style_css();
  out += "</style></head>\n<body>\n" + page_html(page);
  out += "<script type=\"application/json\" id=\"charts\">" + charts_json(page) +
         "</script>\n<script>";
  out += chart_library();
  out += "</script>\n<script>\n";
  out += charts_js();
  return out + "</script>\n</body></html>\n";
}

}  // namespace lab::report

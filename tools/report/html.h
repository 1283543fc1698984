// Text made safe for HTML, and the pieces that a page is put together from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/core/markup.h"

namespace lab::report {

/// <name class="classes">inner</name>. `inner` is HTML already.
[[nodiscard]] std::string element(std::string_view name, std::string_view inner,
                                  std::string_view classes = {});

/// A table that may be scrolled where a page is too narrow. Head and rows are HTML already.
[[nodiscard]] std::string wide_table(std::string_view head, std::string_view rows,
                                     std::string_view classes = {});

/// A part that is unfolded by its summary. Both are HTML already.
[[nodiscard]] std::string folded(std::string_view summary, std::string_view inner,
                                 std::string_view classes = {});

/// The place of a chart; `label` is for who does not see it.
[[nodiscard]] std::string figure(std::string_view id, std::string_view label);

/// A name that may be broken behind its underscores.
[[nodiscard]] std::string name_html(std::string_view name);

/// A sentence as HTML: what stands between backticks is code.
[[nodiscard]] std::string prose(std::string_view text);

/// JSON that may stand within a <script>: the < > & of its strings are written as \u003c, ....
[[nodiscard]] std::string script_json(std::string_view json);

}  // namespace lab::report

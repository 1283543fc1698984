#include "tools/cli/json/json_lab.h"

#include "tools/cli/json/json_values.h"

namespace lab::cli {

std::string made_lab_json(const labs::MadeLab& made, const Lab& from) {
  return printed({{"lab", made.names.number},
                  {"id", made.names.id},
                  {"folder", made.folder},
                  {"from", from.called()},
                  {"files", made.files}});
}

}  // namespace lab::cli

# Writes FILE, a header with the commit of SOURCE, where it changed: `-dirty` at its end says that
# files differ from it. Outside a checkout the commit is empty.
execute_process(
  COMMAND git --no-optional-locks -C "${SOURCE}" describe --always --dirty --exclude=* --abbrev=40
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(commit "")
endif()
set(text "// The checkout that this was built from.\n#pragma once\n#define LAB_COMMIT \"${commit}\"\n")
set(before "")
if(EXISTS "${FILE}")
  file(READ "${FILE}" before)
endif()
if(NOT before STREQUAL text)
  file(WRITE "${FILE}" "${text}")
endif()

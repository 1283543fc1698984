# Writes FILE, what tools/lab reads before every command: the commit of SOURCE that was built (`none`
# outside a checkout) and PART, `first` where commands are left out and `all` where none is.
execute_process(
  COMMAND git --no-optional-locks -C "${SOURCE}" rev-parse --verify --quiet HEAD
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
# A folder without a repository of its own may lie in another one.
if(failed OR NOT EXISTS "${SOURCE}/.git")
  set(commit none)
endif()
file(WRITE "${FILE}" "${commit} ${PART}\n")

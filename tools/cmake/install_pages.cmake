# Beside the programs: labs and pages, the link in bin, and what lab says of itself. SOURCE is the
# project's folder, LAB the built program, after its emulator where it is another machine's.
set(prefix "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
execute_process(COMMAND "${SOURCE}/tools/package" --texts "${prefix}/lib/lab" COMMAND_ERROR_IS_FATAL ANY)
file(MAKE_DIRECTORY "${prefix}/bin")
file(CREATE_LINK ../lib/lab/bin/lab "${prefix}/bin/lab" SYMBOLIC)

# page(FILE WORD...): what `lab WORD...` prints, in share/FILE.
function(page file)
  cmake_path(GET file PARENT_PATH folder)
  file(MAKE_DIRECTORY "${prefix}/share/${folder}")
  execute_process(COMMAND ${LAB} ${ARGN} OUTPUT_FILE "${prefix}/share/${file}"
                  COMMAND_ERROR_IS_FATAL ANY)
endfunction()
page(man/man1/lab.1 man)
page(bash-completion/completions/lab completion bash)
page(zsh/site-functions/_lab completion zsh)
page(fish/vendor_completions.d/lab.fish completion fish)

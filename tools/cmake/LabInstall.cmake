# What `cmake --install build/portable --prefix /usr` puts where, for tools/package's archive and for the
# .deb that `cpack -G DEB --config build/portable/CPackConfig.cmake` makes: the programs, labs and pages
# stand together in lib/lab, as in a checkout, and bin has a link.
install(TARGETS lab lab-worker RUNTIME DESTINATION lib/lab/bin)
install(TARGETS lab-cudart LIBRARY DESTINATION lib/lab/bin)
if(TARGET lab-record)
  install(TARGETS lab-record LIBRARY DESTINATION lib/lab/bin)
endif()

install(CODE "
  set(SOURCE \"${CMAKE_SOURCE_DIR}\")
  set(LAB \"${CMAKE_CROSSCOMPILING_EMULATOR};$<TARGET_FILE:lab>\")")
install(SCRIPT "${CMAKE_CURRENT_LIST_DIR}/install_pages.cmake")

set(CPACK_PACKAGE_NAME lab-cuda)
set(CPACK_PACKAGE_CONTACT "the authors of lab <lab@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.31)")
# NVIDIA's compiler, from non-free: without it lab lists, queries and reports.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libnvrtc12 | libnvrtc11.2, clang")
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
endif()
include(CPack)

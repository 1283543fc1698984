// make_db_fixture PATH: a small database of this program's schema version, for tests/fixtures/db.
#include <cstdio>
#include <filesystem>

#include "tests/unit/db/support.h"

int main(int argc, char** argv) {
  if (argc != 2) return std::fputs("usage: make_db_fixture PATH\n", stderr), 2;
  std::filesystem::remove(argv[1]);
  // Small pages: a fixture is mostly empty ones.
  lab::db::raw_sql(argv[1], "PRAGMA page_size = 512; VACUUM");
  lab::RunRecord run = lab::db::full_run();
  run.cases = {lab::db::full_case(0), lab::db::stride_case(1, 2, 2)};
  {
    lab::db::Store open = lab::db::Store::open(argv[1], lab::db::Mode::kCreate);
    lab::db::store(open, run);
  }
  lab::db::raw_sql(argv[1], "VACUUM");
  return 0;
}

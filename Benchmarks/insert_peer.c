// Inserts heart-rate samples with prepared statements of SQLite's C API, for comparison with the store. The
// schema and pragmas are those of HealthStorage.
//
// Usage: insert_peer N PATH [ROWS_PER_TRANSACTION]
// Build: cc -O2 -o insert_peer insert_peer.c -lsqlite3
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { DEFAULT_ROWS_PER_TRANSACTION = 2000 };

static const char *const SCHEMA =
    "CREATE TABLE object_type (id INTEGER PRIMARY KEY, identifier TEXT NOT NULL UNIQUE,"
    "  longest INTEGER NOT NULL DEFAULT 0) STRICT;"
    "CREATE TABLE unit (id INTEGER PRIMARY KEY, symbol TEXT NOT NULL UNIQUE) STRICT;"
    "CREATE TABLE provenance (id INTEGER PRIMARY KEY, source_revision INTEGER NOT NULL, device INTEGER) STRICT;"
    "CREATE TABLE metadata (id INTEGER PRIMARY KEY, encoded BLOB NOT NULL UNIQUE) STRICT;"
    "CREATE TABLE sample ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),"
    "  type INTEGER NOT NULL REFERENCES object_type,"
    "  start INTEGER NOT NULL,"
    "  end INTEGER CHECK (end > start),"
    "  provenance INTEGER NOT NULL REFERENCES provenance,"
    "  metadata INTEGER REFERENCES metadata,"
    "  value REAL, unit INTEGER REFERENCES unit) STRICT;"
    "CREATE INDEX sample_type_start ON sample (type, start);"
    "INSERT INTO object_type (identifier) VALUES ('HKQuantityTypeIdentifierHeartRate');"
    "INSERT INTO unit (symbol) VALUES ('count/min');"
    "INSERT INTO provenance (source_revision, device) VALUES (1, 1);"
    "INSERT INTO metadata (encoded) VALUES (x'0100');";

static sqlite3 *database;

static void check(int code, int expected) {
  if (code == expected) return;
  fprintf(stderr, "sqlite: %s\n", sqlite3_errmsg(database));
  exit(1);
}

static void run(const char *sql) { check(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK); }

static uint64_t xorshift(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

// UUID version 7: milliseconds, then random bits.
static void make_uuid(uint8_t uuid[16], uint64_t milliseconds, uint64_t *state) {
  uint64_t high = milliseconds << 16 | 0x7000 | (xorshift(state) & 0x0FFF);
  uint64_t low = 0x8000000000000000u | (xorshift(state) & 0x3FFFFFFFFFFFFFFFu);
  for (int i = 0; i < 8; i++) uuid[i] = (uint8_t)(high >> (56 - 8 * i));
  for (int i = 0; i < 8; i++) uuid[8 + i] = (uint8_t)(low >> (56 - 8 * i));
}

static double cpu_seconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void insert(sqlite3_stmt *statement, long row, uint64_t *state) {
  uint8_t uuid[16];
  int64_t start = 1700000000000000 + row * 1000000;
  make_uuid(uuid, (uint64_t)start / 1000, state);
  sqlite3_bind_blob(statement, 1, uuid, 16, SQLITE_STATIC);
  sqlite3_bind_int64(statement, 2, 1);
  sqlite3_bind_int64(statement, 3, start);
  sqlite3_bind_null(statement, 4);
  sqlite3_bind_int64(statement, 5, 1);
  sqlite3_bind_int64(statement, 6, 1);
  sqlite3_bind_double(statement, 7, 60 + (double)(xorshift(state) % 120));
  sqlite3_bind_int64(statement, 8, 1);
  check(sqlite3_step(statement), SQLITE_DONE);
  sqlite3_reset(statement);
}

int main(int argc, char **argv) {
  if (argc != 3 && argc != 4) return 2;
  long count = atol(argv[1]);
  int rows_per_transaction = argc == 4 ? atoi(argv[3]) : DEFAULT_ROWS_PER_TRANSACTION;
  if (rows_per_transaction < 1) return 2;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  check(sqlite3_open_v2(argv[2], &database, flags, NULL), SQLITE_OK);
  run("PRAGMA foreign_keys = ON");
  run("PRAGMA journal_mode = WAL");
  run("PRAGMA synchronous = FULL");
  run(SCHEMA);
  sqlite3_stmt *begin, *commit, *statement;
  check(sqlite3_prepare_v2(database, "BEGIN IMMEDIATE", -1, &begin, NULL), SQLITE_OK);
  check(sqlite3_prepare_v2(database, "COMMIT", -1, &commit, NULL), SQLITE_OK);
  const char *sql =
      "INSERT INTO sample (uuid, type, start, end, provenance, metadata, value, unit) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
  check(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK);
  uint64_t state = 88172645463325252u;
  double before = cpu_seconds();
  for (long row = 0; row < count;) {
    check(sqlite3_step(begin), SQLITE_DONE);
    sqlite3_reset(begin);
    for (int i = 0; i < rows_per_transaction && row < count; i++, row++) insert(statement, row, &state);
    check(sqlite3_step(commit), SQLITE_DONE);
    sqlite3_reset(commit);
  }
  double cpu = cpu_seconds() - before;
  printf("{\"program\":\"C\",\"rows\":%ld,\"cpuSeconds\":%.3f,\"rowsPerCPUSecond\":%.0f}\n", count, cpu, count / cpu);
  return 0;
}

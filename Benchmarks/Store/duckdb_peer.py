"""duckdb_peer.py load STORE DATABASE | query DATABASE THREADS: the same statistics in DuckDB's
own format.

`load` reads the rows of a store through the sqlite3 program. `query` prints CPU seconds (user
and system, all threads) and the number of hours, for the average, minimum, and maximum of each
hour. Only the second of two runs counts, because the file is then cached."""

import resource
import subprocess
import sys

import duckdb

ROWS = """SELECT lower(hex(uuid)), start, provenance, value, unit FROM sample WHERE value IS NOT NULL ORDER BY start"""
HOURLY = """SELECT date_trunc('hour', start) AS hour, avg(value), min(value), max(value)
FROM sample WHERE type = 'HKQuantityTypeIdentifierHeartRate' GROUP BY hour ORDER BY hour"""


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def load(store, path):
    database = duckdb.connect(path)
    packed = subprocess.run(
        ["sqlite3", "-readonly", store, "SELECT ifnull(sum(count), 0) FROM block"],
        stdout=subprocess.PIPE, text=True, check=True,
    ).stdout.strip()
    if packed != "0":
        sys.exit(f"{packed} samples of {store} are packed, which nothing but hrgate reads: take a store that was never condensed")
    dump = subprocess.Popen(["sqlite3", "-readonly", "-csv", store, ROWS], stdout=subprocess.PIPE)
    database.execute(
        """CREATE TABLE sample AS SELECT uuid::UUID AS uuid, 'HKQuantityTypeIdentifierHeartRate' AS type,
           make_timestamp(start) AS start, provenance, value, unit
           FROM read_csv('/dev/fd/%d', header = false, columns = {
             'uuid': 'VARCHAR', 'start': 'BIGINT', 'provenance': 'INTEGER', 'value': 'DOUBLE', 'unit': 'INTEGER'})"""
        % dump.stdout.fileno()
    )
    if dump.wait() != 0:
        sys.exit("sqlite3 could not read the store")
    database.execute("CHECKPOINT")
    print(database.execute("SELECT count(*) FROM sample").fetchone()[0])


def query(path, threads):
    database = duckdb.connect(path, read_only=True)
    if threads != "default":
        database.execute(f"SET threads = {int(threads)}")
    for _ in range(2):
        before = cpu()
        hours = database.execute(HOURLY).fetchall()
        seconds = cpu() - before
    print(f"{seconds:.3f} {len(hours)}")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["load", store, path]:
            load(store, path)
        case ["query", path, threads]:
            query(path, threads)
        case _:
            sys.exit(__doc__)

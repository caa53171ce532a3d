"""Makes a store one of an earlier version: what the schema's migrations 10 to 13 brought is taken back."""

import sqlite3
import sys

store = sqlite3.connect(sys.argv[1])
store.executescript(
    """
    DROP TABLE block;
    DROP TRIGGER sample_count_of_deleted; DROP TABLE sample_count;
    DROP TABLE recorded_sample; ALTER TABLE monitor_gap DROP COLUMN recorded;
    DROP TABLE changed_in_place;
    ALTER TABLE sync_destination DROP COLUMN resets; ALTER TABLE sync_destination DROP COLUMN resets_told;
    ALTER TABLE sync_destination DROP COLUMN reset_at; ALTER TABLE sync_refusal DROP COLUMN tried;
    ALTER TABLE deleted_object DROP COLUMN start;
    DELETE FROM grdb_migrations WHERE CAST(identifier AS INTEGER) > 9;
    """
)
store.commit()

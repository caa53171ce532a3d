extension Schema {
  /// The sync destinations of the user and of programs, with the progress and the rejected records of each.
  static let synchronisation = """
    CREATE TABLE sync_destination (
      id INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice: a lock's file is named after it
      owner TEXT, -- a program's bundle identifier; NULL: the user
      name TEXT NOT NULL, address TEXT NOT NULL,
      types TEXT, -- identifiers, as a JSON array; NULL: all
      sources TEXT, -- bundle identifiers, as a JSON array; NULL: all
      earliest INTEGER, -- no sample that starts before it; microseconds since 1970, as all times here
      person TEXT NOT NULL, gateway TEXT NOT NULL,
      secret_file TEXT,
      added INTEGER NOT NULL,
      last_success INTEGER,
      failure TEXT, -- NULL: the last attempt succeeded
      failing_since INTEGER, failure_lasts INTEGER -- 1: it does not pass by itself
    ) STRICT;
    CREATE UNIQUE INDEX sync_destination_name ON sync_destination (ifnull(owner, x''), name);
    CREATE TABLE sync_cursor (
      destination INTEGER NOT NULL REFERENCES sync_destination ON DELETE CASCADE,
      type TEXT NOT NULL,
      position INTEGER NOT NULL, mark TEXT NOT NULL, -- a place in the change log, and whose log it is
      sent INTEGER NOT NULL, deleted INTEGER NOT NULL,
      PRIMARY KEY (destination, type)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE sync_refusal (
      destination INTEGER NOT NULL REFERENCES sync_destination ON DELETE CASCADE,
      uuid BLOB NOT NULL CHECK (length(uuid) = 16),
      type TEXT NOT NULL, reason TEXT NOT NULL, since INTEGER NOT NULL,
      attempts INTEGER NOT NULL, -- 0: to be tried again at once
      PRIMARY KEY (destination, uuid)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE sync_value ( -- what a program keeps about its own synchronisation
      owner TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL,
      PRIMARY KEY (owner, key)
    ) STRICT, WITHOUT ROWID;
    """

  /// Sync information that is not in the change log: modified samples, resets of destinations, retry times,
  /// and the start times of deleted samples.
  static let changesInPlace = """
    CREATE TABLE changed_in_place (
      id INTEGER PRIMARY KEY AUTOINCREMENT, -- a greater one is a later change
      first INTEGER NOT NULL, last INTEGER NOT NULL CHECK (last >= first) -- between these, as sample.id
    ) STRICT;
    ALTER TABLE sync_destination ADD COLUMN resets INTEGER NOT NULL DEFAULT 0; -- how often it was reset
    ALTER TABLE sync_destination ADD COLUMN resets_told INTEGER NOT NULL DEFAULT 0; -- how many of them it knows of
    ALTER TABLE sync_destination ADD COLUMN reset_at INTEGER NOT NULL DEFAULT 0; -- where the change log ended then
    ALTER TABLE sync_refusal ADD COLUMN tried INTEGER NOT NULL DEFAULT 0; -- when it was last tried
    ALTER TABLE deleted_object ADD COLUMN start INTEGER; -- of the sample; NULL: deleted before this was kept
    """

  /// Markers that reveal a loss of data at a destination, types that a destination never accepts, and errors
  /// of publishing live measurements.
  static let destinationMarkers = """
    ALTER TABLE sync_destination ADD COLUMN excluded_types TEXT; -- identifiers, as a JSON array; NULL: none
    ALTER TABLE sync_destination ADD COLUMN marker BLOB CHECK (length(marker) = 16); -- a UUID; new after each reset
    ALTER TABLE sync_destination ADD COLUMN marker_sequence INTEGER; -- of the last page; NULL: not stored there yet
    ALTER TABLE sync_destination ADD COLUMN live_failure TEXT; -- NULL: the live state is published, if there is any
    ALTER TABLE sync_destination ADD COLUMN live_failing_since INTEGER;
    ALTER TABLE sync_destination ADD COLUMN live_failure_lasts INTEGER;
    UPDATE sync_destination SET marker = randomblob(16);
    CREATE TABLE sync_rejection (
      destination INTEGER NOT NULL REFERENCES sync_destination ON DELETE CASCADE,
      type TEXT NOT NULL, reason TEXT NOT NULL,
      count INTEGER, -- of the samples that came; NULL: no sample of the type is sent
      PRIMARY KEY (destination, type, reason)
    ) STRICT, WITHOUT ROWID;
    """
}

extension Schema {
  /// Samples that consist of many values, which are stored encoded. For a quantity series, the row in
  /// `sample` contains the average or the sum.
  static let series = """
    CREATE TABLE quantity_series (
      sample INTEGER PRIMARY KEY REFERENCES sample ON DELETE CASCADE,
      count INTEGER NOT NULL,
      minimum REAL NOT NULL, maximum REAL NOT NULL,
      latest REAL NOT NULL, latest_start INTEGER NOT NULL, latest_end INTEGER NOT NULL,
      quantities BLOB NOT NULL
    ) STRICT;
    CREATE TABLE location_series (
      sample INTEGER PRIMARY KEY REFERENCES sample ON DELETE CASCADE,
      count INTEGER NOT NULL, locations BLOB NOT NULL
    ) STRICT;
    CREATE TABLE voltage_series (
      sample INTEGER PRIMARY KEY REFERENCES sample ON DELETE CASCADE,
      voltages BLOB NOT NULL
    ) STRICT;
    """

  /// Heartbeat series that a gateway is still measuring. Queries return them like samples, but they have no
  /// change log position yet. Each commit updates one small row per monitor; all these rows fit in one page
  /// of the file.
  static let openSeries = """
    CREATE TABLE open_series (
      id INTEGER PRIMARY KEY,
      uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16), -- also of the finished sample
      type INTEGER NOT NULL REFERENCES object_type,
      start INTEGER NOT NULL, -- microseconds since 1970
      end INTEGER NOT NULL CHECK (end >= start),
      provenance INTEGER NOT NULL REFERENCES provenance,
      metadata INTEGER REFERENCES metadata, -- without the sync identifier and version
      sync_identifier TEXT NOT NULL, sync_version INTEGER NOT NULL,
      count INTEGER NOT NULL,
      beats BLOB -- as in heartbeat_series; NULL: the user deleted the series while it was being measured
    ) STRICT;
    """

  /// An index of quantity series by type and start. An index on `quantity_series` is impossible, because
  /// these columns are in `sample`.
  static let positionsOfSeries = """
    CREATE TABLE series_place (
      type INTEGER NOT NULL REFERENCES object_type, start INTEGER NOT NULL,
      sample INTEGER NOT NULL UNIQUE REFERENCES quantity_series ON DELETE CASCADE,
      PRIMARY KEY (type, start, sample)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO series_place (type, start, sample)
      SELECT type, start, id FROM sample WHERE id IN (SELECT sample FROM quantity_series);
    """
}

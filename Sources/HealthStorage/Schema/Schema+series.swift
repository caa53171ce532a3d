extension Schema {
  /// Samples of many values, packed. The row of a quantity series in `sample` holds the average or the sum.
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

  /// Finds the quantity series of a type in a time without a look at every series. The table itself cannot
  /// have the index: type and start are the sample's.
  static let placesOfSeries = """
    CREATE TABLE series_place (
      type INTEGER NOT NULL REFERENCES object_type, start INTEGER NOT NULL,
      sample INTEGER NOT NULL UNIQUE REFERENCES quantity_series ON DELETE CASCADE,
      PRIMARY KEY (type, start, sample)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO series_place (type, start, sample)
      SELECT type, start, id FROM sample WHERE id IN (SELECT sample FROM quantity_series);
    """
}

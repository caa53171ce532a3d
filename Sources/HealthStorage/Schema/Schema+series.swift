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
}

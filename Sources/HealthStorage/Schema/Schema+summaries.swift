extension Schema {
  /// Statistics of whole hours, stored so that later queries need not read all samples again. Every change of
  /// a sample deletes the summaries that it affects. A version that calculates differently must empty the
  /// table.
  static let summaries = """
    CREATE TABLE hour_summary (
      type INTEGER NOT NULL REFERENCES object_type,
      start INTEGER NOT NULL, -- of an hour of UTC, in microseconds since 1970
      source INTEGER NOT NULL, -- 0: all sources, where there are several
      unit INTEGER NOT NULL REFERENCES unit,
      count INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, -- starts of samples
      least REAL NOT NULL, greatest REAL NOT NULL,
      weighted_sum REAL NOT NULL, weight REAL NOT NULL,
      covered INTEGER NOT NULL,
      latest REAL NOT NULL, latest_start INTEGER NOT NULL, latest_end INTEGER NOT NULL,
      PRIMARY KEY (type, start, source)
    ) STRICT, WITHOUT ROWID;
    """
}

extension Schema {
  /// Sample counts. They are stored because counting a year of samples at 1 Hz takes too long for a display.
  /// Each transaction adds its samples (`SampleCounts`), because a trigger would double the cost of an
  /// insert. A trigger subtracts deleted samples.
  static let counts = """
    CREATE TABLE sample_count (
      type INTEGER NOT NULL, provenance INTEGER NOT NULL, -- those of samples, which refer to what there is
      count INTEGER NOT NULL,
      PRIMARY KEY (type, provenance)
    ) STRICT, WITHOUT ROWID;
    CREATE TRIGGER sample_count_of_deleted AFTER DELETE ON sample BEGIN
      INSERT INTO sample_count (type, provenance, count) VALUES (old.type, old.provenance, -1)
      ON CONFLICT DO UPDATE SET count = count - 1;
    END;
    INSERT INTO sample_count (type, provenance, count)
      SELECT type, provenance, count(*) FROM sample GROUP BY type, provenance;
    """

  /// Counts the rows again for `sample_count`. This table does not count samples in compressed segments (see
  /// `segmentCounts`).
  static let recount = """
    DELETE FROM sample_count;
    INSERT INTO sample_count (type, provenance, count)
      SELECT type, provenance, count(*) FROM sample GROUP BY type, provenance;
    """
}

extension Schema {
  /// Statistics of whole hours, such as minimum and maximum. They are stored so that later queries need not
  /// read all samples again. Changing a sample deletes the summaries that it affects. If a later version
  /// computes them differently, it must empty the table.
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

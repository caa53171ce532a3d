extension Schema {
  /// Compressed segments: samples of one hour with the same type, unit, provenance and metadata.
  static let blocks = """
    CREATE TABLE block (
      id INTEGER PRIMARY KEY,
      type INTEGER NOT NULL REFERENCES object_type,
      unit INTEGER NOT NULL REFERENCES unit,
      provenance INTEGER NOT NULL REFERENCES provenance,
      metadata INTEGER REFERENCES metadata,
      start INTEGER NOT NULL, -- of the first sample, microseconds since 1970
      end INTEGER NOT NULL CHECK (end >= start), -- the greatest end
      first_change INTEGER NOT NULL, last_change INTEGER NOT NULL, -- the least and the greatest sample.id
      count INTEGER NOT NULL,
      samples BLOB NOT NULL -- a PackedBlock
    ) STRICT;
    -- Each has everything that a search needs, because a row has ten kilobytes.
    CREATE INDEX block_start ON block (start, type, last_change, first_change);
    CREATE INDEX block_change ON block (last_change, first_change, type, start);
    """

  /// The samples of all monitors in one commit of a gateway. Schema 18 converts them into rows of `block`.
  static let batches = """
    CREATE TABLE batch (
      id INTEGER PRIMARY KEY, -- the greatest sample.id
      first_change INTEGER NOT NULL, -- the least
      start INTEGER NOT NULL, -- the first, microseconds since 1970
      end INTEGER NOT NULL CHECK (end >= start), -- the greatest, in the same hour
      count INTEGER NOT NULL,
      samples BLOB NOT NULL -- a PackedBatch
    ) STRICT;
    CREATE INDEX batch_start ON batch (start, end, first_change);
    """

  /// An index with the end of the segments and the columns that are needed to count samples. Commits of a
  /// gateway write small compressed segments into `block`, so an hour may have thousands of them. From this
  /// schema on, `sample_count` counts only rows.
  static let segments = """
    INSERT INTO sample_count (type, provenance, count)
      SELECT type, provenance, -sum(count) FROM block WHERE true GROUP BY type, provenance
    ON CONFLICT DO UPDATE SET count = count + excluded.count;
    DROP INDEX block_start;
    CREATE INDEX block_start ON block (start, end, type, last_change, first_change, provenance, count);
    """

  /// The sample counts of compressed segments, by type and provenance. Invalid numbers are ignored, because a
  /// damaged row may contain any number.
  static let segmentCounts = """
    SELECT type, provenance, sum(count) AS count FROM block INDEXED BY block_start
    WHERE count BETWEEN 0 AND 4096 GROUP BY type, provenance
    """
}

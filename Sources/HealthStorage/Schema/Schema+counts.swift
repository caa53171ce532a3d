extension Schema {
  /// How many samples there are: to count those of a year at one a second takes longer than anybody waits
  /// for a page. Whoever inserts adds to it, batch by batch (`SampleCounts`), since a trigger would double
  /// what an insert costs; whatever deletes is counted by the trigger.
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

  /// Of a store that may have blocks.
  static let recount = """
    DELETE FROM sample_count;
    INSERT INTO sample_count (type, provenance, count)
      SELECT type, provenance, sum(count) FROM (
        SELECT type, provenance, count(*) AS count FROM sample GROUP BY type, provenance
        UNION ALL SELECT type, provenance, count FROM block
      ) GROUP BY type, provenance;
    """
}

extension Schema {
  /// The assignment of samples to containers, such as correlations and workouts.
  ///
  /// Adding a sample to a container that was already stored gets its own change log position, from the
  /// sequence of `sample.id`.
  static let membership = """
    CREATE TABLE membership (
      container INTEGER NOT NULL REFERENCES sample ON DELETE CASCADE,
      member INTEGER NOT NULL REFERENCES sample ON DELETE CASCADE,
      part BLOB CHECK (length(part) = 16), -- the UUID of the part of the container; NULL: the whole
      related INTEGER, -- when: in the change log; NULL: with the later of the two
      PRIMARY KEY (container, member)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX membership_member ON membership (member);
    """

  /// An index for finding samples that were added to containers after a change log position.
  static let positionsOfRelations = """
    CREATE INDEX membership_related ON membership (related) WHERE related IS NOT NULL;
    """
}

extension Schema {
  /// Files that are attached to samples. They are stored in pieces, so that a reader need not load a whole
  /// file.
  static let attachments = """
    CREATE TABLE attachment (
      id INTEGER PRIMARY KEY,
      uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
      sample INTEGER REFERENCES sample ON DELETE CASCADE, -- NULL: while another takes its sample's place
      name TEXT NOT NULL, content_type TEXT NOT NULL,
      size INTEGER NOT NULL, -- bytes
      created INTEGER NOT NULL, -- microseconds since 1970
      metadata INTEGER REFERENCES metadata
    ) STRICT;
    CREATE INDEX attachment_sample ON attachment (sample);
    CREATE TABLE attachment_piece (
      attachment INTEGER NOT NULL REFERENCES attachment ON DELETE CASCADE,
      place INTEGER NOT NULL, -- from 0
      bytes BLOB NOT NULL,
      UNIQUE (attachment, place)
    ) STRICT;
    """
}

extension Schema {
  /// What belongs to what: the samples of a correlation, and those of a workout.
  ///
  /// A relation that was made later than both has a place in the change log of its own, in the sequence of
  /// `sample.id`.
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

  /// Finds the relations that were made since a place in the change log.
  static let placesOfRelations = """
    CREATE INDEX membership_related ON membership (related) WHERE related IS NOT NULL;
    """
}

extension Schema {
  /// What belongs to what: the samples of a correlation, and those of a workout.
  static let membership = """
    CREATE TABLE membership (
      container INTEGER NOT NULL REFERENCES sample ON DELETE CASCADE,
      member INTEGER NOT NULL REFERENCES sample ON DELETE CASCADE,
      PRIMARY KEY (container, member)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX membership_member ON membership (member);
    """
}

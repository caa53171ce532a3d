extension Schema {
  /// The medications that the user keeps, which are no samples: there is one of each, and it changes.
  static let medications = """
    CREATE TABLE medication (
      id INTEGER PRIMARY KEY, -- the order in which they were taken up
      identifier TEXT NOT NULL UNIQUE, archive BLOB NOT NULL
    ) STRICT;
    """
}

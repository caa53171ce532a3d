extension Schema {
  /// The user's medications. They are not samples: there is one of each, and it can change.
  static let medications = """
    CREATE TABLE medication (
      id INTEGER PRIMARY KEY, -- the order in which they were taken up
      identifier TEXT NOT NULL UNIQUE, archive BLOB NOT NULL
    ) STRICT;
    """
}

extension Schema {
  /// The user's characteristics, such as the date of birth, and preferences.
  static let preferences = """
    CREATE TABLE source_order ( -- the first place counts most
      type TEXT NOT NULL, place INTEGER NOT NULL, source INTEGER NOT NULL REFERENCES source,
      PRIMARY KEY (type, place), UNIQUE (type, source)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE characteristic (type TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE preferred_unit (type TEXT PRIMARY KEY, symbol TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE activity_goal ( -- from this day on, until the next
      measure TEXT NOT NULL, day INTEGER NOT NULL, -- year * 10000 + month * 100 + day
      value REAL, -- NULL: no goal any more
      PRIMARY KEY (measure, day)
    ) STRICT, WITHOUT ROWID;
    """
}

extension Schema {
  /// The user's medications. They are not samples, because each is a single object that may change.
  static let medications = """
    CREATE TABLE medication (
      id INTEGER PRIMARY KEY, -- the order in which they were taken up
      identifier TEXT NOT NULL UNIQUE, archive BLOB NOT NULL
    ) STRICT;
    """
}

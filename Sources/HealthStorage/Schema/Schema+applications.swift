extension Schema {
  /// The user's decisions for each program, and the requests of programs.
  ///
  /// Types are stored by identifier, because a program may request a type that no stored sample has.
  static let authorization = """
    CREATE TABLE application (
      id INTEGER PRIMARY KEY, identifier TEXT NOT NULL UNIQUE, name TEXT NOT NULL
    ) STRICT;
    CREATE TABLE permission (
      application INTEGER NOT NULL REFERENCES application ON DELETE CASCADE,
      type TEXT NOT NULL,
      share INTEGER, read INTEGER, -- NULL: undecided; 0: denied; 1: granted
      PRIMARY KEY (application, type)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE readable_object ( -- of a type that is permitted object by object
      application INTEGER NOT NULL REFERENCES application ON DELETE CASCADE,
      sample INTEGER NOT NULL REFERENCES sample ON DELETE CASCADE,
      PRIMARY KEY (application, sample)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX readable_object_sample ON readable_object (sample);
    CREATE TABLE permission_request (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      application INTEGER NOT NULL REFERENCES application ON DELETE CASCADE,
      asked INTEGER NOT NULL, -- microseconds since 1970
      share_description TEXT, read_description TEXT,
      answer INTEGER, -- NULL: pending; 0: cancelled; 1: decided
      answered INTEGER, -- as asked
      process INTEGER, started TEXT -- who waits; NULL: not known
    ) STRICT;
    CREATE TABLE requested_type (
      request INTEGER NOT NULL REFERENCES permission_request ON DELETE CASCADE,
      type TEXT NOT NULL, share INTEGER NOT NULL, read INTEGER NOT NULL,
      PRIMARY KEY (request, type)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE requested_object (
      request INTEGER NOT NULL REFERENCES permission_request ON DELETE CASCADE,
      sample INTEGER NOT NULL REFERENCES sample ON DELETE CASCADE,
      PRIMARY KEY (request, sample)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX requested_object_sample ON requested_object (sample);
    """
}

extension Schema {
  /// Programs to start when samples change, and running processes of programs.
  static let backgroundDelivery = """
    CREATE TABLE background_launch (
      application INTEGER PRIMARY KEY REFERENCES application ON DELETE CASCADE,
      unit TEXT, -- a systemd user unit; NULL: the executable
      executable TEXT NOT NULL
    ) STRICT;
    CREATE TABLE background_delivery (
      application INTEGER NOT NULL REFERENCES application ON DELETE CASCADE,
      type TEXT NOT NULL, frequency INTEGER NOT NULL,
      position INTEGER NOT NULL, -- how much of the change log was acknowledged
      delivered INTEGER, -- microseconds since 1970
      misses INTEGER NOT NULL DEFAULT 0, -- deliveries since the last acknowledgement
      PRIMARY KEY (application, type)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE running_application ( -- to be believed only as long as there is such a process
      application INTEGER NOT NULL REFERENCES application ON DELETE CASCADE,
      process INTEGER NOT NULL, started TEXT NOT NULL,
      PRIMARY KEY (application, process)
    ) STRICT, WITHOUT ROWID;
    """
}
